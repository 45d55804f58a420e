"""The first order, look after look: at the given point, in each function alone, around the graph, and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..engine.function import FunctionNode
from ..errors import LimitError
from ..verdicts import Note, NoteKind
from . import budget
from .judging.entries import probe
from .judging.findings import Checked, Covered, Finding, Options, told_of_both_points
from .judging.hidden_paths import hidden_paths
from .judging.verdict import BLAMED, FAULTY, TOLERATED, Verdict
from .replay.plan import Unreplayable
from .replay.subject import Subject, custom, differentiated
from .settling import blamer, settled, settled_in_time

if TYPE_CHECKING:
    from .moving.other_points import Elsewhere
    from .moving.program_branches import Branches


def first_order(
    subject: Subject, options: Options, rng: np.random.Generator, checked: Checked
) -> Iterator[list[Finding]]:
    """Is the gradient right here, in each of the program's own functions alone, and elsewhere?"""
    look = _Looks(subject, options, rng, checked)
    yield from look.at_the_point()
    if look.is_too_late("each function alone, other points and branches"):
        return
    yield from look.at_what_is_differentiated()
    yield from look.at_each_function_alone()
    yield from look.at_tangents()
    yield from look.around_the_graph()
    if look.is_too_late("other points and branches"):
        return
    yield from look.at_other_points()
    yield from look.at_other_branches()
    if options.require_coverage:
        yield list(_not_covered(subject, checked.coverage))


class _Looks:
    """Where something wrong is looked for, and what was found until now: most looks are for what seems right yet."""

    def __init__(self, subject: Subject, options: Options, rng: np.random.Generator, checked: Checked) -> None:
        self.subject, self.options, self.rng, self.checked = subject, options, rng, checked
        self.found: list[Finding] = []
        self.blame = blamer(subject, rng)
        # Beside a hole the graph is that of what the program computes; at it, masks may stand for it.
        self.beside: Subject | None = None

    @property
    def has_functions(self) -> bool:
        """True if a custom function was called."""
        return any(isinstance(node, FunctionNode) for node in self.subject.nodes)

    @property
    def is_right_yet(self) -> bool:
        """True if nothing wrong was found."""
        return not any(finding.fails(self.options) for finding in self.found)

    def is_too_late(self, left: str) -> bool:
        """Tell whether the time is over, and note what is left out."""
        late = budget.is_spent()
        if late:
            self.checked.notes.append(budget.left_out(left))
        return late

    def _taken(self, found: list[Finding], notes: Iterable[Note] = ()) -> list[Finding]:
        self.checked.notes += notes
        self.found += found
        return found

    def at_the_point(self) -> Iterator[list[Finding]]:
        """At the given point, entry by entry."""
        self.found = probe(self.subject, self.options, self.rng, part=budget.ENTRIES)
        # What is wrong is known from here on, whatever it takes to find what is to blame.
        yield self.found
        self.beside = settled(self.found, self.subject, self.options, self.rng, self.blame)

    def at_what_is_differentiated(self) -> Iterator[list[Finding]]:
        """At functions of the program's own whose gradients it takes itself."""
        if differentiated(self.subject):
            from .blaming.each_function import wrong_differentiated

            yield self._taken(*wrong_differentiated(self.subject, self.rng, self.options.everywhere))

    def at_each_function_alone(self) -> Iterator[list[Finding]]:
        """At each custom function, whatever the program does with its gradient."""
        if self.has_functions and self.is_right_yet:
            from .blaming.each_function import wrong_functions

            found, notes = wrong_functions(self.subject, self.rng, self.options.everywhere)
            self.checked.notes += notes
            found = _new(found, self.found)
            self.blame(found)
            yield self._taken(found)

    def at_tangents(self) -> Iterator[list[Finding]]:
        """At the forward mode of custom functions."""
        if self.has_functions and self.is_right_yet:
            from .judging.tangents import wrong_tangents

            yield self._taken(*wrong_tangents(self.subject, self.rng))

    def around_the_graph(self) -> Iterator[list[Finding]]:
        """At what the program computes outside of its graph."""
        found, notes = hidden_paths(self.beside or self.subject, self.rng)
        self.subject.is_made_good = any(note.kind is NoteKind.HOOK for note in notes)
        if any(note.kind is NoteKind.SWITCH for note in notes):
            from .replay.whole_program import affordable, whole

            if affordable(self.subject):
                # The graph shows one side only of what the program does here.
                found, notes = _probed(whole(self.subject), self.options, self.rng), []
        yield self._taken(found, notes)

    def at_other_points(self) -> Iterator[list[Finding]]:
        """At other points and shapes, where custom functions may do otherwise."""
        if _is_of_functions(self.subject) and self.is_right_yet:
            from .moving.other_points import elsewhere_findings

            yield from self._searched(
                lambda made: elsewhere_findings(
                    self.subject,
                    self.rng,
                    lambda there: _probed_elsewhere(there, self.options, self.rng),
                    everywhere=self.options.everywhere,
                    found=made,
                )
            )

    def at_other_branches(self) -> Iterator[list[Finding]]:
        """Where the program decides otherwise."""
        decisions = self.subject.trace is not None and self.subject.trace.decisions
        if decisions and self.is_right_yet:
            from .moving.program_branches import branch_findings

            yield from self._searched(
                lambda made: branch_findings(
                    self.subject, self.rng, lambda there: _on_a_branch(there, self.options, self.rng), made
                )
            )

    def _searched(self, search: Callable[[list[Finding]], Elsewhere | Branches]) -> Iterator[list[Finding]]:
        """Findings of a search, beside those that there are: also if its time ends early."""
        made: list[Finding] = []
        try:
            more, notes, coverage = search(made)
        except LimitError:
            yield told_of_both_points(self.found, _new(made, self.found))
            raise
        self.checked.coverage += coverage
        known = self.checked.notes
        yield self._taken(
            told_of_both_points(self.found, _new(more, self.found)), [note for note in notes if note not in known]
        )


def _new(more: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """Findings without those of inputs that lose digits, where that is known."""
    known = {finding.input for finding in found if finding.verdict is Verdict.INACCURATE}
    return [x for x in more if x.verdict not in TOLERATED or x.input not in known]


def _not_covered(subject: Subject, coverage: Iterable[Covered]) -> Iterator[Finding]:
    """A finding for each kink and each branch with a side that nobody could look at."""
    for x in coverage:
        if x.missing:
            finding = Finding(subject.outputs[0].name, subject.inputs[0].name, 1, Verdict.UNCOVERED, span=x.span)
            words = f"{x.what}{x.place}: never {' and never '.join(x.missing)}"
            finding.notes.append(Note(NoteKind.BRANCH_UNCOVERED, words))
            yield finding


def _probed(subject: Subject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """Judge the gradients at one point, and find what is to blame."""
    found = probe(subject, options, rng)
    if any(finding.verdict in FAULTY for finding in found):
        settled_in_time(found, subject, options, rng)
    return found


def _probed_elsewhere(there: Subject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """The same at another point, where nothing but a cast or a constant is to blame for lost digits."""
    from .blaming.lost_digits import loses_digits

    found = probe(there, options, rng)
    verdicts = {finding.verdict for finding in found}
    if verdicts & BLAMED or (Verdict.INACCURATE in verdicts and any(map(loses_digits, custom(there)))):
        settled_in_time(found, there, options, rng)
    return found


def _is_of_functions(subject: Subject) -> bool:
    """True if there are custom Functions between inputs and outputs."""
    try:
        return bool(custom(subject))
    except Unreplayable:
        return False


def _on_a_branch(there: Subject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """Find what is wrong where the program decides otherwise: of ops of gradcli alone, only paths around the graph."""
    found: list[Finding] = []
    if custom(there):
        from .moving.other_shapes import functions_alone

        found = _probed(there, options, rng)
        if not any(finding.fails(options) for finding in found):
            found += functions_alone(there, rng, everywhere=options.everywhere)
    return [*found, *hidden_paths(there, rng).findings]

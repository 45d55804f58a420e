"""The whole check of one program: in which precision it runs, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..engine.function import FunctionNode
from ..errors import GradcliError, LimitError
from ..spec.guard.garbage import sparing
from ..verdicts import Note, NoteKind
from . import budget
from .judging.exact_tests import forwards
from .judging.findings import Checked, Finding, Options
from .judging.united import in_both
from .orders import allow, check_subject, not_judged
from .replay.in_double import (
    casts_backward,
    has_double,
    has_single,
    in_double,
    in_single,
    keeps_halves,
    names_both,
    names_halves,
)
from .replay.patience import left
from .replay.subject import Subject, of_program
from .settling import blamer

if TYPE_CHECKING:
    from ..spec.language.machine import Machine
    from ..spec.program import Program

_ONLY_IN_SINGLE = "a check runs it in double precision, where it stops here; in single precision it runs through"

_WITHOUT_HALVES = "casts to half precision were left out, as single precision is; --dtype float32 tells what they cost"


def check_program(
    program: Program,
    options: Options,
    started: Callable[[Machine], None] | None = None,
    checked: Checked | None = None,
) -> Checked:
    """Check the gradients of a program; in ``checked`` stands what was found, also where a bug of ours ends it."""
    checked = Checked(program.source.name) if checked is None else checked
    begun = time.perf_counter()
    try:
        with sparing():
            _Check(program, options, started, checked).whole()
        _note_numbers(program, checked.findings, options)
    except GradcliError as error:
        checked.failure = error
        if error.code == "E401" and budget.is_spent(0):
            _end_early(error, checked, options)
    finally:
        allow(checked.findings, options)
        checked.seconds = time.perf_counter() - begun
    return checked


def _note_numbers(program: Program, found: Iterable[Finding], options: Options) -> None:
    """Say of whole numbers that a target is given, and has no gradient for, how they stay numbers."""
    ways = dict(program.no_variables()) if program.spec.target is not None else {}
    for finding in found:
        claimed = None if finding.worst is None else finding.worst.judged.claimed
        if finding.input in ways and not claimed and finding.fails(options):
            finding.notes.append(Note(NoteKind.NUMBER, ways[finding.input]))


def _end_early(error: GradcliError, checked: Checked, options: Options) -> None:
    """Where the time was over, but not before something was found, that is all that there is."""
    found = checked.findings
    if not found:
        error.message = f"the check was stopped before it had found anything: {budget.allowed()} are over"
        error.help = "`--limits relaxed` or `--check-timeout SECONDS` allows more"
        return
    checked.failure = None
    checked.notes.append(budget.left_out("what comes after that"))
    last = max(finding.order for finding in found)
    if last < options.order and not any(finding.fails(options) for finding in found):
        why = budget.left_out(f"order {last + 1}")
        found += [not_judged(x.output, x.input, last + 1, why) for x in found if x.order == last]


class _Check:
    """One check of a program: its runs, each in one precision, and what is found in them."""

    def __init__(
        self, program: Program, options: Options, started: Callable[[Machine], None] | None, checked: Checked
    ) -> None:
        self.program, self.options, self.started, self.checked = program, options, started, checked
        self.by_hand = bool(options.claims) or options.claim_from is not None
        # The program as it is mostly judged, and whether a run of it has recorded something.
        self.double = in_double(program)
        self.ran = False

    def whole(self) -> None:
        """Choose the precision, and check the program in it; also in single precision where that is asked for."""
        program, options = self.program, self.options
        mixes = not self.by_hand and names_both(program) and not casts_backward(program)
        if mixes and self.runs_in_single(lambda subject: not has_double(subject)):
            # The other name is for a case that does not come.
            self.double = in_double(program, wide=True)
        if (not self.double.wide or keeps_halves(program)) and not self.by_hand and names_halves(program):
            self.check_in_halves()
        else:
            if self.double.wide and not options.float32 and names_halves(program):
                self.checked.notes.append(Note(NoteKind.HALF, _WITHOUT_HALVES))
            self.check_in_double()
        if options.float32 and not self.found_wrong():
            self.run(program, self.judge_in_single)

    def found_wrong(self) -> bool:
        """True once something fails."""
        return any(finding.fails(self.options) for finding in self.checked.findings)

    def run(self, program: Program, act: Callable[[Subject], bool]) -> bool:
        """Run the program, and act on what it has recorded; what ``act`` says of that is returned."""

        def acted(subject: Subject) -> bool:
            try:
                return act(subject)
            finally:
                self.checked.notes += left()

        options = self.options
        return of_program(program, output=options.output, wrt=options.wrt, started=self.started, act=acted)

    def runs_in_single(self, holds: Callable[[Subject], bool] = lambda subject: True) -> bool:
        """Tell whether the program runs through in the precision that is usual, and something holds of it there."""
        seen: list[bool] = []

        def act(subject: Subject) -> bool:
            seen.append(holds(subject))
            return True

        try:
            self.run(in_single(self.program), act)
        except GradcliError:
            return False
        return all(seen)

    def check_in_double(self) -> None:
        """Check the program in double precision, as often recorded as that takes."""
        try:
            try:
                done = self.run(self.double, self.judge)
            except GradcliError as error:
                # What is made in single precision by name may not fit what is made in the precision that is usual.
                if self.ran or self.double.wide or isinstance(error, LimitError):
                    raise
                self.double.wide, done = True, False
            while not done:
                done = self.run(self.double, self.judge)
        except GradcliError as error:
            if not (self.ran or isinstance(error, LimitError)) and self.runs_in_single():
                error.notes = (*error.notes, _ONLY_IN_SINGLE)
            raise

    def judge(self, subject: Subject) -> bool:
        """Check what was recorded, unless the program has to be recorded again: in double precision, or less far."""
        double, options, checked = self.double, self.options, self.checked
        self.ran = True
        if not double.wide and has_single(subject):
            double.wide = True
            return False
        last = None
        if not self.by_hand and options.output is None and double.backward is None:
            last = _overtaken(subject)
        if last is not None:
            double.backward = last
            return False
        budget.begin()
        if self.by_hand:
            from . import hand_claims

            checked.findings += hand_claims.judged(subject, double, options, np.random.default_rng(options.seed))
            if options.order > 1:
                checked.notes.append(Note(NoteKind.ORDER, "a claim is about the first derivative: no other was judged"))
        else:
            check_subject(subject, options, checked)
        return True

    def judge_in_single(self, subject: Subject) -> bool:
        """Judge what single precision loses of the gradients."""
        from .precision import float32_loss

        found, notes = float32_loss.judged(subject, self.options.seed)
        self.checked.findings = in_both(self.checked.findings, found)
        self.checked.notes += notes
        return True

    def check_in_halves(self) -> None:
        """Check a program that casts to half precision without its casts, then what these take from its gradients."""
        from .precision import half_loss

        options, checked = self.options, self.checked
        true: list[half_loss.Gradients] = []
        with_casts = in_double(self.program)
        in_backward = not with_casts.wide
        with_casts.wide = False

        def act(subject: Subject) -> bool:
            budget.begin()
            check_subject(subject, options, checked)
            true.append(half_loss.gradients(subject, options.seed))
            return True

        def beside(subject: Subject) -> bool:
            if not in_backward and not half_loss.gives_the_same(subject, true[0]):
                # Forwards alone cast: the gradients are those of another function.
                return True
            found = half_loss.judged(subject, true[0], options.seed)
            blamer(subject, np.random.default_rng(options.seed))(found)
            checked.findings = in_both(checked.findings, found)
            return True

        self.run(in_double(self.program, wide=True), act)
        if not self.found_wrong():
            self.run(with_casts, beside)


def _overtaken(subject: Subject) -> int | None:
    """The last backward, where a custom forward makes something else after it than it did before.

    An optimiser has moved the parameters of a module since that the forward reads without being given them: recorded
    to that backward alone, the program has them as they were.
    """
    trace = subject.trace
    if trace is None or trace.backward.seq <= trace.grad.seq or not any(x.changed for x in subject.inputs):
        return None
    own = [node for node in subject.nodes if isinstance(node, FunctionNode)]
    return None if next(forwards(subject, own), None) is None else trace.backward.calls

"""The judgement of one recorded run of a program, order by order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..verdicts import Note, NoteKind
from . import budget
from .first_order import first_order
from .judging.entries import probe
from .judging.exact_tests import structural
from .judging.findings import Checked, Finding, Options
from .judging.hidden_paths import hidden_paths
from .judging.united import united
from .judging.verdict import Verdict
from .replay.assumed_by_program import assumption_notes
from .replay.plan import Unmeasured, Unreplayable
from .replay.subject import Subject, custom
from .settling import blamer, settled

if TYPE_CHECKING:
    from .judging.higher_orders import Derivative

_FIXED_BELOW = "the first order holds fixed on purpose what this one does not follow"

# Why no order above the first is judged of a program with the hooks of an implicit layer.
_MADE_GOOD = "hooks make good what the graph lacks: of what the program's gradient is made, no graph shows"


def check_subject(subject: Subject, options: Options, checked: Checked) -> None:
    """Check what one run of a program has recorded, order by order; what is found stands in ``checked``."""
    rng = np.random.default_rng(options.seed)
    checked.inputs = len(subject.inputs)
    checked.backward = subject.which
    checked.numbers = sum(a.size for a in subject.at)
    try:
        found, notes, ends = structural(subject, rng, everywhere=options.everywhere)
        checked.notes += [*notes, *assumption_notes(subject)]
        checked.findings += found
        if found and ends:
            return
        try:
            for found in first_order(subject, options, rng, checked):
                checked.findings += found
        finally:
            # Also when the time is over: what was found until then.
            checked.findings = united(checked.findings)
        allow(checked.findings, options)
        _higher_orders(subject, options, rng, checked)
    except Unreplayable as error:
        raise InputError(
            f"the graph cannot be evaluated again: {error.reason}",
            span=subject.span_of(error.node),
            help="check a smaller part of the program with --output NAME, or a function in it with FILE::NAME",
            code="E503",
        ) from None
    except Unmeasured as error:
        error.span = subject.span_of(error.node)
        raise


def _higher_orders(subject: Subject, options: Options, rng: np.random.Generator, checked: Checked) -> None:
    """Each order is judged against the gradient of the order below: as far as that is right."""
    if options.order < 2:
        return
    from .judging.higher_orders import derived
    from .judging.symmetry import symmetry

    beyond = not subject.is_all_in_its_graph and not subject.hooked
    for order in range(2, options.order + 1):
        below = [finding.verdict for finding in checked.findings if finding.order == order - 1]
        wrong = any(finding.fails(options) for finding in checked.findings)
        if wrong or set(below) == {Verdict.DOMAIN}:
            why = "is wrong" if wrong else "is not known here"
            checked.notes.append(Note(NoteKind.ORDER, f"order {order} was not judged, since order {order - 1} {why}"))
            return
        if budget.is_spent() or subject.is_made_good:
            told = Note(NoteKind.HOOK, _MADE_GOOD) if subject.is_made_good else budget.left_out(f"order {order}")
            names = [(y.name, x.name) for y in subject.outputs for x in subject.inputs]
            checked.findings += [not_judged(*pair, order, told) for pair in names]
            return
        base, subject = subject, derived(subject, seed=options.seed)
        derivative = subject
        if not subject.outputs:
            return
        found = probe(subject, options, rng, order, budget.ANYTHING)
        checked.findings += found
        settled(found, subject, options, rng, blamer(subject, rng), order)
        if beyond and not any(finding.fails(options) for finding in found):
            # Numbers beside the graph may cancel in the order below, and not in this one.
            hidden, notes = hidden_paths(derivative, rng)
            _allow_held_fixed(hidden, derivative, checked.findings)
            found += hidden
            checked.findings = united([*checked.findings, *hidden])
            checked.notes += [note for note in notes if note not in checked.notes]
        for finding in found:
            finding.notes += derivative.notes() if finding.fails(options) else []
        if base.order == 1 and custom(base) and not any(finding.fails(options) for finding in checked.findings):
            from .blaming.each_function import wrong_along_what_arrives

            beside, notes = wrong_along_what_arrives(base, rng)
            checked.findings += beside
            checked.notes += notes
        for pair in symmetry(derivative, seed=options.seed):
            if not pair.holds:
                checked.notes.append(
                    Note(NoteKind.ASYMMETRIC, f"{pair.output} depends on the order of differentiation")
                )


def _allow_held_fixed(hidden: Iterable[Finding], derivative: Derivative, found: Iterable[Finding]) -> None:
    """Allow at a higher order the paths that the first was told to hold fixed by design: they are the same."""
    fixed = {(x.output, x.input) for x in found if x.order == 1 and x.verdict is Verdict.HIDDEN_PATH and x.allowed}
    of = {part.name: part.of for part in derivative.parts}
    for finding in hidden:
        if (of[finding.output], finding.input) in fixed:
            finding.allowed = True
            finding.notes = [Note(NoteKind.HIDDEN_PATH, _FIXED_BELOW)]


def not_judged(output: str, input: str, order: int, why: Note) -> Finding:
    """A finding without a verdict, of an order that could not be looked at."""
    return Finding(output, input, order, Verdict.UNRESOLVED, [why])


def allow(found: Iterable[Finding], options: Options) -> None:
    """Mark the exceptions that were named."""
    for finding in found:
        named = finding.verdict in options.allow
        finding.allowed = (finding.allowed or named) and not finding.passes(options)

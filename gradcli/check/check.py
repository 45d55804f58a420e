"""The whole check of one program: what is looked at, in which order, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..engine.function import FunctionNode
from ..errors import GradcliError, InputError, LimitError
from ..spec.guard.garbage import sparing
from ..verdicts import Note, NoteKind
from . import budget
from .first_order import first_order
from .judging.entries import probe
from .judging.exact_tests import forwards, structural
from .judging.findings import Checked, Finding, Options
from .judging.hidden_paths import hidden_paths
from .judging.verdict import GRAVITY, Verdict
from .replay.assumed_by_program import assumption_notes
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
from .replay.plan import Unmeasured, Unreplayable
from .replay.subject import Subject, custom, of_program
from .settling import blamer, settled

if TYPE_CHECKING:
    from ..spec.language.machine import Machine
    from ..spec.program import Program
    from .judging.higher_orders import Derivative

_ONLY_IN_SINGLE = "a check runs it in double precision, where it stops here; in single precision it runs through"

_WITHOUT_HALVES = "casts to half precision were left out, as single precision is; --dtype float32 tells what they cost"

_FIXED_BELOW = "the first order holds fixed on purpose what this one does not follow"

# What is special about the given point.
_OF_THE_POINT = frozenset({NoteKind.BRANCH_UNCOVERED, NoteKind.DEGENERATE_POINT, NoteKind.DEGENERATE_SHAPE})

# Why no order above the first is judged of a program with the hooks of an implicit layer.
_MADE_GOOD = "hooks make good what the graph lacks: of what the program's gradient is made, no graph shows"


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
            _check(program, options, started, checked)
        _note_numbers(program, checked.findings, options)
    except GradcliError as error:
        checked.failure = error
        if error.code == "E401" and budget.is_spent(0):
            _end_early(error, checked, options)
    finally:
        _allow(checked.findings, options)
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
        found += [_not_judged(x.output, x.input, last + 1, why) for x in found if x.order == last]


def _check(program: Program, options: Options, started: Callable[[Machine], None] | None, checked: Checked) -> None:
    by_hand = options.claims or options.claim_from is not None
    ran = False

    def run(program: Program, act: Callable[[Subject], bool]) -> bool:
        def acted(subject: Subject) -> bool:
            try:
                return act(subject)
            finally:
                checked.notes += left()

        return of_program(program, output=options.output, wrt=options.wrt, started=started, act=acted)

    def act(subject: Subject) -> bool:
        """Check what was recorded, unless the program has to be recorded again: in double precision, or less far."""
        nonlocal ran
        ran = True
        if not double.wide and has_single(subject):
            double.wide = True
            return False
        last = None if by_hand or options.output is not None or double.backward is not None else _overtaken(subject)
        if last is not None:
            double.backward = last
            return False
        budget.begin()
        if by_hand:
            from . import hand_claims

            checked.findings += hand_claims.judged(subject, double, options, np.random.default_rng(options.seed))
            if options.order > 1:
                checked.notes.append(Note(NoteKind.ORDER, "a claim is about the first derivative: no other was judged"))
        else:
            check_subject(subject, options, checked)
        return True

    def act_in_single(subject: Subject) -> bool:
        from .precision import float32_loss

        found, notes = float32_loss.judged(subject, options.seed)
        checked.findings = _in_both(checked.findings, found)
        checked.notes += notes
        return True

    double = in_double(program)
    mixes = not by_hand and names_both(program) and not casts_backward(program)
    if mixes and _is_all_single(program, run):
        # The other name is for a case that does not come.
        double = in_double(program, wide=True)
    if (not double.wide or keeps_halves(program)) and not by_hand and names_halves(program):
        _check_in_halves(program, options, run, checked)
    else:
        if double.wide and not options.float32 and names_halves(program):
            checked.notes.append(Note(NoteKind.HALF, _WITHOUT_HALVES))
        try:
            try:
                done = run(double, act)
            except GradcliError as error:
                # What is made in single precision by name may not fit what is made in the precision that is usual.
                if ran or double.wide or isinstance(error, LimitError):
                    raise
                double.wide, done = True, False
            while not done:
                done = run(double, act)
        except GradcliError as error:
            if not (ran or isinstance(error, LimitError)) and _runs_in_single(program, run):
                error.notes = (*error.notes, _ONLY_IN_SINGLE)
            raise
    if options.float32 and not any(finding.fails(options) for finding in checked.findings):
        run(program, act_in_single)


def _runs_in_single(program: Program, run: Callable[[Program, Callable[[Subject], bool]], object]) -> bool:
    """Tell whether a program runs through in the precision that is usual."""
    try:
        run(in_single(program), lambda subject: True)
    except GradcliError:
        return False
    return True


def _is_all_single(program: Program, run: Callable[[Program, Callable[[Subject], bool]], object]) -> bool:
    """Tell whether a program, in the precision that is usual, has no number in double precision."""
    doubles: list[bool] = []

    def act(subject: Subject) -> bool:
        doubles.append(has_double(subject))
        return True

    try:
        run(in_single(program), act)
    except GradcliError:
        return False
    return not any(doubles)


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


def _check_in_halves(
    program: Program, options: Options, run: Callable[[Program, Callable[[Subject], bool]], object], checked: Checked
) -> None:
    """Check a program that casts to half precision without its casts, and then what these take from its gradients."""
    from .precision import half_loss

    true: list[half_loss.Gradients] = []
    with_casts = in_double(program)
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
        checked.findings = _in_both(checked.findings, found)
        return True

    run(in_double(program, wide=True), act)
    if not any(finding.fails(options) for finding in checked.findings):
        run(with_casts, beside)


def _allow(found: Iterable[Finding], options: Options) -> None:
    """Mark the exceptions that were named."""
    for finding in found:
        named = finding.verdict in options.allow
        finding.allowed = (finding.allowed or named) and not finding.passes(options)


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
            checked.findings = _united(checked.findings)
        _allow(checked.findings, options)
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
            checked.findings += [_not_judged(*pair, order, told) for pair in names]
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
            checked.findings = _united([*checked.findings, *hidden])
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


def _not_judged(output: str, input: str, order: int, why: Note) -> Finding:
    """A finding without a verdict, of an order that could not be looked at."""
    return Finding(output, input, order, Verdict.UNRESOLVED, [why])


def _in_both(double: list[Finding], single: list[Finding]) -> list[Finding]:
    """One finding for what was judged in both precisions: the graver, with the notes and the digits of both."""
    others = {(finding.output, finding.input): finding for finding in single}
    made = []
    for finding in double:
        other = others.pop((finding.output, finding.input), None) if finding.order == 1 else None
        if other is None:
            made.append(finding)
            continue
        graver, lesser = sorted((finding, other), key=lambda f: GRAVITY.index(f.verdict), reverse=True)
        graver.notes += [note for note in lesser.notes if note not in graver.notes]
        graver.digits = min((f.digits for f in (finding, other) if f.digits is not None), default=None)
        made.append(graver)
    return [*made, *others.values()]


def _united(found: list[Finding]) -> list[Finding]:
    """One finding for each output, input and order at the point itself: the gravest, with what the others say.

    What was found at another point follows; what there is to say of the given one stands with that, too.
    """
    made: dict[tuple[str, str, int], Finding] = {}
    other: list[Finding] = []
    for finding in found:
        key = finding.output, finding.input, finding.order
        if finding.verdict is Verdict.UNCOVERED:
            other.append(finding)
        elif any(note.kind is NoteKind.ELSEWHERE for note in finding.notes):
            other.append(finding)
            # A function alone, in another shape, is none of the program's outputs.
            if key in made:
                made[key].notes += [note for note in finding.notes if note.kind in _OF_THE_POINT]
        elif key not in made:
            made[key] = finding
        else:
            first, second = sorted((made[key], finding), key=lambda f: GRAVITY.index(f.verdict), reverse=True)
            first.notes += [note for note in second.notes if note not in first.notes]
            made[key] = first
    return [*made.values(), *other]

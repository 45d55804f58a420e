"""The whole check of one program: what is looked at, in which order, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ..engine.function import FunctionNode
from ..errors import GradcliError, InputError, LimitError
from ..spec.guard.garbage import sparing
from ..verdicts import Note, NoteKind
from . import budget
from .judging.entries import probe
from .judging.exact_tests import forwards, structural
from .judging.findings import Checked, Covered, Finding, Options, told_of_both_points
from .judging.hidden_paths import hidden_paths
from .judging.verdict import BLAMED, FAULTY, GRAVITY, TOLERATED, Verdict
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
from .replay.subject import Subject, custom, differentiated, of_program

if TYPE_CHECKING:
    from ..spec.language.machine import Machine
    from ..spec.program import Program
    from .blaming.blamer import Blamer
    from .moving.other_points import Elsewhere
    from .moving.program_branches import Branches

_ONLY_IN_SINGLE = "a check runs it in double precision, where it stops here; in single precision it runs through"

_WITHOUT_HALVES = "casts to half precision were left out, as single precision is; --dtype float32 tells what they cost"

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
    checked.notes.append(_left_out("what comes after that"))
    last = max(finding.order for finding in found)
    if last < options.order and not any(finding.fails(options) for finding in found):
        why = _left_out(f"order {last + 1}")
        found += [_not_judged(x.output, x.input, last + 1, why) for x in found if x.order == last]


def _left_out(what: str) -> Note:
    return Note(NoteKind.BUDGET, f"not looked at in {budget.allowed()}: {what}")


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
    mixes = not double.wide and not by_hand and names_both(program) and not casts_backward(program)
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
        _blamer(subject, np.random.default_rng(options.seed))(found)
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
            for found in _first_order(subject, options, rng, checked):
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


def _first_order(
    subject: Subject, options: Options, rng: np.random.Generator, checked: Checked
) -> Iterator[list[Finding]]:
    """Is the gradient right here, in each of the program's own functions alone, and elsewhere?"""
    found = probe(subject, options, rng, part=budget.ENTRIES)
    # What is wrong is known from here on, whatever it takes to find what is to blame.
    yield found
    blame = _blamer(subject, rng)
    beside = _settled(found, subject, options, rng, blame)
    if budget.is_spent():
        checked.notes.append(_left_out("each function alone, other points and branches"))
        return
    if differentiated(subject):
        from .blaming.each_function import wrong_differentiated

        inner, notes = wrong_differentiated(subject, rng, options.everywhere)
        checked.notes += notes
        found += inner
        yield inner
    own = any(isinstance(node, FunctionNode) for node in subject.nodes)
    if own and not any(finding.fails(options) for finding in found):
        from .blaming.each_function import wrong_functions

        local, notes = wrong_functions(subject, rng, options.everywhere)
        checked.notes += notes
        local = _new(local, found)
        blame(local)
        found += local
        yield local
    if own and not any(finding.fails(options) for finding in found):
        from .judging.tangents import wrong_tangents

        tangents, notes = wrong_tangents(subject, rng)
        checked.notes += notes
        found += tangents
        yield tangents
    # Beside a hole the graph is that of what the program computes; at it, masks may stand for it.
    hidden, notes = hidden_paths(beside or subject, rng)
    subject.is_made_good = any(note.kind is NoteKind.HOOK for note in notes)
    if any(note.kind is NoteKind.SWITCH for note in notes):
        from .replay.whole_program import affordable, whole

        if affordable(subject):
            # The graph shows one side only of what the program does here.
            hidden, notes = _probed(whole(subject), options, rng), []
    checked.notes += notes
    found += hidden
    yield hidden
    if budget.is_spent():
        checked.notes.append(_left_out("other points and branches"))
        return
    if _has_functions(subject) and not any(finding.fails(options) for finding in found):
        from .moving.other_points import elsewhere_findings

        def other_points(made: list[Finding]) -> Elsewhere:
            return elsewhere_findings(
                subject,
                rng,
                lambda there: _probed_elsewhere(there, options, rng),
                everywhere=options.everywhere,
                found=made,
            )

        yield from _searched(other_points, found, checked)
    decisions = subject.trace is not None and subject.trace.decisions
    if decisions and not any(finding.fails(options) for finding in found):
        from .moving.program_branches import branch_findings

        def other_sides(made: list[Finding]) -> Branches:
            return branch_findings(subject, rng, lambda there: _on_a_branch(there, options, rng), made)

        yield from _searched(other_sides, found, checked)
    if options.require_coverage:
        yield list(_not_covered(subject, checked.coverage))


def _searched(
    search: Callable[[list[Finding]], Elsewhere | Branches], found: list[Finding], checked: Checked
) -> Iterator[list[Finding]]:
    """Add to ``found`` what a search finds beside it, and give that: also if its time ends early."""
    made: list[Finding] = []
    try:
        more, notes, coverage = search(made)
    except LimitError:
        yield told_of_both_points(found, _new(made, found))
        raise
    checked.notes += [note for note in notes if note not in checked.notes]
    checked.coverage += coverage
    more = told_of_both_points(found, _new(more, found))
    yield more
    found += more


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
        _settled_in_time(found, subject, options, rng)
    return found


def _probed_elsewhere(there: Subject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """The same at another point, where nothing but a cast or a constant is to blame for lost digits."""
    from .blaming.lost_digits import loses_digits

    found = probe(there, options, rng)
    verdicts = {finding.verdict for finding in found}
    if verdicts & BLAMED or (Verdict.INACCURATE in verdicts and any(map(loses_digits, custom(there)))):
        _settled_in_time(found, there, options, rng)
    return found


def _settled_in_time(found: list[Finding], subject: Subject, options: Options, rng: np.random.Generator) -> None:
    """Find what is to blame, as far as there is time: what is known to be wrong is told in any case."""
    try:
        _settled(found, subject, options, rng, _blamer(subject, rng))
    except LimitError:
        if not any(finding.fails(options) for finding in found):
            raise


def _settled(
    found: list[Finding], subject: Subject, options: Options, rng: np.random.Generator,
    blame: Callable[[list[Finding]], None], order: int = 1,
) -> Subject | None:
    """Find what is to blame for what is wrong, unless a matrix is meant to be symmetric, or there is a hole.

    Of a hole, the program beside it.
    """
    if all(finding.passes(Options()) for finding in found):
        blame(found)
        return None
    from .doubts import in_doubt
    from .judging.holes import told_as_holes

    with _guessing(found, subject, rng), in_doubt(found, subject, options):
        if order == 1 and not options.everywhere:
            from .moving.meant_symmetric import told_as_symmetric

            told_as_symmetric(found, subject, rng)
        blame(found)
        return told_as_holes(found, subject, lambda there: probe(there, options, rng, order))


@contextmanager
def _guessing(found: list[Finding], subject: Subject, rng: np.random.Generator) -> Iterator[None]:
    """Say what may be to blame, where the time ends before that is known."""
    try:
        yield
    except LimitError:
        from .blaming.blamer import Blamer

        Blamer(subject, rng).guess(found)
        raise


def _has_functions(subject: Subject) -> bool:
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
            told = Note(NoteKind.HOOK, _MADE_GOOD) if subject.is_made_good else _left_out(f"order {order}")
            names = [(y.name, x.name) for y in subject.outputs for x in subject.inputs]
            checked.findings += [_not_judged(*pair, order, told) for pair in names]
            return
        base, subject = subject, derived(subject, seed=options.seed)
        derivative = subject
        if not subject.outputs:
            return
        found = probe(subject, options, rng, order, budget.ANYTHING)
        checked.findings += found
        _settled(found, subject, options, rng, _blamer(subject, rng), order)
        if beyond and not any(finding.fails(options) for finding in found):
            # Numbers beside the graph may cancel in the order below, and not in this one.
            hidden, notes = hidden_paths(derivative, rng)
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


def _not_judged(output: str, input: str, order: int, why: Note) -> Finding:
    """A finding without a verdict, of an order that could not be looked at."""
    return Finding(output, input, order, Verdict.UNRESOLVED, [why])


def _blamer(subject: Subject, rng: np.random.Generator) -> Callable[[list[Finding]], None]:
    """A function that says which op is to blame for what is wrong: each op is looked at once, and none without need."""
    made: list[Blamer] = []

    def blame(found: list[Finding]) -> None:
        if any(finding.verdict in FAULTY for finding in found):
            from .blaming.blamer import Blamer

            made[:] = made or [Blamer(subject, rng)]
            made[0].blame(found)

    return blame


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

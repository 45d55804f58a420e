"""The whole check of one program: what is looked at, in which order, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import GradcliError, InputError
from ..verdicts import Note, NoteKind
from .blaming.each_op import LocalFault, wrong_nodes
from .blaming.locate import Locator
from .blaming.lost_digits import lost_digits
from .blaming.where_written import written
from .judging import budget
from .judging.composed_kinks import accept, has_kink_along_all
from .judging.entries import probe
from .judging.exact_tests import structural
from .judging.findings import Checked, Covered, Finding, Options
from .judging.hidden_paths import hidden_paths
from .judging.higher_orders import derived
from .judging.holes import told_as_holes
from .judging.symmetry import symmetry
from .judging.tangents import wrong_tangents
from .judging.verdict import BLAMED, GRAVITY, TOLERATED, Verdict
from .moving.branches import custom
from .moving.meant_symmetric import told_as_symmetric
from .moving.other_points import elsewhere_findings
from .moving.other_shapes import functions_alone
from .moving.program_branches import branch_findings
from .moving.within_reach import first_input, is_within_reach
from .replay.assumed_by_program import assumption_notes
from .replay.in_double import has_single, in_double
from .replay.plan import Unreplayable
from .replay.subject import Subject, of_program
from .replay.whole_program import affordable, whole

if TYPE_CHECKING:
    from ..spec.language.machine import Machine
    from ..spec.program import Program

# What is special about the given point.
_OF_THE_POINT = frozenset({NoteKind.BRANCH_UNCOVERED, NoteKind.DEGENERATE_POINT, NoteKind.DEGENERATE_SHAPE})

# What is off by more error bars than these, and by more of its size, did not come of rounding alone.
_BARS, _ROUNDED = 64, 2.0**-46

# What an op can be to blame for.
_FAULTY = BLAMED | {Verdict.INACCURATE}


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
        _check(program, options, started, checked)
    except GradcliError as error:
        checked.failure = error
        if error.code == "E401" and budget.is_spent(0):
            _end_early(error, checked, options)
    finally:
        _allow(checked.findings, options)
        checked.seconds = time.perf_counter() - begun
    return checked


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
        found += [_not_judged(x.output, x.input, last + 1) for x in found if x.order == last]


def _left_out(what: str) -> Note:
    return Note(NoteKind.BUDGET, f"not looked at in {budget.allowed()}: {what}")


def _check(program: Program, options: Options, started: Callable[[Machine], None] | None, checked: Checked) -> None:
    def run(program: Program, act: Callable[[Subject], bool]) -> bool:
        return of_program(program, output=options.output, wrt=options.wrt, started=started, act=act)

    def act(subject: Subject) -> bool:
        """Check what was recorded, unless the program has to be recorded again, all in double precision."""
        if not double.wide and has_single(subject):
            return False
        budget.begin()
        if options.claims or options.claim_from is not None:
            from .judging import hand_claims

            checked.findings += hand_claims.judged(subject, double, options, np.random.default_rng(options.seed))
            if options.order > 1:
                checked.notes.append(Note(NoteKind.ORDER, "a claim is about the first derivative: no other was judged"))
        else:
            check_subject(subject, options, checked)
        return True

    def act_in_single(subject: Subject) -> bool:
        from .judging import float32_loss

        found, notes = float32_loss.judged(subject, options.seed)
        checked.findings = _in_both(checked.findings, found)
        checked.notes += notes
        return True

    double = in_double(program)
    if not run(double, act):
        double.wide = True
        run(double, act)
    if options.float32 and not any(finding.fails(options) for finding in checked.findings):
        run(program, act_in_single)


def _allow(found: Iterable[Finding], options: Options) -> None:
    """Mark the exceptions that were named."""
    for finding in found:
        finding.allowed = finding.verdict in options.allow and not finding.passes(options)


def check_subject(subject: Subject, options: Options, checked: Checked) -> None:
    """Check what one run of a program has recorded, order by order; what is found stands in ``checked``."""
    rng = np.random.default_rng(options.seed)
    checked.inputs = len(subject.inputs)
    checked.backward = subject.which
    checked.numbers = sum(a.size for a in subject.at)
    try:
        found, notes = structural(subject, rng)
        checked.notes += [*notes, *assumption_notes(subject)]
        checked.findings += found
        if any(finding.verdict is Verdict.NONDETERMINISTIC for finding in found):
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


def _first_order(
    subject: Subject, options: Options, rng: np.random.Generator, checked: Checked
) -> Iterator[list[Finding]]:
    """Is the gradient right here, in each of the program's own functions alone, and elsewhere?"""
    found = probe(subject, options, rng, part=budget.ENTRIES)
    # What is wrong is known from here on, whatever it takes to find what is to blame.
    yield found
    locator = Locator(subject, rng)
    _blame(found, subject, locator)
    if not options.everywhere:
        told_as_symmetric(found, subject, rng)
    beside = told_as_holes(found, subject, lambda there: probe(there, options, rng))
    if budget.is_spent():
        checked.notes.append(_left_out("each function alone, other points and branches"))
        return
    if not any(finding.fails(options) for finding in found):
        local, notes = _functions(subject, rng, options.everywhere)
        checked.notes += notes
        known = {finding.input for finding in found if finding.verdict is Verdict.INACCURATE}
        local = [x for x in local if x.verdict not in TOLERATED or x.input not in known]
        _blame(local, subject, locator)
        found += local
        yield local
    if not any(finding.fails(options) for finding in found):
        tangents, notes = wrong_tangents(subject, rng)
        checked.notes += notes
        found += tangents
        yield tangents
    # Beside a hole the graph is that of what the program computes; at it, masks may stand for it.
    hidden, notes = hidden_paths(beside or subject, rng)
    if any(note.kind is NoteKind.SWITCH for note in notes) and affordable(subject):
        # The graph shows one side only of what the program does here.
        hidden, notes = _probed(whole(subject), options, rng), []
    checked.notes += notes
    found += hidden
    yield hidden
    if budget.is_spent():
        checked.notes.append(_left_out("other points and branches"))
        return
    if not any(finding.fails(options) for finding in found):
        elsewhere, notes, coverage = elsewhere_findings(
            subject, rng, lambda there: _probed(there, options, rng), everywhere=options.everywhere
        )
        checked.notes += notes
        checked.coverage += coverage
        yield elsewhere
        found += elsewhere
    if not any(finding.fails(options) for finding in found):
        branches = branch_findings(subject, rng, lambda there: _on_a_branch(there, options, rng))
        checked.notes += [note for note in branches.notes if note not in checked.notes]
        checked.coverage += branches.coverage
        yield branches.findings
    if options.require_coverage:
        yield list(_not_covered(subject, checked.coverage))


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
    if any(finding.verdict in _FAULTY for finding in found):
        _blame(found, subject, Locator(subject, rng))
        if not options.everywhere:
            told_as_symmetric(found, subject, rng)
        told_as_holes(found, subject, lambda there: probe(there, options, rng))
    return found


def _on_a_branch(there: Subject, options: Options, rng: np.random.Generator) -> list[Finding]:
    """Find what is wrong where the program decides otherwise: of ops of gradcli alone, only paths around the graph."""
    found: list[Finding] = []
    if custom(there):
        found = _probed(there, options, rng)
        if not any(finding.fails(options) for finding in found):
            found += functions_alone(there, rng, everywhere=options.everywhere)
    return [*found, *hidden_paths(there, rng).findings]


def _higher_orders(subject: Subject, options: Options, rng: np.random.Generator, checked: Checked) -> None:
    """Each order is judged against the gradient of the order below: as far as that is right."""
    for order in range(2, options.order + 1):
        if any(finding.fails(options) for finding in checked.findings):
            checked.notes.append(
                Note(NoteKind.ORDER, f"order {order} was not judged, since order {order - 1} is wrong")
            )
            return
        if budget.is_spent():
            names = [(y.name, x.name) for y in subject.outputs for x in subject.inputs]
            checked.findings += [_not_judged(*pair, order) for pair in names]
            return
        subject = derivative = derived(subject, seed=options.seed)
        if not subject.outputs:
            return
        found = probe(subject, options, rng, order, budget.ANYTHING)
        checked.findings += found
        _blame(found, subject, Locator(subject, rng))
        told_as_holes(found, subject, lambda there, k=order: probe(there, options, rng, k))  # type: ignore[misc]
        for finding in found:
            finding.notes += derivative.notes() if finding.fails(options) else []
        for pair in symmetry(derivative, seed=options.seed):
            if not pair.holds:
                checked.notes.append(
                    Note(NoteKind.ASYMMETRIC, f"{pair.output} depends on the order of differentiation")
                )


def _not_judged(output: str, input: str, order: int) -> Finding:
    """A finding without a verdict, of an order that there was no time for."""
    return Finding(output, input, order, Verdict.UNRESOLVED, [_left_out(f"order {order}")])


def _blame(found: Iterable[Finding], subject: Subject, locator: Locator) -> None:
    """Say which op is to blame for what is wrong."""
    outputs = {y.name: i for i, y in enumerate(subject.outputs)}
    inputs = {x.name: i for i, x in enumerate(subject.inputs)}
    for finding in found:
        if finding.verdict not in _FAULTY or finding.node is not None:
            continue
        grave = finding.verdict not in TOLERATED
        located = locator.locate(outputs[finding.output], inputs[finding.input], grave=grave)
        if located.kinked and finding.order == 1 and has_kink_along_all(subject, finding, locator.rng):
            accept(finding, located.sentence or "")
            continue
        finding.node = located.culprit
        finding.signature = finding.signature or located.signature
        if located.sentence is not None:
            finding.notes.append(Note(NoteKind.LOCATED, located.sentence))
        if finding.node is not None and finding.node.source is not None:
            finding.span = finding.node.source
    _note_digits(found, subject)


def _note_digits(found: Iterable[Finding], subject: Subject) -> None:
    """Say which cast or constant costs digits where a gradient is inaccurate."""
    for finding in found:
        if finding.verdict is not Verdict.INACCURATE or finding.node is None:
            continue
        node = next((x for x in subject.nodes if subject.id_of(x) == finding.node.id), None)
        backward = None if node is None else written(node)
        if backward is not None:
            finding.notes += [
                note
                for words, place in lost_digits(backward.node)
                if (note := Note(NoteKind.DIGITS, f"{words}, at line {place.lineno}")) not in finding.notes
            ]


def _functions(subject: Subject, rng: np.random.Generator, everywhere: bool) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong in a function of the program's own, though the gradient that arrives here hides it.

    And what is wrong of it only where the program does not go.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    for fault in wrong_nodes(subject.nodes, rng, [y.tensor._node for y in subject.outputs], own=True):
        name = first_input(subject, fault.node, fault.slot)
        slight = fault.verdict in TOLERATED
        if name is None or (slight and not _is_clearly_off(fault)):
            continue
        called = subject.id_of(fault.node)
        if not (everywhere or is_within_reach(subject, fault.node, fault.slot, rng)):
            notes.append(
                Note(
                    NoteKind.OUT_OF_REACH,
                    f"{called} is wrong with respect to {fault.argument} alone, along directions in which "
                    "the program does not move it",
                )
            )
            continue
        finding = Finding(subject.outputs[0].name, name, 1, fault.verdict)
        how = "inaccurate" if slight else "wrong"
        finding.notes.append(
            Note(NoteKind.LOCAL, f"right for the gradient that arrives at {called} here, {how} for others")
        )
        finding.worst, finding.table = fault.worst, [fault.worst]
        finding.entries = finding.wrong_entries = 1
        found.append(finding)
    return found, notes


def _is_clearly_off(fault: LocalFault) -> bool:
    """Tell what is off by more than rounding brings about: a cast, an approximation, a coarse constant."""
    judged = fault.worst.judged
    return fault.verdict is Verdict.INACCURATE and judged.bars_away > _BARS and judged.off > _ROUNDED


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

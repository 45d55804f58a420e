"""Claims that are off at just one point: a hole in the formula of a derivative, and no wrong derivative.

The formula of sin(x) / x overflows at 1e-320, and the second derivative of sinc is 0 / 0 at 0. Around such a point the
same formula is right. Where claims are no numbers all around, a program computes what it should not. A claim that is a
number is such a hole where the program has no Functions of its own and the order is above 1: the second derivative of
abs(x) ** 2 is 0 at 0, for PyTorch takes that of abs to be so. And what one of PyTorch's ops alone is to blame for is
one where numbers that it computes are too small or too large for double precision, and right where the inputs are
nearer to 1: atan2 squares 1e-200, and 1e200.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ....engine.function import FunctionNode
from ....engine.tape.entry import entry_of
from ....errors import raised_by_program
from ....verdicts import Note, NoteKind
from ...arrays import Array
from ...replay.plan import Unreplayable
from ...replay.subject import Subject, Unrepeatable
from ..findings import Finding, Options
from ..higher_orders import Derivative
from ..verdict import BLAMED, PASSES, TOLERATED, UNDECIDED, Verdict

# How far off is looked, of each number or of 1 where that is smaller, and to which sides where a number is zero.
_BESIDE, _SIDES = (2.0**-3, 2.0**-7), (1.0, -1.0)
# The powers of sizes that bring them nearer to 1.
_NEARER = 0.25, 0.125
# The square of a larger number overflows, and that of the inverse vanishes.
_LARGE = 2.0**500
_NO_NUMBER = "the gradient is no number at just this point, and right around it"
_OFF = "PyTorch's formula for this derivative is off at just this point, and right around it"
_OUT_OF_RANGE = "too small or too large for double precision is what {} computes here; right with inputs nearer to 1"
_GOOD = (PASSES | TOLERATED | UNDECIDED) - {Verdict.INFINITE_SLOPE}


def told_as_holes(
    found: Iterable[Finding],
    subject: Subject,
    judged_by: Callable[[Subject], list[Finding]],
) -> Subject | None:
    """Make the findings undecided that are of holes here, and right around here; where that is, if any is.

    ``judged_by``: the findings of the program at another point. A backward of the program's own is to blame for what it
    divides by zero.
    """
    program = _program(subject)
    own = _has_own(program)
    asked = [x for x in found if _is_asked(x, own)]
    holes: list[Finding] = []
    beside = None
    if asked:
        points = list(_around(subject))
        holes = _right_at(points, asked, judged_by)
        beside = points[0] if holes else None
        for finding in holes:
            _tell(finding, _NO_NUMBER if _is_no_number(finding) else _OFF)
    out = [x for x in found if x not in holes and _is_out_of_range(x, program)]
    if out:
        points = list(_nearer(subject))
        for finding in _right_at(points, out, judged_by):
            assert finding.node is not None
            _tell(finding, _OUT_OF_RANGE.format(finding.node.name))
    return beside


def may_be_a_hole(finding: Finding, subject: Subject) -> bool:
    """Tell whether something will be told as a hole if it is right around the point."""
    program = _program(subject)
    return _is_asked(finding, _has_own(program)) or _is_at_the_ends(finding, program)


def _program(subject: Subject) -> Subject:
    """Go down to the program that a subject is a derivative of."""
    while isinstance(subject, Derivative):
        subject = subject.base
    return subject


def _has_own(program: Subject) -> bool:
    return any(isinstance(node, FunctionNode) for node in program.nodes)


def _is_asked(finding: Finding, own: bool) -> bool:
    """Tell whether a finding may be of a hole; ``own``: there are custom Functions."""
    return _is_no_number(finding) or (finding.order > 1 and not own and finding.verdict in BLAMED)


def _right_at(
    points: Sequence[Subject], asked: Iterable[Finding], judged_by: Callable[[Subject], list[Finding]]
) -> list[Finding]:
    """The findings that are right at all of some points."""
    judged = [judged_by(there) for there in points]
    return [x for x in asked if judged and all(_is_right(x, there) for there in judged)]


def _tell(finding: Finding, words: str) -> None:
    finding.verdict = Verdict.DOMAIN
    finding.node = finding.signature = None
    finding.notes = [note for note in finding.notes if note.kind is not NoteKind.LOCATED]
    finding.notes.append(Note(NoteKind.DOMAIN, words))


def _nearer(subject: Subject) -> Iterator[Subject]:
    """The program where its numbers are nearer to 1, as far as it is defined there."""
    for power in _NEARER:
        moved = [np.sign(a) * np.abs(a) ** power if a.dtype.kind == "f" else a for a in subject.at]
        yield from _defined_at(subject, moved)


def _around(subject: Subject) -> Iterator[Subject]:
    """The program at points around this one at which it is defined."""
    for part in _BESIDE:
        for side in _SIDES:
            yield from _defined_at(subject, [_moved(a, part, side) for a in subject.at])


def _defined_at(subject: Subject, arrays: list[Array]) -> Iterator[Subject]:
    """The program at a point, if it is defined there."""
    try:
        there = subject.recorded_at(arrays)
    except (Unrepeatable, Unreplayable):
        return
    except raised_by_program():
        return
    if all(np.isfinite(y).all() for y in there.numbers):
        yield there


def _is_no_number(finding: Finding) -> bool:
    """Tell whether all that is wrong with a gradient is that it is nan or infinite, by no fault of a Function's own."""
    own = finding.node is not None and finding.node.applied is not None
    if own or finding.passes(Options()) or finding.verdict in _GOOD:
        return False
    blamed = [x.judged for x in finding.table if x.judged.verdict not in _GOOD]
    return bool(blamed) and not any(np.isfinite(x.claimed) for x in blamed)


def _is_out_of_range(finding: Finding, program: Subject) -> bool:
    """Tell whether an op of PyTorch's is to blame for a claim, where numbers are at the ends of double precision."""
    blamed = finding.node is not None and finding.node.applied is None
    return blamed and _is_at_the_ends(finding, program)


def _is_at_the_ends(finding: Finding, program: Subject) -> bool:
    """Tell whether numbers are at the ends of double precision where a claim is wrong.

    What is infinite on the program's own way is the program's.
    """
    if finding.verdict is not Verdict.WRONG:
        return False
    made = [a for node in program.nodes if (entry := entry_of(node)) is not None for a in entry.outputs]
    sizes = [np.abs(a) for a in (*program.at, *made) if a is not None]
    if not all(np.isfinite(a).all() for a in sizes):
        return False
    no_number = any(not np.isfinite(x.judged.claimed) for x in finding.table)
    return no_number or any(np.any(a > _LARGE) or np.any((a > 0) & (a < 1 / _LARGE)) for a in sizes)


def _moved(a: Array, part: float, side: float) -> Array:
    """The numbers of an input a little further from zero, each by an amount of its own; zeros to one side."""
    if a.dtype.kind != "f":
        return a
    apart = np.linspace(1.0, 0.5, a.size).reshape(a.shape)
    return np.asarray(a + np.where(a == 0, side, np.sign(a)) * part * apart * np.maximum(np.abs(a), 1.0))


def _is_right(finding: Finding, there: Iterable[Finding]) -> bool:
    same = [x for x in there if (x.output, x.input) == (finding.output, finding.input)]
    return bool(same) and all(x.passes(Options()) for x in same)

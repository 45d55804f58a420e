"""Claims that are off at just one point: a hole in the formula of a derivative, and no wrong derivative.

The formula of sin(x) / x overflows at 1e-320, and the second derivative of sinc is 0 / 0 at 0. Around such a point the
same formula is right. Where claims are no numbers all around, a program computes what it should not. A claim that is a
number is such a hole only where one of PyTorch's ops alone is to blame, and what that computes is too small or too
large for a number of double precision: atan2 of 1e-200 squares it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...errors import raised_by_program
from ...verdicts import Note, NoteKind
from ..replay.plan import Unreplayable
from ..replay.subject import Subject, Unrepeatable
from .findings import Finding, Options
from .verdict import PASSES, TOLERATED, UNDECIDED, Verdict

Array = np.ndarray[Any, Any]

# How far off is looked, of each number or of 1 where that is smaller, and to which sides where a number is zero.
_BESIDE, _SIDES = (2.0**-3, 2.0**-7), (1.0, -1.0)
_TOLD = "the gradient is no number at just this point, and right around it"
_OUT_OF_RANGE = "too small or too large for double precision is what {} computes at just this point; right around it"
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
    asked = [finding for finding in found if _is_no_number(finding) or _is_out_of_range(finding, subject)]
    if not asked:
        return None
    around = list(_around(subject))
    judged = [judged_by(there) for there in around]
    holes = [x for x in asked if judged and all(_is_right(x, there) for there in judged)]
    for finding in holes:
        told = _TOLD if finding.node is None or _is_no_number(finding) else _OUT_OF_RANGE.format(finding.node.name)
        finding.verdict = Verdict.DOMAIN
        finding.node = finding.signature = None
        finding.notes = [note for note in finding.notes if note.kind is not NoteKind.LOCATED]
        finding.notes.append(Note(NoteKind.DOMAIN, told))
    return around[0] if holes else None


def _around(subject: Subject) -> Iterator[Subject]:
    """The program at points around this one at which it is defined."""
    for part in _BESIDE:
        for side in _SIDES:
            try:
                there = subject.recorded_at([_moved(a, part, side) for a in subject.at])
            except (Unrepeatable, Unreplayable):
                continue
            except raised_by_program():
                # It need not be defined there.
                continue
            if all(np.isfinite(y).all() for y in there.numbers):
                yield there


def _is_no_number(finding: Finding) -> bool:
    """Tell whether all that is wrong with a gradient is that it is nan or infinite, by no fault of a Function's own."""
    own = finding.node is not None and finding.node.applied is not None
    if own or finding.passes(Options()) or finding.verdict in _GOOD:
        return False
    blamed = [x.judged for x in finding.table if x.judged.verdict not in _GOOD]
    return bool(blamed) and not any(np.isfinite(x.claimed) for x in blamed)


def _is_out_of_range(finding: Finding, subject: Subject) -> bool:
    """Tell whether an op of PyTorch's is to blame for a claim, and numbers under- or overflow on the way to that."""
    if finding.verdict is not Verdict.WRONG or finding.node is None or finding.node.applied is not None:
        return False
    asked = [there.name == finding.output for there in subject.outputs]
    weights = [np.full(y.shape, float(one)) for y, one in zip(subject.numbers, asked, strict=True)]
    flags: list[str] = []
    with np.errstate(under="call", over="call", call=lambda kind, _: flags.append(kind)):
        subject.plan.outputs(subject.at)
        subject.claim(weights)
    return bool(flags)


def _moved(a: Array, part: float, side: float) -> Array:
    """The numbers of an input a little further from zero, each by an amount of its own; zeros to one side."""
    if a.dtype.kind != "f":
        return a
    apart = np.linspace(1.0, 0.5, a.size).reshape(a.shape)
    return np.asarray(a + np.where(a == 0, side, np.sign(a)) * part * apart * np.maximum(np.abs(a), 1.0))


def _is_right(finding: Finding, there: Iterable[Finding]) -> bool:
    same = [x for x in there if (x.output, x.input) == (finding.output, finding.input)]
    return bool(same) and all(x.passes(Options()) for x in same)

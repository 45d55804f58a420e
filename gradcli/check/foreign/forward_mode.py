"""The dot-product test of someone's function: what its forward mode and its backward say of one derivative.

Tangents that are pushed along a direction must weigh as much as what the backward makes of the weights. Where the two
do not fit, and the backward was found right, differences tell whether it is the forward mode that is wrong: at a kink
each may choose a slope of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..judging.findings import Culprit, Entry, Finding
from ..judging.one_derivative import judge
from ..judging.rows import Rows, rms
from ..judging.verdict import BLAMED, Judged, Verdict
from ..replay.line import flattened
from .border import raised_there, said
from .function import Misshapen
from .single import SingleProbe
from .subject import ForeignSubject
from .where import place_of

Direction = list[Array | None]
# The two sums fit where they differ by less than this of their parts, or by so many roundings of the precision.
_FITS, _ROUNDINGS = 1e-7, 64
_DOUBLE = 2.0**-52


def wrong_tangents(
    subject: ForeignSubject, unit: float, jvp: Any, name: str, rng: np.random.Generator
) -> tuple[Finding | None, Note | None]:
    """Find what is wrong with the forward mode of a function whose backward is right, or why it was not compared.

    ``jvp``: what somebody has written of it, to point at, and ``name``: how to call that.
    """
    rows = Rows(subject, rng, 1)
    moved = [_moved(a, rng) for a in subject.at]
    try:
        misfit = _misfit(subject, rows, list(moved), unit)
        if misfit is None or not misfit.any():
            return None, None
        # Each input alone, to name the one whose tangents are wrong.
        ways: list[tuple[int, Direction]] = [
            (k, [d if i == k else None for i, d in enumerate(moved)]) for k in range(len(moved))
        ]
        ways.append((0, list(moved)))
        for leaf, direction in ways:
            found = _judged(subject, rows, direction, unit, rng)
            if found is not None:
                return _finding(subject, leaf, *found, jvp, name), None
    except Misshapen as error:
        finding = Finding(subject.outputs[0].name, subject.inputs[0].name, 1, Verdict.TANGENT)
        finding.notes.append(Note(NoteKind.SHAPE, str(error)))
        finding.span = place_of(jvp)
        finding.node = Culprit(None, name, finding.span, subject.inputs[0].name)
        return finding, None
    except raised_there() as error:
        return None, Note(NoteKind.TANGENT, f"{name} stops, so no tangents were compared: {said(error)}")
    return None, None


def _moved(a: Array, rng: np.random.Generator) -> Array:
    """A random direction that moves each entry by its own size."""
    wide = np.abs(np.asarray(a, np.float64))
    return np.asarray(rng.standard_normal(a.shape) * np.where(wide == 0, rms(a), wide))


def _sums(subject: ForeignSubject, rows: Rows, direction: Direction) -> tuple[Array, Array, Array] | None:
    """For each row, the sums by the forward mode and by the backward, and the size of their parts."""
    pushed = subject.function.pushed(subject.at, direction)
    if pushed is None:
        return None
    flat = flattened(pushed)
    with np.errstate(all="ignore"):
        forward = np.array([rows.sum(row, flat) for row in rows.rows])
        size = np.array([np.sqrt(rows.squares(row, flat)) for row in rows.rows])
        for lines, d in zip(rows.claims, direction, strict=True):
            if d is not None:
                size = size + np.abs(lines) @ np.abs(d).reshape(-1)
    return forward, rows.claim_along(direction), size


def _misfit(subject: ForeignSubject, rows: Rows, direction: Direction, unit: float) -> Array | None:
    """Tell for each row whether the sums do not fit; None of a function without a forward mode."""
    found = _sums(subject, rows, direction)
    if found is None:
        return None
    forward, backward, size = found
    with np.errstate(invalid="ignore"):
        apart = np.abs(forward - backward) > max(_FITS, _ROUNDINGS * unit) * size
    return np.asarray(np.isfinite(size) & (apart | ~np.isfinite(forward)))


def _judged(
    subject: ForeignSubject, rows: Rows, direction: Direction, unit: float, rng: np.random.Generator
) -> tuple[Judged, float, float] | None:
    """The worst verdict of differences on the tangents along a direction; None where nothing is wrong with them."""
    misfit = _misfit(subject, rows, direction, unit)
    found = _sums(subject, rows, direction)
    if misfit is None or found is None or not misfit.any():
        return None
    forward, backward, _ = found
    if unit > _DOUBLE:
        judged = SingleProbe(subject, unit, rng).along_direction(direction, forward)
    else:
        judged = judge(rows.line(direction), forward)
    for i in np.flatnonzero(misfit).tolist():
        if judged[i].verdict in BLAMED:
            return judged[i], float(forward[i]), float(backward[i])
    return None


def _finding(
    subject: ForeignSubject, leaf: int, judged: Judged, forward: float, backward: float, jvp: Any, name: str
) -> Finding:
    called = subject.inputs[leaf].name
    made = Finding(subject.outputs[0].name, called, 1, Verdict.TANGENT)
    made.worst = Entry((), 0.0, judged._replace(verdict=Verdict.TANGENT), along=True)
    made.entries = int(np.size(subject.at[leaf]))
    made.span = place_of(jvp) or subject._span
    made.node = Culprit(None, name, made.span, called)
    words = f"the jvp comes to {forward:.6g}, the backward to {backward:.6g} along the same direction"
    made.notes.append(Note(NoteKind.LOCATED, words))
    return made


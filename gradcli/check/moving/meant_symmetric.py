"""Custom Functions that are meant for symmetric matrices, and say so nowhere: a solver by conjugate gradients is one.

Moved by one entry alone such a matrix is symmetric no more, and what the solver does then is none of its business. Two
things show that: along all that keeps the matrix symmetric its gradient is right; and where the matrix is not symmetric
from the start, its gradient is wrong even along such directions, so it relies on it. A gradient that is only transposed
by mistake is right there, and stays a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...errors import raised_by_program
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..judging.findings import Entry, Finding, Options
from ..judging.one_derivative import judge
from ..judging.verdict import GRAVITY, PASSES, TOLERATED, Judged
from ..replay.custom_function.inside_function import FORWARD, inside
from ..replay.line import Line
from ..replay.plan import Unreplayable
from ..replay.subject import Subject, Unrepeatable, custom
from ..slopes.all_ways import slopes
from ..slopes.differences import SAFETY
from ..slopes.magnitude import rms
from .similar_numbers import is_symmetric

# Along so many directions it has to be right. At so many points it may be right to this at none, and has to be wrong by
# the last at one, of its size.
_DIRECTIONS, _POINTS, _RIGHT, _FAR = 3, 3, 1e-6, 1e-3
# What is mirrored but for so much of its size is symmetric.
_ROUNDED = 2.0**-40
# How far from symmetric these points are, of what is usual in the matrix.
_APART = 0.3
_TOLD = "right as long as {} stays symmetric, which {} relies on"


def is_mirrored(a: Array) -> bool:
    """Tell whether a matrix is symmetric by intent, and no diagonal that is so by the way."""
    return is_symmetric(a) and bool(np.any(a != np.eye(a.shape[-1]) * a))


def mirrored(d: Array) -> Array:
    """The symmetric part of square matrices."""
    return np.asarray((d + np.swapaxes(d, -1, -2)) / 2)


def told_as_symmetric(found: Iterable[Finding], subject: Subject, rng: np.random.Generator) -> None:
    """Accept the gradients with respect to symmetric matrices that Functions rely on to be that, and note it."""
    if custom(subject):
        told_where_meant(found, subject, rng, "a Function on the way", lambda leaf: is_meant_symmetric(subject, leaf))


def told_where_meant(
    found: Iterable[Finding], subject: Subject, rng: np.random.Generator, who: str, is_meant: Callable[[int], bool]
) -> None:
    """Accept what is right along directions in which a matrix stays symmetric, if it is meant to be that."""
    for finding in found:
        leaf = _leaf(finding, subject)
        if leaf is None:
            continue
        root = next(i for i, y in enumerate(subject.outputs) if y.name == finding.output)
        judged = _along_symmetric(subject, root, leaf, rng)
        if judged is not None and is_meant(leaf):
            worst = max(judged, key=lambda j: GRAVITY.index(j.verdict))
            finding.verdict, finding.digits = worst.verdict, min((j.digits or 0.0 for j in judged), default=None)
            finding.signature = None
            finding.worst = Entry((), float(np.max(subject.at[leaf])), worst, None, along=True)
            finding.table, finding.wrong_entries = [finding.worst], 0
            words = _TOLD.format(finding.input, who)
            finding.notes = [Note(NoteKind.SYMMETRIC, words)]


def may_be_meant_symmetric(finding: Finding, subject: Subject) -> bool:
    """Tell whether a finding will be accepted if a Function relies on a matrix to be symmetric."""
    return finding.order == 1 and _leaf(finding, subject) is not None and bool(custom(subject))


def _leaf(finding: Finding, subject: Subject) -> int | None:
    """The place of the input that something is to be said against, if it is a symmetric matrix."""
    if finding.passes(Options()) or finding.worst is None:
        return None
    leaf = next(i for i, x in enumerate(subject.inputs) if x.name == finding.input)
    return leaf if is_mirrored(subject.at[leaf]) else None


def _along_symmetric(subject: Subject, root: int, leaf: int, rng: np.random.Generator) -> list[Judged] | None:
    """The judgements along directions in which a matrix stays symmetric; None where one is not right."""
    made = []
    for _ in range(_DIRECTIONS):
        weights = [np.asarray(rng.standard_normal(a.shape) * (i == root)) for i, a in enumerate(subject.numbers)]
        judged = _judged(subject, weights, leaf, rng)
        if judged is None or judged.verdict not in PASSES | TOLERATED:
            return None
        made.append(judged)
    return made


def is_meant_symmetric(subject: Subject, leaf: int) -> bool:
    """Tell whether Functions rely on a matrix to be symmetric, and are written like that.

    Either the gradient is symmetric whatever arrives, or a forward decides by its numbers when to stop.
    """
    return (is_answer_mirrored(subject, leaf) or _decides(subject)) and relies_on_symmetry(subject, leaf)


def is_answer_mirrored(subject: Subject, leaf: int) -> bool:
    """Tell whether the gradient is symmetric whatever arrives."""
    rng = np.random.default_rng(0)
    for _ in range(_DIRECTIONS):
        try:
            with np.errstate(all="ignore"):
                claim = subject.claim([np.asarray(rng.standard_normal(a.shape)) for a in subject.numbers])[leaf]
        except raised_by_program():
            # A backward that refuses says nothing.
            return False
        if claim is None or np.abs(claim - mirrored(claim)).max() > _ROUNDED * np.abs(claim).max():
            return False
    return True


def _decides(subject: Subject) -> bool:
    """Tell whether the forward of some custom Function compares single numbers, or reads them as Python numbers."""
    for node in custom(subject):
        try:
            watch = inside(node, node.function, np.random.default_rng(0)).watch
        except raised_by_program():
            # A forward may raise anything when it is run again.
            continue
        if watch.reads or any(made.phase == FORWARD and made.holds.size == 1 for made in watch.comparisons):
            return True
    return False


def relies_on_symmetry(subject: Subject, leaf: int) -> bool:
    """Tell whether a gradient is wrong wherever a matrix is not symmetric, even along what would keep it so."""
    a = subject.at[leaf]
    # Whoever asks is told the same.
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(_POINTS):
        turned = rng.uniform(0.5, 1.0, a.shape) * rng.choice([-1.0, 1.0], a.shape)
        moved = a + _APART * rms(a) * (turned - np.swapaxes(turned, -1, -2)) / 2
        try:
            there = subject.recorded_at([moved if i == leaf else b for i, b in enumerate(subject.at)])
            weights = [np.asarray(rng.standard_normal(b.shape)) for b in there.numbers]
            line, claimed = _along(there, weights, leaf, rng)
            found = slopes(line)[0]
        except (Unrepeatable, Unreplayable):
            return False
        except raised_by_program():
            # A Function may refuse a matrix that is not symmetric: it relies on it, but this shows nothing.
            continue
        off, size = abs(claimed - found.value), max(abs(claimed), abs(found.value))
        if off <= _RIGHT * size:
            return False
        wrong += found.smooth and off > max(SAFETY * found.bar, _FAR * size)
    return wrong > 0


def _judged(subject: Subject, weights: Sequence[Array], leaf: int, rng: np.random.Generator) -> Judged | None:
    """The judgement of a claim along a random direction in which a symmetric matrix stays symmetric."""
    try:
        line, claimed = _along(subject, weights, leaf, rng)
    except raised_by_program():
        # A backward that refuses says nothing.
        return None
    return judge(line, np.array([claimed]))[0]


def _along(subject: Subject, weights: Sequence[Array], leaf: int, rng: np.random.Generator) -> tuple[Line, float]:
    """A random direction in which a symmetric matrix would stay symmetric, and what is claimed of it."""
    direction = mirrored(np.asarray(rng.standard_normal(subject.at[leaf].shape) * rms(subject.at[leaf])))
    with np.errstate(all="ignore"):
        claim = subject.claim(list(weights))[leaf]
    claimed = 0.0 if claim is None else float((np.asarray(claim) * direction).sum())
    return Line(subject.plan, [direction if i == leaf else None for i in range(len(subject.at))], weights), claimed

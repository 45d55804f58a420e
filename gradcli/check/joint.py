"""Kinks that several entries sit on together: the claim must be right along joint directions, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .classify import Kind
from .differences import SAFETY
from .judge import judge
from .slopes import Line, slopes
from .verdict import Judged, Verdict

Array = np.ndarray[Any, Any]
Direction = Sequence[Array | None]
MakeLine = Callable[[Direction], Line]

_RANDOM = 3
# How far a direction is turned to see how the slope changes, and how many entries are turned one after another.
_TURN = 0.25
_MOST_TURNED = 12

_WRONG = frozenset({Verdict.WRONG, Verdict.KINK_WRONG, Verdict.EDGE_WRONG})


def judge_joint(
    make_line: MakeLine,
    claim_along: Callable[[Direction], float],
    at: Sequence[Array],
    kinked: Sequence[tuple[int, int]],
    rng: np.random.Generator,
) -> Judged | None:
    """What is wrong along a joint direction of the kinked entries (leaf, flat index); None when nothing is.

    ``make_line``: the one output along a direction; ``claim_along``: what is claimed there; ``at``: the leaves. Where
    the direction is smooth the claim must match; at a kink it must lie between the slopes of the pieces that meet.
    """
    for words, weights in _directions(at, kinked, rng):
        direction = spread(at, kinked, weights)
        claim = claim_along(direction)
        judged = judge(make_line(direction), np.array([claim]))[0]
        if judged.verdict not in _WRONG:
            continue
        if judged.verdict is Verdict.KINK_WRONG and _between_pieces(make_line, at, kinked, weights, judged, rng):
            continue
        found = f"{judged.estimate:.6g}" if judged.left is None else f"between {judged.left:.6g} and {judged.right:.6g}"
        return judged._replace(
            verdict=Verdict.KINK_WRONG, note=f"{words} the claims add up to {claim:.6g}, the slope is {found}"
        )
    return None


def spread(at: Sequence[Array], kinked: Sequence[tuple[int, int]], weights: Array) -> list[Array | None]:
    """A direction that moves each kinked entry with its weight."""
    made: list[Array | None] = [None] * len(at)
    for (leaf, place), weight in zip(kinked, weights, strict=True):
        moved = made[leaf]
        if moved is None:
            moved = made[leaf] = np.zeros(at[leaf].shape)
        moved.reshape(-1)[place] = weight
    return made


def _directions(
    at: Sequence[Array], kinked: Sequence[tuple[int, int]], rng: np.random.Generator
) -> Iterator[tuple[str, Array]]:
    """The joint directions, as weights of the kinked entries, and how to speak of them."""
    yield "along all ones", np.ones(len(kinked))
    values = np.array([float(at[leaf].reshape(-1)[place]) for leaf, place in kinked])
    for value in np.unique(values):
        tied = values == value
        if 1 < tied.sum() < len(kinked):
            yield f"along the entries that are {value:.6g}", tied.astype(np.float64)
    for _ in range(_RANDOM):
        yield "along a random direction", rng.standard_normal(len(kinked))


def _between_pieces(
    make_line: MakeLine,
    at: Sequence[Array],
    kinked: Sequence[tuple[int, int]],
    weights: Array,
    judged: Judged,
    rng: np.random.Generator,
) -> bool:
    """Whether one of the smooth pieces that meet here has a slope along a direction as far off as the claim.

    A claim may be made of slopes of different pieces: relu(x) - relu(y) has 0 and 0 at the origin.
    """
    sign = np.sign(judged.claimed - judged.estimate)

    def excess(beside: Array) -> float:
        start = _one_sided(make_line(spread(at, kinked, beside)))
        end = _one_sided(make_line(spread(at, kinked, beside + _TURN * weights)))
        if start is None or end is None:
            return -np.inf
        slope, bar = (end[0] - start[0]) / _TURN, (end[1] + start[1]) / _TURN
        return float(sign * (slope - judged.claimed) + SAFETY * bar)

    size = float(np.max(np.abs(weights)))
    beside = rng.choice([-1.0, 1.0], len(kinked)) * (1 + rng.random(len(kinked))) * size
    best = excess(beside)
    for i in range(min(len(kinked), _MOST_TURNED)):
        if best >= 0:
            break
        turned = beside.copy()
        turned[i] = -turned[i]
        there = excess(turned)
        if there > best:
            beside, best = turned, there
    return best >= 0


def _one_sided(line: Line) -> tuple[float, float] | None:
    """The slope to the right of the point, and its bar."""
    right = slopes(line, complex_step=False)[0].right
    return (right.value, right.bar) if right.kind is Kind.LIMIT else None

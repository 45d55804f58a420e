"""Kinks that several entries sit on together: the claim must be right along joint directions, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...arrays import Array
from ...slopes.all_ways import Line, slopes, upper_slopes
from ...slopes.differences import SAFETY
from ...slopes.many_at_once import quick_steps, smooth_slopes
from ...slopes.one_sided import Kind
from ..one_derivative import judge
from ..verdict import BLAMED, Judged, Verdict

Direction = Sequence[Array | None]
MakeLine = Callable[[Direction], Line]

_RANDOM = 3
# How far a direction is turned to see how the slope changes, and how many entries are turned one after another.
_TURN = 0.25
_MOST_TURNED = 12
# And how many orders of the entries are tried.
_MOST_SHUFFLED = 24
# The parts of quick steps at which a few differences are taken.
_PARTS = 1.0, 2.0**-4
# Beside so many entries one is looked at that is wrong alone.
_MOST_TIED = 64


def judge_joint(
    make_line: MakeLine,
    claim_along: Callable[[Direction], float],
    at: Sequence[Array],
    kinked: Sequence[tuple[int, int]],
    rng: np.random.Generator,
) -> Judged | None:
    """Find what is wrong along a joint direction of the kinked entries (leaf, flat index); None when nothing is.

    ``make_line``: the one output along a direction; ``claim_along``: what is claimed there; ``at``: the leaves. The
    claim must lie between the slopes of the pieces that meet: also where a kink of one entry makes up for another's.
    """
    for words, weights in _directions(at, kinked, rng):
        direction = spread(at, kinked, weights)
        claim = claim_along(direction)
        judged = judge(make_line(direction), np.array([claim]))[0]
        if judged.verdict not in BLAMED or _between_pieces(make_line, at, kinked, weights, judged, rng):
            continue
        found = f"{judged.estimate:.6g}" if judged.left is None else f"between {judged.left:.6g} and {judged.right:.6g}"
        return judged._replace(
            verdict=Verdict.KINK_WRONG, note=f"{words} the claims add up to {claim:.6g}, the slope is {found}"
        )
    return None


def is_of_a_piece(
    make_line: MakeLine,
    at: Sequence[Array],
    entry: tuple[int, int],
    judged: Judged,
    rng: np.random.Generator,
) -> bool:
    """Tell whether the claim for one entry, wrong while it moves alone, may be the slope of a piece that ends here.

    The median of equal numbers does not change when one of them moves; a gradient goes to one of them, or to all.
    """
    if np.isnan(judged.claimed):
        # What is no number is the slope of no piece.
        return False
    leaf, place = entry
    values = at[leaf].reshape(-1)
    tied = np.flatnonzero(values == values[place])
    if len(tied) > 1:
        entries = [(leaf, int(i)) for i in tied]
    else:
        entries = [(i, j) for i, a in enumerate(at) for j in range(a.size)]
    near = [at_ for at_ in entries if at_ != entry]
    if not near:
        return False
    chosen = [entry, *(near[int(i)] for i in rng.permutation(len(near))[:_MOST_TIED])]
    weights = np.eye(len(chosen))[0]
    others = len(chosen) - 1
    # The entry lies between the others: so many of them on its one side, the rest on the other.
    counts = np.unique(np.linspace(0, others, _MOST_TURNED).astype(np.intp))
    for above in sorted(counts.tolist(), key=lambda count: abs(count - others / 2)):
        signs = np.where(rng.permutation(others) < above, 1.0, -1.0)
        beside = np.concatenate([[0.0], signs * (1 + rng.random(others))])
        if _excess(make_line, at, chosen, beside, weights, judged) >= 0:
            return True
    return False


def _excess(
    make_line: MakeLine,
    at: Sequence[Array],
    kinked: Sequence[tuple[int, int]],
    beside: Array,
    weights: Array,
    judged: Judged,
) -> float:
    """By how much the slope along ``weights``, a little away from the point, is farther off than the claim."""
    start, end = make_line(spread(at, kinked, beside)), make_line(spread(at, kinked, beside + _TURN * weights))
    reference = judged.estimate
    if judged.left is not None and judged.right is not None:
        reference = min((judged.left, judged.right), key=lambda side: abs(side - judged.claimed))
    sign = np.sign(judged.claimed - reference)
    # Where both are smooth, and the claim is far from what that makes, a few points tell.
    for one_sided in (_of_smooth, _of_upper, _one_sided):
        first = one_sided(start)
        last = None if first is None else one_sided(end)
        found = -np.inf
        if first is not None and last is not None:
            slope, bar = (last[0] - first[0]) / _TURN, (last[1] + first[1]) / _TURN
            found = float(sign * (slope - judged.claimed) + SAFETY * bar)
            if found < 0:
                break
    return found


def _of_smooth(line: Line) -> tuple[float, float] | None:
    """The slope at the point and its bar, where a few differences see a smooth function."""
    for part in _PARTS:
        steps, values = line.values(quick_steps(np.array([line.scale]), part)[0])
        slope, bar, smooth = smooth_slopes(steps[None], values[None], np.asarray(line.noise))
        if smooth.all():
            return float(slope[0, 0]), float(bar[0, 0])
    return None


def _of_upper(line: Line) -> tuple[float, float] | None:
    """The same, where the largest steps of a ladder do."""
    found = upper_slopes(line, np.arange(1))
    return None if found is None else (found[0].value, found[0].bar)


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
    """Tell whether one of the smooth pieces that meet here has a slope along a direction as far off as the claim.

    A claim may be made of slopes of different pieces: relu(x) - relu(y) has 0 and 0 at the origin. And relu6(x) +
    relu6(y) has 0 and 0 where x is 0 and y is 6, though it has a slope when both are moved alike.
    """

    def excess(beside: Array) -> float:
        return _excess(make_line, at, kinked, beside, weights, judged)

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
    # Which piece is on top may depend on the order of the numbers, not on their signs.
    return best >= 0 or any(excess(size * rng.standard_normal(len(kinked))) >= 0 for _ in range(_MOST_SHUFFLED))


def _one_sided(line: Line) -> tuple[float, float] | None:
    """The slope to the right of the point, and its bar."""
    right = slopes(line, complex_step=False)[0].right
    return (right.value, right.bar) if right.kind is Kind.LIMIT else None

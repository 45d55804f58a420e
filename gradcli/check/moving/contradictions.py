"""Sides of branches that contradict what was decided before: the other side of `elif x <= 1` behind `if x > 1`.

Two comparisons are of one number when their differences are the same, but for their sign and for a constant, at every
point that was looked at. Where the second is only asked when the first came out one way, that says how far the number
goes there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Key = tuple[int, ...]

# Differences that are as close as this, of what is compared, are one.
_ALIKE = 1e-12


class Came(NamedTuple):
    """A comparison of two numbers as it came out at a point: its difference, its size, and its outcome."""

    gap: float
    size: float
    outcome: bool


def is_contradicted(key: Key, seen: Sequence[Mapping[Key, Came]]) -> bool:
    """Tell whether the other side of a comparison contradicts another one that it is only asked behind.

    ``seen``: at each point that was looked at, how each comparison came out.
    """
    asked = [each for each in seen if key in each]
    return any(_contradicts(key, other, asked, seen) for other in {k for each in asked for k in each} - {key})


def _contradicts(key: Key, other: Key, asked: Sequence[Mapping[Key, Came]], seen: Sequence[Mapping[Key, Came]]) -> bool:
    if not all(other in each for each in asked):
        return False
    outcomes = {each[other].outcome for each in asked}
    # When the other one comes out otherwise, this one is not asked.
    if len(outcomes) != 1 or not any(other in each and each[other].outcome not in outcomes for each in seen):
        return False
    pairs = [(each[key].gap, each[other].gap) for each in asked]
    near = _ALIKE * max(max(each[key].size, each[other].size) for each in asked)
    if max(own for own, _ in pairs) - min(own for own, _ in pairs) <= near:
        # One point, or points at which nothing moved, tell of no relation.
        return False
    for sign in (1.0, -1.0):
        rests = [own - sign * before for own, before in pairs]
        if max(rests) - min(rests) <= near:
            # The difference of the other one is on one side of 0: on which side of the rest is then this one?
            own, before = pairs[0]
            return own * sign * before > 0 and rests[0] * own >= -near * abs(own)
    return False

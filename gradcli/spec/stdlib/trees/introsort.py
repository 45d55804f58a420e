"""The order in which scikit-learn sorts numbers: of equal ones it is its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps

# As many are put in their places one by one.
_FEW = 15


def in_its_order(values: Any) -> Any:
    """The places of numbers, the least first."""
    count = len(values)
    places = np.argsort(values, kind="stable")
    if count <= _FEW or not (values[places][1:] == values[places][:-1]).any():
        return places
    caps.tick(count * count.bit_length())
    return np.array(_parted(values.tolist(), 2 * (count.bit_length() - 1)))


def _parted(v: list[float], depth: int) -> list[int]:
    """The places of numbers, by parting them at one in their middle again and again."""
    places = list(range(len(v)))
    waiting = [(0, len(v), depth)]
    while waiting:
        start, end, depth = waiting.pop()
        while end - start > _FEW and depth > 0:
            depth -= 1
            pivot = sorted((v[start], v[start + (end - start) // 2], v[end - 1]))[1]
            at, low, high = start, start, end
            while at < high:
                x = v[at]
                if x < pivot:
                    v[at], v[low] = v[low], x
                    places[at], places[low] = places[low], places[at]
                    at += 1
                    low += 1
                elif x > pivot:
                    high -= 1
                    v[at], v[high] = v[high], x
                    places[at], places[high] = places[high], places[at]
                else:
                    at += 1
            waiting.append((start, low, depth))
            start = high
        # The few that are left, and what was parted too often, keep their order where they are equal.
        rest = sorted(range(start, end), key=v.__getitem__)
        v[start:end], places[start:end] = [v[i] for i in rest], [places[i] for i in rest]
    return places

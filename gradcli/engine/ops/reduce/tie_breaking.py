"""Which of several equal elements a selection picks.

Any of them would be right; PyTorch's choice follows from the steps of its selections, taken here one by
one. They are taken for small inputs only: in large ones the first of equal elements is picked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import Array

# Elements in all, up to which the steps are taken: from there on PyTorch itself sorts whole numbers in order.
SMALL = 32_767
# The length of a row up to which sorting keeps the order of equal elements.
SHORT = 16

Before = Callable[[Any, Any], bool]


def below(x: float, y: float) -> bool:
    """Tell whether x sorts before y; nan is the largest."""
    return x < y or (y != y and x == x)


def above(x: float, y: float) -> bool:
    """Tell whether x sorts before y from the largest down; nan is the largest."""
    return x > y or (x != x and y == y)


def rows(a: Array, d: int, take: Callable[[list[Any]], list[int]]) -> Array:
    """``take`` of each row along an axis, its places along the same axis."""
    moved = np.moveaxis(a, d, -1)
    found = [take(row) for row in moved.reshape(-1, moved.shape[-1]).tolist()]
    places = np.array(found, np.int64).reshape(*moved.shape[:-1], -1)
    return np.moveaxis(places, -1, d)


# -- the steps of the C++ library ------------------------------------------------------------


def partition_to(row: list[Any], nth: int, before: Before) -> list[int]:
    """The places of a row, put so that the one at ``nth`` is what sorting would put there."""
    at = list(range(len(row)))
    first, last = 0, len(at)
    while last - first > 3:
        cut = _partition(row, at, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    insertion_sort(row, at, first, last, before)
    return at


def _partition(row: list[Any], at: list[int], first: int, last: int, before: Before) -> int:
    """Put the median of three first, and what belongs before it on its side."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    x, y, z = row[at[a]], row[at[b]], row[at[c]]
    if before(x, y):
        middle = b if before(y, z) else c if before(x, z) else a
    else:
        middle = a if before(x, z) else c if before(y, z) else b
    at[first], at[middle] = at[middle], at[first]
    pivot = row[at[first]]
    i, j = first + 1, last
    while True:
        while before(row[at[i]], pivot):
            i += 1
        j -= 1
        while before(pivot, row[at[j]]):
            j -= 1
        if i >= j:
            return i
        at[i], at[j] = at[j], at[i]
        i += 1


def insertion_sort(row: list[Any], at: list[int], first: int, last: int, before: Before) -> None:
    """Sort a few places; equal elements keep their order."""
    for i in range(first + 1, last):
        place = at[i]
        j = i
        while j > first and before(row[place], row[at[j - 1]]):
            at[j] = at[j - 1]
            j -= 1
        at[j] = place


def sort(row: list[Any], at: list[int], first: int, last: int, before: Before) -> None:
    """Sort places: in parts until they are short, then by insertion."""
    pending = [(first, last)]
    while pending:
        low, high = pending.pop()
        while high - low > SHORT:
            cut = _partition(row, at, low, high, before)
            pending.append((cut, high))
            high = cut
    insertion_sort(row, at, first, last, before)


def heaped(row: list[Any], k: int, before: Before) -> list[int]:
    """The k first places in order, found by a heap of the k first so far."""
    heap = list(range(k))

    def sink(hole: int, n: int, place: int) -> None:
        top, child = hole, hole
        while child < (n - 1) // 2:
            child = 2 * (child + 1)
            if before(row[heap[child]], row[heap[child - 1]]):
                child -= 1
            heap[hole], hole = heap[child], child
        if not n % 2 and child == (n - 2) // 2:
            child = 2 * child + 1
            heap[hole], hole = heap[child], child
        while hole > top and before(row[heap[(hole - 1) // 2]], row[place]):
            heap[hole], hole = heap[(hole - 1) // 2], (hole - 1) // 2
        heap[hole] = place

    for parent in reversed(range(k // 2)):
        sink(parent, k, heap[parent])
    for place in range(k, len(row)):
        if before(row[place], row[heap[0]]):
            sink(0, k, place)
    for last in reversed(range(1, k)):
        place, heap[last] = heap[last], heap[0]
        sink(0, last, place)
    return heap


# -- the selections --------------------------------------------------------------------------


def top(k: int, largest: bool, sorted_: bool) -> Callable[[list[Any]], list[int]]:
    """The k first places in order from the largest (or smallest)."""
    before = above if largest else below

    def take(row: list[Any]) -> list[int]:
        if k * 64 <= len(row):
            return heaped(row, k, before)
        at = partition_to(row, k - 1, before)
        if sorted_:
            sort(row, at, 0, k - 1, before)
        return at[:k]

    return take


def sorted_(row: list[Any]) -> list[int]:
    """The places in sorted order; equal elements of a long row lose theirs."""
    at = list(range(len(row)))
    sort(row, at, 0, len(row), operator.lt)
    return at


def in_order(descending: bool) -> Callable[[list[Any]], list[int]]:
    """The places in sorted order, nan as the largest; equal elements of a long row lose theirs."""

    def take(row: list[Any]) -> list[int]:
        at = list(range(len(row)))
        before: Before = above if descending else below
        if all(x == x for x in row):
            before = operator.gt if descending else operator.lt
        sort(row, at, 0, len(row), before)
        return at

    return take


def kth(k: int) -> Callable[[list[Any]], list[int]]:
    """The place of the element that sorting would put at ``k``, by quick selection."""

    def take(row: list[Any]) -> list[int]:
        at = list(range(len(row)))

        def swap_if(i: int, j: int) -> None:
            if above(row[at[i]], row[at[j]]):
                at[i], at[j] = at[j], at[i]

        low, high = 0, len(at) - 1
        while high > low:
            if high == low + 1:
                swap_if(low, high)
                break
            middle = low + (high - low) // 2
            at[middle], at[low + 1] = at[low + 1], at[middle]
            swap_if(low + 1, high)
            swap_if(low, high)
            swap_if(low + 1, low)
            i, j, pivot = low + 1, high, row[at[low]]
            while True:
                i += 1
                while above(pivot, row[at[i]]):
                    i += 1
                j -= 1
                while above(row[at[j]], pivot):
                    j -= 1
                if j < i:
                    break
                at[i], at[j] = at[j], at[i]
            at[low], at[j] = at[j], at[low]
            if j <= k:
                low = i
            if j >= k:
                high = j - 1
        return [at[k]]

    return take

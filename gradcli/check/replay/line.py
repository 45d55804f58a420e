"""The outputs of a recorded graph as functions of one number: how far the leaves are moved along a direction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import raised_by_program
from ..arrays import Array
from .forward_rounding import Noise, noise_at
from .one_op import Change
from .plan import Plan

# How many bytes the numbers of all points that are computed at once may take.
CHUNK = 2**22
# What is smaller is no more than zero for whoever moves it.
_NORMAL = 2.0**-1000


class Line:
    """All outputs along one direction, f(x + t d), as m numbers; with ``weights`` the one number sum(w * f).

    ``direction`` has an array for each leaf, or None for one that stays where it is, ``weights`` one for each root.
    """

    def __init__(self, plan: Plan, direction: Sequence[Array | None], weights: Sequence[Array] | None = None) -> None:
        self._plan = plan
        self._weights = None if weights is None else flattened(weights)
        self._at = [widened(a) for a in plan.at]
        self._direction = [None if d is None or not np.any(d) else np.asarray(d, np.float64) for d in direction]
        self._moved = [d is not None for d in self._direction]
        self._entry = _entry(self._direction)
        self.scale = _scale(self._at, self._direction)
        self._noise: Array | None = None

    @property
    def size(self) -> int:
        """The count of the outputs' numbers."""
        return self._plan.size if self._weights is None else 1

    @property
    def moves_one_entry(self) -> bool:
        """True where one entry alone moves: by steps that are exact."""
        return self._entry is not None

    @property
    def noise(self) -> Array:
        """The rounding noise of the outputs at the point, and of moving the leaves where that rounds, too."""
        if self._noise is None:
            found: Noise = noise_at(self._plan, leaves=not self.moves_one_entry)
            self._noise = found.bound() if self._weights is None else found.weighted(self._weights)
        return self._noise

    def values(self, steps: Any) -> tuple[Array, Array]:
        """The steps as they are represented, and the outputs at each; not finite where there are none."""
        wanted = np.asarray(steps, np.float64)
        made = np.zeros((len(wanted), self._plan.size))
        for start, stop in _chunks(self._plan, self._moved, len(wanted)):
            given = self._moved_by(wanted[start:stop])
            made[start:stop] = _rows(self._plan, given, self._moved, stop - start)
        if self._entry is not None:
            leaf, index = self._entry
            x, d = self._at[leaf].reshape(-1)[index], np.asarray(self._direction[leaf]).reshape(-1)[index]
            wanted = ((x + wanted * d) - x) / d
        return wanted, self._combined(made)

    def imag(self, h: float, offsets: Any) -> Array | None:
        """Im f(x + s d + i h d) / h at each offset s; None when the forward cannot be read with complex numbers."""
        found = self.around(np.asarray(offsets, np.float64) + 1j * h)
        return None if found is None else np.imag(found) / h

    def imag_noise(self, h: float) -> Array:
        """Bound the distance that rounding may move Im f(x + i h d) / h by, as the graph shows it."""
        from .complex_rounding import imag_rounding

        given = [a[0] if m else a for a, m in zip(self._moved_by(np.array([1j * h])), self._moved, strict=True)]
        return imag_rounding(self._plan, given, h, self._weights)

    def around(self, points: Array, draws: int = 0) -> Array | None:
        """f(x + z d) at each complex number z; None when the forward cannot be read with complex numbers.

        Of so many ``draws`` of random errors, of size ERROR, in all that is computed on the way: draw by draw.
        """
        times = max(draws, 1)
        made = np.zeros((times, len(points), self._plan.size), np.complex128)
        for start, stop in _chunks(self._plan, self._moved, 2 * len(points), times):
            part = slice(start // 2, stop // 2)
            given = self._moved_by(np.tile(points[part], times))
            change = _errors(draws) if draws else None
            found = complex_rows(self._plan, given, self._moved, times * len(points[part]), change)
            if found is None:
                return None
            made[:, part] = found.reshape(made[:, part].shape)
        return self._combined(made.reshape(times * len(points), self._plan.size))

    def _moved_by(self, steps: Array) -> list[Array]:
        with np.errstate(all="ignore"):
            return [
                a if d is None else a + steps.reshape(-1, *[1] * d.ndim) * d
                for a, d in zip(self._at, self._direction, strict=True)
            ]

    def _combined(self, found: Array) -> Array:
        if self._weights is None:
            return found
        with np.errstate(all="ignore"):
            total: Array = (found * self._weights).sum(1, keepdims=True)
            return total


def _errors(draws: int) -> Change:
    from .complex_rounding import Errors

    return Errors(draws)


def rows(plan: Plan, arrays: Sequence[Array], moved: Sequence[bool], count: int) -> Array:
    """All outputs at ``count`` points, a row for each; not a number where the forward cannot be computed."""
    made = np.zeros((count, plan.size), np.float64)
    for start, stop in _chunks(plan, moved, count):
        part = [a[start:stop] if m else a for a, m in zip(arrays, moved, strict=True)]
        made[start:stop] = _rows(plan, part, moved, stop - start)
    return made


def complex_rows(
    plan: Plan, arrays: Sequence[Array], moved: Sequence[bool], count: int, change: Change | None = None
) -> Array | None:
    """All outputs at ``count`` complex points; None when the forward cannot be read with complex numbers."""
    if plan.is_of_complex:
        return None
    made = np.zeros((count, plan.size), np.complex128)
    for start, stop in _chunks(plan, moved, 2 * count):
        start, stop = start // 2, stop // 2
        part = [a[start:stop] if m else a for a, m in zip(arrays, moved, strict=True)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                made[start:stop] = _joined(plan.batch(part, moved, stop - start, change), stop - start)
        except raised_by_program():
            return None
    return made


def moved_entries(plan: Plan, leaf: int | Array, indices: Any, steps: Array) -> tuple[Array, Array]:
    """Every output with one entry of a leaf moved, for E entries (flat ``indices``) and k steps each.

    ``leaf``: one, or for each entry its own; ``steps``: (k,), or (E, k) for each entry its own. Returned are the
    represented steps (E, k) and the outputs (E, k, m).
    """
    at = [widened(a) for a in plan.at]
    places = np.asarray(indices, np.intp)
    leaves = np.broadcast_to(leaf, places.shape)
    x = entries_of(at, leaves, places)[:, None]
    ends = x + np.broadcast_to(steps, (len(places), np.shape(steps)[-1]))
    made = np.zeros((*ends.shape, plan.size), np.float64)
    blocks = _blocks(plan, leaves, ends.shape[1])
    entries = _Entries(at, leaves, blocks[0][1] if blocks else 0, ends.shape[1], np.float64)
    for start, stop in blocks:
        given, put_back = entries.at(leaves[start:stop], places[start:stop], ends[start:stop])
        found = _rows(plan, given, entries.moved, (stop - start) * ends.shape[1])
        made[start:stop] = found.reshape(stop - start, ends.shape[1], plan.size)
        put_back()
    return ends - x, made


def imag_entries(plan: Plan, leaf: int | Array, indices: Any, h: Any, offsets: Array) -> Array | None:
    """Im f / h with one entry of a leaf at x + s + i h, for E entries and k offsets s: (E, k, m).

    ``leaf`` and ``h``: one, or for each entry its own; ``offsets``: (k,), or (E, k). None when the forward cannot be
    read with complex numbers.
    """
    at = [widened(a) for a in plan.at]
    places = np.asarray(indices, np.intp)
    leaves = np.broadcast_to(leaf, places.shape)
    height = np.broadcast_to(np.asarray(h, np.float64), (len(places),))[:, None]
    ends = entries_of(at, leaves, places)[:, None] + offsets + 1j * height
    made = np.zeros((*ends.shape, plan.size), np.float64)
    blocks = _blocks(plan, leaves, 2 * ends.shape[1])
    entries = _Entries(at, leaves, blocks[0][1] if blocks else 0, ends.shape[1], np.complex128)
    for start, stop in blocks:
        given, put_back = entries.at(leaves[start:stop], places[start:stop], ends[start:stop])
        found = complex_rows(plan, given, entries.moved, (stop - start) * ends.shape[1])
        if found is None:
            return None
        with np.errstate(all="ignore"):
            made[start:stop] = np.imag(found).reshape(made[start:stop].shape) / height[start:stop, :, None]
        put_back()
    return made


def imag_noise_of_entries(plan: Plan, leaves: Array, places: Array, h: Array, of: Callable[[Array], Array]) -> Array:
    """Bound the distances that rounding may move Im f / h by, with one entry of a leaf at x + i h, of E entries.

    Each has its own leaf and height; ``of``: what is made of the outputs (E, m).
    """
    from .complex_rounding import POINTS, imag_roundings

    at = [widened(a) for a in plan.at]
    ends = entries_of(at, leaves, places)[:, None] + 1j * h[:, None]
    made = []
    for start, stop in _blocks(plan, leaves, 2 * POINTS):
        part = slice(start, stop)
        entries = _Entries(at, leaves[part], stop - start, 1, np.complex128)
        given, _ = entries.at(leaves[part], places[part], ends[part])
        pairs = zip(given, entries.moved, strict=True)
        every = [a if m else np.broadcast_to(a, (stop - start, *a.shape)) for a, m in pairs]
        made.append(imag_roundings(plan, every, h[part], of))
    return np.concatenate(made)


def widened(a: Any) -> Array:
    """The numbers of a leaf in double precision."""
    return np.asarray(a) if np.asarray(a).dtype.kind not in "f" else np.asarray(a, np.float64)


def each_once(numbers: Array) -> list[int]:
    """The whole numbers of an array, each once, in their order; ``np.unique`` would read all of masked arrays first."""
    return sorted(set(numbers.tolist()))


def entries_of(at: Sequence[Array], leaves: Array, places: Array) -> Array:
    """The numbers at flat places of leaves."""
    starts = np.cumsum([0, *(a.size for a in at)])
    return np.asarray(np.concatenate([a.reshape(-1) for a in at])[starts[leaves] + places])


class _Entries:
    """The leaves at points that differ in one entry of one leaf; the same memory serves one stretch after another."""

    def __init__(self, at: list[Array], leaves: Array, many: int, each: int, dtype: Any) -> None:
        self._at = at
        self._points: dict[int, Array] = {}
        for leaf in each_once(leaves):
            points = self._points[leaf] = np.zeros((many, each, at[leaf].size), dtype)
            points[...] = at[leaf].reshape(-1)
        self.moved = [i in self._points for i in range(len(at))]

    def at(self, leaves: Array, places: Array, ends: Array) -> tuple[list[Array], Callable[[], None]]:
        """The leaves with these entries at these numbers, and a call that puts the entries back."""
        many, each = ends.shape
        given = list(self._at)
        changed = []
        for leaf, points in self._points.items():
            some = np.flatnonzero(leaves == leaf)
            where = some[:, None], np.arange(each), places[some, None]
            changed.append((points, where, points[where]))
            points[where] = ends[some]
            given[leaf] = points[:many].reshape(many * each, *self._at[leaf].shape)

        def put_back() -> None:
            for points, where, before in changed:
                points[where] = before

        return given, put_back


def _rows(plan: Plan, arrays: Sequence[Array], moved: Sequence[bool], count: int) -> Array:
    """All outputs at each point; where one raises, it alone is not a number."""
    if count == 1 or not plan.refuses:
        try:
            return _joined(plan.batch(arrays, moved, count), count)
        except raised_by_program():
            # Of what runs the program's own code for each point, none is run twice, if it does that again.
            plan.refuses = not plan.is_cheap
            if count == 1:
                return np.full((1, plan.size), np.nan)
    made = np.zeros((count, plan.size))
    for i in range(count):
        made[i] = _rows(plan, [a[i : i + 1] if m else a for a, m in zip(arrays, moved, strict=True)], moved, 1)
    return made


def _joined(outputs: Sequence[Array], count: int) -> Array:
    flat = [np.asarray(a).reshape(count, -1) for a in outputs]
    return flat[0] if len(flat) == 1 else np.concatenate(flat, 1)


def _chunks(plan: Plan, moved: Sequence[bool], count: int, times: int = 1) -> list[tuple[int, int]]:
    """Stretches of points whose numbers can be held at once, so many times; an even number in each but the last."""
    each = max(2, CHUNK // max(times * plan.widest(moved), 1) // 2 * 2)
    return [(start, min(start + each, count)) for start in range(0, count, each)]


def _blocks(plan: Plan, leaves: Array, each: int) -> list[tuple[int, int]]:
    """Stretches of entries, one of a leaf each, whose points can be held at once."""
    some, many = set(leaves.tolist()), len(leaves)
    step = max(1, CHUNK // max(plan.widest([i in some for i in range(len(plan.at))]) * each, 1))
    return [(start, min(start + step, many)) for start in range(0, many, step)]


def _entry(direction: Sequence[Array | None]) -> tuple[int, int] | None:
    """The one entry that a direction moves: of which leaf, and where in it; None when it moves several."""
    moved = [i for i, d in enumerate(direction) if d is not None]
    if len(moved) != 1:
        return None
    where = np.flatnonzero(np.asarray(direction[moved[0]]))
    return (moved[0], int(where[0])) if len(where) == 1 else None


def _scale(at: Sequence[Array], direction: Sequence[Array | None]) -> float:
    """The size of what is moved, in units of the direction."""
    pairs = [(a, d) for a, d in zip(at, direction, strict=True) if d is not None]
    along = max((float(np.max(np.abs(d))) for _, d in pairs), default=0.0)
    if not along:
        return 0.0
    with np.errstate(all="ignore"):
        size = max(float(np.max(np.abs(a * (d / along)))) for a, d in pairs) / along
    return size if size >= _NORMAL else 0.0


def flattened(arrays: Sequence[Any]) -> Array:
    """All numbers of some arrays in a row, in double precision."""
    return np.concatenate([np.asarray(a, np.float64).reshape(-1) for a in arrays] or [np.zeros(0)])

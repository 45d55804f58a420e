"""A program moved to other values of its inputs: the points at which it is defined, and the ways that lead there.

A point is one only where the program is defined: it runs, its numbers and its claims are finite, no guard against
rounding steps in that did not before, and matrices stay symmetric that an op takes to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import raised_by_program
from ...spec.language.machine import said
from ..arrays import Array
from ..replay.assumed_by_program import keep, premises, why_lost
from ..replay.kink_sides import Reach
from ..replay.plan import Unreplayable
from ..replay.subject import Subject, Unrepeatable
from .bonds import bonds_of, bound
from .branches import Coverage, coverage, towards
from .similar_numbers import MANNERS, Kind, Manner, alike, kind_of

# What moves the number that has to change its sign: a way for each input.
Ways = Callable[[Subject, Reach], Sequence[Array | None]]

# How many draws a point is worth.
_DRAWS = 3
# How the numbers of an input are chosen that nothing ties any more.
_LOOSELY = MANNERS[:2]
# How far behind a kink is looked, in parts of the way to it, and how many steps may lead there.
BEHIND, _STEPS = (0.1, 1.0), 4
# So much of an interval between two kinks is gone in at most; so far is gone where the way is no measure.
_INTO, _LEAST = 0.3, 1e-3
# Where nobody sees what a Function does with its numbers, others of these sizes are tried.
_SCALES = (8.0, 1 / 8)
# Points are kept whose graphs take no more bytes: where a forward and its backward compare the same, so do two ways
# lead over the same points.
_KEPT = 2**18
# How many numbers of an input are told.
_TOLD = 6


class Point(NamedTuple):
    """Other values of the inputs, and what the program does there."""

    arrays: list[Array]
    subject: Subject
    coverage: Coverage
    # Whether numbers that all had one sign have another one.
    is_free: bool = False


class Mover:
    """A program, and the points that it can be moved to."""

    def __init__(self, subject: Subject, rng: np.random.Generator, by_hand: bool, everywhere: bool = False) -> None:
        self.subject = subject
        self.rng = rng
        self.by_hand = by_hand
        self.at = subject.at
        self.first = coverage(subject, rng, by_hand=by_hand)
        self.kinds = [kind_of(a) for a in self.at]
        # A Function may rely on what ties the numbers of an input; a formula by hand is right wherever it is, or wrong.
        self.everywhere = everywhere
        self.bonds = [[] if by_hand or everywhere else bonds_of(a) for a in self.at]
        # How the program refused the last point that it refused.
        self.why = "the program is defined nowhere near"
        # Whether the last way led where the program is not defined.
        self.refused = False
        # How many points there is time for.
        self.left = subject.reruns
        self.held = premises(subject.nodes)
        # With other numbers in the halves of a matrix, such an op computes something else.
        self.keeps_symmetry = self.first.reads_half
        # The points on the ways to other sides, by their numbers.
        self._on_ways: dict[Any, Point | None] = {}

    def point(self, arrays: Sequence[Array], *, loose: bool = False, within: str | None = None) -> Point | None:
        """The program at other values; None where it is not defined.

        ``loose``: what ties the numbers of an input need not hold. ``within``: the name of the Functions whose sides
        are looked at, of all.
        """
        self.left -= 1
        if self.left < 0:
            self.why = "the program takes too long"
            return None
        if not loose:
            arrays = self.bound(arrays)
        arrays = keep(self.held, self.at, arrays)
        if not all(np.isfinite(a).all() for a in arrays):
            return None
        try:
            subject = self._there(arrays)
            seen = self._seen_at(subject, within)
        except raised_by_program() as error:
            # A program may raise anything where it is not meant to be.
            self.why = said(error)
            return None
        if not all(np.isfinite(y).all() for y in subject.numbers) or self.first.trips(seen):
            return None
        lost = why_lost(self.subject, subject)
        if lost is not None:
            self.why = lost
            return None
        return Point(list(arrays), subject, seen)

    def bound(self, arrays: Sequence[Array]) -> list[Array]:
        """Values with what ties the numbers of each input."""
        with np.errstate(all="ignore"):
            pairs = zip(self.bonds, arrays, strict=True)
            return [bound(bonds, a) if np.isfinite(a).all() else a for bonds, a in pairs]

    def _there(self, arrays: Sequence[Array]) -> Subject:
        """The program at other values, or its graph where that is all there is to it: that is sooner had."""
        if not self.by_hand and self.subject.is_all_in_its_graph:
            try:
                return self.subject.graph_at(arrays)
            except Unreplayable:
                # Of what cannot be recorded again the program is run.
                pass
        return self.subject.recorded_at(arrays)

    def _seen_at(self, subject: Subject, within: str | None = None) -> Coverage:
        """The sides of kinks that were taken there; what a Function refuses is raised."""
        if not self.first.varies and subject.like is not None:
            # Its Functions were called as they are, and always do the same.
            return Coverage()
        # The program was run without its asserts: those of its Functions are heard here.
        return coverage(subject, self.rng, by_hand=self.by_hand, first=self.subject, within=within)

    def with_places(self, point: Point) -> Subject:
        """The program at a point, each of its nodes with its place in the text."""
        if point.subject.like is None:
            return point.subject
        try:
            return self.subject.recorded_at(point.arrays)
        except Unrepeatable:
            # What is wrong there is wrong without a place, too.
            return point.subject

    def alike(self, manner: Manner) -> list[Array]:
        """Values of the same kind for all inputs."""
        if self.keeps_symmetry:
            manner = manner._replace(symmetry=True)
        return [
            alike(a, kind, self.rng, manner) if a.dtype.kind == "f" else a
            for a, kind in zip(self.at, self.kinds, strict=True)
        ]

    def points(self, wanted: int, manners: Sequence[Manner] = MANNERS) -> Iterator[Point]:
        """Points of the same kind, as many as there are of those wanted."""
        for number in range(wanted):
            manner = manners[number % len(manners)]
            for draw in range(_DRAWS):
                manner = manner if draw < _DRAWS - 1 else MANNERS[0]
                found = self.point(self.alike(manner))
                if found is not None:
                    yield found._replace(is_free=manner.freely and any(map(has_one_sign, self.at)))
                    break

    def scaled(self) -> Iterator[Point]:
        """Points that are larger and smaller."""
        for scale in _SCALES:
            found = self.point([a * scale for a in self.at])
            if found is not None:
                yield found

    def untied(self) -> Iterator[Point]:
        """Points where nothing ties the numbers of an input any more."""
        if any(self.bonds):
            kinds: list[Kind] = [kind._replace(sums=None, unit=False, symmetric=False) for kind in self.kinds]
            for manner in _LOOSELY:
                there = [alike(a, kind, self.rng, manner) for a, kind in zip(self.at, kinds, strict=True)]
                # What is sorted may be so by chance.
                there = [
                    np.roll(a, 1) if bonds and np.array_equal(bound(bonds, a), a) else a
                    for bonds, a in zip(self.bonds, there, strict=True)
                ]
                found = self.point(there, loose=True)
                if found is not None:
                    yield found

    @property
    def tied(self) -> str:
        """Say what ties the numbers of which inputs."""
        pairs = zip(self.subject.inputs, self.bonds, strict=True)
        return " and ".join(f"{x.name} is {' and '.join(b.words for b in bonds)}" for x, bonds in pairs if bonds)

    def behind(
        self,
        reach: Reach,
        part: float,
        is_there: Callable[[Point], Reach | None],
        *,
        start: Point | None = None,
        towards: Ways = towards,
        loose: bool = False,
        within: str | None = None,
    ) -> Point | None:
        """A point on the other side of a kink, by steps along the gradient of what changes its sign there.

        ``is_there``: what is left of the way at a point; None when there is none left. ``start``: where the way
        begins, by default at the given point; ``towards``: where it leads. ``within``: the name of the Functions that
        are asked on the way.
        """
        subject, arrays = (self.subject, self.at) if start is None else (start.subject, start.arrays)
        self.refused = False
        for _ in range(_STEPS):
            ways = towards(subject, reach)
            length = sum(float((way**2).sum()) for way in ways if way is not None)
            if not np.isfinite(length) or length == 0:
                return None
            far = max(part * abs(reach.gap), _LEAST * max(1.0, *(_size(a) for a in arrays)))
            change = -np.sign(reach.gap) * (abs(reach.gap) + min(far, _INTO * reach.width)) / length
            arrays = [a if way is None else a + change * way for a, way in zip(arrays, ways, strict=True)]
            found = self._on_way(arrays, loose, within)
            if found is None:
                self.refused = True
                return None
            left = is_there(found)
            if left is None:
                return self._whole(found) if within else found
            subject, arrays, reach = found.subject, found.arrays, left
        return None

    def _on_way(self, arrays: Sequence[Array], loose: bool, within: str | None) -> Point | None:
        """The program at a point on a way to another side."""
        if self.subject.plan.nbytes > _KEPT:
            return self.point(arrays, loose=loose, within=within)
        key = (loose, within, *(a.tobytes() for a in arrays))
        if key not in self._on_ways:
            self._on_ways[key] = self.point(arrays, loose=loose, within=within)
        return self._on_ways[key]

    def _whole(self, point: Point) -> Point | None:
        """A point with the sides of all Functions; None where one is not meant to be there."""
        try:
            seen = self._seen_at(point.subject)
        except raised_by_program() as error:
            self.why, self.refused = said(error), True
            return None
        self.refused = self.first.trips(seen)
        return None if self.refused else point._replace(coverage=seen)


def has_one_sign(a: Array) -> bool:
    """Tell whether all numbers of an array are positive, or all negative."""
    return bool(a.size) and bool(np.all(a > 0) or np.all(a < 0))


def _size(a: Array) -> float:
    return float(np.abs(a).max()) if a.size else 0.0


def told(point: Point) -> str:
    """The values of a point, shortly."""
    return ", ".join(f"{x.name} = {_shown(a)}" for x, a in zip(point.subject.inputs, point.arrays, strict=True))


def _shown(a: Array) -> str:
    if a.size > _TOLD:
        return f"[{', '.join(f'{v:.4g}' for v in a.reshape(-1)[:_TOLD])}, ...]"
    return f"[{', '.join(_shown(row) for row in a)}]" if a.ndim else f"{float(a):.4g}"

"""The flow of the gradient as data: a row for the program, for each call, and for several alike in a row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from ...engine.tape.frames import FUNCTION, LOOP
from ..ask.crossing import Crossing, Place, added, crossings, total_length
from ..heat import length_of
from ..view.view import OP, Array, Item, View

PROGRAM = "program"
# Fewer calls alike are as easily read one by one.
_ROW = 3


class Row:
    """The gradient through one call, or through several alike that follow each other."""

    def __init__(self, calls: Sequence[tuple[Place, Crossing]]) -> None:
        self.calls = [crossing for _, crossing in calls]
        first, last = calls[0][0], calls[-1][0]
        scope = None if first is None else first[0]
        self.kind = PROGRAM if scope is None else scope.kind
        # Of which derivative the ops are.
        self.order = 0 if first is None else first[1]
        self.cls = None if scope is None else scope.cls
        self.first = PROGRAM if scope is None else scope.id
        self.last = self.first if last is None else last[0].id
        # What all of the calls are called: a class, a function, a loop.
        self.name = self.first if len(calls) == 1 or scope is None else scope.cls or scope.name
        # The calls in it; of several in a row, these.
        self.inner: list[Row] = []
        # The length of the gradient that arrives at the last call, and of what goes on from the first.
        self.arrives = self.calls[-1].arrives
        self.leaves = self.calls[0].leaves
        self._tell_parameters()

    def _tell_parameters(self) -> None:
        """The number of entries of the parameters, their length, and that of what the calls bring to them."""
        grads: dict[Item, Array | None] = {}
        for crossing in self.calls:
            for leaf, grad in crossing.parameters.items():
                grads[leaf] = added(grads.get(leaf), grad)
        self.parameters = sum(math.prod(leaf.shape or ()) for leaf in grads)
        self.parameters_length = total_length(leaf.value for leaf in grads)
        self.parameters_grad = total_length(grads.values())

    @property
    def is_row(self) -> bool:
        """True of several calls."""
        return len(self.calls) > 1

    @property
    def ops(self) -> int:
        """The number of ops."""
        return sum(len(crossing.ops) for crossing in self.calls)

    @property
    def gain(self) -> float | None:
        """The factor of the gradient's length on the way through."""
        return _ratio(self.leaves, self.arrives)

    @property
    def ratio(self) -> float | None:
        """The length of the gradient of the parameters, to theirs."""
        return _ratio(self.parameters_grad, self.parameters_length)

    @property
    def steps(self) -> list[float | None]:
        """The length of the gradient at each op, in forward order; of several calls at each of these."""
        if self.is_row:
            return [crossing.arrives for crossing in self.calls]
        return [length_of(item) for item in self.calls[0].ops if item.order == self.order]

    def __repr__(self) -> str:
        return f"<flow of {self.first}>"


def _ratio(over: float | None, under: float | None) -> float | None:
    return None if over is None or not under or math.isinf(under) else over / under


class Flow:
    """The rows of a graph, as a tree whose root is the program's."""

    def __init__(self, view: View, depth: int | None = None) -> None:
        whole = view.whole
        self.view = view
        self.crossings = crossings(whole, derivatives=True)
        self.children = _children(self.crossings)
        shown = {item.id for item in view.items if item.kind == OP}
        self._shown = {
            place for place, crossing in self.crossings.items() if any(item.id in shown for item in crossing.ops)
        }
        self.program = Row([(None, self.crossings[None])])
        self._fill(depth)

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Every row with its depth, in forward order."""
        waiting = [(0, self.program)]
        while waiting:
            depth, row = waiting.pop()
            yield depth, row
            waiting += [(depth + 1, inner) for inner in reversed(row.inner)]

    def alike(self) -> Iterator[tuple[Place, list[Place]]]:
        """The calls of the same in one call, in forward order, with that one, wherever there are several."""
        for around, inner in self.children.items():
            groups: dict[object, list[Place]] = {}
            for place in inner:
                groups.setdefault(_likeness(place), []).append(place)
            yield from ((around, group) for group in groups.values() if len(group) > 1)

    def _fill(self, depth: int | None) -> None:
        """Give each row those of the calls in it, so deep: without recursion, for calls may be nested deeply."""
        waiting: list[tuple[Row, list[Place], int]] = [(self.program, self._inside(None), 0)]
        while waiting:
            row, inner, at = waiting.pop()
            if at == depth:
                continue
            for group in [[place] for place in inner] if row.is_row else _neighbours(inner):
                for calls in [group] if len(group) >= _ROW else [[place] for place in group]:
                    made = Row([(place, self.crossings[place]) for place in calls])
                    row.inner.append(made)
                    waiting.append((made, calls if made.is_row else self._inside(calls[0]), at + 1))

    def _inside(self, around: Place) -> list[Place]:
        """The calls in one of which something is shown."""
        return [place for place in self.children.get(around, ()) if place in self._shown]


def _children(found: dict[Place, Crossing]) -> dict[Place, list[Place]]:
    """The calls that each call makes, in forward order, without those that are nothing but one other call."""
    inside: dict[Place, dict[Place, None]] = {}
    own: dict[Place, int] = {place: len(crossing.ops) for place, crossing in found.items()}
    for place, crossing in found.items():
        if place is not None:
            outer = _outer(place, found)
            inside.setdefault(outer, {})[place] = None
            own[outer] -= len(crossing.ops)
    wrappers = {place for place, inner in inside.items() if place is not None and len(inner) == 1 and not own[place]}

    def unwrapped(places: Iterable[Place]) -> Iterator[Place]:
        for place in places:
            while place in wrappers:
                (place,) = inside[place]
            yield place

    return {place: list(unwrapped(inner)) for place, inner in inside.items() if place not in wrappers}


def _outer(place: tuple, found: dict[Place, Crossing]) -> Place:  # type: ignore[type-arg]
    scope, order = place
    return None if scope.outer is None else (scope.outer, order)


def _neighbours(places: Iterable[Place]) -> Iterator[list[Place]]:
    """Calls alike that follow each other."""
    group: list[Place] = []
    for place in places:
        if group and _likeness(place) != _likeness(group[-1]):
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def _likeness(place: Place) -> object:
    """The origin that calls of the same have in common: a class of modules, a function, a loop."""
    assert place is not None
    scope, order = place
    return order, scope.kind, id(scope.what) if scope.kind in (FUNCTION, LOOP) else scope.cls

"""The gradients that cross the border of a call: what arrives at its results, and what goes on from it.

They are what hooks on a module measure: all that outer ops bring to one result is one gradient, and so is all that a
call passes on to one tensor that it was given. What goes to parameters does not go on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ...engine.tape.frames import MODULE
from ...nn.parameter import Parameter
from ..numbers import norm
from ..view.scopes import Scope
from ..view.view import LEAF, OP, ROOT, Array, Edge, Item, View

# A result: an item, and which of its outputs.
Result = tuple[Item, int]
# A call, and of which derivative its ops are, where these are told apart; None: the whole program.
Place = tuple[Scope, int] | None


class Crossing:
    """The border of one call."""

    __slots__ = ("arriving", "leaving", "ops", "parameters")

    def __init__(self) -> None:
        # The ops inside, in forward order.
        self.ops: list[Item] = []
        # The gradient that outer ops bring to each result; what goes on to each tensor that the call was given.
        self.arriving: dict[Result, Array] = {}
        self.leaving: dict[Result, Array] = {}
        # What the call brings to each of its parameters; None for one that gets nothing.
        self.parameters: dict[Item, Array | None] = {}

    @property
    def arrives(self) -> float | None:
        """The length of the gradient that arrives."""
        return total_length(self.arriving.values())

    @property
    def leaves(self) -> float | None:
        """The length of the gradient that goes on."""
        return total_length(self.leaving.values())


def crossings(view: View, derivatives: bool = False) -> dict[Place, Crossing]:
    """The border of the program, and of each call of a whole graph in forward order.

    What a backward recorded is in the calls in which that backward ran; with ``derivatives`` it stands by itself, in
    the calls that it is the derivative of.
    """
    found: dict[Place, Crossing] = {None: Crossing()}
    places_of = _derived_places if derivatives else _places
    inside = {item: (None, *places_of(item)) for item in view.items if item.kind == OP}
    for item, places in inside.items():
        for place in places:
            found.setdefault(place, Crossing()).ops.append(item)
    # Of a leaf that is no parameter only the other calls tell whether it is passed on to, or used as one.
    doubtful: dict[Place, list[tuple[Item, Edge]]] = {}
    for item, edge in view.edges():
        to = edge.to
        if to is None:
            continue
        start, end = inside.get(item, ()), inside.get(to, ())
        # Calls are in each other: two ops are in the same ones down to the first that only one of them is in.
        shared = _shared(start, end)
        for place in end[shared:]:
            _add(found[place].arriving, (to, edge.output_nr), edge.grad)
        for place in start[shared:]:
            if to.kind == OP:
                _add(found[place].leaving, (to, edge.output_nr), edge.grad)
            elif to.kind == LEAF and is_parameter(to):
                _add_parameter(found[place], edge)
            elif to.kind == LEAF:
                doubtful.setdefault(place, []).append((item, edge))
    root = view.root
    if root.kind != ROOT:
        for place in inside.get(root, ()):
            _add(found[place].arriving, (root, view.output_nr), _start(view))
    carried = _carried(found)
    for place, edges in doubtful.items():
        passed = _passed_on(found[place], carried.get(_called(place)))
        for item, edge in edges:
            if passed is None or (item, edge) in passed:
                assert edge.to is not None
                _add(found[place].leaving, (edge.to, 0), edge.grad)
            else:
                _add_parameter(found[place], edge)
    return found


def _shared(one: Sequence[Place], other: Sequence[Place]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _places(item: Item) -> Iterator[Place]:
    yield from ((each, 0) for each in (item.scope.path if item.scope is not None else ()))


def _derived_places(item: Item) -> Iterator[Place]:
    scope = item.backward_of or item.scope
    yield from ((each, item.order) for each in (scope.path if scope is not None else ()))


def _start(view: View) -> Array | None:
    """The node that the backward starts from."""
    root = view.root
    if root.results:
        return root.results[view.output_nr].grad
    return root.grad if root.arrived is None else root.arrived


def _add(sums: dict[Result, Array], to: Result, grad: Array | None) -> None:
    total = added(sums.get(to), grad)
    if total is not None:
        sums[to] = total


def added(a: Array | None, b: Array | None) -> Array | None:
    """Two gradients of the same together; None where there is none."""
    if a is None or b is None:
        return b if a is None else a
    with np.errstate(all="ignore"):
        total: Array = a + b
    return total


def _add_parameter(crossing: Crossing, edge: Edge) -> None:
    assert edge.to is not None
    crossing.parameters[edge.to] = added(crossing.parameters.get(edge.to), edge.grad)


def _called(place: Place) -> object:
    """A function or a loop, of which calls may be compared; None for what is none."""
    return None if place is None or place[0].kind == MODULE else (id(place[0].what), place[1])


def _carried(found: Mapping[Place, Crossing]) -> dict[object, set[object]]:
    """Where in the calls of a function, or the turns of a loop, stands what another op has made, in any of them."""
    calls: dict[object, list[Crossing]] = {}
    for place, crossing in found.items():
        calls.setdefault(_called(place), []).append(crossing)
    return {
        called: {
            where
            for crossing in crossings_
            for where, _, edge in _used(crossing)
            if edge.to is not None and edge.to.kind == OP and (edge.to, edge.output_nr) in crossing.leaving
        }
        for called, crossings_ in calls.items()
        if called is not None and len(crossings_) > 1
    }


def _passed_on(crossing: Crossing, carried: set[object] | None) -> set[tuple[Item, Edge]] | None:
    """The edges by which a function, or a turn of a loop, passes on to what it was given; None: all.

    What stands in one turn where in another turn a result stands is what the turn goes on from; what is a leaf in each
    is used as a parameter is.
    """
    return {(item, edge) for where, item, edge in _used(crossing) if where in carried} if carried else None


def _used(crossing: Crossing) -> Iterator[tuple[object, Item, Edge]]:
    """The edges of a call, each with the place in the call where it stands, which is the same in another call."""
    times: dict[object, int] = {}
    for item in crossing.ops:
        span = item.span
        where = item.name, span and (span.source.name, span.line, span.column, span.end_line, span.end_column)
        times[where] = times.get(where, 0) + 1
        for edge in item.edges:
            yield (where, times[where], edge.argument), item, edge


def is_parameter(leaf: Item) -> bool:
    """Tell whether a leaf is a Parameter, of gradcli or of PyTorch."""
    variable = leaf.node.variable
    return isinstance(variable, Parameter) or type(variable).__name__ == "Parameter"


def total_length(grads: Iterable[Array | None]) -> float | None:
    """The length of several gradients together; None where there is none."""
    lengths = [norm(grad) for grad in grads if grad is not None]
    return math.hypot(*lengths) if lengths else None

"""A graph at the level one thinks at: whole calls of modules and functions, and whole turns of loops, as boxes.

A box is one call with all that ran in it; what a caller itself computes between its calls stays single. The ops of a
call were recorded one after another, so no edge leads out of a box and back into it. Equal calls that follow each
other directly are one box with their number.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...engine.tape.frames import MODULE
from ..view.scopes import Scope
from ..view.view import CALL, CONST, LEAF, OP, Box, Edge, Item, View
from .calls import named, unknown_call
from .crossing import added, crossings, is_parameter, total_length
from .select import copy_of, edge_to, taken

# Two equal calls are as easily read one by one.
_ROW = 3

Path = tuple[Scope, ...]


def levelled(view: View, level: int, expand: Collection[str] = (), collapse: Collection[str] = ()) -> View:
    """The view with the calls at a level as boxes: at 1 the outermost, at 2 those that these make, and so on.

    Whatever the level is, calls that ``expand`` names are open, and those that ``collapse`` names are boxes.
    """
    groups = _Groups(view, level, expand, collapse)
    return _Boxed(view, list(groups.found())).view(level)


def deepest(view: View) -> int:
    """The level from which on nothing is a box."""
    paths = _paths(view)
    return 1 + max(map(len, paths.values()), default=0) - _shared(paths.values())


def opened(view: View) -> Mapping[Item, Path]:
    """For each op, and each box, the calls around it that are not boxes themselves, the outermost first."""
    return {item: path for item, path in _paths(view).items() if path}


# -- calls -------------------------------------------------------------------------------------


def _paths(view: View) -> dict[Item, Path]:
    """For each op and box the calls that it is in, without those that are nothing but one other call."""
    paths: dict[Item, Path] = {}
    for item in view.items:
        if item.box is not None:
            paths[item] = item.box.scopes[0].path[:-1]
        elif item.kind == OP:
            paths[item] = () if item.scope is None else item.scope.path
    inside: dict[Scope, set[Scope | None]] = {}
    for item, path in paths.items():
        end = None if item.box is None else item.box.scopes[0]
        for scope, inner in zip(path, (*path[1:], end), strict=False):
            inside.setdefault(scope, set()).add(inner)
    wrappers = {scope for scope, inner in inside.items() if len(inner) == 1 and None not in inner}
    return {item: tuple([scope for scope in path if scope not in wrappers]) for item, path in paths.items()}


def _shared(paths: Collection[Path]) -> int:
    """The number of calls that all ops are in: those are the program itself."""
    first, *others = set(paths) or {()}
    count = 0
    while count < len(first) and all(path[count : count + 1] == first[count : count + 1] for path in others):
        count += 1
    return count


class _Group:
    """Ops that are to be one box: of one call, or of several equal ones in a row."""

    def __init__(self, scope: Scope, around: Path) -> None:
        self.scopes = [scope]
        self.around = around
        self.calls: list[list[Item]] = [[]]

    @property
    def items(self) -> list[Item]:
        return [item for call in self.calls for item in call]

    def likeness(self) -> Any:
        """The mark that equal calls have in common: what is called from where, and each op with its arguments."""
        scope, (ops,) = self.scopes[0], self.calls
        places = {item: n for n, item in enumerate(ops)}
        what = scope.cls or id(scope.what)
        return what, self.around, tuple([_likeness(item, places) for item in ops])


def _likeness(item: Item, places: Mapping[Any, int]) -> Any:
    edges = tuple([(edge.argument, edge.output_nr, places.get(edge.to)) for edge in item.edges])
    return item.name, item.shape, item.dtype, item.order, edges


class _Groups:
    """Which calls become boxes."""

    def __init__(self, view: View, level: int, expand: Collection[str], collapse: Collection[str]) -> None:
        self.paths = _paths(view)
        self.level = level + _shared(self.paths.values())
        self.open = {outer for scope in _named(view, expand) for outer in scope.path}
        self.closed = set(_named(view, collapse))

    def found(self) -> Iterator[_Group]:
        """The boxes, in forward order."""
        row: _Group | None = None
        for group in self._calls():
            if row is None or group is None or group.likeness() != _first(row).likeness():
                if row is not None:
                    yield from _split(row)
                row = group
            else:
                row.scopes += group.scopes
                row.calls += group.calls
        if row is not None:
            yield from _split(row)

    def _calls(self) -> Iterator[_Group | None]:
        """The calls in forward order; None for an op between them."""
        group: _Group | None = None
        done: set[Scope] = set()
        for item in self.paths:
            place = self._box(item)
            scope = None if place is None else place[-1]
            if group is not None and (scope is None or scope is not group.scopes[0]):
                yield group
                group = None
            if scope is None or place is None or (group is None and scope in done):
                # What was recorded out of turn stays single.
                yield None
            elif group is None:
                group = _Group(scope, place[:-1])
                done.add(scope)
            if group is not None:
                group.calls[0].append(item)
        if group is not None:
            yield group

    def _box(self, item: Item) -> Path | None:
        """The calls down to the one that is to be a box; None for an op that stays single."""
        if item.scope is not None:
            closed = next((scope for scope in item.scope.path if scope in self.closed), None)
            if closed is not None:
                return tuple([scope for scope in closed.path if scope is closed or scope in self.paths[item]])
        path = self.paths[item]
        for n, scope in enumerate(path, 1):
            if n >= self.level and scope not in self.open:
                return path[:n]
        return None


def _first(row: _Group) -> _Group:
    """The first call of a row by itself."""
    first = _Group(row.scopes[0], row.around)
    first.calls = row.calls[:1]
    return first


def _split(row: _Group) -> Iterator[_Group]:
    """A row as a whole where it is long enough; one op by itself is a box where it is a module, with its parameters."""
    if len(row.calls) >= _ROW:
        yield row
        return
    for scope, call in zip(row.scopes, row.calls, strict=True):
        if len(call) > 1 or scope.kind == MODULE:
            one = _Group(scope, row.around)
            one.calls = [call]
            yield one


def _named(view: View, names: Collection[str]) -> Iterator[Scope]:
    """The calls of these names."""
    for name in names:
        found = named(view, name)
        if not found:
            raise unknown_call(view, name)
        yield from found


# -- boxes -------------------------------------------------------------------------------------


class _Boxed:
    """A view with boxes."""

    def __init__(self, whole: View, groups: Sequence[_Group]) -> None:
        self.whole = whole
        self.group = {item: group for group in groups for item in group.items}
        self.inner = self._absorbed()
        self.taken = {item.id for item in whole.items}
        self.shown: dict[Item, Item] = {}
        self.crossings = crossings(whole.whole) if groups else {}

    def _absorbed(self) -> dict[Item, _Group]:
        """The constants, and the parameters, that nothing outside of one box uses."""
        users: dict[Item, set[_Group | None]] = {}
        for item, edge in self.whole.edges():
            to = edge.to
            if to is not None and (to.kind == CONST or (to.kind == LEAF and is_parameter(to))):
                users.setdefault(to, set()).add(self.group.get(item))
        return {item: group for item, (group, *more) in users.items() if group is not None and not more}

    def view(self, level: int) -> View:
        """The view, of which each edge is one of the graph's, or several to the same output."""
        inside: dict[_Group, list[Item]] = {}
        for item in self.whole.items:
            group = self.group.get(item) or self.inner.get(item)
            if group is not None:
                inside.setdefault(group, []).append(item)
        boxes: dict[_Group, Item] = {}
        for group, items in inside.items():
            box = boxes[group] = self._box(group, items)
            self.shown.update(dict.fromkeys(items, box))
        ends = {items[-1]: group for group in inside if (items := group.items)}
        found: dict[Item, Item] = {}
        for item in self.whole.items:
            if item in ends:
                found[item] = boxes[ends[item]]
            elif item not in self.shown:
                found[item] = self.shown[item] = copy_of(item)
        for item, copy in found.items():
            if copy.box is None:
                copy.edges = [self._edge(item, edge) for edge in item.edges]
            else:
                copy.edges = list(self._leading_out(copy.box.items, copy))
        told = f"level {level}"
        aspect = told if self.whole.aspect is None else f"{self.whole.aspect} · {told}"
        made = taken(self.whole, found, self.shown[self.whole.root], aspect)
        made.truncated = self.whole.truncated
        return made

    def _edge(self, item: Item, edge: Edge) -> Edge:
        if edge.to is None:
            return edge_to(edge, None)
        to = self.shown[edge.to]
        drawn = edge_to(edge, to)
        if to.box is not None:
            drawn.stands_for = edge.stands_for or ((item, edge),)
            drawn.output_nr = 0
        return drawn

    def _leading_out(self, items: Iterable[Item], box: Item) -> Iterator[Edge]:
        """The edges out of a box: all that lead to the same output of the same item are one."""
        drawn: dict[tuple[Item, int], list[tuple[Item, Edge]]] = {}
        for item in items:
            for edge in item.edges:
                if edge.to is not None and self.shown[edge.to] is not box:
                    drawn.setdefault((edge.to, edge.output_nr), []).append((item, edge))
        for (to, nr), edges in drawn.items():
            names = list(dict.fromkeys(edge.argument for _, edge in edges))
            shown = self.shown[to]
            one = Edge(names[0] if len(names) == 1 else ", ".join(names), shown, 0 if shown.box else nr, None)
            one.grad = functools.reduce(added, [edge.grad for _, edge in edges])
            one.stands_for = tuple(edges)
            yield one

    def _box(self, group: _Group, items: list[Item]) -> Item:
        """A call as an item: with the shape, the value and the gradient of what it returns."""
        first, last = group.scopes[0], group.scopes[-1]
        members = set(items)
        exits = self._exits(members)
        exit = exits[-1]
        made = Item(CALL, first.cls or first.name, None)
        made.id = self._free(first.id if first is last else f"{first.id}..{last.id}")
        if first is last and first.id != made.name:
            made.variable = first.id
        if first is not last:
            made.repeats = len(group.scopes), first.id, last.id
        made.scope = first.outer
        made.shape, made.dtype, made.value, made.order = exit.shape, exit.dtype, exit.value, exit.order
        made.tangent = exit.tangent
        made.grad = exit.grad if len(exits) == 1 else None
        made.span = exit.span
        made.number = exit.number
        parameters = [item for item in items if item.kind == LEAF]
        made.box = Box(
            tuple(group.scopes),
            tuple(items),
            sum(math.prod(item.shape or ()) for item in parameters),
            total_length([item.grad for item in parameters]),
            self.crossings[last, 0].arrives,
            self.crossings[first, 0].leaves,
        )
        return made

    def _exits(self, members: set[Item]) -> list[Item]:
        """The items of a box that something outside uses."""
        used = {edge.to for item, edge in self.whole.edges() if edge.to in members and item not in members}
        return [item for item in self.whole.items if item in used or (item is self.whole.root and item in members)]

    def _free(self, id: str) -> str:
        while id in self.taken:
            id += "~"
        self.taken.add(id)
        return id

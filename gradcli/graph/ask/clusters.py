"""Which nodes of a picture stand together: those of a module, of a line, of an order of derivative."""

from __future__ import annotations

from collections.abc import Iterable

from ..view.places import at_line
from ..view.view import CONST, LEAF, OP, Item, View
from .levels import opened

MODULE, LINE, ORDER, NONE = NAMES = ("module", "line", "order", "none")

# The titles of the clusters that an item is in, the outermost first.
Path = tuple[str, ...]


def usual(view: View) -> str:
    """The best division of a graph: derivatives by order, what has modules by module."""
    if any(item.order for item in view.items):
        return ORDER
    if any(item.scope is not None for item in view.items):
        return MODULE
    return MODULE if any(_module_of(item) for item in view.leaves()) else NONE


def paths(view: View, how: str) -> dict[Item, Path]:
    """The clusters of each item that is in any.

    A leaf or constant is where all that use it are; a parameter is in its own module.
    """
    if how == NONE:
        return {}
    calls = any(item.scope is not None for item in view.items)
    found = {MODULE: _calls if calls else _modules, LINE: _lines, ORDER: _orders}[how](view)
    users: dict[Item, Path | None] = {}
    for item, edge in view.edges():
        if edge.to is not None and edge.to.kind != OP and edge.to not in found:
            path = found.get(item, ())
            users[edge.to] = path if users.setdefault(edge.to, path) == path else None
    found.update({item: path for item, path in users.items() if path})
    return {item: path for item, path in found.items() if path}


def _orders(view: View) -> dict[Item, Path]:
    return {item: (_order_title(item.order),) for item in view.ops() if item.order}


def _order_title(order: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(order % 10 if order % 100 not in (11, 12, 13) else 0, "th")
    return f"{order}{ending} derivative"


def _lines(view: View) -> dict[Item, Path]:
    several = view.has_several_files
    return {item: (_line_title(at_line(item.span, several), item.id),) for item in view.ops() if item.span is not None}


def _line_title(line: str, id: str) -> str:
    # Of what runs several times, the id tells which time it was.
    _, mark, turn = id.rpartition("@")
    return line + (f", time {turn}" if mark and turn.isdecimal() else "")


# -- calls -------------------------------------------------------------------------------------


def _calls(view: View) -> dict[Item, Path]:
    """The calls of modules that each op was made in; where boxes stand for calls, all that they are in."""
    boxes = any(item.box is not None for item in view.items)
    return {
        item: tuple([scope.id for scope in scopes if boxes or scope.kind == MODULE])
        for item, scopes in opened(view).items()
    }


# -- modules -----------------------------------------------------------------------------------


def _module_of(item: Item) -> Path:
    """The module of a parameter and those around it, by their dotted names."""
    if item.kind != LEAF or not item.variable or "." not in item.variable:
        return ()
    parts = item.variable.split(".")[:-1]
    return tuple(".".join(parts[: n + 1]) for n in range(len(parts)))


def _modules(view: View) -> dict[Item, Path]:
    """The module of each parameter and op.

    An op is in the module whose parameters it is given, also by way of ops on nothing else, as a transposition is.
    What is given none is in the modules around all that it is between.
    """
    # Items that are made of parameters alone; ops of which the module is known.
    parameters = {item: path for item in view.leaves() if (path := _module_of(item))}
    certain: dict[Item, Path] = {}
    before: dict[Item, Path] = {}
    for item in view.ops():
        targets = [edge.to for edge in item.edges if edge.to is not None and edge.to.kind != CONST]
        given = [parameters[to] for to in targets if to in parameters]
        if given:
            certain[item] = before[item] = _common(given)
            if len(given) == len(targets) == 1:
                parameters[item] = certain[item]
        elif known := [before[to] for to in targets if to in before]:
            before[item] = _common(known)
    behind: dict[Item, list[Path]] = {}
    for item in reversed(view.items):
        after = _common(behind[item]) if item in behind else ()
        path = certain[item] if item in certain else _common([before.get(item, ()), after])
        if item.kind == OP:
            certain[item] = path
            for edge in item.edges:
                if edge.to is not None:
                    behind.setdefault(edge.to, []).append(path if path else after)
    return {**certain, **parameters}


def _common(paths: Iterable[Path]) -> Path:
    """The clusters that all of the paths begin with."""
    first, *others = paths
    for n, title in enumerate(first):
        if any(path[n : n + 1] != (title,) for path in others):
            return first[:n]
    return first

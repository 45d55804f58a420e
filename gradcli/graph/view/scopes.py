"""The calls and turns of loops that ops were made in: modules, functions, loops, one within another.

A scope is one call. Nothing is in a scope by the likeness of names: what ran in the call is in it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...engine.tape.frames import FUNCTION, LOOP, MODULE, Frame
from ...engine.tape.tape import Entry, entry_of
from ...spec.node_names import Trace
from .recorded import Called, frame_of


class Scope:
    """One call of a module or a function, or one turn of a loop."""

    __slots__ = ("call", "cls", "id", "kind", "name", "outer", "what")

    def __init__(self, frame: Frame, name: str, call: int, outer: Scope | None) -> None:
        # "module", "function" or "loop".
        self.kind = frame.kind
        # What is called: calls of the same have the same.
        self.what: Any = frame.what
        # The dotted path of a module, the name of a function, `for i`.
        self.name = name
        # The class of a module.
        self.cls = frame.name if frame.kind == MODULE else None
        # Which call of those that the graph shows.
        self.call = call
        # The scope that this one is in.
        self.outer = outer
        # The stable name that nothing else in the graph has.
        self.id = ""

    @property
    def path(self) -> tuple[Scope, ...]:
        """The scopes around this one, the outermost first, and this one."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            found.append(scope)
            scope = scope.outer
        return tuple(reversed(found))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}>"


def scopes_of(nodes: Iterable[Any], trace: Trace | None) -> tuple[dict[Any, Scope], dict[Any, Scope]]:
    """The innermost scope of each of these nodes that is in any; of what a backward recorded, that which it is of."""
    nodes = list(nodes)
    frames = {node: frame for node in nodes if (frame := frame_of(node)) is not None}
    backwards = {node: frame for node in nodes if (frame := _forward_frame(entry_of(node))) is not None}
    all_of_them = [*frames.values(), *backwards.values()]
    ranks = _ranks(all_of_them)
    made: dict[Frame, Scope] = {}
    taken: set[str] = set()
    for frame in all_of_them:
        for each in reversed(list(_outwards(frame))):
            if each not in made:
                outer = None if each.outer is None else made[each.outer]
                scope = made[each] = Scope(each, _name(each, trace), ranks[each], outer)
                scope.id = _id(scope, taken)
    return {node: made[frame] for node, frame in frames.items()}, {
        node: made[frame] for node, frame in backwards.items()
    }


def _forward_frame(entry: Entry | None) -> Frame | None:
    """Where the forward ran whose backward, or the backward of that, has recorded this."""
    at = entry if entry is not None and entry.parent is not None else None
    while at is not None and at.parent is not None:
        at = entry_of(at.parent)
    return None if at is None else at.frame


def _outwards(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.outer


def _ranks(frames: Iterable[Frame]) -> dict[Frame, int]:
    """Which call of the same a frame is among all that the graph shows."""
    all_of_them = dict.fromkeys(each for frame in dict.fromkeys(frames) for each in _outwards(frame))
    calls: dict[tuple[str, int], list[Frame]] = {}
    for frame in all_of_them:
        calls.setdefault((frame.kind, id(frame.what)), []).append(frame)
    return {
        frame: rank
        for some in calls.values()
        for rank, frame in enumerate(sorted(some, key=lambda frame: frame.number), 1)
    }


def _name(frame: Frame, trace: Trace | None) -> str:
    if isinstance(frame.what, Called):
        return frame.what.path
    if frame.kind == MODULE:
        return (_path(frame) if trace is None else trace.module_name(frame.what)) or frame.name
    return f"{frame.name}()" if frame.kind == FUNCTION else frame.name


def _path(frame: Frame) -> str | None:
    """The dotted path of a module in the outermost one that was called."""
    outermost = [each for each in _outwards(frame) if each.kind == MODULE][-1].what
    return next((path for path, module in outermost.named_modules() if module is frame.what), None)


def _id(scope: Scope, taken: set[str]) -> str:
    """A name that no other scope has: a turn of a loop has always a number, a call from the second on."""
    wanted = scope.name if scope.call == 1 and scope.kind != LOOP else f"{scope.name}@{scope.call}"
    id, number = wanted, 1
    while id in taken:
        number += 1
        id = f"{wanted}~{number}"
    taken.add(id)
    return id

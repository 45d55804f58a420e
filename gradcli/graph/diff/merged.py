"""Two graphs as one: the nodes of the second in their order, with those that went where they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .compare import CAME, CHANGED, WENT, Comparison, Difference, Node

ALIKE = "alike"


class Arrow(NamedTuple):
    """An edge of the one graph: which argument it is, to which node, and if it came or went."""

    argument: str
    to: str
    state: str


class Both(NamedTuple):
    """A node of the one graph: its key there, what it is, what became of it, and its differences."""

    key: str
    node: Node
    state: str
    differences: list[Difference]
    arrows: list[Arrow]


def merged(found: Comparison) -> Iterator[Both]:
    """All nodes of both graphs."""
    partners = found.partners
    after_of = {old: new for new, old in partners.items()}
    changes: dict[str, list[Difference]] = {}
    for one in found.differences:
        if one.kind == CHANGED:
            changes.setdefault(one.id, []).append(one)
    went: dict[str | None, list[str]] = {}
    last: str | None = None
    for id in found.before:
        if id in after_of:
            last = after_of[id]
        else:
            went.setdefault(last, []).append(id)

    def key(id: str) -> str:
        """The key of a node of the first graph."""
        return after_of.get(id, f"{id} ({WENT})" if id in found.after else id)

    def gone(place: str | None) -> Iterator[Both]:
        for id in went.get(place, ()):
            node = found.before[id]
            yield Both(key(id), node, WENT, [], [Arrow(arg, key(to), WENT) for arg, to in _edges(node)])

    yield from gone(None)
    for id, node in found.after.items():
        state = CAME if id not in partners else CHANGED if id in changes else ALIKE
        old = [(arg, key(to)) for arg, to in _edges(found.before[partners[id]])] if id in partners else []
        new = _edges(node)
        arrows = [Arrow(arg, to, ALIKE if (arg, to) in old else CAME) for arg, to in new]
        arrows += [Arrow(arg, to, WENT) for arg, to in old if (arg, to) not in new]
        yield Both(id, node, state, changes.get(id, []), arrows)
        yield from gone(id)


def _edges(node: Node) -> list[tuple[str, str]]:
    return [(str(edge.get("arg")), edge["to"]) for edge in node["edges"] if isinstance(edge.get("to"), str)]

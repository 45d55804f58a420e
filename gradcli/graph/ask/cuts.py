"""Where numbers left a graph, and came back into it as constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...engine.tape.tape import Cut as Left, Operand, entry_of
from ...errors import Span
from ..view.view import Edge, Item, View


class Cut(NamedTuple):
    """A place where numbers left a graph, and the edge at which they came back as a constant."""

    # `detach`, `no_grad` ..., and where.
    how: str
    span: Span | None
    item: Item | None = None
    edge: Edge | None = None


def cuts_towards(view: View, node: Any, most: int) -> list[Cut]:
    """The cuts, ``most`` of them, behind which a node would be reached."""
    found: list[Cut] = []
    known: set[Left] = set()
    for item in reversed(view.items):
        for edge, left in _cuts_of(item):
            if left not in known and leads_to(left, node):
                known.add(left)
                found.append(Cut(left.reason, _place(view, left), item, edge))
                if len(found) == most:
                    return found
    return found


def cuts_of(view: View, tensor: Any) -> list[Cut]:
    """Where the numbers of a tensor without a graph came from."""
    return [Cut(left.reason, _place(view, left)) for left in tensor._cuts]


def _place(view: View, left: Left) -> Span | None:
    run = view.whole.run
    return None if run is None or run.trace is None else run.trace.span_of_cut(left)


def _cuts_of(item: Item) -> Iterator[tuple[Edge, Left]]:
    """The cuts behind the arguments of an op."""
    edges = {edge.argument: edge for edge in item.edges}
    for name, operand in _operands(item.node):
        edge = edges.get(name)
        if edge is not None:
            yield from ((edge, left) for left in operand.cuts)


def _operands(node: Any) -> Iterable[tuple[str, Operand]]:
    """The tensors that an op was given, as far as a tape has noted them."""
    entry = entry_of(node)
    operands = () if entry is None else entry.operands
    return ((argument.name, argument.value) for argument in operands if isinstance(argument.value, Operand))


def leads_to(left: Left, target: Any) -> bool:
    """Tell whether the numbers of a node are made of what another made, however often they were cut on the way."""
    seen = {left.node}
    waiting = [left.node]
    while waiting:
        node = waiting.pop()
        if node is target:
            return True
        for to in _before(node):
            if to is not None and to not in seen:
                seen.add(to)
                waiting.append(to)
    return False


def _before(node: Any) -> Iterator[Any]:
    """List the sources of a node's numbers, recorded or not."""
    yield from (to for to, _ in node.next_functions)
    for _, operand in _operands(node):
        yield from (left.node for left in operand.cuts)

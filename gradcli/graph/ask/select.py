"""Smaller views of a graph: near its root, on the way to a name, or from a name upwards."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...errors import InputError
from ..view.scopes import Scope
from ..view.tensors import place
from ..view.view import CONST, OP, Edge, Item, Saved, View
from .calls import calls_of, named as named_calls

# Of so many items at a time it is counted at once what is hidden behind each.
_TOGETHER = 1024
_ROWS = 4096

# More names than these are not listed for somebody to choose from.
_LISTED = 12


def depth(view: View, most: int) -> View:
    """The items that so many edges lead to from the root, or fewer."""
    far = {view.root: 0}
    for item in _breadth_first(view.root):
        for to in _targets(item):
            far.setdefault(to, far[item] + 1)
    return _part(view, {item for item, edges in far.items() if edges <= most}, "depth")


def max_nodes(view: View, most: int) -> View:
    """So many items, those nearest to the root."""
    kept: set[Item] = set()
    for item in _breadth_first(view.root):
        if len(kept) == most:
            break
        kept.add(item)
    return _part(view, kept, "nodes")


def focus(view: View, name: str) -> View:
    """The items on the paths from the root to a name; to a call, with all that is in it."""
    item, calls = found_by(view, name)
    ends = inside(view, calls) if item is None else {item}
    kept = above(view, *ends)
    if item is None:
        # An op in a call is shown with the leaves and the constants that it is given.
        kept |= {to for end in ends for to in _targets(end) if to.kind != OP}
    found = _copied(view, kept)
    lost = {end: [to for to in _targets(end) if to not in kept] for end in view.items if end in ends}
    fringe = {end: hidden for end, hidden in lost.items() if hidden}
    for end, count in _hidden(view, kept, fringe).items():
        found[end].cut, found[end].hidden = "focus", count
    return taken(view, found, found[view.root], f"focus on {name if item is None else named(view, item)}")


def invert(view: View, name: str) -> View:
    """The items on those paths seen from the name: an edge leads from what is used to what uses it."""
    target = find(view, name)
    kept = above(view, target)
    found = {item: copy_of(item) for item in view.items if item in kept}
    for item, copy in found.items():
        for edge in item.edges:
            if edge.to in kept and edge.to is not None:
                back = Edge(edge.argument, copy, edge.output_nr, edge.slot)
                back.grad = edge.grad
                found[edge.to].edges.append(back)
    upwards = dict(reversed(found.items()))
    return taken(view, upwards, found[target], f"inverted from {named(view, target)}")


def found_by(view: View, name: str) -> tuple[Item | None, list[Scope]]:
    """Find the item of a name, or else the calls that are named so."""
    item = _found(view, name)
    calls = named_calls(view, name) if item is None else []
    if item is None and not calls:
        raise _unknown(view, name)
    return item, calls


def inside(view: View, calls: Collection[Scope]) -> set[Item]:
    """The ops that ran in some calls."""
    wanted = set(calls)
    return {item for item in view.ops() if item.scope is not None and not wanted.isdisjoint(item.scope.path)}


def find(view: View, name: str) -> Item:
    """The item of a name: an id, a name of the program's, or a number as the tree shows it."""
    item = _found(view, name)
    if item is None:
        raise _unknown(view, name)
    return item


def _found(view: View, name: str) -> Item | None:
    if name == view.root_name:
        return view.root
    items = view.items
    for key in (_id, _variable, _number, _label):
        # Of what was bound several times, the last.
        for item in reversed(items):
            if key(item) == name:
                return item
    for item in reversed(items):
        if any(output.name == name for output in item.results):
            return item
    # The program may have several names for one tensor.
    node = _node_of_variable(view, name)
    for item in items:
        if node is not None and item.node is node:
            return item
    return None


def variable(view: View, name: str) -> Tensor | None:
    """A tensor that the program has by this name at its end, in the graph or not."""
    run = view.whole.run
    found = None if run is None else run.variables.get(name)
    return found if isinstance(found, Tensor) else None


def _node_of_variable(view: View, name: str) -> Any:
    tensor = variable(view, name)
    return None if tensor is None else place(tensor, {})[0]


def named(view: View, item: Item) -> str:
    """The name of an item where it is shown without a drawing."""
    name = item.label if item.kind == CONST else item.variable
    return (view.root_name if item is view.root else None) or name or item.id or item.name


def above(view: View, *targets: Item) -> set[Item]:
    """The items from which a path leads to some of the view, and these."""
    kept = set(targets)
    for item in view.items:
        if any(edge.to in kept for edge in item.edges):
            kept.add(item)
    return kept


def copy_of(item: Item) -> Item:
    """The same item without its edges."""
    copy = Item(item.kind, item.name, item.node)
    for slot in _COPIED:
        setattr(copy, slot, getattr(item, slot))
    return copy


_COPIED = tuple(slot for slot in Item.__slots__ if slot not in ("kind", "name", "node", "edges"))


def edge_to(edge: Edge, to: Item | None) -> Edge:
    """The same edge between copies."""
    copy = Edge(edge.argument, to, edge.output_nr, edge.slot)
    copy.grad = edge.grad
    return copy


# -- names -------------------------------------------------------------------------------------


def _id(item: Item) -> str:
    return item.id


def _variable(item: Item) -> str | None:
    return item.variable


def _number(item: Item) -> str | None:
    return f"#{item.number}" if item.kind != CONST else None


def _label(item: Item) -> str | None:
    return item.label


def _unknown(view: View, name: str) -> InputError:
    """The error for a name that nothing in the graph has, with those that something has."""
    from ...spec.torch_names.suggest import did_you_mean

    whole = view.whole
    leaves = [item.variable or item.id for item in whole.leaves()]
    names = list(dict.fromkeys([*leaves, *(item.variable for item in reversed(whole.items) if item.variable)]))
    listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return InputError(
        f"there is no '{name}' in the graph of {view.root_name or view.root.id}",
        help=did_you_mean(name, [*names, *(item.id for item in whole.items), *(call.name for call in calls_of(whole))])
        or (f"it has {listed}" if names else None),
        code="E507",
    )


# -- parts -------------------------------------------------------------------------------------


def _targets(item: Item) -> list[Item]:
    return [edge.to for edge in item.edges if edge.to is not None]


def _breadth_first(root: Item) -> Iterable[Item]:
    """The items by their distance from the root."""
    seen = {root}
    waiting = deque([root])
    while waiting:
        item = waiting.popleft()
        yield item
        for edge in item.edges:
            to = edge.to
            if to is not None and to not in seen:
                seen.add(to)
                waiting.append(to)


def _part(view: View, kept: Collection[Item], why: str) -> View:
    """The view without what is not kept; items of which an edge led there say so."""
    if len(kept) == len(view.items):
        return view
    found = _copied(view, kept)
    fringe = {item: lost for item in found if (lost := [to for to in _targets(item) if to not in kept])}
    for item, count in _hidden(view, kept, fringe).items():
        found[item].cut = why
        found[item].hidden += count
    return taken(view, found, found[view.root], view.aspect)


def _copied(view: View, kept: Collection[Item]) -> dict[Item, Item]:
    """Copies of what is kept, in the order of the view, and of the edges between them."""
    found = {item: copy_of(item) for item in view.items if item in kept}
    for item, copy in found.items():
        copy.edges = [
            edge_to(edge, None if edge.to is None else found[edge.to])
            for edge in item.edges
            if edge.to is None or edge.to in found
        ]
    return found


def taken(view: View, found: Mapping[Item, Item], root: Item, aspect: str | None) -> View:
    """A view of copies, taken from one of which they are a part."""
    smaller = View(root, list(found.values()))
    for copy in smaller.items:
        copy.saved = [Saved(x.name, x.value, x.of and found.get(x.of, x.of), x.bytes) for x in copy.saved]
    smaller.title, smaller.spec, smaller.root_name = view.title, view.spec, view.root_name
    smaller.output_nr = 0 if root.id != view.root.id else view.output_nr
    smaller.unused = view.unused
    smaller.truncated = view.truncated + len(view.items) - len(found)
    smaller.aspect = aspect
    smaller.taken_from = view
    return smaller


def _hidden(view: View, kept: Collection[Item], fringe: Mapping[Item, list[Item]]) -> Counter[Item]:
    """Count the items that each of the fringe leads to and that are not kept, by way of such items alone."""
    behind = [item for item in reversed(view.items) if item not in kept]
    counts: Counter[Item] = Counter()
    fringed = list(fringe)
    for start in range(0, len(fringed), _TOGETHER):
        group = fringed[start : start + _TOGETHER]
        # For each hidden item one bit for each of the group that leads to it: consumers come first.
        reached: dict[Item, int] = {}
        for bit, kept_one in enumerate(group):
            for to in fringe[kept_one]:
                reached[to] = reached.get(to, 0) | 1 << bit
        tally: Counter[int] = Counter()
        for item in behind:
            bits = reached.pop(item, 0)
            if bits:
                tally[bits] += 1
                for to in _targets(item):
                    if to not in kept:
                        reached[to] = reached.get(to, 0) | bits
        counts.update(dict(zip(group, _columns(tally, len(group)), strict=True)))
    return counts


def _columns(tally: Mapping[int, int], width: int) -> list[int]:
    """Count how often each bit is set in numbers that occur so often."""
    size = (width + 7) // 8
    total = np.zeros(size * 8, np.int64)
    numbers = list(tally)
    for start in range(0, len(numbers), _ROWS):
        rows = numbers[start : start + _ROWS]
        data = b"".join(number.to_bytes(size, "little") for number in rows)
        bits = np.unpackbits(np.frombuffer(data, np.uint8).reshape(-1, size), axis=1, bitorder="little")
        total += np.array([tally[number] for number in rows]) @ bits
    return [int(count) for count in total[:width]]

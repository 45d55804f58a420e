"""The values that nodes keep for their backward: under which names, and what they are of the graph's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...engine.tape.tape import entry_of
from .tensors import array_of, is_tensor, memory_of, number_of, place
from .view import CONST, LEAF, Item, Saved

_MARK = "_saved_"
# Shapes and strides of arguments are noted, not kept.
_NOTED = "_sym_"

# PyTorch reads a negative int64_t as its unsigned twin.
_SIGN, _TURN = 2**63, 2**64


class Keeping:
    """Reads what nodes keep, and counts each stretch of memory once."""

    def __init__(
        self, items: Mapping[Any, Item], variables: Iterable[tuple[Any, Any]], held: Iterable[Any] = ()
    ) -> None:
        self._items = items
        self._names: dict[type, tuple[str, ...]] = {}
        self._leaves = {id(variable): leaf for leaf, variable in variables}
        # What the leaves and the program have in any case, and then what was counted.
        self._counted = {memory_of(variable)[0] for _, variable in variables}
        self._held = set(held)

    def read(self, node: Any) -> list[tuple[str, Any]]:
        """The values that a node keeps, by name; not what was freed, or written to since."""
        kind = type(node)
        names = self._names.get(kind)
        if names is None:
            names = self._names[kind] = _names_of(node)
        try:
            if not names and hasattr(kind, "saved_tensors"):
                kept = [(f"saved_tensors[{i}]", x) for i, x in enumerate(node.saved_tensors)]
            else:
                kept = [(name, getattr(node, _MARK + name)) for name in names]
        except RuntimeError:
            return []
        return [(name, x) for name, x in kept if x is not None]

    def maker(self, kept: Any) -> tuple[Item | None, int]:
        """The item that a kept tensor is an output of, and which output."""
        node, nr = place(kept, self._leaves)
        return self._items.get(node), nr

    def saved(self, item: Item, name: str, kept: Any) -> Saved:
        """A value that an item keeps under a name."""
        if isinstance(kept, (tuple, list)) and any(map(is_tensor, kept)):
            parts = [array_of(x) if is_tensor(x) else x for x in kept]
            return Saved(name, tuple(parts), None, sum(self._size(item, x, None) for x in kept if is_tensor(x)))
        if not is_tensor(kept) and not isinstance(kept, np.ndarray):
            return Saved(name, _plain(kept), None, 0)
        of = None if isinstance(kept, np.ndarray) else self.maker(kept)[0]
        if of is None:
            for edge in item.edges:
                if edge.argument == name and (edge.to is None or edge.to.kind == CONST):
                    # An argument that no gradient goes to.
                    of = edge.to
        return Saved(name, array_of(kept), of, self._size(item, kept, of))

    def _size(self, item: Item, kept: Any, of: Item | None) -> int:
        """The bytes that the graph alone holds, each stretch of memory counted once."""
        key, size = memory_of(kept)
        if key in self._counted or number_of(kept) is not None:
            return 0
        if of is not None and of.kind == CONST:
            of = None
        if _is_recomputed(item) and (of is None or _is_recomputed(of)):
            # A checkpoint keeps what it was given, and computes the rest again.
            return 0
        if (of is None and key in self._held) or (of is not None and of.kind == LEAF):
            return 0
        self._counted.add(key)
        return size


def _is_recomputed(item: Item) -> bool:
    entry = entry_of(item.node)
    return entry is not None and entry.recomputed


def _names_of(node: Any) -> tuple[str, ...]:
    return tuple([n[len(_MARK) :] for n in dir(node) if n.startswith(_MARK) and _NOTED not in n])


def _plain(value: Any) -> Any:
    """A kept plain value; a negative number as it was given."""
    if isinstance(value, (tuple, list)):
        return tuple([_plain(x) for x in value])
    return value - _TURN if type(value) is int and value >= _SIGN else value

"""What nodes keep for their backward: under which names, and what it is of the graph's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .tensors import array_of, is_tensor, memory_of, place
from .view import OP, Item, Saved

_MARK = "_saved_"

# PyTorch reads a negative int64_t as its unsigned twin.
_SIGN, _TURN = 2**63, 2**64


class Keeping:
    """Reads what nodes keep, and counts each stretch of memory once."""

    def __init__(self, items: Mapping[Any, Item], variables: Iterable[tuple[Any, Any]]) -> None:
        self._items = items
        self._names: dict[type, tuple[str, ...]] = {}
        self._leaves = {id(variable): leaf for leaf, variable in variables}
        # What the leaves have in any case, and then what was counted.
        self._counted = {memory_of(variable)[0] for _, variable in variables}

    def read(self, node: Any) -> list[tuple[str, Any]]:
        """What a node keeps, by name; not what was freed, or written to since."""
        kind = type(node)
        names = self._names.get(kind)
        if names is None:
            names = self._names[kind] = tuple([name[len(_MARK) :] for name in dir(node) if name.startswith(_MARK)])
        try:
            if not names and hasattr(kind, "saved_tensors"):
                return [(f"saved_tensors[{i}]", x) for i, x in enumerate(node.saved_tensors)]
            return [(name, getattr(node, _MARK + name)) for name in names]
        except RuntimeError:
            return []

    def maker(self, kept: Any) -> tuple[Item | None, int]:
        """The item that a kept tensor is an output of, and which output."""
        node, nr = place(kept, self._leaves)
        return self._items.get(node), nr

    def saved(self, item: Item, name: str, kept: Any) -> Saved:
        """What an item keeps under a name."""
        if not is_tensor(kept) and not isinstance(kept, np.ndarray):
            return Saved(name, _plain(kept), None, 0)
        of = None if isinstance(kept, np.ndarray) else self.maker(kept)[0]
        # An argument without an edge is the program's own.
        given = next((edge for edge in item.edges if edge.argument == name), None)
        if of is None and given is not None:
            of = given.to
        key, size = memory_of(kept)
        if key in self._counted or (of is not None and of.kind != OP) or (of is None and given is not None):
            size = 0
        self._counted.add(key)
        return Saved(name, array_of(kept), of, size)


def _plain(value: Any) -> Any:
    """A kept plain value; a negative number as it was given."""
    if isinstance(value, (tuple, list)):
        return tuple([_plain(x) for x in value])
    return value - _TURN if type(value) is int and value >= _SIGN else value

"""The effect of a single op on a gradient."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.graph import BaseNode, node_of
from ...engine.modes import no_grad
from ...errors import raised_by_program
from .gradients import fitted
from .tensors import array_of
from .view import Array, Item


def shares(item: Item, output_nr: int, given: Array) -> Sequence[Array | None] | None:
    """The gradients that an op passes on along each of its edges when this arrives at one of its outputs.

    None when it cannot be asked: it has no node, what it kept was freed, or it refuses.
    """
    node = item.node
    if node is None:
        return None
    arriving = [given if nr == output_nr else None for nr in range(item.outputs)]
    try:
        with np.errstate(all="ignore"):
            return _of_gradcli(node, arriving) if isinstance(node, BaseNode) else _of_torch(node, arriving)
    except raised_by_program(RuntimeError):
        # A custom backward may raise anything; PyTorch's own nodes refuse with this.
        return None


def _of_gradcli(node: Any, arriving: list[Any]) -> list[Array | None]:
    with no_grad():
        found = node.run(arriving[0] if len(arriving) == 1 else arriving, node.edges)
    return [
        None if share is None or node_of(edge) is None else fitted(np.asarray(share), edge.shape, edge.dtype)
        for edge, share in zip(node.edges, found, strict=False)
    ]


def _of_torch(node: Any, arriving: list[Any]) -> list[Array | None]:
    torch = sys.modules["torch"]
    tensors = [None if array is None else torch.from_numpy(np.array(array)) for array in arriving]
    with torch.no_grad():
        found = node(*tensors)
    return [None if share is None else array_of(share) for share in (found if isinstance(found, tuple) else (found,))]

"""The tangent of every node: its change where each entry of the leaves, or of one of them, changes by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.forward import recorded
from ...engine.tape.entry import entry_of
from .view import LEAF, OP, Item, Output, View


def fill(view: View, only: Any = None) -> None:
    """Fill in the tangents along all leaves of a view, or along ``only`` one."""
    view.moving = [item for item in view.leaves() if only in (None, item.node)]
    ones = {item.node: np.ones_like(item.node.variable._a) for item in view.moving}
    nodes = [item.node for item in view.items if item.kind == OP]
    known = recorded.along(nodes, ones)
    for item in view.items:
        if item.kind not in (OP, LEAF):
            continue
        outputs: Sequence[Item | Output] = item.results or [item]
        for nr, one in enumerate(outputs):
            one.tangent = known.get((item.node, nr))
            if view.untold is None and (item.node, nr) in known and one.tangent is None:
                view.untold = item if _is_floating(item.node, nr) else None


def _is_floating(node: Any, nr: int) -> bool:
    """Tell whether an output could have a tangent."""
    entry = entry_of(node)
    array = None if entry is None else entry.outputs[nr]
    return array is None or array.dtype.kind in "fc"

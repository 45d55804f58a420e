"""Which leaves outputs are differentiated with respect to, and whether a run can be given other values for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InputError, Span
from ...spec.node_names import Trace
from ...spec.torch_names.suggest import did_you_mean
from .recorded_graph import Graph, equal

# An offer of names is to be read.
_OFFERED = 12


def wanted(graph: Graph, trace: Trace, of: str, wrt: Sequence[str]) -> list[Any]:
    """The leaves that ``--wrt`` names, or all that there are."""
    leaves = {graph.names[leaf]: leaf for leaf in graph.leaves}
    listed = list(leaves)[:_OFFERED]
    more = f" and {len(leaves) - len(listed)} more" if len(leaves) > len(listed) else ""
    offer = f"{of} depends on {', '.join(listed)}{more}" if leaves else f"{of} depends on no leaf"
    if not leaves:
        raise InputError(offer, help="compute it from a tensor with requires_grad=True", code="E503")
    for name in wrt:
        if name not in leaves:
            there = name in trace.leaves.values()
            message = f"{of} does not depend on {name}" if there else f"the program has no leaf '{name}'"
            raise InputError(message, help=(not there and did_you_mean(name, leaves)) or offer, code="E503")
    chosen = [leaves[name] for name in dict.fromkeys(wrt)] or list(leaves.values())
    for leaf in chosen:
        refuse_infinite(graph.names[leaf], graph.at(leaf)._a, trace.span_of(leaf))
    return chosen


def refuse_infinite(name: str, a: Any, span: Span | None) -> None:
    """Refuse a point that is none."""
    a = np.asarray(a)
    wrong = np.argwhere(~np.isfinite(a))
    if len(wrong):
        place = f"[{', '.join(map(str, wrong[0].tolist()))}]" if a.ndim else ""
        number = a[tuple(wrong[0])]
        raise InputError(
            f"there is no gradient to check at {name}{place} = {number}",
            span=span,
            help="a gradient is checked where all leaves are finite",
            code="E503",
        )


def why_fixed(graph: Graph, trace: Trace, ordinals: Mapping[Any, int]) -> str | None:
    """Why a program cannot be run again with other values for its leaves, as far as one run tells."""
    for leaf in graph.leaves:
        if leaf not in ordinals:
            return f"{graph.names[leaf]} is made where nobody sees it"
        if not equal(graph.at(leaf)._a, leaf.variable._a):
            return f"the program writes to {graph.names[leaf]} after it is made"
    return None

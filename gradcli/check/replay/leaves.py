"""Which leaves outputs are differentiated with respect to, and whether a run can be given other values for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.tape.entry import Cut, entry_of, operands_in
from ...errors import InputError, Span
from ...graph.ask.cuts import leads_to
from ...spec.node_names import Trace
from ...spec.torch_names.suggest import did_you_mean
from .real_parts import Split
from .recorded_graph import Graph, equal

# An offer of names is to be read; so many leaves are looked at that are not in the graph.
_OFFERED, _UNSEEN = 12, 64


def cuts_of(nodes: Sequence[Any]) -> Iterator[tuple[Any, Cut]]:
    """The places where numbers left the graph, each with the last node that they come back into."""
    seen: set[Cut] = set()
    for node in reversed(nodes):
        for cut in cuts_into(node):
            if cut not in seen:
                seen.add(cut)
                yield node, cut


def cuts_into(node: Any) -> Iterator[Cut]:
    """The places where numbers left the graph that come back into a node."""
    entry = entry_of(node)
    for x in () if entry is None else operands_in(entry.args):
        # What has a place in the graph has not left it, even if a forward of the program's own made it unrecorded.
        yield from x.cuts if x.edge is None else ()


def unseen(graph: Graph, trace: Trace, split: Split, wrt: Sequence[str]) -> list[Any]:
    """The leaves that ask for a gradient and are not in the graph, though numbers of theirs may have come into it."""
    cuts = [cut for _, cut in cuts_of(graph.ops)]
    return [
        leaf
        for whole, name in trace.leaves.items()
        for leaf, _ in split.standing_for([whole])
        if leaf not in graph.found
        and leaf.variable.requires_grad
        and (not wrt or name in wrt)
        and not trace.changed(whole)
        and leaf.variable._a.dtype.kind == "f"
        and not leaf.variable.is_meta
        and np.all(np.isfinite(leaf.variable._a))
        and (trace.tape.escapes or any(leads_to(cut, whole) for cut in cuts))
    ][:_UNSEEN]


def wanted(
    graph: Graph, trace: Trace, split: Split, of: str, wrt: Sequence[str], outside: Sequence[Any] = ()
) -> list[Any]:
    """The leaves that ``--wrt`` names, or all that there are; ``outside``: those that may matter beside the graph."""
    leaves = {graph.names[leaf]: leaf for leaf in graph.leaves}
    listed = list(leaves)[:_OFFERED]
    more = f" and {len(leaves) - len(listed)} more" if len(leaves) > len(listed) else ""
    offer = f"{of} depends on {', '.join(listed)}{more}" if leaves else f"{of} depends on no leaf"
    if not leaves:
        raise InputError(offer, help="compute it from a tensor with requires_grad=True", code="E503")
    names = [trace.leaves[split.whole_of(leaf)] for leaf in outside]
    wrt = [part for name in wrt if name not in names for part in split.named(name, trace.leaves)]
    for name in wrt:
        if name not in leaves:
            there = name in trace.leaves.values()
            message = f"{of} does not depend on {name}" if there else f"the program has no leaf '{name}'"
            raise InputError(message, help=(not there and did_you_mean(name, leaves)) or offer, code="E503")
    chosen = [leaves[name] for name in dict.fromkeys(wrt)] or list(leaves.values())
    for leaf in chosen:
        refuse_infinite(graph.names[leaf], graph.at(leaf)._a, trace.span_of(split.whole_of(leaf)))
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


def why_fixed(graph: Graph, places: Mapping[Any, Any], split: Split) -> str | None:
    """Why a program cannot be run again with other values for its leaves, as far as one run tells."""
    for leaf in graph.leaves:
        if leaf not in places:
            return f"{graph.names[leaf]} is made where nobody sees it"
        if not equal(graph.at(leaf)._a, split.by_now(leaf)):
            return f"the program writes to {graph.names[leaf]} after it is made"
    return None

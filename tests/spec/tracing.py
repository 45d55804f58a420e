"""Traced runs in the tests: programs given as text, and their graphs by id."""

from __future__ import annotations

import textwrap
from typing import Any

from gradcli.engine.graph import LEAF, node_of
from gradcli.engine.tensor import Tensor
from gradcli.spec.node_names import Naming
from gradcli.spec.program import Run

from .running import program


def traced(text: str, **how: Any) -> Run:
    """A program's traced run."""
    with program(textwrap.dedent(text)).recorded(**how) as run:
        return run


def nodes_of(root: Tensor) -> list[Any]:
    """The nodes of a graph: its leaves, then its ops in forward order."""
    seen: dict[Any, None] = {}
    waiting = [node_of(root._node)]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen[node] = None
            waiting += [before for before, _ in reversed(node.next_functions)]
    leaves = [node for node in seen if node.kind == LEAF]
    return leaves + sorted((node for node in seen if node.kind != LEAF), key=lambda node: node.seq)


def naming(run: Run, root: Tensor | None = None) -> Naming:
    """The names in the graph of a program's root."""
    assert run.trace is not None
    meant = root if root is not None else run.root if run.root is not None else run.trace.last
    assert meant is not None
    return run.trace.naming(nodes_of(meant))


def drawn(run: Run, root: Tensor | None = None) -> list[str]:
    """The graph of a program's root, one node a line: its id, its name, and the ids behind its edges."""
    ids = naming(run, root).ids
    return [
        f"{ids[node]} {node.name().removeprefix('torch::autograd::')} "
        f"{[ids.get(before) for before, _ in node.next_functions]}"
        for node in ids
        if node.kind != LEAF
    ]


def op_ids(text: str) -> list[str]:
    """The ids of the ops of a program's graph, in forward order."""
    run = traced(text)
    return [name for node, name in naming(run).ids.items() if node.kind != LEAF]

"""A part of a program: from its inputs to one op, and which of them the gradient of an argument of it goes to."""

from __future__ import annotations

import copy
from typing import Any

from ...engine.graph import MultiNode, Output as Edge
from ...engine.tape.entry import entry_of
from ...engine.tensor import Tensor, result
from ...graph.view.reach import reachable
from .real_parts import parts_of_root
from .recorded_graph import Output
from .subject import Subject


def first_input(subject: Subject, node: Any, slot: int) -> str | None:
    """The first of the inputs that are asked about that the gradient of an argument goes to."""
    before, _ = node.next_functions[slot]
    reached = {} if before is None else reachable(before)
    return next((x.name for x in subject.inputs if x.tensor._node in reached), None)


def ending_at(subject: Subject, node: Any, name: str | None = None) -> Subject:
    """The part of a program from its inputs to the outputs of one op, which have one name, or else numbers."""
    there = copy.copy(subject)
    there.outputs = [Output(name or str(i), root, None, None) for i, root in enumerate(outputs_of(node))]
    there.__dict__.pop("plan", None)
    return there


def outputs_of(node: Any) -> list[Tensor]:
    """The outputs of an op that have a gradient, each in its place in the graph."""
    entry = entry_of(node)
    assert entry is not None
    roots: list[Tensor] = []
    for nr, a in enumerate(entry.outputs):
        if a is not None and a.dtype.kind in "fc":
            root = result(a)
            root._node = Edge(node, nr, root._a) if isinstance(node, MultiNode) else node
            roots += [part for part, _ in parts_of_root(root, None)]
    return roots

"""gradcli on the complex sample inputs that PyTorch tests its own ops with: values, nodes, two orders of gradients.

``python -m tests.conformance.complex_op_db [NAME ...]`` prints what became of every op, or of those named.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np

from .op_db import UNWRITTEN, Outcome, _unequal, full_name, judge_sample, judged, op_db, samples, show

SAMPLES_PER_OP = 12


def op_infos() -> list[Any]:
    """PyTorch's list of ops, of those with gradients of complex128."""
    import torch

    return [
        op for op in op_db()
        if torch.complex128 in op.supported_backward_dtypes("cpu") and op.supports_autograd
        and not op.name.startswith(UNWRITTEN)
    ]  # fmt: skip


def judge(op: Any, function: Any) -> Outcome:
    """Compare the samples of an op."""
    import torch

    outcome = Outcome(full_name(op))
    for sample in samples(op, torch.complex128, SAMPLES_PER_OP):
        judge_sample(outcome, op, function, sample, _Answer, difference)
    return outcome


class _Answer:
    """What a library says of a call: its results, their graph, and two orders of gradients."""

    def __init__(self, library: Any, outs: list[Any], leaves: list[Any]) -> None:
        random = np.random.default_rng(0)
        self.values = outs
        needing = [y for y in outs if y.requires_grad]
        self.nodes = [nodes(y) for y in needing]
        self.first: Any = []
        self.plain: Any = []
        self.first_nodes: Any = []
        self.second: Any = []
        if not needing or not leaves:
            return
        seeds = [library.tensor(_drawn(random, y), dtype=y.dtype, requires_grad=True) for y in needing]
        self.first = library.autograd.grad(needing, leaves, seeds, create_graph=True, allow_unused=True)
        self.plain = library.autograd.grad(needing, leaves, seeds, retain_graph=True, allow_unused=True)
        depends = [g for g in self.first if g is not None and g.requires_grad]
        self.first_nodes = [nodes(g) for g in depends]
        if not depends:
            return
        ways = [library.tensor(_drawn(random, g), dtype=g.dtype) for g in depends]
        self.second = library.autograd.grad(depends, [*leaves, *seeds], ways, allow_unused=True)


def _drawn(random: Any, y: Any) -> Any:
    part = random.uniform(0.5, 1.5, tuple(y.shape))
    return part + 1j * random.uniform(-1, 1, tuple(y.shape)) if y.is_complex() else part


def nodes(t: Any) -> Counter[str]:
    """The names of the nodes that a tensor was computed by, and how many there are of each."""
    found: Counter[str] = Counter()
    seen: dict[int, Any] = {}
    stack = [t.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in seen:
            seen[id(node)] = node
            found[node.name()] += 1
            stack += [following for following, _ in node.next_functions]
    return found


def difference(theirs: _Answer, ours: _Answer) -> str | None:
    """The first difference between two answers, or None."""
    fault = _unequal("value", theirs.values, ours.values)
    for w, g in zip(theirs.values, ours.values, strict=False):
        if not fault and w.requires_grad != g.requires_grad:
            fault = f"requires_grad is {g.requires_grad}"
    fault = fault or _unequal("gradient", theirs.first, ours.first)
    fault = fault or _unequal("gradient without create_graph", theirs.plain, ours.plain)
    fault = fault or _unequal("second gradient", theirs.second, ours.second, zeros=True)
    if not fault and theirs.nodes != ours.nodes:
        return f"graph is {_apart(theirs.nodes, ours.nodes)}"
    if not fault and theirs.first_nodes != ours.first_nodes:
        return f"graph of the gradient is {_apart(theirs.first_nodes, ours.first_nodes)}"
    return fault


def _apart(theirs: list[Any], ours: list[Any]) -> str:
    """The nodes that only one has."""
    for w, g in zip(theirs, ours, strict=False):
        if w != g:
            return f"{dict(g - w)}, not {dict(w - g)}"
    return f"{len(ours)} graphs, not {len(theirs)}"


def report(names: list[str]) -> tuple[list[Outcome], list[str]]:
    """The outcomes of the ops that gradcli has, and the names of those it has not."""
    return judged(op_infos(), judge, names)


if __name__ == "__main__":
    from . import exempt

    show(*report(sys.argv[1:]), exempt.COMPLEX_OP_DB)

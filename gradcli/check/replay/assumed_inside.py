"""Custom Functions that take a matrix to be symmetric, since an op in their forward does.

`cholesky` reads one half of its matrix. A Function around it whose gradient is symmetric means: entries that mirror
each other are moved together.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import MultiNode
from ...engine.modes import no_grad
from ...engine.tape.entry import Operand, entry_of
from ...errors import raised_by_program
from .assumptions import SYMMETRIC, Assumed, assumed, is_mirrored
from .inside_function import FORWARD, inside

# What is known of nodes so far: to run a long forward once more takes its time.
_known: WeakKeyDictionary[FunctionNode, list[Assumed]] = WeakKeyDictionary()


def assumed_by(node: FunctionNode) -> list[Assumed]:
    """The arguments that a custom Function takes to be symmetric, and that are."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _assumed_by(node)
    return found


def _assumed_by(node: FunctionNode) -> list[Assumed]:
    entry = entry_of(node)
    assert entry is not None
    operands = [(place, a.value.array, a.slot) for place, a in enumerate(entry.arguments) if type(a.value) is Operand]
    mirrored = [(place, a, slot) for place, a, slot in operands if a.dtype.kind == "f" and is_mirrored(a)]
    if not mirrored or not _reads_a_half(node):
        return []
    shares = dict(enumerate(_passed_on(node)))
    own = [(place, a, shares.get(slot)) for place, a, slot in mirrored if slot is not None]
    return [Assumed(place, a, SYMMETRIC) for place, a, g in own if g is not None and is_mirrored(np.asarray(g))]


def _reads_a_half(node: FunctionNode) -> bool:
    """True where an op in the forward takes its matrix to be symmetric, and it is."""
    try:
        seen = inside(node, node.function, np.random.default_rng(0))
    except raised_by_program():
        # A forward may raise anything when it is run again: nothing is known of it then.
        return False
    entries = (entry_of(inner) for phase, inner in seen.watch.nodes if phase == FORWARD)
    found = (assumed(entry.op, entry.args) for entry in entries if entry is not None)
    return any(each is not None and each.premise is SYMMETRIC and each.holds for each in found)


def _passed_on(node: FunctionNode) -> list[Any]:
    """The gradients that the backward passes on when ones arrive; nothing where it refuses."""
    several = isinstance(node, MultiNode) and node.outputs > 1
    shapes, kinds = (node.shape, node.dtype) if several else ((node.shape,), (node.dtype,))
    ones = [None if kind is None else np.ones(shape, kind)[()] for shape, kind in zip(shapes, kinds, strict=True)]
    try:
        with no_grad(), np.errstate(all="ignore"):
            return list(node.run(ones if several else ones[0], node.edges))
    except raised_by_program():
        # A custom backward may raise anything.
        return []

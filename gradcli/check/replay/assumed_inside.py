"""Custom Functions that take an argument to be more than numbers, since an op in their forward does.

`cholesky` reads one half of its matrix. A Function around it whose gradient is symmetric means: entries that mirror
each other are moved together. So it is with the other premises, as far as the Function's own gradient shows them.
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
from .assumptions import Assumed, Premise, assumed, may_be_assumed
from .custom_function.inside_function import FORWARD, inside

# What is known of nodes so far: to run a long forward once more takes its time.
_known: WeakKeyDictionary[FunctionNode, list[Assumed]] = WeakKeyDictionary()


def assumed_by(node: FunctionNode) -> list[Assumed]:
    """The arguments that a custom Function takes to be something, and that are."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _assumed_by(node)
    return found


def _assumed_by(node: FunctionNode) -> list[Assumed]:
    entry = entry_of(node)
    assert entry is not None
    operands = [(place, a.value.array, a.slot) for place, a in enumerate(entry.arguments) if type(a.value) is Operand]
    floating = [(place, a, slot) for place, a, slot in operands if a.dtype.kind == "f" and slot is not None]
    # To look inside takes a run.
    if not any(may_be_assumed(a) for _, a, _ in floating):
        return []
    premises = _premises(node)
    shares = dict(enumerate(_passed_on(node))) if premises else {}
    found = []
    for place, a, slot in floating:
        g = shares.get(slot)
        fitting = [x for x in premises if g is not None and x.holds_of_input(a) and x.shows(a, np.asarray(g))]
        found += [Assumed(place, a, x) for x in fitting[:1]]
    return found


def _premises(node: FunctionNode) -> list[Premise]:
    """The premises of the ops in the forward that their arguments fulfil."""
    try:
        seen = inside(node, node.function, np.random.default_rng(0))
    except raised_by_program():
        # A forward may raise anything when it is run again: nothing is known of it then.
        return []
    entries = (entry_of(inner) for phase, inner in seen.watch.nodes if phase == FORWARD)
    found = (assumed(entry.op, entry.args) for entry in entries if entry is not None)
    return list({id(each.premise): each.premise for each in found if each is not None and each.holds}.values())


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

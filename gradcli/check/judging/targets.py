"""The targets of losses: which numbers are compared with what the graph makes, as far as the place tells.

PyTorch's losses name theirs. By hand, a distance is taken from one, or the cosine of the angle to one, or the
logarithms of probabilities are weighed by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.tape.entry import Argument, Cut, Operand, entry_of
from ...graph.ask.cuts import leads_to
from ..arrays import Array

# A loss that is built of ops: between which sequence numbers it ran, and where its target left its graph.
Aimed = tuple[int, int, frozenset[int]]

# The losses that are the same with their arguments exchanged.
_NAME, _EITHER = "target", ("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0")
# What makes a distance of a difference, and of a power that one is of this parity.
_DIFFERENCE, _POWER, _EVEN = "SubBackward0", "PowBackward0", 2
_DISTANCES = ("AbsBackward0", "LinalgVectorNormBackward0", "NormBackward1")
# What multiplies number by number, and sums that up at once along the last axis of one and the last but one of another.
_TIMES, _SUMS = "MulBackward0", ("SumBackward0", "SumBackward1")
_PRODUCTS = ("MmBackward0", "BmmBackward0", "MvBackward0", "DotBackward0")
# What makes the logarithms of probabilities, and in two steps; what only moves, scales or lays out numbers.
_LOGARITHMS = ("LogSoftmaxBackward0", "LogSigmoidBackward0")
_LOGS, _PROBABILITIES = ("LogBackward0", "Log1PBackward0"), ("SoftmaxBackward0", "SigmoidBackward0")
LAYOUTS = ("SqueezeBackward0", "SqueezeBackward1", "ViewBackward0", "UnsqueezeBackward0")
_SHIFTS, _SCALES = ("AddBackward0", "SubBackward0", "RsubBackward1", "NegBackward0"), (_TIMES, "DivBackward0")
_CLAMPS = ("ClampBackward1", "ClampMinBackward0")

# Lengths that differ from 1 by less are 1.
_UNIT = 1e-6


class Targets:
    """Which numbers are targets, of all that the nodes of a graph are given."""

    def __init__(self, nodes: Sequence[Any], aimed: Sequence[Aimed]) -> None:
        self._aimed = aimed
        self._users: dict[Any, list[Any]] = {}
        for node in nodes:
            for before in dict.fromkeys(before for before, _ in node.next_functions):
                self._users.setdefault(before, []).append(node)
        # By the nodes that weigh logarithms of probabilities, or set numbers beside those first, what these are of.
        self._logits: dict[Any, Any] = {}
        for node in nodes:
            if node.name() == _TIMES:
                self._weighs(node)

    def is_place_of(self, node: Any, argument: Argument) -> bool:
        """Tell whether all numbers without a graph are a target where they are this argument of a node."""
        if argument.name == _NAME or node.name() in _EITHER or self._is_distance(node):
            return True
        return self._is_cosine(node, argument)

    def is_one(self, cut: Cut, node: Any) -> bool:
        """Tell whether numbers that left the graph and come back into a node are a target there.

        That of logarithms is made of something else: probabilities held fixed beside their own logarithms are a
        mistake, but where the program says by name that they are a target.
        """
        now = node._sequence_nr()
        if any(first < now < last and cut.seq in cuts for first, last, cuts in self._aimed):
            return True
        return node in self._logits and not leads_to(cut, self._logits[node])

    def _is_distance(self, node: Any) -> bool:
        """Tell whether nothing is made of a difference but squares and absolute values."""
        users = self._users.get(node)
        return node.name() == _DIFFERENCE and bool(users) and all(_is_distance_of(node, x) for x in users or ())

    def _is_cosine(self, node: Any, argument: Argument) -> bool:
        """Tell whether a node multiplies vectors of length 1, as many a loss does in place of their distance."""
        entry = entry_of(node)
        users = self._users.get(node, ())
        summed = node.name() == _TIMES and users and all(x.name() in _SUMS for x in users)
        if entry is None or not (summed or node.name() in _PRODUCTS):
            return False
        pair = [x.value.array for x in entry.operands if isinstance(x.value, Operand)]
        if len(pair) != 2 or any(a is None or not a.ndim for a in pair):
            return False
        if not summed:
            axes = [(-1, -2 if pair[1].ndim > 1 else -1)]
        else:
            axes = [(-axis, -axis) for axis in range(1, min(a.ndim for a in pair) + 1)]
        return any(_is_unit(pair[0], one) and _is_unit(pair[1], other) for one, other in axes)

    def _weighs(self, node: Any) -> None:
        """Note of a product, and of what was added to its argument first, of which logits that has the logarithms."""
        beside = [node]
        node = _only(node)
        while node is not None and node.name() in _SHIFTS and self._users[node] == beside[-1:]:
            beside.append(node)
            node = _only(node)
        logits = _logits_of(node)
        if logits is not None:
            self._logits.update(dict.fromkeys(beside, logits))


def _only(node: Any) -> Any:
    """The node that a node was given numbers of, where there is one."""
    before = [x for x, _ in node.next_functions if x is not None]
    return before[0] if len(before) == 1 else None


def _logits_of(node: Any) -> Any:
    """The source of the logits of whose probabilities a node takes the logarithms; None of any other node."""
    if node is not None and node.name() in _LOGS:
        node = _before(node, (*_SHIFTS, *_CLAMPS, *LAYOUTS))
        if node.name() not in _PROBABILITIES:
            return None
    elif node is None or node.name() not in _LOGARITHMS:
        return None
    return _before(node, (*_SCALES, *_SHIFTS, *LAYOUTS))


def _before(node: Any, passing: Sequence[str]) -> Any:
    """The first node before one that does more than to pass on numbers of one other."""
    node = node.next_functions[0][0] if _only(node) is None else _only(node)
    while node.name() in passing and _only(node) is not None:
        node = _only(node)
    return node


def _is_distance_of(difference: Any, node: Any) -> bool:
    """Tell whether a node makes a distance of a difference: its size, or an even power."""
    if node.name() in _DISTANCES:
        return True
    if node.name() == _TIMES:
        return all(before is difference for before, _ in node.next_functions)
    entry = entry_of(node)
    if node.name() != _POWER or entry is None:
        return False
    powers = list(entry.attributes.values())
    return len(powers) == 1 and isinstance(powers[0], int | float) and powers[0] % _EVEN == 0


def _is_unit(a: Array, axis: int) -> bool:
    """Tell whether all vectors along an axis are of length 1, and of more than one number."""
    if a.shape[axis] < 2:
        return False
    squares = np.sum(np.abs(np.asarray(a, np.complex128)) ** 2, axis)
    return bool(np.all(np.abs(squares - 1) < _UNIT))

"""A tape for a forward that is run alone: also what has no gradient has a place in its graph there.

Comparisons and what is chosen by them, what is computed while nothing is recorded, what is detached: a graph of
gradients does not show how such numbers were made, a graph of values does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....engine.graph import Node, Output, next_sequence_number
from ....engine.tape.entry import Cut, Operand
from ....engine.tape.tape import Tape, origin_of
from ....engine.tensor import Tensor, View, result

# Why numbers leave a graph that stay as they are.
_AS_THEY_ARE = frozenset(("data", "detach"))


class Valued(Node):
    """An op whose result has no gradient, in a graph of values."""

    __slots__ = ()


class _Place(NamedTuple):
    """Where the numbers of a tensor come from, as long as they are those that it held then."""

    tensor: Tensor
    held: Any
    edge: Any


class Truth(NamedTuple):
    """A number whose truth value was read, in the graph of values, and that truth value."""

    number: Tensor
    outcome: bool


class Following(Tape):
    """A tape that knows where also those numbers come from that no graph of gradients leads to."""

    def __init__(self) -> None:
        super().__init__()
        # Whether a backward ran: what that makes is in no graph.
        self.ran_backward = False
        # The truth values that were read, as conditions are, in their order; and whether anything else was read.
        self.truths: list[Truth] = []
        self.reads_more = False
        # By the id() of a tensor.
        self._places: dict[int, _Place] = {}

    @property
    def follows(self) -> bool:
        """Tell whether some numbers were followed that no graph of gradients shows."""
        return bool(self._places)

    def runs(self, node: Any, create_graph: bool) -> None:
        """Note that a backward runs a node."""
        self.ran_backward = True
        super().runs(node, create_graph)

    def operand(self, x: Tensor) -> Operand:
        """A tensor as it is now, with the place that it has here."""
        made = super().operand(x)
        if made.edge is None:
            place = self._places.get(id(x))
            if place is not None and place.held is made.held:
                made.edge, made.cuts = place.edge, ()
        return made

    def read(self, how: str, *tensors: Tensor) -> None:
        """Note what was read of tensors by no op."""
        self.reads_more = True
        super().read(how, *tensors)

    def escaped(self, source: Tensor, how: str) -> None:
        """Note a truth value that was read, and where its number comes from."""
        super().escaped(source, how)
        if not source._cuts and origin_of(source) is None:
            return
        edge = self.operand(source).edge
        if how != "bool" or edge is None or source._a.size != 1:
            self.reads_more = True
            return
        number: Any = result(np.array(source._a))
        number._node = edge
        self.truths.append(Truth(number, bool(source._a)))

    def several_unrecorded(self, results: Sequence[Tensor | None], args: Sequence[Any], op: Any = None) -> None:
        """Write down how results were made that have no gradient."""
        super().several_unrecorded(results, args, op)
        if op is None or not any(t is not None and t._cuts for t in results):
            return
        node = Valued()
        node.seq = next_sequence_number()
        self.record(node, op, args, [None if t is None else t._a for t in results])
        if len(results) == 1 and results[0] is not None:
            self._puts(results[0], node)
            return
        for nr, t in enumerate(results):
            if t is not None:
                self._puts(t, Output(node, nr, t._a))

    def cut(self, t: Tensor, source: Tensor, reason: str) -> None:
        """Note that numbers left their graph, and where they are from."""
        edge = self.operand(source).edge if reason in _AS_THEY_ARE else None
        super().cut(t, source, reason)
        if edge is not None:
            self._puts(t, edge)

    def stands_in(self, old: Tensor, t: Tensor) -> None:
        """Give what stands for a tensor the place of that."""
        old._cuts = t._cuts
        edge = self.operand(t).edge if t._cuts else None
        if edge is not None:
            self._puts(old, edge)

    def written(self, t: Tensor, cuts: Sequence[Cut], new: Tensor | None = None, by: str = "") -> None:
        """Forget where the numbers were from that are written over, or know it of all that stand there now."""
        super().written(t, cuts, new, by)
        self._places.pop(id(t), None)
        edge = None if new is None or isinstance(t, View) else self.operand(new).edge
        if edge is not None:
            self._puts(t, edge)

    def rooted(self, x: Any) -> Any:
        """A tensor that hangs in the graph of values; itself where it hangs in one of gradients, or in none."""
        if not isinstance(x, Tensor) or not x._cuts:
            return x
        edge = self.operand(x).edge
        if edge is None:
            return x
        made: Any = result(x._a)
        made._node = edge
        return made

    def _puts(self, t: Tensor, edge: Any) -> None:
        self._places[id(t)] = _Place(t, self._hold(t._a), edge)

"""Entries of a tape: which op it was, what it was given, and what it made."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..graph import OUTPUT, next_sequence_number, node_of
from ..tensor import Tensor
from .frames import Frame


class Held:
    """An array as it was when an entry was made."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array


# Why numbers leave the graph inside a function of PyTorch's that means another gradient than its own.
ESTIMATOR = "estimator"
# Why they do where such a function raises what is too small, and its gradient stays that of what was not raised.
RAISED = "raised"
# And why they do in what a layer of PyTorch's keeps for later, such as running statistics: no gradient is to go there.
KEPT = "kept"
# And those of a parameter in a copy of the program's own, which it may move by hand.
SHADOW = "clone"
# That of whole numbers which an op gives beside its results.
BESIDE = "beside"


class Cut:
    """A place where numbers left the graph: ``detach``, ``data``, ``no_grad``, ``inference_mode``, ``integer`` ..."""

    __slots__ = ("edge", "label", "reason", "seq")

    def __init__(self, reason: str, edge: Any, label: str | None) -> None:
        self.reason = reason
        # What the numbers came from: a node, a leaf, or an output of a node.
        self.edge = edge
        # The program's name for what they came from.
        self.label = label
        # When it happened, in the count of sequence numbers: it tells the place.
        self.seq = next_sequence_number()

    @property
    def node(self) -> Any:
        """The node that the numbers came from."""
        return node_of(self.edge)


class Operand:
    """A tensor as an op was given it."""

    __slots__ = ("called", "cuts", "edge", "held", "source")

    edge: Any
    held: Any
    # The tensor itself, while it lives, what it was called when it was given, and where its numbers left the graph.
    source: weakref.ref[Tensor]
    called: str | None
    cuts: tuple[Cut, ...]

    @property
    def array(self) -> Any:
        """Its numbers; None when they were written to since and could not be kept."""
        held = self.held
        return held.array if type(held) is Held else held

    @property
    def label(self) -> str | None:
        """The program's name for it."""
        tensor = self.source()
        return self.called if tensor is None else tensor._label

    @property
    def node(self) -> Any:
        """The node or leaf that made it; None of a constant."""
        return node_of(self.edge)

    @property
    def output_nr(self) -> int:
        """Which output of that node it is."""
        edge = self.edge
        return edge.nr if edge is not None and edge.kind == OUTPUT else 0


class Argument(NamedTuple):
    """One argument of an op: a tensor, a number or None in a tensor's place, or plain data."""

    # A parameter's name; of a tensor in a list with its place: `tensors[0]`.
    name: str
    # An Operand, or the value itself.
    value: Any
    # Its place among the node's next_functions; None for what has none.
    slot: int | None

    @property
    def is_operand(self) -> bool:
        """True for a tensor, or for what stands in a tensor's place."""
        return self.slot is not None or type(self.value) is Operand


class Entry:
    """The arguments and the results of one node's op."""

    __slots__ = (
        "args", "bound", "cast", "frame", "inner", "names", "op", "order", "outs", "parent", "random", "recomputed",
        "saved", "where",
    )  # fmt: skip

    # The op; None of a custom function, and of a write through a view.
    op: Any
    names: Sequence[str]
    # In the order of the names: an Operand, a list of those, or plain data.
    args: tuple[Any, ...]
    outs: tuple[Any, ...]
    # The node whose backward recorded this one, and of which derivative that was part; where the program was.
    parent: Any
    order: int
    where: Any
    # The call, or the turn of a loop, that the program was in; None outside of all, and where nobody asks.
    frame: Frame | None
    # What the program called the outputs, in whatever terms whoever runs it has.
    bound: tuple[Any, ...]
    # What the node kept, as it was when the node last ran.
    saved: tuple[Any, ...] | None
    # Of a write through a view, the entry of what was written.
    inner: Entry | None
    # The dtype of what an in-place op wrote to, when it was not the result's.
    cast: Any
    # Where the generator was, when a custom function drew random numbers.
    random: Any
    # Whether a checkpoint computes it again, and keeps nothing for it.
    recomputed: bool

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The arrays of the outputs; None for an undefined one, and for what could not be kept."""
        return tuple([x.array if type(x) is Held else x for x in self.outs])

    @property
    def arguments(self) -> list[Argument]:
        """All arguments in order, lists taken apart."""
        return list(self._arguments())

    @property
    def operands(self) -> list[Argument]:
        """The arguments that are tensors or stand in a tensor's place, lists taken apart."""
        return [a for a in self._arguments() if a.is_operand]

    @property
    def attributes(self) -> dict[str, Any]:
        """The plain arguments by name."""
        return {a.name: a.value for a in self._arguments() if not a.is_operand}

    def is_list(self, name: str) -> bool:
        """Tell whether an argument is a list of tensors."""
        op = self.op if self.inner is None else self.inner.op
        return op is not None and name in op.lists

    def _arguments(self) -> Iterator[Argument]:
        op = self.op
        # An op without a derivative has edges only to what requires a gradient.
        sparse = op is not None and not op.rules
        slot = 0
        for name, value in zip(self.names, self.args, strict=False):
            listed = self.is_list(name)
            for i, x in enumerate(value if listed else (value,)):
                operand = type(x) is Operand
                if op is None:
                    has = operand
                else:
                    has = operand and x.edge is not None if sparse else name in op.rules
                yield Argument(f"{name}[{i}]" if listed else name, x, slot if has else None)
                slot += has


def operands_in(args: Iterable[Any]) -> Iterator[Operand]:
    """The tensors among arguments, also those in lists."""
    for x in args:
        if type(x) is Operand:
            yield x
        elif type(x) is list or type(x) is tuple:
            yield from operands_in(x)


def entry_of(node: Any) -> Entry | None:
    """The entry of a node; None when no tape was on, or the node is PyTorch's."""
    try:
        found = node.entry
    except AttributeError:
        return None
    return found if type(found) is Entry else None

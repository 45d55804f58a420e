"""The calls of backward() and of grad() of a program: how many came to their end, where the last of those started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import next_sequence_number
from ..tensor import Tensor
from .entry import Operand

if TYPE_CHECKING:
    from .tape import Tape


class Start(NamedTuple):
    """A tensor from which a backward started."""

    tensor: Tensor
    # The tensor as it was, and its first gradient, if it was given one.
    then: Operand
    gradient: Operand | None
    # When it was, in the count of sequence numbers: it tells the place.
    seq: int


class Backwards:
    """Notes of calls of backward(), but for those inside of another, which are parts of that."""

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self.count = 0
        # Where the last call started that did not come to its end.
        self.stopped: list[Start] = []
        # The same of grad(), and of what differentiates functions by it.
        self.asked: list[Start] = []
        self.asks = 0
        # Is told the number of each that is done.
        self.done: Callable[[int], None] | None = None

    def starting(self, tape: Tape, tensors: Sequence[Tensor], gradients: Sequence[Any]) -> None:
        """Note where a call starts, as that is before it: it has stopped there until it comes to its end."""
        self.stopped = _starts(tape, tensors, gradients)

    def ended(self) -> None:
        """Note that the call that started last came to its end."""
        self.starts, self.stopped = self.stopped, []
        self.count += 1
        if self.done is not None:
            self.done(self.count)

    def asking(self, tape: Tape, tensors: Sequence[Tensor], gradients: Sequence[Any] | None) -> None:
        """Note that grad(), or what differentiates functions as it does, started from these tensors."""
        given = (None,) * len(tensors) if gradients is None else gradients
        live = [(tensor, g) for tensor, g in zip(tensors, given, strict=True) if tensor.requires_grad]
        if live:
            self.asked = _starts(tape, [tensor for tensor, _ in live], [g for _, g in live])
            self.asks += 1


def _starts(tape: Tape, tensors: Sequence[Tensor], gradients: Sequence[Any]) -> list[Start]:
    return [
        Start(tensor, tape.operand(tensor), None if g is None else tape.operand(g), next_sequence_number())
        for tensor, g in zip(tensors, gradients, strict=True)
    ]

"""torch.nn.utils.rnn: sequences of different lengths in one tensor."""

from __future__ import annotations

from typing import Any

from ..engine.ops import create
from ..engine.tensor import Tensor
from ..errors import EngineError, EngineTypeError


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences side by side, the shorter ones filled up."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)  # type: ignore[attr-defined]
    elif not hasattr(sequences, "__iter__"):
        raise EngineError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    held = tuple(sequences)
    if not held:
        raise EngineError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise EngineError("Expected padding_side to be one of left or right, but got " + padding_side + ".")
    for i, x in enumerate(held):
        if not isinstance(x, Tensor):
            raise EngineTypeError(
                "pad_sequence(): argument 'sequences' (position 1) must be tuple of Tensors, but found element of "
                f"type {type(x).__name__} at pos {i}"
            )
    longest = max(x.shape[0] for x in held)
    rest = held[0].shape[1:]
    size = (len(held), longest) if batch_first else (longest, len(held))
    out: Any = create.full((*size, *rest), padding_value, dtype=held[0].dtype)
    for i, x in enumerate(held):
        row = out.select(0 if batch_first else 1, i)
        n = x.shape[0]
        row.narrow(0, longest - n if padding_side == "left" else 0, n).copy_(x)
    return out


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences that a padded tensor holds side by side."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(rows, lengths, strict=True)]

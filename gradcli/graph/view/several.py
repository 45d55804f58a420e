"""Several tensors that one backward starts from, as the node at the top of their graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...engine.graph import LEAF_SEQUENCE_NUMBER, NODE
from .tensors import ones_like, origin

NAME = "backward"


class Several:
    """Tensors of gradcli, or of PyTorch, from which gradients go out at once: their graph has one root, which is this.

    ``gradients``: what the backward starts from at each; None for ones.
    """

    kind: ClassVar[int] = NODE
    output_nr: ClassVar[int] = 0

    def __init__(self, tensors: Sequence[Any], gradients: Sequence[Any] | None = None) -> None:
        self.tensors = tuple(tensors)
        given = gradients or (None,) * len(self.tensors)
        self.gradients = tuple(
            ones_like(tensor) if gradient is None else gradient
            for tensor, gradient in zip(self.tensors, given, strict=True)
        )
        self.metadata: dict[str, Any] = {}

    def name(self) -> str:
        """The name of the one root, where nodes have theirs."""
        return NAME

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes of the tensors."""
        return tuple(map(origin, self.tensors))

    def _sequence_nr(self) -> int:
        return LEAF_SEQUENCE_NUMBER

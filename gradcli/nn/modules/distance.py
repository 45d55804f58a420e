"""Layers that measure distances between vectors."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from .. import functional as F
from ..base.options import Options, taken


class CosineSimilarity(Options):
    """The cosine of the angle between vectors."""

    _name, _options = "cosine_similarity", {"dim": 1, "eps": 1e-8}
    _takes = ("x1", "x2")


class PairwiseDistance(Options):
    """The distance between vectors."""

    _options = {"p": 2.0, "eps": 1e-6, "keepdim": False}
    _takes = ("x1", "x2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.norm = self.__dict__.pop("p")

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """The distance."""
        return F.pairwise_distance(*taken(self, inputs, named), self.norm, self.eps, self.keepdim)  # type: ignore[call-arg]

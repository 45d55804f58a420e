"""torch.distributions.lkj_cholesky: Cholesky factors of matrices of correlations."""

from __future__ import annotations

import math
from typing import Any

from ..engine.properties import Size
from . import constraints
from .beta import Beta
from .distribution import Family
from .offered import arange, cat, finfo, randn
from .utils import broadcast_all


class LKJCholesky(Family):
    """Cholesky factors of matrices of correlations."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: Any = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        offset = arange(dim - 1, dtype=self.concentration.dtype)
        offset = cat([offset.new_zeros((1,)), offset])
        outer = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * offset
        self._beta = Beta(offset + 0.5, outer)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        # By the onion: one row after the other, each a direction and a length.
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        drawn = randn(self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
        sphere = drawn / drawn.norm(dim=-1, keepdim=True)
        sphere[..., 0, :].fill_(0.0)
        rows = y.sqrt() * sphere
        left = (1 - (rows**2).sum(dim=-1)).clamp(min=finfo(rows.dtype).tiny).sqrt()
        return rows + left.diag_embed()

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - arange(2, self.dim + 1)
        density = (order * diagonal.log()).sum(dim=-1)
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        normal = alpha.lgamma() * below - (alpha - 0.5).mvlgamma(below)
        return density - (0.5 * below * math.log(math.pi) + -normal)

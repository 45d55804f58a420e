"""torch.distributions.half_cauchy: sizes of Cauchy's numbers."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .cauchy import Cauchy
from .offered import as_tensor, full, where
from .transformed_distribution import Magnitudes


class HalfCauchy(Magnitudes):
    """The sizes of Cauchy's numbers."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: Any = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        value = as_tensor(value, dtype=self.base_dist.scale.dtype)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

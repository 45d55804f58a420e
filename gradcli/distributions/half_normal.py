"""torch.distributions.half_normal: sizes of normal numbers."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .normal import Normal
from .offered import where
from .transformed_distribution import Magnitudes


class HalfNormal(Magnitudes):
    """The sizes of normal numbers."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: Any = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

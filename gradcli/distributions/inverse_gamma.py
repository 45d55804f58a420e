"""torch.distributions.inverse_gamma: the reciprocals of gamma numbers."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .gamma import Gamma
from .offered import where
from .transformed_distribution import TransformedFamily
from .transforms import PowerTransform


class InverseGamma(TransformedFamily):
    """The reciprocals of gamma numbers."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: Any = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Any:
        """The concentration of the gamma numbers."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Any:
        """The rate of the gamma numbers."""
        return self.base_dist.rate

    @property
    def mean(self) -> Any:
        return where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> Any:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        found = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return where(self.concentration > 2, found, math.inf)

    def entropy(self) -> Any:
        c = self.concentration
        return c + self.rate.log() + c.lgamma() - (1 + c) * c.digamma()

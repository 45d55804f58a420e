"""torch.distributions.generalized_pareto: what is above a high threshold."""

from __future__ import annotations

import math
from typing import Any

from ..engine.tensor import tensor
from . import constraints
from .distribution import Family
from .offered import isclose, ones_like, rand, where, zeros_like
from .utils import batch_of, broadcast_all


class GeneralizedPareto(Family):
    """Numbers above a high threshold: its tail is a power, an exponential, or ends."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: Any = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(batch_of(self.loc, loc, scale, concentration), validate_args=validate_args)

    def _tail(self, zero: Any) -> Any:
        """Where the tail is an exponential, and the concentrations without a 0 to divide by."""
        flat = isclose(self.concentration, zero)
        return flat, where(flat, ones_like(self.concentration), self.concentration)

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        # As in PyTorch, which takes this 0 to be of the default type.
        z, (flat, c) = self._z(value), self._tail(tensor(0.0))
        power = 1 / c + ones_like(z)
        # A power of 0 leaves nothing, even of what is infinite.
        falling = where(power == 0, power, power * (c * z).log1p())
        return -self.scale.log() - where(flat, z, falling)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of more than a value."""
        if self._validate_args:
            self._validate_sample(value)
        # As in PyTorch, which takes this 0 to be of the default type.
        z, (flat, c) = self._z(value), self._tail(tensor(0.0))
        return where(flat, -z, -(c * z).log1p() / c)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the probability of no more than a value."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return self.log_cdf(value).exp()

    def icdf(self, value: Any) -> Any:
        flat, c = self._tail(zeros_like(self.concentration))
        left = (-value).log1p()
        return where(flat, self.loc - self.scale * left, self.loc + self.scale / c * (-c * left).expm1())

    @property
    def mean(self) -> Any:
        known = self.concentration < 1
        c = where(known, self.concentration, 0.5)
        return where(known, self.loc + self.scale / (1 - c), math.nan)

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        known = self.concentration < 0.5
        c = where(known, self.concentration, 0.25)
        return where(known, self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)), math.nan)

    def entropy(self) -> Any:
        return (self.scale.log() + self.concentration + 1).broadcast_to(self._batch_shape)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        ends = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, where(self.concentration < 0, ends, math.inf))

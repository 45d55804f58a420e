"""torch.distributions.gamma: sums of waits."""

from __future__ import annotations

from typing import Any

from ..engine.ops.make.drawn_by_rejection import _standard_gamma
from ..special import gammainc
from . import constraints
from .exp_family import NaturalFamily
from .offered import as_tensor, finfo, xlogy
from .utils import batch_of, broadcast_all


class Gamma(NaturalFamily):
    """Sums of so many waits, which need be no whole number."""

    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: Any = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(batch_of(self.concentration, concentration, rate), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn: Any = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        # Not recorded: what is so small has no slope that would be worth it.
        drawn.detach().clamp_(min=finfo(drawn.dtype).tiny)
        return drawn

    def log_prob(self, value: Any) -> Any:
        value = as_tensor(value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        grown = xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value)
        return grown - self.rate * value - self.concentration.lgamma()

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Any:
        c = self.concentration
        return c - self.rate.log() + c.lgamma() + (1.0 - c) * c.digamma()

    @property
    def _natural_params(self) -> Any:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()

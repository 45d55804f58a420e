"""torch.distributions.negative_binomial: numbers of successes before so many failures."""

from __future__ import annotations

from typing import Any

from ..engine.modes import no_grad
from ..nn.functional import logsigmoid
from . import constraints
from .chances import Chances
from .gamma import Gamma
from .offered import poisson
from .utils import lazy_property


class NegativeBinomial(Chances):
    """The number of successes before so many failures."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }  # fmt: skip
    support = constraints.nonnegative_integer

    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self._take_with_count(total_count, probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Any:
        return Gamma(concentration=self.total_count, rate=(-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        count = self.total_count
        found = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = -(count + value).lgamma() + (1.0 + value).lgamma() + count.lgamma()
        return found - ways.masked_fill(count + value == 0.0, 0.0)

"""torch.distributions.continuous_bernoulli: numbers between 0 and 1 whose density is a power of the odds."""

from __future__ import annotations

import math
from typing import Any

from ..engine.modes import no_grad
from ..engine.ops.pointwise.comparison import _is_all_true
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .chances import Chances
from .exp_family import ExponentialFamily
from .offered import ones_like, rand, where, zeros_like
from .utils import broadcast_all, clamp_probs


class ContinuousBernoulli(Chances, ExponentialFamily):
    """Numbers between 0 and 1 whose density is that of Bernoulli's, made to sum to 1."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: Any = None
    ) -> None:
        self._take(probs, logits)
        if probs is not None:
            # Looked at before it is made to fit.
            fits = self.arg_constraints["probs"]
            if validate_args is not None and not _is_all_true(fits.check(self.probs)):
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._batch_of_chances(probs, logits), validate_args=validate_args)

    def _outside_unstable_region(self) -> Any:
        low, high = self._lims
        return (self.probs <= low) | (self.probs > high)

    def _cut_probs(self) -> Any:
        """The probabilities, and in their stead where the formulas would lose all digits, the limit of that region."""
        return where(self._outside_unstable_region(), self.probs, self._lims[0] * ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Any:
        cut = self._cut_probs()
        below = where(cut <= 0.5, cut, zeros_like(cut))
        above = where(cut >= 0.5, cut, ones_like(cut))
        far = ((-cut).log1p() - cut.log()).abs().log() - where(
            cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log()
        )
        x = (self.probs - 0.5).pow(2)
        near = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return where(self._outside_unstable_region(), far, near)

    @property
    def mean(self) -> Any:
        cut = self._cut_probs()
        far = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        near = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return where(self._outside_unstable_region(), far, near)

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    @property
    def variance(self) -> Any:
        cut = self._cut_probs()
        far = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        near = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return where(self._outside_unstable_region(), far, near)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        far = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        found = where(self._outside_unstable_region(), far, value)
        return where(value.le(0.0), zeros_like(value), where(value.ge(1.0), ones_like(value), found))

    def icdf(self, value: Any) -> Any:
        cut = self._cut_probs()
        far = ((-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()) / (cut.log() - (-cut).log1p())
        return where(self._outside_unstable_region(), far, value)

    def entropy(self) -> Any:
        low, high = (-self.probs).log1p(), self.probs.log()
        return self.mean * (low - high) - self._cont_bern_log_norm() - low

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        """The logarithm of the integral of e to the power of x times the value."""
        far = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = where(far, x, (self._lims[0] - 0.5) * ones_like(x))
        found = (cut.exp() - 1).abs().log() - cut.abs().log()
        return where(far, found, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)

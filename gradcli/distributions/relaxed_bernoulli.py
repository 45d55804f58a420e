"""torch.distributions.relaxed_bernoulli: numbers that are nearly ones and zeros."""

from __future__ import annotations

from typing import Any

from . import constraints
from .chances import Chances
from .offered import rand
from .transformed_distribution import Relaxed
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs


class LogitRelaxedBernoulli(Chances):
    """The logits of numbers that are nearly ones and zeros."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._batch_of_chances(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        drawn = clamp_probs(rand(shape, dtype=probs.dtype))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return self.temperature.log() + away - 2 * away.exp().log1p()


class RelaxedBernoulli(Relaxed):
    """Numbers that are the nearer to ones and zeros the lower the temperature is."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

"""torch.distributions.relaxed_categorical: vectors that are nearly a one and zeros."""

from __future__ import annotations

from typing import Any

from . import constraints
from .categorical import Categorical
from .distribution import Family
from .offered import full_like, rand
from .transformed_distribution import Relaxed
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs


class ExpRelaxedCategorical(Family):
    """The logarithms of vectors that are nearly a one and zeros."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Any:
        """The logits of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(drawn.log())).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        count = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        scale = full_like(self.temperature, float(count)).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(Relaxed):
    """Vectors that are the nearer to a one and zeros the lower the temperature is."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

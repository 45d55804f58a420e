"""torch.distributions.one_hot_categorical: classes as vectors that have a 1 at their place."""

from __future__ import annotations

from typing import Any

from ..engine.properties import Size
from ..nn.functional import one_hot
from . import constraints
from .categorical import Categorical, OfClasses
from .offered import eye


class OneHotCategorical(OfClasses):
    """Classes of given probabilities, as vectors of zeros and a one."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        super().__init__(Categorical(probs, logits), validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return self._as_ones(self.probs.argmax(-1))

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def _as_ones(self, classes: Any) -> Any:
        return one_hot(classes, self._event_shape[0]).to(self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self._as_ones(self._categorical.sample(Size(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n = self._event_shape[0]
        values = eye(n, dtype=self._categorical._param.dtype)
        values = values.view((n, *[1] * len(self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, whose draws have the gradients of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn, probs = self.sample(sample_shape), self._categorical.probs
        return drawn + (probs - probs.detach())

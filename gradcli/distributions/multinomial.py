"""torch.distributions.multinomial: how often each class was drawn."""

from __future__ import annotations

import math
from typing import Any

from ..engine.dtypes import int64
from ..engine.properties import Size
from ..engine.tensor import tensor
from . import constraints
from .binomial import Binomial
from .categorical import Categorical, OfClasses
from .offered import ones_like, zeros
from .utils import broadcast_all


class Multinomial(OfClasses):
    """Counts of each class in so many draws."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(Categorical(probs, logits), validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = zeros(self._extended_shape(sample_shape), dtype=int64)
        return counts.scatter_add_(-1, drawn, ones_like(drawn)).type_as(self.probs)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Any:
        n = tensor(self.total_count)
        first = n * self._categorical.entropy() - (n + 1).lgamma()
        counts = self._binomial.enumerate_support(expand=False)[1:]
        chances = self._binomial.log_prob(counts).exp()
        return first + (chances * (counts + 1).lgamma()).sum([0, -1])

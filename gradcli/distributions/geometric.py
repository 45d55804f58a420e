"""torch.distributions.geometric: numbers of failures before the first success."""

from __future__ import annotations

from typing import Any

from ..engine.modes import no_grad
from ..engine.ops.pointwise.comparison import _is_all_true
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .chances import Chances
from .offered import empty, finfo, zeros_like
from .utils import broadcast_all


class Geometric(Chances):
    """The number of failures before the first success."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self._take(probs, logits)
        super().__init__(self._batch_of_chances(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not _is_all_true(value > 0):
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to be positive but found invalid values:\n{value.detach()[~(value > 0)]}"
                )

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        shape, dtype = self._extended_shape(sample_shape), self.probs.dtype
        with no_grad():
            drawn = empty(shape, dtype=dtype).uniform_(finfo(dtype).tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs

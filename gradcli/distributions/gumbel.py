"""torch.distributions.gumbel: the largest of many."""

from __future__ import annotations

import math
from typing import Any

from ..engine.tensor import Tensor
from . import constraints
from .offered import finfo, full_like, ones_like
from .transformed_distribution import TransformedFamily
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant


class Gumbel(TransformedFamily):
    """The largest of many numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        if isinstance(loc, Tensor) or isinstance(scale, Tensor):
            low, high = full_like(self.loc, limits.tiny), full_like(self.loc, 1 - limits.eps)
            base = Uniform(low, high, validate_args=validate_args)
        else:
            base = Uniform(limits.tiny, 1 - limits.eps, validate_args=validate_args)
        transforms = [
            ExpTransform().inv, AffineTransform(loc=0, scale=-ones_like(self.scale)), ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]  # fmt: skip
        super().__init__(base, transforms, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        return self.scale.log() + (1 + euler_constant)

"""torch.distributions.weibull: lifetimes."""

from __future__ import annotations

from typing import Any

from . import constraints
from .exponential import Exponential
from .offered import ones_like
from .transformed_distribution import TransformedFamily
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant


class Weibull(TransformedFamily):
    """Lifetimes of what wears out, or of what is safe once it has begun."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: Any = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def concentration_reciprocal(self) -> Any:
        """1 over the concentration."""
        return self.concentration.reciprocal()

    @property
    def mean(self) -> Any:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Any:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration_reciprocal

    @property
    def variance(self) -> Any:
        c = self.concentration_reciprocal
        return self.scale.pow(2) * ((1 + 2 * c).lgamma().exp() - (2 * (1 + c).lgamma()).exp())

    def entropy(self) -> Any:
        c = self.concentration_reciprocal
        return euler_constant * (1 - c) + (self.scale * c).log() + 1

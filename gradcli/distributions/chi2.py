"""torch.distributions.chi2: sums of squares of normal numbers."""

from __future__ import annotations

from typing import Any

from . import constraints
from .gamma import Gamma


class Chi2(Gamma):
    """Sums of squares of so many normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: Any = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def _expanded(self, batch_shape: Any, _instance: Any) -> Any:
        new = super()._expanded(batch_shape, _instance)
        new.concentration, new.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)
        return new

    @property
    def df(self) -> Any:
        """The number of squares."""
        return self.concentration * 2

"""torch.distributions.studentT: normal numbers over what few of them were thought to deviate."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .chi2 import Chi2
from .distribution import Family
from .utils import broadcast_all, standard_normal


class StudentT(Family):
    """Normal numbers over a deviation that is known from few."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: Any = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        found = self.loc.clone()
        found[self.df <= 1] = math.nan
        return found

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        found, df = self.df.clone(), self.df
        found[df > 2] = self.scale[df > 2].pow(2) * df[df > 2] / (df[df > 2] - 2)
        found[(df <= 2) & (df > 1)] = math.inf
        found[df <= 1] = math.nan
        return found

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (drawn * (squares / self.df).rsqrt())

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        rest = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        rest = rest + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - rest

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return self.scale.log() + more * (more.digamma() - half.digamma()) + 0.5 * self.df.log() + beta

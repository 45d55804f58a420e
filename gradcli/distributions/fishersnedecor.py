"""torch.distributions.fishersnedecor: ratios of two sums of squares."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .distribution import Family
from .gamma import Gamma
from .offered import finfo
from .utils import batch_of, broadcast_all


class FisherSnedecor(Family):
    """Ratios of two means of squares of normal numbers."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: Any = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(batch_of(self.df1, df1, df2), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        df2 = self.df2.clone()
        df2[df2 <= 2] = math.nan
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        df2 = self.df2.clone()
        df2[df2 <= 4] = math.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        above = self._gamma1.rsample(sample_shape).view(shape)
        below = self._gamma2.rsample(sample_shape).view(shape)
        tiny = finfo(below.dtype).tiny
        below.clamp_(min=tiny)
        found = above / below
        found.clamp_(min=tiny)
        return found

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        both = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return both + (a * ratio.log() + (a - 1) * value.log()) - (a + b) * (ratio * value).log1p()

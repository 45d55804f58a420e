"""torch.distributions.transformed_distribution: draws that are sent through transforms."""

from __future__ import annotations

import math
from typing import Any

from ..engine.modes import no_grad
from ..engine.properties import Size
from . import constraints
from .distribution import Distribution
from .independent import Independent
from .offered import zeros_like
from .transforms import AbsTransform, ComposeTransform, Transform
from .utils import sum_rightmost


class TransformedDistribution(Distribution):
    """The distribution of what transforms make of the draws of another."""

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: Any = None) -> None:
        if isinstance(transforms, Transform):
            self.transforms: Any = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        event_dim = len(base_distribution.event_shape)
        through = ComposeTransform(self.transforms)
        if len(shape) < through.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {through.domain.event_dim}, but got {shape}."
            )
        forward = through.forward_shape(shape)
        wider = through.inverse_shape(forward)
        if shape != wider:
            kept = wider[: len(wider) - event_dim]
            base_distribution = base_distribution.expand(kept)
        more = through.domain.event_dim - event_dim
        if more > 0:
            base_distribution = Independent(base_distribution, more)
        self.base_dist = base_distribution
        taken = max(
            through.codomain.event_dim, event_dim + through.codomain.event_dim - through.domain.event_dim
        )
        cut = len(forward) - taken
        super().__init__(Size(forward[:cut]), Size(forward[cut:]), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._moved(TransformedDistribution, Size(batch_shape), _instance)

    def _moved(self, family: Any, batch_shape: Any, _instance: Any) -> Any:
        new = self._get_checked_instance(family, _instance)
        shape = batch_shape + self._event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        new._batch_shape, new._event_shape = batch_shape, self._event_shape
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self._event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> Any:
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._through(self.base_dist.rsample(sample_shape))

    def _through(self, x: Any) -> Any:
        for t in self.transforms:
            x = t(x)
        return x

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self._event_shape)
        found: Any = 0.0
        y = value
        for t in reversed(self.transforms):
            x = t.inv(y)
            event_dim += t.domain.event_dim - t.codomain.event_dim
            found = found - sum_rightmost(t.log_abs_det_jacobian(x, y), event_dim - t.domain.event_dim)
            y = x
        return found + sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def _turned(self, value: Any) -> Any:
        """A probability, counted from the other end if the transforms fall."""
        sign: Any = 1
        for t in self.transforms:
            sign = sign * t.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        for t in self.transforms[::-1]:
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._through(self.base_dist.icdf(self._turned(value)))


class TransformedFamily(TransformedDistribution):
    """One whose own parameters, if it keeps any, are made wider with it."""

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        batch_shape = Size(batch_shape)
        family = next(c for c in type(self).__mro__ if "arg_constraints" in c.__dict__)
        new = self._moved(family, batch_shape, _instance)
        for name in self.arg_constraints:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape))
        return new


class Relaxed(TransformedFamily):
    """Numbers that are nearly ones and zeros, of a distribution that has their probabilities and a temperature."""

    has_rsample = True

    @property
    def temperature(self) -> Any:
        """The distance that the numbers keep from ones and zeros."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Any:
        """The logits of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self.base_dist.probs


class Magnitudes(TransformedFamily):
    """The sizes of numbers that are spread around 0, to both sides alike."""

    def __init__(self, numbers: Distribution, validate_args: Any) -> None:
        super().__init__(numbers, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Any:
        """The scale of the numbers."""
        return self.base_dist.scale

    @property
    def mode(self) -> Any:
        return zeros_like(self.scale)

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)

"""torch.distributions.mixture_same_family: one of several distributions of a kind, drawn by lot."""

from __future__ import annotations

from typing import Any

from ..engine.modes import no_grad
from ..engine.properties import Size
from . import constraints
from .categorical import Categorical
from .distribution import Distribution


class MixtureSameFamily(Distribution):
    """Draws from one of several distributions of a kind, which is drawn by lot."""

    arg_constraints: Any = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: Any = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution"
            )
        batch, inner = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(batch), reversed(inner), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({batch}) is not compatible with "
                    f"`component_distribution.batch_shape`({inner})"
                )
        lots, given = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if lots != given:
            raise ValueError(
                f"`mixture_distribution component` ({lots}) does not equal `component_distribution.batch_shape[-1]` "
                f"({given})"
            )
        self._num_component = lots
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(inner, event, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        batch_shape = Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        new._batch_shape, new._event_shape = batch_shape, self._event_shape
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """The lots."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The distributions of which one is drawn from."""
        return self._component_distribution

    def _beside(self, value: Any) -> Any:
        """A value of each component, with an axis for each of an event."""
        for _ in range(self._event_ndims):
            value = value.unsqueeze(-1)
        return value

    @property
    def mean(self) -> Any:
        weighed = self._beside(self._mixture_distribution.probs) * self._component_distribution.mean
        return weighed.sum(dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Any:
        weights, at = self._beside(self._mixture_distribution.probs), -1 - self._event_ndims
        inside = (weights * self._component_distribution.variance).sum(dim=at)
        away = self._component_distribution.mean - self.mean.unsqueeze(at)
        return inside + (weights * away.pow(2.0)).sum(dim=at)

    def cdf(self, x: Any) -> Any:
        below = self._component_distribution.cdf(x.unsqueeze(-1 - self._event_ndims))
        return (below * self._mixture_distribution.probs).sum(dim=-1)

    def log_prob(self, x: Any) -> Any:
        if self._validate_args:
            self._validate_sample(x)
        found = self._component_distribution.log_prob(x.unsqueeze(-1 - self._event_ndims))
        return (found + self._mixture_distribution.logits.log_softmax(dim=-1)).logsumexp(dim=-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            at = len(sample_shape) + len(self._batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            index = self._beside(chosen.unsqueeze(-1)).expand((*chosen.shape, 1, *self._event_shape))
            return drawn.gather(at, index).squeeze(at)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"

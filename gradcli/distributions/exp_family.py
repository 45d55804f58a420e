"""torch.distributions.exp_family: distributions whose density is an exponential of their natural parameters."""

from __future__ import annotations

from typing import Any

from ..engine.walk.backward import grad
from .distribution import Distribution, Family


class ExponentialFamily(Distribution):
    """A distribution of an exponential family, whose entropy its log-normaliser tells."""

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        """The information that a draw carries on average, by the gradient of the log-normaliser."""
        found = -self._mean_carrier_measure
        naturals = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*naturals)
        slopes = grad(normalizer.sum(), naturals, create_graph=True)
        found = found + normalizer
        for natural, slope in zip(naturals, slopes, strict=True):
            found = found - (natural * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return found


class NaturalFamily(ExponentialFamily, Family):
    """One of them whose parameters have the axes of its batch."""

"""torch.distributions.chances: what distributions have that are given by probabilities or by their logits."""

from __future__ import annotations

from typing import Any

from .distribution import Family
from .utils import batch_of, broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class Chances(Family):
    """A distribution that is given by probabilities or by their logits; the other of the two is computed."""

    # Whether each probability is that of a one alone, or they are those of classes along the last axis.
    _binary = True

    def _take(self, probs: Any, logits: Any) -> None:
        """Keep the one of the two that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)

    def _take_with_count(self, total_count: Any, probs: Any, logits: Any) -> None:
        """The same, beside a number of tries."""
        self._take(probs, logits)
        if probs is not None:
            total_count, self.probs = broadcast_all(total_count, probs)
        else:
            total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = total_count.type_as(self._param)

    @lazy_property
    def logits(self) -> Any:
        """The logits of the probabilities."""
        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities of the logits."""
        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def _param(self) -> Any:
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self._param.size()

    def _batch_of_chances(self, *given: Any) -> Any:
        return batch_of(self._param, *given)

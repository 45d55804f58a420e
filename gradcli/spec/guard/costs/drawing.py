"""Distributions: what they are made of is among their arguments, or in themselves."""

from __future__ import annotations

from typing import Any

from ....engine.tensor import Tensor
from .estimate import Estimate, of_tensors, product, sizes, together
from .making import DRAW


def _one(distribution: Any) -> int:
    """The numbers behind one draw of each entry."""
    rows = [p.shape[-1] for p in _parameters(distribution) if p.ndim]
    return product(distribution.batch_shape) * max(rows, default=1)


def _parameters(distribution: Any) -> list[Any]:
    held = distribution.__dict__
    return [held[name] for name in distribution.parameters if name in held]


def sampled(self: Any, sample_shape: Any = ()) -> Estimate:
    """So many draws."""
    n = product(sizes((sample_shape,))) * _one(self)
    return Estimate(n, n * DRAW)


def looked_up(self: Any, value: Any = None) -> Estimate:
    """Values, broadcast with the parameters."""
    shapes = [p.shape for p in _parameters(self)]
    if isinstance(value, Tensor):
        # Of classes, each stands for a row of the parameters.
        shapes = [tuple(self.batch_shape), tuple(value.shape)]
        return Estimate(together(shapes) * max(1, _one(self) // max(1, product(self.batch_shape))))
    return Estimate(together([tuple(s) for s in shapes]))


def compared(p: Any, q: Any) -> Estimate:
    """Two distributions, broadcast together."""
    return of_tensors(*_parameters(p), *_parameters(q))


def spread(*parameters: Any, **given: Any) -> Estimate:
    """Parameters, broadcast together."""
    return of_tensors(*parameters, **given)


# A number that is drawn until one fits takes about so many operations.
_TRIED = 2_000


def one_by_one(*parameters: Any, **given: Any) -> Estimate:
    """Parameters, broadcast together, each of which a number is drawn for alone."""
    n = of_tensors(*parameters, **given).elements
    return Estimate(n, n * _TRIED)

"""The order in which second derivatives are taken: they must not depend on it."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ..arrays import Array
from ..claims.passes import keeping, tensor_like
from ..replay.forward_rounding import noise
from ..replay.plan import Plan
from .higher_orders import Derivative
from .rows import rms

# Two numbers that are as close as this, of their size, are one.
_CLOSE = 1e-13
# How many error bars a Hessian may be away from its transpose.
_BARS = 8.0


class Symmetry(NamedTuple):
    """Two ways to the same second derivative: u·(Hv) and v·(Hu)."""

    output: str
    one: float
    other: float
    bar: float

    @property
    def holds(self) -> bool:
        """Tell whether they differ by no more than rounding explains; what is no number is told of each gradient."""
        apart = abs(self.one - self.other)
        return not isfinite(apart) or apart <= _BARS * self.bar


def symmetry(derivative: Derivative, *, seed: int = 0) -> list[Symmetry]:
    """Take the last two derivatives of each output in either order, along two random directions.

    The bar is what rounding may do to the two numbers, by their own graphs.
    """
    random = np.random.default_rng(seed)
    found = []
    for o, output in enumerate(derivative.base.outputs):
        rows = [(y.tensor, i) for y, (of, i) in zip(derivative.outputs, derivative.places, strict=True) if of == o]
        rows = [(g, i) for g, i in rows if g._node is not None]
        if rows:
            u, v = ([np.asarray(random.standard_normal(x.shape) * rms(x)) for x in derivative.at] for _ in range(2))
            found.append(_symmetric(derivative, output.name, rows, u, v))
    return found


def _symmetric(
    derivative: Derivative, name: str, rows: list[tuple[Tensor, int]], u: list[Array], v: list[Array]
) -> Symmetry:
    leaves = [x.tensor for x in derivative.inputs]

    def end(first: list[Array], second: list[Array], recorded: bool) -> Tensor:
        along = grad(
            [g for g, _ in rows],
            leaves,
            [tensor_like(first[i], g) for g, i in rows],
            retain_graph=True,
            create_graph=recorded,
            allow_unused=True,
        )
        parts = [(h * tensor_like(d, h)).sum() for h, d in zip(along, second, strict=True) if h is not None]
        # A gradient that is linear in everything else, as that of a convolution, has no derivative that reaches a leaf.
        total: Tensor = sum(parts[1:], parts[0]) if parts else result(np.float64(0.0))
        return total

    with keeping(derivative):
        one, other = (float(end(first, second, False)._a) for first, second in ((u, v), (v, u)))
        if abs(one - other) <= _CLOSE * max(abs(one), abs(other)):
            # What rounding may do is not asked where it did nothing.
            return Symmetry(name, one, other, _CLOSE * max(abs(one), abs(other)))
        with recording(derivative.tape):
            plan = Plan([end(u, v, True), end(v, u, True)], leaves)
    bar = sum(float(np.max(b)) for b in noise(plan, plan.at))
    return Symmetry(name, one, other, bar)

"""Each op alone, at orders above one: has its backward the derivatives that its graph says?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.modes import enable_grad
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ...spec.language.machine import said
from ..arrays import Array
from ..claims.op_alone import Alone, Refused
from ..judging.findings import Entry
from ..judging.first_look import told_along
from ..judging.one_derivative import judge
from ..judging.verdict import Judged, Verdict
from ..replay.plan import Unreplayable
from ..slopes.magnitude import rms, signed
from .each_op import LocalFault

_WRONG = frozenset({Verdict.WRONG, Verdict.INACCURATE})
# What differences confirm so closely is not looked at again: each point is a backward of its own.
_ASSURED = 1e-9
# What is linear is that up to so much of its size.
_LINEAR = 1e-6
# Rounding shows in third differences of neighbouring values, so far apart.
_POINTS, _APART = 12, 2.0**-42


def wrong_derivatives(
    node: Any, order: int, rng: np.random.Generator, reached: Sequence[int] | None
) -> list[LocalFault]:
    """The arguments of an op whose gradient has a wrong derivative, up to an order.

    The op is recorded again at its run-time operands; an op for which that cannot be done has no fault.
    """
    try:
        alone = Alone(node, reached)
        if not alone.arguments or not alone.outputs:
            return []
        return [
            fault for number in range(len(alone.arguments)) if (fault := _first(alone, number, order, rng)) is not None
        ]
    except (Unreplayable, Refused):
        return []


def _first(alone: Alone, number: int, order: int, rng: np.random.Generator) -> LocalFault | None:
    """The fault at the lowest order at which the gradient of an argument has a wrong derivative."""
    for level in range(1, order):
        backward = _Backward(alone, number, level, rng)
        for direction in backward.directions(rng):
            judged = backward.judged(direction)
            if judged.verdict in _WRONG:
                name, slot, _ = alone.arguments[number]
                return LocalFault(alone.node, name, slot, Entry((), float("nan"), judged))
    return None


def wrong_along_arriving(node: Any, rng: np.random.Generator) -> Iterator[LocalFault]:
    """The arguments whose gradient has a wrong derivative along the gradient that arrives.

    It is linear in that: along what arrives, its derivative is the gradient itself.
    """
    try:
        alone = Alone(node)
        for number, (name, slot, _) in enumerate(alone.arguments):
            backward = _Backward(alone, number, 1, rng)
            arriving = slice(len(alone.arguments), None)
            parts = [c * a for c, a in zip(backward.claim[arriving], backward.at[arriving], strict=True)]
            claimed, true = sum(float(x.sum()) for x in parts), backward.value(backward.at)
            size = abs(true) + sum(float(np.abs(x).sum()) for x in parts)
            if np.isfinite(size) and abs(claimed - true) > _LINEAR * size:
                judged = Judged(Verdict.WRONG, claimed, true, 0.0)
                yield LocalFault(node, name, slot, Entry((), 0.0, judged, along=True))
    except (Unreplayable, Refused):
        # It cannot be differentiated twice, and says so where that is asked.
        return


class _Backward:
    """A weighted sum of an op's gradients of some order, as a function of its operands and of what arrives."""

    def __init__(self, alone: Alone, number: int, level: int, rng: np.random.Generator) -> None:
        self.alone = alone
        self.number = number
        self.level = level
        arriving = [signed(shape, rng) for shape in alone.shapes]
        self.at = [*alone.at, *arriving]
        # The weights of each gradient that is differentiated again.
        self.weights = [[rng.uniform(0.5, 1.5, a.shape) for a in self.at] for _ in range(level)]
        self._value, leaves = self._recorded(self.at)
        try:
            found = [None] * len(leaves) if self._value._node is None else grad(self._value, leaves, allow_unused=True)
        except raised_by_program() as error:
            # A backward may refuse to be differentiated.
            raise Refused(said(error)) from error
        self.claim = [np.zeros(a.shape) if g is None else np.asarray(g._a) for g, a in zip(found, self.at, strict=True)]

    def _recorded(self, arrays: Sequence[Array]) -> tuple[Tensor, list[Tensor]]:
        """The sum at a point, with its graph, and the leaves of that."""
        count = len(self.alone.arguments)
        with enable_grad(), np.errstate(all="ignore"):
            starts = [result(np.array(a)[()]).requires_grad_() for a in arrays[count:]]
            try:
                # A forward may refuse other operands: a matrix that is not positive definite, say.
                roots, leaves = self.alone.plan.recorded(arrays[:count])
                found = grad(roots, leaves, starts, create_graph=True, allow_unused=True)
                value = _total([found[self.number]], [self.weights[0][self.number]])
                for weights in self.weights[1:]:
                    if value._node is None:
                        break
                    found = grad(value, [*leaves, *starts], create_graph=True, allow_unused=True)
                    value = _total(found, weights)
            except raised_by_program() as error:
                raise Refused(said(error)) from error
        return value, [*leaves, *starts]

    def directions(self, rng: np.random.Generator) -> list[list[Array]]:
        """A random direction for all operands, and one for all that arrives."""
        count = len(self.alone.arguments)
        moved = [_dense(a, rng) for a in self.at]
        return [
            [d if (i < count) is operands else np.zeros(d.shape) for i, d in enumerate(moved)]
            for operands in (True, False)
        ]

    def judged(self, direction: Sequence[Array]) -> Judged:
        """Judge the derivative along a direction."""
        claim = sum(float((c * d)[d != 0].sum()) for c, d in zip(self.claim, direction, strict=True))
        line = _BackwardLine(self, direction)
        return told_along(line, claim, _ASSURED) or judge(line, np.array([claim]))[0]

    def value(self, arrays: Sequence[Array]) -> float:
        """The sum at a point."""
        return float(self._recorded(arrays)[0]._a)


class _BackwardLine:
    """Such a sum along a direction."""

    size = 1

    def __init__(self, backward: _Backward, direction: Sequence[Array]) -> None:
        self._backward = backward
        self._direction = direction
        self.scale = 1.0
        apart = _APART * np.arange(-_POINTS // 2, _POINTS // 2)
        _, values = self.values(apart)
        third = np.abs(np.diff(values[:, 0], 3))
        usual = float(np.median(third[np.isfinite(third)])) if np.isfinite(third).any() else 0.0
        size = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
        self.noise = np.array([max(usual, 2.0**-52 * size)])

    def values(self, steps: Any) -> tuple[Array, Array]:
        """The steps, and the sum at each."""
        steps = np.asarray(steps, np.float64)
        pairs = list(zip(self._backward.at, self._direction, strict=True))
        return steps, np.array([[self._value([a + t * d for a, d in pairs])] for t in steps])

    def _value(self, arrays: Sequence[Array]) -> float:
        try:
            return self._backward.value(arrays)
        except (Refused, Unreplayable):
            return float("nan")

    def imag(self, h: float, offsets: Any) -> None:
        """Nothing: a backward is no function of complex numbers."""
        del h, offsets

    def imag_noise(self, h: float) -> Array:
        """Nothing, as of nothing."""
        del h
        return np.zeros(1)

    def around(self, points: Any, draws: int = 0) -> None:
        """Nothing, for the same reason."""
        del points, draws


def _total(found: Sequence[Any], weights: Sequence[Array]) -> Tensor:
    """The weighted sum of gradients; those that are not there are zeros."""
    parts: list[Any] = [
        (g * result(np.array(w)[()])).sum() for g, w in zip(found, weights, strict=True) if g is not None
    ]
    total: Tensor = sum(parts[1:], parts[0]) if parts else result(np.float64(0.0))
    return total


def _dense(a: Array, rng: np.random.Generator) -> Array:
    return np.asarray(rng.standard_normal(a.shape) * np.where(a == 0, rms(a), np.abs(a)))

"""A first look along a direction: claims that are right beyond doubt need no second one."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from ..slopes.many_at_once import ASSURED, quick_heights, quick_steps, settled
from .verdict import Judged, Verdict

Array = np.ndarray[Any, Any]

# How much smaller the steps are nearer by: of a large net some kink is always near.
NEARER = 2.0**-10
_NEARER = (1.0, NEARER, 2.0**-15, 2.0**-20)


class Readable(Protocol):
    """Outputs as functions of one number."""

    scale: float

    @property
    def noise(self) -> Array:
        """The rounding noise of the outputs at the point (m,)."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h at every offset s (k, m)."""


class FirstLook:
    """Looks along directions of one program; where kinks are near, the next one begins as near by."""

    def __init__(self) -> None:
        self._from = 0

    def along(
        self, line: Readable, claims: Array, sizes: Array, wanted: float, assured: float
    ) -> list[Judged] | None:
        """The judgements of claims that all are right beyond doubt, to so many digits; None where one may not be."""
        found, self._from = _settled_along(line, claims, sizes, wanted, assured, self._from)
        return found


def settled_along(line: Readable, claims: Array, wanted: float = 0.0) -> list[Judged] | None:
    """The judgements of claims that all are right beyond doubt, to so many digits; None where one may not be."""
    return _settled_along(line, claims, np.abs(claims), wanted, ASSURED, 0)[0]


def _settled_along(
    line: Readable, claims: Array, sizes: Array, wanted: float, assured: float, first: int
) -> tuple[list[Judged] | None, int]:
    """The judgements, and which steps told them; without any, which to begin with."""
    scale = np.array([line.scale])
    imag = line.imag(float(quick_heights(scale)[0]), np.zeros(1))
    seen = None if imag is None else imag[None]
    for number, nearer in enumerate(_NEARER if seen is not None else _NEARER[:2]):
        if number < first:
            continue
        steps, values = line.values(quick_steps(scale)[0] * nearer)
        sure, *told = settled(steps[None], values[None], line.noise, seen, claims[None], assured, sizes=sizes[None])
        if (sure & (told[0] >= wanted)).all():
            digits, estimates, bars = (a[0].tolist() for a in told)
            each = zip(digits, claims.tolist(), estimates, bars, strict=True)
            return [passed(imag is not None, *numbers) for numbers in each], number
    return None, first


def passed(by_complex_step: bool, digits: float, claimed: float, estimate: float, bar: float) -> Judged:
    """The judgement of a claim that is right beyond doubt."""
    if digits == math.inf:
        return Judged(Verdict.PASS_ZERO, claimed, estimate, bar)
    witness = estimate if by_complex_step else None
    return Judged(Verdict.PASS, claimed, estimate, bar, witness=witness, digits=digits)

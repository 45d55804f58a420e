"""Polynomials of NumPy's, given by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import whole
from .arguments import STEPS, Function, array_of, number_or_array, room


def of_polynomials() -> dict[str, Function]:
    """The functions of the module `numpy` that take polynomials."""
    made = {name: _of_two(name) for name in ("polyadd", "polydiv", "polymul", "polysub")}
    made.update(poly=_poly, polyder=_polyder, polyfit=_polyfit, polyint=_polyint, polyval=_polyval)
    return made


def _of_two(name: str) -> Function:
    function = getattr(np, name)

    def call(a1: Any, a2: Any) -> Any:
        a, b = array_of(a1), array_of(a2)
        room(max(a.size, b.size, a.size * b.size), 4)
        return function(a, b)

    return call


def _poly(seq_of_zeros: Any) -> Any:
    zeros = array_of(seq_of_zeros)
    room(zeros.size + 1, 20 * (zeros.size + 1))
    return np.poly(zeros)


def _polyder(p: Any, m: Any = 1) -> Any:
    p, m = array_of(p), whole(m)
    room(p.size, max(1, min(m, p.size)))
    # Nothing is left after so many times.
    return np.polyder(p, min(m, p.size))


def _polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    p, m = array_of(p), whole(m)
    room(p.size + max(m, 0), max(1, m))
    return np.polyint(p, m, None if k is None else number_or_array(k))


def _polyfit(x: Any, y: Any, deg: Any) -> Any:
    x, y = array_of(x), array_of(y)
    room(x.size * (max(whole(deg), 0) + 1), STEPS * (max(whole(deg), 0) + 1))
    return np.polyfit(x, y, whole(deg))


def _polyval(p: Any, x: Any) -> Any:
    p, x = array_of(p), number_or_array(x)
    room(np.size(x), max(1, p.size))
    return np.polyval(p, x)

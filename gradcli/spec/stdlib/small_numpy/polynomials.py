"""Polynomials of NumPy's, given by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import whole
from .arguments import STEPS, Function, array_of, number, number_or_array, room


def of_polynomials() -> dict[str, Function]:
    """The functions of the module `numpy` that take polynomials."""
    made = {name: of_two(getattr(np, name)) for name in ("polyadd", "polydiv", "polymul", "polysub")}
    made.update(poly=_poly, polyder=_polyder, polyfit=_polyfit, polyint=_polyint, polyval=_polyval)
    return made


def coefficients(c: Any) -> Any:
    """An array of coefficients, of which there may be one alone, without its axis."""
    return np.atleast_1d(array_of(c))


def of_two(function: Function) -> Function:
    """A function of two polynomials."""

    def call(a1: Any, a2: Any) -> Any:
        a, b = coefficients(a1), coefficients(a2)
        room(max(a.size, b.size, a.size * b.size), 8)
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


def _polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False
) -> Any:  # fmt: skip
    x, y, deg = array_of(x), array_of(y), whole(deg)
    count = max(deg, 0) + 1
    room(max(y.size, x.size * count), STEPS * count)
    rcond, w = None if rcond is None else number(rcond), None if w is None else array_of(w)
    # Its stubs have a signature for each of the ways.
    fit: Function = np.polyfit
    return fit(x, y, deg, rcond, bool(full), w, "unscaled" if cov == "unscaled" else bool(cov))


def _polyval(p: Any, x: Any) -> Any:
    p, x = array_of(p), number_or_array(x)
    room(np.size(x), max(1, p.size))
    return np.polyval(p, x)

"""The functions of `numpy.polynomial`: sums of powers and of the polynomials of four others.

What evaluates such a sum at places is written in the spec language.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import whole
from .arguments import STEPS, Function, array_of, number, number_or_array, room
from .polynomials import coefficients, of_two
from .quiet import quiet

# The beginning of a function's name -> the module that it is in.
FAMILIES = {
    "poly": "polynomial", "cheb": "chebyshev", "leg": "legendre", "herm": "hermite", "herme": "hermite_e",
    "lag": "laguerre",
}  # fmt: skip
_GRIDS = ("val2d", "val3d", "grid2d", "grid3d")


@cache
def names() -> dict[str, Any]:
    """The functions of all families: their names begin with that of the family."""
    made: dict[str, Function] = {}
    for first, module in FAMILIES.items():
        for name, of in _KINDS.items():
            function = getattr(getattr(np.polynomial, module), first + name, None)
            if function is not None:
                made[first + name] = of(function)
        if first != "poly":
            for name in (f"poly2{first}", f"{first}2poly"):
                made[name] = _of_coefficients(getattr(getattr(np.polynomial, module), name))
    return {name: quiet(name, function) for name, function in made.items()}


def _of_coefficients(function: Function) -> Function:
    """A function of the coefficients, of which there are no more than a square of them."""

    def call(c: Any) -> Any:
        c = coefficients(c)
        room((c.size + 1) ** 2, STEPS * (c.size + 1))
        return function(c)

    return call


def _power(function: Function) -> Function:
    def call(c: Any, pow: Any, maxpower: Any = None) -> Any:
        c, n = coefficients(c), whole(pow)
        room(max(1, c.size * n), max(1, c.size * n))
        return function(c, n, None if maxpower is None else whole(maxpower))

    return call


def _trimmed(function: Function) -> Function:
    def call(c: Any, tol: Any = 0) -> Any:
        c = coefficients(c)
        room(c.size)
        return function(c, number(tol))

    return call


def _derivative(function: Function) -> Function:
    def call(c: Any, m: Any = 1, scl: Any = 1, axis: Any = 0) -> Any:
        c, m = coefficients(c), whole(m)
        # Nothing is left after as many times as there are coefficients.
        room(c.size, max(1, min(m, c.size)))
        return function(c, min(m, c.size), number(scl), whole(axis))

    return call


def _integral(function: Function) -> Function:
    def call(c: Any, m: Any = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: Any = 0) -> Any:
        c, m = coefficients(c), whole(m)
        room((c.size + max(m, 0)) * max(m, 1), 4)
        given = list(array_of(k)) if np.ndim(k) else [number(k)]
        return function(c, m, given, number(lbnd), number(scl), whole(axis))

    return call


def _fit(function: Function) -> Function:
    def call(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
        x, y, degrees = array_of(x), array_of(y), array_of(deg)
        count = int(max(degrees.max(initial=0), 0)) + 1
        room(max(y.size, x.size * count), STEPS * count)
        rcond, w = None if rcond is None else number(rcond), None if w is None else array_of(w)
        return function(x, y, whole(deg) if degrees.ndim == 0 else degrees, rcond, bool(full), w)

    return call


def _line(function: Function) -> Function:
    return lambda off, scl: function(number(off), number(scl))


def _vander(function: Function) -> Function:
    def call(x: Any, deg: Any) -> Any:
        x, deg = array_of(x), whole(deg)
        room(max(x.size, x.size * (deg + 1)), 4)
        return function(x, deg)

    return call


def _gauss(function: Function) -> Function:
    def call(deg: Any) -> Any:
        deg = whole(deg)
        room(max(deg, 1) ** 2, STEPS * max(deg, 1))
        return function(deg)

    return call


def _points(function: Function) -> Function:
    def call(npts: Any) -> Any:
        room(max(whole(npts), 0))
        return function(whole(npts))

    return call


def _weight(function: Function) -> Function:
    def call(x: Any) -> Any:
        x = number_or_array(x)
        room(np.size(x))
        return function(x)

    return call


def _at_places(name: str) -> Callable[[Function], Function]:
    """A function that sums over several axes of coefficients, at places or at all places of a grid."""
    axes = int(name[-2])

    def of(function: Function) -> Function:
        def call(*given: Any) -> Any:
            if len(given) != axes + 1:
                says = f"{function.__name__}() takes {axes + 1} positional arguments but {len(given)} were given"
                raise TypeError(says)
            *places, c = [array_of(a) for a in given]
            count = 1
            for x in places:
                count = count * max(1, x.size) if name.startswith("grid") else max(count, x.size)
            room(count * max(1, c.size), 4)
            return function(*places, c)

        return call

    return of


def _interpolated(function: Function) -> Function:
    del function

    def call(*args: Any, **kwargs: Any) -> Any:
        raise SpecError("chebinterpolate() is not in the spec language", help="fit the values at chebpts1(deg + 1)")

    return call


_KINDS: dict[str, Callable[[Function], Function]] = {
    **dict.fromkeys(("add", "sub", "mul", "div"), of_two), "pow": _power, "trim": _trimmed, "der": _derivative,
    **dict.fromkeys(("mulx", "companion", "roots", "fromroots"), _of_coefficients), "int": _integral, "fit": _fit,
    "line": _line, "vander": _vander, "gauss": _gauss, "pts1": _points, "pts2": _points, "weight": _weight,
    "interpolate": _interpolated, **{name: _at_places(name) for name in _GRIDS},
}  # fmt: skip

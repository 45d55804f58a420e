"""Special functions that PyTorch has without a derivative: Bessel's, Airy's, and orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....errors import Unsupported
from ...call_errors import no_overload
from ...costs import ALWAYS, costs
from ...dtypes import default, promote
from ...modes import unfollowed
from ...numeric import bessel, hankel
from ...registry import constant, public
from ...tensor import Array, Tensor, Value, result
from .masks import refuse_halves


def _in_double(kernel: str, function: Callable[[Array], Array], x: Array) -> Array:
    """A function computed in double precision, in the dtype of its operand."""
    refuse_halves(kernel, x.dtype)
    if x.dtype.kind == "c":
        raise Unsupported("special functions without a derivative are not supported for complex tensors")
    d = x.dtype if x.dtype.kind == "f" else default.float
    return np.asarray(function(np.asarray(x, np.float64)), d)[()]


@public("special")
@constant
def airy_ai(x: Array) -> Array:
    """Airy's function Ai."""
    return _in_double("airy_ai_cpu", hankel.airy, x)


@public("special")
@constant
def bessel_j0(self: Array) -> Array:
    """Bessel function of the first kind, of order 0."""
    return _in_double("bessel_j0_cpu", lambda x: hankel.first_kind(0, x), self)


@public("special")
@constant
def bessel_j1(self: Array) -> Array:
    """Bessel function of the first kind, of order 1."""
    return _in_double("bessel_j1_cpu", lambda x: hankel.first_kind(1, x), self)


@public("special")
@constant
def bessel_y0(self: Array) -> Array:
    """Bessel function of the second kind, of order 0."""
    return _in_double("bessel_y0_cpu", lambda x: hankel.second_kind(0, x), self)


@public("special")
@constant
def bessel_y1(self: Array) -> Array:
    """Bessel function of the second kind, of order 1."""
    return _in_double("bessel_y1_cpu", lambda x: hankel.second_kind(1, x), self)


@public("special")
@constant
def modified_bessel_i0(self: Array) -> Array:
    """Modified Bessel function of the first kind, of order 0."""
    return _in_double("modified_bessel_i0_cpu", bessel.i0, self)


@public("special")
@constant
def modified_bessel_i1(self: Array) -> Array:
    """Modified Bessel function of the first kind, of order 1."""
    return _in_double("modified_bessel_i1_cpu", bessel.i1, self)


@public("special")
@constant
def modified_bessel_k0(self: Array) -> Array:
    """Modified Bessel function of the second kind, of order 0."""
    return _in_double("modified_bessel_k0_cpu", lambda x: hankel.modified_second_kind(0, x), self)


@public("special")
@constant
def modified_bessel_k1(self: Array) -> Array:
    """Modified Bessel function of the second kind, of order 1."""
    return _in_double("modified_bessel_k1_cpu", lambda x: hankel.modified_second_kind(1, x), self)


@public("special")
@constant
def scaled_modified_bessel_k0(x: Array) -> Array:
    """Modified Bessel function of the second kind, of order 0, times exp(x)."""
    return _in_double("scaled_modified_bessel_k0_cpu", lambda x: hankel.modified_second_kind(0, x, True), x)


@public("special")
@constant
def scaled_modified_bessel_k1(x: Array) -> Array:
    """Modified Bessel function of the second kind, of order 1, times exp(x)."""
    return _in_double("scaled_modified_bessel_k1_cpu", lambda x: hankel.modified_second_kind(1, x, True), x)


def _cardinal_sine(x: Array) -> Array:
    with np.errstate(all="ignore"):
        found = np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x))
    return np.where(np.isinf(x), 0.0, found)


@public("special")
@constant
def spherical_bessel_j0(x: Array) -> Array:
    """Spherical Bessel function of the first kind, of order 0."""
    return _in_double("spherical_bessel_j0_cpu", _cardinal_sine, x)


# -- orthogonal polynomials ------------------------------------------------------------------------

# The polynomial of degree 1, and the next one of the degree k + 1 of those of degree k and k - 1.
Family = tuple[Callable[[Array], Array], Callable[[int, Array, Array, Array], Array]]


def _doubled(k: int, x: Array, p: Array, before: Array) -> Array:
    return 2 * x * p - before


def _shifted(family: Family) -> Family:
    """The same polynomials of 2 * x - 1."""
    first, following = family
    return (lambda x: first(2 * x - 1)), (lambda k, x, p, before: following(k, 2 * x - 1, p, before))


_T: Family = ((lambda x: x), _doubled)
_U: Family = ((lambda x: 2 * x), _doubled)
_V: Family = ((lambda x: 2 * x - 1), _doubled)
_W: Family = ((lambda x: 2 * x + 1), _doubled)
_H: Family = ((lambda x: 2 * x), lambda k, x, p, before: 2 * (x * p - k * before))
_HE: Family = ((lambda x: x), lambda k, x, p, before: x * p - k * before)
_L: Family = ((lambda x: 1 - x), lambda k, x, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1))
_P: Family = ((lambda x: x), lambda k, x, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1))


def _values(family: Family, x: Array, degrees: Array) -> Array:
    """The polynomials of some degrees at some places; there are none of negative degree."""
    first, following = family
    x, degrees = np.broadcast_arrays(x, degrees)
    found = np.where(degrees == 0, 1.0, 0.0)
    before, p = np.ones_like(x), first(x)
    with np.errstate(all="ignore"):
        for k in range(1, int(degrees.max(initial=0)) + 1):
            found = np.where(degrees == k, p, found)
            before, p = p, following(k, x, p, before)
    return np.where(np.isnan(x) & (degrees > 0), np.nan, found)


def _called(name: str, family: Family, x: Value, n: Value) -> Value:
    """A polynomial of a tensor or a number, of a degree that is one or the other."""
    held = [t._a for t in (x, n) if isinstance(t, Tensor)]
    if not held or not all(isinstance(t, (Tensor, int, float)) for t in (x, n)):
        raise no_overload(name, x, n)
    if any(a.dtype.kind == "c" for a in held):
        raise Unsupported(f"{name}() of complex tensors is not supported")
    d = promote(*held) if len(held) == 2 else held[0].dtype
    d = d if d.kind == "f" else default.float
    refuse_halves(f"{name.removeprefix('special_')}_cpu", d)
    place, degree = (np.asarray(t._a if isinstance(t, Tensor) else t, np.float64) for t in (x, n))
    return unfollowed(result(np.asarray(_values(family, place, np.trunc(degree)), d)[()]), x, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def chebyshev_polynomial_t(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the first kind, of degree n."""
    return _called("special_chebyshev_polynomial_t", _T, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def chebyshev_polynomial_u(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the second kind, of degree n."""
    return _called("special_chebyshev_polynomial_u", _U, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def chebyshev_polynomial_v(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the third kind, of degree n."""
    return _called("special_chebyshev_polynomial_v", _V, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def chebyshev_polynomial_w(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the fourth kind, of degree n."""
    return _called("special_chebyshev_polynomial_w", _W, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def hermite_polynomial_h(input: Value, n: Value) -> Value:
    """Physicist's Hermite polynomial, of degree n."""
    return _called("special_hermite_polynomial_h", _H, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def hermite_polynomial_he(input: Value, n: Value) -> Value:
    """Probabilist's Hermite polynomial, of degree n."""
    return _called("special_hermite_polynomial_he", _HE, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def laguerre_polynomial_l(input: Value, n: Value) -> Value:
    """Laguerre polynomial, of degree n."""
    return _called("special_laguerre_polynomial_l", _L, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def legendre_polynomial_p(input: Value, n: Value) -> Value:
    """Legendre polynomial, of degree n."""
    return _called("special_legendre_polynomial_p", _P, input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def shifted_chebyshev_polynomial_t(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the first kind, of 2 * input - 1, of degree n."""
    return _called("special_shifted_chebyshev_polynomial_t", _shifted(_T), input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def shifted_chebyshev_polynomial_u(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the second kind, of 2 * input - 1, of degree n."""
    return _called("special_shifted_chebyshev_polynomial_u", _shifted(_U), input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def shifted_chebyshev_polynomial_v(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the third kind, of 2 * input - 1, of degree n."""
    return _called("special_shifted_chebyshev_polynomial_v", _shifted(_V), input, n)


@public("special")
@costs("picking.polynomial", careful=ALWAYS)
def shifted_chebyshev_polynomial_w(input: Value, n: Value) -> Value:
    """Chebyshev polynomial of the fourth kind, of 2 * input - 1, of degree n."""
    return _called("special_shifted_chebyshev_polynomial_w", _shifted(_W), input, n)

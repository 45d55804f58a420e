# ruff: noqa: E501 (programs on one line)
"""Polynomials of NumPy's families: classes and functions, beside NumPy itself."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

from gradcli.errors import LimitError

from ..running import printed

_BEGIN = (
    "import numpy as np\nfrom numpy.polynomial import Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre\n"
    "from numpy.polynomial import polynomial as P, chebyshev as C, legendre, hermite, hermite_e, laguerre\n"
    "def show(*given):\n    for make in given:\n        try: print(make())\n        except Exception as e: print(type(e).__name__, e)\n"
    "x = np.linspace(-2, 3, 7)\ny = np.sin(x)\n"
)
_EACH = (
    "p = Polynomial([1, 2, 3])\n"
    "for K in (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre):\n    a, b = K([1, -2, 0.5]), K([2, 1])\n"
    "    show(lambda: a, lambda: repr(a), lambda: f'{a:ascii}', lambda: a + b, lambda: 1 - a, lambda: a * b, lambda: divmod(a, b), lambda: a**3, lambda: a / 2, lambda: x * a, lambda: a(x), lambda: a([1, 2]), lambda: a(b))\n"
    "    show(lambda: a.deriv(), lambda: a.integ(2, k=[1, 2], lbnd=0.5), lambda: np.round(a.roots(), 9), lambda: K.fromroots([1, 2]), lambda: K.basis(4), lambda: K.cast(p), lambda: a.convert(kind=Polynomial), lambda: a.linspace(5), lambda: a.trim(1), lambda: a.cutdeg(1), lambda: a == K([1, -2, 0.5]))\n"
    "    f = K.fit(x, y, 3)\n    show(lambda: f.domain, lambda: np.round(f(x), 9), lambda: np.round(f.convert().coef, 8), lambda: K([1, 2, 3], domain=[0, 2], window=[0, 1], symbol='t'), lambda: a / b, lambda: K([]), lambda: a**-1, lambda: K([1j, 2]), lambda: type(a))\n"
)
_FUNCTIONS = (
    "show(lambda: P.polyval(x, [1, 2, 3]), lambda: P.polyval([1, 2], [[1, 2], [3, 4]]), lambda: np.round(P.polyfit(x, y, 3), 9), lambda: np.round(P.polyroots([6, -5, 1]), 9), lambda: P.polyfromroots([1, 2, 3]), lambda: P.polyvander(x[:2], 3), lambda: P.polyval2d(1, 2, [[1, 2], [3, 4]]), lambda: P.polyint([1, 2, 3], 2, k=[1, 2]), lambda: P.polyder([1], -1))\n"
    "show(lambda: C.cheb2poly([1, 2, 3]), lambda: C.poly2cheb([1, 2, 3]), lambda: np.round(C.chebgauss(3), 9), lambda: C.chebpts2(3), lambda: np.round(legendre.leggauss(5), 9), lambda: np.round(hermite.hermgauss(4), 9), lambda: np.round(laguerre.laggauss(3), 9), lambda: np.polynomial.hermite_e.hermeval(0.5, [1, 2, 3]))\n"
    "show(lambda: Polynomial([1.123456789012, np.nan, np.inf]), lambda: Polynomial(np.arange(1, 30.0)), lambda: Polynomial([0.5, -1e-9, 3e10]))\n"
)
# Those of the module itself, with the highest power first.
_OLD = (
    "show(*(lambda how=how: np.polyfit(x, y, 2, **how) for how in ({}, {'w': x + 3}, {'cov': True}, {'cov': 'unscaled'}, {'full': True}, {'rcond': 0.5})))\n"
    "show(lambda: np.polyfit(x, np.stack([y, 2 * y], 1), 1), lambda: np.polyfit(x, y[:3], 1), lambda: np.polyfit(x, y, -1), lambda: np.polyfit(x, y, 10**3))\n"
    "show(lambda: np.polyadd(1, [1, 2]), lambda: np.polymul([1, 2], 3), lambda: np.polydiv([1.0, 2, 3], 2), lambda: np.polysub([1], [1, 2]))\n"
)


@pytest.mark.parametrize("text", [_EACH, _FUNCTIONS, _OLD])
def test_the_same_as_numpy(text: str) -> None:
    wanted = io.StringIO()
    with contextlib.redirect_stdout(wanted), np.errstate(all="ignore"):
        exec(_BEGIN + text, {})
    assert printed(_BEGIN + text) == wanted.getvalue()


def test_sizes_are_bounded() -> None:
    """A power, a rule and a matrix that would be too large."""
    for text in ("P.polypow([1, 2], 10**9)", "legendre.leggauss(10**6)", "P.polyvander(x, 10**9)", "P.polyint([1], 10**9)"):
        with pytest.raises(LimitError):
            printed(_BEGIN + text)

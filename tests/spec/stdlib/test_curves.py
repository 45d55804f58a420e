# ruff: noqa: E501 (programs on one line)
"""Curves through points and equations of matrices, as SciPy has them; the numbers were printed by SciPy 1.16."""

from __future__ import annotations

import pytest

from ..running import printed

_BEGIN = """
import numpy as np
from scipy import interpolate, linalg
from scipy.interpolate import BSpline, RegularGridInterpolator, griddata, interp1d, interpn, lagrange, make_interp_spline, splev, splrep
np.set_printoptions(precision=6, suppress=True)
x = np.arange(6.0)
y = np.cos(-x**2 / 9.0)
a, b, q, r = np.array([[1, 2.0], [0.5, 3]]), np.array([[0.0], [1]]), np.eye(2), np.array([[1.0]])
grid = RegularGridInterpolator((x[:4], x[:3]), np.arange(12.0).reshape(4, 3) ** 2)
"""
RECORDED = {
    "interp1d(x, y, kind='cubic')([0.5, 2.25]), interp1d(x, np.stack([y, y * 2]), kind='cubic')([1.5]), interp1d(x, y, kind='cubic', fill_value='extrapolate')(6).round(6)": '[0.996729 0.846399] [[0.969734]\n [1.939468]] -1.115327',
    "interp1d(x, np.stack([y, y * 2]).T, axis=0)(2.5), interp1d(x, y, kind='nearest-up')(0.5), interp1d(x, y, kind='zero')(0.9), interp1d(x, y, bounds_error=False, fill_value=(0, 9))([-1, 9])": '[0.721576 1.443152] 0.993833508538892 1.0 [0. 9.]',
    "grid([[1.5, 0.3], [2.9, 1.0]]), grid((1.2, 0.7)), interpn((x[:4], x[:3]), np.arange(12.0).reshape(4, 3), [[0.5, 0.5]], method='nearest'), lagrange([0, 1, 2], [0, 1, 8])": '[25.5 94.9] 20.139999999999997 [0.]    2\n3 x - 2 x',
    'splrep(x, y, s=0)[0], splev([0.3, 2.2], splrep(x, y, s=0)), splev([0.3, 2.2], splrep(x, y, s=0), der=1), make_interp_spline(x, y, k=1)(0.5)': '[0. 0. 0. 0. 2. 3. 5. 5. 5. 5.] [0.996784 0.859169] [-0.002727 -0.247578] 0.9969167542694459',
    'np.round(BSpline([0, 1, 2, 3, 4, 5, 6], [-1, 2, 0, -1], 2)(2.5), 6), BSpline.basis_element([0, 1, 2, 3, 4])([1.5]), BSpline.design_matrix([2.2], splrep(x, y, s=0)[0], 3).toarray(), interpolate.InterpolatedUnivariateSpline(x, y)(2.2).round(6)': '1.375 [0.479167] [[0.       0.056889 0.589511 0.352711 0.000889 0.      ]] 0.859169',
    "griddata(np.array([[0, 0], [1, 1], [2, 0.0]]), np.array([1, 2, 3.0]), np.array([[0.1, 0.2], [1.9, 0]]), method='nearest')": '[1. 3.]',
    'linalg.hankel([1, 2, 3]), linalg.companion([1, -10, 31, -30]), linalg.dft(3)[1], linalg.polar(a), linalg.orthogonal_procrustes(a, q), linalg.pinvh(q), linalg.issymmetric(a)': '[[1 2 3]\n [2 3 0]\n [3 0 0]] [[ 10. -31.  30.]\n [  1.   0.   0.]\n [  0.   1.   0.]] [ 1. +0.j       -0.5-0.866025j -0.5+0.866025j] (array([[ 0.936329,  0.351123],\n       [-0.351123,  0.936329]]), array([[0.760767, 0.819288],\n       [0.819288, 3.511234]])) (array([[ 0.936329, -0.351123],\n       [ 0.351123,  0.936329]]), np.float64(4.272001872658766)) [[1. 0.]\n [0. 1.]] False',
    'linalg.solve_continuous_lyapunov(a, q), linalg.solve_discrete_lyapunov(a / 5, q), linalg.solve_continuous_are(a, b, q, r), linalg.solve_discrete_are(a, b, q, r), linalg.fractional_matrix_power(a, 0.5)': '[[ 0.9375   -0.21875 ]\n [-0.21875   0.203125]] [[1.407427 0.513744]\n [0.513744 1.680818]] [[8.108899 4.679449]\n [4.679449 8.358899]] [[ 2.981939  5.467182]\n [ 5.467182 18.73832 ]] [[0.92388  0.765367]\n [0.191342 1.689246]]',
}  # fmt: skip


@pytest.mark.parametrize("text", RECORDED)
def test_the_same_as_scipy(text: str) -> None:
    assert printed(f"{_BEGIN}print({text})") == RECORDED[text] + "\n"


def test_equations_are_solved() -> None:
    text = (
        "def far(m): return bool(abs(m).max() > 1e-9)\n"
        "x1 = linalg.solve_continuous_are(a, b, q, r)\nx2 = linalg.solve_discrete_are(a, b, q, r)\n"
        "x3 = linalg.solve_sylvester(a, q, a)\n"
        "gain = np.linalg.solve(r + b.T @ x2 @ b, b.T @ x2 @ a)\n"
        "print(far(a.T @ x1 + x1 @ a - x1 @ b @ b.T @ x1 + q), far(a.T @ x2 @ a - x2 - a.T @ x2 @ b @ gain + q))\n"
        "print(far(a @ x3 + x3 @ q - a), far(linalg.expm(linalg.logm(a)) - a))\n"
    )
    assert printed(_BEGIN + text) == "False False\nFalse False\n"

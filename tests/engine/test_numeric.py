"""The functions that NumPy lacks, against arbitrary precision, and PyTorch's values at the ends of the line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.numeric import bessel, erf, gamma
from gradcli.engine.numeric.common import BLOCK

mp = pytest.importorskip("mpmath")

INF, NAN = float("inf"), float("nan")
RANDOM = np.random.default_rng(0)


def spread(low: float, high: float, n: int = 150) -> Any:
    return RANDOM.uniform(low, high, n)


def powers(low: float, high: float, n: int = 60) -> Any:
    return 10.0 ** RANDOM.uniform(low, high, n)


def around(x: float, n: int = 30) -> Any:
    return np.concatenate((x + powers(-14, -2, n), x - powers(-14, -2, n)))


def real(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: mp.re(f(x))


def tail_inverse(q: Any) -> Any:
    """The inverse of erfc, by Newton's method for its logarithm."""
    y = mp.sqrt(-mp.log(q))
    for _ in range(60):
        e = mp.erfc(y)
        step = mp.log(e / q) * e * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < 1e-35:
            break
    return y


CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Any]] = {
    "erf": (erf.erf, mp.erf, np.concatenate((spread(-6.5, 6.5), powers(-300, 0), -powers(-9, 0)))),
    "erf of few": (erf.erf, mp.erf, spread(-6, 6, 40)),
    "erfc": (erf.erfc, mp.erfc, np.concatenate((spread(-7, 26), powers(-30, 1)))),
    "erfcx": (
        erf.erfcx,
        lambda x: mp.exp(x * x) * mp.erfc(x),
        np.concatenate((spread(-26, 30), powers(-30, 1.4))),
    ),
    "erfinv": (erf.erfinv, mp.erfinv, np.concatenate((spread(-0.9, 0.9), powers(-300, -1)))),
    "erfinv near 1": (erf.erfinv, lambda x: tail_inverse(1 - x), 1 - powers(-15.5, -0.9)),
    "ndtri": (erf.ndtri, lambda p: -mp.sqrt(2) * tail_inverse(2 * p), powers(-307, -1)),
    "lgamma": (
        gamma.lgamma,
        real(mp.loggamma),
        np.concatenate((spread(0, 12), powers(-307, 300), around(1.0), around(2.0), -powers(-300, -1))),
    ),
    "digamma": (
        gamma.digamma,
        mp.digamma,
        np.concatenate((spread(0, 12), powers(-300, 300), around(1.4616321449683622), -powers(-300, -1))),
    ),
    "trigamma": (lambda x: gamma.polygamma(1, x), lambda x: mp.polygamma(1, x), spread(-4, 12)),
    "polygamma 2": (lambda x: gamma.polygamma(2, x), lambda x: mp.polygamma(2, x), spread(0, 12)),
    "polygamma 7": (lambda x: gamma.polygamma(7, x), lambda x: mp.polygamma(7, x), spread(0, 30)),
    "zeta": (lambda x: gamma.zeta(np.full(x.shape, 2.5), x), lambda x: mp.zeta(2.5, x), spread(0, 12)),
    "i0": (bessel.i0, lambda x: mp.besseli(0, x), np.concatenate((spread(-30, 30), powers(-300, 2.84)))),
    "i1": (bessel.i1, lambda x: mp.besseli(1, x), np.concatenate((spread(-30, 30), powers(-300, 2.84)))),
    "i0e": (bessel.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), spread(-60, 60)),
    "i1e": (bessel.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), spread(-60, 60)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_function_is_exact_to_a_few_last_places(name: str) -> None:
    f, exact, xs = CASES[name]
    with mp.workdps(40):
        for x, y in zip(xs, f(xs), strict=True):
            want = exact(mp.mpf(float(x)))
            assert abs(mp.mpf(float(y)) - want) <= 1e-14 * abs(want), f"{name}({x!r}) is {y!r}, not {float(want)!r}"


def test_lgamma_and_digamma_below_zero() -> None:
    xs = spread(-20, 0)
    for f, exact in ((gamma.lgamma, real(mp.loggamma)), (gamma.digamma, mp.digamma)):
        with mp.workdps(40):
            for x, y in zip(xs, f(xs), strict=True):
                want = exact(mp.mpf(float(x)))
                assert abs(mp.mpf(float(y)) - want) <= 1e-14 * max(1, abs(want))


def test_blocks_make_no_difference() -> None:
    x = np.linspace(-5, 5, 2 * BLOCK + 7)
    for f in (erf.erf, erf.erfc, gamma.lgamma, bessel.i0):
        assert np.array_equal(f(x)[BLOCK - 3 : BLOCK + 3], f(x[BLOCK - 200 : BLOCK + 200])[197:203])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_narrow_floats_stay_narrow(dtype: Any) -> None:
    x = np.array([[0.25, -1.5]], dtype)
    for f in (erf.erf, gamma.lgamma, bessel.i0):
        assert f(x).dtype == dtype
        assert np.allclose(f(x), f(x.astype(np.float64)), rtol=1e-3)


# PyTorch's values, as it computes them.
LINE = [0.0, -0.0, NAN, INF, -INF, 1e-30, -1e-30, 50.0, -50.0, 800.0, -800.0]
ENDS: dict[str, list[float]] = {
    "sigmoid": [0.5, 0.5, NAN, 1, 0, 0.5, 0.5, 1, 1.928749847963918e-22, 1, 0],
    "tanh": [0, -0.0, NAN, 1, -1, 1e-30, -1e-30, 1, -1, 1, -1],
    "relu": [0, -0.0, NAN, INF, 0, 1e-30, 0, 50, 0, 800, 0],
    "erf": [0, -0.0, NAN, 1, -1, 1.1283791670955126e-30, -1.1283791670955126e-30, 1, -1, 1, -1],
    "expm1": [0, -0.0, NAN, INF, -1, 1e-30, -1e-30, 5.184705528587072e21, -1, INF, -1],
    "log1p": [0, -0.0, NAN, INF, NAN, 1e-30, -1e-30, 3.9318256327243257, NAN, 6.6858609470683596, NAN],
    "sign": [0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1],
}
FUNCTIONAL: dict[str, list[float]] = {
    "softplus": [
        0.6931471805599453, 0.6931471805599453, NAN, INF, 0, 0.6931471805599453, 0.6931471805599453, 50,
        1.9287498479639178e-22, 800, 0,
    ],
    "logsigmoid": [
        -0.6931471805599453, -0.6931471805599453, NAN, 0, -INF, -0.6931471805599453, -0.6931471805599453,
        -1.9287498479639178e-22, -50, 0, -800,
    ],
    "silu": [0, -0.0, NAN, INF, NAN, 5e-31, -5e-31, 50, -9.64374923981959e-21, 800, -0.0],
    "hardswish": [0, -0.0, NAN, INF, NAN, 5e-31, -5e-31, 50, -0.0, 800, -0.0],
}  # fmt: skip


@pytest.mark.parametrize("name", [*ENDS, *FUNCTIONAL])
def test_the_ends_of_the_line(name: str) -> None:
    where = gradcli if name in ENDS else gradcli.nn.functional
    x = gradcli.tensor(LINE, dtype=gradcli.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = getattr(where, name)(x).numpy()
    want = np.array((ENDS | FUNCTIONAL)[name])
    with np.errstate(invalid="ignore"):
        close = (y == want) | (np.abs(y - want) <= 1e-14 * np.abs(want)) | (np.isnan(y) & np.isnan(want))
    assert close.all(), f"{name}: {y.tolist()}"


@pytest.mark.parametrize("scale", [1.0, 30.0, 800.0])
def test_a_softmax_of_large_numbers(scale: float) -> None:
    x = gradcli.tensor((RANDOM.standard_normal((4, 6)) * scale).tolist(), dtype=gradcli.float64)
    p, log_p = gradcli.softmax(x, 1).numpy(), gradcli.log_softmax(x, 1).numpy()
    assert np.allclose(p.sum(1), 1, rtol=1e-15)
    assert np.allclose(np.exp(log_p), p, rtol=1e-12)
    assert np.isfinite(log_p).all()


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("shape", "dim"), [((0, 5), (0,)), ((3, 0, 2), (1,)), ((2, 0, 3, 0), (1, 3)), ((0,), (0,))])
def test_the_spread_of_nothing_is_nan_in_each_place(torch, shape, dim):
    for kind in (torch.float32, torch.float16):
        left = [n for i, n in enumerate(shape) if i not in dim]
        found = torch.zeros(shape, dtype=kind).var(dim)
        assert list(found.shape) == left
        assert bool(found.isnan().all())


def test_a_product_of_one_term_keeps_the_sign_of_its_zeros() -> None:
    column, row = -gradcli.ones(3, 1), gradcli.zeros(1, 2)
    assert gradcli.signbit(column @ row).all()
    weight = gradcli.zeros(3, 2, requires_grad=True)
    gradcli.nn.functional.linear(row, weight).backward(column.t())
    assert gradcli.signbit(weight.grad).all()  # type: ignore[arg-type]
    # Of one row it is a sum, that begins at zero.
    assert not gradcli.signbit(-gradcli.ones(1, 1) @ gradcli.zeros(1, 5)).any()


def test_a_factor_that_is_a_tensor_may_stand_first_as_numbers_may() -> None:
    x, factor, y = gradcli.ones(2), gradcli.tensor(0.5), gradcli.full((2,), 3.0)
    with pytest.warns(UserWarning, match="overload of add is deprecated"):
        assert gradcli.add(x, factor, y).tolist() == [2.5, 2.5]
    for wrong in (gradcli.ones(1), gradcli.tensor(0.5, requires_grad=True)):
        with pytest.raises(TypeError):
            gradcli.add(x, wrong, y)

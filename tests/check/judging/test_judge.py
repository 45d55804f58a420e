"""The verdict of one derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.judging.one_derivative import judge
from gradcli.check.judging.verdict import PASSES, Judged
from gradcli.check.judging.verdict_table import verdict_of
from gradcli.check.slopes.all_ways import Slopes
from gradcli.check.slopes.one_sided import Kind, Side

from ..slopes.lines import FUNCTIONS, UNIT, FunctionLine, absolute, floor, known, relu, single

NAN, INF = float("nan"), float("inf")


def judged(
    function: Any, x: float, claim: float, noise: Any = None, near: Any = None, complex_step: bool = True
) -> Judged:
    return judge(FunctionLine(function, x, noise), np.array([claim]), near, complex_step=complex_step)[0]


@pytest.mark.parametrize("complex_step", [True, False])
def test_no_right_claim_is_blamed(complex_step: bool) -> None:
    for name, x, slope, noise in known():
        found = judged(FUNCTIONS[name], x, slope, noise, complex_step=complex_step)
        assert found.verdict in PASSES, (name, x, found)


@pytest.mark.parametrize("complex_step", [True, False])
@pytest.mark.parametrize("factor", [1.01, 0.5, -1.0, 0.0])
def test_no_wrong_claim_is_passed(factor: float, complex_step: bool) -> None:
    for name, x, slope, noise in known()[::3]:
        if slope:
            found = judged(FUNCTIONS[name], x, factor * slope, noise, complex_step=complex_step)
            assert found.verdict in ("WRONG", "SATURATED"), (name, x, found)
            felt = abs(slope * (1 - factor)) * max(abs(x), 1) > 4 * UNIT * abs(FUNCTIONS[name](np.array([x]))[0])
            assert found.verdict == "WRONG" or not felt


@pytest.mark.parametrize("name", ["sin", "exp", "log", "atan", "rat", "sigmoid", "sqrt", "gauss"])
def test_how_small_an_error_is_seen(name: str) -> None:
    function, x = FUNCTIONS[name], 0.7
    exact = (judged(function, x, 1.0)).estimate
    assert judged(function, x, exact).verdict == "PASS"
    assert judged(function, x, exact * (1 + 1e-13)).verdict == "INACCURATE"
    assert judged(function, x, exact * (1 + 1e-11), complex_step=False).verdict == "INACCURATE"
    assert judged(function, x, exact * (1 + 2e-6)).verdict == "WRONG"


POINTS = [
    # Kinks.
    (relu, 0.0, 0.0, "KINK_OK"),
    (relu, 0.0, 0.5, "KINK_OK"),
    (relu, 0.0, 1.001, "KINK_WRONG"),
    (relu, 0.0, NAN, "KINK_WRONG"),
    (relu, 0.0, INF, "KINK_WRONG"),
    (absolute, 0.0, -1.0, "KINK_OK"),
    (absolute, 0.0, -1 - 1e-9, "INACCURATE"),
    (lambda x: relu(1e-200 * x), 0.0, 0.0, "KINK_OK"),
    (lambda x: relu(1e200 * x), 0.0, -1e198, "KINK_WRONG"),
    (lambda x: np.sin(x) + 1e-6 * absolute(x), 0.0, 1.00001, "KINK_WRONG"),
    (lambda x: relu(x) - relu(-x), 0.0, 0.0, "WRONG"),
    (lambda x: relu(x) - relu(-x), 0.0, 1.0, "PASS"),
    (relu, 1e-9, 1.0, "PASS"),
    (relu, 1e-9, 0.5, "WRONG"),
    (relu, -1e-12, 0.0, "PASS_ZERO"),
    # No kinks.
    (lambda x: x * absolute(x), 0.0, 0.0, "PASS_ZERO"),
    (lambda x: relu(x) ** 2, 0.0, 0.0, "PASS_ZERO"),
    (lambda x: relu(x) ** 2, 0.0, 0.1, "WRONG"),
    (lambda x: absolute(x) ** 1.5, 0.0, 0.0, "PASS_ZERO"),
    # Edges, jumps, slopes without a bound.
    (np.sqrt, 0.0, INF, "INFINITE_SLOPE"),
    (np.sqrt, 0.0, 0.0, "INFINITE_SLOPE"),
    (np.sqrt, 0.0, -INF, "WRONG"),
    (np.sqrt, -1.0, 0.0, "DOMAIN"),
    (np.log, 0.0, INF, "DOMAIN"),
    (np.arcsin, 1.0, INF, "INFINITE_SLOPE"),
    (lambda x: absolute(x) ** (2 / 3), 0.0, 0.0, "INFINITE_SLOPE"),
    (lambda x: x**1.5, 0.0, 0.0, "EDGE_OK"),
    (lambda x: x**1.5, 0.0, 0.1, "EDGE_WRONG"),
    (lambda x: np.where(x.real < 1, np.nan, x * x), 1.0, 2.0, "EDGE_OK"),
    (lambda x: np.where(x.real < 1, np.nan, x * x), 1.0, 2.1, "EDGE_WRONG"),
    (floor, 2.0, 0.0, "DISCONTINUITY"),
    (floor, 2 - 1e-12, 0.0, "PASS_ZERO"),
    (floor, 2 - 1e-7, 1.0, "WRONG"),
    # Zeros.
    (np.cos, 0.0, 0.0, "PASS_ZERO"),
    (np.cos, 0.0, 1e-20, "SATURATED"),
    (np.cos, 0.0, 1e-8, "WRONG"),
    (np.sin, np.pi / 2, 6.123233995736766e-17, "PASS"),
    (lambda x: 0 * x + 5, 0.7, 0.0, "PASS_ZERO"),
    (lambda x: 0 * x + 5, 0.7, 1e-9, "WRONG"),
    (lambda x: x**3, 0.0, 0.0, "PASS_ZERO"),
    # Scales.
    (lambda x: 2 * x, 1e300, 2.0, "PASS"),
    (lambda x: 2 * x, 1e-300, 2.0, "PASS"),
    (lambda x: 1e-300 * np.sin(x), 1.0, 1e-300 * np.cos(1.0), "PASS"),
    (lambda x: np.tanh(1e25 * x), 0.0, 1e25, "PASS"),
    (lambda x: x + 1e15, 1e15, 1.0, "PASS"),
    (np.exp, 709.7, 0.9 * np.exp(709.7), "WRONG"),
    (lambda x: x * x, 1e-200, 2e-200, "PASS"),
    # Saturation.
    (lambda x: 1e20 * np.tanh(x), 20.0, 1e20 / np.cosh(20.0) ** 2, "PASS"),
    (lambda x: 1e20 * np.tanh(x), 20.0, 0.0, "SATURATED"),
    # What is no number.
    (np.sin, 1.0, NAN, "WRONG"),
    (np.sin, 1.0, INF, "WRONG"),
    (lambda x: x * np.inf, 1.0, INF, "DOMAIN"),
]


@pytest.mark.parametrize(("function", "x", "claim", "verdict"), POINTS)
def test_verdicts(function: Any, x: float, claim: float, verdict: str) -> None:
    assert judged(function, x, claim).verdict == verdict


def test_without_complex_step_saturation_is_not_resolved() -> None:
    for claim in (0.0, 1699.3417021166356):
        found = judged(lambda x: 1e20 * np.tanh(x), 20.0, claim, complex_step=False)
        assert found.verdict in ("UNRESOLVED", "SATURATED")


@pytest.mark.parametrize("x", [0.7, 1.0, 3.7, 1 + 2.0**-25])
def test_a_cast_inside(x: float) -> None:
    def cast(t: Any) -> Any:
        return np.sin(single(t))

    assert judged(cast, x, float(np.cos(np.float32(x)))).verdict in ("PASS", "INACCURATE")
    assert judged(cast, x, 1.01 * np.cos(x)).verdict == "WRONG"
    assert judged(cast, x, 0.0).verdict == "WRONG"


def test_rounded_numbers() -> None:
    def rounded(t: Any) -> Any:
        return np.round(t.real * 1e6) / 1e6

    flat = judged(rounded, 0.7123456789, 0.0)
    assert flat.verdict == "PASS_ZERO"
    assert flat.note is not None
    assert "staircase" in flat.note
    assert judged(rounded, 0.7123456789, 2.0).verdict == "WRONG"


def test_a_claim_that_rounds_is_asked_for_nearby() -> None:
    x, asked = 0.999998, []

    def near(offsets: Any) -> Any:
        asked.append(len(offsets))
        return (1 / (1 - (x + offsets) ** 2))[:, None]

    claim = 1 / (1 - x * x)
    assert judged(np.arctanh, x, claim).verdict == "INACCURATE"
    assert not asked
    found = judged(np.arctanh, x, claim, near=near)
    assert found.verdict == "PASS"
    assert found.claim_bar > 0
    assert asked == [7]


def test_a_claim_is_asked_for_nearby_only_where_it_matters() -> None:
    def near(offsets: Any) -> Any:
        raise AssertionError

    assert judged(np.sin, 1.0, np.cos(1.0), near=near).verdict == "PASS"
    assert judged(relu, 0.0, 2.0, near=near).verdict == "KINK_WRONG"
    # No rounding of the claim makes a slope known that is no larger than what rounding makes of zero.
    zero = judged(lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, 0.7, 1e-17, near=near, complex_step=False)
    assert (zero.verdict, zero.note) == ("SATURATED", "no larger than what rounding makes of zero")


@pytest.mark.parametrize("x", [15.0, 17.0, 18.0, 18.5, 19.0])
def test_a_claim_of_which_rounding_leaves_little_is_not_wrong(x: float) -> None:
    def near(offsets: Any) -> Any:
        return (1 - np.tanh(x + offsets) ** 2)[:, None]

    found = judged(np.tanh, x, 1 - np.tanh(x) ** 2, near=near)
    assert found.verdict in ("PASS", "INACCURATE", "UNRESOLVED", "SATURATED")


def test_rounding_excuses_no_wrong_claim() -> None:
    x = 0.7

    def factor(offsets: Any) -> Any:
        return (1.001 * np.cos(x + offsets))[:, None]

    def branch(offsets: Any) -> Any:
        return np.where(x + offsets > 0.7 - 1e-9, 1.0, np.cos(x + offsets))[:, None]

    def cut(offsets: Any) -> Any:
        return np.cos(x + offsets).astype(np.float32).astype(np.float64)[:, None]

    assert judged(np.sin, x, 1.001 * np.cos(x), near=factor).verdict == "WRONG"
    assert judged(np.sin, x, 1.0, near=branch).verdict == "WRONG"
    assert judged(np.sin, x, float(np.float32(np.cos(x))), near=cut).verdict == "INACCURATE"
    # A factor at a zero of the derivative.
    at = np.pi / 2 + 1e-3
    assert judged(np.sin, at, 2 * np.cos(at), near=lambda s: (2 * np.cos(at + s))[:, None]).verdict == "WRONG"


def test_witnesses_that_contradict_each_other() -> None:
    def torn(x: Any) -> Any:
        return 2 * np.sin(x) if x.dtype.kind == "c" else np.sin(x)

    for factor in (1.5, 2.0, 1.0 + 1e-6):
        found = judged(torn, 1.0, factor * np.cos(1.0))
        assert found.verdict == "WITNESS_CONFLICT"
        assert found.witness == pytest.approx(2 * np.cos(1.0))
    # Two against one.
    assert judged(torn, 1.0, np.cos(1.0)).verdict == "PASS"


def test_a_forward_that_drops_the_imaginary_part_is_no_witness() -> None:
    assert judged(lambda x: np.sin(x.real), 1.0, np.cos(1.0)).verdict == "PASS"


def test_no_bar_of_what_is_not_resolved_shuts_out_the_claim() -> None:
    found = judged(lambda x: np.sin(1e14 * x), 0.3, 1e14 * np.cos(3e13))
    assert found.verdict == "UNRESOLVED"
    assert found.bar >= abs(found.claimed - found.estimate)


def test_reasons_are_told() -> None:
    found = judged(lambda x: (1 - np.cos(x)) / x**2, 1e-5, -1e-5 / 12 * 1.5, 2 * UNIT / 1e-10, complex_step=False)
    assert found.verdict in ("UNRESOLVED", "WRONG")
    drowned = judged(lambda x: x * x, 1e-200, 2e-200, complex_step=False)
    assert drowned.verdict == "SATURATED"
    assert drowned.note == "no larger than what rounding makes of zero"
    assert judged(np.cos, 0.0, 1e-20).note == "too small for the output to feel"


def test_outputs_that_are_asked_for() -> None:
    w = np.linspace(0.5, 2, 5)
    line = FunctionLine(lambda x: np.sin(x[:, None] * w), 0.3)
    claim = w * np.cos(0.3 * w)
    claim[3] *= 2
    assert [j.verdict for j in judge(line, claim)] == ["PASS", "PASS", "PASS", "WRONG", "PASS"]
    assert [j.verdict for j in judge(line, claim, only=np.array([4, 3]))] == ["PASS", "WRONG"]


def test_one_call_is_enough_for_an_ordinary_derivative() -> None:
    line = FunctionLine(np.sin, 1.0)
    judge(line, np.array([np.cos(1.0)]))
    assert line.asked == 1


def log_derivatives(x: Any, k: int) -> Any:
    return (np.log(x), 1 / x, -1 / x**2, 2 / x**3, -6 / x**4)[k]


def tanh_derivatives(x: Any, k: int) -> Any:
    y = np.tanh(x)
    return (y, 1 - y**2, -2 * y * (1 - y**2), (1 - y**2) * (6 * y**2 - 2), (1 - y**2) * (16 * y - 24 * y**3))[k]


def root_derivatives(x: Any, k: int) -> Any:
    return (1, 0.5, -0.25, 0.375, -0.9375)[k] * x ** (0.5 - k)


def gauss_derivatives(x: Any, k: int) -> Any:
    return (1, -2 * x, 4 * x**2 - 2, -8 * x**3 + 12 * x, 16 * x**4 - 48 * x**2 + 12)[k] * np.exp(-x * x)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("derivatives", "x"),
    [
        (lambda x, k: np.sin(x + k * np.pi / 2) if k % 2 else np.sin(x) * (-1) ** (k // 2), 0.7),
        (lambda x, k: np.exp(x), 0.3),
        (log_derivatives, 1e-3),
        (lambda x, k: log_derivatives(x, k + 1) if k < 4 else 24 / x**5, 1e-4),
        (tanh_derivatives, 3.0),
        (root_derivatives, 1e-8),
        (lambda x, k: 100.0**k * (np.cos(100 * x) if k % 2 else np.sin(100 * x)) * (-1) ** (k // 2), 0.7),
        (gauss_derivatives, 2.0),
    ],
)
def test_higher_orders_are_known_to_twelve_digits(derivatives: Any, x: float, k: int) -> None:
    exact = float(derivatives(np.array([x]), k)[0])
    found = judged(lambda t: derivatives(t, k - 1), x, exact, 50 * UNIT * abs(derivatives(np.array([x]), k - 1)[0]))
    assert found.verdict in ("PASS", "INACCURATE")
    assert abs(found.estimate - exact) < 3e-12 * abs(exact)
    assert found.bar < 1e-12 * abs(exact)


@pytest.mark.parametrize(
    ("function", "exact", "noise"),
    [
        (lambda x: np.sin(x) / x**2 - 2 * (1 - np.cos(x)) / x**3, -1 / 12 + 1e-6 / 60 - 1e-12 / 1344, 4e6),
        (
            lambda x: -np.sin(x) / x**2 - 6 * np.cos(x) / x**3 + 18 * np.sin(x) / x**4 - 24 * (1 - np.cos(x)) / x**5,
            1 / 30 - 1e-6 / 112 + 1e-12 / 2160,
            5e13,
        ),
    ],
)
def test_a_badly_conditioned_point_is_seen_from_far_off(function: Any, exact: float, noise: float) -> None:
    # Derivatives of (1 - cos(x)) / x**2.
    found = judged(function, 1e-3, exact, noise * 1e3 * UNIT)
    assert found.verdict == "PASS"
    assert abs(found.estimate - exact) < found.bar + 1e-13 < 1e-12 * abs(exact) + 1e-13


def test_the_rounding_of_a_claim_excuses_it() -> None:
    claim = np.cos(0.7) * (1 + 1e-12)

    def at(bar: float) -> Judged:
        return judge(FunctionLine(np.sin, 0.7), np.array([claim]), rounding=lambda outputs: np.full(1, bar))[0]

    assert at(0.0).verdict == "INACCURATE"
    assert at(1e-12).verdict == "PASS"
    assert at(1e-3).verdict == "INACCURATE"


@pytest.mark.parametrize("error", [1e-3, 1e-5, 1e-9])
def test_an_error_in_proportion_is_no_rounding(error: float) -> None:
    def near(offsets: Any) -> Any:
        x = 1000 + offsets
        return ((np.sin(x) + x * np.cos(x)) * (1 + error))[:, None]

    found = judged(lambda x: x * np.sin(x), 1000.0, near(np.zeros(1))[0, 0], 1e-10, near=near)
    assert found.verdict == ("WRONG" if error > 1e-6 else "INACCURATE")


@pytest.mark.parametrize(
    ("function", "x"), [(lambda x: np.sqrt(x * x + 1e-20), 0.0), (lambda x: np.sqrt(x * x + 1e-16), 0.0)]
)
def test_a_slope_of_zero_between_steep_sides(function: Any, x: float) -> None:
    assert judged(function, x, 0.0).verdict == "PASS_ZERO"
    assert judged(function, x, 1e-3).verdict == "WRONG"


def test_what_rounding_makes_of_zero_is_passed() -> None:
    found = judged(lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, 0.7, 1.4e-16, 4 * UNIT)
    assert found.verdict == "SATURATED"
    assert judged(lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, 0.7, 1e-9, 4 * UNIT).verdict == "WRONG"


@pytest.mark.parametrize(("steepness", "verdict"), [(1e-4, "SATURATED"), (1e-12, "UNRESOLVED")])
def test_a_slope_that_rounding_hides_is_nothing_beside_that_further_off(steepness: float, verdict: str) -> None:
    side = Side(Kind.LIMIT, 0.0, 1e-17)
    found = Slopes(side, side, True, 3e-18, 4e-18, 8e-9, None, False, None, 0.0, reach=2e-11, steepness=steepness)
    assert verdict_of(found, 0.0, 0.06, 0.0).verdict == verdict


def test_what_a_solver_leaves_over_hides_more_of_a_small_slope_than_of_the_largest() -> None:
    line = FunctionLine(lambda x: 1e-3 * x + 3e-6 * np.floor(6 * x.real + 0.3), 0.7)
    claim = np.array([1.018e-3])
    assert judge(line, claim, jumps_on=[line])[0].verdict == "UNRESOLVED"
    assert judge(line, claim, jumps_on=[line], largest=lambda: np.ones(1))[0].verdict == "INACCURATE"
    assert judge(line, 2 * claim, jumps_on=[line], largest=lambda: np.ones(1))[0].verdict == "WRONG"


def test_an_output_that_is_all_noise_has_no_slope() -> None:
    def noise(x: Any) -> Any:
        return 1e-16 * np.sin(1e20 * x.real)

    assert judged(noise, 0.7, 1e-16, 1e-16, complex_step=False).verdict == "SATURATED"
    assert judged(noise, 0.7, 1e-9, 1e-16, complex_step=False).verdict == "WRONG"


def test_differences_that_stand_still_do_not_contradict_complex_step() -> None:
    found = judged(lambda x: -np.log(1 + np.exp(x - 40)), 0.0, -np.exp(-40.0), 1e-300)
    assert found.verdict in ("PASS", "SATURATED")

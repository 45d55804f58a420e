"""Complex step, and its bar."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.check.slopes.complex_step import (
    claim_bar,
    close_offsets,
    height,
    offsets,
    rounding,
    scatter,
    wide_offsets,
    witness,
)
from gradcli.check.slopes.differences import SAFETY

from .lines import FUNCTIONS, UNIT, FunctionLine, known, relu


def test_errors_lie_within_their_bars() -> None:
    beyond = []
    for name, x, slope, noise in known():
        line = FunctionLine(FUNCTIONS[name], x, noise)
        # Over how much each is smooth.
        step = {"sin1e5": 1e-6, "two": 1e-7, "sin100": 1e-3}.get(name, min(1.0, abs(x)) / 4)
        found = witness(line, step)
        assert found is not None
        if np.isfinite(found.bar[0]):
            beyond.append((abs(found.value[0] - slope) / found.bar[0], name, x))
    assert len(beyond) > 620
    assert max(beyond)[0] < SAFETY
    assert np.mean([away > 1 for away, *_ in beyond]) < 0.02


def test_beside_a_maximum_it_is_known_to_all_digits() -> None:
    found = witness(FunctionLine(np.sin, np.pi / 2), 1.0)
    assert found is not None
    assert found.value[0] == pytest.approx(6.123233995736766e-17, rel=1e-15)
    assert found.bar[0] < 1e-25


def test_cancellation_shows_in_the_bar() -> None:
    x = 1e-3
    found = witness(FunctionLine(lambda t: (1 - np.cos(t)) / t**2, x), 1.0)
    assert found is not None
    assert abs(found.value[0] + x / 12) < SAFETY * found.bar[0]
    assert found.bar[0] > 1e-9


def test_on_a_kink_it_says_nothing() -> None:
    found = witness(FunctionLine(lambda x: relu(x) - relu(-x), 0.0), 1.0)
    assert found is not None
    assert np.isinf(found.bar[0])


def test_where_it_cannot_be_read_it_says_nothing() -> None:
    assert witness(FunctionLine(np.sin, 1.0, readable=False), 1.0) is None


def test_heights() -> None:
    assert height(0.0) == height(1.0) == 1e-20
    assert height(1e10) == pytest.approx(1e-10)
    # Not below what numbers can be.
    assert height(1e-300) == pytest.approx(1e-308)
    assert height(0.0, 1e-30) == pytest.approx(1e-42)


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-7, 1.0, 1e12])
def test_neighbours_are_represented_and_apart(x: float) -> None:
    places = offsets(x, (x or 1.0) / 2)
    assert places[3] == 0
    assert ((x + places) - x == places).all() or not x
    assert (np.diff(places) > 0).all()


def test_rounding_of_a_linear_function_shows_with_the_height() -> None:
    w = np.array([1 / 3, 1e6 / 7, -1e6 / 7 + 1e-9])
    line = FunctionLine(lambda x: (x[:, None] * w).sum(1), 1.0)
    found = witness(line, 1.0)
    assert found is not None
    assert rounding(line, 1.0, found.value)[0] > 1e-12


def test_rounding_of_a_claim() -> None:
    x = 0.999998
    exact = claim_bar(lambda s: np.exp(x + s)[:, None], close_offsets(x, 1e-6))
    assert exact[0] < 1e-14
    cancelled = claim_bar(lambda s: (1 / (1 - (x + s) ** 2))[:, None], close_offsets(x, 1e-6))
    assert 1e-7 < cancelled[0] < 1e-2


def test_what_is_no_rounding_of_a_claim() -> None:
    x = 0.7
    # It stands apart at the point, which may be a kink; or at one side of a place, which is a branch.
    for claims in (lambda s: np.where(s == 0, 0.0, 1.0), lambda s: np.where(s < -1e-9, 0.0, 1.0)):
        assert claim_bar(lambda s, claims=claims: claims(s)[:, None], offsets(x, 0.5))[0] < 10 * UNIT


def test_a_claim_that_bends_is_no_rounding() -> None:
    x = 1 - 1e-9
    bar = claim_bar(lambda t: (-1 / np.sqrt(1 - (x + t) * (x + t)))[:, None], close_offsets(x, 1e-10))
    assert 1e-5 < bar[0] < 0.01


def test_between_close_waves_closer_neighbours_are_asked() -> None:
    x, rate = 0.7, 1e10
    found = witness(FunctionLine(lambda t: np.sin(rate * t), x), 1e-8)
    assert found is not None
    assert found.value[0] == pytest.approx(rate * np.cos(rate * x))
    assert found.bar[0] < 1e-4 * rate


def test_scattered_numbers_are_told_from_smooth_ones() -> None:
    wide = wide_offsets(0.0, 0.5)
    assert scatter(np.exp(wide)[:, None])[0] < 1e-7
    assert scatter((wide > 0.1).astype(float)[:, None])[0] < 0.1
    noisy = np.exp(wide) + 1e-3 * np.random.default_rng(0).uniform(-1, 1, len(wide))
    assert 3e-4 < scatter(noisy[:, None])[0] < 1e-2

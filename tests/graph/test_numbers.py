"""Numbers in a few words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.graph.numbers import count_text, exact, length, norm, shape_text, size_text, stretch, trouble


@pytest.mark.parametrize(
    ("numbers", "values", "gradient", "wrong"),
    [
        (2.0, "2", "2", None),
        (np.float32(0.1), "0.1", "0.1", None),
        (12345.678, "1.235e+04", "1.235e+04", None),
        ([[0.3]], "0.3", "0.3", None),
        (7, "7", "7", None),
        (True, "True", "True", None),
        (1 + 2j, "1+2j", "1+2j", None),
        ([3.0, -4.0], "-4.00..3.00", "|5|", None),
        ([0.001, 0.004], "0.001..0.004", "|0.00412|", None),
        ([-2e5, 1.0], "-2e+05..1", "|2e+05|", None),
        ([3, 5], "3..5", "|5.83|", None),
        ([True, False], "False..True", "|1|", None),
        ([3j, 4], "3.00..4.00", "|5|", None),
        ([], "empty", "empty", None),
        (0.0, "0", "0", "zero"),
        ([0.0, -0.0], "0.00..0.00", "|0|", "zero"),
        ([0, 0], "0..0", "|0|", "zero"),
        (np.nan, "nan", "nan", "nan"),
        (-np.inf, "-inf", "-inf", "inf"),
        ([np.inf, np.nan, 1.0], "nan 1/3", "nan 1/3", "nan"),
        ([np.inf, -np.inf, 1.0], "inf 2/3", "inf 2/3", "inf"),
        # Squares that over- and underflow are no infinities and no zeros.
        ([1e200, 1e200], "1e+200..1e+200", "|1.41e+200|", None),
        ([3e-200, 4e-200], "3e-200..4e-200", "|5e-200|", None),
        (np.array([3e30, 4e30], np.float32), "3e+30..4e+30", "|5e+30|", None),
        (np.array([300, 400], np.float16), "300.00..400.00", "|500|", None),
    ],
)
def test_arrays_in_a_few_words(numbers: Any, values: str, gradient: str, wrong: str | None) -> None:
    array = np.asarray(numbers)
    assert stretch(array).text == values
    assert length(array, "|").text == gradient
    assert trouble(array) == stretch(array).trouble == length(array, "|").trouble == wrong


def test_a_norm_is_a_norm() -> None:
    array = np.random.default_rng(0).normal(size=(5, 7))
    assert norm(array) == pytest.approx(np.linalg.norm(array))
    assert norm(1e-160 * array) == pytest.approx(1e-160 * np.linalg.norm(array))


def test_all_digits() -> None:
    assert exact(np.asarray(1 / 3), 10) == ["0.3333333333333333"]
    assert exact(np.float32([[0.1], [-12.5]]), 40) == ["[[  0.1],", " [-12.5]]"]
    assert exact(np.arange(6.0), 16) == ["[0.0, 1.0, 2.0,", " 3.0, 4.0, 5.0]"]
    assert exact(np.arange(2000), 60) == ["[0, 1, 2, ..., 1997, 1998, 1999]"]


def test_shapes_sizes_and_counts() -> None:
    assert [shape_text(shape) for shape in [(), (3,), (4, 1), (0, 2, 3)]] == ["()", "(3,)", "(4,1)", "(0,2,3)"]
    sizes = [0, 48, 999, 1000, 12_345, 999_600, 5_000_000_000_000]
    assert [size_text(size) for size in sizes] == ["0 B", "48 B", "999 B", "1 kB", "12.3 kB", "1 MB", "5 TB"]
    assert [count_text(count) for count in [7, 9803, 1_000_000]] == ["7", "9 803", "1 000 000"]

"""Sides of branches that contradict what was decided before, from how comparisons came out at several points."""

from __future__ import annotations

import pytest

from gradcli.check.moving.contradictions import Came, is_contradicted

FIRST, SECOND = (0,), (1,)


def seen(first: float, second: float, *numbers: float) -> list[dict[tuple[int, ...], Came]]:
    """Whether a number is above one bound, and of those that are not whether it is above another."""
    points = []
    for x in numbers:
        came = {FIRST: Came(x - first, max(abs(x), abs(first)), x > first)}
        if x <= first:
            came[SECOND] = Came(x - second, max(abs(x), abs(second)), x > second)
        points.append(came)
    return points


@pytest.mark.parametrize(
    ("first", "second", "numbers", "contradicted"),
    [
        (3.0, 3.0, (4.0, 2.0, 1.0), True),
        (3.0, 4.0, (4.0, 2.0, 1.0), True),
        # Between the bounds, and beyond the second one, there are numbers.
        (3.0, 0.0, (4.0, 2.0, 1.0), False),
        (3.0, 1.5, (4.0, 1.2, 1.0), False),
        # Nothing shows that the second is asked of some only, or that it is of the same number.
        (3.0, 4.0, (2.0, 1.0), False),
        (3.0, 4.0, (4.0, 2.0), False),
    ],
)
def test_the_other_side_of_a_second_comparison(
    first: float, second: float, numbers: tuple[float, ...], contradicted: bool
) -> None:
    assert is_contradicted(SECOND, seen(first, second, *numbers)) is contradicted


def test_two_numbers_contradict_nothing() -> None:
    points = seen(3.0, 4.0, 4.0, 2.0, 1.0)
    points[1][SECOND] = points[1][SECOND]._replace(gap=-7.0)
    assert not is_contradicted(SECOND, points)
    # One that is asked first hangs on nothing.
    assert not is_contradicted(FIRST, points)

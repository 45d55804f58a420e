"""Texts where processors round differently: numbers may differ in the last digit that is shown, nothing else may."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

# What floats are shown as. Whole numbers, shapes, places, versions and signs are text.
FLOAT = re.compile(r"(?<!\w)(?<!\w\.)\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)(?!\w|\.\d)")
# Numbers with fewer digits were written by someone, or a unit of theirs is too much to differ in.
FEWEST_DIGITS = 3
# What a float64 is good for.
MOST_DIGITS = 16
# Beyond this there are only rounding errors, and other things counted in them.
NOISE = Decimal("1e-12")


def with_digits_of(found: str, wanted: str) -> str:
    """The text that was found, with its numbers as in the one wanted wherever they differ in just the last digit."""
    numbers = FLOAT.findall(wanted)
    if len(FLOAT.findall(found)) != len(numbers):
        return found
    left: Iterator[str] = iter(numbers)
    return FLOAT.sub(lambda match: _chosen(match[0], next(left)), found)


def _chosen(found: str, wanted: str) -> str:
    a, b = Decimal(found), Decimal(wanted)
    return wanted if _differ_in_the_last_digit(a, b) or _are_both_noise(a, b) else found


def _differ_in_the_last_digit(a: Decimal, b: Decimal) -> bool:
    finer = max(a, b, key=_digits)
    last = max(int(finer.as_tuple().exponent), finer.adjusted() - MOST_DIGITS + 1)
    return _digits(finer) >= FEWEST_DIGITS and abs(a - b) <= Decimal(1).scaleb(last)


def _are_both_noise(a: Decimal, b: Decimal) -> bool:
    rough = max(_digits(a), _digits(b)) < FEWEST_DIGITS
    return rough and (0 < max(a, b) < NOISE or min(a, b) > 1 / NOISE) and max(a, b) <= 2 * min(a, b)


def _digits(number: Decimal) -> int:
    return len(number.as_tuple().digits)

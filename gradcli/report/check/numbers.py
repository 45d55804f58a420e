"""Numbers as a report shows them: no more digits than are known, and no fewer than tell two of them apart."""

from __future__ import annotations

from math import floor, isfinite, isinf, isnan, log10

# Digits that a number is shown with where nothing asks for more, and all that a float has.
_USUAL, _ALL = 6, 17


def number(value: float, digits: int = _USUAL) -> str:
    """A number of so many digits, without zeros at its end."""
    if isnan(value):
        return "nan"
    if isinf(value):
        return "inf" if value > 0 else "-inf"
    return _short(f"{value:.{digits}g}")


def point(value: float) -> str:
    """A value of an input, as Python would write it."""
    text = number(value)
    return f"{text}.0" if text.lstrip("-").isdigit() else text


def known(value: float, bar: float) -> str:
    """An estimate to the digits that its error bar leaves."""
    return number(value, _digits(value, bar))


def whole(value: float) -> str:
    """All digits that a float has, zeros as well."""
    return f"{value:#.{_ALL}g}" if isfinite(value) else number(value)


def bar_of(value: float) -> str:
    """An error bar: one digit of it says all."""
    return number(value, 1)


def pair(claimed: float, estimate: float, bar: float = 0.0) -> tuple[str, str]:
    """A claim and an estimate beside each other, with the digits in which they differ."""
    for digits in range(_USUAL, _ALL):
        first, second = number(claimed, digits), number(estimate, digits)
        if first != second:
            return first, second
    return number(claimed, _ALL), number(estimate, _ALL) if bar == 0 else known(estimate, bar)


def ratio(claimed: float, estimate: float) -> str:
    """The claim divided by the truth."""
    if not estimate or not isfinite(estimate) or not isfinite(claimed):
        return "-"
    value = claimed / estimate
    return f"{value:.3f}" if 0.001 <= abs(value) < 1000 or not value else number(value, 3)


def many(value: float) -> str:
    """A number of times in short: 12, 12,000, 2.6e13."""
    if not isfinite(value):
        return "infinitely many"
    if value < 10:
        return number(value, 2)
    return f"{value:,.0f}" if value < 99_999.5 else number(value, 2)


def digits_of(value: float) -> str:
    """Verified digits, rounded down: what is said must hold."""
    return str(max(floor(value), 0))


def _digits(value: float, bar: float) -> int:
    if not value or not isfinite(value) or not isfinite(bar) or bar < 0:
        return _USUAL
    if not bar:
        return _ALL
    return min(max(floor(log10(abs(value))) - floor(log10(bar)) + 1, 1), _ALL)


def _short(text: str) -> str:
    """An exponent without its plus and its zeros: 1e20."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text

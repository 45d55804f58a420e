"""A function of one number and its derivative as curves in the terminal: dots of braille, or letters for ASCII."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine.tensor import Tensor, tensor
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ...text.parts import FAINT, GRADIENT, HEADING, NUMBER, Line, Part, plain

Array = np.ndarray[Any, np.dtype[Any]]

ROWS = 8
# Columns of a curve; where there is no room for two of the narrowest beside each other, they stand below.
_WIDEST, _NARROWEST = 44, 24
# Columns of the numbers beside a curve.
_MARGIN = 8
# From here to here a function is looked at, or where it is finite within.
_FROM, _TO = -4.0, 4.0
# An odd number: zero is among the points.
_POINTS = 4 * _WIDEST + 1
# So many times the height of nine values in ten is shown; what goes further is cut.
_TALLEST = 3.0

# The dots of a braille character, by column and by row, and the letters for three heights of a line.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_LETTERS = "'-."


class Curve(NamedTuple):
    """Points of a curve; what is not finite is left out."""

    title: str
    x: Array
    y: Array


def curves(name: str, function: Callable[..., Any]) -> tuple[Curve, Curve] | None:
    """A function and its derivative; None for what is no function of single numbers, or has no derivative."""
    with warnings.catch_warnings():
        # Whoever reads about a function is not warned of how this calls it.
        warnings.simplefilter("ignore")
        return _curves(name, function)


def _curves(name: str, function: Callable[..., Any]) -> tuple[Curve, Curve] | None:
    wide = np.linspace(_FROM, _TO, 1601)
    if not _takes_one(function) or not _is_of_single_numbers(function, wide):
        return None
    finite = wide[np.isfinite(_values(function, wide))]
    if len(finite) < 2:
        return None
    x = np.linspace(finite[0], finite[-1], _POINTS)
    given = tensor(x.tolist(), dtype=_float64(), requires_grad=True)
    with np.errstate(all="ignore"):
        (slope,) = grad(function(given).sum(), [given])
    return Curve(f"{name}(x)", x, _values(function, x)), Curve(f"{name}'(x)", x, _numbers(slope))


def drawn(pair: tuple[Curve, Curve], width: int, ascii: bool) -> list[Line]:
    """The two curves beside each other where there is room, else below each other."""
    beside = (width - 2) // 2 - _MARGIN >= _NARROWEST
    room = (width - 2) // 2 if beside else width
    columns = max(min(room - _MARGIN, _WIDEST), 8)
    left, right = (_panel(curve, columns, ascii, style) for curve, style in zip(pair, (NUMBER, GRADIENT), strict=True))
    if not beside:
        return [*left, [], *right]
    wide = max(len(plain(line)) for line in left) + 2
    return [[*one, Part(" " * (wide - len(plain(one)))), *other] for one, other in zip(left, right, strict=True)]


# -- the numbers -------------------------------------------------------------------------------


def _takes_one(function: Callable[..., Any]) -> bool:
    """A call needs one argument, and no more."""
    if isinstance(function, type):
        return False
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return len(needed) == 1 and needed[0].kind is not inspect.Parameter.KEYWORD_ONLY


def _is_of_single_numbers(function: Callable[..., Any], x: Array) -> bool:
    """Each number of the result is made of the one at its place, always in the same way, and has a gradient."""
    shuffled = np.random.default_rng(0).permutation(len(x))
    try:
        with np.errstate(all="ignore"):
            found = function(tensor(x.tolist(), dtype=_float64(), requires_grad=True))
            if not isinstance(found, Tensor) or not found.requires_grad or tuple(found.shape) != x.shape:
                return False
            if np.iscomplexobj(found.tolist()):
                return False
            values, again = _values(function, x), _values(function, x[shuffled])
    except raised_by_program():
        # It needs more than a vector of numbers.
        return False
    return np.array_equal(values[shuffled], again, equal_nan=True) and not np.array_equal(values, x)


def _values(function: Callable[..., Any], x: Array) -> Array:
    with np.errstate(all="ignore"):
        return _numbers(function(tensor(x.tolist(), dtype=_float64())))


def _numbers(found: Tensor) -> Array:
    return np.array(found.tolist(), dtype=np.float64)


def _float64() -> Any:
    from ...engine import dtypes

    return dtypes.float64


# -- the drawing -------------------------------------------------------------------------------


class _Pen(NamedTuple):
    """Ways to draw: dots to a character, characters for dots that are on, and the frame."""

    across: int
    down: int
    tick: str
    side: str
    corner: str
    line: str


_BRAILLE, _ASCII = _Pen(2, 4, "┤", "│", "└", "─"), _Pen(1, 3, "|", "|", "+", "-")


def _panel(curve: Curve, columns: int, ascii: bool, style: str) -> list[Line]:
    """One curve under its title, with the numbers at its edges."""
    pen = _ASCII if ascii else _BRAILLE
    low, high = _range(curve.y)
    sides = [f"{'':>{_MARGIN - 2}} {pen.side}"] * ROWS
    for at, value in ((0, high), (-1, low)):
        sides[at] = f"{_short(value):>{_MARGIN - 2}} {pen.tick}"
    rows = [_characters(cells, ascii).rstrip() for cells in _dots(curve, low, high, columns, pen)]
    first, last = _short(curve.x[0]), _short(curve.x[-1])
    margin = " " * _MARGIN
    return [
        [Part(margin + curve.title, HEADING)],
        *([Part(side, FAINT), Part(row, style)] for side, row in zip(sides, rows, strict=True)),
        [Part(f"{margin[1:]}{pen.corner}{pen.line * columns}", FAINT)],
        [Part(f"{margin}{first}{last:>{columns - len(first)}}", FAINT)],
    ]


def _range(values: Array) -> tuple[float, float]:
    """The least and the greatest value to show: poles must not flatten all else."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner_low, inner_high = (float(q) for q in np.quantile(finite, (0.05, 0.95)))
    if high - low > _TALLEST * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    return (low, high) if high > low else (low - 1.0, low + 1.0)


def _dots(curve: Curve, low: float, high: float, columns: int, pen: _Pen) -> Array:
    """The dots that are on, as rows of characters: the points of the curve and what joins them."""
    count, height = columns * pen.across, ROWS * pen.down
    at = np.round(np.linspace(0, len(curve.y) - 1, count)).astype(int)
    with np.errstate(all="ignore"):
        place = np.round((high - curve.y[at]) / (high - low) * (height - 1))
    grid = np.zeros((height, count), bool)
    before = np.nan
    for column, row in enumerate(place):
        # A line from one edge of the drawing to the other would be the pole itself.
        start = before if np.isfinite(before) and abs(before - row) < height else row
        if np.isfinite(row):
            top, bottom = sorted((start + np.sign(row - start), row))
            grid[max(int(top), 0) : max(int(min(bottom, height - 1)) + 1, 0), column] = True
        before = row
    return grid.reshape(ROWS, pen.down, columns, pen.across).transpose(0, 2, 3, 1)


def _characters(cells: Array, ascii: bool) -> str:
    """A row of characters for its dots, which are given by character, column and row."""
    if ascii:
        levels = [np.flatnonzero(dots[0]).tolist() for dots in cells]
        return "".join("|" if len(on) > 1 else _LETTERS[on[0]] if on else " " for on in levels)
    return "".join(chr(0x2800 + int((dots * _DOTS).sum())) if dots.any() else " " for dots in cells)


def _short(value: float) -> str:
    text = f"{value + 0.0:.3g}"
    return text if len(text) <= _MARGIN - 2 else f"{value:.0e}"

"""Numbers, shapes and sizes in a few words."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .view.view import Array, Box

NAN, INF, ZERO = "nan", "inf", "zero"


class Summary(NamedTuple):
    """An array in a few words, and what is the matter with it: "nan", "inf" or "zero"."""

    text: str
    trouble: str | None = None


_EMPTY = Summary("empty")


# PyTorch, too, leaves out the middle of more than so many.
_MANY = 1000


def scalar(x: Any) -> str:
    """One number."""
    return f"{x:.4g}" if isinstance(x, (float, complex)) else str(x)


def trouble(array: Array) -> str | None:
    """Tell whether an array holds a NaN, or else an infinity, or else nothing but zeros."""
    if array.size == 1:
        x = array.item()
        return _judged(x, x)
    if not array.size or 0 < _square(array) < math.inf:
        return None
    return _judged(*_extremes(array))


def stretch(array: Array) -> Summary:
    """The values of a tensor, from the least to the greatest."""
    if array.size == 1:
        return _one(array)
    if not array.size:
        return _EMPTY
    low, high = _extremes(array)
    kind = _judged(low, high)
    if kind in (NAN, INF):
        return Summary(_share(array, kind), kind)
    if isinstance(low, int):
        return Summary(f"{low}..{high}", kind)
    # Two decimals, where they tell something; adding 0.0 takes the sign from a zero.
    form = ".2f" if 0.1 <= max(-low, high) < 1000 or kind else ".2g"
    return Summary(f"{low + 0.0:{form}}..{high + 0.0:{form}}", kind)


def length(array: Array, bar: str) -> Summary:
    """A gradient: the number, or of a tensor the norm between bars."""
    if array.size == 1:
        return _one(array)
    if not array.size:
        return _EMPTY
    kind = trouble(array)
    if kind in (NAN, INF):
        return Summary(_share(array, kind), kind)
    return Summary(f"{bar}{norm(array):.3g}{bar}", kind)


# Sums of squares between these have lost nothing to over- or underflow.
_SAFE = 1e-280, 1e300


def _square(array: Array) -> float:
    """The sum of squares: a NaN, an infinity or a zero may come of squaring; nothing else hides one."""
    if array.dtype.kind == "c":
        return 0.0
    # So wide that no machine's way of adding up shows in a few digits.
    flat = array.ravel().astype(np.float64, copy=False)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return float(flat.dot(flat))


def largest_first(array: Array | None) -> float:
    """The key that sorts gradients: the longest first, and one that is not a number before all."""
    size = 0.0 if array is None else norm(array)
    return -math.inf if size != size else -size


def norm(array: Array) -> float:
    """The square root of the sum of squares, also where squares would overflow."""
    square = _square(array)
    if _SAFE[0] < square < _SAFE[1]:
        return math.sqrt(square)
    wide = np.abs(array.ravel()).astype(np.float64)
    largest = float(wide.max(initial=0.0))
    if not largest or largest == math.inf:
        return largest
    wide /= largest
    return largest * math.sqrt(float(wide.dot(wide)))


def exact(array: Array, room: int) -> list[str]:
    """A tensor's numbers with all their digits, in lines of so many characters; of very many those at the ends."""
    if array.size == 1:
        return [str(array.reshape(-1)[0])]
    width = max(map(len, map(str, array.flat)), default=0) if array.size <= _MANY else 0
    return np.array2string(
        array, max_line_width=max(room, 1), separator=", ", threshold=_MANY,
        formatter={"all": lambda number: str(number).rjust(width)},
    ).splitlines()  # fmt: skip


def _one(array: Array) -> Summary:
    x = array.item()
    return Summary(scalar(x), _judged(x, x))


def _extremes(array: Array) -> tuple[Any, Any]:
    """The least and the greatest number; of complex ones, in size."""
    if array.dtype.kind == "c":
        array = np.abs(array)
    return array.min().item(), array.max().item()


_INFINITE = math.inf, -math.inf


def _judged(low: Any, high: Any) -> str | None:
    if low != low:
        return NAN
    if low or high:
        return INF if low in _INFINITE or high in _INFINITE else None
    return ZERO


def _share(array: Array, kind: str) -> str:
    """Count the elements that are not finite."""
    bad = np.isnan(array) if kind == NAN else np.isinf(array)
    return f"{kind} {int(bad.sum())}/{array.size}"


# -- shapes, sizes, counts -----------------------------------------------------------------------


@lru_cache(256)
def shape_text(shape: tuple[int, ...]) -> str:
    """A shape without blanks."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({','.join(map(str, shape))})"


def size_text(size: float) -> str:
    """A number of bytes."""
    units = ["TB", "GB", "MB", "kB", "B"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        units.pop()
    return f"{size:.3g} {units[-1]}"


def count_text(count: int) -> str:
    """A count, in groups of three digits."""
    return f"{count:,}".replace(",", " ")


def told(box: Box, bar: str) -> list[str]:
    """The sizes of a call that is shown as one: ops, parameters, the gradient that arrives and that goes on."""

    def size(length: float) -> str:
        return f"{bar}{length:.3g}{bar}"

    pieces = [f"{count_text(box.ops)} op{'s' * (box.ops != 1)}"]
    if box.parameters:
        gradient = "" if box.parameters_grad is None else f" {size(box.parameters_grad)}"
        pieces.append(f"{count_text(box.parameters)} param{'s' * (box.parameters != 1)}{gradient}")
    if box.arrives is not None:
        out = "" if box.leaves is None else f" out {size(box.leaves)}"
        pieces.append(f"gradient in {size(box.arrives)}{out}")
    return pieces

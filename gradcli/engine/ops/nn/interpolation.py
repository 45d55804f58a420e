"""Interpolation along axes: each output a weighted sum of a few inputs. Raw NumPy only."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...call_errors import fail
from ...dtypes import F32, Array
from ...numeric.kernels.fused import multiply_add
from ..common import re
from ..memory_order import is_channels_last, laid_as
from ..pointwise.masks import refuse_integers
from ..pool.windows import Sizes, range_sum

# For each tap: which input each output reads, and how much of it (None for all of it).
Taps = list[tuple[Array, Array | None]]

CUBIC = -0.75


def step_of(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Any:
    """The distance that the source moves for a step of one in the result."""
    if align_corners:
        return kind(n - 1) / kind(out - 1) if out > 1 else kind(0)
    return kind(1.0 / scale) if scale is not None and scale > 0 else kind(n) / kind(out)


def nearest(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    """For each output the one input that it copies."""
    step = step_of(n, out, False, scale, np.float32)
    return [(np.minimum((np.arange(out, dtype=np.float32) * step).astype(np.int64), n - 1), None)]


def nearest_in_images(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    """The same of images: PyTorch looks at no scale along an axis that stays as long, or doubles."""
    return nearest(n, out, align_corners, None if out in (n, 2 * n) else scale, kind)


nearest_in_images.__name__ = nearest.__name__


def nearest_exact(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    """For each output the input whose centre is nearest."""
    step = step_of(n, out, False, scale, np.float32)
    at = ((np.arange(out, dtype=np.float32) + np.float32(0.5)) * step).astype(np.int64)
    return [(np.minimum(at, n - 1), None)]


def _source(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Array:
    step = step_of(n, out, align_corners, scale, kind)
    i = np.arange(out, dtype=kind)
    return i * step if align_corners else multiply_add(np.full_like(i, -0.5), i + kind(0.5), step)


def linear(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    """For each output two neighbours and their weights; an axis that stays as long is left as it is."""
    source = np.maximum(_source(n, out, align_corners, None if out == n else scale, kind), 0)
    first = np.minimum(source.astype(np.int64), n - 1)
    part = np.clip(source - first.astype(kind), 0, 1)
    return [(first, 1 - part), (np.minimum(first + 1, n - 1), part)]


def cubic(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    """For each output four neighbours and their weights."""
    source = _source(n, out, align_corners, scale, kind)
    first = np.floor(source)
    t = source - first
    a = kind(CUBIC)

    def near(x: Array) -> Array:
        return multiply_add(-(a + 3), x, a + 2) * x * x + 1

    def far(x: Array) -> Array:
        return multiply_add(8 * a, multiply_add(-5 * a, x, a), x) * x - 4 * a

    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    at = first.astype(np.int64)
    return [(np.clip(at + k - 1, 0, n - 1), w) for k, w in enumerate(weights)]


def resized(x: Array, sizes: Sizes, scales: Sequence[float | None], taps: Any, align_corners: bool = False) -> Array:
    """``x`` with its trailing axes interpolated to ``sizes``."""
    check_sizes(x, sizes)
    count = len(sizes)
    if x.dtype == np.uint8 and (count == 2 or taps not in (linear, cubic)):
        return laid_as(x, _of_bytes(x, sizes, scales, taps, align_corners))
    refuse_integers(_kernel_of(x, count, taps), x)
    given = x
    if count == 2 and taps is linear and x.dtype is F32:
        return laid_as(given, _between_corners(x, _corners(x.shape[-2:], sizes, scales, align_corners), sizes))
    for k in range(count - 1, -1, -1):
        axis = k - count
        total = None
        # Of the first two products it is the second that is rounded by itself.
        parts = taps(x.shape[axis], sizes[k], align_corners, scales[k], re(x).dtype.type)
        for at, weight in (*parts[1::-1], *parts[2:]):
            part = x.take(at, axis)
            if weight is None:
                total = part
                continue
            weight = weight.reshape(-1, *[1] * (-axis - 1))
            total = part * weight if total is None else multiply_add(total, part, weight)
        x = total
    return laid_as(given, x)


# So many binary digits after the point have the weights of bytes at most.
_DIGITS = 22
# For each of the corners that an output lies between: its place, counted through, and its share.
Corners = list[tuple[Array, Array]]
# PyTorch takes so many channels at once, and the corners in another order for those that are left.
_AT_ONCE = 8
_ORDER, _ORDER_OF_LEFT = (2, 3, 1, 0), (1, 0, 2, 3)


def _corners(size: Sizes, sizes: Sizes, scales: Sequence[float | None], align_corners: bool) -> Corners:
    axes: list[Any] = [
        linear(n, out, align_corners, scale, np.float32) for n, out, scale in zip(size, sizes, scales, strict=True)
    ]
    found = []
    for taps in itertools.product(*axes):
        place, share = np.zeros((), np.int64), np.ones((), F32)
        for n, (at, weight) in zip(size, taps, strict=True):
            place, share = place[..., None] * n + at, share[..., None] * weight
        found.append((place.ravel(), share.ravel()))
    return found


def _between_corners(x: Array, corners: Corners, sizes: Sizes) -> Array:
    """Images of single precision: one corner's share after the other, each added in one rounding."""
    whole = x.shape[1] - x.shape[1] % _AT_ONCE
    rows = x.reshape(*x.shape[:2], math.prod(x.shape[2:]))
    parts = []
    for channels, (first, *others) in ((slice(whole), _ORDER), (slice(whole, None), _ORDER_OF_LEFT)):
        some = rows[:, channels]
        if some.shape[1]:
            place, share = corners[first]
            r = some[:, :, place] * share
            for place, share in [corners[k] for k in others]:
                r = multiply_add(r, some[:, :, place], share)
            parts.append(r)
    return np.ascontiguousarray(np.concatenate(parts, 1)).reshape(*x.shape[:2], *sizes)


def _to_corners(g: Array, size: Sizes, corners: Corners) -> Array:
    """The gradient of each input: one output's share after the other, each added in one rounding."""
    n, channels, *_ = g.shape
    # Outputs in order, and the corners of each.
    places = np.stack([place for place, _ in corners], 1).ravel()
    shares = np.stack([share for _, share in corners], 1).ravel()
    order = np.argsort(places, kind="stable")
    of_place = places[order]
    # How many shares each one comes after, at its place.
    turn = np.arange(len(order)) - np.searchsorted(of_place, of_place)
    given = g.reshape(n * channels, math.prod(g.shape[2:]))
    r = np.zeros((n * channels, math.prod(size[2:])), F32)
    for k in range(int(turn.max(initial=-1)) + 1):
        now = order[turn == k]
        r[:, places[now]] = multiply_add(r[:, places[now]], given[:, now // len(corners)], shares[now])
    return r.reshape(n, channels, *size[2:])


def _kernel_of(x: Array, count: int, taps: Any) -> str:
    """PyTorch's name of what interpolates so."""
    if count == 2 and taps is not cubic and (is_channels_last(x) or x.shape[1] == 1):
        return f"upsample_{'bilinear' if taps is linear else taps.__name__}2d_channels_last"
    return f"compute_indices_weights_{taps.__name__.removesuffix('_exact')}"


def _of_bytes(x: Array, sizes: Sizes, scales: Sequence[float | None], taps: Any, align_corners: bool) -> Array:
    """The same of whole numbers up to 255: each axis by itself, and rounded."""
    for axis in range(-1, -len(sizes) - 1, -1):
        n, out = x.shape[axis], sizes[axis]
        parts = taps(n, out, align_corners, scales[axis], np.float64)
        if parts[0][1] is None:
            x = x.take(parts[0][0], axis)
            continue
        shape = (-1, *[1] * (-axis - 1))
        weights = of_fifteen_bits(_of_one_place_each(parts))
        x = rounded_bytes(sum(x.take(at, axis) * w.reshape(shape) for (at, _), w in zip(parts, weights, strict=True)))
    return x


def _of_one_place_each(parts: list[tuple[Array, Array]]) -> Array:
    """The weights; of neighbours that are one pixel at an edge, the first has those of all."""
    weights = np.stack([weight for _, weight in parts])
    for k, (at, _) in enumerate(parts):
        for later in range(k + 1, len(parts)):
            same = at == parts[later][0]
            weights[k] += np.where(same, weights[later], 0)
            weights[later] = np.where(same, 0, weights[later])
    return weights


def of_fifteen_bits(weights: Array) -> Array:
    """Weights for bytes: with so many binary digits after the point that the largest has 15 bits at most."""
    largest, digits = float(weights.max(initial=0)), 0
    while digits < _DIGITS and int(0.5 + largest * 2 ** (digits + 1)) < 2**15:
        digits += 1
    return np.trunc(weights * 2**digits + np.copysign(0.5, weights)) / 2**digits


def rounded_bytes(x: Array) -> Array:
    """Numbers as bytes: rounded, halves upwards, and none too large or too small."""
    return np.clip(np.floor(x + 0.5), 0, 255).astype(np.uint8)


def unsized(g: Array, size: Sizes, scales: Sequence[float | None], taps: Any, align_corners: bool = False) -> Array:
    """The adjoint of ``resized``, onto an input of this size."""
    count = len(scales)
    repeated = _repeated(g, size[-count:], scales, taps)
    if repeated is not None:
        return repeated
    if taps is linear and g.dtype is F32:
        return _to_corners(g, size, _corners(size[-count:], g.shape[-count:], scales, align_corners))
    for k in range(count):
        axis = k - count
        n = size[axis]
        i = np.arange(n)
        total = None
        for at, weight in taps(n, g.shape[axis], align_corners, scales[k], re(g).dtype.type):
            part = g if weight is None else g * weight.reshape(-1, *[1] * (-axis - 1))
            # The taps move forward only, so the outputs that read one input are neighbours.
            part = range_sum(part, np.searchsorted(at, i, "left"), np.searchsorted(at, i, "right"), axis)
            total = part if total is None else total + part
        g = total
    return g


def _repeated(g: Array, size: Sizes, scales: Sequence[float | None], taps: Any) -> Array | None:
    """The same where each element was copied to a block: it gets the block's elements one after the other."""
    places = [taps(n, out, False, scale, np.float64) for n, out, scale in zip(size, g.shape[2:], scales, strict=True)]
    if any(place[0][1] is not None for place in places):
        return None
    times = [out // n for n, out in zip(size, g.shape[2:], strict=True)]
    for n, k, ((at, _),) in zip(size, times, places, strict=True):
        if not np.array_equal(at, np.repeat(np.arange(n), k)):
            return None
    blocks = g.reshape(*g.shape[:2], *[x for pair in zip(size, times, strict=True) for x in pair])
    total = None
    for place in np.ndindex(*times):
        part = blocks[(slice(None), slice(None), *[x for k in place for x in (slice(None), k)])]
        total = part.copy() if total is None else np.add(total, part, total)
    return total


def check_sizes(x: Array, sizes: Sizes) -> None:
    """Refuse images of nothing."""
    own = x.shape[2:]
    if min(own) <= 0 or min(sizes) <= 0:
        sides = ("D", "H", "W")[-len(sizes) :]
        shown = [", ".join(f"{side}: {n}" for side, n in zip(sides, found, strict=True)) for found in (own, sizes)]
        joined = " and" if len(sizes) == 1 else ""
        fail(f"Input and output sizes should be greater than 0, but got input ({shown[0]}){joined} output ({shown[1]})")
    if x.shape[1] == 0:
        fail(f"Non-empty {x.ndim}D data tensor expected but got a tensor with sizes {list(x.shape)}")

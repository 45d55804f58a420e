"""The neighbours that a grid of places reads of an image or a volume, a few along each axis. Raw NumPy only."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...dtypes import Array, zeros_of
from ...numeric.kernels.fused import multiply_add
from ..common import re

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
CUBIC = -0.75


class Tap(NamedTuple):
    """One of the neighbours along an axis: its place, whether there is one, and its weight with two derivatives."""

    at: Array
    inside: Array
    weights: tuple[Array, Array, Array]


def taps(grid: Array, size: Sequence[int], mode: int, padding: int, align: bool) -> list[list[Tap]]:
    """The neighbours along each axis, for places given from the last axis to the first."""
    last = len(size) - 1
    return [_along(grid[..., last - k], n, mode, padding, align, last == 2) for k, n in enumerate(size)]


def _along(x: Array, n: int, mode: int, padding: int, align: bool, volume: bool) -> list[Tap]:
    factor = (n - 1) / 2 if align else n / 2
    place = _unscaled(x, n, factor, align, volume)
    if mode == BICUBIC:
        return _cubic(place, factor, n, padding, align)
    place, slope = _bounded(place, n, padding, align, volume)
    slope = slope * factor
    none = zeros_of(slope.shape, slope.dtype)
    if mode == NEAREST:
        return [_tap(np.rint(re(place)), n, (np.ones_like(none), none, none))]
    first = np.floor(re(place))
    t = place - first
    return [_tap(first, n, (1 - t, -slope, none)), _tap(first + 1, n, (t, slope, none))]


def _unscaled(x: Array, n: int, factor: float, align: bool, volume: bool) -> Array:
    """Places from -1 to 1 counted in elements, in the steps that PyTorch has for images, and for volumes."""
    if volume:
        return (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
    return (x + 1) * factor if align else multiply_add(x.dtype.type(-0.5), x + 1, factor)


def _tap(place: Array, n: int, weights: tuple[Array, Array, Array]) -> Tap:
    inside = (place >= 0) & (place < n)
    return Tap(np.where(inside, place, 0).astype(np.int64), inside, weights)


def _cubic(place: Array, factor: float, n: int, padding: int, align: bool) -> list[Tap]:
    """Four neighbours, each brought inside by itself."""
    first = np.floor(re(place))
    t = place - first
    a = CUBIC

    def near(x: Array) -> tuple[Array, Array, Array]:
        return ((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)

    def far(x: Array) -> tuple[Array, Array, Array]:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a

    found = []
    for k, (curve, distance, sign) in enumerate(((far, t + 1, 1), (near, t, 1), (near, 1 - t, -1), (far, 2 - t, -1))):
        w, slope, bend = curve(distance)
        at, _ = _bounded(first + (k - 1), n, padding, align, False)
        found.append(_tap(at, n, (w, slope * (sign * factor), bend * factor**2)))
    return found


def _bounded(place: Array, n: int, padding: int, align: bool, volume: bool) -> tuple[Array, Array]:
    """Places brought inside as the padding has it, and how far each moves when it is moved."""
    slope = np.ones(place.shape, re(place).dtype)
    if padding == REFLECTION:
        place, slope = _reflected(place, *((0, 2 * (n - 1)) if align else (-1, 2 * n - 1)))
    if padding != ZEROS:
        # What is no number counts as low beside images, as high beside volumes: as PyTorch compares them.
        low, high = (re(place) <= 0, ~(re(place) < n - 1)) if volume else (~(re(place) > 0), re(place) >= n - 1)
        place = np.where(low, 0, np.where(high, n - 1, place))
        slope = np.where(low | high, 0, slope)
    known = np.isfinite(re(place)) & (np.abs(re(place)) < 2**31)
    return np.where(known, place, -100), slope


def _reflected(place: Array, twice_low: int, twice_high: int) -> tuple[Array, Array]:
    """Places mirrored at both borders, as often as it takes."""
    slope = np.ones(place.shape, re(place).dtype)
    if twice_low == twice_high:
        return np.zeros_like(place), slope * 0
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    x = place - low
    behind = re(x) < 0
    x = np.where(behind, -x, x)
    turns = np.floor(re(x) / span)
    rest = x - turns * span
    back = turns % 2 == 1
    return np.where(back, span - rest, rest) + low, np.where(behind != back, -slope, slope)


# -- sums over the neighbours ----------------------------------------------------------------------

Axes = list[list[Tap]]


def _neighbours(axes: Axes, size: Sequence[int], orders: Sequence[int]) -> list[tuple[Array, Array]]:
    """The flat place of each neighbour and its weight, with derivatives of these orders along the axes."""
    found = []
    for chosen in itertools.product(*axes):
        at: Array = chosen[0].at
        weight, inside = chosen[0].weights[orders[0]], chosen[0].inside
        for n, tap, order in zip(size[1:], chosen[1:], orders[1:], strict=True):
            at = at * n + tap.at
            weight, inside = weight * tap.weights[order], inside & tap.inside
        as_rows = (len(at), 1, math.prod(at.shape[1:]))
        found.append((at.reshape(as_rows), np.where(inside, weight, 0).reshape(as_rows)))
    return found


def sample(x: Array, axes: Axes, orders: Sequence[int]) -> Array:
    """The values read at the places: samples, channels, places."""
    size = x.shape[2:]
    flat = x.reshape(*x.shape[:2], math.prod(size))
    (at, weight), *others = _neighbours(axes, size, orders)
    total: Array = np.take_along_axis(flat, at, 2) * weight
    for at, weight in others:
        value = np.take_along_axis(flat, at, 2)
        # Of volumes each product is rounded by itself.
        total = total + value * weight if len(size) == 3 else multiply_add(total, value, weight)
    return total


def along_axes(g: Array, x: Array, axes: Axes) -> list[Array]:
    """The gradients for places between four neighbours in an image, for each axis, the last first: samples, places."""
    flat = x.reshape(*x.shape[:2], -1)

    def value(row: Tap, column: Tap) -> Array:
        rows = len(row.at), 1, -1
        found = np.take_along_axis(flat, (row.at * x.shape[3] + column.at).reshape(rows), 2)
        return np.where((row.inside & column.inside).reshape(rows), found, 0)

    (top, bottom), (left, right) = axes
    corners = [[value(row, column) for column in (left, right)] for row in (top, bottom)]
    found = []
    for across, along, ((a, b), (c, d)) in (
        ((top, bottom), right, corners),
        ((left, right), bottom, zip(*corners, strict=True)),
    ):
        near, far = (tap.weights[0].reshape(len(x), 1, -1) for tap in across)
        slopes = multiply_add((b - a) * near, d - c, far)
        total = np.zeros((len(x), slopes.shape[2]), slopes.dtype)
        for channel in range(x.shape[1]):
            total = multiply_add(total, slopes[:, channel], g[:, channel])
        found.append(total * along.weights[1].reshape(len(x), -1))
    return found


def scatter(g: Array, axes: Axes, orders: Sequence[int], shape: Sequence[int]) -> Array:
    """The adjoint of ``sample``, onto an input of this shape."""
    if np.iscomplexobj(g) or any(np.iscomplexobj(tap.weights[0]) for taps_ in axes for tap in taps_):
        kind = np.complex128
    else:
        kind = g.dtype
    total = np.zeros(math.prod(shape), kind)
    plane = math.prod(shape[2:])
    rows = np.arange(shape[0] * shape[1]).reshape(shape[0], shape[1], 1, 1, 1) * plane
    # The first neighbours of eight places in an image come before their second ones; of volumes it is one by one.
    together = 8 if len(shape) == 4 else 1

    def parted(a: Array) -> Array:
        whole = np.pad(a, [(0, 0), (0, 0), (0, -a.shape[2] % together)]) if a.shape[2] % together else a
        return whole.reshape(*a.shape[:2], -1, together)

    neighbours = _neighbours(axes, shape[2:], orders)
    at = np.stack([parted(at) for at, _ in neighbours], 3)
    shares = np.stack([parted(g * weight) for _, weight in neighbours], 3)
    np.add.at(total, (rows + at).ravel(), shares.ravel())
    return total.reshape(shape)

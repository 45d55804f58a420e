"""Fractional max pools: the largest of windows that lie at random, about evenly spaced."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import fail, only_sizes
from ...costs import CUBED, SQUARED, costs
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..common import re
from .max_pool import gathered, put, taken
from .window_shapes import nothing
from .windows import Sizes, spread


def _starts(sample: Array, n: int, out: int, window: int) -> Array:
    """Where windows start along an axis of each plane: a row for each number drawn."""
    if out == 0:
        return np.zeros((*sample.shape, 0), np.int64)
    found = np.full((*sample.shape, out), n - window, np.int64)
    if out > 1:
        step = sample.dtype.type(n - window) / sample.dtype.type(out - 1)
        drawn = sample[..., None]
        places = (np.arange(out - 1).astype(sample.dtype) + drawn) * step
        found[..., :-1] = places.astype(np.int64) - (drawn * step).astype(np.int64)
    return found


def _windows(x: Array, kernel: Sizes, out: Sizes, samples: tuple[float, ...]) -> Iterator[tuple[Array, Array]]:
    """The elements of all windows, one of each at a time, and their places in the plane or volume."""
    rank = len(kernel)
    sizes = x.shape[-rank:]
    lead = x.shape[:-rank]
    drawn = np.array(samples, re(x).dtype).reshape(*lead, rank)
    # The numbers for a plane come from the last axis on, those for a volume from the first.
    order = range(rank) if rank == 3 else range(rank - 1, -1, -1)
    starts = [_starts(drawn[..., k], n, o, w) for k, n, o, w in zip(order, sizes, out, kernel, strict=True)]
    for steps in itertools.product(*[range(k) for k in kernel]):
        at = np.zeros((*lead, *(1,) * rank), np.int64)
        for i, (start, step, n) in enumerate(zip(starts, steps, sizes, strict=True)):
            spread_out = (start + step).reshape(*lead, *(1,) * i, start.shape[-1], *(1,) * (rank - 1 - i))
            at = at * n + spread_out
        yield taken(x, at, rank), at


def _largest(x: Array, kernel: Sizes, out: Sizes, samples: tuple[float, ...]) -> tuple[Array, Array]:
    best = np.full((*x.shape[: -len(kernel)], *out), -np.inf, x.dtype)
    at = np.zeros(best.shape, np.int64)
    for k, (seen, places) in enumerate(_windows(x, kernel, out, samples)):
        better = (seen > best) | (seen != seen) | (k == 0)
        np.copyto(best, seen, where=better)
        np.copyto(at, places, where=better)
    return best, at


def _behind(self: Array, kernel_size: Sizes, output_size: Sizes, random_samples: tuple[float, ...]) -> Array:
    """Zero where an element is the largest of its window, negative elsewhere."""
    x = re(self)
    best, _ = _largest(x, kernel_size, output_size, random_samples)
    return np.stack([seen - best for seen, _ in _windows(x, kernel_size, output_size, random_samples)])


def _pooled(x: Array, kernel: Sizes, out: Sizes, samples: tuple[float, ...]) -> tuple[Array, Array]:
    real = re(x)
    best, at = _largest(real, kernel, out, samples)
    return (best if real is x else taken(x, at, len(kernel))), at


def _check(name: str, x: Array, kernel: Sizes, out: Sizes) -> None:
    words = ("height", "width") if len(kernel) == 2 else ("time", "height", "width")
    name = name if len(kernel) == 2 else f"{name}_out"
    for word, n, k, o in zip(words, x.shape[-len(kernel) :], kernel, out, strict=True):
        if o + k - 1 > n:
            fail(f"{name}(): pool {word} {k} too large relative to input {word} {n}")


@primitive(
    aside=("result1",),
    node="FractionalMaxPool2DBackward0",
    kink=_behind,
    self=lambda g, self, kernel_size, output_size, result1: fractional_max_pool2d_backward(
        g, self, kernel_size, output_size, result1
    ),
)
def fractional_pool2d(
    self: Array, kernel_size: Sizes, output_size: Sizes, random_samples: tuple[float, ...]
) -> tuple[Array, Array]:
    """The largest element of each window of a plane, and its place."""
    _check("fractional_max_pool2d", self, kernel_size, output_size)
    return _pooled(self, kernel_size, output_size, random_samples)


@primitive(
    backward=True,
    without_rule=("indices",),
    node="FractionalMaxPool2DBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices),
    self=lambda g, self_like: nothing(g, self_like),
)
def fractional_max_pool2d_backward(
    grad_output: Array, self: Array, kernel_size: Sizes, output_size: Sizes, indices: Array
) -> Array:
    """Gradient of fractional pooling: each window's share goes to its largest element."""
    return put(grad_output, indices, self)


@primitive(
    aside=("result1",),
    node="FractionalMaxPool3DBackward0",
    kink=_behind,
    self=lambda g, self, kernel_size, output_size, result1: fractional_max_pool3d_backward(
        g, self, kernel_size, output_size, result1
    ),
)
def fractional_pool3d(
    self: Array, kernel_size: Sizes, output_size: Sizes, random_samples: tuple[float, ...]
) -> tuple[Array, Array]:
    """The largest element of each window of a volume, and its place."""
    _check("fractional_max_pool3d", self, kernel_size, output_size)
    return _pooled(self, kernel_size, output_size, random_samples)


@primitive(
    backward=True,
    without_rule=("indices",),
    node="FractionalMaxPool3DBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices, 3),
    self=lambda g, self_like: nothing(g, self_like),
)
def fractional_max_pool3d_backward(
    grad_output: Array, self: Array, kernel_size: Sizes, output_size: Sizes, indices: Array
) -> Array:
    """Gradient of fractional pooling of volumes."""
    return put(grad_output, indices, self, 3)


# -- what users call -------------------------------------------------------------------------------


def _called(
    rank: int, input: Value, kernel_size: Any, output_size: Any, output_ratio: Any, indices: bool, samples: Any
) -> Any:
    name = f"fractional_max_pool{rank}d"
    if output_size is None and output_ratio is None:
        raise EngineValueError(f"{name} requires specifying either an output_size or an output_ratio")
    a = input._a
    if a.ndim not in (rank + 1, rank + 2) or 0 in a.shape[1:]:
        fail(
            f"{name}{'' if rank == 2 else '_out'}(): Expected {rank + 1}D or {rank + 2}D tensor with optional 0 dim "
            f"batch size for input, but got: {list(a.shape)}"
        )
    sizes = a.shape[-rank:]
    if output_size is None:
        if isinstance(output_ratio, (int, float)):
            if rank == 2:
                raise EngineTypeError(f"object of type '{type(output_ratio).__name__}' has no len()")
            output_ratio = (output_ratio,) * rank
        if len(output_ratio) > 2 == rank:
            raise EngineValueError(
                "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints."
            )
        if len(output_ratio) < rank:
            raise EngineIndexError("tuple index out of range")
        output_size = tuple([int(n * r) for n, r in zip(sizes, output_ratio, strict=False)])
    lead = (1, a.shape[0]) if a.ndim == rank + 1 else a.shape[:2]
    if samples is None:
        samples = ops.random.rand(*lead, rank, dtype=input.dtype)
    elif samples._a.dtype is not a.dtype:
        fail("Expect _random_samples to have the same dtype as input")
    _check_samples(samples._a.shape, lead, rank)
    drawn = tuple(samples._a[: lead[0]].ravel().tolist())
    pooled = fractional_pool2d if rank == 2 else fractional_pool3d
    found = pooled(input, spread(kernel_size, rank), spread(output_size, rank), drawn)
    return found if indices else found[0]


def _check_samples(size: tuple[int, ...], lead: tuple[int, ...], rank: int) -> None:
    if len(size) != 3:
        fail(f"Expect _random_samples to have 3 dimensions, got {len(size)}")
    if size[0] < lead[0]:
        fail("Expect _random_samples.size(0) no less then input batch size.")
    if size[1] != lead[1]:
        fail("Expect _random_samples.size(1) equals to input channel size.")
    if size[2] != rank:
        fail(f"Expect _random_samples.size(2) equals to {rank}; got {size[2]}.")


@public("F.fractional_max_pool2d")
@costs("spatial.adapted_windows", 2, careful=SQUARED)
@composite
def fractional_max_pool2d(
    input: Value,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Value | None = None,
) -> Any:
    """The largest element of each of windows that lie at random in planes, and its place if ``return_indices``."""
    only_sizes("fractional_max_pool2d", kernel_size=kernel_size, places=(2,))
    return _called(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@public("F.fractional_max_pool3d")
@costs("spatial.adapted_windows", 3, careful=CUBED)
@composite
def fractional_max_pool3d(
    input: Value,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Value | None = None,
) -> Any:
    """The largest element of each of windows that lie at random in volumes, and its place if ``return_indices``."""
    return _called(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)

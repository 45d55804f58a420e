"""New tensors: their shapes are among the arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.tensor import Tensor
from .estimate import Estimate, broadcast, count, product, shape, sizes, whole

# Drawing a random number takes about so many operations, and a power of a number in logspace.
DRAW = 50
_POWER = 1000


def _number(x: Any) -> Any:
    return x._a.item() if isinstance(x, Tensor) else x


def made(*size: Any, **given: Any) -> Estimate:
    """A shape, from ints or from one sequence of them."""
    return Estimate(product(sizes(size or (given["size"],))))


def drawn(*size: Any, **given: Any) -> Estimate:
    """A shape of random numbers."""
    n = made(*size, **given).elements
    return Estimate(n, n * DRAW)


def full(size: Any, fill_value: Any = None, **given: Any) -> Estimate:
    """A shape, then a value."""
    return Estimate(product(sizes((size,))))


def new(input: Any, *size: Any, **given: Any) -> Estimate:
    """A shape that a method is given."""
    return made(*size, **given)


def new_full(input: Any, size: Any, other: Any = None, **given: Any) -> Estimate:
    """A shape, then a value or strides, that a method is given."""
    return full(size) if not isinstance(other, (list, tuple)) else empty_strided(size, other)


def empty_strided(size: Any, stride: Any, **given: Any) -> Estimate:
    """As much memory as the strides span."""
    n = sizes((size,))
    span = 1 + sum((k - 1) * s for k, s in zip(n, sizes((stride,)), strict=True))
    return Estimate(max(product(n), span))


def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Estimate:
    """The memory that the tensor is a part of, once more."""
    return Estimate(input.untyped_storage().nbytes() // max(input.element_size(), 1) + count(src))


def as_strided(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Estimate:
    """A view, that the next function may copy."""
    return Estimate(product(sizes((size,))))


def constructed(*args: Any, **given: Any) -> Estimate:
    """Ints are a shape; anything else is data that is there already."""
    return Estimate(0) if len(args) == 1 and isinstance(args[0], (list, tuple)) else made(*(args or (0,)))


def constructed_like(input: Any, *args: Any, **given: Any) -> Estimate:
    """The constructor as a method."""
    return constructed(*args)


def eye(n: Any, m: Any = None, **given: Any) -> Estimate:
    """A matrix, square unless both sizes are given."""
    return Estimate(product((whole(n), whole(n if m is None else m))))


def arange(*args: Any, **given: Any) -> Estimate:
    """As many steps as lead from start to end."""
    names = ("end",) if len(args) == 1 and "end" not in given else ("start", "end", "step")
    bound = dict(zip(names, args, strict=False)) | given
    start, end, step = (_number(bound.get(k, d)) for k, d in (("start", 0), ("end", None), ("step", 1)))
    n = int((end - start) / step)
    return Estimate(n + 1, 10 * n) if n >= 0 else Estimate(0)


def closed_range(*args: Any, **given: Any) -> Estimate:
    """The same, and the end itself."""
    return arange(*args, **given)


def linspace(start: Any, end: Any, steps: Any, **given: Any) -> Estimate:
    """As many numbers as are asked for."""
    return Estimate(whole(steps), 20 * whole(steps))


def logspace(start: Any, end: Any, steps: Any, base: Any = None, **given: Any) -> Estimate:
    """As many powers as are asked for, one after the other."""
    return Estimate(whole(steps), _POWER * whole(steps))


def randint(*args: Any, **given: Any) -> Estimate:
    """The shape comes last, after one bound or two."""
    return drawn(args[-1] if "size" not in given else given["size"])


def randperm(n: Any, **given: Any) -> Estimate:
    """As many as there are to permute."""
    return Estimate(whole(n), whole(n) * 2 * DRAW)


def window(window_length: Any, *rest: Any, **given: Any) -> Estimate:
    """So many numbers."""
    return randperm(window_length)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **given: Any) -> Estimate:
    """The shape, or that of the tensors that are means and deviations."""
    if size is not None:
        return drawn(size)
    shapes = [shape(x) for x in (mean, std) if isinstance(x, Tensor)]
    n = product(broadcast(shapes) or ())
    return Estimate(n, n * DRAW)


def triangle(row: Any, col: Any, *rest: Any, **given: Any) -> Estimate:
    """Two indices for each place of a part of a matrix."""
    return Estimate(2 * product((whole(row), whole(col))))


def hessian(func: Any, inputs: Any, *rest: Any, **given: Any) -> Estimate:
    """A slope for each pair of numbers."""
    n = sum(map(count, inputs if isinstance(inputs, (list, tuple)) else (inputs,)))
    return Estimate(n * n)


def entries(input: Any, *rest: Any, **given: Any) -> Estimate:
    """All entries, and an index of each along each axis."""
    return Estimate(count(input) * (len(shape(input)) + 2))


def sparse(indices: Any = None, values: Any = None, size: Any = None, **given: Any) -> Estimate:
    """All entries of a shape, which is as large as the largest places ask for where it is not given."""
    if values is None and isinstance(indices if size is None else size, (tuple, list)):
        return Estimate(product(sizes((indices if size is None else size,))))
    places = indices._a if isinstance(indices, Tensor) else np.asarray(indices)
    shown = shape(values) if isinstance(values, Tensor) else np.shape(values)
    held = places.size + product(shown)
    if size is not None:
        return Estimate(product(sizes((size,))) + held)
    own = (int(row.max(initial=-1)) + 1 for row in (places.astype(int) if places.ndim == 2 else ()))
    return Estimate(product((*own, *shown[1:])) + held)

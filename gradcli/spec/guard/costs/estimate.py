"""Estimates, and the shapes they are computed from."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ....engine.tensor import Tensor

Shape = tuple[int, ...]


class Estimate(NamedTuple):
    """An upper bound of a call: elements of one array, tensors, and elementary operations of about 1 ns each."""

    elements: int
    work: int = 0
    tensors: int = 1


Estimator = Callable[..., Estimate]


def shape(x: Any) -> Shape:
    """The shape of a tensor."""
    found: Shape = (x._a if isinstance(x, Tensor) else x).shape
    return found


def count(x: Any) -> int:
    """Count the elements of a tensor."""
    return product(shape(x))


def product(sizes: Iterable[int]) -> int:
    """A product of sizes; 0 when one is negative, for the engine refuses it."""
    n = 1
    for size in sizes:
        if size < 0:
            return 0
        n *= size
    return n


def whole(x: Any) -> int:
    """An int, of whatever the engine takes for one."""
    return math.ceil(x) if type(x) is float else operator.index(x)


def listed(values: Sequence[Any]) -> Sequence[Any]:
    """Arguments that were given one by one, or as one sequence."""
    return values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values


def sizes(values: Sequence[Any]) -> Shape:
    """Ints that were given one by one, or as one sequence."""
    return tuple([whole(n) for n in listed(values)])


def spread(value: Any, n: int) -> Shape:
    """A size for each of ``n`` axes, from one number or a sequence."""
    if isinstance(value, (list, tuple)):
        found = tuple([whole(v) for v in value])
        return found * n if len(found) == 1 else found
    return (whole(value),) * n


def broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """The shape that some shapes broadcast to, or None."""
    rank = max(map(len, shapes), default=0)
    out = [1] * rank
    for s in shapes:
        at = rank - len(s)
        for i, n in enumerate(s, at):
            if n != 1:
                if out[i] not in (1, n):
                    return None
                out[i] = n
    return tuple(out)


def together(shapes: Sequence[Shape]) -> int:
    """Count the elements of shapes broadcast together, or of all of them where they do not fit together."""
    found = broadcast(shapes)
    return sum(map(product, shapes)) if found is None else product(found)


def multiplied(x: Any, products: int) -> int:
    """Estimate the work of summing so many products of a tensor's dtype: BLAS makes eight of most floats at a time."""
    dtype = (x._a if isinstance(x, Tensor) else x).dtype
    if dtype.kind == "f":
        return products // 8 if dtype.itemsize > 2 else products * 3
    return products


def of_tensors(*args: Any, **named: Any) -> Estimate:
    """The estimate for what makes nothing larger than its tensors broadcast together."""
    return of_arrays(*[x._a for x in (*args, *named.values()) if isinstance(x, Tensor)])


def of_arrays(*arrays: Any) -> Estimate:
    """The estimate for arrays that are broadcast together."""
    return Estimate(together([a.shape for a in arrays]))

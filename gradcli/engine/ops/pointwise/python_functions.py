"""Elements one by one: a Python function applied to each, and the places that flat indices mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import fail
from ...costs import costs
from ...guard.outside import guarded
from ...memory.layout import full_like
from ...numeric.halves import converted
from ...registry import composite, constant, primitive, public
from ...tensor import Array, Tensor, Value, made
from ...writes.inplace import write_with


@constant
def _replaced(self: Array, values: Array) -> Array:
    """Other values in the place of a tensor's."""
    return converted(values, self.dtype)


def _write(name: str, input: Tensor, values: list[Any]) -> Value:
    if input.requires_grad:
        fail(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    a = converted(np.array(values, np.float64), input._a.dtype).reshape(input._a.shape)
    return write_with(_replaced, input, (made(a if a.ndim else a[()]),), {})


@public("Tensor")
@composite
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Value:
    """Write what a function makes of each element in its place."""
    call = guarded(callable)
    return _write("apply_", input, [call(x) for x in np.ravel(input._a).tolist()])


@public("Tensor")
@composite
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Value:
    """Write what a function makes of each element and that of another tensor in its place."""
    call = guarded(callable)
    if tensor._a.dtype is not input._a.dtype:
        names = [f"torch.{x.dtype.tensor_name}Tensor" for x in (input, tensor)]
        raise EngineTypeError(f"map_: expected {names[0]} for 'other' (got {names[1]})")
    others = np.ravel(tensor.expand(input.shape)._a).tolist()
    return _write("map_", input, [call(x, y) for x, y in zip(np.ravel(input._a).tolist(), others, strict=True)])


@primitive(node="FillBackward0", self=lambda g: ops.padding.zeros_like(g), rounding="exact", form="stacked")
def filled_by_number(self: Array, value: Any) -> Array:
    """A tensor like another, all of one number."""
    return full_like(self, ops.filled.fitted(value, self.dtype), self.dtype)


@primitive(
    node="FillBackward1",
    self=lambda g: ops.padding.zeros_like(g),
    value=lambda g: g.sum(),
    rounding="exact",
    form="filled",
)
def filled_by_tensor(self: Array, value: Array) -> Array:
    """A tensor like another, all of a 0-d tensor's value."""
    return full_like(self, value, value.dtype if value.dtype.kind == "c" else self.dtype)


@public("torch")
@composite
def fill(input: Any, value: Any) -> Value:
    """A tensor like another, all of one value."""
    if not isinstance(value, Tensor):
        return filled_by_number(input, value)
    if value.ndim:
        fail(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return filled_by_tensor(input, value)


@public("torch")
@costs("arranging.unravelled")
@composite
def unravel_index(indices: Any, shape: Any) -> tuple[Value, ...]:
    """The places along each axis of a shape that indices into its flattened form mean."""
    if not isinstance(shape, (int, tuple, list)):
        raise EngineTypeError(f"expected 'shape' to be int or sequence of ints, but got {class_of(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise EngineTypeError(f"expected 'shape' sequence to only contain ints, but got {class_of(n)}")
    if indices._a.dtype.kind not in "iu":
        raise EngineTypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if min(sizes, default=0) < 0:
        raise EngineValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = made(np.array([math.prod(sizes[i + 1 :]) for i in range(len(sizes))], np.int64))
    places = ops.remainders.floor_divide(ops.views.unsqueeze(indices, -1), steps) % made(np.array(sizes, np.int64))
    return ops.splitting.unbind(places, -1)  # type: ignore[no-any-return]


def class_of(value: Any) -> str:
    """The class of a value, as Python prints it and PyTorch names it."""
    return "<class 'torch.Tensor'>" if isinstance(value, Tensor) else str(type(value))

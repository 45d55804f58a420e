"""Comparisons that write their answer over what is compared: it is a number there, whose gradient is zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...registry import primitive, public
from ...tensor import Array, Tensor
from ...writes.inplace import renamed, zeros_as
from .comparison import difference, eq, ge, gt, le, lt, ne


@primitive(node="LtBackward0", self=zeros_as, kink=difference, rounding="exact")
def answered_by_number(self: Array, other: Any, compare: Callable[..., Any]) -> Array:
    """The answers of a comparison with a number, as numbers."""
    return compare(self, other).astype(self.dtype)


@primitive(node="LtBackward1", self=zeros_as, other=zeros_as, broadcasts=True, kink=difference, rounding="exact")
def answered_by_tensor(self: Array, other: Array, compare: Callable[..., Any]) -> Array:
    """The answers of a comparison with a tensor, as numbers."""
    return compare(self, other).astype(self.dtype)


def _answers(input: Tensor, other: Any, compare: Any) -> Any:
    """The answers of a comparison in the dtype of what is compared; their node is named for the comparison."""
    by_tensor = isinstance(other, Tensor)
    made = (answered_by_tensor if by_tensor else answered_by_number)(input, other, compare)
    node = made.grad_fn
    if node is not None:
        node.__class__ = renamed(type(node), f"{compare.__name__.capitalize()}Backward{int(by_tensor)}")
    return made


@public("Tensor_.eq")
def eq_written(input: Tensor, other: Any) -> Any:
    """1 where elements are equal, else 0."""
    return _answers(input, other, eq)


@public("Tensor_.ne Tensor_.not_equal")
def ne_written(input: Tensor, other: Any) -> Any:
    """1 where elements differ, else 0."""
    return _answers(input, other, ne)


@public("Tensor_.lt Tensor_.less")
def lt_written(input: Tensor, other: Any) -> Any:
    """1 where elements are less, else 0."""
    return _answers(input, other, lt)


@public("Tensor_.le Tensor_.less_equal")
def le_written(input: Tensor, other: Any) -> Any:
    """1 where elements are less or equal, else 0."""
    return _answers(input, other, le)


@public("Tensor_.gt Tensor_.greater")
def gt_written(input: Tensor, other: Any) -> Any:
    """1 where elements are greater, else 0."""
    return _answers(input, other, gt)


@public("Tensor_.ge Tensor_.greater_equal")
def ge_written(input: Tensor, other: Any) -> Any:
    """1 where elements are greater or equal, else 0."""
    return _answers(input, other, ge)

"""Common steps of losses: reducing them, and making input and target match."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ....errors import EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import fail
from ...declaration import CASTABLE
from ...dtypes import CATEGORY, DTYPES, ones_of, promote
from ...modes import mode
from ...numeric.halves import converted, is_half, lowered, raised
from ...numeric.kernels.sums import total as sum_up
from ...tensor import Array, Tensor, Value, result
from ..pointwise.masks import refuse_integers as refuse_integers

L = TypeVar("L", bound=Callable[..., Any])

NONE, MEAN, SUM = 0, 1, 2

_NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}

# -- targets ---------------------------------------------------------------------------------------


def of_target(loss: L) -> L:
    """Let a loss that is built of ops tell of its second argument, the target, that it is one: those do not know it."""

    @functools.wraps(loss)
    def call(*args: Any, **kwargs: Any) -> Any:
        target = args[1] if len(args) > 1 else kwargs.get("target")
        if mode.tape is None or not isinstance(target, Tensor) or not target._cuts:
            return loss(*args, **kwargs)
        with mode.tape.aiming_at(target):
            return loss(*args, **kwargs)

    return call  # type: ignore[return-value]


# -- reductions ------------------------------------------------------------------------------------


def number_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """PyTorch's number for a reduction."""
    if size_average is not None or reduce is not None:
        reduction = legacy(size_average, reduce)
    if reduction == "elementwise_mean":
        reduction = "mean"
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            UserWarning,
            stacklevel=4,
        )
    found = _NUMBERS.get(reduction) if isinstance(reduction, str) else None
    if found is None:
        raise EngineValueError(f"{reduction} is not a valid value for reduction")
    return found


def legacy(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the older two switches stand for."""
    averaged = size_average is None or size_average
    word = "none" if reduce is not None and not reduce else "mean" if averaged else "sum"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.",
            UserWarning,
            stacklevel=4,
        )
    return word


def reduced(x: Array, reduction: int) -> Array:
    """All losses as one, or as they are."""
    if reduction == NONE:
        return x
    found = sum_up(raised(x))
    found = averaged(found, x.size) if reduction == MEAN else found
    # A mean in half precision is rounded once.
    return lowered(found, x.dtype) if is_half(x.dtype) else found


def averaged(total: Array, n: int) -> Array:
    """A mean of n; of nothing it is NaN."""
    return total / n if n else total.dtype.type(np.nan)


def reduced_by(loss: Value, reduction: int) -> Value:
    """The same, recorded."""
    if reduction == NONE:
        return loss
    return ops.sums.mean_all(loss) if reduction == MEAN else ops.sums.sum_all(loss)


def size_of(x: Value) -> int:
    """The number of elements of an array or a Tensor."""
    n: int = x._a.size if isinstance(x, Tensor) else x.size
    return n


def averaged_by(g: Value, x: Value, reduction: int) -> Value:
    """The share of each of the elements of ``x`` in ``g``."""
    return g / size_of(x) if reduction == MEAN else g


def unrecorded(function: Callable[..., Array]) -> Callable[..., Any]:
    """A function of arrays for what a rule needs outside the graph: of Tensors it makes a Tensor there."""

    def call(*args: Any) -> Any:
        y = function(*[a._a if isinstance(a, Tensor) else a for a in args])
        return result(y) if any(isinstance(a, Tensor) for a in args) else y

    return call


def written(g: Value, times: int) -> Value:
    """A gradient that PyTorch has written to so often since it was made, which its version shows."""
    if isinstance(g, Tensor):
        g._counter().n += times
    return g


def ones(g: Value) -> Value:
    """Ones, as ``g`` is: arrays or Tensors."""
    if isinstance(g, Tensor):
        return result(ones(g._a))
    return ones_of(g.shape, g.dtype) if g.ndim else g.dtype.type(1)


def weighted(g: Array, n: int, reduction: int) -> Array:
    """The incoming gradient of each element."""
    return g / n if reduction == MEAN and n else g


def paired(input: Value, target: Value) -> tuple[Value, Value]:
    """Input and target in one shape, with PyTorch's warning when that takes a broadcast."""
    for name, t in (("target", target), ("input", input)):
        if not isinstance(t, Tensor):
            raise EngineTypeError(f"argument '{name}' of a loss must be Tensor, not {type(t).__name__}")
    a, b = input._a, target._a
    if a.shape != b.shape:
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=3,
        )
        return joined(input, target)
    return input, target


def joined(input: Value, target: Value) -> tuple[Value, Value]:
    """Two tensors in the shape that they broadcast to."""
    found: tuple[Value, Value] = tuple(ops.reshaping.broadcast_tensors(input, target))
    return found


def difference(self: Array, target: Array, kernel: str = "") -> Array:
    """self - target, where integers beside a tensor of floats do not widen it as NumPy has it.

    ``kernel``: what PyTorch computes by, which is made for no whole numbers.
    """
    if self.dtype is not target.dtype:
        d = promote(self, target)
        self, target = converted(self, d), converted(target, d)
    if kernel:
        refuse_integers(kernel, self)
    return self - target


def arrays(*values: Value) -> list[Array]:
    """The arrays of tensors; arrays are their own."""
    return [x._a if isinstance(x, Tensor) else x for x in values]


def fits_result(input: Value, target: Value) -> None:
    """Refuse a target whose numbers a result in the input's element type cannot hold."""
    a, b = arrays(input, target)
    if a.dtype is b.dtype:
        return
    both = promote(a, b)
    if CATEGORY[both.kind] > CATEGORY[a.dtype.kind]:
        fail(CASTABLE.format(found=DTYPES[both].tensor_name, given=DTYPES[a.dtype].tensor_name))


def of_one_type(input: Value, target: Value) -> None:
    """Refuse a target in another element type than the input's."""
    a, b = arrays(input, target)
    if a.dtype is not b.dtype:
        fail(f"Found dtype {DTYPES[b.dtype].tensor_name} but expected {DTYPES[a.dtype].tensor_name}")

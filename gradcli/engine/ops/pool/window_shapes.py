"""Common steps of pools: where windows and stretches lie, and the errors about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineTypeError, EngineValueError
from ...call_errors import fail, only_bools, only_sizes
from ...dtypes import zeros_of
from ...tensor import Array, Tensor, Value, result
from .windows import Sizes, spread

ONES = (1, 1)


def nothing(g: Value, like: tuple[Any, Any]) -> Value:
    """Zeros of a shape and dtype, as ``g`` is: an array, or a Tensor."""
    zeros = zeros_of(*like)
    zeros = zeros if zeros.ndim else zeros[()]
    return result(zeros) if isinstance(g, Tensor) else zeros


# -- the geometry of windows -----------------------------------------------------------------------


def pooled_size(size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> Sizes:
    """The number of windows along each axis."""
    found = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (room + (s - 1 if ceil_mode else 0)) // s + 1
        # The last window starts inside the input or its left border.
        found.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    return tuple(found)


def margins(
    size: Sizes, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> list[tuple[int, int]]:
    """The border that all windows need."""
    return [
        (p, max((o - 1) * s + d * (k - 1) + 1 - n - p, 0))
        for n, k, o, s, p, d in zip(size, kernel, out, stride, padding, dilation, strict=True)
    ]


def adaptive_bounds(n: int, out: int) -> tuple[Array, Array]:
    """Where each of ``out`` stretches that cover ``n`` starts and ends."""
    i = np.arange(out)
    return i * n // out, -(-(i + 1) * n // out)


# -- arguments -----------------------------------------------------------------------------------


def each(name: str, argument: str, value: Any, rank: int = 2, omitted: str = "") -> Sizes:
    """One number for all axes of a plane or volume, or one for each."""
    found = spread(value, rank)
    if len(found) != rank:
        count = "two" if rank == 2 else "three"
        be = "be" if name == "avg_pool3d" else "either be"
        fail(f"{name}: {argument} must {be} {omitted}a single int, or a tuple of {count} ints")
    return found


def one(name: str, argument: str, value: Any, kinds: str = "") -> int:
    """The one number of an argument that may come as a list; ``kinds``: what may be given, where PyTorch says so."""
    found = spread(value, 1)
    if len(found) != 1:
        if kinds:
            fail(f"{name}() {argument} must be {kinds} tuple of ints of size 1 but got size {len(found)}")
        fail(f"{name}() argument '{argument}' should contain one int (got {len(found)})")
    return found[0]


def check_padding(kernel: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """Refuse borders in which a window would meet no element."""
    for p in padding:
        if p < 0:
            fail(f"pad must be non-negative, but got pad: {p}")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p > ((k - 1) * d + 1) // 2:
            fail(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )


def check_windows(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> None:
    """Refuse windows that do not fit a plane."""
    if any(s == 0 for s in stride):
        fail("stride should not be zero")
    if any(k <= 0 for k in kernel):
        fail(f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: {kernel[1]}")
    check_padding(kernel, padding, dilation)
    if x.ndim not in (3, 4):
        fail("non-empty 3D or 4D (batch mode) tensor expected for input")
    if 0 in x.shape[-3:]:
        fail(f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(x.shape)}")
    out = pooled_size(x.shape[-2:], kernel, stride, padding, dilation, ceil_mode)
    if min(out) < 1:
        plane = x.shape[-3]
        fail(
            f"Given input size: ({plane}x{x.shape[-2]}x{x.shape[-1]}). Calculated output size: "
            f"({plane}x{out[0]}x{out[1]}). Output size is too small"
        )


def refuse_no_gradient(name: str, g: Array) -> None:
    """Refuse the gradient of a result that has no elements but for want of samples."""
    for i in range(1, g.ndim):
        if g.shape[i] == 0:
            fail(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {list(g.shape)} with dimension {i} being empty"
            )


def check_adaptive(name: str, x: Array, mark: str) -> None:
    """Refuse what has no planes to pool."""
    if x.ndim not in (3, 4):
        fail(f"{name}(): Expected 3D or 4D tensor, but got{':' if mark == ':' else ''} {list(x.shape)}")
    # A mean of no planes is no plane; a largest of them there is none.
    for i in range(x.ndim - 2 if mark == "," else 1, x.ndim):
        if x.shape[i] == 0:
            fail(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {i} being empty"
            )


def check_signal(name: str, x: Value) -> None:
    """Refuse what is no signal, or batch of signals."""
    if x.ndim not in (2, 3):
        fail(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {name})"
        )


def refuse_odd_windows(
    name: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any
) -> None:
    """Refuse what is no whole number, or no bool, of what a function that picks from windows is called with."""
    only_sizes(
        name, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation, places=(2, 3, 4, 5)
    )
    if type(ceil_mode) is not bool:
        only_bools(name, ceil_mode=ceil_mode, places=(6,))


def strides(name: str, stride: Any, rank: int = 2) -> Sizes:
    """The strides, none where they are left to the kernel's size."""
    if stride is None or (isinstance(stride, (tuple, list)) and not stride):
        return ()
    return each(name, "stride", stride, rank, "omitted, ")


def adaptive_size(input: Value, output_size: Any, rank: int = 2) -> Sizes:
    """The size to pool to, where None keeps an axis as it is."""
    if not isinstance(output_size, (tuple, list)):
        if output_size is None and rank > 1:
            raise EngineTypeError("object of type 'NoneType' has no len()")
        return spread(output_size, rank)
    if input.ndim <= len(output_size):
        raise EngineValueError(f"Input dimension should be at least {len(output_size) + 1}")
    sizes = tuple(input.shape)[input.ndim - len(output_size) :]
    return tuple([n if o is None else o for n, o in zip(sizes, output_size, strict=True)])

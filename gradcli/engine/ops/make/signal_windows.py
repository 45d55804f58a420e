"""The windows that the frames of a signal are looked at through."""

from __future__ import annotations

import math
from typing import Any

from ....errors import EngineNotImplementedError, EngineTypeError, Unsupported
from ... import ops
from ...call_errors import fail, no_overload
from ...costs import costs
from ...dtypes import DTYPES
from ...registry import composite, public
from ...tensor import Tensor, granted
from .filled import options


def _counted(name: str, n: Any, periodic: bool, given: dict[str, Any]) -> tuple[Any, Any]:
    """The numbers from 0 on, one more than wanted of a periodic window, with the dtype that the window is to have."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise EngineTypeError(f"{name}(): argument 'window_length' (position 1) must be int, not {type(n).__name__}")
    if type(periodic) is not bool:
        raise no_overload(name, n, periodic)
    d, grad = options(name, (n,), given)
    named = DTYPES[d]
    if not (named.is_floating_point or named.is_complex):
        fail(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={named.c_name}, device=cpu, "
            "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if n < 0:
        fail(f"{name} requires non-negative window_length, got window_length={n}")
    if named.is_complex:
        raise EngineNotImplementedError(f"\"arange_cpu\" not implemented for '{named.tensor_name}'")
    if named.itemsize == 2:
        raise Unsupported(f"{name}() in half precision is not supported", help="make it in float32, and use .to(dtype)")
    return ops.ranges.arange(n + (periodic and n > 1), dtype=named, device="cpu"), grad


def _finished(window: Any, n: int, grad: Any) -> Tensor:
    """As many numbers as are wanted; a window of one number is 1."""
    made: Any = ops.filled.ones_like(window) if n == 1 else ops.reshaping.narrow(window, 0, 0, n)
    return granted(made, grad)


def _raised_cosine(at: Any, alpha: float, beta: float) -> Any:
    return at.mul_(math.pi * 2.0 / max(at.numel() - 1, 1)).cos_().mul_(-beta).add_(alpha)


@public("torch")
@costs("making.window")
@composite
def hann_window(window_length: int, periodic: bool = True, **given: Any) -> Tensor:
    """A window that falls to 0 on both sides as a cosine does."""
    at, grad = _counted("hann_window", window_length, periodic, given)
    return _finished(_raised_cosine(at, 0.5, 0.5), window_length, grad)


@public("torch")
@costs("making.window")
@composite
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **given: Any
) -> Tensor:
    """A window that falls on both sides as a cosine does, though not to 0."""
    at, grad = _counted("hamming_window", window_length, periodic, given)
    return _finished(_raised_cosine(at, alpha, beta), window_length, grad)


@public("torch")
@costs("making.window")
@composite
def blackman_window(window_length: int, periodic: bool = True, **given: Any) -> Tensor:
    """A window of two cosines."""
    at, grad = _counted("blackman_window", window_length, periodic, given)
    at.mul_(math.pi / max(at.numel() - 1, 1))
    made = at.mul(4).cos_().mul_(0.08) - at.mul(2).cos_().mul_(0.5) + 0.42
    return _finished(made, window_length, grad)


@public("torch")
@costs("making.window")
@composite
def bartlett_window(window_length: int, periodic: bool = True, **given: Any) -> Tensor:
    """A window that falls to 0 on both sides along straight lines."""
    at, grad = _counted("bartlett_window", window_length, periodic, given)
    at.mul_(2.0 / max(at.numel() - 1, 1))
    first = ((at.numel() - 1) >> 1) + 1
    ops.reshaping.narrow(at, 0, first, at.numel() - first).mul_(-1).add_(2)
    return _finished(at, window_length, grad)


@public("torch")
@costs("making.window")
@composite
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **given: Any) -> Tensor:
    """A window whose weight lies in the middle, the more so the greater beta is."""
    at, grad = _counted("kaiser_window", window_length, periodic, given)
    half = max(at.numel() - 1, 1) / 2
    inside = at.sub_(half).div_(half).square_().neg_().add_(1)
    made = ops.special.i0(inside.sqrt_().mul_(beta)) / ops.special.i0(ops.filled.full_like(at, beta))
    return _finished(made, window_length, grad)

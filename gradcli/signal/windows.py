"""torch.signal.windows: weights that fall off at both sides of a stretch of samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..engine.dtypes import float32, float64, get_default_dtype
from ..engine.memory.places import strided
from ..engine.offers import find
from ..engine.tensor import Tensor, tensor
from ..errors import EngineTypeError, EngineValueError


def _like(name: str, M: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments that the tensors of a window are made with."""
    known = {"dtype", "layout", "device", "requires_grad"}
    for other in given.keys() - known:
        raise EngineTypeError(f"{name}() got an unexpected keyword argument '{other}'")
    if M < 0:
        raise EngineValueError(f"{name} requires non-negative window length, got M={M}")
    layout = given.get("layout", strided)
    if layout is not strided:
        raise EngineValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    dtype = given.get("dtype") or get_default_dtype()
    if dtype not in (float32, float64):
        raise EngineValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return {"dtype": dtype, "device": given.get("device")}


def _made(name: str, M: Any, given: dict[str, Any], fill: Callable[[Any], Any], least: int = 0) -> Tensor:
    """A window; what is as short as ``least`` is all ones."""
    like = _like(name, M, given)
    short = M == 0 or (M == 1 and least == 1)
    window: Any = find("torch", "empty" if M == 0 else "ones")(M, **like) if short else fill(like)
    asks = given.get("requires_grad", False)
    return window.requires_grad_() if asks else window  # type: ignore[no-any-return]


def _steps(first: float, step: float, M: int, like: dict[str, Any]) -> Any:
    return find("torch", "linspace")(start=first, end=first + (M - 1) * step, steps=M, **like)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **given: Any) -> Tensor:
    """A window that falls exponentially from its centre."""
    _like("exponential", M, given)
    if tau <= 0:
        raise EngineValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise EngineValueError("Center must be None for symmetric windows")

    def fill(like: dict[str, Any]) -> Any:
        middle = (M if not sym and M > 1 else M - 1) / 2.0 if center is None else center
        return (-_steps(-middle / tau, 1 / tau, M, like).abs()).exp()

    return _made("exponential", M, given, fill)


def cosine(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window that is one hump of a sine."""
    step = math.pi / max(M + 1 if not sym and M > 1 else M, 1)
    return _made("cosine", M, given, lambda like: _steps(0.5 * step, step, M, like).sin())


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **given: Any) -> Tensor:
    """A window in the shape of a bell."""
    _like("gaussian", M, given)
    if std <= 0:
        raise EngineValueError(f"Standard deviation must be positive, got: {std} instead.")
    step = 1 / (std * math.sqrt(2))
    first = -(M if not sym and M > 1 else M - 1) / 2.0
    return _made("gaussian", M, given, lambda like: (-(_steps(first * step, step, M, like) ** 2)).exp())


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **given: Any) -> Tensor:
    """A window of Bessel functions."""
    _like("kaiser", M, given)
    if beta < 0:
        raise EngineValueError(f"beta must be non-negative, got: {beta} instead.")

    def fill(like: dict[str, Any]) -> Any:
        # In the precision of the window: the square of an end is never larger than its own.
        steep = tensor(beta, **like)
        step = 2.0 * steep / (M if not sym else M - 1)
        last = find("torch", "minimum")(steep, -steep + (M - 1) * step)
        at = find("torch", "linspace")(start=-steep, end=last, steps=M, **like)
        bessel = find("torch", "i0")
        return bessel((steep * steep - at**2).sqrt()) / bessel(steep)

    return _made("kaiser", M, given, fill, 1)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **given: Any) -> Tensor:
    """A window that is a sum of cosines with these weights, of signs that change."""
    _like("general_cosine", M, given)
    if not isinstance(a, Iterable):
        raise EngineTypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise EngineValueError("Coefficients cannot be empty")

    def fill(like: dict[str, Any]) -> Any:
        at = _steps(0, 2 * math.pi / (M if not sym else M - 1), M, like)
        signed = tensor([(-1) ** i * w for i, w in enumerate(weights)], **like)
        orders = find("torch", "arange")(len(weights), **like)
        return (signed.unsqueeze(-1) * (orders.unsqueeze(-1) * at).cos()).sum(0)

    return _made("general_cosine", M, given, fill, 1)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **given: Any) -> Tensor:
    """A window of one cosine, with this share of its mean."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **given)


def hamming(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window that falls on both sides as a cosine does, though not to 0."""
    return general_hamming(M, sym=sym, **given)


def hann(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window that falls to 0 on both sides as a cosine does."""
    return general_hamming(M, alpha=0.5, sym=sym, **given)


def blackman(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window of two cosines."""
    _like("blackman", M, given)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **given)


def nuttall(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window of three cosines."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **given)


def bartlett(M: int, *, sym: bool = True, **given: Any) -> Tensor:
    """A window that falls to 0 on both sides along straight lines."""

    def fill(like: dict[str, Any]) -> Any:
        return 1 - _steps(-1, 2.0 / (M if not sym else M - 1), M, like).abs()

    return _made("bartlett", M, given, fill, 1)

"""torch.fft: the transforms in all their forms, and what goes with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....errors import EngineIndexError, EngineTypeError
from ... import ops
from ...call_errors import fail, not_a_tensor, only_ints
from ...declaration import OF_ITS_KIND, given_for_out
from ...dtypes import DTYPES, default
from ...modes import casting
from ...numeric.halves import is_half
from ...registry import composite, public
from ...tensor import Tensor, Value, granted
from ..common import axis
from .fourier import NOTHING, NUMBER, ROOT, complex_to_complex, complex_to_real, real_to_complex
from .lazy import conjugate
from .parts import conj_physical

# -- what is given ---------------------------------------------------------------------------------


def _checked(name: str, x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise not_a_tensor(f"fft_{name}", "input" if name.endswith("shift") else "self", 1, x)
    return x


def _floating(x: Tensor, to_complex: bool = False) -> Any:
    """A tensor in the element type of its transform."""
    if casting() is not None and is_half(x._a.dtype):
        x = x.float()
    d = DTYPES[x._a.dtype]
    if d.itemsize == 2 and d.is_floating_point:
        fail(f"Unsupported dtype {d.tensor_name}")
    if not (d.is_floating_point or d.is_complex):
        d = DTYPES[default.float]
    return x.to(d.to_complex() if to_complex else d)


def _norm(norm: Any, forward: bool) -> int:
    if not (norm is None or isinstance(norm, str)):
        raise EngineTypeError(f"argument 'norm' must be str, not {type(norm).__name__}")
    if norm is None or norm == "backward":
        return NOTHING if forward else NUMBER
    if norm == "forward":
        return NUMBER if forward else NOTHING
    if norm != "ortho":
        fail(f'Invalid normalization mode: "{norm}"')
    return ROOT


def _fitted(x: Any, dim: Sequence[int], sizes: Sequence[int]) -> Any:
    """A tensor cut to these sizes, or filled up with zeros."""
    more = [0] * (2 * x.ndim)
    for d, n in zip(dim, sizes, strict=True):
        if n == -1:
            continue
        if n < 1:
            fail(f"Invalid number of data points ({n}) specified")
        if x.shape[d] < n:
            more[2 * (x.ndim - 1 - d) + 1] = n - x.shape[d]
        elif x.shape[d] > n:
            x = ops.views.slice_(x, d, 0, n)
    return ops.padding.constant_pad_nd(x, tuple(more), 0) if any(more) else x


def _axis(dim: int, x: Any) -> int:
    if not x.ndim:
        raise EngineIndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return axis(dim, x.ndim)


def _along(x: Any, n: Any, dim: int) -> int:
    """The axis of a transform along one."""
    d = _axis(dim, x)
    size = x.shape[d] if n is None else n
    if size < 1:
        fail(f"Invalid number of data points ({size}) specified")
    return d


def _axes(x: Any, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The axes of a transform along several, and the number of points along each."""
    s = [s] if isinstance(s, int) else s
    dim = [dim] if isinstance(dim, int) else dim
    if dim is not None:
        axes = [_axis(d, x) for d in dim]
        if len(set(axes)) != len(axes):
            fail("FFT dims must be unique")
    if s is not None:
        if dim is not None and len(dim) != len(s):
            fail("When given, dim and shape arguments must have the same length")
        if len(s) > x.ndim:
            fail(f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions.")
        if dim is None:
            axes = list(range(x.ndim - len(s), x.ndim))
        sizes = [x.shape[d] if n == -1 else n for d, n in zip(axes, s, strict=True)]
    else:
        axes = axes if dim is not None else list(range(x.ndim))
        sizes = [x.shape[d] for d in axes]
    for n in sizes:
        if n <= 0:
            fail(f"Invalid number of data points ({n}) specified")
    return axes, sizes


# -- along one axis --------------------------------------------------------------------------------


def _one(name: str, x: Any, n: Any, dim: int, norm: Any, forward: bool) -> Value:
    """A transform of complex numbers, or of all points of real ones."""
    x = _floating(_checked(name, x))
    if not x.is_complex():
        return _of_real(name, x, n, dim, norm, forward, False)
    d = _along(x, n, dim)
    x = x if n is None else _fitted(x, [d], [n])
    return complex_to_complex(x, (d,), _norm(norm, forward), forward)


def _of_real(name: str, x: Any, n: Any, dim: int, norm: Any, forward: bool, onesided: bool) -> Value:
    if x.is_complex():
        fail(f"{name} expects a real input tensor, but got {x.dtype.tensor_name}")
    x = _floating(x)
    d = _along(x, n, dim)
    x = x if n is None else _fitted(x, [d], [n])
    made = real_to_complex(x, (d,), _norm(norm, forward), onesided)
    return made if forward else conjugate(made)


def _to_real(name: str, x: Any, n: Any, dim: int, norm: Any, forward: bool) -> Value:
    x = _floating(_checked(name, x), to_complex=True)
    d = _axis(dim, x)
    size = 2 * (x.shape[d] - 1) if n is None else n
    if size < 1:
        fail(f"Invalid number of data points ({size}) specified")
    x = x if n is None else _fitted(x, [d], [size // 2 + 1])
    return complex_to_real(conjugate(x) if forward else x, (d,), _norm(norm, forward), size)


@public("fft")
@given_for_out("fft expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def fft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The discrete Fourier transform along an axis."""
    if type(n) is not int:
        only_ints("fft_fft", n=n)
    return _one("fft", input, n, dim, norm, True)


@public("fft")
@given_for_out("ifft expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ifft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The inverse of the discrete Fourier transform along an axis."""
    if type(n) is not int:
        only_ints("fft_ifft", n=n)
    return _one("ifft", input, n, dim, norm, False)


@public("fft")
@given_for_out("rfft expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def rfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The first half of the transform of real numbers along an axis: the other half are the conjugates."""
    if type(n) is not int:
        only_ints("fft_rfft", n=n)
    return _of_real("rfft", _checked("rfft", input), n, dim, norm, True, True)


@public("fft")
@given_for_out("irfft expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def irfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The real numbers whose transform begins with these: the inverse of rfft."""
    return _to_real("irfft", input, n, dim, norm, False)


@public("fft")
@given_for_out("hfft expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def hfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The real transform of numbers whose other half are the conjugates."""
    return _to_real("hfft", input, n, dim, norm, True)


@public("fft")
@given_for_out("ihfft expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ihfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
    """The inverse of hfft: the first half."""
    if type(n) is not int:
        only_ints("fft_ihfft", n=n)
    return _of_real("ihfft", _checked("ihfft", input), n, dim, norm, False, True)


# -- along several axes ----------------------------------------------------------------------------


def _several(name: str, x: Any, s: Any, dim: Any, norm: Any, forward: bool) -> Value:
    x = _checked(name, x)
    axes, sizes = _axes(x, s, dim)
    x = _fitted(_floating(x, to_complex=True), axes, sizes)
    return complex_to_complex(x, tuple(axes), _norm(norm, forward), forward)


def _several_of_real(x: Any, s: Any, dim: Any, norm: Any) -> Value:
    x = _checked("rfftn", x)
    if x.is_complex():
        fail(f"rfftn expects a real-valued input tensor, but got {x.dtype.tensor_name}")
    axes, sizes = _axes(x, s, dim)
    if not axes:
        fail("rfftn must transform at least one axis")
    return real_to_complex(_fitted(_floating(x), axes, sizes), tuple(axes), _norm(norm, True), True)


def _half(name: str, x: Any, s: Any, dim: Any) -> tuple[Any, list[int], int]:
    """Half of the points along the last axis, with the axes and the number of all points along that one."""
    axes, sizes = _axes(x, s, dim)
    if not axes:
        fail(f"{name} must transform at least one axis")
    given = [s] if isinstance(s, int) else s
    last = 2 * (x.shape[axes[-1]] - 1) if given is None or given[-1] == -1 else given[-1]
    if last < 1:
        fail(f"Invalid number of data points ({last}) specified")
    return _fitted(_floating(x, to_complex=True), axes, [*sizes[:-1], last // 2 + 1]), axes, last


def _several_to_real(x: Any, s: Any, dim: Any, norm: Any) -> Value:
    x, axes, last = _half("irfftn", _checked("irfftn", x), s, dim)
    return complex_to_real(x, tuple(axes), _norm(norm, False), last)


def _hermitian(x: Any, s: Any, dim: Any, norm: Any) -> Value:
    x, axes, last = _half("hfftn", _checked("hfftn", x), s, dim)
    scale = _norm(norm, True)
    if len(axes) > 1:
        x = complex_to_complex(x, tuple(axes[:-1]), scale, True)
    return complex_to_real(conjugate(x), (axes[-1],), scale, last)


def _hermitian_back(x: Any, s: Any, dim: Any, norm: Any) -> Value:
    x = _checked("ihfftn", x)
    axes, sizes = _axes(x, s, dim)
    if not axes:
        fail("ihfftn must transform at least one axis")
    if x.is_complex():
        fail(f"Only supports floating-point dtypes, but found: {x.dtype.tensor_name}")
    scale = _norm(norm, False)
    half = real_to_complex(_fitted(_floating(x), axes, sizes), (axes[-1],), scale, True)
    if len(axes) == 1:
        return conjugate(half)
    return complex_to_complex(conj_physical(half), tuple(axes[:-1]), scale, False)


_Sizes = Sequence[int] | int | None


@public("fft")
@given_for_out("fftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def fftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The discrete Fourier transform along several axes, by default all."""
    return _several("fftn", input, s, dim, norm, True)


@public("fft")
@given_for_out("ifftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ifftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The inverse of the discrete Fourier transform along several axes, by default all."""
    return _several("ifftn", input, s, dim, norm, False)


@public("fft")
@given_for_out("rfftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def rfftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The transform of real numbers along several axes: half of it along the last."""
    return _several_of_real(input, s, dim, norm)


@public("fft")
@given_for_out("irfftn expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def irfftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The inverse of rfftn."""
    return _several_to_real(input, s, dim, norm)


@public("fft")
@given_for_out("hfftn expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def hfftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The real transform along several axes, of numbers whose other half along the last are the conjugates."""
    return _hermitian(input, s, dim, norm)


@public("fft")
@given_for_out("ihfftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ihfftn(input: Value, s: _Sizes = None, dim: _Sizes = None, norm: str | None = None) -> Value:
    """The inverse of hfftn."""
    return _hermitian_back(input, s, dim, norm)


@public("fft")
@given_for_out("fftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def fft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The discrete Fourier transform along two axes."""
    return _several("fftn", input, s, dim, norm, True)


@public("fft")
@given_for_out("fftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ifft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The inverse of the discrete Fourier transform along two axes."""
    return _several("ifftn", input, s, dim, norm, False)


@public("fft")
@given_for_out("rfftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def rfft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The transform of real numbers along two axes: half of it along the last."""
    return _several_of_real(input, s, dim, norm)


@public("fft")
@given_for_out("irfftn expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def irfft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The inverse of rfft2."""
    return _several_to_real(input, s, dim, norm)


@public("fft")
@given_for_out("hfftn expects a floating point output tensor, but got {given}", OF_ITS_KIND)
@composite
def hfft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The real transform along two axes, of numbers whose other half along the last are the conjugates."""
    return _hermitian(input, s, dim, norm)


@public("fft")
@given_for_out("ihfftn expects a complex output tensor, but got {given}", OF_ITS_KIND)
@composite
def ihfft2(input: Value, s: _Sizes = None, dim: _Sizes = (-2, -1), norm: str | None = None) -> Value:
    """The inverse of hfft2."""
    return _hermitian_back(input, s, dim, norm)


# -- frequencies -----------------------------------------------------------------------------------


def _spacing(n: int, d: float) -> float:
    return 1.0 / (n * d) if n * d else math.inf


@public("fft")
@composite
def fftfreq(n: int, d: float = 1.0, **given: Any) -> Tensor:
    """The frequencies of a transform of so many points, this far apart."""
    made_in, grad = ops.filled.options("fftfreq", (n, d), given)
    on_cpu = {"dtype": DTYPES[made_in], "device": "cpu"}
    found: Any = ops.ranges.arange(n, **on_cpu)
    found[(n + 1) // 2 :] = ops.ranges.arange(-(n // 2), 0, **on_cpu)
    return granted(found.mul_(_spacing(n, d)), grad)


@public("fft")
@composite
def rfftfreq(n: int, d: float = 1.0, **given: Any) -> Tensor:
    """The frequencies of a transform of so many real points, this far apart."""
    made_in, grad = ops.filled.options("rfftfreq", (n, d), given)
    found: Any = ops.ranges.arange(n // 2 + 1, dtype=DTYPES[made_in], device="cpu")
    return granted(found.mul_(_spacing(n, d)), grad)


def _shifted(name: str, x: Any, dim: Any, half: Any) -> Value:
    x = _checked(name, x)
    axes = list(range(x.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    axes = [axis(d, x.ndim) for d in axes]
    return ops.reordering.roll(x, tuple([half(x.shape[d]) for d in axes]), tuple(axes))


@public("fft")
@composite
def fftshift(input: Value, dim: _Sizes = None) -> Value:
    """The frequencies in order: the negative ones first."""
    return _shifted("fftshift", input, dim, lambda n: n // 2)


@public("fft")
@composite
def ifftshift(input: Value, dim: _Sizes = None) -> Value:
    """The inverse of fftshift."""
    return _shifted("ifftshift", input, dim, lambda n: (n + 1) // 2)

"""Building blocks of numeric functions: polynomials in one product, blocks that fit the cache, cases by mask."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import F64, Array
from ..memory.layout import empty_like

Kernel = Callable[[Array], Array]

# Elements that are worked on at a time: a block and its powers stay in the cache.
BLOCK = 1 << 14


_silence = contextvars.Context()
_silence.run(np.seterr, all="ignore")
_run_silently = _silence.run


def quiet(function: Callable[..., Any], *args: Any) -> Any:
    """``function(*args)`` without NumPy's floating-point warnings: where PyTorch gives inf or nan it says nothing.

    Entering a context costs a tenth of what ``np.errstate`` costs. It cannot be entered twice: another thread
    may be in it, but no function that is passed here may come back here.
    """
    try:
        return _run_silently(function, *args)
    except RuntimeError:
        with np.errstate(all="ignore"):
            return function(*args)


def log1p(a: Array) -> Array:
    """The logarithm of 1 + a. NumPy's own of complex numbers loses the real part of what is small."""
    if not np.iscomplexobj(a):
        return np.log1p(a)
    x, y = a.real, a.imag
    near = np.empty_like(a)
    near.real = np.log1p(x * (2 + x) + y * y) / 2
    near.imag = np.arctan2(y, 1 + x)
    return np.where(np.abs(a) < 0.5, near, np.log(1 + a))[()]


def _powers(x: Array, count: int) -> Array:
    """The rows 1, x, x**2 ... of ``count`` powers."""
    v = np.empty((count, x.size))
    v[0] = 1.0
    v[1] = x
    have = 2
    while have < count:
        n = min(have - 1, count - have)
        np.multiply(v[1 : n + 1], v[have - 1], v[have : have + n])
        have += n
    return v


class Ratio:
    """A quotient of two polynomials, given by their coefficients from the constant up.

    Both are one matrix times the powers of x: few calls for a short x, few passes for a long one.
    """

    __slots__ = ("table",)

    def __init__(self, above: Sequence[float], below: Sequence[float]) -> None:
        self.table = np.zeros((2, max(len(above), len(below))))
        self.table[0, : len(above)] = above
        self.table[1, : len(below)] = below

    def __call__(self, x: Array) -> Array:
        above, below = self.table.dot(_powers(x, self.table.shape[1]))
        return np.divide(above, below, above)

    def slope(self, x: Array) -> Array:
        """The derivative; its numerator is multiplied out, for its terms nearly cancel."""
        above, below = (np.polynomial.Polynomial(row) for row in self.table.astype(np.longdouble))
        slope = (above.deriv() * below - above * below.deriv()).coef.astype(np.float64)
        return slope.dot(_powers(x, len(slope))) / self.table[1].dot(_powers(x, self.table.shape[1])) ** 2


class Polynomial:
    """A polynomial, given by its coefficients from the constant up."""

    __slots__ = ("table",)

    def __init__(self, coefficients: Sequence[float]) -> None:
        self.table = np.array(coefficients)

    def __call__(self, x: Array) -> Array:
        return self.table.dot(_powers(x, len(self.table)))


def cases(x: Array, *pairs: tuple[Array, Kernel]) -> Array:
    """Each element by the function beside the first mask that holds for it; nan where none does."""
    out = np.full(x.shape, np.nan)
    taken = np.zeros(x.shape, bool)
    for mask, kernel in pairs:
        mine = mask & ~taken
        if mine.any():
            out[mine] = kernel(x[mine])
        taken |= mask
    return out


def by_samples(function: Callable[..., Array], some: int, *arrays: Array) -> Array:
    """``function`` of arrays whose first axis has the samples: of so many of these at a time."""
    n = len(arrays[0])
    if n <= some:
        return function(*arrays)
    first = function(*[a[:some] for a in arrays])
    r = np.empty_like(first, shape=(n, *first.shape[1:]))
    r[:some] = first
    for i in range(some, n, some):
        r[i : i + some] = function(*[a[i : i + some] for a in arrays])
    return r


def on_arrays(kernel: Kernel, slope: Callable[[Array], Array]) -> Kernel:
    """A function of arrays of any shape and floating dtype, from one of short flat arrays of float64.

    A complex argument is a real one and a direction: its imaginary part takes ``slope``, the derivative.
    """

    def blocks(x: Array) -> Array:
        if x.size <= BLOCK:
            return kernel(x)
        out = np.empty(x.size)
        for i in range(0, x.size, BLOCK):
            out[i : i + BLOCK] = kernel(x[i : i + BLOCK])
        return out

    def apply(a: Array) -> Array:
        if a.dtype.kind == "c":
            with np.errstate(all="ignore"):
                return stepped(a, apply(a.real), slope(np.atleast_1d(a.real)).reshape(a.shape))
        y = quiet(blocks, np.asarray(a, F64).reshape(-1))
        if a.dtype is not F64:
            y = y.astype(a.dtype)
        if not a.ndim:
            return y[0]
        y = y.reshape(a.shape)
        if a.flags.c_contiguous:
            return y
        # The result lies in memory as the argument does.
        out = empty_like(a, a.dtype)
        out[...] = y
        return out

    return apply


def stepped(a: Array, y: Array, slope: Array) -> Array:
    """The value and, in its imaginary part, the derivative along that of ``a``."""
    out = np.empty(np.shape(a), a.dtype)
    out.real = y
    out.imag = slope * a.imag
    return out[()] if out.ndim == 0 else out

"""Common steps of ops on square matrices: refusals, transposes, diagonals; for arrays and tensors alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineError
from ... import ops
from ...call_errors import fail
from ...modes import mode
from ...numeric.halves import is_half
from ...registry import public
from ...tensor import Array, Tensor, Value
from .fitting_operands import type_name


@public("linalg.LinAlgError")
class LinAlgError(RuntimeError):
    """A matrix without the property that was needed, as programs name it."""


class EngineLinAlgError(EngineError, LinAlgError):
    """The same as the engine raises it."""

    plain = LinAlgError


# What PyTorch calls it.
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


def floating(a: Array, name: str) -> None:
    """Refuse integers and half-width floats."""
    if a.dtype.kind not in "fc":
        fail(f"{name}: Expected a floating point or complex tensor as input. Got {type_name(a)}")
    if is_half(a.dtype):
        fail(f"{name}: Low precision dtypes not supported. Got {type_name(a)}")


def matrices(a: Array, name: str, argument: str = "A") -> None:
    """Refuse what is no matrix and no stack of them."""
    if a.ndim < 2:
        fail(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def square(a: Array, name: str, argument: str = "A") -> None:
    """Refuse what is no square matrix and no stack of them."""
    matrices(a, name, argument)
    if a.shape[-1] != a.shape[-2]:
        fail(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices")


def fits(a: Array, b: Array, left: bool, name: str) -> None:
    """Refuse systems whose sides do not go together."""
    matrices(b, name, "B")
    square(a, name)
    n = b.shape[-2] if left else b.shape[-1]
    if a.shape[-1] != n:
        fail(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


def is_vector(a: Array, b: Array) -> bool:
    """Tell whether the right-hand side of a system is a vector, or a stack of as many vectors as matrices."""
    return bool(b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1]))


def raise_first(info: Value, name: str, say: Any) -> None:
    """Raise ``say(order)`` for the first matrix of a stack whose ``info`` is not 0."""
    a = info._a if isinstance(info, Tensor) else info
    for watch in mode.writes:
        watch.looks(raise_first, (info, name, say))
    if not a.any():
        return
    if a.ndim == 0:
        raise EngineLinAlgError(f"{name}: {say(int(a))}")
    flat = a.reshape(-1)
    i = int(np.flatnonzero(flat)[0])
    raise EngineLinAlgError(f"{name}: (Batch element {i}): {say(int(flat[i]))}")


def mT(x: Value) -> Value:
    """The transposes of matrices."""
    return ops.views.transpose(x, -2, -1) if isinstance(x, Tensor) else x.swapaxes(-1, -2)


def of_lower_half(a: Array) -> Array:
    """Symmetric matrices, of which the lower half is given."""
    return np.asarray(np.tril(a) + mT(np.tril(a, -1)))


def is_complex(x: Value) -> bool:
    """Tell whether a value is a complex tensor: no array is, and no reading."""
    return isinstance(x, Tensor) and x.is_complex()


def conj(x: Value) -> Value:
    """The conjugate of a complex tensor; all else as it is."""
    return ops.lazy.conjugate(x) if is_complex(x) else x


def mH(x: Value) -> Value:
    """The conjugate transposes of complex matrices, and the transposes of others."""
    return conj(mT(x))


def diagonal(x: Value) -> Value:
    """The diagonals of matrices, as views to write to."""
    return ops.views.diagonal(x, 0, -2, -1) if isinstance(x, Tensor) else np.einsum("...ii->...i", x)


def fill_diagonal(x: Value, value: Any) -> Value:
    """``x``, a fresh stack of matrices, with ``value`` written to its diagonals."""
    if isinstance(x, Tensor):
        diagonal(x).copy_(value) if isinstance(value, Tensor) else diagonal(x).fill_(value)
    else:
        diagonal(x)[...] = value
    return x


def halve_diagonal(x: Value) -> Value:
    """``x``, a fresh stack of matrices, with its diagonals halved."""
    if isinstance(x, Tensor):
        diagonal(x).mul_(0.5)
    else:
        half = diagonal(x)
        half *= 0.5
    return x


def narrow(x: Value, dim: int, start: int, length: int) -> Value:
    """Part of an axis counted from the back."""
    if isinstance(x, Tensor):
        return ops.reshaping.narrow(x, dim, start, length)
    return x[(Ellipsis, slice(start, start + length), *(slice(None),) * (-1 - dim))]


def with_diagonal(x: Value) -> Value:
    """Matrices with ``x`` as diagonals and zeros around them."""
    return ops.reordering.diag_embed(x, 0, -2, -1)

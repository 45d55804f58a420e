"""The parts of complex tensors: real and imaginary, absolute value and angle; and tensors made of two such."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, not_a_tensor, only_tensor
from ...complex_twins import twin
from ...declaration import given_for_out
from ...dtypes import BF16, DTYPES
from ...memory.ways import way_to
from ...registry import elementwise, primitive, public, shared
from ...tensor import Array, Tensor, Value
from ...writes.inplace import write_with
from ..shape.strides import read_as
from .lazy import LazyView, conjugate as conj, negated


def _complex_primitive(**said: Any) -> Callable[[Any], Any]:
    """An op that only complex tensors have, as an argument or as the result."""
    return lambda forward: twin(primitive(**said)(forward))


# -- as pairs of real numbers ------------------------------------------------------------------


def _dense(g: Any) -> Any:
    return ops.converting.contiguous(g)


@_complex_primitive(
    view=True, node="ViewAsRealBackward0", self=lambda g: pairs_as_complex(_dense(g)), form="stacked",
)  # fmt: skip
def complex_as_pairs(self: Array) -> Array:
    """The same memory, each number as its real and its imaginary part along a new last axis."""
    part = self.real.dtype
    return read_as(self, part, (*self.shape, 2), (*self.strides, part.itemsize))


def _refuse_pairs_of(kind: Any) -> None:
    fail(
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
        f"{DTYPES[kind].tensor_name}"
    )


@_complex_primitive(
    view=True, node="ViewAsComplexBackward0",
    self=lambda g: view_as_real(resolve_conj(_dense(g))), form="stacked",
)  # fmt: skip
def pairs_as_complex(self: Array) -> Array:
    """The same memory, its last axis of pairs as complex numbers."""
    if self.dtype.kind != "f" or self.dtype.itemsize < 4:
        _refuse_pairs_of(self.dtype)
    if not self.ndim:
        fail("Input tensor must have one or more dimensions")
    if self.shape[-1] != 2:
        fail("Tensor must have a last dimension of size 2")
    one = self.itemsize
    if self.size and self.strides[-1] != one:
        fail("Tensor must have a last dimension with stride 1")
    if self.size and any(s % (2 * one) for s, n in zip(self.strides[:-1], self.shape, strict=False) if n > 1):
        fail("Tensor must have a stride divisible by 2 for all but last dimension")
    d = np.dtype("complex64") if one == 4 else np.dtype("complex128")
    if not self.size:
        return np.zeros(self.shape[:-1], d)
    return read_as(self, d, self.shape[:-1], self.strides[:-1])


@public("torch")
def view_as_real(input: Tensor) -> Value:
    """The same memory, each number as its real and its imaginary part along a new last axis."""
    if not only_tensor("view_as_real", input).is_complex():
        fail("view_as_real is only supported for complex tensors")
    if isinstance(input, LazyView) and input._conjugates:
        raise EngineError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    view = complex_as_pairs(input)
    view._way = way_to(input).through(view_as_real)
    return view


@public("torch")
@under_autocast("single")
def view_as_complex(input: Tensor) -> Value:
    """The same memory, its last axis of pairs as complex numbers."""
    if only_tensor("view_as_complex", input)._a.dtype is BF16:
        _refuse_pairs_of(BF16)
    view = pairs_as_complex(input)
    if input._offset() % 2:
        fail("Tensor must have a storage_offset divisible by 2")
    view._way = way_to(input).through(view_as_complex)
    return view


def real(input: Tensor) -> Value:
    """The real part, a view."""
    if isinstance(input, LazyView):
        input = conj(input)
    return ops.views.select(view_as_real(input), -1, 0)


def imag(input: Tensor) -> Value:
    """The imaginary part, a view."""
    if isinstance(input, LazyView):
        return ops.views.select(negated(view_as_real(conj(input))), -1, 1)
    return ops.views.select(view_as_real(input), -1, 1)


# -- conjugates --------------------------------------------------------------------------------


def conj_physical(input: Tensor) -> Value:
    """The conjugate, in memory of its own."""
    return _conjugated(input) if only_tensor("conj_physical", input).is_complex() else input


@twin
@elementwise(node="ConjPhysicalBackward0", self=lambda g: conj_physical(g))
def _conjugated(self: Array) -> Array:
    """The conjugate, in memory of its own."""
    return np.conjugate(self)


def conj_physical_(input: Tensor) -> Value:
    """The conjugate, written in its place."""
    return write_with(_written_conjugate, input, (), {}, "conj_physical_")


@twin
@elementwise(node="ConjPhysicalBackward1", self=lambda g: conj_physical(g))
def _written_conjugate(self: Array) -> Array:
    """The conjugate, or the same real numbers."""
    return np.conjugate(self) if self.dtype.kind == "c" else self.copy()


@public("torch Tensor")
def is_conj(input: Tensor) -> bool:
    """Tell whether a tensor is the conjugate of what its memory holds."""
    x = only_tensor("is_conj", input)
    return isinstance(x, LazyView) and x._conjugates


@public("torch Tensor")
def is_neg(input: Tensor) -> bool:
    """Tell whether a tensor is the negative of what its memory holds."""
    x = only_tensor("is_neg", input)
    return isinstance(x, LazyView) and x._negates


def resolve_conj(input: Any) -> Value:
    """The tensor itself, or a clone of a conjugate that is in no memory."""
    return ops.converting.clone(input) if isinstance(input, LazyView) and input._conjugates else input


def resolve_neg(input: Any) -> Value:
    """The tensor itself, or a clone of a negative that is in no memory."""
    return ops.converting.clone(input) if isinstance(input, LazyView) and input._negates else input


# -- of two real tensors -----------------------------------------------------------------------


@twin
@elementwise(node="ComplexBackward0", real=lambda g: real_part(g), imag=lambda g: imag_part(g))
def complex_of_parts(real: Array, imag: Array) -> Array:
    """The complex numbers of these parts."""
    shape = np.broadcast_shapes(real.shape, imag.shape)
    out = np.empty(shape, np.complex64 if real.dtype.itemsize == 4 else np.complex128)
    out.real, out.imag = real, imag
    return out[()]


def real_part(g: Any) -> Value:
    """The real part, of a tensor that may be real itself."""
    return real(g) if g._a.dtype.kind == "c" else g


def imag_part(g: Any) -> Value:
    """The imaginary part, of a tensor that may be real itself."""
    return imag(g) if g._a.dtype.kind == "c" else ops.filled.zeros_like(g)


@public("torch.complex")
@given_for_out("Expected object of scalar type {found} but got scalar type {given} for argument 'out'")
def of_parts(real: Tensor, imag: Tensor) -> Value:
    """The complex tensor of a real and an imaginary part."""
    _refuse_unlike("complex", real, imag)
    return complex_of_parts(real, imag)


def _refuse_unlike(name: str, first: Any, second: Any) -> None:
    arguments = ("real", "imag") if name == "complex" else ("abs", "angle")
    for at, x in enumerate((first, second)):
        if not isinstance(x, Tensor):
            raise not_a_tensor(name, arguments[at], at + 1, x)
    a, b = (DTYPES[x._a.dtype] for x in (first, second))
    if not (a.is_floating_point and b.is_floating_point):
        fail(f"Expected both inputs to be Half, Float or Double tensors but got {a.tensor_name} and {b.tensor_name}")
    if a is not b:
        fail(f"Expected object of scalar type {a.tensor_name} but got scalar type {b.tensor_name} for second argument")
    if a.itemsize == 2:
        fail(f"{name}() of half-precision tensors is not supported")


def _by_abs_and_angle(g: Value, result: Value, wanted: list[bool]) -> list[Value]:
    g = conj(g)
    return [
        real_part(g * ops.kinked.sgn(result)) if wanted[0] else None,
        real_part(g * (result * 1j)) if wanted[1] else None,
    ]


@_complex_primitive(
    node="PolarBackward0", abs=shared, angle=shared, broadcasts=True, form="aligned",
    joint=lambda g, result, wanted: _by_abs_and_angle(g, result, wanted),
)  # fmt: skip
def polar_form(abs: Array, angle: Array) -> Array:
    """The complex numbers of these lengths and angles."""
    shape = np.broadcast_shapes(abs.shape, angle.shape)
    out = np.empty(shape, np.complex64 if abs.dtype.itemsize == 4 else np.complex128)
    out.real, out.imag = abs * np.cos(angle), abs * np.sin(angle)
    return out[()]


@public("torch")
@given_for_out("Expected object of scalar type {found} but got scalar type {given} for argument 'out'")
@under_autocast("single")
def polar(abs: Tensor, angle: Tensor) -> Value:
    """The complex tensor of lengths and angles."""
    _refuse_unlike("polar", abs, angle)
    return polar_form(abs, angle)

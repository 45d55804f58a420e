"""Copies of complex tensors, and changes between real and complex element types."""

from __future__ import annotations

import warnings
from typing import Any

from ....errors import Unsupported
from ...complex_twins import twin, twins
from ...dtypes import Array
from ...numeric.halves import converted
from ..make import converting, drawn_in_place


def narrowed(a: Array, d: Any) -> Array:
    """Complex numbers in a dtype: of a real one, their real parts."""
    if a.dtype.kind == "c" and d.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
        a = a.real
    if a.dtype.kind != "c" and d.kind == "c" and a.dtype.itemsize == 2 and a.dtype.kind == "f":
        raise Unsupported("complex numbers in half precision are not supported", help="use float() first")
    return converted(a, d)


def _converted(self: Array, dtype: Any, memory_format: str = "preserve_format") -> Array:
    if self.dtype.kind == "c" and dtype.kind not in "cb":
        return converting._copy(narrowed(self, dtype), dtype, memory_format)
    return converting._copy(self, dtype, memory_format)


twin(converting.to_copy, _converted)
twins(converting.copied)


def _drawn(self: Array, drawn: Array) -> Array:
    return drawn


twin(drawn_in_place._uniform, _drawn)
twin(drawn_in_place._normal, _drawn)

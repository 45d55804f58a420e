"""Choosing by a mask, for forwards and rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ...dtypes import DTYPES, Array
from ...numeric.halves import is_half

# As many elements are faster through bits than through branches.
_MANY = 1000

_BITS = {8: np.int64, 4: np.int32, 2: np.int16}


def pick(mask: Array, a: Array, b: Array) -> Array:
    """``a`` where the mask holds, ``b`` elsewhere."""
    r: Array = np.where(mask, a, b)
    return r if r.ndim else r[()]


def zeroed(a: Array, mask: Array) -> Array:
    """``a`` with 0 where the mask holds, whatever ``a`` is there."""
    if a.size < _MANY or a.dtype.kind != "f" or a.shape != mask.shape:
        return pick(mask, 0, a)
    # No branches: all bits or none.
    bits = _BITS[a.itemsize]
    kept = (mask.view(np.int8) - np.int8(1)).astype(bits)
    kept &= a.view(bits)
    return kept.view(a.dtype)


def refuse_bool(kernel: str, *arrays: Array) -> None:
    """There is no kernel for truth values, and no need of one where nothing is to be multiplied."""
    if all(a.dtype.kind == "b" and a.size for a in arrays):
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def refuse_integers(kernel: str, a: Array) -> None:
    """Refuse what PyTorch's kernel of that name is not made for."""
    if a.dtype.kind not in "fc":
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[a.dtype].tensor_name}'")


def refuse_halves(kernel: str, d: Any) -> None:
    """Refuse half precision, which PyTorch's kernel of that name is not made for."""
    if is_half(d):
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[d].tensor_name}'")

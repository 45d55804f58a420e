"""Hashes as a program is told them: of what is equal to none but itself, they say nothing of where it is."""

from __future__ import annotations

from types import MethodType, WrapperDescriptorType
from typing import Any

import numpy as np

from ...engine.guard.addresses import address
from ...engine.tensor import Tensor

# What is hashed by its value alone.
_VALUES = (int, float, complex, str, bytes, range, np.generic)


def hashed(value: Any) -> int:
    """Return ``hash(value)``."""
    return hash(_told(value))


def _told(value: Any) -> Any:
    """A value, or what stands for it where it would be hashed by its address."""
    if isinstance(value, _VALUES):
        return value
    if isinstance(value, Tensor):
        return address(value)
    if isinstance(value, MethodType):
        return address(value.__self__), address(value.__func__)
    own: Any = type(value).__hash__
    if own is tuple.__hash__:
        return tuple(map(_told, value))
    if own is frozenset.__hash__:
        return frozenset(map(_told, value))
    # What is written in C and holds no values hashes an address; what cannot be hashed says so itself.
    return address(value) >> 4 if isinstance(own, WrapperDescriptorType) else value

"""Writes to complex tensors, and of complex numbers to real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...complex_twins import twin, twins
from ...dtypes import Array
from ...writes import inplace
from .making_twins import narrowed


def _copy(self: Array, src: Array) -> Array:
    return np.broadcast_to(narrowed(src, self.dtype), self.shape)


def _filled(self: Array, value: Any) -> Array:
    return np.full(self.shape, value, self.dtype)


twin(inplace.copy, _copy)
twins(inplace.zero)
twin(inplace.fill_number, _filled)
twin(inplace.fill_tensor, _filled)

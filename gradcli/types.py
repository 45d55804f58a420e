"""torch.types: what programs annotate numbers, sizes and devices with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .engine.memory.places import Device as _device
from .engine.tensor import Size as Size, Tensor as Tensor

Number: TypeAlias = int | float | bool
Device: TypeAlias = _device | str | int | None
BoolLikeType: TypeAlias = bool
FloatLikeType: TypeAlias = float
IntLikeType: TypeAlias = int
FileLike: TypeAlias = Any
_int, _float, _bool, _complex, _str, _bytes = int, float, bool, complex, str, bytes
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

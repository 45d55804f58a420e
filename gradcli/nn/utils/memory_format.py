"""The weights of convolutions in another layout."""

from __future__ import annotations

from typing import Any, TypeVar

from ...errors import EngineTypeError
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

M = TypeVar("M", bound=Module)


def convert_conv2d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lay the weights of convolutions over images out in another way."""
    return _laid_out(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Lay the weights of convolutions over volumes out in another way."""
    return _laid_out(module, (Conv3d, ConvTranspose3d), memory_format)


def _laid_out(module: M, kinds: tuple[type, ...], memory_format: Any) -> M:
    if isinstance(module, kinds):
        weight: Any = module.weight
        weight.data = weight.detach().clone().contiguous(memory_format=memory_format)
    if not isinstance(module, Module):
        raise EngineTypeError(f"a module is expected, not a {type(module).__name__}")
    for child in module.children():
        _laid_out(child, kinds, memory_format)
    return module

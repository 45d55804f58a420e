"""The bytes of what a program saved: as many as PyTorch's program finds in its file."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .... import serialization
from ....engine.dtypes import dtype
from ....engine.memory.places import Device, Layout
from ....engine.tensor import Size, Tensor, View
from ....nn.parameter import Parameter
from ...guard.size_limits import caps, fits
from ...values.visible_types import word

# What is written by what it is, and no code of a class is asked.
_LEAVES = (int, float, complex, str, bool, bytes, type(None), dtype, Device, Layout, Size)
_TENSORS = (Tensor, View, Parameter)


def bytes_of(value: Any, name: str) -> bytes:
    """The bytes that torch.save() writes of a value into a file of this name."""
    data = _written(value, name)
    fits(len(data), "bytes")
    return data


def size_of(value: Any, name: str) -> int:
    """The number of these bytes, which a program may ask of more than it may hold."""
    return len(_written(value, name))


def _written(value: Any, name: str) -> bytes:
    _refuse_others(value)
    return serialization.written(value, name)


def _refuse_others(value: Any) -> None:
    """Refuse all but tensors and plain data, whose bytes depend on nothing but themselves; charge for the tensors."""
    held, seen = [value], set()
    while held:
        part = held.pop()
        kind = type(part)
        if kind in _LEAVES or id(part) in seen:
            continue
        seen.add(id(part))
        caps.tick(1)
        if kind in _TENSORS:
            caps.spend(part.numel(), part.numel())
        elif kind in (dict, OrderedDict):
            held += [*part.keys(), *part.values()]
            held += part.__dict__.values() if kind is OrderedDict else ()
        elif kind in (list, tuple, set):
            held += part
        else:
            said = f"which bytes are saved of a {word(part)} is not known here"
            raise NotImplementedError(f"{said}: save its state_dict(), or numbers, texts and tensors")

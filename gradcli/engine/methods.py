"""Ops as methods and operators of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .calls.binding import understanding
from .offers import dressed, find, names
from .tensor import Tensor

# `x += y` writes in place.
_IN_PLACE = {
    "__iadd__": "__add__",
    "__isub__": "__sub__",
    "__imul__": "__mul__",
    "__itruediv__": "__truediv__",
    "__ifloordiv__": "__floordiv__",
    "__imod__": "__mod__",
    "__ipow__": "__pow__",
    "__iand__": "__and__",
    "__ior__": "__or__",
    "__ixor__": "__xor__",
    "__ilshift__": "__lshift__",
    "__irshift__": "__rshift__",
}


def _squeeze_node(dim: Any = None) -> str:
    return "SqueezeBackward3" if dim is None else "SqueezeBackward4" if isinstance(dim, int) else "SqueezeBackward5"


# PyTorch numbers the nodes of these as overloads of the view they are the twin of.
_RESHAPES: dict[str, tuple[str, str | Callable[..., str]]] = {
    "t_": ("t", "TBackward1"),
    "transpose_": ("transpose", "TransposeBackward1"),
    "swapaxes_": ("swapaxes", "TransposeBackward1"),
    "swapdims_": ("swapdims", "TransposeBackward1"),
    "unsqueeze_": ("unsqueeze", "UnsqueezeBackward1"),
    "squeeze_": ("squeeze", _squeeze_node),
    "as_strided_": ("as_strided", "AsStridedBackward1"),
}


# What has to do with memory as such.
OF_MEMORY = ("untyped_storage", "storage", "is_set_to", "set_", "resize_", "resize_as_", "resize", "resize_as")


class Later:
    """Stands in Tensor for a method until that is first asked for, and is then replaced by it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def _found(self) -> Any:
        method = dressed(understanding(_method(self.name)), "Tensor", self.name)
        setattr(Tensor, self.name, method)
        return method

    def __get__(self, instance: Tensor | None, owner: type[Tensor]) -> Any:
        return self._found().__get__(instance, owner)

    def __set__(self, instance: Tensor, value: Any) -> None:
        method = self._found()
        if isinstance(method, property):
            method.__set__(instance, value)
        else:
            vars(instance)[self.name] = value


def _method(name: str) -> Any:
    if name in OF_MEMORY:
        from .memory.relocating import METHODS

        return METHODS[name]
    return find("Tensor", name) or _writing(name)


def _writing(name: str) -> Any:
    """The method that writes in place which no declaration offers: an operator's, or a view's."""
    from .writes.inplace import reshape_twin, twin

    if name in _RESHAPES:
        view, node = _RESHAPES[name]
        return reshape_twin(find("Tensor", view), name, node)
    return twin(find("Tensor", _IN_PLACE[name]), name)


for _name in (*names("Tensor"), *_IN_PLACE, *_RESHAPES, *OF_MEMORY):
    setattr(Tensor, _name, Later(_name))

"""Ops as methods and operators of Tensor."""

from __future__ import annotations

from typing import Any

from . import ops as ops
from .inplace import reshape_twin, twin
from .registry import PUBLIC
from .tensor import Tensor

for _name, _function in PUBLIC["Tensor"].items():
    setattr(Tensor, _name, _function)
for _name, _function in PUBLIC["Tensor_"].items():
    setattr(Tensor, _name + "_", twin(_function, _name + "_"))

# `x += y` writes in place.
for _name, _operator in {
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
}.items():
    if _operator in PUBLIC["Tensor"]:
        setattr(Tensor, _name, twin(PUBLIC["Tensor"][_operator], _name))


def _squeeze_node(dim: Any = None) -> str:
    return "SqueezeBackward3" if dim is None else "SqueezeBackward4" if isinstance(dim, int) else "SqueezeBackward5"


# PyTorch numbers the nodes of these as overloads of the view they are the twin of.
_NODES: dict[str, Any] = {
    "t": "TBackward1",
    "transpose": "TransposeBackward1",
    "swapaxes": "TransposeBackward1",
    "swapdims": "TransposeBackward1",
    "unsqueeze": "UnsqueezeBackward1",
    "squeeze": _squeeze_node,
}
for _name, _node in _NODES.items():
    if _name in PUBLIC["Tensor"]:
        setattr(Tensor, _name + "_", reshape_twin(PUBLIC["Tensor"][_name], _name + "_", _node))

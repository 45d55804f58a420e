"""Ops as methods and operators of Tensor."""

from __future__ import annotations

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

# PyTorch numbers the nodes of these as overloads of the view they are the twin of.
for _name, _node in {
    "t": "TBackward1",
    "transpose": "TransposeBackward1",
    "swapaxes": "TransposeBackward1",
    "swapdims": "TransposeBackward1",
    "unsqueeze": "UnsqueezeBackward1",
    "squeeze": "SqueezeBackward3",
}.items():
    if _name in PUBLIC["Tensor"]:
        setattr(Tensor, _name + "_", reshape_twin(PUBLIC["Tensor"][_name], _name + "_", _node))

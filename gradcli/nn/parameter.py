"""Parameters: leaf tensors that a module owns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import dtypes
from ..engine.tensor import Tensor
from ..errors import EngineError


class Parameter(Tensor):
    """A tensor that a module trains."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        made: Parameter = object.__new__(cls)
        # The parameter shares the tensor's memory, as PyTorch's does.
        made._a = np.zeros(0, dtypes.default.float) if data is None else data.detach()._memory()
        if data is not None and data.is_inference():
            made._inference, made._vc = True, data._vc
        if requires_grad:
            if not (made.is_floating_point() or made.is_complex()):
                raise EngineError("Only Tensors of floating point and complex dtype can require gradients")
            made._track(True)
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        # All is done in __new__.
        del data, requires_grad

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        twin: Parameter = memo[id(self)]
        return twin


class Buffer(Tensor):
    """A tensor that a module keeps but does not train."""

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        made: Buffer = object.__new__(cls)
        made._a = np.zeros(0, dtypes.default.float) if data is None else data.detach()._memory()
        if data is not None and data.is_inference():
            made._inference, made._vc = True, data._vc
        made.persistent = persistent
        return made

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        # All is done in __new__.
        del data, persistent

    def __repr__(self) -> str:
        return repr(self.detach())

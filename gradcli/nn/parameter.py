"""Parameters: leaf tensors that a module owns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module trains."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        made: Parameter = object.__new__(cls)
        if data is None:
            made._a = np.empty(0, np.float32)
        elif isinstance(data, Tensor):
            # The parameter shares the tensor's memory, as PyTorch's does.
            made._a = data._memory()
        else:
            made._a = Tensor(data)._a
        if requires_grad:
            made.requires_grad_()
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        # All is done in __new__.
        del data, requires_grad


class Buffer(Tensor):
    """A tensor that a module keeps but does not train."""

    persistent: bool

    def __new__(cls, data: Tensor, *, persistent: bool = True) -> Buffer:
        made: Buffer = object.__new__(cls)
        made._a = data._memory()
        made.persistent = persistent
        return made

    def __init__(self, data: Tensor, *, persistent: bool = True) -> None:
        # All is done in __new__.
        del data, persistent

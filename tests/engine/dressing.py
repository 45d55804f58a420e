"""Classes of tensors and modes: whoever imports this has calls dressed, see engine/dispatch/overriding.py."""

from __future__ import annotations

from typing import Any

import gradcli as torch
from gradcli.overrides import (
    BaseTorchFunctionMode as BaseTorchFunctionMode,
    TorchFunctionMode as TorchFunctionMode,
    handle_torch_function as handle_torch_function,
    has_torch_function as has_torch_function,
    is_tensor_like as is_tensor_like,
    resolve_name as resolve_name,
)
from gradcli.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
from gradcli.utils.checkpoint import (
    CheckpointPolicy as CheckpointPolicy,
    SelectiveCheckpointContext as SelectiveCheckpointContext,
    checkpoint as checkpoint,
    create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)


class Plain(torch.Tensor):
    """A class with nothing of its own."""


class Logged(torch.Tensor):
    """A class that notes what it is given to."""

    calls: list[str] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


class Doubled(TorchFunctionMode):
    """Sines are doubled, and calls counted."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.append(func.__name__)
        found = func(*args, **(kwargs or {}))
        return found * 2 if func is torch.sin else found

"""torch.utils._python_dispatch: blocks in which a program sees what ops are called.

They see the functions that a program calls, most of them as one op each; linear layers, parts of tensors and quotients
of numbers and tensors by the ops that PyTorch makes of them. The backward computes with arrays, and calls none.
"""

from __future__ import annotations

from typing import Any

from ..engine.overriding import (
    BaseTorchDispatchMode as BaseTorchDispatchMode,
    TorchDispatchMode as TorchDispatchMode,
    dispatch_modes,
    engage,
    no_dispatch_modes as _disable_current_modes,
)

__all__ = ["BaseTorchDispatchMode", "TorchDispatchMode", "_disable_current_modes", "is_traceable_wrapper_subclass"]

engage()


def _get_current_dispatch_mode() -> Any:
    """The innermost of the modes that the program is in, or None."""
    return next(reversed(dispatch_modes()), None)


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes that the program is in, the innermost last."""
    return list(dispatch_modes())


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Tell whether an object is a tensor that wraps others: none is."""
    return False

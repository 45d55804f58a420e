"""torch.utils._python_dispatch: blocks in which a program sees what ops are called.

They see the functions that a program calls, most of them as one op each; linear layers, parts of tensors and quotients
of numbers and tensors by the ops that PyTorch makes of them. Of a backward they see what its rules compute with.
"""

from __future__ import annotations

from typing import Any

from ..engine.dispatch.below_autograd import is_of_class
from ..engine.dispatch.overriding import (
    BaseTorchDispatchMode as BaseTorchDispatchMode,
    TorchDispatchMode as TorchDispatchMode,
    dispatch_modes,
    engage,
    no_dispatch_modes as _disable_current_modes,
)
from ..engine.tensor import Tensor

__all__ = [
    "BaseTorchDispatchMode", "TorchDispatchMode", "_disable_current_modes", "is_traceable_wrapper_subclass",
    "return_and_correct_aliasing",
]  # fmt: skip

engage()


def _get_current_dispatch_mode() -> Any:
    """The innermost of the modes that the program is in, or None."""
    return next(reversed(dispatch_modes()), None)


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes that the program is in, the innermost last."""
    return list(dispatch_modes())


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Tell whether an object is a tensor that is made of others, and says of which."""
    made_of_others = is_of_class(t) and type(t) is not Tensor
    return made_of_others and all(hasattr(t, name) for name in ("__tensor_flatten__", "__tensor_unflatten__"))


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result of an op as a class made it; of a write, what was written to."""
    name = getattr(func, "__name__", "").partition(".")[0]
    return args[0] if name.endswith("_") and not name.endswith("__") else (kwargs or {}).get("out", out)

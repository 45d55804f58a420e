"""Parameters of modules that are converted or moved: torch.__future__ says what becomes of the objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.flags import OVERWRITES, SWAPS, settings
from ...engine.memory.swapping import swap_tensors
from ...errors import EngineError
from ..parameter import Parameter, is_lazy


def change_parameter(module: Any, name: str, p: Any, change: Callable[[Any], Any]) -> None:
    """Give a parameter of a module, and its gradient, the numbers that a function makes of them."""
    if is_lazy(p):
        p.data = change(p)
        return
    new = change(p.data)
    grad = p.grad
    new_grad = None if grad is None else change(grad.data)
    if settings.get(SWAPS):
        _swapped(module, name, p, new, new_grad)
        return
    if settings.get(OVERWRITES) or new.is_meta is not p.is_meta:
        held = Parameter(new, p.requires_grad)
        module.__dict__["_parameters"][name] = held
    else:
        held = p
        # Its gradient is of another element type until it has its own.
        p.grad = None
        p.data = new
    if grad is None or new_grad is None:
        return
    if held is p:
        grad.data = new_grad
        p.grad = grad
    else:
        held.grad = new_grad.requires_grad_(grad.requires_grad)


def _swapped(module: Any, name: str, p: Any, new: Any, new_grad: Any) -> None:
    grad = p.grad
    p.grad = None
    made = Parameter(new, p.requires_grad)
    try:
        swap_tensors(p, made)
    except EngineError as error:
        raise EngineError(f"_apply(): Couldn't swap {module._get_name()}.{name}") from error
    if grad is not None and new_grad is not None:
        new_grad.requires_grad_(grad.requires_grad)
        swap_tensors(grad, new_grad)
        p.grad = grad

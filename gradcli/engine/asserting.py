"""torch._check and its kin, for Python alone: what must hold, and the error where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import (
    EngineError,
    EngineIndexError,
    EngineNotImplementedError,
    EngineTypeError,
    EngineValueError,
)  # fmt: skip
from .dtypes import bool_
from .tensor import Tensor

Message = Callable[[], object] | None

_UNSAID = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: Any, message: Message) -> None:
    """Raise an error of a class unless a condition holds; its words are asked for only then."""
    if isinstance(cond, Tensor):
        raise EngineTypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise EngineTypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise EngineTypeError("message must be a callable")
    raise error_type(_UNSAID if message is None else str(message()))


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error of a class unless all elements of a tensor hold."""
    if not isinstance(cond, Tensor):
        raise EngineTypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise EngineTypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond._a.all()), message)


def _raising(name: str, error_type: type[Exception], check: Callable[..., None]) -> Callable[..., None]:
    def of_its_error(cond: Any, message: Message = None) -> None:
        check(error_type, cond, message)

    of_its_error.__name__ = of_its_error.__qualname__ = name
    of_its_error.__doc__ = f"Raise {error_type.__bases__[-1].__name__} unless a condition holds."
    return of_its_error


CHECKS: dict[str, Callable[..., None]] = {
    "_check_with": _check_with,
    "_check_tensor_all_with": _check_tensor_all_with,
    "_check_tensor_all": _raising("_check_tensor_all", EngineError, _check_tensor_all_with),
} | {
    name: _raising(name, error_type, _check_with)
    for name, error_type in (
        ("_check", EngineError),
        ("_check_index", EngineIndexError),
        ("_check_value", EngineValueError),
        ("_check_type", EngineTypeError),
        ("_check_not_implemented", EngineNotImplementedError),
    )
}

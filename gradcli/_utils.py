"""torch._utils: errors that are handed on, and tensors laid end to end."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from .engine.call_errors import not_a_tensor
from .engine.ops.shape.joining import cat
from .engine.tensor import Tensor
from .errors import EngineTypeError


class KeyErrorMessage(str):
    """Words that a KeyError shows as they are, with their lines."""

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """An error of one place, to be raised again in another one with the lines that led to it."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        if exc_info is None:
            exc_info = sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> None:
        """Raise an error of the kind, which says where it was and how it came there."""
        words: str = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            words = KeyErrorMessage(words)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=words)
        try:
            error = self.exc_type(words)
        except Exception:
            # Its class asks for other arguments than words.
            raise RuntimeError(words) from None
        raise error


def _given(function: str, argument: str, position: int, values: Any) -> list[Tensor]:
    """The tensors of a sequence; anything else is an error in PyTorch's words."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(x, Tensor) for x in values):
        raise EngineTypeError(
            f"{function}(): argument '{argument}' (position {position}) must be tuple of Tensors, not "
            f"{type(values).__name__}"
        )
    return list(values)


def _flatten_dense_tensors(tensors: Any) -> Any:
    """The elements of several tensors in one."""
    flat = [tensor.contiguous().view(-1) for tensor in _given("flatten_dense_tensors", "tensors", 1, tensors)]
    return flat[0] if len(flat) == 1 else cat(flat)


def _unflatten_dense_tensors(flat: Any, tensors: Any) -> tuple[Any, ...]:
    """Views of the elements of a flat tensor, in the shapes of others."""
    if not isinstance(flat, Tensor):
        raise not_a_tensor("unflatten_dense_tensors", "flat", 1, flat)
    given = _given("unflatten_dense_tensors", "tensors", 2, tensors)
    sizes = [tensor.numel() for tensor in given]
    parts = flat.narrow(0, 0, sum(sizes)).split(sizes)
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, given, strict=True))

"""Numbers that a program gives as tensors without axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..tensor import Tensor


def plain_number(value: Any) -> Any:
    """The number of a tensor without axes that needs no gradient, as PyTorch reads it; any other value as it is."""
    is_number = isinstance(value, Tensor) and not value._a.ndim and not value.requires_grad
    return value.item() if is_number else value


def again_with_numbers(
    call: Callable[..., Any], args: Sequence[Any], tensors: Sequence[int], error: Exception
) -> Any:
    """Repeat a call that failed, such tensors as numbers where no tensor is asked for; the error, where none was."""
    read = [a if i in tensors else plain_number(a) for i, a in enumerate(args)]
    if all(new is old for new, old in zip(read, args, strict=True)):
        raise error
    return call(*read)

"""torch.compiler, where nothing is compiled: what it is told is heard, and programs run as they are written."""

from __future__ import annotations

from typing import Any

from .jit import compile as compile


def is_compiling() -> bool:
    """Return False: nothing is compiled."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Forget what was compiled: nothing was."""


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Decorate what is not to be compiled."""
    del recursive, reason
    return (lambda decorated: decorated) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """Give back the function, or the functions: there is no graph of a compiler that they would be in."""
    return fn


assume_constant_result = allow_in_graph

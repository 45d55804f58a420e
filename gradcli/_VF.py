"""torch._VF: the functions that PyTorch's own modules call, under the names they have there."""

from __future__ import annotations

from typing import Any

from .engine.offers import find_for_python as _find


def _add_relu(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """The sum, or 0 where it is negative."""
    return _find("torch", "relu")(_find("torch", "add")(input, other, alpha=alpha))


def _add_relu_(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """The same, written over the first operand."""
    return input.copy_(_add_relu(input, other, alpha=alpha))


def __getattr__(name: str) -> Any:
    found = _find("torch", name)
    if found is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return found

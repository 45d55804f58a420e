"""Calls under autocast: tensors are cast first, by one of three policies that functions declare."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import EngineError
from .dtypes import DTYPES, F32, F64
from .graph import LEAF
from .modes import mode
from .numeric.halves import is_half
from .tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


class Casting:
    """The wishes of a block of autocast: the element type, and what it has cast of the program's leaves."""

    def __init__(self, dtype: Any, cached: dict[int, tuple[Tensor, Tensor]] | None) -> None:
        self.dtype = dtype
        # By the id of a leaf: itself, so that the id stays its own, and the one cast of it that all calls share.
        self.cached = cached

    def cast(self, x: Any, to: Any) -> Any:
        """An argument in another element type, if it is a tensor that is cast, or a list of such."""
        if isinstance(x, (list, tuple)):
            return type(x)([self.cast(y, to) for y in x])
        if not isinstance(x, Tensor) or x._a.dtype.kind != "f" or x._a.dtype is to or x._a.dtype is F64:
            return x
        if self.cached is None or x._a.dtype is not F32 or not is_half(to) or not _is_kept(x):
            return x.to(DTYPES[to])
        if id(x) not in self.cached:
            self.cached[id(x)] = x, x.to(DTYPES[to])
        return self.cached[id(x)][1]


def _is_kept(x: Tensor) -> bool:
    """Tell whether a tensor is cast once: a leaf that gets a gradient."""
    return x._node is not None and x._node.kind == LEAF and x._base is None


def _lower(casting: Casting, args: Any) -> Any:
    return casting.dtype


def _single(casting: Casting, args: Any) -> Any:
    return F32


def _widest(casting: Casting, args: Any) -> Any:
    """Single precision where some tensor has it; two kinds of half precision have none in common."""
    if any(is_half(d) and d is not casting.dtype for d in _types(args)):
        raise EngineError("Unexpected floating ScalarType in at::autocast::prioritize")
    return F32 if any(d is F32 for d in _types(args)) else casting.dtype


def _types(args: Any) -> list[Any]:
    flat: list[Any] = []
    for x in args:
        flat += _types(x) if isinstance(x, (list, tuple)) else [x._a.dtype] if isinstance(x, Tensor) else []
    return flat


# By what functions declare: the element type that their arguments are cast to.
POLICIES: dict[str, Callable[[Casting, Any], Any]] = {"lower": _lower, "single": _single, "widest": _widest}


def cast_first(policy: str, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function with its tensors cast; what it calls itself is called as it is."""
    casting = mode.autocast
    to = POLICIES[policy](casting, (*args, *kwargs.values()))
    args = [casting.cast(x, to) for x in args]
    kwargs = {name: casting.cast(x, to) for name, x in kwargs.items()}
    mode.autocast = None
    try:
        return call(*args, **kwargs)
    finally:
        mode.autocast = casting


def under_autocast(policy: str) -> Callable[[F], F]:
    """Declare that a function casts its tensors first where autocast is on."""

    def declare(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if mode.autocast is None:
                return function(*args, **kwargs)
            return cast_first(policy, function, args, kwargs)

        return call

    return declare

"""The memory that a program has at hand when it ends: what a graph keeps of that costs nothing more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...nn.modules.module import Module
from ...spec.values.models import buffers_of, parameters_of
from ...spec.values.user_definitions import UserType
from .tensors import memory_of

_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset)
# So many values are looked through.
_MANY = 100_000


def memory_at_hand(variables: Mapping[str, Any]) -> set[Any]:
    """The memory of all tensors and arrays that variables lead to, as keys."""
    found: set[Any] = set()
    seen: set[int] = set()
    waiting: list[Any] = list(variables.values())
    while waiting and len(seen) < _MANY:
        value = waiting.pop()
        if isinstance(value, (Tensor, np.ndarray)):
            found.add(memory_of(value)[0])
        elif id(value) not in seen:
            seen.add(id(value))
            waiting += _inside(value)
    return found


def _inside(value: Any) -> Iterator[Any]:
    """The tensors that a value of a program holds."""
    if isinstance(value, (dict, *_CONTAINERS)):
        yield from held_in(value)
    elif isinstance(value, Module):
        yield from (tensor for _, tensor in (*parameters_of(value), *buffers_of(value)))
        yield from vars(value).values()
    elif isinstance(type(value), UserType):
        yield from vars(value).values()


def held_in(container: Any) -> Iterator[Any]:
    """The values in a container, of which no method of a program's own is asked."""
    if isinstance(container, dict):
        return iter(dict.values(container))
    base = next(kind for kind in _CONTAINERS if isinstance(container, kind))
    return base.__iter__(container)  # type: ignore[no-any-return]

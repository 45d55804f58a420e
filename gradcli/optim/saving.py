"""Saving the state of a schedule, and loading it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from ..errors import EngineTypeError

_NUMBERS = (bool, int, float, np.number, np.bool_, Tensor)
_LISTS = (list, tuple)
# Values of these kinds are told from each other; what is of none of them is a program's own business.
_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("a number", _NUMBERS), ("a string", (str,)), ("a list", _LISTS), ("a dict", (dict,))
)  # fmt: skip


def kept(owner: Any, aside: Iterable[str]) -> dict[str, Any]:
    """The attributes of an object in a dict of their own, but those that are put aside."""
    return {name: _copied(value) for name, value in owner.__dict__.items() if name not in aside}


def take_over(owner: Any, state: Any, aside: Iterable[str], optional: Iterable[str]) -> None:
    """Give an object the attributes that another had, where it has them too or where they are nobody else's.

    What is optional may be None.
    """
    if not isinstance(state, Mapping):
        raise EngineTypeError(f"a state dict must be a dict, not {type(state).__name__}")
    own = owner.__dict__
    for name, value in dict(state).items():
        if name in aside:
            continue
        if name in own:
            if value is not None or name not in optional:
                _check_kind(name, own[name], value)
            own[name] = _copied(value)
        elif isinstance(name, str) and not name.startswith("_") and name not in dir(type(owner)):
            own[name] = _copied(value)


def _copied(value: Any) -> Any:
    """A list or a dict of its own, of what is in another."""
    return copy(value) if type(value) in (list, dict, Counter) else value


def _check_kind(name: Any, old: Any, new: Any) -> None:
    """Refuse a value of another kind than the one that it takes the place of."""
    for word, kinds in _KINDS:
        if isinstance(old, kinds) and not isinstance(new, kinds):
            raise EngineTypeError(f"'{name}' of this state dict should be {word}, but is of type {type(new).__name__}")

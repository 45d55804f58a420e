"""Constructors that several classes share, each under the name of the class that is made."""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def own_init(cls: C) -> C:
    """Give a class its constructor as one of its own: Python's words for a wrong call name the class then."""
    shared: Any = cls
    init = shared.__init__
    own = FunctionType(init.__code__, init.__globals__, init.__name__, init.__defaults__, init.__closure__)
    own.__kwdefaults__, own.__annotations__ = init.__kwdefaults__, init.__annotations__
    own.__qualname__ = f"{cls.__name__}.__init__"
    shared.__init__ = own
    return cls

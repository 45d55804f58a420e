"""Constructors that several classes share, each under the name of the class that is made."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar

C = TypeVar("C", bound=type)


def own_init(cls: C) -> C:
    """Give a class its constructor as one of its own: Python's words for a wrong call name the class then."""
    return _own(cls, "__init__")


def own_call(cls: C) -> C:
    """Give a class its constructor, and what its calls come to, as its own."""
    return _own(own_init(cls), "forward")


def _own(cls: C, name: str) -> C:
    shared = getattr(cls, name)
    own = FunctionType(shared.__code__, shared.__globals__, name, shared.__defaults__, shared.__closure__)
    own.__kwdefaults__, own.__annotations__ = shared.__kwdefaults__, shared.__annotations__
    own.__doc__ = shared.__doc__
    own.__qualname__ = f"{cls.__name__}.{name}"
    setattr(cls, name, own)
    return cls

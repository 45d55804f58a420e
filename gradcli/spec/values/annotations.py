"""Annotations of a program: they are read only where it asks for them."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, NamedTuple

from ..guard.size_limits import caps
from .show import representation
from .user_definitions import NOTED, UserFunction, UserType

Read = Callable[[], dict[str, Any]]


class Noted(NamedTuple):
    """Two ways to read the annotations of a function or a class: as they are, or with texts read as well."""

    plain: Read
    whole: Read


def noted(owner: Any) -> Noted | None:
    """The annotations that a function or a class has itself."""
    found = owner.__dict__.get(NOTED) if isinstance(owner, (UserFunction, UserType)) else None
    return found if isinstance(found, Noted) else None


def annotations_of(owner: Any) -> dict[str, Any]:
    """The dict that a function or a class has as its `__annotations__`."""
    found = noted(owner)
    return {} if found is None else found.plain()


def get_type_hints(obj: Any, globalns: Any = None, localns: Any = None, include_extras: Any = False) -> dict[str, Any]:
    """The annotations of a function, or of a class and those that it derives from."""
    if isinstance(obj, MethodType):
        obj = obj.__func__
    if not isinstance(obj, (UserFunction, type)):
        raise TypeError(f"{representation(obj)} is not a module, class, method, or function.")
    hints: dict[str, Any] = {}
    for owner in reversed(obj.__mro__) if isinstance(obj, type) else (obj,):
        caps.tick(1)
        found = noted(owner)
        hints.update({} if found is None else found.whole())
    return {name: type(None) if hint is None else hint for name, hint in hints.items()}

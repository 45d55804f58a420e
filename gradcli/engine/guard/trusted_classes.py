"""Which classes of an object are ours: what code of ours goes by is read off those, whatever a program's class says."""

from __future__ import annotations

from typing import Any


def ours(value: Any, base: type) -> Any:
    """The nearest class of a value that derives from a base of ours and was not made by a program."""
    cls = type(value)
    # The classes of a program have a class of their own.
    if type(cls) is type:
        return cls
    for cls in type(value).__mro__:
        if type(cls) is type and issubclass(cls, base):
            return cls
    raise TypeError(f"'{type(value).__name__}' object is no {base.__name__}")


def defined(value: Any, name: str) -> Any:
    """The value of a name in the nearest class whose body has it, or None; no descriptor is asked."""
    for cls in type(value).__mro__:
        space = cls.__dict__
        if name in space:
            return space[name]
    return None

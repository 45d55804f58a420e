"""Instances of data classes that do not change once they are made."""

from __future__ import annotations

from typing import Any

from ..user_definitions import FROZEN, UserType


class FrozenInstanceError(AttributeError):
    """An attempt to change what was made not to change."""


FrozenInstanceError.__module__ = "dataclasses"


def refuse_frozen(value: Any, name: str, verb: str) -> None:
    """Refuse to change an instance of a data class that is frozen."""
    for base in type(value).__mro__:
        if FROZEN in base.__dict__ and base.__dict__[FROZEN] is True and isinstance(base, UserType):
            raise FrozenInstanceError(f"cannot {verb} field '{name}'")

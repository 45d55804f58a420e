"""Exceptions that hold others, and how `except*` takes them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...guard.limits import too_tangled
from ...guard.size_limits import DEEPEST, caps, collected, fits
from ...language.exception_marks import marks
from ...values.classes.sealed_classes import known_as, opened
from ...values.tables.table import declare
from ...values.user_definitions import MISSING, declared
from ...values.visible_types import word
from ..iteration import iterate
from .endings import is_of_kind

Chosen = Callable[[Any], bool]


class Group(Exception):
    """Several exceptions in one: what a program knows as ExceptionGroup."""

    # How many groups are inside one another, and the message with the exceptions.
    __slots__ = ("depth", "held")
    depth: int
    held: tuple[str, tuple[Any, ...]]

    def __init__(self, message: Any = MISSING, exceptions: Any = MISSING, /) -> None:
        if exceptions is MISSING:
            given = int(message is not MISSING)
            raise TypeError(f"BaseExceptionGroup.__new__() takes exactly 2 arguments ({given} given)")
        if not isinstance(message, str):
            raise TypeError(f"BaseExceptionGroup.__new__() argument 1 must be str, not {word(message)}")
        if not isinstance(exceptions, (list, tuple)):
            raise TypeError("second argument (exceptions) must be a sequence")
        held = collected(iterate(exceptions))
        if not held:
            raise ValueError("second argument (exceptions) must be a non-empty sequence")
        for place, error in enumerate(held):
            if not isinstance(error, Exception):
                raise ValueError(f"Item {place} of second argument (exceptions) is not an exception")
        super().__init__(message, exceptions)
        self.depth = 1 + max([error.depth for error in held if isinstance(error, Group)], default=0)
        if self.depth > DEEPEST:
            raise too_tangled()
        self.held = (message, tuple(held))

    def __str__(self) -> str:
        message, held = self.held
        said = f"{message} ({len(held)} sub-exception{'s' if len(held) > 1 else ''})"
        fits(len(said), "str")
        return said


known_as(Group, "ExceptionGroup", "builtins")


def _derived(group: Group, errors: list[Any]) -> Any:
    """A group like another, of some of its exceptions."""
    own = declared(type(group), "derive")
    made = Group(group.held[0], errors) if own is MISSING else caps.guarded(own)(group, errors)
    its, theirs = marks(made), marks(group)
    its.cause, its.context, its.suppressed, its.raised = theirs.cause, theirs.context, theirs.suppressed, theirs.raised
    notes = group.__dict__.get("__notes__")
    if type(notes) is list:
        made.__notes__ = list(notes)
    return made


def parted(error: Any, chosen: Chosen) -> tuple[Any, Any]:
    """The exceptions of a group that are chosen, and the others, each in groups as before; None for none."""
    caps.tick(1)
    if not isinstance(error, Group):
        return (error, None) if chosen(error) else (None, error)
    parts = [parted(inner, chosen) for inner in error.held[1]]
    sides = [[part[side] for part in parts if part[side] is not None] for side in (0, 1)]
    if not all(sides):
        return (error, None) if sides[0] else (None, error)
    return _derived(error, sides[0]), _derived(error, sides[1])


def leaves(error: Any) -> list[Any]:
    """The exceptions in a group, and in the groups that it holds."""
    caps.tick(1)
    return [leaf for inner in error.held[1] for leaf in leaves(inner)] if isinstance(error, Group) else [error]


def _condition(wanted: Any) -> Chosen:
    """The choice that split() and subgroup() make, by a kind of exceptions, several, or a function."""
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    if all(isinstance(kind, type) and issubclass(opened(kind), BaseException) for kind in kinds):
        return lambda error: any(is_of_kind(type(error), kind) for kind in kinds)
    if not callable(wanted) or isinstance(wanted, type):
        raise TypeError("expected a function, exception type or tuple of exception types")
    function = caps.guarded(wanted)
    return lambda error: bool(function(error))


def _split(self: Group, condition: Any, /) -> tuple[Any, Any]:
    return parted(self, _condition(condition))


def _subgroup(self: Group, condition: Any, /) -> Any:
    return parted(self, _condition(condition))[0]


declare(
    Group,
    base=BaseException,
    methods={"split": _split, "subgroup": _subgroup, "derive": lambda self, errors: Group(self.held[0], errors)},
    fields={"message": lambda self: self.held[0], "exceptions": lambda self: self.held[1]},
)

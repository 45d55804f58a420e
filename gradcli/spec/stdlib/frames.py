"""The frames of a running program: which of its functions called which, and what their names stand for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...errors import SpecError
from ..guard.size_limits import caps
from ..library import NAMES, is_of_library
from ..values.sealed_classes import Given, known_as
from ..values.tables.table import attributes, declare
from ..values.user_definitions import UserFunction, is_special

_CALL = UserFunction.call.__code__
# The bodies of generators run in no call.
_GENERATORS = f"{__package__.rpartition('.')[0]}.language.generators"


class CodeName(Given):
    """The code that runs in a frame, of which a program knows the name."""

    __slots__ = ("co_name",)

    def __init__(self, co_name: str) -> None:
        self.co_name = co_name


class Frame(Given):
    """A call that a program is inside of: the name of the function, its parameters, and its names."""

    __slots__ = ("arguments", "environment", "f_back", "f_code")

    def __init__(self, name: str, arguments: tuple[Any, ...], environment: dict[Any, Any], back: Frame | None) -> None:
        self.f_code, self.arguments, self.environment, self.f_back = CodeName(name), arguments, environment, back

    @property
    def f_locals(self) -> dict[str, Any]:
        """A copy of the names, as Python lists them: parameters, then all else."""
        names, rest, keywords = self.arguments
        env = self.environment
        caps.tick(len(env))
        order = dict.fromkeys((*names, rest, keywords, *env))
        return {name: env[name] for name in order if name in env and type(name) is str and not is_special(name)}

    def __repr__(self) -> str:
        return f"<frame object, code {self.f_code.co_name}>"


known_as(Frame, "frame", "builtins")
known_as(CodeName, "code", "builtins")
declare(CodeName, base=object, fields=attributes("co_name"))
declare(Frame, base=object, fields=attributes("f_back f_code f_locals"))


def _calls(frame: FrameType | None) -> Iterator[tuple[UserFunction, dict[Any, Any]]]:
    """The calls of the program's own functions that are under way, the outermost last, with their names."""
    while frame is not None:
        if frame.f_globals.get("__name__") == _GENERATORS:
            raise SpecError("inspect.currentframe() is not for generators in the spec language", code="E205")
        if frame.f_code is _CALL:
            function, env = frame.f_locals["self"], frame.f_locals.get("env")
            if env is not None and not is_of_library(function.node):
                yield function, env
        frame = frame.f_back


def _current_frame() -> Frame:
    """The frame that asks, with those that it was called from."""
    calls = list(_calls(sys._getframe(1)))
    if not calls:
        raise SpecError("inspect.currentframe() is for functions in the spec language", code="E205")
    caps.tick(len(calls))
    frame = Frame("<module>", ((), None, None), calls[0][0].machine.globals, None)
    for function, env in reversed(calls):
        takes = function.signature
        names = (*takes.positional, *takes.keyword_only)
        frame = Frame(function.__name__, (names, takes.rest, takes.keywords), env, frame)
    return frame


def caller() -> tuple[str, str | None, int]:
    """Where the program called our library: its file, the function, None for a generator, and the line."""
    frame: FrameType | None = sys._getframe(1)
    place, machine = frame, None
    name: str | None = "<module>"
    while frame is not None:
        if frame.f_globals.get("__name__") == _GENERATORS:
            name = None
            break
        if frame.f_code is _CALL:
            function = frame.f_locals["self"]
            machine = machine or function.machine
            if not is_of_library(function.node):
                name = function.__name__
                break
        frame = frame.f_back
    while machine is not None and machine.source.name in NAMES and hasattr(machine, "outer"):
        machine = machine.outer
    span = None if machine is None else machine.here(place)
    return ("", name, 0) if span is None else (span.source.name, name, span.line)


def _values_of_arguments(frame: Any, /) -> Any:
    """The names of the parameters of a frame, and all that is named in it."""
    from ..values.named_tuples import namedtuple

    if not isinstance(frame, Frame):
        raise TypeError("getargvalues() takes a frame")
    names, rest, keywords = frame.arguments
    return namedtuple("ArgInfo", "args varargs keywords locals")(list(names), rest, keywords, frame.f_locals)


def frames() -> dict[str, Any]:
    """The names of the module `inspect` that are about frames."""
    return {"currentframe": _current_frame, "getargvalues": _values_of_arguments}

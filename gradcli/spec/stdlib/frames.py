"""The frames of a running program: which of its functions called which, and what their names stand for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import FrameType
from typing import Any

from ...errors import Source, Span, SpecError
from ..guard.size_limits import caps
from ..input.parse import parsed
from ..library import is_of_library
from ..values.classes.sealed_classes import Given, known_as
from ..values.tables.table import attributes, declare
from ..values.user_definitions import UserFunction, is_special

# What runs in a frame of its own, and what the frames of those without a name are called.
_NAMELESS: dict[type, str] = {
    ast.Lambda: "<lambda>", ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CALL = UserFunction.call.__code__
# The bodies of generators run in no call.
_GENERATORS = f"{__package__.rpartition('.')[0]}.language.generators"


class CodeName(Given):
    """The code that runs in a frame, of which a program knows the name, and the file."""

    __slots__ = ("co_filename", "co_name")

    def __init__(self, co_name: str, co_filename: str = "") -> None:
        self.co_name, self.co_filename = co_name, co_filename or caps.source.name


class FrameOfError(Given):
    """A call that an error came by: the name of the function, its file, and the line that it was in."""

    __slots__ = ("f_code", "f_lineno")

    def __init__(self, code: CodeName, line: int) -> None:
        self.f_code, self.f_lineno = code, line

    def __repr__(self) -> str:
        return f"<frame object, code {self.f_code.co_name}>"


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
known_as(FrameOfError, "frame", "builtins")
known_as(CodeName, "code", "builtins")
declare(CodeName, base=object, fields=attributes("co_filename co_name"))
declare(FrameOfError, base=object, fields=attributes("f_code f_lineno"))
declare(Frame, base=object, fields=attributes("f_back f_code f_locals"))


def _calls(frame: FrameType | None) -> Iterator[tuple[UserFunction, dict[Any, Any]]]:
    """The calls of the program's own functions that are under way, the outermost last, with their names."""
    while frame is not None:
        if frame.f_globals.get("__name__") == _GENERATORS:
            raise SpecError("inspect.currentframe() is not for generators in the spec language", code="E205")
        if frame.f_code is CALL:
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


def _values_of_arguments(frame: Any, /) -> Any:
    """The names of the parameters of a frame, and all that is named in it."""
    from ..values.classes.named_tuples import namedtuple

    if not isinstance(frame, Frame):
        raise TypeError("getargvalues() takes a frame")
    names, rest, keywords = frame.arguments
    return namedtuple("ArgInfo", "args varargs keywords locals")(list(names), rest, keywords, frame.f_locals)


def place_of_call(level: int = 1) -> Span | None:
    """Where the program called what is running; ``level``: of how many calls around it, this one counted."""
    frame: FrameType | None = sys._getframe(1)
    while level > 1 and frame is not None:
        level -= frame.f_code is CALL
        frame = frame.f_back
    place: Span | None = caps.here(frame)
    return place


def caller() -> tuple[str, str, int]:
    """Where the program called what is running: the file, the function that the line is in, and the line."""
    span = place_of_call()
    return ("", "<module>", 0) if span is None else (span.source.name, function_at(*span[:3]), span.line)


@lru_cache(100)
def function_at(source: Source, line: int, column: int) -> str:
    """The name of the innermost function around a place."""
    name = "<module>"
    # What stands around another comes before it.
    for node in ast.walk(parsed(source, caps.limits)):
        if isinstance(node, _FUNCTIONS):
            end = (node.end_lineno or 0, node.end_col_offset or 0)
            if (node.lineno, node.col_offset) <= (line, column) < end:
                name = getattr(node, "name", _NAMELESS.get(type(node), ""))
    return name


def frames() -> dict[str, Any]:
    """The names of the module `inspect` that are about frames."""
    return {"currentframe": _current_frame, "getargvalues": _values_of_arguments}

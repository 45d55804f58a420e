"""The lines that led to an error, as Python's module `traceback` tells of them."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Iterable
from itertools import pairwise
from types import FrameType, TracebackType
from typing import Any

from ....errors import Source
from ....text.cells import cut
from ...guard.size_limits import caps
from ...input.parse import source_of
from ...language.exception_marks import Traceback, marks
from ...language.generators import Running
from ...language.machine import node_of
from ...library import is_of_library
from ..frames import CALL, CodeName, FrameOfError, function_at

Place = ast.expr | ast.stmt

# What begins a frame of its own, beside those.
_BEGINNINGS = (CALL, Running._resumed.__code__)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)

_LANGUAGE = node_of.__module__.rpartition(".")[0]


# Of so many calls each is told of; of more the innermost ones, and the outermost.
_TOLD = 5


def follow(error: BaseException) -> None:
    """Keep the places that an error came by, before its traceback is let go of."""
    marks(error).trail = _trail(error)


def calls(error: BaseException, source: Source) -> tuple[str, ...]:
    """The calls that led to an error, in words, the innermost first."""
    places = [node for node in _trail(error) if not isinstance(node, _COMPREHENSIONS)][::-1]
    steps = [_step(called, place, source) for called, place in pairwise(places)]
    left = len(steps) - _TOLD
    return tuple(steps if left <= 0 else [*steps[: _TOLD - 2], f"... {left + 1:,} calls more ...", steps[-1]])


def _step(called: Place, place: Place, source: Source) -> str:
    there = source_of(place, source)
    name = function_at(source_of(called, source), called.lineno, called.col_offset)
    beside = "" if there is source else f" of {there.name}"
    text = cut(there.line(place.lineno).strip(), 80, "...")
    return f"{name} was called in line {place.lineno}{beside}: {text}"


def _trail(error: BaseException) -> tuple[Place, ...]:
    """The places that an error came by, the outermost first; those of an earlier turn come after."""
    its = marks(error)
    found = _places(_down(error.__traceback__))
    if its.trail and found:
        # What goes on to be raised where it was met is no place of its own.
        anew = isinstance(found[-1], ast.Raise) and found[-1].exc is not None
        return (*found[: None if anew else -1], *its.trail)
    return its.trail if its.trail or not found else (*found[:-1], _innermost(error) or found[-1])


def _innermost(error: BaseException) -> Place | None:
    place = marks(error).place
    return place if isinstance(place, (ast.expr, ast.stmt)) else None


def _down(step: TracebackType | None) -> Iterable[FrameType]:
    while step is not None:
        yield step.tb_frame
        step = step.tb_next


def _up(frame: FrameType | None) -> Iterable[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _places(frames: Iterable[FrameType]) -> tuple[Place, ...]:
    """Where each of the program's functions is, the outermost first."""
    found: list[Place] = []
    here: Place | None = None
    for frame in frames:
        node = node_of(frame.f_locals) if frame.f_globals.get("__package__") == _LANGUAGE else None
        if isinstance(node, (ast.expr, ast.stmt)) and not is_of_library(node):
            if isinstance(node, ast.GeneratorExp):
                # Its loops are frames of their own to the host.
                begins = frame.f_locals.get("depth") == 0
            else:
                here, begins = node, isinstance(node, _COMPREHENSIONS)
        else:
            begins = frame.f_code in _BEGINNINGS
        if begins and here is not None:
            found.append(here)
            here = None
    return (*found, here) if here is not None else tuple(found)


def _shown(places: Iterable[Place], *, marked: bool = True) -> list[str]:
    """Each place with its line, in Python's words, and marks below what of it is meant."""
    shown = traceback.StackSummary()
    for node in places:
        source = source_of(node, caps.source)
        line, column = node.lineno, node.col_offset
        text = source.line(line)
        caps.tick(len(text))
        # A comprehension itself stands in the function around it.
        name = function_at(source, line, column - isinstance(node, _COMPREHENSIONS))
        more: Any = {"end_lineno": node.end_lineno, "colno": column, "end_colno": node.end_col_offset} if marked else {}
        shown.append(traceback.FrameSummary(source.name, line, name, lookup_line=False, line=f"{text}\n", **more))
    return shown.format()


def _kept(error: BaseException) -> tuple[Place, ...]:
    """The places that led to an error, none where it was never raised."""
    place = _innermost(error)
    return marks(error).trail or (() if place is None else (place,))


def _lines(error: Any, /) -> list[str]:
    """The lines that led to an error."""
    return _shown(_kept(error))


def step_of(tb: Traceback) -> dict[str, Any]:
    """The fields of a traceback."""
    places = _kept(tb.error)[tb.begin :]
    if not places:
        return {"tb_frame": FrameOfError(CodeName("<module>"), 0), "tb_lineno": 0, "tb_next": None}
    file, line, name, _ = _told_of(places[0])
    following = Traceback(tb.error, tb.begin + 1) if len(places) > 1 else None
    return {"tb_frame": FrameOfError(CodeName(name, file), line), "tb_lineno": line, "tb_next": following}


def _told_of(node: Place) -> tuple[str, int, str, str]:
    """The file, the line, the function and the text of a place."""
    source = source_of(node, caps.source)
    name = function_at(source, node.lineno, node.col_offset - isinstance(node, _COMPREHENSIONS))
    text = source.line(node.lineno)
    caps.tick(len(text))
    return source.name, node.lineno, name, text.strip()


def _steps(tb: Any, /) -> list[tuple[tuple[str, int, str, str], str]]:
    """Each call of a traceback, in its parts and as it is shown."""
    if tb is None:
        return []
    if not isinstance(tb, Traceback):
        raise TypeError("this takes a traceback")
    places = _kept(tb.error)[tb.begin :]
    return [(_told_of(node), "".join(_shown((node,)))) for node in places]


def _stack_lines() -> list[str]:
    """The lines that led to the one that is running."""
    return _shown(_places(reversed([*_up(sys._getframe(1))])), marked=False)


def trails() -> dict[str, Any]:
    """The names that the module `traceback` is made of."""
    return {"lines": _lines, "stack_lines": _stack_lines, "steps": _steps}

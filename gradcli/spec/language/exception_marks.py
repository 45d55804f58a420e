"""Notes on an exception on its way out of a program, kept where no program can name them."""

from __future__ import annotations

import ast
import sys
from typing import Any

from ...errors import GradcliError, Span
from ..library import is_of_library
from ..values.classes.sealed_classes import Given, known_as

_NAME = "__marks__"


class Marks:
    """Where an exception came about, and what there is to say of it."""

    __slots__ = ("asserted", "cause", "context", "held", "help", "instead", "mistaken", "notes", "place", "raised",
        "span", "suppressed", "trail")

    def __init__(self) -> None:
        self.place: ast.AST | None = None
        # Where that was in a text of its own: an error of the engine, caught and raised again.
        self.span: Span | None = None
        # Where each function was that led to it, the outermost first, where the program may ask for that.
        self.trail: tuple[ast.expr | ast.stmt, ...] = ()
        # The variables of the calls that it came through, where something happens once nobody holds what these hold.
        self.held: tuple[Any, ...] = ()
        self.help: str | None = None
        # The refusal that a person is told, where nothing catches it.
        self.instead: GradcliError | None = None
        # The words for a call of the host with what it cannot use.
        self.mistaken: str | None = None
        self.notes: tuple[str, ...] = ()
        # The exceptions that the program raised it from, and while it dealt with.
        self.cause: BaseException | None = None
        self.context: BaseException | None = None
        # Whether an assert failed, or the program raised it itself.
        self.asserted = self.raised = False
        # Whether it says what it was raised from, be it nothing.
        self.suppressed = False


def marks(error: BaseException) -> Marks:
    """The marks of an exception."""
    # An attribute such as error.place could be one of the program's own.
    found = error.__dict__.get(_NAME)
    if found is None:
        found = error.__dict__[_NAME] = Marks()
    made: Marks = found
    return made


def mark(error: BaseException, node: ast.AST) -> None:
    """Note where an error came about, unless that is known."""
    its = marks(error)
    if its.place is None and not is_of_library(node):
        its.place = node


class Traceback(Given):
    """The lines that led to an error, from one of the calls on."""

    __slots__ = ("begin", "error")

    def __init__(self, error: BaseException, begin: int = 0) -> None:
        self.error = error
        self.begin = begin


known_as(Traceback, "traceback", "builtins")


def traceback_of(error: BaseException) -> Traceback | None:
    """The lines that led to an error, once it was raised; None before."""
    its = marks(error)
    return None if its.place is None and its.span is None and not its.raised else Traceback(error)


def marked(node: ast.AST | None) -> tuple[type[Exception], ...]:
    """The classes to catch where an exception is only marked with its place, and raised again: all of them.

    It stands behind ``except``, where Python calls it once there is an exception; what raises none pays nothing.
    Without a node the place is left as it is.
    """
    error = sys.exception()
    if isinstance(error, Exception) and node is not None:
        mark(error, node)
    return (Exception,)


def marked_in(handled: BaseException) -> tuple[type[Exception], ...]:
    """As marked(), where an exception came about while another was dealt with; one that was raised knows that."""
    error = sys.exception()
    if isinstance(error, Exception) and error is not handled:
        its = marks(error)
        if its.context is None and not its.raised:
            its.context = handled
    return (Exception,)


def span_noted(error: BaseException) -> Span | None:
    """The place of an error that knows its place in a text."""
    if isinstance(error, GradcliError) and error.span is not None:
        return error.span
    return marks(error).span

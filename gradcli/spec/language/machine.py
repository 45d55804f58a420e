"""The state of a running program: its names, its limits, and where it is."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from ...engine.tensor import Tensor, View
from ...errors import (
    EngineTypeError,
    GradcliError,
    InputError,
    LimitError,
    OutputError,
    Source,
    Span,
    SpecError,
    Unsupported,
    raised_by_program,
)
from ..guard import limits as limits_
from ..guard.cost import Budget
from ..guard.limits import Limits
from ..guard.notes import note
from ..guard.size_limits import caps, fits
from ..input.parse import span_of
from ..input.standard_input import standard_input
from ..library import is_of_library
from ..values.classes import array_errors
from ..values.user_definitions import Namespace, UserType
from ..values.visible_types import renamed, word
from .exception_marks import marks, span_noted
from .leaving import Left

if TYPE_CHECKING:
    from .library import OwnModule
    from .rounds import Rounds
    from .tracer import Tracer

# What no program can catch: its own limits, what it may not ask for, and what happens to its host.
_NEVER_CAUGHT = (LimitError, SpecError, InputError, OutputError, Unsupported, MemoryError, RecursionError, OSError)

# What these were made with is what the program looked up, or gave back.
_OF_THE_PROGRAM = (KeyError, StopIteration)
_PLAIN = frozenset((str, int, float, bool, type(None)))
# Where the classes are at home that a program can name.
_KNOWN = (
    f"{__package__.partition('.')[0]}.", "torch.", "dataclasses", "json.decoder", "numpy.exceptions", "numpy.linalg",
)  # fmt: skip

# What the host keeps in its tensors; a program's own look-ups name no attribute so.
_OF_TENSORS = frozenset(n for cls in (Tensor, View) for n in dir(cls) if n[0] == "_" and n[:2] != "__") | {"_a"}

# As much of what an exception says as anybody reads.
_LONGEST = 10_000


class Machine:
    """One run of a program."""

    def __init__(
        self, source: Source, limits: Limits, write: Callable[[str], None], write_error: Callable[[str], None]
    ) -> None:
        self.source = source
        self.limits = limits
        self._write, self._write_error = write, write_error
        self._lines_read = 0
        # Characters that may still be printed.
        self.room = limits.output
        self.budget = Budget(limits)
        # The public name of the module of the library whose classes these are, None for those of a program.
        self.module: str | None = None
        self.globals: dict[Any, Any] = {}
        self.builtins: Mapping[str, Any] = {}
        # Whether functions are compiled that are not called: to see what the language has not.
        self.compiles_all = True
        # Whether every float32 that the program names means float64.
        self.wide = False
        self.steps = limits.steps
        self.depth = 0
        self.deepest = limits.depth
        # The exceptions being handled, the innermost last: what a bare `raise` raises again.
        self.handling: list[BaseException] = []
        # The generators that it left half-way.
        self.left = Left()
        self.tracer: Tracer | None = None
        # Counts the rounds of loops, where somebody waits for them.
        self.rounds: Rounds | None = None
        # The names of a module that is written in the spec language, of which each run has its own.
        self.library: Callable[[str], dict[Any, Any]] = lambda module: {}
        # The modules beside the program, by their names: each runs when it is first asked for.
        self.own: Mapping[str, OwnModule] = {}
        # The modules that the program imported everything of.
        self.all_of: list[Namespace] = []
        # A statement that the run has come to, and is at where nothing else tells: the first, and once all have run,
        # the last, after which only the program's values are left to be freed.
        self.last: ast.stmt | None = None

    # -- limits ----------------------------------------------------------------------------

    def enter(self) -> None:
        """Count a call of one of the program's functions."""
        self.depth += 1
        self.steps -= 1
        if self.depth > self.deepest or self.steps < 0:
            self.leave_at_limit()

    def do_last(self, act: Callable[[], Any], name: str) -> None:
        """Do what something does when nobody holds it, or hears of its errors: they are shown and passed by."""
        try:
            act()
        except BaseException as error:
            if not catchable(error):
                # It ends the program, at its next step.
                self.left.stopped, self.steps = error, -1
                return
            self.write_error(f"Exception ignored in: {name}\n{shown_error(error)}\n")

    def leave_at_limit(self) -> NoReturn:
        """Leave a call again that is one too many, or one too deep."""
        self.depth -= 1
        raise (limits_.too_deep if self.depth >= self.deepest else limits_.too_many_steps)(self.limits)

    def tick(self, n: int = 1) -> None:
        """Count steps that are taken in one go."""
        self.steps -= n
        if self.steps < 0:
            raise limits_.too_many_steps(self.limits)

    def write(self, text: str) -> None:
        """Print, unless that were more than the program may."""
        self.charge(text)
        self._write(text)

    def write_error(self, text: str) -> None:
        """Write to the standard error stream, from the same room."""
        self.charge(text)
        self._write_error(text)

    def read_line(self) -> str:
        """Read the next line of the standard input, of which each run of a program reads the same."""
        line = standard_input.line(self._lines_read)
        self._lines_read += 1
        fits(len(line), "str")
        return line

    def charge(self, text: str) -> None:
        """Count a text that the program has shown."""
        self.room -= len(text)
        if self.room < 0:
            raise limits_.too_much_output(self.limits)

    def handled(self) -> BaseException | None:
        """The exception that the program deals with, the innermost of several."""
        return self.handling[-1] if self.handling else None

    def stack(self) -> tuple[int, list[BaseException]]:
        """The number of calls, and the exceptions being handled."""
        return self.depth, [*self.handling]

    def on_stack(self, stack: tuple[int, list[BaseException]]) -> None:
        """Go on where there are those."""
        depth, handling = stack
        self.depth, self.handling = depth, [*handling]

    # -- places ----------------------------------------------------------------------------

    def span(self, error: BaseException) -> Span | None:
        """Where an error came about."""
        span = span_noted(error)
        if span is not None:
            return span
        node = marks(error).place
        return None if node is None else span_of(self.source, node)

    def here(self, frame: FrameType | None) -> Span | None:
        """Where the program is, read off the stack of its host."""
        while frame is not None:
            if frame.f_globals.get("__package__") == __package__:
                node = node_of(frame.f_locals)
                span = span_of(self.source, node) if isinstance(node, ast.AST) and not is_of_library(node) else None
                if span is not None:
                    return span
            frame = frame.f_back
        return None if self.last is None else span_of(self.source, self.last)


def node_of(variables: Mapping[str, Any]) -> Any:
    """Find the node that a function of the interpreter is at, or one of its statements, from its local variables."""
    running = variables.get("running")
    if not isinstance(running, list):
        return variables.get("node")
    return running[variables["codes"].index(variables["code"]) if "code" in variables else 0]


def catchable(error: BaseException | None) -> bool:
    """True if a program may catch an error."""
    return isinstance(error, Exception) and not isinstance(error, _NEVER_CAUGHT)


def caught_by_program() -> tuple[type[Exception], ...]:
    """The classes to catch where a program handles exceptions itself: all, or none where its run is over.

    It stands behind ``except``, where Python calls it once there is an exception. Then none of the program's own code
    is to run any more: neither its handlers nor what leaves its contexts.
    """
    return (Exception,) if catchable(sys.exception()) else ()


def presented(error: Exception) -> Exception:
    """An error as the program that catches it sees it: an exception of Python's own, without a traceback."""
    error = as_meant(error)
    if caps.follow is not None:
        caps.follow(error)
    error.__traceback__ = None
    if marks(error).instead is not None:
        note(f"{said(error)}: the program goes on without it")
    words = getattr(error, "words_of_pytorch", None)
    if words is not None and error.args != (words,):
        note(str(error).removesuffix(words).rstrip())
        error.args = (words,)
    if isinstance(error, GradcliError):
        seen = error.plain(renamed(error.message))
    elif marks(error).raised or marks(error).asserted or isinstance(type(error), UserType):
        return error
    else:
        kind = public_class(type(error))
        if kind is type(error):
            error.args = _plain(error)
            return error
        seen = kind(said(error))
    its = marks(seen)
    its.place, its.span, its.trail = marks(error).place, span_noted(error), marks(error).trail
    its.held = marks(error).held
    return seen


def as_meant(error: Exception) -> Exception:
    """An error of the host, which took something for a tensor that is none and asked it for what only those have."""
    if type(error) is not AttributeError or marks(error).raised:
        return error
    words = marks(error).mistaken
    if words is None:
        if error.name not in _OF_TENSORS:
            return error
        words = f"expected a Tensor as an argument, but got {word(error.obj)}"
    meant = EngineTypeError(words)
    marks(meant).place, marks(meant).span = marks(error).place, span_noted(error)
    return meant


def public_class(cls: type) -> type:
    """The nearest class of an exception that a program can name: libraries raise kinds of their own."""
    if (of_numpy := array_errors.seen(cls)) is not None:
        return of_numpy
    while not (cls.__module__ == "builtins" or cls.__module__.startswith(_KNOWN) or isinstance(cls, UserType)):
        cls = cls.__bases__[0]
    return cls


def _plain(error: Exception) -> tuple[Any, ...]:
    """Return the arguments of a Python exception, or its text where they are objects of the interpreter's own."""
    args = error.args
    if isinstance(error, _OF_THE_PROGRAM):
        return args
    if len(args) == 1 and type(args[0]) is str:
        return (renamed(args[0]),)
    return args if _PLAIN.issuperset(map(type, args)) else (said(error),)


def as_raised(error: Exception) -> Exception:
    """A StopIteration that passed a part of a generator, which Python had to turn into another error."""
    cause = error.__cause__
    return cause if isinstance(error, RuntimeError) and isinstance(cause, StopIteration) else error


def class_of(error: BaseException) -> type:
    """The class that a program sees of an exception."""
    if isinstance(error, Exception):
        error = as_meant(error)
    return error.plain if isinstance(error, GradcliError) else type(error)


def shown_error(error: BaseException) -> str:
    """The last line of Python's traceback for an error."""
    kind = public_class(class_of(error))
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    words = said(error)
    return f"{name}: {words}" if words else name


def said(error: BaseException) -> str:
    """Return the message of an error, which the program's own code may have to produce."""
    from ..values.show import text

    try:
        words = error.message if isinstance(error, GradcliError) else text(error)
        if not marks(error).raised:
            words = renamed(words)
    except _NEVER_CAUGHT:
        raise
    except raised_by_program():
        # As CPython has it.
        words = "<exception str() failed>"
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."

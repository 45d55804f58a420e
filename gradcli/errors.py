"""Errors that a user can cause, as data: a sentence, a place and a next step."""

from __future__ import annotations

import sys
from typing import NamedTuple


class Source(NamedTuple):
    """The text of a program and the name it is shown under."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """The text of a line, from 1 on; empty past the end."""
        # Lines end where Python's do: str.splitlines would also break at form feeds and separators.
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


class Span(NamedTuple):
    """A stretch of a source, in lines from 1 and columns in characters from 0."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int


class GradcliError(Exception):
    """Base of every error that a user can cause."""

    # The key of its long form in report/codes.py, and what a process ends with because of it.
    code = "E301"
    exit_code = 2
    # The class that a program sees of it: never one of ours, which it could derive from.
    plain: type[Exception] = RuntimeError

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        help: str | None = None,
        code: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
        self.notes = notes
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return self.message


class EngineError(GradcliError, RuntimeError):
    """An error that PyTorch raises as RuntimeError."""


class NoDerivative(EngineError):
    """The error of a backward through a function that PyTorch has no derivative of."""


class EngineTypeError(GradcliError, TypeError):
    """An error that PyTorch raises as TypeError."""

    plain = TypeError


class EngineBufferError(GradcliError, BufferError):
    """An error that PyTorch raises as BufferError."""

    plain = BufferError


class EngineValueError(GradcliError, ValueError):
    """An error that PyTorch raises as ValueError."""

    plain = ValueError


class EngineIndexError(GradcliError, IndexError):
    """An error that PyTorch raises as IndexError."""

    plain = IndexError


class EngineAttributeError(GradcliError, AttributeError):
    """An error that PyTorch raises as AttributeError."""

    plain = AttributeError


class EngineAssertionError(GradcliError, AssertionError):
    """An error that PyTorch raises as AssertionError."""

    plain = AssertionError


class EngineNotImplementedError(GradcliError, NotImplementedError):
    """An error that PyTorch raises as NotImplementedError."""

    plain = NotImplementedError


class Unsupported(GradcliError, NotImplementedError):
    """Something that PyTorch has and gradcli does not, named."""

    code = "E304"
    plain = NotImplementedError


class SpecError(GradcliError):
    """A program that cannot be read, or asks for what there is not; no program can catch it."""

    code = "E102"


class LimitError(GradcliError):
    """A program that asks for more than its limits allow; no program can catch it."""

    code = "E401"


class InputError(GradcliError):
    """A file, an input or an option that is not what it should be."""

    code = "E503"


class ProgramError(GradcliError):
    """An error that a program raised or caused and did not catch; its message begins with the class's name."""

    code = "E302"


class AssertFailed(GradcliError):
    """An assert of a program that does not hold."""

    code = "E303"
    exit_code = 1


class OutputError(GradcliError):
    """A result that could not be written."""

    code = "E506"
    exit_code = 3


# -- whose fault an exception is -------------------------------------------------------------

# What ends a command wherever it arises: nobody goes on after it.
NEVER_CAUGHT = (LimitError, MemoryError, RecursionError)

# The rooms that run a program's own code, and those that ask it for something; all others serve either.
_RUNNING = ("gradcli.spec.language", "gradcli.spec.values", "gradcli.spec.stdlib", "gradcli.spec.torch_names")
_ASKING = ("gradcli.check", "gradcli.graph", "gradcli.report", "gradcli.cli")


class NoAnswer(Exception):
    """A question about a program that has no answer: whoever asked goes on without it."""


def raised_by_program(*also: type[Exception]) -> tuple[type[Exception], ...]:
    """The classes to catch where a program's own code runs: all for an error of its own, none for a bug of ours.

    It stands behind ``except``, where Python calls it once there is an exception. ``also`` is caught whoever raised it.
    """
    error = sys.exception()
    return (Exception,) if isinstance(error, Exception) and is_of_program(error) else also


def is_of_program(error: Exception) -> bool:
    """True if an exception is the program's: its own code raised it, or an op refuses the numbers it is given.

    Only what lies between the function that catches it and the place where it arose is looked at: the innermost room
    there that runs programs, or asks them, is to blame. Code that is neither ours nor a library's is a program, too.
    """
    if isinstance(error, NEVER_CAUGHT):
        return False
    if isinstance(error, (GradcliError, NoAnswer)):
        return True
    is_own, is_in_library = False, False
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__") or ""
        first = name.partition(".")[0]
        if name.startswith(_ASKING):
            is_own, is_in_library = False, False
        elif name.startswith(_RUNNING) or not (first in ("gradcli", "numpy") or first in sys.stdlib_module_names):
            is_own = True
        else:
            is_in_library = True
        trace = trace.tb_next
    return is_own or (is_in_library and isinstance(error, _refusals()))


def _refusals() -> tuple[type[Exception], ...]:
    """The exceptions that ops and NumPy raise for numbers they cannot compute with."""
    import numpy as np

    return np.linalg.LinAlgError, np.exceptions.ComplexWarning, ArithmeticError

"""What a user can do wrong, as data: a sentence, a place and a next step."""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """The text of a program and the name it is shown under."""

    name: str
    text: str


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
    """What PyTorch raises as RuntimeError."""


class EngineTypeError(GradcliError, TypeError):
    """What PyTorch raises as TypeError."""

    plain = TypeError


class EngineValueError(GradcliError, ValueError):
    """What PyTorch raises as ValueError."""

    plain = ValueError


class EngineIndexError(GradcliError, IndexError):
    """What PyTorch raises as IndexError."""

    plain = IndexError


class EngineNotImplementedError(GradcliError, NotImplementedError):
    """What PyTorch raises as NotImplementedError."""

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

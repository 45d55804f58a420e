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

    def __init__(self, message: str, *, span: Span | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help

    def __str__(self) -> str:
        return self.message


class EngineError(GradcliError, RuntimeError):
    """What PyTorch raises as RuntimeError."""


class EngineTypeError(GradcliError, TypeError):
    """What PyTorch raises as TypeError."""


class EngineValueError(GradcliError, ValueError):
    """What PyTorch raises as ValueError."""


class EngineIndexError(GradcliError, IndexError):
    """What PyTorch raises as IndexError."""


class Unsupported(GradcliError, NotImplementedError):
    """Something that PyTorch has and gradcli does not, named."""

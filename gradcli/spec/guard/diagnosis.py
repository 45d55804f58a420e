"""Diagnostics that are ours alone: what an error says, copied while a program's limits still hold."""

from __future__ import annotations

from typing import Any

from ...errors import (
    AssertFailed,
    EngineAssertionError,
    EngineAttributeError,
    EngineBufferError,
    EngineError,
    EngineIndexError,
    EngineNotImplementedError,
    EngineTypeError,
    EngineValueError,
    GradcliError,
    ProgramError,
    Span,
)
from ..language.exception_marks import marks
from ..values.visible_types import renamed

# Errors that a program caused as any other of Python's.
ENGINE = (
    EngineAssertionError, EngineAttributeError, EngineBufferError, EngineError, EngineIndexError,
    EngineNotImplementedError, EngineTypeError, EngineValueError,
)  # fmt: skip

# As much of a text as anybody reads, and as many notes.
_LONGEST = 20_000
_NOTES = 100
_DIGITS = frozenset("0123456789")


def code_of(error: Exception) -> str:
    """The code under which an error that a program did not catch is explained."""
    if isinstance(error, NameError):
        return "E202"
    if isinstance(error, AttributeError):
        return "E203"
    return "E302" if marks(error).raised else "E301"


def copied(error: GradcliError, span: Span | None) -> GradcliError:
    """A new error that says the same in plain text, of the nearest class of ours.

    What it says of values is said as to a program: without their places, and without names of our own.
    """
    kind: type[GradcliError] = next((cls for cls in type(error).__mro__ if type(cls) is type), ProgramError)
    made = kind.__new__(kind)
    code = error.code
    known = type(code) is str and code[:1] == "E" and len(code) == 4 and _DIGITS.issuperset(code[1:])
    GradcliError.__init__(
        made,
        _text(error.message if isinstance(error, (ProgramError, AssertFailed)) else renamed(_text(error.message))),
        span=span,
        help=None if error.help is None else _text(error.help),
        code=code if known else GradcliError.code,
        notes=tuple([_text(note) for note in error.notes[:_NOTES]]),
    )
    return made


def _text(value: Any) -> str:
    """A text that is one, cut where nobody would read on."""
    words = value if type(value) is str else f"a {type(value).__name__}"
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."

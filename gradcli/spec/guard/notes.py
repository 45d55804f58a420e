"""Notes to whoever runs a program: what it asked for that is not done here, where it goes on all the same."""

from __future__ import annotations

import warnings

from ...errors import Span


class Note(UserWarning):
    """Something that is done otherwise here, or not at all; shown on stderr, once."""


def note(text: str) -> None:
    """Say it, unless it was said."""
    warnings.warn(text, Note, stacklevel=2)


def warned_at(here: Span | None, file: str, line: int) -> Span | None:
    """Where a warning was given: on a line that the program itself named, or else where it is."""
    if here is None or file != here.source.name or line == here.line:
        return here
    text = here.source.line(line)
    return Span(here.source, line, len(text) - len(text.lstrip()), line, len(text))

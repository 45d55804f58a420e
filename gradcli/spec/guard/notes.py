"""Notes to whoever runs a program: what it asked for that is not done here, where it goes on all the same."""

from __future__ import annotations

import warnings


class Note(UserWarning):
    """Something that is done otherwise here, or not at all; shown on stderr, once."""


def note(text: str) -> None:
    """Say it, unless it was said."""
    warnings.warn(text, Note, stacklevel=2)

"""The rule of colour, and of width: one for every stream."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

# What a terminal is taken for that does not say how wide it is.
_USUAL_WIDTH = 80


def is_terminal(stream: Any) -> bool:
    """Tell whether a stream is a terminal; one that is missing or closed is none."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def wants_colour(stream: Any, choice: str, environ: Mapping[str, str]) -> bool:
    """Decide about colour for a stream: ``--color``, then the environment, then what the stream is."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if environ.get("TERM") == "dumb" or environ.get("CLICOLOR") == "0":
        return False
    return is_terminal(stream)


def terminal_width(stream: Any, environ: Mapping[str, str]) -> int | None:
    """The columns of a terminal; None for what is none, where nothing wraps."""
    if not is_terminal(stream):
        return None
    told = environ.get("COLUMNS", "")
    if told.isascii() and told.isdigit() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (AttributeError, OSError, ValueError):
        return _USUAL_WIDTH

"""TOML from a stranger: read in a moment whatever is in it, and what it gets wrong told with its place."""

from __future__ import annotations

import re
from typing import Any

from ...errors import InputError, Source, Span

# No settings go as deep, and Python's reader takes time that grows with the square of it, or recursion.
_DEEPEST = 16
# Python's words can have a whole key in them.
_LONGEST = 200

# Strings and comments as wholes, an unclosed one to its end; what opens, closes and divides; and dots.
_TOKENS = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*"
    r"|[\[\]{}=,\n.]"
)


def loads(source: Source) -> dict[str, Any]:
    """The table that a text is."""
    import tomllib

    _check_depth(source)
    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:
        # A number of too many digits is no TOMLDecodeError.
        said = str(error)
        raise InputError(
            f"this is no TOML: {said[:_LONGEST]}", span=_reported(source, said), help="see https://toml.io", code="E505"
        ) from None


def _check_depth(source: Source) -> None:
    """Refuse keys of too many parts, and tables and lists too deep in one another, in one pass."""
    dots = depth = 0
    for found in re.finditer(_TOKENS, source.text, re.DOTALL):
        token = found[0]
        if token == ".":
            dots += 1
        elif token in ("[", "{"):
            depth, dots = depth + 1, 0
        elif token in ("]", "}"):
            depth, dots = max(depth - 1, 0), 0
        elif token in ("=", ",", "\n"):
            dots = 0
        if dots >= _DEEPEST or depth > _DEEPEST:
            from ...spec.input.source import span_at

            what = "a key of more than {} parts" if depth <= _DEEPEST else "lists or tables more than {} deep"
            span = span_at(source, found.start(), found.end())
            raise InputError(f"no settings have {what.format(_DEEPEST)}", span=span, code="E505")


def _reported(source: Source, message: str) -> Span | None:
    """The place that tomllib tells of in its words."""
    found = re.search(r"at line (\d+), column (\d+)", message)
    if found is None:
        return None
    line, column = int(found[1]), int(found[2]) - 1
    return Span(source, line, column, line, column + 1)

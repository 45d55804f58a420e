"""The text that a span stands for."""

from __future__ import annotations

import functools

from ...errors import Span

ELLIPSIS = "…"


def text_of(span: Span, most: int) -> str:
    """The text of a place in the source, cut after so many characters."""
    lines = _lines(span.source.text)
    here, line = "", span.line
    while line <= span.end_line and len(here) <= most:
        start = span.column if line == span.line else 0
        end = span.end_column if line == span.end_line else start + most + 1
        here += ("\n" if line > span.line else "") + lines[line - 1][start : min(end, start + most + 1)]
        line += 1
    return here if len(here) <= most else here[:most] + ELLIPSIS


@functools.lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    return text.split("\n")

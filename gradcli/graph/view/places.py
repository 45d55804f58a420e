"""The text that a span stands for, and its place in words."""

from __future__ import annotations

import functools
import os

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


def line_of(span: Span, several: bool) -> str:
    """The line of a span, with its file where there are several."""
    return f"{os.path.basename(span.source.name)}:{span.line}" if several else str(span.line)


def at_line(span: Span, several: bool) -> str:
    """The line of a span in a sentence."""
    return line_of(span, several) if several else f"line {span.line}"


def characters(line: str, octets: int) -> int:
    """A column in characters, of one in bytes, as Python's compiler counts."""
    return len(line.encode("utf-8", "surrogatepass")[:octets].decode("utf-8", "replace"))


def shown_path(path: str) -> str:
    """A path from here on, where it is below."""
    try:
        near = os.path.relpath(path)
    except ValueError:
        return path
    return path if near.startswith(os.pardir) or not os.path.exists(path) else near


@functools.lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    return text.split("\n")

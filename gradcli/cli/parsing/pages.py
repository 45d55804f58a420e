"""Pages of help: click's formatter, with our widths, and explanations below their terms where there is little room."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH = 80
# Room for an explanation beside its term; where there is less, it stands below.
LEAST = 24
# Click breaks lines at hyphens; names of options and of verdicts have some, and stay whole.
_HELD = "\u2011"


class Pages(click.HelpFormatter):
    """A page, never wider than is pleasant to read, and never narrower for a pipe."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width or page_width(), max_width)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 0, col_spacing: int = 2) -> None:
        """Write terms and explanations beside each other where there is room for these, else below."""
        rows = [(term, text.replace("-", _HELD)) for term, text in rows]
        longest = max(len(term) for term, _ in rows)
        if self.width - self.current_indent - longest - col_spacing >= LEAST:
            super().write_dl(rows, longest, col_spacing)
        else:
            super().write_dl([(term.strip(), text) for term, text in rows], self.indent_increment, col_spacing)

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _HELD))

    def write(self, string: str) -> None:
        """Add to the page."""
        super().write(string.replace(_HELD, "-"))

    def write_rows(self, title: str, rows: Iterable[tuple[str, str]]) -> None:
        """Write a section of terms and explanations, if there are any."""
        rows = list(rows)
        if rows:
            with self.section(title):
                self.write_dl(rows)


def page_width() -> int:
    """The columns of a page."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):
        columns = 0
    return min(columns or WIDTH, WIDTH)


def flow(text: str, width: int, indent: int = 0) -> list[str]:
    """A text broken at its spaces into lines that fit."""
    lines: list[str] = []
    line = " " * indent
    for word in text.split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += word + " "
    return [*lines, line.rstrip()] if line.strip() else lines


def put(text: str) -> None:
    """Write a page of ASCII; ``report.stream`` writes all else, and takes longer to import."""
    if sys.stdout is None:
        raise OSError("it is closed")
    sys.stdout.write(text)

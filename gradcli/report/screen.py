"""A stream as people see it, and the way of lines to it: by rich where there are styles or a terminal, else as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..text.cells import cells, pad
from ..text.escape import encodable
from ..text.parts import Line, Part, written
from .colour import terminal_width, wants_colour
from .stream import draws_unicode, emit

if TYPE_CHECKING:
    from rich.console import Console


# The endings of files that lines are drawn into as a terminal would show them.
PICTURES = ("svg", "html")


def picture_form(path: str) -> str | None:
    """The kind of picture that the name of a file asks for, if it is one."""
    ending = path.rpartition(".")[2].lower()
    return ending if ending in PICTURES else None


class Screen:
    """A stream for people: its width, if it is a terminal, and which colours and characters it is given."""

    def __init__(self, stream: Any, choice: str, environ: Mapping[str, str]) -> None:
        self.stream = stream
        self.width = terminal_width(stream, environ)
        self.colour = wants_colour(stream, choice, environ)
        self.ascii = not draws_unicode(stream, environ)
        self.dumb = environ.get("TERM") == "dumb"

    @property
    def styled(self) -> bool:
        """True where rich writes; what it writes elsewhere would be the same, and start later."""
        return self.stream is not None and (self.colour or self.width is not None)

    def put(self, lines: Iterable[Line]) -> None:
        """Write lines, at once."""
        lines = self._drawable(lines)
        if self.styled:
            from .console import put

            put(lines, self.console())
        else:
            emit(written(lines), self.stream)

    def put_rows(self, rows: Sequence[Line]) -> None:
        """Write a table without lines: on a terminal the last cell of a row goes on below, in a file nothing wraps."""
        rows = list(self._drawable(rows))
        if self.width is not None:
            from .console import put_rows

            put_rows(rows, self.console())
            return
        lines: list[Line] = []
        widths = [max(cells(cell.text) for cell in column) for column in zip(*rows, strict=True)]
        for row in rows:
            *before, last = row
            padded = [Part(f"{pad(x.text, width)}  ", x.style) for x, width in zip(before, widths, strict=False)]
            lines.append([*padded, last])
        self.put(lines)

    def page(self, lines: Iterable[Line]) -> None:
        """Show lines in the user's pager, on a terminal."""
        if self.width is None:
            self.put(lines)
        else:
            from .console import page

            page(self._drawable(lines), self.console())

    def _drawable(self, lines: Iterable[Line]) -> Iterable[Line]:
        """Lines in the characters that the stream is given: nobody who makes them has to think of the others."""
        if not self.ascii:
            return lines
        return ([Part(encodable(text, "ascii"), style) for text, style in line] for line in lines)

    def console(self) -> Console:
        """The console of rich's that writes here."""
        from .console import console

        return console(self.stream, colour=self.colour, width=self.width, ascii=self.ascii)

"""rich's consoles, told by our rules of colour and width, in one theme; and the pictures that rich makes of lines."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from ..text.parts import STYLES, Line, Part, plain
from .stream import attempt

THEME = Theme(STYLES)

# Room for the last cells of a table beside the others; where there is less, they stand below.
_LEAST = 30
# Where nothing wraps.
_ENDLESS = 1_000_000
# So many lines are written at a time: of a single large text it may go unnoticed that the reader left half-way.
_TOGETHER = 200

# A picture asks no server for its fonts, and no XML may hold these characters.
_SVG = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


class _Console(Console):
    """A console that does what it is told."""

    ascii = False

    @property
    def encoding(self) -> str:
        """The characters that rich itself may draw with."""
        return "ascii" if self.ascii else "utf-8"

    def on_broken_pipe(self) -> None:
        """Leave it to the caller what a closed pipe means: rich would end the process, with the code of a verdict."""
        raise

    def show_cursor(self, show: bool = True) -> bool:
        """Leave the cursor where it is seen: whoever ends the process could not bring it back."""
        return False


def console(
    stream: Any, *, colour: bool, width: int | None, ascii: bool = False, record: bool = False
) -> Console:
    """A console on a stream.

    rich's own rules differ: FORCE_COLOR=0 is colour, NO_COLOR leaves bold, and a dumb terminal has 80 columns. It is
    shown no environment, and told.
    """
    made = _Console(
        file=stream,
        force_terminal=True,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=width or _ENDLESS,
        theme=THEME,
        markup=False,
        emoji=False,
        highlight=False,
        record=record,
        _environ={},
    )
    made.ascii = ascii
    return made


def text_of(lines: Iterable[Line], colour: bool = True) -> Text:
    """Lines as rich has them: nothing in them is markup."""
    text = Text()
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        for part in line:
            text.append(part.text, part.style if colour else None)
    return text


def put(lines: Iterable[Line], on: Console) -> None:
    """Write lines as wide as they are."""
    rest = iter(lines)
    while some := list(islice(rest, _TOGETHER)):
        attempt(on.print, text_of(some, not on.no_color), soft_wrap=True)


def put_rows(rows: Sequence[Line], on: Console) -> None:
    """Write a table without lines, as wide as the console; where the last cells have no room, they stand below."""
    colour = not on.no_color
    before = max(sum(len(cell.text) + 2 for cell in row[:-1]) for row in rows)
    if on.width - before < _LEAST:
        for *names, last in rows:
            apart = [Part("  " * (k > 0) + text, style) for k, (text, style) in enumerate(names)]
            attempt(on.print, text_of([apart], colour))
            attempt(on.print, Padding(text_of([[last]], colour), (0, 0, 0, 4), expand=False))
        return
    table = Table.grid(padding=(0, 2), pad_edge=False)
    for _ in rows[0][:-1]:
        table.add_column(no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(*(text_of([[cell]], colour) for cell in row))
    attempt(on.print, table)


def page(lines: Iterable[Line], on: Console) -> None:
    """Show lines in the pager that PAGER names; less is told to leave colours alone, and to end with a short text."""
    os.environ.setdefault("LESS", "FRX")
    with on.pager(styles=not on.no_color):
        put(lines, on)


def painted(lines: Iterable[Line]) -> str:
    """Lines as a terminal would be sent them."""
    stream = io.StringIO()
    put(lines, console(stream, colour=True, width=None))
    return stream.getvalue()


def picture(lines: Iterable[Line], form: str, title: str) -> str:
    """Lines as an SVG or an HTML document."""
    shown = list(lines)
    text = text_of(shown)
    text.plain = text.plain.translate(_NO_CHARACTERS)
    width = max((Text(plain(line)).cell_len for line in shown), default=1)
    recorder = console(io.StringIO(), colour=True, width=max(width, len(title), 40), record=True)
    recorder.print(text, soft_wrap=True)
    if form == "html":
        return recorder.export_html(inline_styles=True)
    return recorder.export_svg(title=title, code_format=_SVG)

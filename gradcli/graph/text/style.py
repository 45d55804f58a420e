"""The looks of a drawing: its symbols, their ASCII twins, and lines that are cut to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...text.cells import cells, cut
from ...text.escape import encodable, harmless, one_line
from ...text.parts import Part


class Symbols(NamedTuple):
    """The signs that a drawing is made of."""

    # Below an item: beside its rows, before one of them, before the last one, and where there is none.
    beside: str
    branch: str
    last: str
    nothing: str
    again: str
    more: str
    kept: str
    times: str
    bar: str
    between: str
    ascii: bool


UNICODE = Symbols("│  ", "├─ ", "└─ ", "   ", "↩", "…", "◆", "×", "‖", " · ", False)
ASCII = Symbols("|  ", "|- ", "`- ", "   ", "^", "..", "*", "x", "|", ", ", True)


def symbols(ascii: bool, narrow: bool = False) -> Symbols:
    """The symbols of a drawing; a narrow one gives two cells to a level, not three."""
    chosen = ASCII if ascii else UNICODE
    if not narrow:
        return chosen
    cut_short = [guide[:2] for guide in chosen[:4]] if ascii else ["│ ", "├ ", "└ ", "  "]
    return chosen._replace(beside=cut_short[0], branch=cut_short[1], last=cut_short[2], nothing=cut_short[3])


def clean(text: str, ascii: bool = False) -> str:
    """Text of a program's, in one line and safe to show."""
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text
    text = harmless(one_line(text))
    return encodable(_powers(text), "ascii") if ascii and not text.isascii() else text


_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def _powers(text: str) -> str:
    """The text with ``³`` as ``^3``."""
    import re

    digits = str.maketrans(_SUPERSCRIPTS, "0123456789")
    return re.sub(f"[{_SUPERSCRIPTS}]+", lambda match: "^" + match[0].translate(digits), text)


# As many cells are left of the name of an op before anything else of its line is cut.
_LEAST = 2


def fitted(parts: Sequence[Part], soft: int, room: int, mark: str) -> list[Part]:
    """A line cut to a number of cells: first the piece that can best be missed, then from the end."""
    over = sum(cells(text) for text, _ in parts) - room
    if over <= 0:
        return list(parts)
    text, style = parts[soft]
    shorter = cut(text, max(cells(text) - over, min(_LEAST, cells(text))), mark)
    return within([*parts[:soft], Part(shorter, style), *parts[soft + 1 :]], room, mark)


def within(parts: Iterable[Part], room: int, mark: str) -> list[Part]:
    """A line cut at its end to a number of cells."""
    kept: list[Part] = []
    for part in parts:
        taken = cells(part.text)
        if taken > room:
            return [*kept, Part(cut(part.text, room, mark), part.style)]
        kept.append(part)
        room -= taken
    return kept


def flowed(pieces: Sequence[str], between: str, room: int) -> list[str]:
    """Pieces joined in as many lines as they need; a line that goes on ends where its separator does."""
    lines, line = [], ""
    for n, piece in enumerate(pieces):
        joined = piece if n == len(pieces) - 1 else piece + between
        if line and cells(line) + cells(joined.rstrip()) > room:
            lines.append(line.rstrip())
            line = ""
        line += joined
    return [*lines, line]

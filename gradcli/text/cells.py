"""The cells that text takes on a terminal, and lines cut to a number of them."""

from __future__ import annotations

from .escape import escape, harmless


def cell_count(character: str) -> int:
    """The cells of one character that can be printed: 0 for what combines, 2 for what is wide."""
    if character < "\u0300":
        return 1
    import unicodedata

    # Vowels and finals of Hangul join the syllable before them.
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells(text: str) -> int:
    """The cells of a text in one line."""
    return len(text) if text.isascii() else sum(map(cell_count, text))


def fitting(text: str, room: int) -> int:
    """Count the characters of a text that fit into so many cells."""
    if text.isascii():
        return min(len(text), room)
    for i, character in enumerate(text):
        room -= cell_count(character)
        if room < 0:
            return i
    return len(text)


def wrap(line: str, width: int | None, indent: str = "") -> list[str]:
    """A line cut at blanks to a width; what follows is indented, and nowhere begins a command of a CI runner."""
    line = harmless(line)
    if width is None:
        return [line]
    lines, before, room = [], "", width
    while (end := fitting(line, room)) < len(line):
        blank = line.rfind(" ", 0, end + 1)
        # Blanks that only indent a line are no place to cut it.
        if line[: max(blank, 0)].strip():
            lines.append(before + line[:blank].rstrip())
            line = line[blank:].lstrip(" ")
        else:
            lines.append(before + line[:end])
            line = line[end:]
        # The whole line is harmless; only here it can begin anew.
        if (rest := line.lstrip()).startswith("::"):
            line = escape(":") + rest[1:]
        before, room = indent, width - len(indent)
    return [*lines, before + line]


def cut(text: str, room: int, mark: str = "…") -> str:
    """The text, or as much of it as fits together with a mark that says that there was more."""
    if cells(text) <= room:
        return text
    if room <= len(mark):
        return mark[: max(room, 0)]
    return text[: fitting(text, room - len(mark))] + mark


def pad(text: str, width: int) -> str:
    """The text with blanks behind it, up to a number of cells."""
    return text + " " * (width - cells(text))

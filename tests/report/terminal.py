"""What a terminal makes of text: our own count of cells, and which characters act on it."""

from __future__ import annotations

import re
import unicodedata

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def bare(text: str) -> str:
    """The text without colour."""
    return ANSI.sub("", text)


def width(text: str) -> int:
    """The cells of a line."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") or "\u1160" <= c <= "\u11ff"
        else 2 if unicodedata.east_asian_width(c) in ("W", "F")
        else 1
        for c in text
    )  # fmt: skip


def acts(character: str) -> bool:
    """Whether a character changes more than its own cell, apart from ending a line."""
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or character in "\u200e\u200f\u061c\ufeff"
    )


def commands_ci(line: str) -> bool:
    """Whether a CI runner takes a line for a command."""
    return line.lstrip().startswith("::") or re.search(r"##(vso|teamcity)?\[", line, re.IGNORECASE) is not None

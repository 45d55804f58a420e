"""Lines in pieces, each with the name of its style: the same for a terminal, a file and a picture of either."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

PLAIN, FAINT, HEADING = "", "faint", "heading"
# Of graphs.
NUMBER, LEAF_NAME, VARIABLE, GRADIENT, WRONG = "number", "leaf", "variable", "gradient", "wrong"
# Of diagnostics and reports.
PLACE, BAD, DOUBTFUL, GOOD, FRAME, LABEL = "place", "bad", "doubtful", "good", "frame", "label"

# The styles in rich's words. They repeat what words and symbols say.
STYLES = {
    FAINT: "dim",
    HEADING: "bold",
    NUMBER: "cyan",
    LEAF_NAME: "bold green",
    VARIABLE: "bold",
    GRADIENT: "yellow",
    WRONG: "bold red",
    PLACE: "bold",
    BAD: "bold red",
    DOUBTFUL: "bold yellow",
    GOOD: "bold green",
    FRAME: "bold blue",
    LABEL: "bold cyan",
}


class Part(NamedTuple):
    """A piece of a line in one style."""

    text: str
    style: str = PLAIN


Line = Sequence[Part]


def plain(line: Iterable[Part]) -> str:
    """The text of a line."""
    return "".join([text for text, _ in line])


def written(lines: Iterable[Line]) -> str:
    """The text of lines, each with its end: all that is shown where there is no colour."""
    return "".join([plain(line) + "\n" for line in lines])

"""DOT's strings: any text, written so that Graphviz shows just that."""

from __future__ import annotations

from collections.abc import Iterable

from .style import clean

# Graphviz refuses a string of more than 16,384 bytes, and nobody reads as much as this.
MOST = 2000

_CUT = "…"

# Backslashes and quotes are DOT's, ampersands begin an entity of HTML.
_TEXT = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

# What no XML may hold, and so no SVG.
_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


def identifier(name: str, ending: str = "") -> str:
    """The name of a node or of a cluster; ``ending`` is there also when the name is cut.

    In a name Graphviz reads a backslash only before a quote: all are written twice, and stay so.
    """
    return '"' + (cut(_shown(name)) + ending).replace("\\", "\\\\").replace('"', '\\"') + '"'


def label(lines: Iterable[str]) -> str:
    """Lines of a label, each of them aligned to the left."""
    return '"' + _joined(lines).replace("\n", "\\l") + '\\l"'


def text(*lines: str) -> str:
    """Lines of a label in the middle of its place, or of a tooltip."""
    return '"' + _joined(lines).replace("\n", "\\n") + '"'


def html(line: str) -> str:
    """A line of text within a label of Graphviz's HTML."""
    return cut(_shown(line)).translate(_HTML)


def _joined(lines: Iterable[str]) -> str:
    return cut("\n".join(map(_shown, lines))).translate(_TEXT)


def cut(text: str) -> str:
    """A text, or as much of it as anybody reads."""
    return text if len(text) <= MOST else text[: MOST - len(_CUT)] + _CUT


def _shown(text: str) -> str:
    """A text in one line, with what is not to be seen in it escaped."""
    if text.isascii() and text.isprintable() and "##" not in text:
        return text
    return clean(text).translate(_NO_CHARACTERS)

"""DOT's strings: any text, written so that Graphviz shows just that."""

from __future__ import annotations

from ..text.style import clean

# Graphviz refuses a string of more than 16,384 bytes, and nobody reads as much as this.
MOST = 2000

_CUT = "…"

# What no XML may hold, and so no SVG.
_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


def identifier(name: str, ending: str = "") -> str:
    """The name of a node or of a cluster; ``ending`` is there also when the name is cut.

    In a name Graphviz reads a backslash only before a quote: all are written twice, and stay so. A name that begins
    with a percent sign it takes for one of its own.
    """
    words = cut(shown(name)) + ending
    return f'"{"_" * words.startswith("%")}{_quotable(words)}"'


def label(*lines: str) -> str:
    """Lines of a label, each of them aligned to the left."""
    return '"' + _joined(lines).replace("\n", "\\l") + '\\l"'


def text(*lines: str) -> str:
    """Lines of a label in the middle of its place, or of a tooltip."""
    return '"' + _joined(lines).replace("\n", "\\n") + '"'


def html(line: str) -> str:
    """A line of text within a label of Graphviz's HTML, where a backslash has to stand alone to be one."""
    words = cut(shown(line)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return words.replace("\\", "<FONT>&#92;</FONT>")


def cut(text: str) -> str:
    """A text, or as much of it as anybody reads."""
    return text if len(text) <= MOST else text[: MOST - len(_CUT)] + _CUT


def _joined(lines: tuple[str, ...]) -> str:
    # Each line is made one; an ampersand begins an entity of HTML.
    return _quotable(cut("\n".join([shown(line) for line in lines]))).replace("&", "&amp;")


def _quotable(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def shown(text: str) -> str:
    """A text in one line, with what is not to be seen in it escaped."""
    return text if text.isprintable() and "##" not in text else clean(text).translate(_NO_CHARACTERS)

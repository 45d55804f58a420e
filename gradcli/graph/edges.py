"""A view as a list of its edges, for ``sort``, ``grep`` and ``diff``."""

from __future__ import annotations

from collections.abc import Iterator

from ..text.escape import harmless
from .json import string
from .view.view import View


def lines(view: View) -> Iterator[str]:
    """``from<TAB>argument<TAB>to`` for each edge; what leads nowhere leads to ``None``."""
    for item, edge in view.edges():
        to = "None" if edge.to is None else _field(edge.to.id)
        yield harmless(f"{_field(item.id)}\t{_field(edge.argument)}\t{to}\n")


def nothing(name: str) -> Iterator[str]:
    """No edges."""
    yield from ()


def _field(text: str) -> str:
    """A text without tabs and newlines, and whatever else would not show as it is."""
    return text if text.isprintable() else string(text)[1:-1]

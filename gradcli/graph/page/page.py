"""``graph.html``: the graph of a program on a page that one opens, searches, plays and sends to others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...text.inlined import document
from ..json import lines as trace_lines
from ..view.view import View
from . import facts

# Between the two parts of the data; in JSON a line is a line of data.
_BETWEEN = "\n---\n"


def data(view: View) -> Iterator[str]:
    """All that a page tells of a view, in parts of a text."""
    yield from trace_lines(view)
    yield _BETWEEN
    yield from facts.lines(view)


def page(text: str, title: str) -> str:
    """The page of such data."""
    trace, _, more = text.partition(_BETWEEN)
    return document(Path(__file__).parent, title, trace=trace, more=more)


def to_html(view: View) -> str:
    """The page of a view."""
    return page("".join(data(view)), view.title or view.root.id)


def nothing(spec: str) -> Iterator[str]:
    """The data for a program that recorded no graph."""
    from ..json import nothing as no_trace, string

    yield from no_trace(spec)
    yield f'{_BETWEEN}{{"title":{string(spec)},"source":null,"rules":{{}},"scopes":{{}},"why":{{}},"histograms":[]}}'

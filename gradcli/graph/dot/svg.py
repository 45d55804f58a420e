"""Additions to an SVG that Graphviz leaves out: what it shows, in words, and both colour schemes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from ..numbers import length
from ..text.header import counts
from ..view.view import Item, View
from .captions import BAR, marked, title_of
from .quoting import shown
from .themes import dark_style

# So many leaves are named in a description.
_NAMED = 20

_HEAD = re.compile(r"\A.*?<svg\b([^>]*)>", re.DOTALL)
# The name of the graph as a whole would be shown wherever nothing else is.
_GRAPH_TITLE = re.compile(r'(<g id="graph0"[^>]*>\s*)<title>[^<]*</title>\s*')
# What is shown under the pointer: everywhere a node's or an edge's title, in some browsers what is told of it.
_TITLE = re.compile(r'<title>[^<]*</title>(\s*<g id="a_[^"]*"><a\b[^>]*?\bxlink:title="([^"]*)")')


def caption(view: View) -> tuple[str, str]:
    """The title and the description of a picture, for who cannot see it."""
    return title_of(view), _description(view)


def accessible(svg: str, title: str, description: str, both_schemes: bool, shades: bool = False) -> str:
    """The SVG with its title and its description; with both schemes, dark for who prefers that."""
    style = f"<style>{dark_style(shades)}</style>\n" if both_schemes else ""

    def head(match: re.Match[str]) -> str:
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg role="img" aria-labelledby="gradcli-title gradcli-desc"{match[1]}>\n'
            f'<title id="gradcli-title">{_words(title)}</title>\n'
            f'<desc id="gradcli-desc">{_words(description)}</desc>\n{style}'
        )

    return _TITLE.sub(r"<title>\2</title>\1", _GRAPH_TITLE.sub(r"\1", _HEAD.sub(head, svg, count=1)))


def _description(view: View) -> str:
    """A graph in a few sentences."""
    told = f"The graph that autograd recorded: {', '.join(counts(view))}."
    leaves = list(_gradients(view.whole))
    if leaves:
        more = f" and {len(leaves) - _NAMED} more" if len(leaves) > _NAMED else ""
        told += f" Gradients of the leaves: {', '.join(leaves[:_NAMED])}{more}."
    return told


def _gradients(view: View) -> Iterator[str]:
    for item in view.leaves():
        if item.grad is not None:
            yield f"{_name(item)} {marked(length(item.grad, BAR))}"


def _name(item: Item) -> str:
    return item.variable or item.id


def _words(text: str) -> str:
    return escape(shown(text), quote=False)

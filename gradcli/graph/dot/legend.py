"""The title of a picture and what its forms mean: the graph's own label, in Graphviz's HTML."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...text.cells import cells, cut
from ..heat import Heat, Shades
from ..text.header import counts
from ..view.view import View
from .quoting import html
from .themes import CALL, CONSTANT, DERIVED, FORMS, LEAF, OP, OUTPUT, SAVED, WRITE, Theme

_NAMES = {
    OP: "op",
    DERIVED: "dN op of the Nth derivative",
    WRITE: "write in place",
    CALL: "whole call",
    OUTPUT: "output",
    LEAF: "leaf",
    CONSTANT: "constant",
    SAVED: "saved tensor",
}
_EDGE = "at an edge: the argument"
_GRADIENT = ", the gradient along it"
_HEAT = "size of the gradient, by its logarithm: "

# Longer lines would make the picture wider than its graph.
_LONGEST = 100
# The width of a letter in points, in a title and in small print, rather more than it is; and of a swatch beside its
# letters, rather less.
_LARGE, _SMALL, _AROUND = 7.5, 4.8, 8


def legend(
    view: View, title: str, kinds: Collection[str], theme: Theme, heat: Heat | None = None, shades: Shades | None = None
) -> str:
    """The label: the title, how much there is, and the kinds of nodes that occur, as drawn; a scale of heat."""
    title = cut(title, _LONGEST)
    told = cut(" · ".join([*counts(view), *_more(view)]), _LONGEST)
    edge = _EDGE + (_GRADIENT if any(edge.grad is not None for _, edge in view.edges()) else "")
    stopped = view.whole.ungraded and cut(f"the backward stopped: {view.whole.ungraded}", _LONGEST)
    shown = [kind for kind in _NAMES if kind in kinds]
    # A line wider than the swatches would pull them apart: they are given room to its end.
    widest = max(_LARGE * cells(title), *(_SMALL * cells(text) for text in (told, edge, stopped or "")))
    room = widest - sum(_AROUND + 0.8 * _SMALL * len(_NAMES[kind]) for kind in shown)
    swatches = "".join(f"<TD>{_swatch(kind, theme)}</TD>" for kind in shown)
    if room > 0:
        swatches += f'<TD WIDTH="{round(room)}"></TD>'
    rows = [
        f'<FONT POINT-SIZE="13"><B>{html(title)}</B></FONT>',
        _small(told, theme.muted),
        f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="0"><TR>{swatches}</TR></TABLE>',
        _small(edge, theme.muted),
    ]
    if heat is not None and shades is not None:
        rows.append(_scale(heat, shades, theme))
    if stopped:
        rows.append(_small(stopped, theme.wrong))
    lines = "".join(f'<TR><TD ALIGN="LEFT">{row}</TD></TR>' for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{lines}</TABLE>>'


def _more(view: View) -> Iterator[str]:
    if view.aspect:
        yield view.aspect
    if view.truncated:
        yield f"{view.truncated} not shown"
    if view.unused:
        yield "unused: " + ", ".join(item.variable or item.id for item in view.unused)


def _small(text: str, colour: str) -> str:
    return f'<FONT COLOR="{colour}" POINT-SIZE="9">{html(text)}</FONT>'


def _scale(heat: Heat, shades: Shades, theme: Theme) -> str:
    """The shades of gradients, each with a length in it."""
    shown = [(f"{length:.2g}", shades.fills[n], shades.lines[n]) for n, length in heat.scale()]
    if heat.has_zeros:
        shown.insert(0, ("0", theme.background, theme.line))
    cells_ = "".join(
        f'<TD BORDER="1" COLOR="{line}" BGCOLOR="{fill}" CELLPADDING="4"><FONT POINT-SIZE="9">{html(text)}</FONT></TD>'
        for text, fill, line in shown
    )
    named = f"<TD>{_small(_HEAT, theme.muted)}</TD>"
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="0"><TR>{named}{cells_}</TR></TABLE>'


def _swatch(kind: str, theme: Theme) -> str:
    """A small drawing of a kind, with its name in it."""
    form, fill = FORMS[kind], theme.fills.get(kind)
    words = f'<TD><FONT POINT-SIZE="9">{_NAMES[kind]}</FONT></TD>'
    if kind == WRITE:
        # The tabs at the side of a component.
        words = f'<TD BORDER="1" COLOR="{theme.line}" SIDES="R" WIDTH="4"></TD>' + words
    border = 0 if kind == CONSTANT else 2 if "bold" in form.style else 1
    drawn = _frame(f"<TR>{words}</TR>", form.style, border, 4, theme.line, fill)
    return _frame(f"<TR><TD>{drawn}</TD></TR>", form.style, border, 1, theme.line) if form.peripheries > 1 else drawn


def _frame(rows: str, style: str, border: int, padding: int, line: str, fill: str | None = None) -> str:
    kept = [word.upper() for word in style.split(",") if word in ("rounded", "dashed")]
    look = f' STYLE="{",".join(kept)}"' if kept else ""
    look += f' BGCOLOR="{fill}"' if fill else ""
    return (
        f'<TABLE BORDER="{border}" COLOR="{line}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{padding}"{look}>'
        f"{rows}</TABLE>"
    )

"""``gradcli explain``: the long form of a code, a verdict or a kind of note, from the tables that outputs use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from ..report.codes import explanation, titles, words
from .parsing.command import Context, argument, command, pass_context
from .parsing.pages import WIDTH, flow
from .parsing.types import TEXT, proposing
from .parsing.words import did_you_mean, shown


@command(
    "explain",
    help="Explain the code of an error, or list the codes.",
    examples=(
        ("gradcli explain E201", "what it means, and what to do"),
        ("gradcli explain HIDDEN_PATH", "a verdict, or a kind of note"),
        ("gradcli explain", "all codes"),
    ),
)
@argument(
    "code",
    ("CODE", "A code as errors show it (E201), a verdict, or a kind of note."),
    type=TEXT,
    shell_complete=proposing(words()),
)
@pass_context
def explain(ctx: Context, code: str | None, color: str | None = None, **_: Any) -> None:
    """Explain one code, or list them all."""
    from ..report.screen import Screen
    from ..text.parts import HEADING, LABEL, Part

    screen = Screen(sys.stdout, color or "auto", os.environ)
    if code is None:
        screen.put([[Part("Codes:", HEADING)]])
        screen.put_rows([[Part(f"  {known}", LABEL), Part(title)] for known, title in titles().items()])
        return
    text = explanation(code.strip("[]"))
    if text is None:
        help = did_you_mean(code, words()) or "`gradcli explain` lists the codes"
        raise ctx.misuse(f"there is no error code {shown(code)}", "code", help=help)
    narrow = screen.width is not None and screen.width < WIDTH
    title, *rest = _fitted(text, screen.width or WIDTH) if narrow else text.splitlines()
    screen.put([[Part(title, HEADING)], *([Part(line)] for line in rest)])


def _fitted(text: str, width: int) -> Iterator[str]:
    """The lines of an explanation on a narrow terminal: its paragraphs fit, and programs stay as they are."""
    for number, paragraph in enumerate(text.rstrip("\n").split("\n\n")):
        if number:
            yield ""
        yield from paragraph.split("\n") if paragraph.startswith(" ") else flow(paragraph, width)

"""``gradcli docs``: the manual, chapter by chapter; it needs no network and opens nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from ..docs import ORDER, text_of, titles
from ..text.parts import FAINT, HEADING, LABEL, PLAIN, Line, Part
from .parsing.command import Context, argument, command, pass_context, switch
from .parsing.types import TEXT, proposing
from .parsing.words import did_you_mean, shown


@command(
    "docs",
    help="Show a chapter of the manual, or list the chapters.",
    examples=(
        ("gradcli docs", "the chapters"),
        ("gradcli docs language", "what a spec may be"),
        ("gradcli docs check --pager", "one in your pager"),
    ),
)
@argument("chapter", ("CHAPTER", "A name that `gradcli docs` lists."), type=TEXT, shell_complete=proposing(ORDER))
@switch("--pager", help="Show it in your pager (PAGER), on a terminal.")
@pass_context
def docs(ctx: Context, chapter: str | None, pager: bool, color: str | None) -> None:
    """Show one chapter, or list them all."""
    from ..report.screen import Screen

    screen = Screen(sys.stdout, color or "auto", os.environ)
    if chapter is None:
        screen.put([[Part("Chapters:", HEADING)]])
        screen.put_rows([[Part(f"  {name}", LABEL), Part(title)] for name, title in titles().items()])
        return
    name = chapter.lower().replace("_", "-")
    if name not in ORDER:
        help = did_you_mean(name, ORDER) or "`gradcli docs` lists the chapters"
        raise ctx.misuse(f"the manual has no chapter {shown(chapter)}", "chapter", help=help)
    lines = list(_lines(name))
    if pager:
        screen.page(lines)
    else:
        screen.put(lines)


def _lines(name: str) -> Iterator[Line]:
    """A chapter, its headings and programs in styles."""
    program = False
    for line in text_of(name).splitlines():
        fence = line.lstrip().startswith("```")
        style = FAINT if program or fence else HEADING if line.startswith("#") else PLAIN
        program ^= fence
        yield [Part(line, style)]

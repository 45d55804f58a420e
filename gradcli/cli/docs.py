"""``gradcli docs``: the manual, chapter by chapter; it needs no network and opens nothing."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator

from ..docs import FOLDER, ORDER, text_of, titles
from ..text.parts import FAINT, HEADING, LABEL, PLAIN, Line, Part
from .parsing.command import Context, argument, command, pass_context, switch
from .parsing.pages import flow
from .parsing.types import TEXT, proposing
from .parsing.words import did_you_mean, shown


@command(
    "docs",
    help="Show a chapter of the manual, or list the chapters.",
    examples=(
        ("gradcli docs", "the chapters"),
        ("gradcli docs language", "what a spec may be"),
        ("gradcli docs check --pager", "one in your pager"),
        ("gradcli docs --html > manual.html", "all of it as one page"),
    ),
)
@argument("chapter", ("CHAPTER", "A name that `gradcli docs` lists."), type=TEXT, shell_complete=proposing(ORDER))
@switch("--pager", help="Show it in your pager (PAGER), on a terminal.")
@switch("--html", help="Write the whole manual as one HTML page, which needs no network.")
@pass_context
def docs(ctx: Context, chapter: str | None, pager: bool, html: bool, color: str | None) -> None:
    """Show one chapter, or list them all; or write the whole manual as a page."""
    from ..report.screen import Screen

    if html:
        if chapter is not None or pager:
            key = "chapter" if chapter is not None else "pager"
            raise ctx.misuse("--html writes the whole manual", key, help="leave the rest out")
        from ..report.stream import emit

        # The same bytes everywhere, whatever the locale.
        emit(_page(), getattr(sys.stdout, "buffer", sys.stdout))
        return
    screen = Screen(sys.stdout, color or "auto", os.environ)
    if chapter is None:
        screen.put([[Part("Chapters:", HEADING)]])
        screen.put_rows([[Part(f"  {name}", LABEL), Part(title)] for name, title in titles().items()])
        return
    name = chapter.lower().replace("_", "-")
    if name not in ORDER:
        help = did_you_mean(name, ORDER) or "`gradcli docs` lists the chapters"
        raise ctx.misuse(f"the manual has no chapter {shown(chapter)}", "chapter", help=help)
    text = text_of(name).splitlines()
    lines = list(_styled(text if screen.width is None else _fitted(text, min(screen.width, _WIDEST))))
    if pager:
        screen.page(lines)
    else:
        screen.put(lines)


def _styled(text: Iterable[str]) -> Iterator[Line]:
    """The lines of a chapter, its headings and programs in styles."""
    program = False
    for line in text:
        fence = line.lstrip().startswith("```")
        style = FAINT if program or fence else HEADING if line.startswith("#") else PLAIN
        program ^= fence
        yield [Part(line, style)]


def _fitted(text: list[str], width: int) -> Iterator[str]:
    """The lines of a chapter on a terminal: its prose and its tables fit, and programs stay as they are."""
    for kind, lines in _blocks(text):
        if kind == _TABLE and max(map(len, lines)) > width:
            yield from _stacked(lines, width)
        elif kind == _PROSE:
            mark = _ITEM.match(lines[0])
            indent = mark.end() if mark else 0
            first, *rest = flow(" ".join(lines)[indent:], width, indent)
            yield lines[0][:indent] + first[indent:]
            yield from rest
        else:
            yield from lines


_PROSE, _TABLE, _AS_IT_IS = range(3)
# As wide as the chapters are written.
_WIDEST = 120
_ITEM = re.compile(r" *(\* |\d+\. )")


def _blocks(text: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Paragraphs, items and tables, each with its lines; each line of a program alone."""
    kind, block, program = _AS_IT_IS, list[str](), False
    for line in text:
        fence = line.lstrip().startswith("```")
        fixed = program or fence or not line.strip() or line.startswith("#")
        found = _AS_IT_IS if fixed else _TABLE if line.startswith("|") else _PROSE
        program ^= fence
        if block and (found != kind or kind == _AS_IT_IS or (kind == _PROSE and _ITEM.match(line))):
            yield kind, block
            block = []
        kind = found
        block.append(line)
    yield kind, block


def _stacked(table: list[str], width: int) -> Iterator[str]:
    """A table with the cells of a row below each other."""
    # A bar behind a backslash is one of a cell's own.
    head, _, *rows = ([x.strip().replace("\\|", "|") for x in re.split(r"(?<!\\)\|", row)[1:-1]] for row in table)
    for first, *rest in rows:
        yield from flow(first, width)
        for title, cell in zip(head[1:], rest, strict=True):
            said = f"{title}: {cell}" if title and len(rest) > 1 else cell
            yield from flow(said if cell else "", width, 4)


def _page() -> str:
    """The whole manual as HTML, its chapters in the order of reading."""
    from ..text.inlined import document
    from ..text.markdown import inline, to_html

    names = titles()
    links = (f'<a href="#{name}">{inline(title, _link)}</a>' for name, title in names.items())
    entries = "".join(f"<li>{link}</li>" for link in links)
    chapters = [f'<section id="{name}">\n{to_html(text_of(name), f"{name}-", _link)}\n</section>' for name in names]
    body = [f'<nav aria-label="Chapters"><ul>{entries}</ul></nav>', "<main>", *chapters, "</main>"]
    return document(FOLDER, "gradcli: the manual", body="\n".join(body))


def _link(address: str) -> str | None:
    """The place of an address in the page; what lies elsewhere in the repository has none."""
    if address.startswith("https://"):
        return address
    file, _, heading = address.partition("#")
    name = file.removesuffix(".md").replace("_", "-")
    if name not in ORDER:
        return None
    return f"#{name}-{heading}" if heading else f"#{name}"

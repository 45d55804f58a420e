"""The Markdown of the manual as HTML: headings, paragraphs, lists, tables, programs, links; nothing else is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

# Where a link leads, by the address that Markdown has for it; None where it leads out of what is shown.
Link = Callable[[str], str | None]

_ITEM = r"(\* |\d+\. )"


def to_html(text: str, prefix: str, link: Link) -> str:
    """A text as HTML; ``prefix`` begins the addresses of its headings."""
    return "\n".join(_blocks(text.splitlines(), prefix, link))


def slug(title: str) -> str:
    """The address of a heading, as code hosts make it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _blocks(lines: list[str], prefix: str, link: Link) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith("```"):
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            program = escape("\n".join(lines[at + 1 : end]))
            yield f"<pre><code>{program}</code></pre>"
            end += 1
        elif line.startswith("#"):
            marks, _, title = line.partition(" ")
            level = len(marks)
            yield f'<h{level} id="{prefix}{slug(title) if level > 1 else ""}">{inline(title, link)}</h{level}>'
        elif re.match(_ITEM, line):
            while end < len(lines) and _goes_on(lines, end):
                end += 1
            tag = "ul" if line.startswith("*") else "ol"
            yield f"<{tag}>{''.join(_items(lines[at:end], prefix, link))}</{tag}>"
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            yield f"<div><table>{''.join(_rows(lines[at:end], link))}</table></div>"
        elif line.strip() and not line.startswith("<!--"):
            while end < len(lines) and lines[end].strip() and not re.match(rf"```|#+ |{_ITEM}|\|", lines[end]):
                end += 1
            yield f"<p>{inline(' '.join(map(str.strip, lines[at:end])), link)}</p>"
        at = end


def _goes_on(lines: list[str], at: int) -> bool:
    """Tell whether a line is of the list that the lines before it are of."""
    if lines[at].strip():
        return lines[at].startswith("  ") or re.match(_ITEM, lines[at]) is not None
    return at + 1 < len(lines) and lines[at + 1].startswith("  ")


def _items(lines: list[str], prefix: str, link: Link) -> Iterator[str]:
    """The items of a list, each of as many blocks as it has."""
    starts = [at for at, line in enumerate(lines) if re.match(_ITEM, line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        mark = re.match(_ITEM, lines[start])
        assert mark is not None
        inside = [line[len(mark[0]) :] for line in lines[start:end]]
        yield f"<li>{to_html(chr(10).join(inside), prefix, link)}</li>"


def _rows(lines: list[str], link: Link) -> Iterator[str]:
    head, _, *rows = lines
    for tag, line in [("th", head), *(("td", row) for row in rows)]:
        # A bar behind a backslash is one of a cell's own.
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        yield f"<tr>{''.join(f'<{tag}>{inline(cell.strip(), link)}</{tag}>' for cell in cells)}</tr>"


def inline(text: str, link: Link) -> str:
    """A line as HTML, with its code, links and emphasis; in code nothing is a mark."""
    pieces = re.split(r"(``.+?``|`[^`]+`)", text)
    for number, piece in enumerate(pieces):
        if number % 2:
            pieces[number] = f"<code>{escape(piece.strip('`'))}</code>".replace("\\|", "|")
        else:
            shown = escape(piece).replace("\\|", "|")
            pieces[number] = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", shown)
    return re.sub(r"\[([^\]]*)\]\(([^)\s]*)\)", lambda found: _link(found[1], found[2], link), "".join(pieces))


def _link(shown: str, address: str, link: Link) -> str:
    target = link(address)
    return shown if target is None else f'<a href="{target}">{shown}</a>'

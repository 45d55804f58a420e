"""The differences of two graphs as a page: every node of both in forward order, in two colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ...text.escape import harmless, one_line
from ...text.inlined import document
from .compare import Comparison
from .merged import Both, merged
from .text import SIGNS, both_ways, summary


def to_html(names: Sequence[str], found: Comparison) -> str:
    """The page, which needs no script and no network."""
    old, new = (_words(name) for name in names)
    rows = [row for each in merged(found) for row in _rows(each)]
    body = f"""\
<h1><span class="went">{old}</span> → <span class="came">{new}</span></h1>
<p>{escape(summary(found))}</p>
<input type="checkbox" id="all"><label for="all"> Show what is alike, too</label>
<table>
<thead><tr><th scope="col"></th><th scope="col">Node</th><th scope="col">Op</th><th scope="col">What</th>\
<th scope="col">Before</th><th scope="col">After</th><th scope="col" class="line">Line</th></tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody>
</table>"""
    return document(Path(__file__).parent / "page", " → ".join(names), body=body)


def _rows(each: Both) -> Iterator[str]:
    """A row of a node, and one more for each further difference."""
    sign = SIGNS[each.state][0] if each.state in SIGNS else ""
    name, op = _words(each.node.get("variable") or each.node["id"]), _words(each.node["name"])
    source = each.node.get("source")
    line = str(source["line"]) if isinstance(source, dict) and "line" in source else ""
    first = [sign, name, op]
    told: list[tuple[str, ...]] = [(one.what, *both_ways(one)) for one in each.differences]
    for what, before, after in told or [("", "", "")]:
        cells = [*first, what, f"<del>{_words(before)}</del>", f"<ins>{_words(after)}</ins>"]
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        yield f'<tr class="{each.state}">{row}<td class="line">{escape(line)}</td></tr>'
        first, line = ["", "", ""], ""


def _words(text: str) -> str:
    return escape(harmless(one_line(text)))

"""Text of a stranger's in every place of every output: nothing of it acts on a terminal, a CI runner or a reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from xml.etree import ElementTree

from gradcli.check.judging.findings import Culprit
from gradcli.errors import InputError, Source, Span
from gradcli.graph import edges, json as graph_json
from gradcli.graph.ask.why import explained
from gradcli.graph.dot.document import to_dot
from gradcli.graph.dot.svg import accessible, caption
from gradcli.graph.mermaid import to_mermaid
from gradcli.graph.text.tree import render as tree
from gradcli.graph.view.view import View
from gradcli.report.check import document
from gradcli.report.check.outcome import Outcome
from gradcli.report.check.text import Look, spec_lines
from gradcli.report.diagnostic import render, render_warning
from gradcli.report.formats import FORMATS
from gradcli.text.parts import written
from gradcli.verdicts import Note, NoteKind

from ..graph import views
from ..rings import all_of
from . import findings

TEXTS = [
    "::error::x", "a\n::error::x", "a\r::add-mask::x", " \t::group::x", "\x0b::error::x", "\x85::error::x",
    "\u2028::error::x", "\xa0::error::x", "\u3000::error::x", "\ufeff::error::x", "##[error]x", "a##[group]x",
    "##vso[task.setvariable variable=x]y", "##VSO[x]", "##teamcity[buildStop]", "###[error]x", "# ##[x]", "::##[x]",
    "\x1b[31mx", "\x1b]0;x\x07", "\x9b31mx", "\x90x\x9c", "\x00", "\x08x", "\x7fx", "a\rb", "\u202ex",
    "\u2066x", "\u200fx", "\u061cx", "]]>", "</script><script>x", "--><!-- x", "\ud800", "\udcffx", "\ufeffx", "`x`",
    "```\n::error::x", "a::error::\x1b[2J", "a\x1b\n##[x]\u202e::", "'\"::error", "x\n\t ##vso[a]", "%0A::error::x",
    "&#10;::error::x",
]  # fmt: skip

# What a terminal acts on; lines end with a newline, and a tab is one.
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
# What GitHub, Azure and TeamCity act on: the first at the start of a line, trimmed as .NET does.
COMMAND = re.compile(r"(?im)^\s*::|##(?:vso|teamcity)?\[")


def quiet(output: str) -> None:
    """Nothing in an output acts."""
    assert not ACTIVE.search(output), ascii(output)
    assert not COMMAND.search(output), ascii(output)


def graph(text: str) -> View:
    leaf, const = views.leaf(text, 1.0, 1.0, line=1), views.const(text, 2.0, line=2)
    arguments = ((text, leaf, 1.0), (text, const), (text, None))
    root = views.op(text, *arguments, value=3.0, grad=1.0, variable=text, label=text)
    views.keeps(root, **{text: (text, 8)})
    root.span, root.detached, root.id = views.place(3, text.replace("\n", " ")), (text, None), text
    shown = views.view(root, title=text, name=text)
    shown.spec = text
    return shown


def checked(text: str) -> list[Outcome]:
    """Outcomes with the text in every place."""
    span = Span(Source(text, f"{text}\n{text}\n"), 1, 0, 1, len(text))
    wrong = findings.wrong(
        span=span,
        notes=[Note(NoteKind.HOOK, text)],
        signature=text,
        node=Culprit(text, text, span, applied=findings.APPLIED),
    )
    wrong.output = wrong.input = text
    right = findings.right(output=text, input=text, notes=[Note(NoteKind.HOOK, text)])
    failed = InputError(text, span=span, help=text, notes=(text,))
    placeless = InputError(text, help=text)
    return [
        findings.outcome(wrong, name=text, notes=[Note(NoteKind.HOOK, text)], again=(text, text)),
        findings.outcome(right, name=text, notes=[Note(NoteKind.HOOK, text)]),
        findings.outcome(name=text, failure=failed),
        findings.outcome(name=f"{text}.py", failure=placeless),
    ]


GRAPHS: dict[str, Callable[[View], str]] = {
    "tree": lambda view: written(tree(view, saved=True)),
    "ascii tree": lambda view: written(tree(view, ascii=True, layout="list")),
    "narrow tree": lambda view: written(tree(view, width=30)),
    "why": lambda view: written(explained(view, next(iter(view.leaves())).variable or "")),
    "json": graph_json.to_json,
    "no graph": lambda view: "".join(graph_json.nothing(view.spec or "")),
    "edges": lambda view: "".join(edges.lines(view)),
    "mermaid": to_mermaid,
    "dot": lambda view: to_dot(view, show_saved=True, show_attrs=True, tooltips=True, link="spec.py"),
    "svg": lambda view: accessible('<?xml version="1.0"?>\n<svg x="1">\n</svg>', *caption(view), True),
}  # fmt: skip


@all_of(product(GRAPHS, TEXTS))
def test_graphs(case: tuple[str, str]) -> None:
    form, text = case
    written = GRAPHS[form](graph(text))
    quiet(written)
    if form == "svg":
        ElementTree.fromstring(written)
        assert "<script" not in written
    if form in ("json", "no graph"):
        # It is still all there.
        assert json.loads(written)["spec"] == text


@all_of(product(FORMATS, TEXTS))
def test_reports(case: tuple[str, str]) -> None:
    form, text = case
    outcomes = checked(text)
    written = document(form, outcomes)
    if form == "github":
        # Commands, but only its own.
        lines = written.splitlines()
        assert len(lines) == 4
        for line in lines[:-1]:
            own, _, rest = line.partition(" ")
            assert own in ("::error", "::warning")
            title, data = re.fullmatch(r"(.*?)::(.*)", rest).groups()  # type: ignore[union-attr]
            assert re.fullmatch(r"[^:\n\r]*title=\w+", title)
            quiet(data.replace("%25", "%"))
            # A message may begin as a command does: behind another it is none.
        assert not ACTIVE.search(written)
        assert "##[" not in written
        return
    quiet(written)
    if form in ("json", "sarif"):
        json.loads(written)
    elif form == "jsonl":
        assert len([json.loads(line) for line in written.splitlines()]) == 5
    elif form == "junit":
        ElementTree.fromstring(written)
        assert "]]>" not in written
        assert "<script" not in written
    elif form == "markdown":
        assert "<script" not in re.sub(r"\\<|`[^`\n]*`", "", re.sub(r"(?s)```sh\n.*?\n```\n", "", written))
        assert written.count("\n```") == 2


@all_of(product([Look(), Look(width=40, detail=2), Look(ascii=True, detail=1)], TEXTS))
def test_lines_of_a_check(case: tuple[Look, str]) -> None:
    look, text = case
    for outcome in checked(text):
        quiet(written(spec_lines(outcome, look)))


@all_of(product(TEXTS, [None, 20, 80], [False, True]))
def test_diagnostics(case: tuple[str, int | None, bool]) -> None:
    text, width, ascii = case
    error = InputError(text, span=Span(Source(text, f"{text}\n{text}"), 1, 0, 1, 3), help=text, notes=(text, text))
    quiet(render(error, width=width, ascii=ascii))
    quiet(render(InputError(text, help=text), of=text, width=width, ascii=ascii))
    quiet(render_warning(text, error.span, ascii=ascii))
    quiet(render_warning(text, None, ascii=ascii))

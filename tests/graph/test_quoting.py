"""Any text reaches Graphviz, and comes back from it, as it is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pydot
import pytest
from hypothesis import given, settings, strategies as st

from gradcli.graph.dot import quoting
from tests.rings import examples, sampled

from .graphviz import name, needs_dot, read, run

# What DOT, HTML, XML, pydot, terminals and CI runners each have a use for.
HOSTILE = [
    "", "a:b", "node", "edge", "graph", "digraph", "subgraph", "strict", "a\\", "\\", '"', '\\"', 'a\\"b', "<b>x</b>",
    "<", "&lt;", "&#8617;", "&amp;amp;", "\\N \\G \\L \\E \\T \\H", "\\l", "\\n", '"pre"', "a -> b", "a;b", "{|}", "]",
    "[", "#", "//", "/* x */", "é", "名前", "\U0001f600", "e\u0301", "a  b", " a ", "x" * 5000, "\\" * 5000,
    '"' * 20000, "%s",
]  # fmt: skip
# What is not to be seen is shown by its code.
UNSEEN = [
    ("a\nb", "a\\nb"), ("a\tb", "a\\tb"), ("a\x00b", "a\\x00b"), ("\x1b[31m", "\\x1b[31m"), ("\r", "\\x0d"),
    ("\u202ereversed", "\\u202ereversed"), ("\udc80", "\\udc80"), ("##[error]x", "\\x23#[error]x"),
    ("\ufeff", "\\ufeff"), ("\ufffe\uffff", "\ufffd\ufffd"),
]  # fmt: skip

TEXTS = st.one_of(st.sampled_from([*HOSTILE, *(text for text, _ in UNSEEN)]), st.text(st.characters(), max_size=30))
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def shown(text: str) -> str:
    """What is to be seen of a text."""
    return dict(UNSEEN).get(text, text)


def graph(*texts: str) -> str:
    """A text in each place that there is."""
    lines = ["digraph {"]
    for number, text in enumerate(texts):
        node = quoting.identifier(text, f" {number}")
        lines.append(f"{node} [label={quoting.label(text, text)}, tooltip={quoting.text(text)}, shape=box];")
        lines.append(f"{node} -> {node} [label={quoting.text(text)}];")
        lines.append(
            f"subgraph {quoting.identifier(f'cluster {number} {text}')} {{ label={quoting.text(text)}; x{number}; }}"
        )
        lines.append(f"y{number} [label=<<B>x {quoting.html(text)}</B>>];")
    return "\n".join([*lines, "}"])


@pytest.mark.parametrize("text", HOSTILE[:30])
def test_it_is_one_string_of_dot(text: str) -> None:
    for quoted in (quoting.identifier(text), quoting.label(text), quoting.text(text)):
        assert re.fullmatch(r'"(?:[^"\\]|\\.)*"', quoted)


@needs_dot
@pytest.mark.parametrize(("text", "seen"), [*((text, text) for text in HOSTILE), *UNSEEN])
def test_it_is_read_as_it_is(text: str, seen: str) -> None:
    if len(seen) > quoting.MOST:
        seen = seen[: quoting.MOST - 1] + "…"
    found = read(graph(text))
    assert ("_" if text.startswith("%") else "") + name(f"{seen} 0") in found.nodes
    assert name(f"cluster 0 {seen}")[:1000] in {each[:1000] for each in found.clusters}


@sampled(3)
@needs_dot
@pytest.mark.parametrize(("text", "seen"), [*((text, text) for text in HOSTILE if text.strip() == text != ""), *UNSEEN])
def test_it_is_drawn_as_it_is(text: str, seen: str) -> None:
    if len(text) > quoting.MOST:
        return
    drawn = ET.fromstring(run(graph(text), "-Tsvg"))
    lines = [line.text.replace("\xa0", " ") for line in drawn.iter("{http://www.w3.org/2000/svg}text") if line.text]
    # Twice in the node, and once at the edge, over the cluster and in HTML, which makes one blank of several.
    assert [line for line in lines if line == seen].count(seen) >= 4
    assert "x " + " ".join(seen.split()) in " ".join("".join(lines).split())


@needs_dot
@settings(max_examples=examples(60), deadline=None)
@given(st.lists(TEXTS, max_size=12))
def test_arbitrary_text_breaks_nothing(texts: list[str]) -> None:
    text = graph(*texts)
    assert INVISIBLE.search(text.replace("\n", "")) is None
    found = read(text)
    ends = {f" {number}" for number in range(len(texts))}
    # A node for each text, one in each cluster, one of HTML.
    assert len(found.nodes) == 3 * len(texts)
    assert {end for node in found.nodes for end in ends if node.endswith(end)} == ends
    assert [(tail, head) for tail, head, _ in found.edges] == [(tail, tail) for tail, _, _ in found.edges]
    for node, attributes in found.nodes.items():
        if attributes.get("tooltip"):
            assert node.startswith(attributes["tooltip"].replace("&amp;", "&")[:100].rpartition("…")[0])


@needs_dot
@settings(max_examples=examples(15), deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_arbitrary_text_can_be_drawn(texts: list[str]) -> None:
    ET.fromstring(run(graph(*texts), "-Tsvg"))


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS)
def test_pydot_takes_it_as_quoted(text: str) -> None:
    quoted, words = quoting.identifier(text), quoting.label(text)
    assert pydot.Node(quoted, label=words).to_string() == f"{quoted} [label={words}];"
    assert pydot.Edge(quoted, quoted, label=words).to_string().split(" [")[0].count(quoted) == 2

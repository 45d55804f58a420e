"""Lines as rich writes them: the same text as without it, and nothing of a stranger's that acts."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from gradcli.errors import OutputError
from gradcli.report.console import picture
from gradcli.report.screen import Screen
from gradcli.text.escape import harmless, one_line
from gradcli.text.parts import STYLES, Part, written

from ..text.test_escape import HOSTILE
from .terminal import acts, bare, width


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def put(lines: list[list[Part]], stream: io.StringIO, **environ: str) -> str:
    Screen(stream, "auto", environ).put(lines)
    return stream.getvalue()


# A line ends where its text does: nothing of ours ends in blanks.
PARTS = st.builds(
    lambda text, style: Part(harmless(one_line(text)), style),
    st.one_of(HOSTILE, st.sampled_from(["[bold]x[/]", "[/]", ":smile:", "w[i:j]", "n1:a:b", "\\[x]", "https://a.b"])),
    st.sampled_from(["", *STYLES]),
)
LINES = st.lists(st.lists(PARTS, max_size=5).map(lambda parts: [*parts, Part("|")]), max_size=5)


@given(LINES, st.sampled_from(["8", "40", "80"]))
def test_rich_writes_the_text_that_is_written_without_it(lines: list[list[Part]], columns: str) -> None:
    text = put(lines, io.StringIO())
    assert text == written(lines)
    assert put(lines, Terminal(), NO_COLOR="1", COLUMNS=columns) == text
    coloured = put(lines, Terminal(), COLUMNS=columns)
    assert bare(coloured) == text
    assert not any(map(acts, bare(coloured).replace("\n", "")))


CELLS = st.builds(Part, st.text("ab [/]:é日", max_size=20), st.sampled_from(["", *STYLES]))


@given(st.lists(st.tuples(CELLS, CELLS, CELLS.map(lambda part: Part(f"{part.text}|"))), min_size=1, max_size=5))
def test_a_table_is_the_same_with_and_without_rich(rows: list[list[Part]]) -> None:
    piped, terminal = io.StringIO(), Terminal()
    Screen(piped, "auto", {}).put_rows(rows)
    Screen(terminal, "auto", {"COLUMNS": "1000"}).put_rows(rows)
    # rich fills the last column with blanks.
    shown = [line.rstrip() for line in bare(terminal.getvalue()).splitlines()]
    assert shown == piped.getvalue().splitlines()


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_table_on_a_narrow_terminal(columns: str) -> None:
    stream = Terminal()
    row = [Part("softmax", "variable"), Part("torch F Tensor", "faint"), Part("Exponentials that add up to one. " * 3)]
    Screen(stream, "auto", {"COLUMNS": columns}).put_rows([row, row])
    lines = bare(stream.getvalue()).splitlines()
    assert max(map(width, lines)) <= int(columns)
    assert " ".join(" ".join(lines).split()).count("add up to one.") == 6


@given(LINES)
def test_any_lines_can_be_drawn(lines: list[list[Part]]) -> None:
    ElementTree.fromstring(picture(lines, "svg", "".join(part.text for part in lines[0]) if lines else "x"))
    assert picture(lines, "html", "x").startswith("<!DOCTYPE html>")


def test_a_reader_who_leaves_and_a_stream_that_fails_are_told_apart() -> None:
    class Broken(Terminal):
        def write(self, text: str) -> int:
            raise self.error

    for error, told in ((BrokenPipeError(), BrokenPipeError), (OSError(28, "No space left"), OutputError)):
        stream = Broken()
        stream.error = error  # type: ignore[attr-defined]
        with pytest.raises(told):
            put([[Part("x", "bad")]], stream)

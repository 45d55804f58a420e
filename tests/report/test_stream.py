"""What a spec prints: byte for byte, except for what would act on a terminal or a CI runner."""

from __future__ import annotations

import errno
import io
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from gradcli.errors import OutputError
from gradcli.report.stream import SpecOutput, emit, takes_unicode

from ..text.test_escape import HOSTILE
from .terminal import commands_ci

FULL = Path("/dev/full")


def shown(*pieces: str | None) -> str:
    """What comes out of pieces; None stands for a flush."""
    stream = io.StringIO()
    out = SpecOutput(stream)
    for piece in pieces:
        if piece is None:
            out.flush()
        else:
            out.write(piece)
    out.close()
    return stream.getvalue()


def printed(text: str, stream: Any) -> None:
    """Write as a spec does."""
    out = SpecOutput(stream)
    out.write(text)
    out.close()


@pytest.mark.parametrize(
    "text",
    [
        "tensor([[1., 2.],\n        [3., 4.]], grad_fn=<MulBackward0>)\n",
        "a\tb\n",
        "no newline",
        "\n\n",
        "",
        "[red]not markup[/red] [/] :smile:\n",
        "日本 é e\u0301 👨\u200d👩 \xa0 → ×\n",
        "a::b c:: ## heading # [x]\n",
        "'\\x1b[0m'\n",
    ],
)
def test_text_passes_as_it_is(text: str) -> None:
    assert shown(text) == text
    assert shown(*text) == text
    stream = io.BytesIO()
    printed(text, stream)
    assert stream.getvalue() == text.encode()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["\x1b]0;pwned\x07\x1b[2J\n"], "\\x1b]0;pwned\\x07\\x1b[2J\n"),
        (["ok\r\x1b[Kall passed\n"], "ok\nall passed\n"),
        (["1/2", "\r", "2/2", None, "\r\n", "done\r", "\n", "\n"], "1/2\n2/2\ndone\n\n"),
        (["\x1b[1;92mgood\x1b[0m \x1b[8mhidden\x1b[A\n"], "good hidden\\x1b[A\n"),
        (["x\r::error::\n", "\r", "::y\n"], "x\n\\x3a:error::\n\n\\x3a:y\n"),
        ([":\x1b[m:error::\n", "#\x1b[0m#vso[x]\n"], "\\x3a:error::\n\\x23#vso[x]\n"),
        (["::error file=x.py::no\n"], "\\x3a:error file=x.py::no\n"),
        (["  ", ":", ":", "error::\n"], "  \\x3a:error::\n"),
        (["  :", None, ":error::\n"], "  :\\x3aerror::\n"),
        (["x", None, "::error::\n", "::y"], "x::error::\n\\x3a:y"),
        (["x:", None, ":y\n"], "x::y\n"),
        (["##", None, "vso[x]\n"], "##\\x76so[x]\n"),
        (["word " * 9, "##team", None, "city[x]\n"], "word " * 9 + "##team\\x63ity[x]\n"),
        (["\ud83d", "\ude00\n"], "\\ud83d\\ude00\n"),
    ],
)
def test_what_would_act_is_shown(pieces: list[str | None], text: str) -> None:
    assert shown(*pieces) == text


def test_lines_go_out_as_they_end_and_parts_of_them_when_flushed() -> None:
    stream = io.StringIO()
    out = SpecOutput(stream)
    seen = []
    for piece in ("a", "b\nc", "\n", "d"):
        out.write(piece)
        seen.append(stream.getvalue())
    out.flush()
    seen.append(stream.getvalue())
    assert seen == ["", "ab\n", "ab\nc\n", "ab\nc\n", "ab\nc\nd"]


def test_a_line_without_end_is_not_held_for_ever() -> None:
    stream = io.StringIO()
    out = SpecOutput(stream)
    for _ in range(100_000):
        out.write("x ")
    assert len(stream.getvalue()) > 100_000
    out.close()
    assert stream.getvalue() == "x " * 100_000


@given(st.lists(st.one_of(st.none(), HOSTILE)))
def test_no_command_gets_through_however_it_is_cut(pieces: list[str | None]) -> None:
    assert not any(map(commands_ci, shown(*pieces).split("\n")))


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"], exclude_characters=":#")), st.data())
def test_ordinary_text_is_the_same_however_it_is_cut(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert shown(text[:at], None, text[at:], "\n") == text + "\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("ascii", "-> x ... \\xe9 \\u65e5\n"),
        ("latin-1", "-> × ... é \\u65e5\n"),
        ("utf-8", "→ × … é 日\n"),
        ("utf-16", "→ × … é 日\n"),
    ],
)
def test_every_stream_is_given_what_it_can_encode(encoding: str, text: str) -> None:
    for write in (emit, printed):
        buffer = io.BytesIO()
        stream = io.TextIOWrapper(buffer, encoding=encoding, newline="\n")
        write("→ × … é 日\n", stream)
        assert buffer.getvalue().decode(encoding) == text
        assert takes_unicode(stream) == encoding.startswith("utf")


def test_results_with_undecodable_names_are_written() -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="utf-8", newline="\n")
    emit("a\udcff.py\n", stream)
    assert buffer.getvalue() == b"a\\udcff.py\n"


class Failing(io.StringIO):
    def __init__(self, error: Exception, *, late: bool = False) -> None:
        super().__init__()
        self.error = error
        self.late = late

    def write(self, text: str) -> int:
        if self.late:
            return super().write(text)
        raise self.error

    def flush(self) -> None:
        raise self.error


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("text", ["whole\n", "part"])
def test_a_closed_pipe_is_the_callers_business(late: bool, text: str) -> None:
    gone = BrokenPipeError(errno.EPIPE, "Broken pipe")
    for write in (emit, printed):
        with pytest.raises(BrokenPipeError):
            write(text, Failing(gone, late=late))


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("mode", ["w", "wb"])
def test_a_full_disk_is_an_error_in_words(mode: str) -> None:
    for write in (emit, printed):
        stream = FULL.open(mode)
        with pytest.raises(OutputError) as caught:
            write("text\n", stream)
        assert str(caught.value) == "the output could not be written: no space left on device"
        assert caught.value.help == "check that the place it goes to has room and may be written to"
        assert (caught.value.code, caught.value.exit_code) == ("E506", 3)
        with pytest.raises(OSError, match="No space"):
            stream.close()


def test_a_missing_or_closed_stream_is_an_error_in_words() -> None:
    closed = io.StringIO()
    closed.close()
    with pytest.raises(OutputError, match="could not be written: it is closed"):
        SpecOutput(None).write("x\n")
    with pytest.raises(OutputError, match="could not be written: it is closed"):
        emit("x", None)
    with pytest.raises(OutputError, match="could not be written: it is closed"):
        SpecOutput(closed).write("x\n")
    SpecOutput(None).close()


def test_writing_costs_little_more_than_the_stream_itself() -> None:
    lines = [f"epoch {i}: loss {i * 0.123:.4f}\n" for i in range(20_000)]
    with open(os.devnull, "w") as stream:
        out = SpecOutput(stream)
        extra = []
        for _ in range(5):
            begin = time.thread_time()
            for line in lines:
                stream.write(line)
            between = time.thread_time()
            for line in lines:
                out.write(line)
            extra.append(time.thread_time() - between - (between - begin))
    assert min(extra) / len(lines) < 2e-6

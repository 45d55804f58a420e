"""The same answers on terminals of all kinds: as wide as they are, in the colours and letters that they take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.rings import sampled

from ..report.terminal import acts, bare, width
from .invoke import gradcli, on_terminal

pytest.importorskip("pty")

WRONG = """\
import torch
from torch.autograd import Function


class Größe日本(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2 * ctx.saved_tensors[0]  # ✓ 名前: not three times


x = torch.tensor([0.5, -1.2, 2.0], requires_grad=True)
out = Größe日本.apply(x).sum()
out.backward()
"""
COMMANDS = {
    "trace": (["trace", "WRONG"], 0),
    "check": (["check", "WRONG"], 1),
    "diagnostic": (["run", "sin(größe) * nosuch(größe)", "größe=1"], 2),
}
KINDS = {"colour": {}, "NO_COLOR": {"NO_COLOR": "1"}, "dumb": {"TERM": "dumb"}, "C": {"LANG": "C"}}
# The time of a check is another each time.
TIME = re.compile(r" in \d+\.\d\d s")
_BAR_TAKEN_AWAY = "\x1b[2K"


def told(*words: str, **how: Any) -> tuple[int, str]:
    """The code and the answer on a terminal, without the bar of a busy machine before it."""
    code, text = on_terminal(*words, **how)
    return code, text.rpartition(_BAR_TAKEN_AWAY)[2]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> list[str]:
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return ["wrong.py" if word == "WRONG" else word for word in COMMANDS[command][0]]


@sampled(6, each="kind")
@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_fits_and_says_the_same_everywhere(command: str, kind: str, columns: int, words: list[str]) -> None:
    code, text = told(*words, columns=columns, env=KINDS[kind])
    assert code == COMMANDS[command][1], text
    assert ("\x1b[" in text) == (kind in ("colour", "C"))
    assert text.isascii() == (kind in ("dumb", "C"))
    lines = bare(text).splitlines()
    assert max(map(width, lines)) <= columns
    assert not any(map(acts, "".join(lines)))
    assert lines == [line.rstrip() for line in lines]


@sampled(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_wide_terminal_and_a_pipe_are_told_the_same(command: str, words: list[str]) -> None:
    """What is written without rich is what rich writes."""
    code, text = told(*words, columns=200, env={"NO_COLOR": "1"})
    piped = gradcli(*words, env={"COLUMNS": "200"})
    assert code == piped.returncode
    assert TIME.sub("", text) == TIME.sub("", piped.stdout + piped.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_colours_in_a_pipe_are_those_of_a_terminal(command: str, words: list[str]) -> None:
    _, text = told(*words, columns=200)
    piped = gradcli(*words, "--color", "always", env={"COLUMNS": "200"})
    assert TIME.sub("", text) == TIME.sub("", piped.stdout + piped.stderr)


@pytest.mark.parametrize("columns", [40, 120])
def test_explanations_fit(columns: int) -> None:
    code, text = on_terminal("explain", "HIDDEN_PATH", columns=columns, env={"NO_COLOR": "1"})
    piped = gradcli("explain", "HIDDEN_PATH").stdout
    assert code == 0
    assert text.split() == piped.split()
    assert (text == piped) == (columns > 80)
    words = [line for line in text.splitlines() if not line.startswith("    ")]
    assert max(map(width, words)) <= columns


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"LANG": "C"}], ids=str)
@pytest.mark.parametrize("words", [["diff", "x*y", "x*y+1", "x=1", "y=2"], ["docs", "check"]], ids=" ".join)
def test_what_has_signs_has_ascii_twins(env: dict[str, str], words: list[str]) -> None:
    _, text = on_terminal(*words, env=env)
    assert text.isascii()
    assert "->" in text or "+-" in text


# -- pagers and pictures -----------------------------------------------------------------------

LONG = """\
x = torch.tensor(0.5, requires_grad=True)
y = x
for _ in range(300):
    y = torch.sin(y)
y.backward()
"""


def test_a_pager_is_given_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text(LONG)
    code, text = on_terminal("trace", str(path), "--pager", env={"PAGER": "sed s/SinBackward0/PAGED/"})
    assert code == 0
    assert text.count("PAGED") == 300
    assert "not shown" not in text
    piped = gradcli("trace", str(path), "--pager", env={"PAGER": "false", "COLUMNS": "80"})
    assert piped.stdout == gradcli("trace", str(path), env={"COLUMNS": "80"}).stdout


@pytest.mark.parametrize("form", ["svg", "html"])
def test_a_trace_and_a_check_are_drawn_as_a_terminal_shows_them(form: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    # As HTML the graph itself, and a report, are pages of their own.
    flow = ("--flow",) if form == "html" else ()
    assert gradcli("trace", "wrong.py", *flow, "-o", f"trace.{form}", cwd=tmp_path).returncode == 0
    assert gradcli("check", "wrong.py", "--out", f"check.{form}", cwd=tmp_path).returncode == 1
    for name, word in (
        ("trace", "SumBackward0" if form == "svg" else "gradient"),
        ("check", "reproduce:" if form == "svg" else "Worst entries"),
    ):
        text = (tmp_path / f"{name}.{form}").read_text(encoding="utf-8")
        # The comment in which rich names itself is all that has an address.
        assert not re.findall(r"https?://(?!www\.w3\.org/|www\.textualize\.io)", text)
        assert "@font-face" not in text
        words = " ".join(ElementTree.fromstring(text).itertext()) if form == "svg" else text
        assert word in words.replace("\xa0", " ")
        assert "Größe日本" in words


def test_what_is_no_picture_is_refused() -> None:
    done = gradcli("trace", "x*y", "x=1", "y=2", "--format", "json", "-o", "t.svg")
    assert (done.returncode, "a picture is of the tree" in done.stderr) == (2, True)
    done = gradcli("check", "x", "x=2", "-o", "c.txt")
    assert (done.returncode, "FILE.svg or FILE.html" in done.stderr) == (2, True)

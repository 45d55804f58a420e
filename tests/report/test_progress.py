"""The bar of a long check: when it is there, what it says, and that nothing is left of it."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gradcli.report import progress
from gradcli.report.progress import LoopBar, Progress
from gradcli.report.screen import Screen

from ..cli.invoke import COMMAND, environment, on_terminal
from .terminal import bare

pytest.importorskip("pty")

# A spec that takes longer than anybody waits: so many steps, and as many when it is run again.
SLOW = """\
x = torch.tensor(0.5, requires_grad=True)
y = x
for _ in range({steps}):
    y = torch.sin(y) * 1.01
y.backward()
"""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def bar(stream: io.StringIO, total: int, **environ: str) -> Progress:
    return Progress(Screen(stream, "auto", {"TERM": "xterm", "COLUMNS": "80", **environ}), total)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", -1)
    monkeypatch.setattr(progress, "_AGAIN", -1)


def shown(text: str) -> str:
    """What a terminal of one line shows in the end."""
    line = ""
    for step in re.split(r"(\r|\n|\x1b\[1A|\x1b\[2K)", bare(text)):
        line = "" if step == "\x1b[2K" else line if step in ("\r", "\n", "\x1b[1A") else line + step
    return line


@pytest.mark.usefixtures("impatient")
def test_it_says_what_is_done_and_failed_and_is_taken_away() -> None:
    stream = Terminal()
    found = bar(stream, 12)
    for failed in (False, True, False):
        found.add(failed)
        found.tick()
    assert re.fullmatch(r" ?3/12 ━+╸?╺?━+ 1 failed \d:\d\d:\d\d", shown(stream.getvalue()))
    found.clear()
    found.clear()
    assert shown(stream.getvalue()) == ""
    found.tick()
    assert "3/12" in shown(stream.getvalue())
    found.clear()
    assert shown(stream.getvalue()) == ""
    assert "\x1b[?25l" not in stream.getvalue()


@pytest.mark.usefixtures("impatient")
def test_of_a_single_check_it_says_how_far_that_looked() -> None:
    stream = Terminal()
    bar(stream, 1, LANG="C", COLUMNS="40", NO_COLOR="1").tick(1234)
    assert re.fullmatch(r"[ -]{10} 1,234 directions 0:00:00", shown(stream.getvalue()))


@pytest.mark.usefixtures("impatient")
def test_a_pipe_and_a_dumb_terminal_see_nothing() -> None:
    for stream, environ in ((io.StringIO(), {}), (Terminal(), {"TERM": "dumb"})):
        bar(stream, 12, **environ).tick()
        assert stream.getvalue() == ""


def test_a_quick_check_sees_nothing() -> None:
    stream = Terminal()
    bar(stream, 12).tick()
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("impatient")
def test_nobody_may_be_looking() -> None:
    stream = Terminal()
    found = bar(stream, 12)
    stream.close()
    found.tick()
    found.clear()


def test_nothing_is_left_of_it_beside_a_report(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW.format(steps=12_000))
    code, text = on_terminal("check", str(tmp_path / "slow.py"), "--limits", "relaxed")
    assert code == 0
    assert " directions 0:0" in bare(text)
    last = bare(text).rpartition("\x1b[2K")[2]
    assert re.fullmatch(r".*right: 1 input.*\n0 wrong, 1 right in .* s\n", last, re.DOTALL)


def test_nothing_is_left_of_it_when_it_is_interrupted(tmp_path: Path) -> None:
    import pty

    (tmp_path / "slow.py").write_text(SLOW.format(steps=40_000))
    leader, follower = pty.openpty()
    words = [*COMMAND, "check", str(tmp_path / "slow.py"), "--limits", "relaxed"]
    process = subprocess.Popen(words, stdout=follower, stderr=follower, env=environment(TERM="xterm", COLUMNS="80"))
    os.close(follower)
    text, ends = b"", time.monotonic() + 60
    while b" directions" not in text and time.monotonic() < ends:
        text += os.read(leader, 65536)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError:
        assert process.wait(30) == 130
    os.close(leader)
    (line,) = shown(text.decode("utf-8", "replace")).splitlines()
    assert line.endswith("; interrupted after 0 of 1 specs: 1 spec not checked")


# -- a program that runs long --------------------------------------------------------------------

TRAINING = """\
import torch
def main():
    w = torch.zeros(3, requires_grad=True)
    for epoch in enumerate(range({rounds})):
        for _ in range(2):
            loss = ((w - 1) ** 2).sum()
        loss.backward()
main()
"""


@pytest.mark.usefixtures("impatient")
def test_of_a_loop_it_says_the_round() -> None:
    stream = Terminal()
    found = LoopBar(Screen(stream, "auto", {"TERM": "xterm", "COLUMNS": "80"}))
    found.show(None)
    assert stream.getvalue() == ""
    found.show((3, 12, 7, "for epoch"))
    assert re.fullmatch(r"line 7: for epoch 3/12 ━+╸?╺?━+ -?\S+", shown(stream.getvalue()))
    # Another loop has a bar of its own.
    found.show((1, None, 9, "while"))
    assert shown(stream.getvalue()).startswith("line 9: while 1 ")
    found.clear()
    assert shown(stream.getvalue()) == ""


def interrupted(path: Path, *words: str, sees: bytes) -> tuple[int, str]:
    """The exit code and the terminal of a run that is interrupted once something is to be seen."""
    import pty

    leader, follower = pty.openpty()
    env = environment(TERM="xterm", COLUMNS="99")
    process = subprocess.Popen([*COMMAND, "run", str(path), *words], stdout=follower, stderr=follower, env=env)
    os.close(follower)
    text, ends = b"", time.monotonic() + 60
    while sees not in text and time.monotonic() < ends:
        text += os.read(leader, 65536)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError:
        pass
    os.close(leader)
    return process.wait(30), text.decode("utf-8", "replace")


def test_a_long_run_shows_its_rounds_and_says_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TRAINING.format(rounds=90_000))
    code, text = interrupted(path, "--progress", sees=b"/90,000 ")
    assert code == 130
    assert "line 4: for epoch" in bare(text)
    said = bare(text).rstrip().splitlines()[-1].rpartition("\x1b[2K")[2]
    assert re.fullmatch(
        rf"{re.escape(str(path))}:\d:\d+: interrupted in round [\d,]+ of 90,000 of `for epoch` \(line 4\)", said
    )


def test_an_interrupted_run_without_a_bar_says_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text("print('begun')\nn = 0\nwhile True:\n    n += 1\n")
    code, text = interrupted(path, sees=b"begun")
    assert code == 130
    assert re.search(rf"{re.escape(str(path))}:\d:\d+: interrupted", text)

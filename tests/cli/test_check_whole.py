"""``gradcli check`` as a whole, with the check itself: what is shown, and what a process ends with."""

from __future__ import annotations

import gc
import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gradcli.cli import commands
from gradcli.cli.checking import reporting
from gradcli.report.codes import gradients
from tests.rings import sampled

from ..report.findings import CUBE
from ..report.terminal import bare
from .invoke import COMMAND, environment, gradcli, wait_until_it_works
from .test_commands import loaded

EXAMPLES = [
    (code, which, text)
    for code, entry in gradients.CODES.items()
    for which, text in (("wrong", entry.wrong), ("right", entry.right))
    if text
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with a program whose backward is wrong, and a process whose time begins now."""
    (tmp_path / "cube.py").write_text(CUBE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reporting, "process_start", time.perf_counter)
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "4")
    yield tmp_path
    gc.enable()


@sampled(4)
@pytest.mark.parametrize(("code", "which", "text"), EXAMPLES)
def test_an_example_earns_its_code_or_does_not(
    code: str, which: str, text: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(text)[1:] if text.startswith("gradcli ") else ["check", "-"]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    ended = commands.run([*words, "--format", "concise"])
    out = capsys.readouterr().out
    if which == "right":
        assert (ended, out) == (0, "")
    else:
        assert ended in (1, 2)
        assert f": {code} " in out


def test_a_wrong_backward(here: Path) -> None:
    done = gradcli("check", "cube.py")
    assert (done.returncode, done.stderr) == (1, "")
    *lines, last = done.stdout.splitlines()
    assert lines[:5] == [
        "cube.py:9:9: G101 wrong gradient: out with respect to x (3 of 3 entries)",
        "   |",
        " 9 |         return grad_output * 2 * ctx.saved_tensors[0]",
        "   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Cube.backward, applied at line 12",
        "   |",
    ]
    assert re.match(
        r"   = worst at x\[\d\] = \S+: claimed \S+, true \S+ ± \S+ \(complex step \S+\), \S+ error", lines[5]
    )
    assert lines[6].split() == ["index", "x", "claimed", "true", "ratio"]
    assert sorted(lines[7:10]) == [
        "     [0]     0.5   1         0.75   1.333",
        "     [1]    -1.2  -2.4       4.32  -0.556",
        "     [2]     2.0   4         12     0.333",
    ]
    assert lines[-2:] == [
        "   = reproduce: gradcli check cube.py --output out --wrt x",
        "   = help: gradcli explain G101",
    ]
    assert re.fullmatch(r"1 wrong, 0 right in \d+\.\d\d s", last)


def test_the_command_that_is_shown_gives_the_same(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def results(*words: str) -> list[dict[str, Any]]:
        commands.run([*words, "--format", "json"])
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
        return [result for result in found if result["verdict"] in ("WRONG", "DISCONTINUITY")]

    for words in (["cube.py"], ["floor(x) + y*x", "x=2", "y=[1, 2]", "--seed", "3"]):
        first, *_ = results("check", *words)
        assert first in results(*shlex.split(first["reproduce"])[1:])


def test_an_expression(here: Path) -> None:
    done = gradcli("check", "x * y", "x=2", "y=3")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"x \* y: right: 2 inputs \(2 numbers\), order 1, \d+ digits\n0 wrong, 2 right in ", done.stdout)


def test_the_same_bytes_again_and_by_others(here: Path) -> None:
    (here / "a.py").write_text(CUBE.replace("* 2 *", "* 3 * ctx.saved_tensors[0] *"))
    first = gradcli("check", ".", "--format", "json")
    assert gradcli("check", ".", "--format", "json", "--jobs", "2").stdout == first.stdout
    data = json.loads(first.stdout)
    assert [(r["spec"], r["verdict"]) for r in data["results"][:2]] == [("./a.py", "PASS"), ("./cube.py", "WRONG")]


def test_letters_and_colours_are_what_the_stream_takes(here: Path) -> None:
    ascii = gradcli("check", "cube.py", env={"PYTHONIOENCODING": "ascii"}).stdout
    assert ascii.isascii()
    assert " +- " in ascii
    painted = gradcli("check", "cube.py", "--color", "always").stdout
    assert "\x1b[1;31mG101" in painted
    assert bare(painted).replace("±", "+-").split("\n")[:-2] == ascii.split("\n")[:-2]


def test_what_a_check_of_an_expression_loads() -> None:
    found = loaded("check", "x * y", "x=2", "y=3")
    assert {"numpy", "gradcli.check.check", "gradcli.report.check.text"} <= found
    heavy = "rich pydot json difflib shlex subprocess tomllib shutil tempfile selectors fractions decimal "
    heavy += "gradcli.check.hand_claims gradcli.check.precision.float32_loss gradcli.check.selftest.selftest"
    assert not found & set(heavy.split())
    assert not {name for name in found if name.startswith("gradcli.report.codes")}


def test_a_narrow_terminal(here: Path) -> None:
    leader, follower = pty.openpty()
    env = environment(COLUMNS="40", TERM="xterm", NO_COLOR="1")
    subprocess.run([*COMMAND, "check", "cube.py"], stdout=follower, env=env, timeout=600, check=False)
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError:
        # On Linux a terminal that nobody holds any more ends with an error.
        pass
    finally:
        os.close(leader)
    lines = text.decode().replace("\r\n", "\n").split("\n")
    assert max(map(len, lines)) <= 40
    assert "\x1b" not in text.decode()
    assert lines[0] == "cube.py:9:9: G101 wrong gradient: out"


def test_a_reader_who_leaves(here: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "check", "cube.py"], stdout=write, stderr=-1, env=environment(), check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("words", [["cube.py"], ["x * x", "x=2"]])
def test_output_that_cannot_be_written(words: list[str], here: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "check", *words], stdout=full, stderr=-1, env=environment(), check=False)
    assert done.returncode == 3
    assert b"error[E506]: the output could not be written" in done.stderr


def test_a_directory_of_a_stranger_is_not_imported_from(here: Path) -> None:
    (here / "numpy.py").write_text("raise SystemExit('imported')\n")
    (here / "json.py").write_text("raise SystemExit('imported')\n")
    console = "import sys; sys.path.remove(''); from gradcli.__main__ import main; main()"
    words = [sys.executable, "-c", console, "check", "cube.py", "numpy.py", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=600, check=False)
    assert done.stderr == ""
    assert [r["spec"] for r in json.loads(done.stdout)["results"]] == ["cube.py"]


def test_an_interruption_ends_the_children_too(here: Path) -> None:
    import signal

    (here / "long.py").write_text("import torch\nwhile True: pass\n")
    words = [*COMMAND, "check", "long.py", "cube.py", "--timeout", "50"]
    started = subprocess.Popen(words, stdout=-1, stderr=-1, env=environment(), start_new_session=True)
    wait_until_it_works(started)
    os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=600)
    assert (started.returncode, out.count(b"\n")) == (130, 1)
    assert out.endswith(b"; interrupted after 0 of 2 specs: 2 specs not checked\n")
    assert b"Traceback" not in err

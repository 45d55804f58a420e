"""What a process ends with: every accident has its own exit code, none is a verdict, none shows a traceback."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.cli import process
from gradcli.errors import AssertFailed, GradcliError, LimitError, OutputError

from .invoke import COMMAND, environment, gradcli


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """A run in this process leaves the garbage collector off."""
    yield
    gc.enable()


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "4")
    monkeypatch.delenv("GRADCLI_DEBUG", raising=False)
    return monkeypatch


def end_with(error: BaseException) -> int:
    def fail(words: list[str]) -> int:
        raise error

    return process.run(["run", "x"], fail)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (GradcliError("wrong", help="do right"), 2, "error[E301]: wrong\n  = help: do right\n"),
        (AssertFailed("it does not hold"), 1, "error[E303]: it does not hold\n"),
        (LimitError("too slow"), 2, "error[E401]: too slow\n"),
        (OutputError("no room"), 3, "error[E506]: no room\n"),
        (OSError(28, "No space left"), 3, "error[E506]: the output could not be written: No space left\n"),
        (
            ZeroDivisionError("division by \x1b zero"),
            3,
            "error: this is a bug in gradcli: ZeroDivisionError: division by \\x1b zero\n"
            "  = help: please report it, with the command line, the spec and what GRADCLI_DEBUG=1 shows\n",
        ),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)  # fmt: skip
def test_each_error_has_its_exit_code(
    error: BaseException, code: int, said: str, ending: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end_with(error) == code
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("error", [MemoryError(), RecursionError()])
def test_what_python_itself_runs_out_of_is_a_limit(
    error: Exception, ending: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end_with(error) == 2
    assert "error[E4" in capsys.readouterr().err


def test_a_traceback_is_shown_to_those_who_ask(
    ending: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ending.setenv("GRADCLI_DEBUG", "1")
    assert end_with(ZeroDivisionError("x")) == 3
    told = capsys.readouterr().err
    assert told.startswith("Traceback")
    assert "in fail" in told


def test_an_error_that_cannot_be_drawn_is_told_all_the_same(
    ending: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **kwargs: object) -> str:
        raise TypeError("no way")

    ending.setattr("gradcli.report.diagnostic.lines", broken)
    assert end_with(GradcliError("wrong")) == 3
    assert "this is a bug in gradcli: TypeError: no way" in capsys.readouterr().err


def test_colour_is_asked_for_before_the_command_line_is_understood() -> None:
    assert "\x1b[" in gradcli("run", "--color=always", "--sed").stderr
    assert "\x1b[" in gradcli("run", "--sed", "--color", "always").stderr
    assert "\x1b[" in gradcli("run", "--sed", env={"FORCE_COLOR": "1"}).stderr
    assert "\x1b[" not in gradcli("run", "--sed").stderr
    assert "\x1b[" not in gradcli("run", "--sed", "--color=never", env={"FORCE_COLOR": "1"}).stderr


# -- streams that fail -------------------------------------------------------------------------


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """A shell script in which $gradcli is the command."""
    words = " ".join(f"'{word}'" for word in COMMAND)
    return subprocess.run(
        ["bash", "-c", f"gradcli() {{ {words} \"$@\"; }}\n{script}"],
        capture_output=True, text=True, env=environment(), timeout=600, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("words", ["--help", "ops", "explain E201", "completion zsh"])
def test_a_reader_who_leaves_is_no_failure(words: str) -> None:
    done = shell(f"gradcli {words} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout in ("0\n", "141\n")
    assert done.stderr == ""


def test_a_reader_who_left_is_noticed() -> None:
    source, sink = os.pipe()
    os.close(source)
    done = subprocess.run([*COMMAND, "ops", "*"], stdout=sink, stderr=subprocess.PIPE, env=environment(), check=False)
    os.close(sink)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", ["--version", "--help", "explain", "completion bash", "ops relu", "run '1+1'"])
def test_a_full_disk_is_no_verdict(words: str) -> None:
    done = shell(f"gradcli {words} > /dev/full")
    assert done.returncode == 3
    assert done.stderr.startswith("error[E506]: the output could not be written: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["--version", "--help", "explain", "completion bash", "ops relu", "run '1+1'"])
def test_a_closed_output_is_no_verdict(words: str) -> None:
    done = shell(f"gradcli {words} >&-")
    assert done.returncode == 3
    assert done.stderr.startswith("error[E506]: the output could not be written: ")


@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full"])
def test_a_failing_stderr_changes_no_code(where: str) -> None:
    done = shell(f"gradcli run --sed {where}")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_streams_that_know_only_ascii() -> None:
    done = gradcli("run", "--sëd", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 2
    assert "has no option '--s\\xebd'" in done.stderr


# -- interruptions -----------------------------------------------------------------------------


def test_an_interrupted_run_is_no_verdict() -> None:
    program = "print('on')\nwhile True:\n    pass"
    with subprocess.Popen(
        [*COMMAND, "run", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "on\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=600) == 130
        # It says where it was, and in which round, if it is that far, and nothing else.
        where = r"<expression>:[123]:\d: interrupted( in round [\d,]+ of `while` \(line 2\))?\n"
        assert re.fullmatch(f"({where})?", running.stderr.read())


@pytest.mark.parametrize(("load", "given", "threads"), [(8.5, None, "1"), (0.5, None, None), (8.5, "4", "4")])
def test_products_have_one_thread_where_all_processors_are_busy(
    load: float, given: str | None, threads: str | None, ending: pytest.MonkeyPatch
) -> None:
    ending.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    ending.setattr(os, "cpu_count", lambda: 2)
    if given is None:
        ending.delenv("OPENBLAS_NUM_THREADS", raising=False)
    else:
        ending.setenv("OPENBLAS_NUM_THREADS", given)
    assert process.run([], lambda words: 0) == 0
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads


def test_start_up_puts_its_settings_before_numpy() -> None:
    code = (
        "import os, sys\n"
        "from gradcli.cli import commands\n"
        "commands.run(['--version'])\n"
        "assert 'numpy' not in sys.modules\n"
        "print(os.environ['OPENBLAS_THREAD_TIMEOUT'])\n"
    )
    plain = {k: v for k, v in environment().items() if k != "OPENBLAS_THREAD_TIMEOUT"}
    for env, expected in ((plain, "4"), ({**plain, "OPENBLAS_THREAD_TIMEOUT": "26"}, "26")):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
        assert done.stdout.splitlines()[-1] == expected

"""Where the results of a check go, and how far it is."""

from __future__ import annotations

import io
import json
import sys
import time

import pytest

from gradcli.cli import reporting
from gradcli.cli.reporting import Progress, Reporter

from ..report.findings import broken, outcome, right


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_process_that_is_ended_still_reports(capsys: pytest.CaptureFixture[str]) -> None:
    Reporter("json", []).lost(broken())
    assert json.loads(capsys.readouterr().out)["errors"][0]["code"] == "E101"
    Reporter("text", []).lost(broken())
    out, err = capsys.readouterr()
    assert err.startswith("bad.py:1:5: error[E101]")
    assert out.startswith("0 wrong, 0 right, 1 broken in ")


def test_a_reader_who_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reporter = Reporter("json", [])
    monkeypatch.setattr(reporter, "finish", lambda: time.sleep(30))
    started = time.perf_counter()
    reporter.lost(broken())
    assert time.perf_counter() - started < 20


def test_progress_is_shown_on_a_terminal_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(reporting, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    progress = Progress()
    progress.show(0, 12, "specs/\x1b[31mé.py")
    assert stream.getvalue() == "\r\x1b[K[1/12] specs/\\x1..."
    progress.clear()
    progress.clear()
    assert stream.getvalue().endswith("...\r\x1b[K")
    progress.show(0, 1, "net.py")
    assert stream.getvalue().count("[1/") == 1


def test_a_quick_check_and_a_pipe_show_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        Progress().show(0, 12, "net.py")
        assert stream.getvalue() == ""
    monkeypatch.setattr(reporting, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "dumb")
    dumb = Terminal()
    monkeypatch.setattr(sys, "stderr", dumb)
    Progress().show(0, 12, "net.py")
    assert dumb.getvalue() == ""


def test_text_goes_out_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter("text", [])
    reporter.add(outcome(right()))
    assert capsys.readouterr().out == "cube.py: right: 1 input (3 numbers), order 1, 13 digits\n"
    assert reporter.exit_code(False) == 0

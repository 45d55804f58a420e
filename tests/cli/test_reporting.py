"""Where the results of a check go, and how far it is."""

from __future__ import annotations

import io
import sys

import pytest

from gradcli.cli import reporting
from gradcli.cli.reporting import Progress, Reporter

from ..report.findings import outcome, right


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


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

"""The places where the results of a check go."""

from __future__ import annotations

import pytest

from gradcli.cli.checking.reporting import Reporter

from ..report.findings import outcome, right


def test_text_goes_out_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter("text", [])
    reporter.add(outcome(right()))
    assert capsys.readouterr().out == "cube.py: right: 1 input (3 numbers), order 1, 13 digits\n"
    assert reporter.exit_code(False) == 0

"""``gradcli explain``: long forms from the table that the errors use."""

from __future__ import annotations

import pytest

from gradcli.report.codes import explanation, titles

from .invoke import gradcli


@pytest.mark.parametrize("code", ["E201", "e201", "[E201]"])
def test_a_code_is_explained(code: str) -> None:
    done = gradcli("explain", code)
    assert (done.returncode, done.stdout, done.stderr) == (0, explanation("E201"), "")


def test_codes_are_listed() -> None:
    done = gradcli("explain")
    assert done.returncode == 0
    heading, *lines = done.stdout.splitlines()
    assert heading == "Codes:"
    assert [line.split()[0] for line in lines if line[2] != " "] == list(titles())
    assert max(map(len, lines)) <= 80


def test_what_is_no_code() -> None:
    done = gradcli("explain", "F201")
    assert (done.returncode, done.stdout) == (2, "")
    assert "<command line>:1:17: error[E504]: there is no error code 'F201'\n" in done.stderr
    assert "help: did you mean E201?" in done.stderr or "help: `gradcli explain` lists the codes" in done.stderr

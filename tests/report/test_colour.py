"""The rule of colour, and the width of a terminal."""

from __future__ import annotations

import io
import os
import struct

import pytest

from gradcli.report.colour import terminal_width, wants_colour


class Screen(io.StringIO):
    """A terminal of no system: it has no size of its own."""

    def isatty(self) -> bool:
        return True


TERMINAL, PIPE = Screen(), io.StringIO()


@pytest.mark.parametrize(
    ("stream", "choice", "environ", "wanted"),
    [
        (TERMINAL, "auto", {}, True),
        (PIPE, "auto", {}, False),
        (PIPE, "always", {"NO_COLOR": "1", "TERM": "dumb"}, True),
        (TERMINAL, "never", {"FORCE_COLOR": "1"}, False),
        (TERMINAL, "auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (TERMINAL, "auto", {"NO_COLOR": "0"}, False),
        (TERMINAL, "auto", {"NO_COLOR": ""}, True),
        (PIPE, "auto", {"FORCE_COLOR": "1", "TERM": "dumb", "CLICOLOR": "0"}, True),
        (PIPE, "auto", {"CLICOLOR_FORCE": "1"}, True),
        (PIPE, "auto", {"FORCE_COLOR": "0", "CLICOLOR_FORCE": "1"}, True),
        (PIPE, "auto", {"FORCE_COLOR": "0"}, False),
        (PIPE, "auto", {"FORCE_COLOR": "", "CLICOLOR_FORCE": "0"}, False),
        (TERMINAL, "auto", {"FORCE_COLOR": "0"}, True),
        (TERMINAL, "auto", {"TERM": "dumb"}, False),
        (TERMINAL, "auto", {"TERM": "xterm", "CLICOLOR": "1"}, True),
        (TERMINAL, "auto", {"CLICOLOR": "0"}, False),
        (PIPE, "auto", {"CLICOLOR": "1"}, False),
        (None, "auto", {}, False),
    ],
)
def test_who_decides_about_colour(stream: object, choice: str, environ: dict[str, str], wanted: bool) -> None:
    assert wants_colour(stream, choice, environ) is wanted


def test_a_closed_stream_is_no_terminal() -> None:
    closed = io.StringIO()
    closed.close()
    assert not wants_colour(closed, "auto", {})
    assert terminal_width(closed, {}) is None


@pytest.mark.parametrize(
    ("stream", "environ", "columns"),
    [
        (PIPE, {"COLUMNS": "40"}, None),
        (None, {}, None),
        (TERMINAL, {"COLUMNS": "40"}, 40),
        (TERMINAL, {"COLUMNS": "0"}, 80),
        (TERMINAL, {"COLUMNS": "-1"}, 80),
        (TERMINAL, {"COLUMNS": "²"}, 80),
        (TERMINAL, {}, 80),
    ],
)
def test_the_width_of_a_stream(stream: object, environ: dict[str, str], columns: int | None) -> None:
    assert terminal_width(stream, environ) == columns


def test_a_terminal_is_asked_for_its_width() -> None:
    pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 57, 0, 0))
    with os.fdopen(theirs, "w") as stream:
        assert terminal_width(stream, {}) == 57
        assert wants_colour(stream, "auto", {})
    os.close(ours)

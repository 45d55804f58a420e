"""Help and errors on terminals: wide and narrow ones, with colours and without, and such as know only ASCII."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest

from tests.rings import sampled

from ..invoke import COMMAND, environment
from .write_pages import PAGES

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What a terminal is -> whether there are colours on it.
TERMINALS = {
    "coloured": ({"TERM": "xterm-256color"}, True),
    "NO_COLOR": ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    "dumb": ({"TERM": "dumb"}, False),
    "C": ({"TERM": "xterm-256color", "LANG": "C", "LC_ALL": "C"}, True),
}


def shown(columns: int, env: dict[str, str], *words: str) -> tuple[int, str]:
    """The exit code of a command, and all that it writes to a terminal of so many columns."""
    import fcntl
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    surroundings = {k: v for k, v in environment().items() if not k.startswith("LC_")} | env
    with subprocess.Popen([*COMMAND, *words], stdout=follower, stderr=follower, env=surroundings) as running:
        os.close(follower)
        text = b""
        while part := _read(leader):
            text += part
        os.close(leader)
    return running.returncode, text.decode().replace("\r\n", "\n")


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:
        # On Linux a terminal that nobody holds any more ends with an error.
        return b""


@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_help_is_the_same_page_on_every_terminal(name: str, columns: int) -> None:
    env, _ = TERMINALS[name]
    for words, page in ((["--help"], "gradcli"), (["ops", "-h"], "ops")):
        code, text = shown(columns, env, *words)
        assert (code, text) == (0, (PAGES / f"{page}.{min(columns, 80)}.txt").read_text())


@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_errors_point_at_a_word_on_every_terminal(name: str, columns: int) -> None:
    env, coloured = TERMINALS[name]
    code, text = shown(columns, env, "run", "a long expression " * 5, "--dtype", "float46")
    assert code == 2
    assert bool(COLOUR.search(text)) == coloured
    lines = COLOUR.sub("", text).splitlines()
    assert max(map(len, lines)) <= columns
    assert "--dtype takes float32 or float64" in " ".join(" ".join(lines[:4]).split())
    (caret,) = (number for number, line in enumerate(lines) if "^^^^^^^" in line)
    place = lines[caret].index("^")
    assert lines[caret - 1][place : place + 7] == "float46"
    assert "did you mean float64?" in " ".join(text.split())
    assert name != "C" or text.isascii()


@sampled(4, each="columns")
@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_curves_fit_on_every_terminal(name: str, columns: int) -> None:
    env, coloured = TERMINALS[name]
    code, text = shown(columns, env, "ops", "tanh")
    assert code == 0
    assert bool(COLOUR.search(text)) == coloured
    assert max(map(len, COLOUR.sub("", text).splitlines())) <= columns
    assert text.isascii() == (name in ("C", "dumb"))

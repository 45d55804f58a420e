"""Help and errors on terminals: wide and narrow ones, with colours and without, and such as know only ASCII."""

from __future__ import annotations

import re

import pytest

from tests.rings import sampled

from ..invoke import on_terminal
from .write_pages import PAGES

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What a terminal is -> whether there are colours on it.
TERMINALS = {
    "coloured": ({"TERM": "xterm-256color"}, True),
    "NO_COLOR": ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    "dumb": ({"TERM": "dumb"}, False),
    "C": ({"TERM": "xterm-256color", "LANG": "C", "LC_ALL": "C"}, True),
}


@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_help_is_the_same_page_on_every_terminal(name: str, columns: int) -> None:
    env, _ = TERMINALS[name]
    for words, page in ((["--help"], "gradcli"), (["ops", "-h"], "ops")):
        code, text = on_terminal(*words, columns=columns, env=env)
        assert (code, text) == (0, (PAGES / f"{page}.{min(columns, 80)}.txt").read_text())


@pytest.mark.parametrize("name", TERMINALS)
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_errors_point_at_a_word_on_every_terminal(name: str, columns: int) -> None:
    env, coloured = TERMINALS[name]
    code, text = on_terminal("run", "a long expression " * 5, "--dtype", "float46", columns=columns, env=env)
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
    code, text = on_terminal("ops", "tanh", columns=columns, env=env)
    assert code == 0
    assert bool(COLOUR.search(text)) == coloured
    assert max(map(len, COLOUR.sub("", text).splitlines())) <= columns
    assert text.isascii() == (name in ("C", "dumb"))

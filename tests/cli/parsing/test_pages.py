"""Help pages: their exact text, in a usual terminal and in a narrow one."""

from __future__ import annotations

import pytest

from gradcli.cli.commands import COMMANDS
from gradcli.cli.parsing.command import Argument, Option

from ..invoke import gradcli, on_terminal
from .write_pages import PAGES, command, pages

EXPECTED = pages()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_page_is_as_it_was_written(name: str) -> None:
    assert EXPECTED[name] == (PAGES / name).read_text()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_page_fits(name: str) -> None:
    width = int(name.split(".")[1])
    assert [line for line in EXPECTED[name].split("\n") if len(line) > width or line != line.rstrip()] == []
    assert EXPECTED[name].isascii()


def test_no_page_is_left_over() -> None:
    assert {path.name for path in PAGES.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_each_command_shows_its_page(name: str, flag: str) -> None:
    done = gradcli(name, flag, env={"COLUMNS": "40"})
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPECTED[f"{name}.80.txt"], "")


@pytest.mark.parametrize(("words", "code"), [((), 2), (("-h",), 0), (("--help",), 0)])
def test_the_overview(words: tuple[str, ...], code: int) -> None:
    done = gradcli(*words)
    assert (done.returncode, done.stdout, done.stderr) == (code, EXPECTED["gradcli.80.txt"], "")


def test_an_option_has_a_line_of_help_and_a_long_flag() -> None:
    for name in COMMANDS:
        for param in command(name).params:
            if isinstance(param, Argument):
                assert all(help.endswith(".") for _, help in param.rows)
            else:
                assert isinstance(param, Option)
                assert (param.help or "").endswith(".")
                assert param.opts[-1].startswith("--")


def test_a_narrow_terminal_gets_narrow_lines() -> None:
    assert on_terminal("--help", columns=40, env={"NO_COLOR": "1"}) == (0, EXPECTED["gradcli.40.txt"])

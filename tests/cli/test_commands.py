"""From the first word to a command, and what is said when it is none."""

from __future__ import annotations

import pytest

import gradcli as package
from gradcli.cli.commands import COMMANDS
from gradcli.cli.parsing.command import Command

from .invoke import gradcli
from .parsing.write_pages import command


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_declared_in_the_module_of_its_name(name: str) -> None:
    found = command(name)
    assert isinstance(found, Command)
    assert found.callback is not None
    assert found.callback.__module__ == f"gradcli.cli.{name.replace('-', '_')}"
    assert (found.name, found.help) == (name, COMMANDS[name])


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version(flag: str) -> None:
    done = gradcli(flag)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gradcli {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "message", "help"),
    [
        (["x*y"], "gradcli has no command 'x*y'", "to trace it as a SPEC: gradcli trace 'x*y'"),
        (["x * y", "x=2"], "gradcli has no command 'x * y'", "to trace it as a SPEC: gradcli trace 'x * y' x=2"),
        (["net.py"], "gradcli has no command 'net.py'", "to trace it as a SPEC: gradcli trace net.py"),
        (["rnu", "x"], "gradcli has no command 'rnu'", "did you mean run?"),
        (["--verison"], "gradcli has no option '--verison'", "did you mean --version?"),
        (["--seed", "3", "run", "x"], "gradcli has no option '--seed'", "options stand behind the command: "),
        ([""], "gradcli has no command ''", "to trace it as a SPEC: gradcli trace ''"),
        (["x" * 1000], f"gradcli has no command '{'x' * 37}...'", "to trace it as a SPEC: gradcli trace ..."),
        (["\udcff\x1b[31m"], "gradcli has no command '\\udcff\\x1b[31m'", "to trace it as a SPEC: "),
    ],
)  # fmt: skip
def test_what_is_no_command(words: list[str], message: str, help: str) -> None:
    done = gradcli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    first, *_, last = done.stderr.splitlines()
    assert first == f"<command line>:1:9: error[E504]: {message}"
    assert last.startswith(f"  = help: {help}")
    assert "\x1b" not in done.stderr


def test_a_value_written_as_an_option_is_known() -> None:
    done = gradcli("check", "--json", "x")
    assert done.returncode == 2
    assert done.stderr.endswith("  = help: did you mean --format json?\n")


def loaded(*words: str) -> set[str]:
    """The modules that a command line loads."""
    done = gradcli(*words, env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


READ_BY_ALL = {
    f"gradcli.cli.{name}"
    for name in ("commands", "process", "parsing", *map("parsing.{}".format, ("command", "pages", "types", "words")))
}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["completion", "zsh"]])
def test_what_needs_no_numbers_loads_none(words: list[str]) -> None:
    found = loaded(*words)
    assert "gradcli.cli.process" in found
    assert not found & {"numpy", "rich", "pydot", "gradcli.engine", "json", "difflib", "asyncio", "tempfile"}
    assert words[0] == "completion" or not found & {"gradcli.errors", "subprocess", "shlex"}
    assert {name for name in found if name.startswith("gradcli.cli.")} - READ_BY_ALL <= ({
        "run": {"gradcli.cli.run", "gradcli.cli.specs", "gradcli.cli.parsing.names"},
        "completion": {"gradcli.cli.completion"},
    }).get(words[0], set())


def test_a_run_loads_nothing_heavy_but_numpy() -> None:
    found = loaded("run", "sin(x) * x", "x=2")
    assert {"numpy", "gradcli.spec.program"} <= found
    heavy = {"rich", "pydot", "json", "difflib", "numpy.random", "shutil", "tempfile", "signal", "asyncio"}
    assert not found & heavy
    assert not found & {"gradcli.nn.modules.linear", "gradcli.nn.modules.rnn", "gradcli.optim.adam"}

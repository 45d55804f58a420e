"""Completion scripts, tried in the shells themselves where those are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gradcli.cli.commands import COMMANDS, load
from gradcli.cli.completion import bash, fish, zsh

DECLARED = {name: load(name) for name in COMMANDS}
WRITERS = {"bash": bash, "zsh": zsh, "fish": fish}


@pytest.fixture(params=WRITERS)
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_a_script_names_everything(shell: str) -> None:
    script = "\n".join(WRITERS[shell](DECLARED))
    for name, command in DECLARED.items():
        assert name in script
        for option in command.options:
            assert option.flags[-1].removeprefix("--") in script
            assert all(choice in script for choice in option.choices)


def test_a_shell_can_read_its_script(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text("\n".join(WRITERS[shell](DECLARED)) + "\n")
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


BASH = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_gradcli
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        (["r"], ["run"]),
        (["--v"], ["--version"]),
        (["run", "--d"], ["--dtype"]),
        (["run", "--dtype", ""], ["float32", "float64"]),
        (["run", "--dtype", "=", "float6"], ["float64"]),
        (["run", "--limits", "="], ["strict", "relaxed"]),
        (["run", "x", "--color", "n"], ["never"]),
        (["run", "ne"], [""]),
        (["completion", "z"], ["zsh"]),
        (["explain", "E10"], ["E101", "E102", "E103", "E104", "E105"]),
        (["ops", "--format", "j"], ["json"]),
    ],
)
def test_bash_proposes(words: list[str], proposed: list[str], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("\n".join(bash(DECLARED)) + "\n")
    quoted = " ".join(f"'{word}'" for word in ("gradcli", *words))
    done = subprocess.run(
        ["bash", "-uc", BASH.format(script=script, words=quoted)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.removesuffix("\n").split("\n") == proposed


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_knows_what_completes_gradcli(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("\n".join(bash(DECLARED)) + "\n")
    done = subprocess.run(
        ["bash", "-c", f"source {script}; complete -p gradcli"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "complete -o default -F _gradcli gradcli\n"

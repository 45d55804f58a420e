"""Completion: what is proposed where, and the scripts in the shells themselves where those are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradcli.cli.commands import COMMANDS, gradcli as group
from gradcli.cli.parsing.command import Option
from gradcli.verdicts import ALLOWED

from .invoke import environment, gradcli
from .parsing.write_pages import command

SHELLS = ("bash", "zsh", "fish")


def proposed(*words: str, **env: str) -> list[str]:
    """What is proposed for the last of the words, in the form that bash is told it."""
    asked = {"_GRADCLI_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["gradcli", *words])}
    done = gradcli(env={**asked, "COMP_CWORD": str(len(words)), **env})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["r"], ["run"]),
        (["--v"], ["--version"]),
        (["run", "--d"], ["--dtype"]),
        (["run", "--dtype", ""], ["float32", "float64"]),
        (["run", "--dtype=float6"], ["float64"]),
        (["run", "--dtype", "=", "float6"], ["float64"]),
        (["run", "--limits", "="], ["strict", "relaxed"]),
        (["run", "x", "--color", "n"], ["never"]),
        (["completion", "z"], ["zsh"]),
        (["explain", "E10"], ["E101", "E102", "E103", "E104", "E105"]),
        (["explain", "HIDDEN"], ["HIDDEN_PATH"]),
        (["ops", "--format", "j"], ["json"]),
        (["ops", "softm"], ["softmax", "softmin"]),
        (["ops", "F.softm"], ["F.softmax", "F.softmin"]),
        (["check", "x", "--allow", ""], list(ALLOWED)),
        (["check", "x", "--report", "js"], ["json:", "jsonl:"]),
        (["check", "'x * sin(y)'", "--wrt", ""], ["x", "y"]),
        (["check", "'x * sin(y)'", "--claim", ""], ["x=", "y="]),
        (["trace", "'h = tanh(w*x); (h - t)**2'", "--output", "h"], ["h"]),
        (["trace", "--why", ""], []),
        (["trace", "'x ***'", "--why", ""], []),
        (["trace", "no_such_file.py", "--why", ""], []),
        (["trace", "-", "--why", ""], []),
        (["trace", "-e", "'x*y'", "--focus", ""], ["x", "y"]),
        (["trace", "--order", "two", "'x*y'", "--wrt", ""], ["x", "y"]),
        (["trace", "--no-such-option", "'x*y'", "--wrt", ""], []),
    ],
)
def test_what_is_proposed(words: list[str], found: list[str]) -> None:
    assert proposed(*words) == [f"plain,{word}" for word in found]


def test_behind_a_spec_come_files_and_its_inputs() -> None:
    assert proposed("run", "ne") == ["file,ne"]
    assert proposed("run", "'a*b'", "a=2", "") == ["file,", "plain,b="]
    assert proposed("run", "'a*b'", "-i", "a") == ["plain,a="]
    assert proposed("export-dot", "x", "-o", "pic") == ["file,pic"]


def test_names_of_a_file_are_read_and_nothing_of_it_runs(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import os\nclass Net(nn.Module):\n    def __init__(self):\n        self.fc = nn.Linear(1, 2)\n"
        "x = torch.ones(2)\nopen('written', 'w')\nloss, (a, *b) = x.sum(), [1, 2]\n"
    )
    words = ["gradcli", "trace", "net.py", "--why", ""]
    env = {"_GRADCLI_COMPLETE": "zsh_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": "4"}
    assert gradcli(env=env, cwd=tmp_path).stdout.split() == [
        part for name in ("x", "loss", "fc", "a", "b", "Net") for part in ("plain", name, "_")
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["net.py"]


def test_calls_of_a_file_are_proposed_by_their_paths(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "class Block(nn.Module):\n    def __init__(self):\n        self.fc = nn.Linear(1, 2)\n"
        "        self.again = Block()\n"
        "class Net(nn.Module):\n    def __init__(self):\n        self.block = Block()\n"
        "def loss_of(y):\n    return y.sum()\nfor t in range(3):\n    y = Net()\n"
    )
    for option in ("--expand", "--collapse"):
        env = {"_GRADCLI_COMPLETE": "bash_complete", "COMP_WORDS": f"gradcli trace net.py {option} ", "COMP_CWORD": "4"}
        assert gradcli(env=env, cwd=tmp_path).stdout.split() == [
            f"plain,{name}" for name in ("Block", "Net", "loss_of", "fc", "again", "block", "block.fc", "block.again")
        ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_choice_is_proposed(name: str) -> None:
    options = [param for param in command(name).params if isinstance(param, Option)]
    assert set(proposed(name, "-")) == {f"plain,{flag}" for option in options for flag in option.opts}
    for option in options:
        choices = getattr(option.type, "choices", ())
        if choices:
            assert proposed(name, option.opts[-1], "") == [f"plain,{choice}" for choice in choices]


def test_commands_are_proposed_with_what_they_do() -> None:
    done = gradcli(env={"_GRADCLI_COMPLETE": "fish_complete", "COMP_WORDS": "gradcli", "COMP_CWORD": ""})
    assert done.stdout.splitlines() == [f"plain,{name}\t{help}" for name, help in COMMANDS.items()]
    assert group.commands == {}


# -- in the shells -----------------------------------------------------------------------------


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A directory with the command in it, and the scripts for the shells."""
    program = tmp_path / "bin" / "gradcli"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradcli "$@"\n')
    program.chmod(0o755)
    for name in SHELLS:
        (tmp_path / name).write_text(gradcli("completion", name).stdout)
    (tmp_path / "network.py").touch()
    return tmp_path


def surroundings(path: Path) -> dict[str, str]:
    return environment(PATH=f"{path / 'bin'}:{os.environ['PATH']}", TERM="dumb", HOME=str(path), ZDOTDIR=str(path))


def test_a_shell_can_read_its_script(shell: str, path: Path) -> None:
    done = subprocess.run([shell, "-n", str(path / shell)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


START = {
    "bash": "bash --norc -i",
    "zsh": "zsh -f -i",
    "fish": "fish --no-config --features=no-query-term -i",
}
READY = {
    "bash": "source ./bash; PS1='>'; echo rea''dy\n",
    "zsh": "autoload -U compinit; compinit -D; source ./zsh; PS1='>'; echo rea''dy\n",
    "fish": "",
}


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("gradcli expl", "gradcli explain "),
        ("gradcli run --dty", "gradcli run --dtype "),
        ("gradcli run --limits rel", "gradcli run --limits relaxed "),
        ("gradcli trace 'length*2' --wrt len", "gradcli trace 'length*2' --wrt length "),
        ("gradcli run netw", "gradcli run network.py "),
        ("gradcli run --limits=rel", "gradcli run --limits=relaxed "),
        ("gradcli export-dot x --out=netw", "gradcli export-dot x --out=network.py "),
        ("gradcli ops softmi", "gradcli ops softmin "),
        ("gradcli explain HIDD", "gradcli explain HIDDEN_PATH "),
        ("gradcli check x --allow hid", "gradcli check x --allow hidden-path "),
        # Behind these something has to follow.
        ("gradcli check 'length-2' leng", "gradcli check length-2 length="),
        ("gradcli check x --report=jun", "gradcli check x --report=junit:"),
    ],
)
def test_a_shell_completes(shell: str, path: Path, typed: str, completed: str) -> None:
    if shell == "fish":
        # It says itself what it would propose.
        done = subprocess.run(
            ["fish", "--no-config", "-c", f'source ./fish; complete -C "{typed}"'],
            capture_output=True, text=True, env=surroundings(path), cwd=path, check=False,
        )  # fmt: skip
        assert completed.split()[-1] in [line.split("\t")[0] for line in done.stdout.splitlines()]
        return
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(path)
        words = START[shell].split()
        os.execvpe(words[0], words, surroundings(path))
    try:
        os.write(terminal, READY[shell].encode())
        _read_until(terminal, "ready")
        os.write(terminal, f"{typed}\t".encode())
        _read_until(terminal, completed.split()[-1][-4:])
        # The line itself is what counts: it is said again, with all its blanks.
        os.write(terminal, b"+\x01echo + \n")
        _read_until(terminal, f"\n+ {completed.replace(chr(39), '')}+")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _read_until(terminal: int, text: str, patience: float = 60.0) -> None:
    seen, end = "", time.monotonic() + patience
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"there is no {text!r} in {seen!r}"
        seen += os.read(terminal, 65536).decode(errors="replace")

"""One border: a bug of ours never becomes a verdict, and what a program raises never becomes a bug of ours."""

from __future__ import annotations

import ast
import builtins
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.errors import LimitError, SpecError, is_of_program, raised_by_program
from tests import rings
from tests.cli.invoke import environment
from tests.rings import long

HOUSE = Path(gradcli.__file__).parent

OWN = """\
import torch

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return {forward}

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return {backward}

x = torch.tensor({at}, requires_grad=True)
h = Own.apply(x)
loss = (h * x.exp()).sum() + torch.relu(x).sum()
loss.backward()
"""
SPECS = {
    "elsewhere.py": OWN.format(
        forward="torch.where(x > 0, x ** 3, x)",
        backward="g * torch.where(x > 0, 3 * x ** 2, 2 * torch.ones_like(x))",
        at="[0.5, 1.2]",
    ),
    "here.py": OWN.format(forward="x ** 3", backward="g * 2 * x ** 2", at="[[0.5, -1.2], [2.0, 0.3]]"),
    "twice.py": OWN.format(forward="x ** 3", backward="g * 3 * x.detach() * x", at="[0.5, 1.2]"),
}
COMMANDS = [
    ["check", "elsewhere.py"],
    ["check", "here.py"],
    ["check", "twice.py", "--order", "3"],
    ["check", "x**2", "x=1", "--claim", "x=2*x"],
    ["trace", "here.py", "--output", "h", "--saved"],
    ["trace", "x**3", "x=2", "--order", "2"],
    ["export-dot", "here.py"],
]


@long("as many programs as there are places")
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="processes are not copied there")
def test_a_bug_planted_in_any_try_body_ends_with_exit_3(tmp_path: Path) -> None:
    for name, text in SPECS.items():
        (tmp_path / name).write_text(text)
    most = 1000 if rings.is_full() else 3
    words = [sys.executable, "-m", "tests.check.planted", json.dumps(COMMANDS), str(most)]
    env = environment(PYTHONPATH=str(Path(__file__).parents[2]))
    found = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=env, check=False, timeout=500)
    assert found.stderr == ""
    tried = json.loads(found.stdout)
    assert len(tried) >= (40 if rings.is_full() else 12)
    assert {place: codes for place, codes in tried.items() if codes[0] == 3 or codes[1] != 3} == {}


def broad(path: Path) -> list[ast.ExceptHandler]:
    """The handlers of a module that catch whatever there is."""
    handlers = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ExceptHandler)]
    return [n for n in handlers if n.type is None or _names(n.type) & {"Exception", "BaseException"}]


def _names(what: ast.expr) -> set[str]:
    return {x.id for x in ast.walk(what) if isinstance(x, ast.Name)}


BELOW = ("check", "graph", "report", "engine", "nn", "optim", "spec", "text", "utils")


def modules(*rooms: str) -> list[Path]:
    return sorted(path for room in rooms for path in (HOUSE / room).rglob("*.py"))


# What a generator is resumed with goes on into the one that it wraps; what a sample ends with, to who waits for it; and
# what ends a program while one of its generators is freed, where nothing can be raised, to its next step.
PASSED_ON = {"engine/modes.py": 1, "engine/transforms/in_step.py": 1, "spec/language/machine.py": 1}


def test_nothing_below_the_commands_catches_whatever_there_is() -> None:
    """A handler names what it is for, or asks `raised_by_program()` or its like; what tidies up raises again."""
    below = [(path.relative_to(HOUSE).as_posix(), x) for path in modules(*BELOW) for x in broad(path)]
    swallowing = [name for name, x in below if not isinstance(x.body[-1], ast.Raise)]
    assert {name: swallowing.count(name) for name in swallowing} == PASSED_ON
    assert [name for name, x in below if x.type is None or "Exception" in _names(x.type)] == []
    assert [path for path in modules("check", "graph/view", "graph/ask", "graph/text", "report") if broad(path)] == []


def test_what_is_never_caught_is_said_once() -> None:
    assert not is_of_program(LimitError("too much"))
    assert not is_of_program(MemoryError())
    assert not is_of_program(RecursionError())
    assert is_of_program(SpecError("there is no such thing"))


def caught(raising: str, error: str, name: str) -> bool:
    """Whether an exception that a module of this name raises is taken for the program's where it is asked."""
    space = {"__name__": name, "np": np}
    exec(compile(f"def act():\n    {raising}", name, "exec"), space)
    asking = {"__name__": "gradcli.check.some_room", "act": space["act"], "raised_by_program": raised_by_program}
    code = "def ask():\n    try:\n        act()\n    except raised_by_program():\n        return True\n    return False"
    exec(compile(code, "ask", "exec"), asking)
    try:
        return bool(asking["ask"]())
    except vars(builtins).get(error, np.linalg.LinAlgError):
        return False


@pytest.mark.parametrize(
    ("name", "raising", "error", "is_programs"),
    [
        ("gradcli.check.other_room", "x.at_", "NameError", False),
        ("gradcli.check.other_room", "1 / 0", "ZeroDivisionError", False),
        ("gradcli.graph.view.view", "None.at", "AttributeError", False),
        ("gradcli.engine.walk.walk", "None.at", "AttributeError", False),
        ("gradcli.engine.walk.walk", "int('x')", "ValueError", False),
        ("gradcli.engine.ops.matrix.inverse", "np.linalg.inv(np.zeros((2, 2)))", "LinAlgError", True),
        ("gradcli.engine.ops.pointwise.arith", "1 / 0", "ZeroDivisionError", True),
        ("gradcli.spec.language.calls", "None.at", "AttributeError", True),
        ("gradcli.spec.values.user_definitions", "None.at", "AttributeError", True),
        ("gradcli.spec.node_names", "None.at", "AttributeError", False),
        ("a_module_of_the_users", "None.at", "AttributeError", True),
    ],
)  # fmt: skip
def test_the_room_where_it_arose_says_whose_it_is(name: str, raising: str, error: str, is_programs: bool) -> None:
    assert caught(raising, error, name) is is_programs

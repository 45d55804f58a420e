"""`--backward N`: of the backwards of a program the one that is shown, checked and drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.invoke import gradcli

LOOP = """\
import torch
from torch.autograd import backward
w = torch.tensor([1.0, 2.0], requires_grad=True)
def step(k):
    try:
        loss = (w ** k).sum()
        backward(loss)
    except BaseException:
        print("caught")
for k in range(1, 4):
    step(k)
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""

AGAIN = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 2
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print("again:", error)
"""


@pytest.fixture
def loop(tmp_path: Path) -> str:
    path = tmp_path / "loop.py"
    path.write_text(LOOP)
    return str(path)


def first_line(*words: str) -> str:
    done = gradcli(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()[0]


def test_a_trace_is_of_the_last_one_and_says_so(loop: str) -> None:
    title, told = first_line("trace", loop).split("  ", 1)
    assert (title, told.strip()) == ("loss = (w ** k).sum()", "backward 3 of 3 · 2 ops · 1 leaf · 2 edges")


def test_a_trace_of_another_one_has_the_numbers_of_then(loop: str) -> None:
    done = gradcli("trace", loop, "--backward", "1", "--values", "full", "--grads", "full")
    assert done.stdout.splitlines()[0].endswith("backward 1 · 2 ops · 1 leaf · 2 edges")
    # Before the first step nothing was written to the weights.
    assert re.search(r"value \[1.0, 2.0\]\n +grad +\[1.0, 1.0\]\nleaf", done.stdout)
    # The program ends there: nothing is told of what the rest of it does to .grad.
    assert "in the end" not in done.stdout
    second = gradcli("trace", loop, "--backward", "2", "--values", "full")
    assert re.search(r"value \[0.9\d*, 1.9\d*\]\nleaf", second.stdout)


def test_machines_are_told_the_number(loop: str) -> None:
    for words, told in (([], {"number": 3, "of": 3}), (["--backward", "2"], {"number": 2, "of": None})):
        done = gradcli("trace", loop, "--format", "json", *words)
        assert json.loads(done.stdout)["backward"] == told
    assert "backward" not in json.loads(gradcli("trace", "x*x", "x=2", "--format", "json").stdout)


def test_a_picture_and_a_check_say_which_one(loop: str) -> None:
    assert "backward 3 of 3 · 2 ops" in gradcli("export-dot", loop).stdout
    assert "backward 2 · 2 ops" in gradcli("export-dot", loop, "--backward", "2").stdout
    assert first_line("check", loop).endswith("right: 1 input (2 numbers), order 1, backward 3 of 3, 13 digits")
    assert first_line("check", loop, "--backward", "2").endswith("order 1, backward 2, 13 digits")


def test_a_wrong_one_is_found_again_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(
        LOOP.replace("(w ** k).sum()", "F.apply(w, k).sum()").replace(
            "def step",
            """class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, k):
        ctx.save_for_backward(w)
        ctx.k = k
        return w ** k
    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        # Right for the first and the second power alone.
        return g * (ctx.k if ctx.k < 3 else 2) * w ** (ctx.k - 1), None
def step""",
        )
    )
    assert gradcli("check", str(path), "--backward", "1").returncode == 0
    done = gradcli("check", str(path), "--backward", "3")
    assert done.returncode == 1
    assert "--backward 3" in done.stdout


def test_one_that_there_is_not_is_refused(loop: str) -> None:
    done = gradcli("trace", loop, "--backward", "4")
    assert (done.returncode, done.stdout) == (2, "")
    said = "error[E503]: the program calls backward() 3 times: there is no backward 4\n"
    assert done.stderr == f"{said}  = help: --backward 3 is the last\n"
    done = gradcli("check", "x*x", "x=2", "--backward", "1")
    assert done.returncode == 2
    assert "the program never calls backward(): there is no backward 1" in done.stderr


def test_one_that_failed_is_none(tmp_path: Path) -> None:
    path = tmp_path / "again.py"
    path.write_text(AGAIN)
    assert first_line("trace", str(path)).startswith("y = x ** 2  ")
    assert gradcli("trace", str(path), "--backward", "2").returncode == 2


def test_it_is_about_programs(loop: str) -> None:
    done = gradcli("trace", f"{loop}:step", "--python", "--backward", "1")
    assert done.returncode == 2
    assert "--backward says nothing to --python, which runs no spec" in done.stderr

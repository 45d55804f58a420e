"""``gradcli check --python``: somebody's own code, imported and run by that flag alone."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from gradcli.cli.python.load import loaded
from gradcli.errors import InputError

from .invoke import gradcli

LOSS = '''\
import os
import sys
import time

import numpy as np

print("imported")


def loss(x, y):
    return np.sum((x - y) ** 2)


def dloss(x, y):
    return 2 * (x - y), -2 * (x - y)


def wrong(x, y):
    return 2 * (x - y), 2 * (x - y)


def ends(x):
    os._exit(0)


def waits(x):
    time.sleep(600)


def exits(x):
    sys.exit(3)


def takes(x):
    return np.ones(2 * 10**9).sum() * x


def same(x):
    return x


def picked(w, places, scale):
    return scale * np.sum(w[places] ** 2)


def dpicked(w, places, scale):
    found = np.zeros_like(w)
    np.add.at(found, places, 2 * scale * w[places])
    return found


def gradcli_cases():
    yield "same-small", {"x": np.ones(2)}
    yield "same-large", {"x": np.arange(40.0)}
'''

NET = '''\
import torch
from torch import nn


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * s * (1 + x * s)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.fc(x)).tanh()


def f(x):
    return Swish.apply(3 * x).sum()
'''

WRONG = """\
loss.py:19:5: G101 wrong gradient: loss with respect to y (2 of 2 entries)
   |
19 |     return 2 * (x - y), 2 * (x - y)
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = worst at y[0] = 3.0: claimed -4, true 4 ± """


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "loss.py").write_text(LOSS)
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def test_a_loss_with_its_gradient_by_hand(place: Path) -> None:
    words = ["check", "--python", "loss.py:loss", "x=[1, 2]", "y=[3, 0]", "--derivative"]
    right = gradcli(*words, "loss.py:dloss", cwd=place)
    assert right.returncode == 0
    assert right.stdout.startswith("loss.py:loss: right: 2 inputs (4 numbers), order 1, ")
    assert right.stderr == "imported\n" * 2
    wrong = gradcli(*words, "loss:wrong", cwd=place)
    assert wrong.returncode == 1
    assert wrong.stdout.startswith(WRONG)
    again = "gradcli check --python loss.py:loss 'x=[1, 2]' 'y=[3, 0]' --derivative loss:wrong --kind grad"
    assert f"= reproduce: {again} --output loss --wrt y\n" in wrong.stdout


def test_an_input_that_stays_is_no_input_of_the_gradient(place: Path) -> None:
    words = ["loss:picked", "w=randn(3)", "places=[0, 2, 2]", "scale=0.5"]
    held = [*words, "--no-grad", "places", "--no-grad", "scale"]
    done = gradcli("check", "--python", *held, "--derivative", "loss:dpicked", cwd=place)
    assert done.stdout.startswith("loss:picked: right: 1 input (3 numbers), order 1, ")
    # Numbers that are not held are floats, and no places.
    moved = gradcli("check", "--python", *words, "--derivative", "loss:dpicked", cwd=place)
    assert (moved.returncode, "picked stops: IndexError" in moved.stderr) == (2, True)
    table = 'target = "loss:picked"\nderivative = "loss:dpicked"\nno-grad = ["places", "scale"]\n'
    inputs = 'inputs = {w = "randn(3)", places = "[0, 1]", scale = "2"}\n'
    (place / "pyproject.toml").write_text(f"[[tool.gradcli.python]]\n{table}{inputs}")
    done = gradcli("check", "--python", cwd=place)
    assert done.stdout.startswith("loss:picked: right: 1 input (3 numbers), order 1, ")


def test_a_module_that_a_package_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(InputError) as caught:
        loaded("numpy.linlag:norm")
    assert str(caught.value).endswith("importing numpy.linlag stops: numpy has no module 'linlag'")
    assert caught.value.help == "did you mean 'linalg'?"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["loss:same", "x=1", "--no-grad", "z"], "error[E503]: --no-grad z: there is no input z\n"),
        (["loss:same", "--no-grad", "z"], "error[E503]: --no-grad z: there is no input z\n"),
        (["loss:nothing", "x=1"], "loss:nothing: error[E502]: loss has no 'nothing'\n"),
        (["loss:los", "x=1"], "  = help: did you mean 'loss'?\n"),
        (["nowhere:f", "x=1"], "importing nowhere stops: ModuleNotFoundError: No module named 'nowhere'\n"),
        (["nowhere.py:f", "x=1"], "error[E501]: there is no file 'nowhere.py'\n"),
        (["loss:loss"], "error[E503]: gradcli_cases() yields no inputs that fit loss\n"),
        (["loss:loss", "x=1", "y=2"], "error[G114]: there is no gradient of loss to check\n"),
        (["loss:loss", "x=1", "--derivative", "loss:dloss"],
         "error[E503]: loss(x, y) cannot be called with x\n"),
        (["loss:same", "x=[1, 2]", "--derivative", "loss:dloss"], "dloss stops: TypeError: dloss() missing 1 required"),
        (["loss:same", "@no.npz", "--derivative", "loss:same"], "error[E501]: there is no file 'no.npz'\n"),
        (["loss:same", "@loss.py", "--derivative", "loss:same"], "error[E501]: 'loss.py' is no .npz file\n"),
        (["loss:ends", "x=1", "--derivative", "loss:same"],
         "loss:ends: error[E411]: the process that ran the program ended in the middle of it: exit code 0\n"),
        (["loss:exits", "x=1", "--derivative", "loss:same"],
         "loss:exits: error[E503]: the function ends the program that calls it: SystemExit: 3\n"),
        (["loss:takes", "x=1", "--derivative", "loss:same", "--max-memory", "600"],
         "loss:takes: error[E402]: the check needs too much memory; the limit is 600 MB\n"
         "  = help: `--max-memory MB` allows more\n"),
        (["loss:waits", "x=1", "--derivative", "loss:same", "--timeout", "1"],
         "loss:waits: error[E401]: the program was stopped: it may run for 1 s\n"
         ),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_one_sentence(place: Path, words: list[str], said: str) -> None:
    done = gradcli("check", "--python", *words, cwd=place)
    assert said in done.stderr
    assert done.returncode == 2


def test_a_crash_leaves_other_targets_alone(place: Path) -> None:
    (place / "faults.py").write_text("import ctypes\n\nctypes.string_at(0)\n")
    done = gradcli("check", "--python", "faults:f", "loss:same", "loss:nothing", "x=1", cwd=place)
    assert done.returncode == 2
    assert "faults:f: error[E411]: the process that ran the program ended in the middle of it: SIGSEGV" in done.stderr
    assert "loss:nothing: error[E502]: loss has no 'nothing'" in done.stderr


def test_a_module_yields_its_cases(place: Path) -> None:
    done = gradcli("check", "--python", "loss:same", "--derivative", "loss:same", "--kind", "jvp", cwd=place)
    assert "same stops: TypeError" in done.stderr
    (place / "loss.py").write_text(LOSS + "\n\ndef pulled(x, g):\n    return g\n")
    done = gradcli("check", "--python", "loss:same", "--derivative", "loss:pulled", "--kind", "vjp", "-v", cwd=place)
    assert done.returncode == 0
    assert "same (same-small)" in done.stdout
    assert "same (same-large)" in done.stdout


CASES = '''\
import os

import numpy as np


def f(x):
    if x.size == 2:
        os._exit(3)
    if x.size == 4:
        raise ValueError("four")
    return np.sum(x**3)


def df(x):
    return 3 * x**2 if x.size == 3 else x


def gradcli_cases():
    for n in range(1, 6):
        yield f"f-{n}", {"x": np.full(n, 2.0)}
'''


def test_a_case_that_breaks_leaves_other_cases_alone(place: Path) -> None:
    (place / "several.py").write_text(CASES)
    words = ("check", "--python", "several:f", "--derivative", "several:df")
    done = gradcli(*words, cwd=place)
    assert done.returncode == 1
    assert "exit code 3\n  = note: so it did twice, the second time alone\n  = note: in the case 'f-2'" in done.stderr
    assert "  = note: in the case 'f-4': f stops: ValueError: four" in done.stderr
    assert "wrong gradient: f (f-1)" in done.stdout
    assert "2 wrong, 1 right, 1 broken" in done.stdout
    (again,) = (line.partition("gradcli ")[2] for line in done.stdout.splitlines() if "'f (f-5)'" in line)
    done = gradcli(*shlex.split(again), cwd=place)
    assert "1 wrong, 0 right in" in done.stdout


@pytest.mark.parametrize("form", ["json", "jsonl", "junit", "github", "sarif", "markdown", "concise"])
def test_all_reports_have_it(place: Path, form: str) -> None:
    words = ["loss:loss", "x=[1, 2]", "y=[3, 0]", "--derivative", "loss:wrong", "--format", form]
    done = gradcli("check", "--python", *words, cwd=place)
    assert done.returncode == 1
    assert "G101" in done.stdout or "WRONG" in done.stdout


def test_functions_and_modules_of_torch(place: Path) -> None:
    pytest.importorskip("torch")
    wrong = gradcli("check", "--python", "net:f", "x=randn(3)", "--format", "json", cwd=place)
    assert wrong.returncode == 1
    assert json.loads(wrong.stdout)["results"][0]["node"]["name"] == "SwishBackward"
    right = gradcli("check", "--python", "net:Net", "x=randn(2,3)", "--order", "2", "-v", cwd=place)
    assert right.returncode == 0, right.stdout + right.stderr
    assert "fc.weight" in right.stdout
    dropping = gradcli("check", "--python", "net:Net", "x=randn(2,3)", "--train", cwd=place)
    assert dropping.returncode == 1
    assert "NONDETERMINISTIC: Dropout 'drop' drops other numbers at each call" in dropping.stdout


# -- settings ----------------------------------------------------------------------------------

TABLES = """
[tool.gradcli]
paths = ["spec.py"]

[[tool.gradcli.python]]
target = "loss:loss"
derivative = "loss:dloss"
inputs = {x = "[1, 2]", y = "[3, 0]"}

[[tool.gradcli.python]]
target = "touch.py:f"
inputs = {x = "1"}
"""
TOUCH = "from pathlib import Path\n\nPath('touched').write_text('run')\n\n\ndef f(x):\n    return x\n"


@pytest.fixture
def project(place: Path) -> Path:
    (place / "pyproject.toml").write_text(TABLES)
    (place / "touch.py").write_text(TOUCH)
    (place / "spec.py").write_text(
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\n"
    )
    return place


def test_targets_alone_are_told(project: Path) -> None:
    (project / "pyproject.toml").write_text(TABLES.replace('paths = ["spec.py"]', ""))
    done = gradcli("check", cwd=project)
    assert done.returncode == 2
    assert "there is no SPEC, and 2 python targets not checked" in done.stderr
    assert "help: add --python" in done.stderr
    assert not (project / "touched").exists()


@pytest.mark.parametrize("words", [[], ["spec.py"], ["--trust-config"], ["--list"], ["spec.py::y"], ["touch.py"]])
def test_settings_alone_make_nothing_run(project: Path, words: list[str]) -> None:
    gradcli("check", *words, cwd=project, env={"GRADCLI_PYTHON": "1", "GRADCLI_TRUST_CONFIG": "1"})
    assert not (project / "touched").exists()


def test_a_check_says_what_it_left_alone(project: Path) -> None:
    done = gradcli("check", cwd=project)
    assert done.returncode == 0
    assert done.stderr == "note: 2 python targets not checked: add --python\n"
    done = gradcli("check", "--python", cwd=project)
    assert "loss:loss: right: 2 inputs (4 numbers)" in done.stdout
    assert (project / "touched").exists()


def test_a_named_target_runs_no_other(project: Path) -> None:
    done = gradcli("check", "--python", "loss:loss", "x=1", "y=2", "--derivative", "loss:dloss", cwd=project)
    assert done.returncode == 0
    assert not (project / "touched").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('target = "os.system"', "'target' takes a function in a module: pkg.mod:name or file.py:name"),
        ('target = "loss:loss"\nkind = "all"', "'kind' takes 'grad', 'vjp', 'jac' or 'jvp'"),
        ('derivative = "loss:loss"', "a function has no 'target'"),
        ('target = "loss:loss"\ncommand = "x"', "gradcli has no setting 'command'"),
    ],
)
def test_settings_that_are_none(place: Path, table: str, said: str) -> None:
    (place / "pyproject.toml").write_text(f"[[tool.gradcli.python]]\n{table}\n")
    done = gradcli("check", "x**2", "x=1", cwd=place)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x**2", "x=1", "--derivative", "loss:wrong"], "--derivative is about a function of --python"),
        (["--python", "x**2", "x=1"], "'x**2' is no function in a module"),
        (["--python", "loss:loss", "--claim", "x=1"], "--claim says nothing to --python, which runs no spec"),
        (["--python", "loss:loss", "--kind", "vjp"], "--kind says what --derivative is"),
        (["--python"], "there is no function to check"),
    ],
)
def test_options_that_do_not_fit(place: Path, words: list[str], said: str) -> None:
    done = gradcli("check", *words, cwd=place)
    assert done.returncode == 2
    assert said in done.stderr

"""``[[tool.gradcli.spec]]``: specs of a project with their inputs and claims, as a shell meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ..invoke import environment, gradcli

LOSSES = """\
import numpy as np


def loss(x, y):
    return np.sum((x - y) ** 2)


def dloss(x, y):
    return 2 * (x - y), -2 * (x - y)


def slipped(x, y):
    return 2 * (x - y), 2 * (x - y)
"""
TWO = '[[tool.gradcli.spec]]\npath = "whole.py"\n\n[[tool.gradcli.spec]]\npath = "losses.py::loss"\n'
INPUTS = 'inputs = {x = "randn(3)", y = "rand(3)"}\n'
RIGHT = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "losses.py").write_text(LOSSES)
    (tmp_path / "whole.py").write_text(RIGHT)
    return tmp_path


def write(place: Path, text: str) -> None:
    (place / "pyproject.toml").write_text(text)


def test_a_plain_check_is_of_all_tables(place: Path) -> None:
    write(place, TWO + INPUTS + 'claim-from = "dloss"\n')
    done = gradcli("check", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert "whole.py: right: 1 input" in done.stdout
    assert "losses.py::loss: right: 2 inputs" in done.stdout
    assert gradcli("check", "--list", cwd=place).stdout == "whole.py\nlosses.py::loss\n"


def test_a_wrong_claim_fails(place: Path) -> None:
    table = 'claim-from = "slipped"\nallow = ["kink"]\n'
    write(place, TWO + INPUTS + table)
    done = gradcli("check", cwd=place)
    assert done.returncode == 1
    assert "G101 wrong gradient: loss.3 with respect to y (3 of 3 entries)" in done.stdout
    assert "reproduce: gradcli check losses.py::loss --output loss.3 --wrt y\n" in done.stdout
    assert "`--allow" not in done.stderr
    write(place, TWO + INPUTS + table.replace("kink", "wrong"))
    assert gradcli("check", cwd=place).returncode == 0


def test_a_file_means_what_tables_name_of_it(place: Path) -> None:
    first = TWO + INPUTS + 'claims = {x = "2*(x - y)", y = "-2*(x - y)"}\n'
    second = '[[tool.gradcli.spec]]\npath = "losses.py"\ntarget = "loss"\ninputs = {x = "1", y = "2"}\n'
    write(place, first + second)
    for words in (["losses.py"], ["losses.py::loss"], ["losses.py", "./losses.py", "losses.py::loss"], ["."]):
        found = gradcli("check", *words, "--list", cwd=place).stdout.splitlines()
        assert [Path(name).name for name in found if "losses" in name] == ["losses.py::loss"] * 2
    (place / "sub").mkdir()
    done = gradcli("check", "../losses.py", cwd=place / "sub")
    assert done.returncode == 0
    assert done.stdout.count("../losses.py::loss: right") == 2
    assert gradcli("check", "--isolated", "losses.py", "--list", cwd=place).stdout == "losses.py\n"


def test_what_is_nearer_to_the_hand_counts(place: Path) -> None:
    write(place, TWO + 'inputs = {x = "1", y = "[1, 2]"}\nclaims = {x = "3"}\n')
    done = gradcli("check", "losses.py::loss", "--format", "json", cwd=place)
    assert [x["verdict"] for x in json.loads(done.stdout)["results"]] == ["WRONG"]
    done = gradcli("check", "losses.py::loss", "x=randn(2)", "--claim", "y=-2*(x - y)", "--format", "json", cwd=place)
    (result,) = json.loads(done.stdout)["results"]
    assert (result["input"], result["verdict"], result["entries"]) == ("y", "PASS", 2)
    (place / "losses.py").write_text("# gradcli: x=randn(2), claim-from dloss\n" + LOSSES)
    done = gradcli("check", "losses.py::loss", "--format", "json", cwd=place)
    assert [(x["input"], x["entries"]) for x in json.loads(done.stdout)["results"]] == [("x", 2), ("y", 2)]


def test_constants_and_settings_of_a_table(place: Path) -> None:
    write(place, "[tool.gradcli]\norder = 3\n" + TWO + INPUTS + 'no-grad = ["y"]\norder = 2\n')
    done = gradcli("check", "losses.py", "--format", "json", cwd=place)
    assert {(x["input"], x["order"]) for x in json.loads(done.stdout)["results"]} == {("x", 1), ("x", 2)}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            'inputs = {x = "randn(3)", y = "1 + randm(3)"}',
            """\
pyproject.toml:6:36: error[E202]: NameError: name 'randm' is not defined
  |
6 | inputs = {x = "randn(3)", y = "1 + randm(3)"}
  |                                    ^^^^^
  = help: did you mean rand?
""",
        ),
        (
            '[tool.gradcli.spec.inputs]\nx = "1"\n',
            """\
losses.py:4:5: error[E301]: TypeError: loss() missing 1 required positional argument: 'y'
  |
4 | def loss(x, y):
  |     ^^^^
  = help: it is given its inputs by their names: x='randn(3)' y='randn(3)'; \
it was given x=1, as the table at pyproject.toml:4 says
""",
        ),
        (
            INPUTS + 'claims = {x = "2*(x - z)"}',
            """\
pyproject.toml:7:23: error[E202]: NameError: name 'z' is not defined
  |
7 | claims = {x = "2*(x - z)"}
  |                       ^
""",
        ),
        (
            INPUTS + 'claims = {q = "2*x"}',
            """\
pyproject.toml:7:11: error[E503]: loss.3 depends on no input 'q'
  |
7 | claims = {q = "2*x"}
  |           ^
  = help: inputs are x, y
""",
        ),
        (
            INPUTS + 'claim-from = "dlos"',
            """\
pyproject.toml:7:1: error[E503]: losses.py has no function 'dlos'
  |
7 | claim-from = "dlos"
  | ^^^^^^^^^^
  = help: did you mean dloss?
""",
        ),
        (
            INPUTS + 'no-grad = ["z"]',
            """\
pyproject.toml:7:1: error[E503]: --no-grad z: there is no input z
  |
7 | no-grad = ["z"]
  | ^^^^^^^
  = help: give it a value: z=2
""",
        ),
        (
            'inputs = {x = "@losses.npy"}',
            """\
pyproject.toml:6:11: error[E505]: the input 'x' is a file, and files are named by whoever runs a program
  |
6 | inputs = {x = "@losses.npy"}
  |           ^
  = help: name it on the command line, x=@losses.npy, or use `--trust-config`
""",
        ),
        (
            INPUTS + 'claim = "x"',
            """\
pyproject.toml:7:1: error[E505]: gradcli has no setting 'claim'
  |
7 | claim = "x"
  | ^^^^^
  = help: did you mean claims?
""",
        ),
        (
            'inputs = {x = 3}',
            """\
pyproject.toml:6:1: error[E505]: 'inputs' takes a table of texts, such as {x = "randn(3)"}
  |
6 | inputs = {x = 3}
  | ^^^^^^
""",
        ),
        (
            'claims = {x = "=3"}',
            """\
pyproject.toml:6:11: error[E505]: a claim is an input and its derivative
  |
6 | claims = {x = "=3"}
  |           ^
  = help: for example claims = {x = "2*x*cos(x)"}
""",
        ),
        (
            'timeout = 1000',
            """\
pyproject.toml:6:1: error[E505]: settings may only tighten limits, and this 'timeout' loosens one
  |
6 | timeout = 1000
  | ^^^^^^^
  = help: `--timeout` on the command line allows more, and so does `--trust-config`
""",
        ),
        (
            'target = "loss"',
            """\
pyproject.toml:6:1: error[E505]: 'path' names one already
  |
6 | target = "loss"
  | ^^^^^^
  = help: leave 'target' out, or '::loss'
""",
        ),
    ],
    ids=map(str, range(12)),
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(place: Path, table: str, said: str) -> None:
    write(place, TWO + table)
    done = gradcli("check", "losses.py", cwd=place)
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('path = "gone.py"', "1:1: error[E501]: no such file: 'gone.py'"),
        ('path = "losses.py::los"', "1:1: error[E503]: losses.py has no 'los'"),
        ('path = "../losses.py"', "2:1: error[E505]: '../losses.py' leads out of the project"),
        ('path = "pyproject.toml"', "2:1: error[E505]: 'pyproject.toml' is no Python file"),
        ('target = "loss"', "1:1: error[E505]: a spec has no 'path'"),
    ],
)
def test_paths_that_are_none(place: Path, table: str, said: str) -> None:
    write(place, f"[[tool.gradcli.spec]]\n{table}\n")
    done = gradcli("check", cwd=place)
    assert done.returncode == 2
    assert done.stderr.startswith(f"pyproject.toml:{said}"), done.stderr


def test_a_table_is_an_item_of_pytest(place: Path) -> None:
    pytest.importorskip("torch", reason="the plugin of pytest is tried where all of it can be")
    second = '[[tool.gradcli.spec]]\npath = "losses.py::loss"\ninputs = {x = "1", y = "2"}\nclaims = {x = "3"}\n'
    write(place, TWO + INPUTS + second + '[tool.pytest.ini_options]\ngradcli_paths = "losses.py"\n')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "losses.py"],
        cwd=place, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert "losses.py::loss PASSED" in done.stdout, done.stdout
    assert "losses.py::loss-2 FAILED" in done.stdout
    assert "CLAIM: 3" in done.stdout


# -- the other commands ---------------------------------------------------------------------------


def test_other_commands_take_the_inputs_of_the_first_table(place: Path) -> None:
    table = 'path = "plain.py::f"\ninputs = {x = "[1, 2]", y = "3"}\nno-grad = ["y"]\n'
    (place / "plain.py").write_text("def f(x, y):\n    return (x * y).sum()\n")
    write(place, f"[[tool.gradcli.spec]]\n{table}\n[[tool.gradcli.spec]]\npath = 'plain.py::f'\n")
    traced = gradcli("trace", "plain.py::f", cwd=place)
    assert (traced.returncode, traced.stderr) == (0, "")
    assert "leaf grads   x = ‖4.24‖" in traced.stdout
    assert 'label="x' in gradcli("export-dot", "plain.py::f", cwd=place).stdout
    assert gradcli("run", "plain.py::f", cwd=place).returncode == 0
    # What the command line says counts before it, and no other function of the file is meant.
    assert "x = ‖1.73‖" in gradcli("trace", "plain.py::f", "x=[1, 2, 5]", "y=1", cwd=place).stdout
    wrong = gradcli("trace", "plain.py::f", "x=[1, 2, 5]", "y=[1, 2]", cwd=place).stderr
    assert "as the table" not in gradcli("trace", "plain.py", cwd=place).stderr
    assert "it was given no inputs, as the table at pyproject.toml:1 says" in wrong

"""Losses of NumPy's with their gradients by hand, in files: `--claim-from`, and claims in comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import gradcli
from tests.rings import long, sampled

LOGISTIC = """
import numpy as np
from scipy.special import expit

def loss(w, X, y):
    p = expit(X @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + 0.5 * w @ w

def dloss(w, X, y):
    p = expit(X @ w)
    return X.T @ (p - y) / len(y) + w

def twice(w, X, y):
    p = expit(X @ w)
    return X.T @ (p - y) + w

def of_both(w, X, y):
    p = expit(X @ w)
    r = (p - y) / len(y)
    return X.T @ r + w, np.outer(r, w)

def by_name(X, w, y):
    dw, dX = of_both(w, X, y)
    return {"X": dX, "w": dw}
"""
INPUTS = ["w=[0.1,-0.2]", "X=randn(5,2)", "y=[0,1,1,0,1]", "--no-grad", "y"]


@pytest.fixture
def logistic(tmp_path: Path) -> Path:
    path = tmp_path / "loss.py"
    path.write_text(LOGISTIC)
    return path


@sampled(3)
@pytest.mark.parametrize("claimed", ["of_both", "by_name", "loss.py::of_both"])
def test_all_derivatives_of_a_function(logistic: Path, claimed: str) -> None:
    done = gradcli("check", "loss.py::loss", *INPUTS, "--claim-from", claimed, cwd=logistic.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert "right: 2 inputs, order 1" in done.stdout
    call = "by_name(X=X, w=w, y=y)" if claimed == "by_name" else "of_both(w=w, X=X, y=y)"
    assert f"CLAIM: {call}" in done.stdout


def test_the_derivative_of_one_input(logistic: Path) -> None:
    done = gradcli("check", f"{logistic}::loss", *INPUTS, "--no-grad", "X", "--claim-from", f"{logistic}::dloss")
    assert (done.returncode, done.stderr) == (0, "")


def test_bare_names_of_a_claim_are_functions_of_arrays(tmp_path: Path) -> None:
    path = tmp_path / "loss.py"
    text = "# gradcli: x=randn(3)\n# gradcli: claim x=2*x*cos(x**2) - sign(x)\nimport numpy as np\n"
    path.write_text(text + "def f(x):\n    return np.sin(x**2).sum() - abs(x).sum()\n")
    done = gradcli("check", f"{path}::f")
    assert (done.returncode, done.stderr) == (0, "")
    done = gradcli("check", f"{path}::f", "--claim", "x=3*x*np.cos(x**2) - sign(x)")
    assert (done.returncode, "wrong gradient" in done.stdout) == (1, True)


def test_what_is_wrong_is_named(logistic: Path) -> None:
    done = gradcli("check", f"{logistic}::loss", *INPUTS, "--no-grad", "X", "--claim-from", "twice")
    assert done.returncode == 1
    assert "with respect to w (2 of 2 entries)" in done.stdout
    assert "--claim-from twice --output" in done.stdout


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        ("dloss", "dloss gives 1 derivative, for 2 inputs: w, X\n"),
        ("dlos", "has no function 'dlos'\n  = help: did you mean dloss?"),
        ("other.py::dloss", "--claim-from other.py::dloss: the function is to stand in the file that is checked\n"),
    ],
)
def test_what_cannot_be_a_claim(logistic: Path, claimed: str, words: str) -> None:
    done = gradcli("check", f"{logistic}::loss", *INPUTS, "--claim-from", claimed)
    assert done.returncode == 2
    assert words in done.stderr


@sampled(3)
@pytest.mark.parametrize(
    ("comments", "code"),
    [
        ("# gradcli: w=[0.1, -0.2], X=randn(5, 2), y=[0, 1, 1, 0, 1]\n# gradcli: no-grad y, claim-from of_both\n", 0),
        pytest.param(
            "# gradcli: w=[0.1, -0.2], X=randn(5, 2)\n# gradcli: y=[0, 1, 1, 0, 1], no-grad X, no-grad y\n"
            "# gradcli: claim w=dloss(w, X, y)\n", 0, marks=long("it takes two seconds"),
        ),
        (
            "# gradcli: w=[0.1, -0.2], X=randn(5, 2), unused=3\n# gradcli: y=[0, 1, 1, 0, 1], no-grad X, no-grad y\n"
            "# gradcli: claim w=2 * dloss(w, X, y)\n", 1,
        ),
    ],
)  # fmt: skip
def test_comments_give_inputs_and_claims(logistic: Path, comments: str, code: int) -> None:
    logistic.write_text(comments + LOGISTIC)
    done = gradcli("check", f"{logistic}::loss")
    assert (done.returncode, done.stderr) == (code, "")
    # Those of the command line count for more.
    assert gradcli("check", f"{logistic}::loss", "w=[0.3,0.4]", "--claim", "w=0").returncode == 1


def test_a_comment_names_no_file(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("# gradcli: x=@/etc/passwd\nimport numpy as np\ndef f(x): return np.sum(x)\n")
    done = gradcli("check", f"{path}::f")
    assert done.returncode == 2
    assert "write input NAME=VALUE, as on the command line, and no @file" in done.stderr


def test_a_function_that_has_no_derivative_here_is_told(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("import numpy as np\ndef f(x): return np.histogram(x)[0] * np.sum(np.nanmax(x))\n")
    done = gradcli("check", f"{path}::f", "x=[1,2]")
    assert done.returncode == 2
    path.write_text("import numpy as np\ndef f(x): return np.nanmax(x)\n")
    done = gradcli("check", f"{path}::f", "x=[1,2]")
    assert "numpy.nanmax of an input has no derivative here" in done.stderr


def test_a_program_with_pytorch_keeps_pytorchs_numpy(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("import torch, numpy as np\ndef f(x): return torch.sum(np.exp(x))\n")
    done = gradcli("check", f"{path}::f", "x=[1,2]")
    assert done.returncode == 2
    assert "Can't call numpy() on Tensor that requires grad" in done.stderr


def test_a_trace_has_the_names_of_arrays(logistic: Path) -> None:
    done = gradcli("trace", f"{logistic}::loss", *INPUTS, "--why", "p")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("why p: gradient ")

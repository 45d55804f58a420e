"""The fixture ``gradcheck``, and ``--gradcli-functions``: a stranger's package with its tests, which name no spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from .invoke import gradcli
from .test_pytest_plugin import run

pytest.importorskip("torch")

PACKAGE = '''\
import torch


class Right(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0] ** 2


class Wrong(Right):
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0] ** 2
'''

PYPROJECT = """\
[project]
name = "mypkg"
version = "1"

[tool.pytest.ini_options]
pythonpath = ["."]
"""
# What such a repository adds.
ADOPTION = """\
addopts = "--gradcli-functions mypkg"
[[tool.gradcli.python]]
target = "mypkg.layers:Right"
inputs = {x = "randn(3)"}
"""

TESTS = '''\
import numpy as np
import torch
from mypkg import layers


def test_values():
    x = torch.ones(3, requires_grad=True)
    assert layers.Right.apply(x).sum() == 3
    assert layers.Right.apply(x + 1).sum() == 24


def test_others():
    x = torch.full((2,), 2.0, requires_grad=True)
    assert layers.Wrong.apply(x).sum() == 16


def test_again():
    x = torch.full((2,), 3.0, requires_grad=True)
    assert layers.Wrong.apply(x).sum() == 54


def test_right(gradcheck):
    gradcheck(lambda x: np.sum(x**2), np.ones(3), grad=lambda x: 2 * x)


def test_wrong(gradcheck):
    gradcheck(lambda x: np.sum(x**2), np.ones(3), grad=lambda x: 3 * x)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "mypkg").mkdir()
    (tmp_path / "mypkg" / "__init__.py").write_text("")
    (tmp_path / "mypkg" / "layers.py").write_text(PACKAGE)
    (tmp_path / "test_layers.py").write_text(TESTS)
    return tmp_path


def test_a_repository_adopts_it_with_five_lines_or_fewer(project: Path) -> None:
    assert ADOPTION.count("\n") <= 5
    (project / "pyproject.toml").write_text(PYPROJECT + ADOPTION)
    checked = gradcli("check", "--python", cwd=project)
    assert (checked.returncode, checked.stdout.splitlines()[0][:39]) == (0, "mypkg.layers:Right: right: 1 input (3 n")
    assert "there is no SPEC, and 1 python target not checked" in gradcli("check", cwd=project).stderr
    done = run(project, "-q", "-k", "not right and not wrong")
    assert done.returncode == 1
    assert "FAILED test_layers.py::test_others" in done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert "mypkg/layers.py:18:9: G101 wrong gradient: Wrong with respect to x (2 of 2 entries)" in done.stdout
    assert "Wrong.backward, applied at test_layers.py:14" in done.stdout
    assert "gradcli: 2 signatures of Functions of mypkg judged, 1 wrong" in done.stdout


def test_a_package_without_any_is_told(project: Path) -> None:
    done = run(project, "-q", "--gradcli-functions", "other", "-k", "values")
    assert done.returncode == 0
    assert "gradcli: no Function of other was applied" in done.stdout


def test_the_fixture(project: Path) -> None:
    done = run(project, "-q", "-k", "right or wrong")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "signature: claimed = 3/2 of the true gradient" in done.stdout
    assert "FAILED test_layers.py::test_wrong - Failed: test_layers.py:" in done.stdout
    assert "Traceback" not in done.stdout


def test_rules_of_jax_are_judged_too(project: Path) -> None:
    pytest.importorskip("jax")
    rules = '''\
import jax


@jax.custom_vjp
def cube(x):
    return x**3


cube.defvjp(lambda x: (x**3, x), lambda x, g: (g * 2 * x**2,))
'''
    (project / "mypkg" / "rules.py").write_text(rules)
    (project / "test_rules.py").write_text(
        "import jax\nfrom mypkg import rules\n\n\ndef test_slope():\n    assert jax.grad(rules.cube)(2.0) == 8\n"
    )
    done = run(project, "-q", "--gradcli-functions", "mypkg", "test_rules.py")
    assert done.returncode == 1
    assert "G101 wrong gradient: cube with respect to x" in done.stdout
    assert "gradcli: 1 signature of Functions of mypkg judged, 1 wrong" in done.stdout

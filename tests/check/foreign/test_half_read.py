"""Functions that read one half of a symmetric matrix: right along what keeps it symmetric, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.verdicts import NoteKind

Array = np.ndarray[Any, np.dtype[Any]]

_ROOT = np.random.default_rng(1).normal(size=(4, 4))
S = _ROOT @ _ROOT.T + np.eye(4)
B = _ROOT[0]


def largest(m: Array) -> Any:
    return np.linalg.eigvalsh(m)[-1]


def of_largest(m: Array) -> Array:
    vector = np.linalg.eigh(m)[1][:, -1]
    return np.outer(vector, vector)


def of_factor(m: Array, g: Array, middle: float = 0.5) -> Array:
    lower = np.linalg.cholesky(m)
    inside = np.tril(lower.T @ g)
    inside[np.diag_indices(4)] *= middle
    back = np.linalg.inv(lower)
    whole: Array = back.T @ inside @ back
    return (whole + whole.T) / 2


def sines(m: Array) -> Any:
    return np.sin(m * B).sum()


def of_sines(m: Array) -> Array:
    each: Array = np.cos(m * B) * B
    return (each + each.T) / 2


RIGHT = {
    "eigenvalue": (largest, {"grad": of_largest}),
    "eigenvalue, by the half that is read": (
        largest, {"grad": lambda m: np.tril(of_largest(m)) + np.tril(of_largest(m), -1)},
    ),
    "factor": (np.linalg.cholesky, {"vjp": of_factor}),
    "logdet by the factor": (
        lambda m: 2 * np.log(np.diag(np.linalg.cholesky(m))).sum(), {"grad": np.linalg.inv},
    ),
}  # fmt: skip
WRONG = {
    "eigenvalue, off by a thousandth": (largest, {"grad": lambda m: 1.001 * of_largest(m)}),
    "eigenvalue, half of a half": (largest, {"grad": lambda m: np.tril(of_largest(m))}),
    "factor, its diagonal not halved": (np.linalg.cholesky, {"vjp": lambda m, g: of_factor(m, g, 1.0)}),
    "all is read, and the gradient made symmetric": (sines, {"grad": of_sines}),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right_while_the_matrix_stays_symmetric_is_right(case: str) -> None:
    function, claim = RIGHT[case]
    result = gradcli.check(function, S, **claim)
    assert result.ok, str(result)
    assert ("by the half" in case) != any(n.kind is NoteKind.SYMMETRIC for f in result.findings for n in f.notes)


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_even_then_is_wrong(case: str) -> None:
    function, claim = WRONG[case]
    assert gradcli.check(function, S, **claim).verdict == "WRONG"


def test_functions_of_torch_to_the_second_order() -> None:
    torch = pytest.importorskip("torch")
    m, b = torch.tensor(S), torch.tensor(B)

    def likelihood(m: Any) -> Any:
        return b @ torch.linalg.solve(m, b) + 2 * torch.linalg.cholesky(m).diagonal().log().sum()

    for function in (likelihood, lambda m: torch.linalg.eigvalsh(m)[-1]):
        result = gradcli.check(function, m, order=2)
        assert result.ok, str(result)
    assert not gradcli.check(lambda m: likelihood(m) + (m * m.detach()).sum(), m).ok

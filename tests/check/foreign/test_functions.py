"""Real functions: the right ones pass, the wrong ones are named."""

from __future__ import annotations

import pytest

import gradcli

from . import of_numpy


@pytest.mark.parametrize("case", of_numpy.CASES, ids=lambda case: case.name)
def test_functions_of_numpy(case: of_numpy.Case) -> None:
    judge(case)


def test_functions_of_torch() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    from . import of_torch

    wrong = []
    for case in of_torch.CASES:
        try:
            judge(case)
        except AssertionError as error:
            wrong.append((case.name, str(error)))
    assert wrong == []


def judge(case: of_numpy.Case) -> None:
    found = gradcli.check(case.function, case.given, **case.derivative)
    assert found.ok is (case.fault is None), f"{case.name}: {found}"
    if case.fault is not None:
        assert case.fault in str(found), f"{case.name}: {found}"

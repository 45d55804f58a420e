"""No false alarm: right functions of scipy.special, torch.nn.functional, jax.nn and jax.scipy, in both precisions."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli
from gradcli.verdicts import Severity, Verdict
from tests import rings

from . import right

SEEDS = (0, 1, 2) if rings.is_full() else (0,)
# The verdicts on what numbers cannot tell.
UNDECIDED = {verdict.value for verdict in Verdict if verdict.severity is Severity.UNDECIDED}
# Of so many functions one is looked at, another with each seed.
EVERY = 1 if rings.is_full() else 4


def chosen(cases: list[right.Right], seed: int) -> list[right.Right]:
    return cases[seed % EVERY :: EVERY]


@pytest.mark.parametrize("seed", SEEDS)
def test_functions_of_scipy(seed: int) -> None:
    pytest.importorskip("scipy")
    cases = list(right.of_scipy(seed))
    assert len(cases) >= 50
    assert not blamed(chosen(cases, seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_functions_of_torch(seed: int) -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    cases = list(right.of_torch(seed))
    assert len(cases) >= 50
    assert not blamed(chosen(cases, seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_functions_of_torch_in_single_precision(seed: int) -> None:
    torch = pytest.importorskip("torch")

    def only(function: Any) -> Any:
        def called(*args: Any) -> Any:
            if args[0].dtype is not torch.float32:
                raise TypeError("float32 only")
            return function(*args)

        return called

    cases = [x._replace(function=only(x.function)) for x in chosen(list(right.of_torch(seed)), seed)]
    assert not blamed(cases)


@pytest.mark.parametrize("seed", SEEDS)
def test_functions_of_jax(seed: int) -> None:
    pytest.importorskip("jax")
    from .right_of_jax import of_jax

    cases = list(of_jax(seed))
    assert len(cases) >= 100
    # Each is compiled first, which takes most of the time: with each seed other functions.
    assert not blamed(cases[seed :: 3 if rings.is_full() else 40])


def blamed(cases: list[right.Right]) -> list[str]:
    """What is said of those that are not right; one in a hundred may be undecided, as rounding differs by processor."""
    found = [(x.name, gradcli.check(x.function, x.given, **x.derivative)) for x in cases]
    told = [(f"{name}: {result}", result) for name, result in found if not result.ok]
    undecided = [text for text, result in told if result.verdict in UNDECIDED]
    return [text for text, _ in told if text not in undecided] or undecided[len(cases) // 100 :]

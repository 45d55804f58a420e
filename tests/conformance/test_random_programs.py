"""Random programs in both engines: values, gradients, graphs and second derivatives.

Without PyTorch, recorded programs with PyTorch's results take the place of new ones.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import gradcli
from tests.rings import examples, sampled

from ..conftest import HAS_TORCH, needs_torch
from .judge import PROGRAMS, compared, compared_second, differences, shortened
from .programs import Program, programs


@functools.cache
def recorded() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(PROGRAMS.read_text())["programs"]
    return found


@needs_torch
@settings(
    max_examples=examples(300),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
    print_blob=False,
)
@given(programs())
def test_a_random_program_is_what_pytorch_makes_of_it(program: Program) -> None:
    import torch

    torch.set_num_threads(1)
    if differences(torch, gradcli, program):
        program = shortened(torch, gradcli, program)
        pytest.fail(f"gradcli differs in\n\n{program}\n\n" + "\n".join(differences(torch, gradcli, program)))


@pytest.mark.parametrize("index", range(len(recorded())))
@sampled(6)
def test_a_recorded_random_program_is_reproduced(index: int) -> None:
    program = recorded()[index]
    found = compared(gradcli, program["first"], program["tolerance"])
    if "second" in program:
        found += compared_second(gradcli, program["second"], program["tolerance"])
    assert not found, f"\n{program['first']['code']}\n" + "\n".join(found)


def test_the_recorded_programs_were_made_by_pytorch() -> None:
    if HAS_TORCH:
        import torch

        for program in recorded():
            assert not compared(torch, program["first"], program["tolerance"])
    assert len(recorded()) >= 50

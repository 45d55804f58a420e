"""The gradients that ``gradcli trace --flow`` shows at calls are those that hooks measure in PyTorch."""

from __future__ import annotations

import pytest

from tests.graph.flows import PROGRAMS, TURNS, of_modules, of_turns, program
from tests.graph.test_flow import same_lengths, told, turns

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_what_full_backward_hooks_measure(name: str) -> None:
    text = program(PROGRAMS[name])
    same_lengths(told(text), of_modules(text, torch))


def test_turns_of_a_loop_are_what_retained_gradients_tell() -> None:
    text = program(TURNS)
    arrives, leaves = turns(text)
    lengths = of_turns(text, torch)
    assert arrives == pytest.approx(lengths, rel=1e-9)
    assert leaves[1:] == pytest.approx(lengths[:-1], rel=1e-9)

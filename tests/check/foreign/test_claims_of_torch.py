"""The claims with a known truth, in PyTorch itself: judged as they are in a spec."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli
from gradcli.check.judging.verdict import GRAVITY
from tests import rings

from ..cases import CASES, program_of

torch = pytest.importorskip("torch")
EVERY = 1 if rings.is_full() else 6


@pytest.mark.parametrize("case", CASES[::EVERY], ids=lambda case: case["id"])
def test_the_verdict_on_a_claim_is_the_truth(case: dict[str, Any]) -> None:
    torch.set_num_threads(1)
    space: dict[str, Any] = {}
    program, _, _ = program_of(case).rstrip().rpartition("\n")
    exec(compile(program, case["id"], "exec"), space)
    function = space["Claimed"].apply if case["vjp"] else space["f"]
    given = tuple([space[name] for name in case["inputs"]])
    found = gradcli.check(function, given, order=2 if "second" in case else 1).findings
    here = [x for x in found if x.order == 1 and not any(note.startswith("ELSEWHERE:") for note in x.notes)]
    assert max((x.verdict for x in here), key=GRAVITY.index) in case["verdicts"]

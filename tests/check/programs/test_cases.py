"""Claims whose truth is known: right ones that checkers blame, and wrong ones that they miss."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.judging.verdict import GRAVITY, Verdict
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

from ..cases import CASES, program_of


def checked(case: dict[str, Any]) -> Checked:
    """What the check of a claim finds."""
    spec = Spec(Source(f"{case['id']}.py", program_of(case)), False, None, None)
    return check_program(Program(spec, dtype="float64"), Options(order=2 if "second" in case else 1))


def gravest(found: Checked, order: int) -> Verdict:
    """The gravest verdict at the given point."""
    here = [f for f in found.findings if f.order == order and not any(n.startswith("ELSEWHERE:") for n in f.notes)]
    return max((f.verdict for f in here), key=GRAVITY.index)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_verdict_on_a_claim_is_the_truth(case: dict[str, Any]) -> None:
    found = checked(case)
    assert found.failure is None
    assert gravest(found, 1) in case["verdicts"]
    if "second" in case:
        assert gravest(found, 2) == case["second"]
    if "note" in case:
        notes = [note for finding in found.findings for note in finding.notes]
        assert any(note.startswith(case["note"]) for note in [*found.notes, *notes])

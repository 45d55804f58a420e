"""Claims made to mislead a check, and right programs made to be blamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Checked, Options
from gradcli.check.judging.verdict import GRAVITY, Verdict
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program
from tests.rings import sampled

from ..cases import program_of

ATTACKS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "attacks.json").read_text())
CLAIMS: list[dict[str, Any]] = ATTACKS["claims"]
RIGHT: dict[str, str] = ATTACKS["right"]


def checked(name: str, text: str, order: int) -> Checked:
    """What the check of a program finds."""
    return check_program(Program(Spec(Source(name, text), False, None, None), dtype="float64"), Options(order=order))


def gravest(found: Checked, order: int) -> Verdict:
    """The gravest verdict at the given point."""
    here = [f for f in found.findings if f.order == order and not any(n.startswith("ELSEWHERE:") for n in f.notes)]
    return max((f.verdict for f in here), key=GRAVITY.index)


@sampled(4)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["id"])
def test_a_claim_does_not_mislead(claim: dict[str, Any]) -> None:
    found = checked(f"{claim['id']}.py", program_of(claim), 2 if "second" in claim else 1)
    assert found.failure is None
    if claim["verdicts"]:
        assert gravest(found, 1) in claim["verdicts"]
    else:
        # Right at the given point, or for the gradient that arrives there; wrong beside.
        assert any(finding.fails(Options()) for finding in found.findings)
    if "second" in claim:
        assert gravest(found, 2) in claim["second"]


@sampled(4)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_not_blamed(name: str) -> None:
    found = checked(f"{name}.py", RIGHT[name], 2)
    assert found.failure is None
    assert [f"{f.input}: {f.verdict}" for f in found.findings if not f.passes(Options())] == []

"""Right programs and their mutants: what is wrong is blamed, and its right twin is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradcli.check.check import check_program
from gradcli.check.judging.findings import Options
from tests.rings import sampled

from ..subjects import program

MUTANTS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "mutants.json").read_text())


@sampled(5)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["id"])
def test_a_mutant_is_blamed_and_its_twin_is_not(mutant: dict[str, Any]) -> None:
    found = check_program(program(mutant["program"]), Options())
    assert found.failure is None
    assert any(finding.fails(Options()) for finding in found.findings) is mutant["wrong"]
    if not mutant["wrong"]:
        assert [finding for finding in found.findings if not finding.passes(Options())] == []

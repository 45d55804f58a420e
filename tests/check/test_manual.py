"""The page of the manual on how a check decides: it has every verdict, every note and the numbers that rules follow."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradcli
from gradcli.check.judging import entries, verdict_table
from gradcli.check.replay.plan import Plan
from gradcli.check.slopes.differences import SAFETY
from gradcli.check.slopes.steps import UNIT
from gradcli.verdicts import NoteKind, Verdict

PAGE = (Path(gradcli.__file__).parent / "docs" / "how_check_decides.md").read_text(encoding="utf-8")
PLAIN = " ".join(PAGE.split())
# Their words say all: where a value is not finite, and what float32 loses.
UNNAMED = {NoteKind.FLOAT32}


@pytest.mark.parametrize("name", [*(x.value for x in Verdict), *(x.value for x in NoteKind if x not in UNNAMED)])
def test_it_has_every_verdict_and_note(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"{SAFETY:g} × (bar of the estimate + bar of the claim) + 8u × size" in PLAIN
    assert verdict_table.INACCURATE == 1e-6
    assert "by at most 1e-6 of the size" in PLAIN
    assert verdict_table._DOUBT == 1e-3
    assert "at most 1e-3 of the size" in PLAIN
    assert UNIT == 2.0**-53
    assert f"Up to {Plan.most_entries} numbers" in PLAIN
    assert entries._DIRECTIONS == 4
    assert "four random directions" in PLAIN

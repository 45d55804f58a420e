"""Modules answer as PyTorch's do: their repr, their numbers after a seed, their complaints, their warnings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rings import sampled

from .programs import EXPECTED, answer, lines

CASES = json.loads(EXPECTED.read_text(encoding="utf-8"))


def test_every_program_was_recorded() -> None:
    assert [code for _, code in lines()] == list(CASES)


@pytest.mark.parametrize("code", [pytest.param(code, id=f"{group}-{code[:60]}") for group, code in lines()])
@sampled(6)
def test_program(torch: Any, code: str) -> None:
    assert answer(torch, code) == CASES[code]

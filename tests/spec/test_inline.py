"""What one-liners print: as PyTorch prints it, and as Python's prompt shows a last bare expression."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradcli.spec.input.named_inputs import bindings
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.spec.record_inline import RECORD, printed

CASES = json.loads(RECORD.read_text(encoding="utf-8"))

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["spec"])


@each_case
def test_an_inline_spec_prints_what_is_recorded(case: dict[str, Any]) -> None:
    parts: list[str] = []
    spec = read(case["spec"], kind="expression")
    Program(spec, bindings=bindings(case["inputs"]), no_grad=case["no_grad"]).run(write=parts.append)
    assert "".join(parts) == case["prints"]


@each_case
def test_pytorch_prints_what_is_recorded(case: dict[str, Any]) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: the recorded text stands for it")
    assert printed(case) == case["prints"]

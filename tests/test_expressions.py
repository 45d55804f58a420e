"""Every spec of the gallery prints the same under gradcli, under its interpreter, and under PyTorch."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.record_expressions import GALLERY, RECORD, ROOT, printed_by
from tests.rings import sampled

PRINTED = json.loads(RECORD.read_text(encoding="utf-8"))

each_spec = pytest.mark.parametrize("spec", GALLERY, ids=lambda spec: spec.name)


@pytest.fixture(scope="module")
def as_torch() -> dict[str, str]:
    return printed_by("gradcli")


@pytest.fixture(scope="module")
def pytorch() -> dict[str, str]:
    pytest.importorskip("torch", reason="PyTorch is not installed: the recorded text stands for it")
    return printed_by("torch")


@each_spec
def test_gradcli_as_torch_prints_what_is_recorded(spec: Path, as_torch: dict[str, str]) -> None:
    assert as_torch[spec.name] == PRINTED[spec.name]


@each_spec
@sampled(6)
def test_the_interpreter_prints_what_is_recorded(spec: Path) -> None:
    parts: list[str] = []
    Program(read(str(spec))).run(write=parts.append)
    assert "".join(parts) == PRINTED[spec.name]


@each_spec
@sampled(6)
def test_pytorch_prints_what_is_recorded(spec: Path, pytorch: dict[str, str]) -> None:
    assert pytorch[spec.name] == PRINTED[spec.name]


def test_nothing_is_recorded_for_a_spec_that_is_gone() -> None:
    assert set(PRINTED) == {spec.name for spec in GALLERY}


@each_spec
def test_a_spec_is_short_and_says_what_it_shows(spec: Path) -> None:
    text = spec.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text))
    assert said is not None
    assert said.split("\n")[0].endswith((".", ":", "?"))
    assert 8 <= len(text.splitlines()) <= 45


@each_spec
@sampled(6)
def test_a_spec_ends_with_the_gradient_of_one_number(spec: Path) -> None:
    root = Program(read(str(spec))).run(trace=True).root
    assert root is not None
    assert root.numel() == 1


@each_spec
def test_a_spec_prints_no_address(spec: Path) -> None:
    assert " at 0x" not in PRINTED[spec.name]
    assert str(ROOT) not in PRINTED[spec.name]

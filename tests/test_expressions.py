"""Every spec of the gallery prints the same in gradcli and in PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GALLERY = sorted((ROOT / "expressions").glob("*.py"))
PRINTED = json.loads(Path(__file__).with_name("expressions.json").read_text())

# A program that runs a file with `torch` meaning the named package.
RUN = """
import importlib, runpy, sys, types
name, path = sys.argv[1:]
if name != "torch":
    for part in ("", ".nn", ".nn.functional", ".optim", ".autograd", ".linalg"):
        sys.modules["torch" + part] = importlib.import_module(name + part)
runpy.run_path(path, run_name="__main__")
"""


def printed(package: str, spec: Path) -> str:
    run = subprocess.run(
        [sys.executable, "-c", RUN, package, str(spec)], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("spec", GALLERY, ids=lambda p: p.name)
def test_gradcli_prints_what_pytorch_printed(spec: Path) -> None:
    assert printed("gradcli", spec) == PRINTED[spec.name]


@pytest.mark.parametrize("spec", GALLERY, ids=lambda p: p.name)
def test_pytorch_prints_what_is_recorded(spec: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: the recorded text stands for it")
    assert printed("torch", spec) == PRINTED[spec.name]


def test_nothing_is_recorded_for_a_spec_that_is_gone() -> None:
    assert set(PRINTED) == {spec.name for spec in GALLERY}

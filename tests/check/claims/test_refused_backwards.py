"""A backward that PyTorch refuses claims nothing: check says why, and blames no gradient."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import gradcli


@pytest.mark.parametrize("text", ["b = a.exp()\nb.mul_(2)", "w = torch.ones(3) * 2\nb = a * w\nw.mul_(2)"])
def test_a_kept_value_that_was_written_to(text: str, tmp_path: Path) -> None:
    text = f"import torch\na = torch.ones(3, requires_grad=True)\n{text}\n"
    text += "try:\n    b.sum().backward()\nexcept RuntimeError as e:\n    print('caught')\n"
    done = gradcli("check", "-", cwd=tmp_path, input=text)
    assert done.returncode == 2
    assert "modified by an inplace operation" in done.stderr + done.stdout
    assert "wrong gradient" not in done.stdout

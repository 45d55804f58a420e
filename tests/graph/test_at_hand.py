"""What a program has at hand when it ends, whatever its own containers say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import gradcli


@pytest.mark.parametrize("base", ["dict", "list"])
def test_no_method_of_a_container_is_asked(base: str, tmp_path: Path) -> None:
    text = f"import torch\nclass Shut({base}):\n    def __iter__(self):\n        raise ValueError('shut')\n"
    text += "    values = items = __iter__\nheld = Shut()\n"
    text += "x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"
    spec = tmp_path / "shut.py"
    spec.write_text(text)
    assert gradcli("trace", str(spec)).returncode == 0

"""Cells of a notebook, pasted as they are."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError, SpecError
from gradcli.spec.guard.notes import Note

from ..running import printed


def test_what_changes_nothing_is_passed_over() -> None:
    text = "%matplotlib inline\n!pip install -q torch \\\n  einops\nif True:\n    !nvidia-smi\nprint('''\n!no\n%pip''')"
    with pytest.warns(Note, match="^commands of a notebook") as told:
        assert printed(text) == "\n!no\n%pip\n"
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore:commands of a notebook")
def test_what_is_timed_is_done() -> None:
    text = "%time x = sum(\n    range(4))\n%time\n%timeit x + 1\nfor k in range(2):\n    %time y = k\nprint(x, y)"
    assert printed(text) == "6 1\n"
    with pytest.raises(GradcliError, match="'z'") as caught:
        printed("%time y = z")
    assert caught.value.span is not None
    assert caught.value.span.column == 10


@pytest.mark.parametrize("command", ["%%bash", "%run x.py", "files = !ls", "%time for x in y: z"])
def test_what_a_program_would_miss_is_refused(command: str) -> None:
    with pytest.raises(SpecError, match=r"^invalid syntax$") as caught:
        printed(f"import torch\n{command}\n")
    assert caught.value.span is not None
    assert caught.value.span.line == 2

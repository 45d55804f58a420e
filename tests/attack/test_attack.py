"""The attack itself: it is the same for the same seed, finds holes that are made on purpose, and finds no others."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import rings

from .generate import case
from .shrink import shrunk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it watches its children as Linux shows them")
ROOT = Path(__file__).parents[2]
# Programs that are made up, every which of those it begins with, and holes. All holes take many minutes:
# `python -m tests.attack.holes`.
TRIED = ("400", "3", "getattr", "file", "process", "crash") if rings.is_full() else ("100", "60", "file", "crash")


def test_a_program_is_the_same_for_the_same_seed() -> None:
    assert [case(3, n) for n in range(50)] == [case(3, n) for n in range(50)]
    assert len({case(seed, 0).text for seed in range(50)}) > 40


def test_a_program_is_made_short() -> None:
    text = "a = 1\nfor i in range(3):\n    b = [i, print('x', a)]\n    c = 2\nprint(a)\n"

    def fails(changed: str) -> bool:
        try:
            return any(isinstance(n, ast.Constant) and n.value == "x" for n in ast.walk(ast.parse(changed)))
        except SyntaxError:
            return False

    assert ast.literal_eval(shrunk(text, fails).strip()) == "x"


def test_it_finds_holes_that_are_made_on_purpose_and_nothing_else() -> None:
    words = [sys.executable, "-m", "tests.attack.together", *TRIED]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not found["wrong"]
    # Where it takes more, most programs end before they do anything.
    assert not [name for name, tried in found["holes"].items() if tried is None or tried > 500], found["holes"]

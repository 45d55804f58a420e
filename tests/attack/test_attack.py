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
# More holes and programs are for the full ring. All take many minutes: `python -m tests.attack.holes`.
HOLES = ("getattr", "file", "process", "crash") if rings.is_full() else ("file", "crash")


def told(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


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


def test_it_finds_nothing() -> None:
    programs = "400" if rings.is_full() else "20"
    done = told("tests.attack", "1", "--programs", programs, "--seed", "1", "--jobs", "1")
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr


def test_nothing_is_wrong_with_the_programs_it_begins_with() -> None:
    done = told("tests.attack.known", "3" if rings.is_full() else "60")
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr


def test_it_finds_holes_that_are_made_on_purpose() -> None:
    done = told("tests.attack.holes", *HOLES)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # Where it takes more, most programs end before they do anything.
    assert not [name for name, tried in found.items() if tried is None or tried > 500], found

"""Programs and tables of cases, run by interpreters of their own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


@functools.cache
def given(module: str, table: str = "CASES", walls: str = "all") -> dict[str, str]:
    """What each case of a table gave behind these walls."""
    words = [sys.executable, "-m", "tests.wall.runner", f"tests.wall.{module}", table, walls]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=600, stdin=subprocess.DEVNULL)
    assert not done.returncode, done.stderr
    answers: dict[str, str] = json.loads(done.stdout)
    return answers


def python(program: str, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", program, *arguments]
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, timeout=600, env=environment)

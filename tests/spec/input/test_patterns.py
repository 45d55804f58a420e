"""Patterns of paths, beside what git itself says of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gradcli.spec.input.patterns import Ignored, matches, parsed, split
from gradcli.spec.input.source import files

from ...rings import examples

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PLACES = ["a.py", "b.py", "ab.py", "d/a.py", "d/e/a.py", "d/e/b.py", "e/d/a.py", "x-y.py", "d/x1.py"]
PATTERNS = (
    "a.py", "/a.py", "*.py", "!a.py", "d/", "d", "/d/*", "d/**", "**/e", "d/**/a.py", "*", "?.py", "[ab].py", "[!a].py",
    "x[0-9].py", "!d/e/b.py", "# a.py", "", "e/*/", "!/d", "d/e/", "**", "**/a.py", "x[z-a].py", r"\a.py", "a.py  ",
)  # fmt: skip


@needs_git
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PATTERNS), max_size=4), st.lists(st.sampled_from(PATTERNS), max_size=2))
def test_what_git_ignores_is_left_out(tmp_path: Path, above: list[str], below: list[str]) -> None:
    for place in PLACES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n")
    if not (tmp_path / ".git").exists():
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("".join(f"{line}\n" for line in above))
    (tmp_path / "d" / ".gitignore").write_text("".join(f"{line}\n" for line in below))
    command = ["git", "-C", str(tmp_path), "ls-files", "--others", "--exclude-standard", "*.py"]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    found = [os.path.relpath(path, tmp_path) for path in files([str(tmp_path)])]
    assert sorted(found) == sorted(said.stdout.split())


def test_a_directory_that_is_named_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n*_draft.py\n")
    for place in ("build/a.py", "build/b_draft.py", "venv/c.py", "node_modules/d.py", "other/pyvenv.cfg", "other/e.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("x = 1\n")
    assert files([str(tmp_path)]) == []
    assert files([str(tmp_path / "build")]) == [str(tmp_path / "build" / "a.py")]
    assert files([str(tmp_path / "venv")]) == [str(tmp_path / "venv" / "c.py")]


def test_without_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    assert (str(tmp_path / "a.py"), False) not in Ignored(str(tmp_path))
    assert files([str(tmp_path)]) == [str(tmp_path / "a.py")]


def test_matching_takes_no_longer_for_many_stars() -> None:
    begun = time.process_time()
    rule = parsed("*a" * 120 + "b")
    assert rule is not None
    assert not matches(["a" * 250], rule.segments)
    assert not matches(["a"] * 100, split("**/a/" * 50 + "b"))
    assert time.process_time() - begun < 1

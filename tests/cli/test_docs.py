"""``gradcli docs``: the chapters of the manual as they lie in the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradcli.docs
from gradcli.docs import ORDER, text_of, titles

from .invoke import gradcli as run

CHAPTERS = Path(gradcli.docs.__file__).parent


def test_every_chapter_is_in_the_order() -> None:
    assert sorted(ORDER) == sorted(path.stem.replace("_", "-") for path in CHAPTERS.glob("*.md"))


@pytest.mark.parametrize("name", ["check", "how-check-decides", "how_check_decides"])
def test_a_chapter_is_shown(name: str) -> None:
    done = run("docs", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, text_of(name), "")


def test_chapters_are_listed() -> None:
    done = run("docs")
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, heading) == (0, "Chapters:")
    assert {line.split()[0]: line.split(maxsplit=1)[1] for line in lines} == titles()


def test_what_is_no_chapter() -> None:
    done = run("docs", "chekc")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[E504]: the manual has no chapter 'chekc'\n" in done.stderr
    assert "help: did you mean check?" in done.stderr

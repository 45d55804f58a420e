"""What the README shows is what the commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.last_digits import with_digits_of

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n\$ gradcli (.*?)\n```", README, re.DOTALL)
FILES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", README, re.DOTALL))
# How long something took.
SECONDS = re.compile(r"\d+\.\d+ s\b")


def shown() -> list[tuple[str, str]]:
    """The words after `gradcli`, and what stands below them."""
    found = []
    for block in CONSOLE:
        words, _, text = block.partition("\n")
        while words.count("'") % 2:
            more, _, text = text.partition("\n")
            words += "\n" + more
        found.append((words, text))
    return found


@pytest.mark.parametrize(("words", "text"), shown(), ids=[words.split("\n")[0] for words, _ in shown()])
def test_a_command_prints_what_is_shown(words: str, text: str, tmp_path: Path) -> None:
    for name, body in FILES.items():
        (tmp_path / name).write_text(f"# {name}\n{body}")
    (tmp_path / "expressions").symlink_to(Path(__file__).parents[1] / "expressions")
    run = [sys.executable, "-m", "gradcli", *shlex.split(words)]
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE")}
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, env=plain, timeout=600)
    printed, wanted = (SECONDS.sub("N s", said) for said in ((done.stdout + done.stderr).rstrip("\n"), text))
    assert with_digits_of(printed, wanted) == wanted

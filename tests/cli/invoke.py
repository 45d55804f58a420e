"""Running gradcli for a test: as a process of its own, or in this one where many runs are needed."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import rings, warm

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "gradcli"]

# By then it waits for something that never comes.
PATIENCE = 300

_CHANGING = "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE GRADCLI_DEBUG COLUMNS LANG LC_ALL PYTHONIOENCODING".split()


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change colours, widths or letters, and with this project in the path."""
    plain = {k: v for k, v in os.environ.items() if k not in _CHANGING}
    return {**plain, "PYTHONPATH": str(ROOT), **more}


def gradcli(*words: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """A process of gradcli, its streams taken as text: a new one in the full ring of tests."""
    more = how.pop("env", {})
    env = environment(**more)
    if not rings.is_full() and warm.fits(more) and how.keys() <= {"cwd", "input"}:
        return _warm().run(list(words), env, how.get("cwd"), how.get("input"), PATIENCE)  # type: ignore[no-any-return]
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, env=env, timeout=PATIENCE, check=False, **how
    )


@functools.cache
def _warm() -> warm.Warm:
    return warm.Warm(environment())

"""Record what the programs of specs/ print, and how they end, in real PyTorch.

``python -m tests.conformance.record_specs [NAME ...]``, with PyTorch 2.13; without names, all of them.
Beside ``NAME.py`` stands ``NAME.out``, what it prints, and where it ends in an error ``NAME.err``: its line and words.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

SPECS = Path(__file__).with_name("specs")
ADDRESS = re.compile(r"\b0x[0-9a-f]+")


class Outcome(NamedTuple):
    """What a program printed, addresses aside, and ``line N: Class: words`` where an error ended it."""

    printed: str
    error: str | None = None


def outcome(printed: str, line: int | None = None, error: str = "") -> Outcome:
    """An outcome as it is recorded."""
    return Outcome(ADDRESS.sub("0x...", printed), None if line is None else f"line {line}: {error}".rstrip())


def programs() -> dict[str, Path]:
    """Every program under its kind and name."""
    return {str(path.relative_to(SPECS).with_suffix("")): path for path in sorted(SPECS.rglob("*.py"))}


def recorded(path: Path) -> Outcome:
    """What stands beside a program."""
    error = path.with_suffix(".err")
    return Outcome(path.with_suffix(".out").read_text(), error.read_text().rstrip("\n") if error.exists() else None)


def record(path: Path, found: Outcome) -> None:
    """Write an outcome beside its program."""
    path.with_suffix(".out").write_text(found.printed)
    if found.error is None:
        path.with_suffix(".err").unlink(missing_ok=True)
    else:
        path.with_suffix(".err").write_text(found.error + "\n")


def in_pytorch(path: Path) -> Outcome:
    """Run a program as Python does, in this process; what a program may have changed is put back."""
    import torch

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    except Exception as error:
        places = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        return outcome(printed.getvalue(), places[-1], "".join(traceback.format_exception_only(error)))
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
    return outcome(printed.getvalue())


def main() -> None:
    """Record the programs that are named, or all."""
    import torch

    torch.set_num_threads(1)
    everything = programs()
    for name in sys.argv[1:] or everything:
        found = in_pytorch(everything[name])
        record(everything[name], found)
        if (found.error is not None) != name.startswith("failing/"):
            print(f"{name}: {found.error or 'ends without an error'}")
    for leftover in (path for mark in ("out", "err") for path in SPECS.rglob(f"*.{mark}")):
        if not leftover.with_suffix(".py").exists():
            leftover.unlink()
    print(f"{len(sys.argv) - 1 or len(everything)} programs recorded")


if __name__ == "__main__":
    main()

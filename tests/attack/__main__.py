"""Attack for as long as you like: ``python -m tests.attack MINUTES [--seed N] [--jobs N] [--keep DIR]``.

MINUTES are those of the processor, all jobs together. Prints each kind of finding once, with the seed and the shortest
program found; the exit status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def main() -> int:
    """Attack; the exit status."""
    given = _parsed()
    readers = [_started(given, job) for job in range(given.jobs)]
    tried = worked = done = 0.0
    found: set[tuple[str, str]] = set()
    for words in _lines(readers):
        if "tried" in words:
            tried, worked, done = tried + words["tried"], worked + words["worked"], done + 1
        elif (words["kind"], words["key"]) not in found:
            found.add((words["kind"], words["key"]))
            _show(words, given.keep)
    print(f"{tried:,.0f} programs, {len(found)} findings, {worked:.0f} s of the processor, seed {given.seed}")
    # A job that was lost tried nothing, and that is no success.
    return 1 if found or done < given.jobs else 0


def _lines(readers: list[int]) -> Iterator[dict[str, Any]]:
    """What the jobs tell, as it comes, until all have ended."""
    left = dict.fromkeys(readers, b"")
    while left:
        for reader in select.select(list(left), [], [])[0]:
            data = os.read(reader, 1 << 16)
            *lines, left[reader] = (left[reader] + data).split(b"\n")
            yield from map(json.loads, lines)
            if not data:
                del left[reader]
                os.close(reader)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="put the programs found into this folder")
    parser.add_argument("--programs", type=int, default=10**9, help="try no more than so many")
    return parser.parse_args()


def _started(given: argparse.Namespace, job: int) -> int:
    """A job in a process of its own; where it tells what it finds."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    if os.fork() != 0:
        os.close(writer)
        return reader
    os.close(reader)
    try:
        warnings.simplefilter("ignore")
        with os.fdopen(writer, "w") as out:
            from .session import BATCH, attack

            batches = range(job, -(-given.programs // BATCH), given.jobs)
            attack(given.minutes * 60 / given.jobs, given.seed, batches, out)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _show(words: dict[str, Any], keep: Path | None) -> None:
    """One finding, as a person reads it."""
    print(f"== {words['kind']}: {words['key']}\n   seed {words['seed']}, program {words['number']}\n   {words['more']}")
    print("\n".join(f"   | {line}" for line in ascii_lines(words["text"])) + "\n", flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        name = f"{words['kind']}-{words['seed']}-{words['number']}.py"
        keep.joinpath(name).write_text(words["text"], "utf-8", "surrogatepass")


def ascii_lines(text: str) -> list[str]:
    """The lines of a program that a terminal can show."""
    return [line.encode("ascii", "backslashreplace").decode() for line in text.split("\n")]


if __name__ == "__main__":
    sys.exit(main())

"""Runs functions in children of their own behind the wall: ``python -m tests.wall.runner MODULE TABLE WALLS``.

The module has the table, of functions by name; the answer is a JSON object of what each gave, or the error it met.
The walls are all, none, landlock, seccomp, audit, or the version of Landlock that there is to be beside nothing else.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from gradcli.wall import audit, kernel, landlock

LONGEST = 60.0
# Where a child tells what came of it.
OPEN: list[int] = []


def contents() -> dict[str, tuple[int, bytes]]:
    """All that is in the current directory."""
    found = sorted(Path().rglob("*"))
    return {str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"") for path in found}


def outcome(function: Callable[[], object], confine: Callable[[], object]) -> str:
    """What a function gives in a child behind the wall."""
    answers, answer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(answers)
        OPEN.append(answer)
        os.write(answer, _told(function, confine).encode())
        os._exit(0)
    os.close(answer)
    ready, _, _ = select.select([answers], [], [], LONGEST)
    if not ready:
        os.kill(child, signal.SIGKILL)
    said = os.read(answers, 65536).decode()
    os.close(answers)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"{said}, exit {os.waitstatus_to_exitcode(status)}" if status else said


def _told(function: Callable[[], object], confine: Callable[[], object]) -> str:
    try:
        confine()
        return str(function())
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, repr(error))
    except BaseException as error:
        return repr(error)


def raised(walls: str, readable: list[str]) -> Callable[[], object]:
    """What raises these walls."""
    if walls == "none":
        return lambda: None
    if walls == "audit":
        return lambda: audit.guard(readable[:-1], lambda event: os.write(OPEN[-1], event.encode()), 9)
    if walls == "seccomp":
        landlock.version = lambda system: "left out"
    elif walls != "all":
        kernel._filter = lambda *_: "left out"
        if walls.isdigit():
            landlock.version = lambda system: int(walls)
    return lambda: kernel.confine(readable)


def main(module: str, table: str, walls: str) -> None:
    """Prints what all cases of a module gave."""
    cases: Mapping[str, Callable[[], object]] = getattr(importlib.import_module(module), table)
    # OpenBLAS has its threads before: a child starts its own.
    np.ones((300, 300)) @ np.ones((300, 300))
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        Path("secret.txt").write_text("a secret\n")
        Path("named.txt").write_text("named\n")
        Path("given").mkdir()
        Path("given", "inner.txt").write_text("inner\n")
        Path("link.txt").symlink_to("secret.txt")
        Path("module_here.py").write_text("found = True\n")
        Path("empty").mkdir()
        readable = [os.path.abspath("named.txt"), os.path.abspath("given"), "/nonexistent", "\0"]
        before = contents()
        confine = raised(walls, readable)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"\0gradcli-wall-{os.getpid()}")
            listening.listen()
            given = {name: outcome(case, confine) for name, case in cases.items()}
        given["unchanged"] = str(contents() == before)
        print(json.dumps(given))
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])

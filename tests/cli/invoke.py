"""Running gradcli for a test, as a process of its own."""

from __future__ import annotations

import functools
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests import rings, warm

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "gradcli"]

_CHANGING = "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE GRADCLI_DEBUG COLUMNS LANG PYTHONIOENCODING".split()


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change colours, widths or letters, and with this project in the path."""
    plain = {k: v for k, v in os.environ.items() if k not in _CHANGING and not k.startswith("LC_")}
    return {**plain, "PYTHONPATH": str(ROOT), **more}


class Done(subprocess.CompletedProcess[str]):
    """A process that has ended: what ``subprocess`` says of one, and the seconds of the processor and MB it took."""

    seconds: float
    megabytes: float


def bytes_of(words: list[str], env: dict[str, str], cwd: str | Path, given: bytes | None = None) -> warm.Ended:
    """A process of gradcli, and what it wrote, byte for byte."""
    if hasattr(os, "fork"):
        new = not warm.fits(env) or (rings.is_full() and rings.is_one_in(4))
        return _warm().run(words, env=environment(**env), cwd=str(cwd), given=given, new=new)
    plain = subprocess.run([*COMMAND, *words], capture_output=True, env=environment(**env), cwd=cwd, input=given)
    return warm.Ended(plain.returncode, plain.stdout, plain.stderr, math.nan, math.nan)


def gradcli(
    *words: str, env: dict[str, str] | None = None, cwd: str | Path | None = None, input: str | None = None,
    errors: str = "strict",
) -> Done:  # fmt: skip
    """A process of gradcli, its streams taken as text: in the full ring for some tests a new one."""
    given = None if input is None else input.encode("utf-8", "surrogatepass")
    ended = bytes_of(list(words), env or {}, cwd or os.getcwd(), given)
    streams = (
        data.decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n") for data in (ended.out, ended.err)
    )
    done = Done([*COMMAND, *words], ended.code, *streams)
    done.seconds, done.megabytes = ended.seconds, ended.megabytes
    return done


def on_terminal(*words: str, columns: int = 80, env: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code of a process of gradcli, and all that it writes to a terminal so wide."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    surroundings = environment(**{"TERM": "xterm", **(env or {})})
    process = subprocess.Popen(
        [*COMMAND, *words], stdin=follower, stdout=follower, stderr=subprocess.STDOUT, env=surroundings
    )
    os.close(follower)
    data = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(leader)
    return process.wait(30), data.decode().replace("\r\n", "\n")


def wait_until_it_works(command: subprocess.Popen[Any]) -> None:
    """Wait until a command runs its program, in a process that it has started for it."""
    children = Path(f"/proc/{command.pid}/task/{command.pid}/children")
    if not children.exists():
        # Where the system does not tell, long enough on most machines.
        time.sleep(5)
    while children.exists() and not children.read_text() and command.poll() is None:
        time.sleep(0.02)


@functools.cache
def _warm() -> warm.Warm:
    return warm.Warm(environment())

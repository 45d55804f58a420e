"""Commands in copies of a process that has read gradcli: each is there at once, and is like a new process otherwise.

`python -m tests.warm HANDLE` is that process: on the socket that it is given it hears what to do, says how it ended,
and ends itself when nobody is there any more. Of most tests commands are such copies; in the full ring those of some
become new processes before they do anything.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
# Python reads these when it starts, and libraries when they are loaded.
_AT_START = ("PYTHON", "LANG", "LC_", "OPENBLAS", "OMP", "MKL")
_PART = 1 << 16
# Whoever says nothing for so many seconds waits for something that never comes.
_PATIENCE = 600.0


def fits(changed: dict[str, str]) -> bool:
    """Whether a copy does the same as a new process in an environment with these changes."""
    # Of a process with Apple's libraries there can be no copies.
    return sys.platform != "darwin" and not any(name.startswith(_AT_START) for name in changed)


# -- asking for a command ----------------------------------------------------------------------


class Ended(NamedTuple):
    """What came of a command: its exit code, what it wrote, and what it took, its children included."""

    code: int
    out: bytes
    err: bytes
    # On the processor.
    seconds: float
    megabytes: float


class Warm:
    """The process whose copies are commands."""

    def __init__(self, env: dict[str, str]) -> None:
        self.socket, theirs = socket.socketpair()
        words = [sys.executable, "-m", "tests.warm", str(theirs.fileno())]
        self.process = subprocess.Popen(
            words, cwd=ROOT, env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        theirs.close()
        atexit.register(self.close)

    def close(self) -> None:
        """End it, which it does when nobody is there any more."""
        self.socket.close()
        self.process.wait()

    def run(self, words: list[str], *, env: dict[str, str], cwd: str, given: bytes | None, new: bool) -> Ended:
        """Run a command to its end, in a copy or in a new process; ``given`` is what it reads, if not what we read."""
        told = json.dumps({"words": words, "env": env, "cwd": cwd, "new": new}).encode()
        ours, theirs = zip(os.pipe(), os.pipe(), strict=True)
        stdin, source = os.pipe() if given is not None else (os.dup(0), None)
        handles = [stdin, *theirs]
        try:
            socket.send_fds(self.socket, [len(told).to_bytes(8, "big")], handles)
            self.socket.sendall(told)
        finally:
            for handle in handles:
                os.close(handle)
        try:
            out, err = _talk(ours, source, given or b"")
        except TimeoutError:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        ended = json.loads(_all(self.socket, int.from_bytes(_all(self.socket, 8), "big")))
        return Ended(ended["code"], out, err, ended["seconds"], ended["megabytes"])


def _talk(ours: tuple[int, ...], source: int | None, given: bytes) -> list[bytes]:
    """Write what a command reads, and read what it writes."""
    said = {handle: bytearray() for handle in ours}
    with selectors.DefaultSelector() as waiting:
        for handle in ours:
            waiting.register(handle, selectors.EVENT_READ)
        if source is not None:
            os.set_blocking(source, False)
            waiting.register(source, selectors.EVENT_WRITE)
        while waiting.get_map():
            ready = waiting.select(_PATIENCE)
            if not ready:
                raise TimeoutError("a command never ends")
            for key, _ in ready:
                if key.fd == source:
                    try:
                        given = given[os.write(key.fd, given[:_PART]) :] if given else b""
                    except BrokenPipeError:
                        # It reads no more.
                        given = b""
                    ended = not given
                else:
                    part = os.read(key.fd, _PART)
                    said[key.fd] += part
                    ended = not part
                if ended:
                    waiting.unregister(key.fd)
                    os.close(key.fd)
    return [bytes(data) for data in said.values()]


def _all(stream: socket.socket, size: int) -> bytes:
    """So many bytes."""
    data = b""
    while len(data) < size:
        part = stream.recv(size - len(data))
        if not part:
            raise EOFError("the other end is gone")
        data += part
    return data


# -- being one ---------------------------------------------------------------------------------


def _read_everything() -> None:
    """Read what commands read when they come to need it."""
    import gradcli

    for found in pkgutil.walk_packages(gradcli.__path__, "gradcli."):
        if not found.name.endswith("pytest_plugin"):
            importlib.import_module(found.name)
    from gradcli.engine import offers
    from gradcli.spec.guard import limits, process_limits
    from gradcli.wall import kernel

    offers.load_all()
    process_limits.room(limits.STRICT)
    kernel.prepare()


def _serve(stream: socket.socket) -> dict[str, Any] | None:
    """Start the commands that are asked for; in a copy, return what it has to do."""
    while True:
        head, handles, _, _ = socket.recv_fds(stream, 8, 3)
        if not head:
            return None
        told = json.loads(_all(stream, int.from_bytes(head, "big")))
        child = os.fork()
        if child == 0:
            stream.close()
            for number, handle in enumerate(handles):
                os.dup2(handle, number)
            os.closerange(3, max(handles) + 1)
            return told  # type: ignore[no-any-return]
        for handle in handles:
            os.close(handle)
        _, status, used = os.wait4(child, 0)
        ended = {
            "code": os.waitstatus_to_exitcode(status),
            "seconds": used.ru_utime + used.ru_stime,
            "megabytes": used.ru_maxrss / 1024,
        }
        said = json.dumps(ended).encode()
        stream.sendall(len(said).to_bytes(8, "big") + said)


def _become(told: dict[str, Any]) -> None:
    """Be a new process, or have what that would have: its surroundings, its words, its streams."""
    os.chdir(told["cwd"])
    if told["new"]:
        os.execve(sys.executable, [sys.executable, "-m", "gradcli", *told["words"]], told["env"])
    # Python adds one for letters where the language says nothing of them.
    coerced = {"LC_CTYPE": os.environ["LC_CTYPE"]} if "LC_CTYPE" in os.environ else {}
    os.environ.clear()
    os.environ.update(coerced | told["env"])
    sys.path[0] = told["cwd"]
    sys.argv = [str(ROOT / "gradcli" / "__main__.py"), *told["words"]]
    for name in ("stdin", "stdout", "stderr"):
        before = getattr(sys, name)
        mode, number = ("r", 0) if name == "stdin" else ("w", before.fileno())
        stream = open(number, mode, encoding=before.encoding, errors=before.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.stderr.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def main() -> None:
    """Be the process whose copies are commands."""
    stream = socket.socket(fileno=int(sys.argv[1]))
    _read_everything()
    gc.collect()
    gc.freeze()
    told = _serve(stream)
    if told is not None:
        _become(told)
        from gradcli.__main__ import main as command

        command()


if __name__ == "__main__":
    main()

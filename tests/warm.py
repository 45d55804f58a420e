"""Commands in copies of a process that has read gradcli: each is there at once, and is like a new process otherwise.

`python -m tests.warm HANDLE` is that process: on the socket that it is given it hears what to do, says how it ended,
and ends itself when nobody is there any more. The ordinary ring of tests uses it; the full one starts new processes.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import selectors
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# Python reads these when it starts, and libraries when they are loaded.
_AT_START = ("PYTHON", "LANG", "LC_", "OPENBLAS", "OMP", "MKL")
_PART = 1 << 16


def fits(changed: dict[str, str]) -> bool:
    """Whether a copy does the same as a new process in an environment with these changes."""
    return hasattr(os, "fork") and not any(name.startswith(_AT_START) for name in changed)


# -- asking for a command ----------------------------------------------------------------------


class Warm:
    """The process whose copies are commands."""

    def __init__(self, env: dict[str, str]) -> None:
        self.socket, theirs = socket.socketpair()
        words = [sys.executable, "-m", "tests.warm", str(theirs.fileno())]
        self.process = subprocess.Popen(
            words, cwd=ROOT, env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        theirs.close()

    def run(self, words: list[str], env: dict[str, str], cwd: Any, given: str | None, seconds: float) -> Any:
        """Run a command to its end, as ``subprocess.run`` does, its streams taken as text."""
        told = json.dumps({"words": words, "env": env, "cwd": os.fspath(cwd or os.getcwd())}).encode()
        ours, theirs = zip(*(os.pipe() for _ in range(2)), strict=True)
        stdin, source = os.pipe() if given is not None else (os.dup(0), None)
        handles = [stdin, *theirs]
        try:
            socket.send_fds(self.socket, [len(told).to_bytes(8, "big")], handles)
            self.socket.sendall(told)
        finally:
            for handle in handles:
                os.close(handle)
        out, err = self._talk(ours, source, (given or "").encode(), seconds)
        code = int.from_bytes(_all(self.socket, 8), "big", signed=True)
        return subprocess.CompletedProcess(["gradcli", *words], code, _text(out), _text(err))

    def _talk(self, ours: tuple[int, ...], source: int | None, given: bytes, seconds: float) -> list[bytes]:
        """Write what the command reads, and read what it writes."""
        said = {handle: b"" for handle in ours}
        with selectors.DefaultSelector() as waiting:
            for handle in ours:
                waiting.register(handle, selectors.EVENT_READ)
            if source is not None:
                os.set_blocking(source, False)
                waiting.register(source, selectors.EVENT_WRITE)
            while waiting.get_map():
                ready = waiting.select(seconds)
                if not ready:
                    self.process.kill()
                    raise subprocess.TimeoutExpired("gradcli", seconds)
                for key, _ in ready:
                    if key.fd == source:
                        try:
                            given = given[os.write(key.fd, given[:_PART]) :] if given else b""
                        except BrokenPipeError:
                            given = b""
                        ended = not given
                    else:
                        part = os.read(key.fd, _PART)
                        said[key.fd] += part
                        ended = not part
                    if ended:
                        waiting.unregister(key.fd)
                        os.close(key.fd)
        return list(said.values())


def _text(data: bytes) -> str:
    """What ``subprocess`` makes of bytes when it is asked for text."""
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


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
    from gradcli.spec import limits, watch
    from gradcli.wall import kernel

    offers.load_all()
    watch.room(limits.STRICT)
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
        _, status = os.waitpid(child, 0)
        stream.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "big", signed=True))


def _become(told: dict[str, Any]) -> None:
    """Have what a new process would have: its streams, its surroundings, its words."""
    for name in ("stdin", "stdout", "stderr"):
        before = getattr(sys, name)
        mode, number = ("r", 0) if name == "stdin" else ("w", before.fileno())
        stream = open(number, mode, encoding=before.encoding, errors=before.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.stderr.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    # Python adds one for letters where the language says nothing of them.
    coerced = {"LC_CTYPE": os.environ["LC_CTYPE"]} if "LC_CTYPE" in os.environ else {}
    os.environ.clear()
    os.environ.update(coerced | told["env"])
    os.chdir(told["cwd"])
    sys.path[0] = told["cwd"]
    sys.argv = [str(ROOT / "gradcli" / "__main__.py"), *told["words"]]


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

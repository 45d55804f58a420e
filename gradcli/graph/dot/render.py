"""Pictures from DOT, drawn by Graphviz in a process of its own, of bounded time, memory and output."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from math import ceil
from threading import Thread, Timer
from typing import IO

from ...errors import OutputError
from ..text.style import clean
from .quoting import cut

FORMATS = ("svg", "png", "pdf")

# Sharp on any screen, still readable, and what shows at least the form: the best that fits is taken.
_DOTS_PER_INCH = (144, 96, 72, 48, 36)
# What the PNG renderer draws at most on a side before it shrinks everything, and what it draws in about ten seconds.
_SIDE, _PIXELS = 32_767, 100_000_000

# Bytes that Graphviz may use and write: 5,000 nodes in a row take 0.35 GB, the largest PNG less than 1 GB.
_MEMORY, _LARGEST = 2_000_000_000, 256_000_000
# As much of what it says on stderr is kept.
_SAID = 65_536
# Its own words when there is no memory left; often it only crashes.
_NO_MEMORY = (b"out of memory", b"alloc")
# What it takes of the environment: where programs, libraries and fonts are, and how texts are encoded.
_KEPT = (
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_DATA_DIRS", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "GVBINDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "SYSTEMROOT", "TEMP", "TMP",
)  # fmt: skip

_SMALLER = "--level N, --focus NAME or --depth N make it smaller"


class NotDrawn(OutputError):
    """A picture that Graphviz did not draw."""


def drawn(
    dot: str, form: str, seconds: float, *, memory: int = _MEMORY, before: Callable[[], object] | None = None
) -> bytes:
    """The picture of a DOT text, as SVG, PNG or PDF.

    ``memory`` is what Graphviz may use of it, in bytes; ``before`` is called in its process before it becomes Graphviz.
    """
    process = _Process(dot, seconds, memory, before)
    sharpness = []
    if form == "png":
        # Only a layout tells how large the picture gets.
        sharpness = [f"-Gdpi={_dots(process.output('-Tplain'))}"]
    return process.output(f"-T{form}", *sharpness)


def _dots(plain: bytes) -> int:
    """The dots to an inch that a picture can have; an error where it is too large for the fewest."""
    width, height = map(float, plain.split(maxsplit=4)[2:4])
    for dots in _DOTS_PER_INCH:
        if max(width, height) * dots <= _SIDE and width * height * dots**2 <= _PIXELS:
            return dots
    across, down = round(width * dots), round(height * dots)
    raise NotDrawn(
        f"the picture is too large for a PNG: {across:,} × {down:,} pixels",
        help=f"an SVG or a PDF may be of any size; {_SMALLER}",
    )


class _Process:
    """Graphviz at work on a text: what it may use, and what is said when that is not enough."""

    def __init__(self, dot: str, seconds: float, memory: int, before: Callable[[], object] | None) -> None:
        self.dot = dot
        self.seconds = seconds
        self.ends = time.monotonic() + seconds
        self.memory = memory
        self.before = before

    def output(self, *words: str) -> bytes:
        """The bytes that ``dot`` makes of the text."""
        try:
            code, picture, said = self._run(words)
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise NotDrawn(
                    "pictures are drawn by Graphviz, and its program `dot` was not found",
                    help="install the package graphviz, with apt, dnf, brew, conda or choco",
                ) from None
            raise NotDrawn(f"Graphviz could not be started: {error.strerror or error}") from None
        except subprocess.SubprocessError:
            raise NotDrawn("Graphviz could not be started: its limits could not be set") from None
        self._check(code, said, len(picture))
        return picture

    def _run(self, words: tuple[str, ...]) -> tuple[int, bytes, bytes]:
        """The exit code, the picture, and what it says on stderr."""
        said: list[bytes] = []
        with subprocess.Popen(
            ["dot", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
            preexec_fn=self._confined() if os.name == "posix" else None,
        ) as process:
            late = Timer(max(self.ends - time.monotonic(), 0), _end, [process])
            given, made, told = process.stdin, process.stdout, process.stderr
            assert given is not None
            assert made is not None
            assert told is not None
            beside = [Thread(target=_feed, args=(given, self.dot.encode())), Thread(target=_hear, args=(told, said))]
            try:
                for thread in (late, *beside):
                    thread.start()
                picture = made.read(_LARGEST + 1)
                if len(picture) > _LARGEST:
                    # Nobody takes the rest.
                    _end(process)
                code = process.wait()
                for thread in beside:
                    thread.join()
            except BaseException:
                _end(process)
                raise
            finally:
                late.cancel()
        if code < 0 and time.monotonic() >= self.ends:
            raise self._too_slow()
        return code, picture, b"".join(said)

    def _confined(self) -> Callable[[], None]:
        """The last steps of the process before it becomes Graphviz: its modules are loaded before it is forked."""
        import resource

        limits = (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_DATA, self.memory),
            # A second more than it is waited for: the end of one that nobody waits for any more.
            (resource.RLIMIT_CPU, ceil(self.seconds) + 1),
            (resource.RLIMIT_FSIZE, _LARGEST),
            (resource.RLIMIT_CORE, 0),
        )

        def confine() -> None:
            for kind, most in limits:
                hard = resource.getrlimit(kind)[1]
                least = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.setrlimit(kind, (least, least))
            if self.before is not None:
                self.before()

        return confine

    def _check(self, code: int, said: bytes, size: int) -> None:
        """Say why there is no picture, if there is none."""
        if code == -getattr(signal, "SIGXCPU", 0) != 0:
            raise self._too_slow()
        if size > _LARGEST:
            raise NotDrawn(f"the picture has more than {_LARGEST // 10**6:,} MB", help=_SMALLER)
        if code and any(words in said.lower() for words in _NO_MEMORY):
            raise NotDrawn(f"Graphviz needs more than {self.memory // 10**6:,} MB for the picture", help=_SMALLER)
        if code < 0:
            raise NotDrawn(f"Graphviz was ended by signal {-code}", help=f"it may lack memory; {_SMALLER}")
        if code or not size:
            first = said.decode("utf-8", "replace").strip().partition("\n")[0]
            raise NotDrawn(f"Graphviz failed: {cut(clean(first)) or f'exit code {code}'}")

    def _too_slow(self) -> NotDrawn:
        return NotDrawn(
            f"Graphviz did not finish within {self.seconds:g} s",
            help=f"{_SMALLER}; --timeout SECONDS gives it longer",
        )


def _feed(stream: IO[bytes], data: bytes) -> None:
    """Give a process all that it reads, until it reads no more."""
    try:
        with stream:
            stream.write(data)
    except OSError:
        # It has ended, and its exit code says why.
        return


def _hear(stream: IO[bytes], said: list[bytes]) -> None:
    """Take all that a process says, and keep how it begins."""
    while part := stream.read(_SAID):
        if not said:
            said.append(part)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and those that it started."""
    if os.name == "posix" and process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _environment() -> dict[str, str]:
    """The environment of Graphviz; programs are not looked for where a stranger's files are."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return {**kept, "PATH": os.pathsep.join(place for place in places if os.path.isabs(place))}

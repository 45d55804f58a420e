"""Pictures from DOT, drawn by Graphviz in a process of its own that may not run for ever."""

from __future__ import annotations

import subprocess
import time

from ..errors import OutputError
from .quoting import cut
from .style import clean

FORMATS = ("svg", "png", "pdf")

# Sharp on any screen, and still readable: the best that fits is taken.
_DOTS_PER_INCH = (144, 96)
# What the PNG renderer draws at most on a side before it shrinks everything, and what it draws in about ten seconds.
_SIDE, _PIXELS = 32_767, 100_000_000

_SMALLER = "--fold, --focus NAME or --depth N make it smaller"


class NotDrawn(OutputError):
    """A picture that Graphviz did not draw."""


def drawn(dot: str, form: str, seconds: float) -> bytes:
    """The picture of a DOT text, as SVG, PNG or PDF."""
    ends = time.monotonic() + seconds
    sharpness = []
    if form == "png":
        # Only a layout tells how large the picture gets.
        sharpness = [f"-Gdpi={_dots(_graphviz(dot, ['-Tplain'], ends, seconds))}"]
    return _graphviz(dot, [f"-T{form}", *sharpness], ends, seconds)


def _dots(plain: bytes) -> int:
    """How many dots to an inch a picture can have; an error where it is too large for the fewest."""
    width, height = map(float, plain.split(maxsplit=4)[2:4])
    for dots in _DOTS_PER_INCH:
        if max(width, height) * dots <= _SIDE and width * height * dots**2 <= _PIXELS:
            return dots
    across, down = round(width * dots), round(height * dots)
    raise NotDrawn(
        f"the picture is too large for a PNG: {across:,} × {down:,} pixels",
        help=f"an SVG or a PDF may be of any size; {_SMALLER}",
    )


def _graphviz(dot: str, words: list[str], ends: float, seconds: float) -> bytes:
    """What ``dot`` makes of a text."""
    try:
        done = subprocess.run(
            ["dot", *words],
            input=dot.encode(),
            capture_output=True,
            timeout=max(ends - time.monotonic(), 0),
            check=False,
        )
    except FileNotFoundError:
        raise NotDrawn(
            "pictures are drawn by Graphviz, and its program `dot` was not found",
            help="install the package graphviz, with apt, dnf, brew, conda or choco",
        ) from None
    except subprocess.TimeoutExpired:
        raise NotDrawn(
            f"Graphviz did not finish within {seconds:g} s", help=f"{_SMALLER}; --timeout SECONDS gives it longer"
        ) from None
    except OSError as error:
        raise NotDrawn(f"Graphviz could not be started: {error.strerror or error}") from None
    if done.returncode < 0:
        raise NotDrawn(f"Graphviz was ended by signal {-done.returncode}", help=f"it may lack memory; {_SMALLER}")
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise NotDrawn(f"Graphviz failed: {cut(clean(said)) or f'exit code {done.returncode}'}")
    return done.stdout

"""The line of a source that an error points at, cut to a width, and where its carets stand."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from ..errors import Span
from ..text.cells import cell_count
from ..text.escape import commands, escape

_TAB = "    "
# Less room than this shows nothing of use.
LEAST_ROOM = 16


class Frame(NamedTuple):
    """A line as it is shown, the cells before its carets, and how many carets there are."""

    text: str
    indent: int
    carets: int


def framed(span: Span, room: int, *, ascii: bool = False) -> Frame:
    """The first line of a span in so many cells, with carets under the part of it that the span covers."""
    line = span.source.line(span.line)
    room = max(room, LEAST_ROOM)
    shown = _shown(line, ascii)
    # The cell at which each character starts; the last is where the line ends.
    starts = list(accumulate((n for _, n in shown), initial=0))
    first = min(max(span.column, 0), len(line))
    last = len(line) if span.end_line > span.line else min(max(span.end_column, first), len(line))
    start = starts[first]
    stop = max(starts[last], starts[min(first + 1, len(line))], start + 1)
    width = max(starts[-1], stop)
    mark = "..." if ascii else "…"
    low, high = _window(start, stop, width, room, len(mark))
    inside = [i for i in range(len(line)) if low <= starts[i] and starts[i + 1] <= high]
    text = "".join(shown[i][0] for i in inside)
    indent = start - (starts[inside[0]] if inside else start)
    carets = max(min(stop, high) - start, 1)
    if low:
        text, indent = mark + text, len(mark) + indent
    return Frame(text + mark if high < width else text, indent, carets)


def _window(start: int, stop: int, width: int, room: int, mark: int) -> tuple[int, int]:
    """The cells of a line to show, between marks where it goes on, so that its carets are in sight."""
    if width <= room:
        return 0, width
    if stop + mark <= room:
        return 0, room - mark
    context = max((room - (stop - start)) // 2, room // 4)
    left = max(0, min(start - context, width - room))
    right = left + room
    return left + mark if left else 0, right - mark if right < width else width


def _shown(line: str, ascii: bool) -> list[tuple[str, int]]:
    """Each character of a line as it is shown, and its cells."""
    broken = set(commands(line))
    shown = []
    for i, character in enumerate(line):
        if character == "\t":
            shown.append((_TAB, len(_TAB)))
        elif i in broken or not character.isprintable() or (ascii and not character.isascii()):
            text = escape(character)
            shown.append((text, len(text)))
        else:
            shown.append((character, cell_count(character)))
    return shown

"""The sides of a program's branches and kinks that were looked at: a line for each, with those that nobody has seen."""

from __future__ import annotations

from collections.abc import Sequence

from ...check.judging.findings import Covered
from ...text.cells import cells, pad
from ...text.escape import one_line
from ...text.parts import DOUBTFUL, PLAIN, Line, Part
from ..diagnostic import hung

_NOTHING = "no branches by value, and no kinks in functions of its own"


def coverage_lines(coverage: Sequence[Covered], width: int | None, ascii: bool) -> list[Line]:
    """The coverage of one spec."""
    if not coverage:
        return [[Part(f"  coverage: {_NOTHING}")]]
    wanted = sum(len(x.sides) - len(x.excused) for x in coverage)
    missing = sum(len(x.missing) for x in coverage)
    lines: list[Line] = [[Part(f"  coverage: {wanted - missing} of {wanted} sides")]]
    names = [one_line(f"{x.what}{x.place}") for x in coverage]
    widest = max(map(cells, names))
    for name, x in zip(names, coverage, strict=True):
        style = DOUBTFUL if x.missing else PLAIN
        lines += hung([Part(f"    {pad(name, widest)}  ")], sides_of(x), width, ascii, style=style)
    return lines


def sides_of(x: Covered) -> str:
    """The sides that were seen, that nobody saw, and that need not be seen."""
    parts = [", ".join(x.seen)]
    if x.missing:
        parts.append(f"never {', '.join(x.missing)}")
    if x.excused:
        parts.append(f"nothing to see {', '.join(x.excused)}")
    return "; ".join(filter(None, parts))

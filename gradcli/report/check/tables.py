"""Numbers of a finding in rows: the worst entries, the error by its step, and the Jacobians."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, isnan, log10

from ...check.judging.findings import Entry, Finding
from ...text.cells import cells, cut, pad
from ...text.escape import encodable, harmless, one_line
from .numbers import bar_of, digits_of, number, pair, point, ratio
from .words import entry_name

# An input with a longer name does not head a column of few digits.
_LONGEST_HEAD = 10
# From the least error to the largest.
_LEVELS, _ASCII_LEVELS = "▁▂▃▄▅▆▇█", "_.-~+*%@"
_STRIP = 40
# Of a larger Jacobian so many rows and columns are shown, and said how many there are.
_LARGEST = 24
_DROPPED_FIRST = ("ratio", "at", "output")


def table(finding: Finding, indent: str, width: int | None, ascii: bool) -> list[str]:
    """The worst entries, a line each; on a narrow terminal only what tells most of them."""
    columns = dict(columns_of(finding))
    lines = _laid_out(list(columns.values()), indent)
    for key in _DROPPED_FIRST:
        if width is None or max(map(cells, lines)) <= width:
            break
        columns.pop(key, None)
        lines = _laid_out(list(columns.values()), indent)
    return _fitted(lines, width, ascii)


def _fitted(lines: list[str], width: int | None, ascii: bool) -> list[str]:
    """Lines that are safe to show, cut to a width."""
    lines = [harmless(encodable(line, "ascii") if ascii else line) for line in lines]
    return lines if width is None else [cut(line, width, "..." if ascii else "…") for line in lines]


def columns_of(finding: Finding) -> Iterator[tuple[str, list[str]]]:
    """Each column by a key, its heading first."""
    entries = finding.table
    name = one_line(finding.input)
    yield "index", ["index", *(f"[{', '.join(map(str, e.index))}]" for e in entries)]
    if any(e.output_index for e in entries):
        yield "output", ["of", *(entry_name("", e.output_index or ()) for e in entries)]
    yield "at", [name if len(name) <= _LONGEST_HEAD else "at", *(point(e.at) for e in entries)]
    shown = [_claimed_and_true(e) for e in entries]
    yield "claimed", ["claimed", *(claimed for claimed, _ in shown)]
    yield "true", ["true", *(true for _, true in shown)]
    yield "ratio", ["ratio", *(ratio(e.judged.claimed, e.judged.estimate) for e in entries)]


def _claimed_and_true(entry: Entry) -> tuple[str, str]:
    judged = entry.judged
    if not isfinite(judged.estimate) and judged.left is not None and judged.right is not None:
        return number(judged.claimed), f"{number(judged.left)} or {number(judged.right)}"
    if isnan(judged.estimate):
        return number(judged.claimed), "unknown"
    return pair(judged.claimed, judged.estimate, judged.bar)


def _laid_out(columns: Sequence[Sequence[str]], indent: str) -> list[str]:
    """Columns beside each other, a minus hanging out to the left of the digits."""
    first, *others = columns
    padded = [[pad(cell, max(map(cells, first))) for cell in first]]
    for column in others:
        hanging = [cell if cell.startswith("-") and cell != "-" else f" {cell}" for cell in column]
        wide = max(map(cells, hanging))
        padded.append([pad(cell, wide) for cell in hanging])
    return [(indent + "  ".join(row)).rstrip() for row in zip(*padded, strict=True)]


def details(finding: Finding, width: int | None, ascii: bool, *, jacobian: bool) -> list[str]:
    """The lines that -v adds for a finding, right or wrong: verdict, error by the step, and with -vv its Jacobians."""
    parts = [f"{finding.output} / {finding.input}", f"order {finding.order}", finding.verdict.value]
    if finding.digits is not None:
        parts.append(f"{digits_of(finding.digits)} digits")
    parts.append(f"{finding.entries:,} {'entry' if finding.entries == 1 else 'entries'}")
    lines = [f"  {one_line('  '.join(parts))}"]
    if finding.curve:
        lines.append(f"    {strip(finding.curve, ascii)}")
    if jacobian and finding.jacobian is not None:
        for name, rows in zip(("claimed", "true"), finding.jacobian, strict=True):
            lines += [f"    {name}", *_matrix(rows)]
    return _fitted(lines, width, ascii)


def strip(curve: Sequence[tuple[float, float]], ascii: bool) -> str:
    """The error of an estimate by the step, the smallest step first, each error as high as its logarithm."""
    points = sorted((step, abs(error)) for step, error in curve if isfinite(step) and isfinite(error))
    if not points:
        return "error by step: none is finite"
    every = -(-len(points) // _STRIP)
    points = points[::every]
    seen = [log10(error) for _, error in points if error]
    low, high = (min(seen), max(seen)) if seen else (0.0, 0.0)
    levels = _ASCII_LEVELS if ascii else _LEVELS
    top = len(levels) - 1
    marks = [levels[round(top * (log10(error) - low) / (high - low or 1.0)) if error else 0] for _, error in points]
    ends = f"{bar_of(points[0][0])} to {bar_of(points[-1][0])}"
    return f"error by step, {ends}: {''.join(marks)} ({bar_of(10**low)} to {bar_of(10**high)})"


def _matrix(rows: Sequence[Sequence[float]]) -> list[str]:
    """A matrix in aligned columns."""
    some = [[number(float(value)) for value in list(row)[:_LARGEST]] for row in list(rows)[:_LARGEST]]
    if not some or not some[0]:
        return ["      (empty)"]
    lines = _laid_out([[""] * len(some), *(list(column) for column in zip(*some, strict=True))], "     ")
    high, wide = len(rows), len(rows[0])
    if high > _LARGEST or wide > _LARGEST:
        lines.append(
            f"      (the first {min(high, _LARGEST)} rows and {min(wide, _LARGEST)} columns of {high} x {wide})"
        )
    return lines

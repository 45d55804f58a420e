"""Pictures of a finding as SVG: the error of estimates by their step, and Jacobians as maps of heat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, isfinite, log10

from ...check.judging.findings import Finding
from .numbers import bar_of, number

WIDE, HIGH, _LEFT, _BELOW, _TOP = 420, 240, 52, 34, 10
# A map of so many rows or columns has cells as large as these.
_MAP, _CELL = 180, 22


def curve(finding: Finding) -> str | None:
    """The error of the central difference against the step, on axes of logarithms, with what it is measured by."""
    points = sorted((h, e) for h, e in finding.curve or () if h > 0 and isfinite(h) and isfinite(e))
    lines = [(name, at) for name, at in _levels(finding) if isfinite(at) and at > 0]
    heights = [e for _, e in points if e > 0] + [at for _, at in lines]
    if len(points) < 2 or not heights:
        return None
    left, right = log10(points[0][0]), log10(points[-1][0])
    low, high = floor(log10(min(heights))), ceil(log10(max(heights)))
    high = max(high, low + 1)

    def x(h: float) -> float:
        return _LEFT + (log10(h) - left) / (right - left or 1.0) * (WIDE - _LEFT - 8)

    def y(e: float) -> float:
        # What is exactly right has no logarithm: it stands at the bottom.
        return _TOP + (high - (log10(e) if e > 0 else low)) / (high - low) * (HIGH - _TOP - _BELOW)

    parts = list(_axes(low, high, (points[0][0], points[-1][0]), x, y))
    parts.append(f'<polyline class="curve" points="{" ".join(f"{x(h):.1f},{y(e):.1f}" for h, e in points)}"/>')
    parts += [
        f'<circle class="dot" cx="{x(h):.1f}" cy="{y(e):.1f}" r="2.5">'
        f"<title>step {bar_of(h)}: error {bar_of(e)}</title></circle>"
        for h, e in points
    ]
    for name, at in lines:
        parts.append(f'<line class="{name}" x1="{_LEFT}" x2="{WIDE - 8}" y1="{y(at):.1f}" y2="{y(at):.1f}"/>')
        text = f"{_LEVELS[name]} {bar_of(at)}"
        parts.append(f'<text class="{name}-text" x="{WIDE - 10}" y="{y(at) - 3:.1f}" text-anchor="end">{text}</text>')
    return _svg(WIDE, HIGH, "Error of the central difference by its step", parts)


_LEVELS = {"claim": "error of the claim", "bar": "error bar", "witness": "complex step"}


def _levels(finding: Finding) -> Iterator[tuple[str, float]]:
    """The bar that the errors of a curve are compared with."""
    if finding.worst is None:
        return
    judged = finding.worst.judged
    yield "claim", abs(judged.claimed - judged.estimate)
    yield "bar", judged.bar
    if judged.witness is not None:
        yield "witness", abs(judged.witness - judged.estimate)


def _axes(low: int, high: int, ends: tuple[float, float], x: object, y: object) -> Iterator[str]:
    assert callable(x)
    assert callable(y)
    every = max(1, (high - low) // 6)
    for power in range(low, high + 1, every):
        at = y(10.0**power)
        yield f'<line class="axis" x1="{_LEFT}" x2="{WIDE - 8}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">1e{power}</text>'
    first, last = ceil(log10(ends[0])), floor(log10(ends[1]))
    every = max(1, (last - first) // 5)
    for power in range(first, last + 1, every):
        at = x(10.0**power)
        yield f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{HIGH - _BELOW}"/>'
        yield f'<text x="{at:.1f}" y="{HIGH - _BELOW + 15}" text-anchor="middle">1e{power}</text>'
    yield f'<text x="{(_LEFT + WIDE) / 2}" y="{HIGH - 4}" text-anchor="middle">step</text>'


def maps(finding: Finding) -> Iterator[tuple[str, str]]:
    """The claimed and the true Jacobian, in the same shades, with a frame around what differs plainly."""
    if finding.jacobian is None:
        return
    claimed, true = finding.jacobian
    sizes = [abs(v) for rows in (claimed, true) for row in rows for v in row if isfinite(v) and v]
    low, high = (log10(min(sizes)), log10(max(sizes))) if sizes else (0.0, 0.0)
    for name, rows, others in (("claimed", claimed, true), ("true", true, claimed)):
        yield name, _map(name, rows, others, low, high)


def _map(
    name: str, rows: Sequence[Sequence[float]], others: Sequence[Sequence[float]], low: float, high: float
) -> str:
    cell = max(4, min(_CELL, _MAP // max(len(rows), len(rows[0]))))
    parts = []
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            value, other = float(value), float(others[i][j])
            kind = "zero" if not value or not isfinite(value) else "more" if value > 0 else "less"
            share = 1.0 if high <= low or kind == "zero" else (log10(abs(value)) - low) / (high - low)
            place = f'x="{j * cell + 1}" y="{i * cell + 1}" width="{cell}" height="{cell}"'
            title = f"<title>[{i}, {j}] {name} {number(value)}</title>"
            parts.append(f'<rect class="cell {kind}" {place} fill-opacity="{0.15 + 0.85 * share:.2f}">{title}</rect>')
            if _differs(value, other):
                inner = f'x="{j * cell + 2}" y="{i * cell + 2}" width="{cell - 2}" height="{cell - 2}"'
                parts.append(f'<rect class="odd" {inner}/>')
    return _svg(len(rows[0]) * cell + 2, len(rows) * cell + 2, f"The {name} Jacobian", parts)


def _differs(a: float, b: float) -> bool:
    """Tell whether two numbers differ by more than what no two estimates agree in."""
    return not (a == b or (a != a and b != b)) and not abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def _svg(wide: int, high: int, label: str, parts: Sequence[str]) -> str:
    size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    inside = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(label)}">\n{inside}\n</svg>'

"""The differences of two graphs, for people: a line for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...text.parts import BAD, FAINT, GOOD, HEADING, PLACE, Line, Part, written
from .compare import CAME, CHANGED, WENT, Comparison, Difference

SIGNS = {WENT: ("-", BAD), CAME: ("+", GOOD), CHANGED: ("~", HEADING)}


def lines(names: Sequence[str], found: Comparison) -> Iterator[Line]:
    """A line for each difference, those of one node together, and how many there are."""
    yield [Part(f"{_clean(names[0])} → {_clean(names[1])}", HEADING)]
    for one in found.differences:
        sign, style = SIGNS[one.kind]
        place = "" if one.line is None else f"  line {one.line}"
        said = f"{one.what} {told(one)}" if one.kind == CHANGED else _clean(str(one.before or one.after))
        yield [Part(f"{sign} {_clean(one.id)}", style), Part(f"  {said}"), Part(place, FAINT)]
    yield [Part(summary(found), PLACE if found.differences else GOOD)]


def to_text(names: Sequence[str], found: Comparison) -> str:
    """The lines as a text without styles."""
    return written(lines(names, found))


def summary(found: Comparison) -> str:
    """Count the nodes that came, went and changed."""
    if not found.differences:
        return f"alike: {len(found.after)} nodes"
    counts = {kind: len({one.id for one in found.differences if one.kind == kind}) for kind in SIGNS}
    words = [f"{count} {kind}" for kind, count in counts.items() if count]
    return f"{', '.join(words)}, of {len(found.before)} nodes before and {len(found.after)} after"


def told(one: Difference) -> str:
    """Tell a change in a line."""
    return " → ".join(both_ways(one))


def both_ways(one: Difference) -> tuple[str, str]:
    """Tell what a change is from and what it is to, each in a few words."""
    if isinstance(one.before, list) and isinstance(one.after, list) and one.what == "arguments":
        others = [[each for each in mine if each not in theirs]
                  for mine, theirs in ((one.before, one.after), (one.after, one.before))]  # fmt: skip
        if any(others):
            return _told(others[0], _few), _told(others[1], _few)
    before, after = (_told(value, _few) for value in (one.before, one.after))
    if before == after:
        # They differ further on.
        before, after = (_told(value, str) for value in (one.before, one.after))
    return before, after


def _told(value: Any, few: Callable[[Any], str]) -> str:
    """A value of a trace in a few words."""
    if value is None:
        return "none"
    if isinstance(value, dict) and "norm" in value:
        bad = "".join(f" {kind} {value[kind]}" for kind in ("nan", "inf") if kind in value)
        low, high = value.get("min"), value.get("max")
        if low == high and _is_length(low, value["norm"]):
            return _clean(few(low))
        return _clean(f"{few(low)}..{few(high)} ‖{few(value['norm'])}‖{bad}")
    if isinstance(value, list) and all(isinstance(each, tuple) for each in value):
        return _clean(f"({', '.join(f'{name}={to}' for name, to in value)})")
    return _clean(str(tuple(value)) if isinstance(value, list) else few(value))


def _is_length(number: Any, norm: Any) -> bool:
    """Tell whether a norm says no more than the number does that it is of."""
    return number == norm or (isinstance(number, float) and number == -norm)


def _few(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _clean(text: str) -> str:
    from ...text.escape import harmless, one_line

    return harmless(one_line(text))

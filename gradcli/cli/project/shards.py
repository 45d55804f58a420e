"""Parts of a check for several machines, of about the same length."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from statistics import median

from ...errors import InputError
from ...report.check.durations import SCHEMA
from ...spec.input.disk import open_regular, read_up_to

_LARGEST = 16_000_000


def part_of(names: Iterable[str], part: int, parts: int, seconds: Mapping[str, float] | None = None) -> set[str]:
    """The names that one of several parts has: each in turn, or the longest first to the part with the least to do.

    What was never timed is taken to be as long as most.
    """
    ordered = sorted(set(names))
    if seconds is None:
        return set(ordered[part - 1 :: parts])
    usual = median(seconds.values()) if seconds else 1.0
    long = {name: seconds.get(name.replace(os.sep, "/"), usual) for name in ordered}
    loads = [0.0] * parts
    mine = set()
    for name in sorted(ordered, key=lambda name: (-long[name], name)):
        least = min(range(parts), key=lambda number: (loads[number], number))
        loads[least] += long[name]
        if least == part - 1:
            mine.add(name)
    return mine


def durations(path: str) -> dict[str, float]:
    """The seconds that each spec took, from a report of an earlier check."""
    file, _ = open_regular(path, missing="`gradcli check ... --report durations:FILE` writes one")
    with file:
        data = read_up_to(file, _LARGEST)
    try:
        found = json.loads(data)
        seconds = found["seconds"] if found["schema"] == SCHEMA else None
    except (ValueError, TypeError, KeyError, RecursionError):
        seconds = None
    if not isinstance(seconds, dict) or not all(map(_is_time, seconds.values())):
        help = "`gradcli check ... --report durations:FILE` writes one"
        raise InputError(f"'{path}' has no durations of specs", help=help, code="E502")
    return seconds


def slowest(seconds: Sequence[tuple[str, float]], count: int) -> list[str]:
    """Lines about those that took longest; 0: all of them."""
    chosen = sorted(seconds, key=lambda one: (-one[1], one[0]))[: count or None]
    return [f"  {time:8.2f} s  {name}" for name, time in chosen]


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and value >= 0

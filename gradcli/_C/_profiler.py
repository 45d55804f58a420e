"""torch._C._profiler: where in a program something was called."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from typing import Any


def gather_traceback(python: bool = True, script: bool = False, cpp: bool = False) -> list[Any]:
    """The calls that led here, the last one first."""
    return list(reversed(traceback.extract_stack()[:-1])) if python else []


def symbolize_tracebacks(tracebacks: Iterable[Sequence[Any]]) -> list[list[dict[str, Any]]]:
    """The file, line and function of each call of some tracebacks."""
    return [[{"filename": x.filename, "line": x.lineno, "name": x.name} for x in calls] for calls in tracebacks]

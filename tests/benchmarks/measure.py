"""Timing functions of several engines in turn, so that they meet the same weather."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


def cpu() -> float:
    """Seconds of the processor, of this process and of those that it waited for: other loads do not count."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@dataclass
class Timing:
    """Seconds for one call: the least, and the middle of all samples."""

    least: float
    median: float


def measure(calls: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, Timing]:
    """Time each call for about ``seconds``, in turns, several calls to a sample where one is short."""
    counts = {}
    for name, call in calls.items():
        call()
        counts[name] = max(1, int(min(seconds, 0.01) / 4 / max(_once(call), 1e-7)))
    samples: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds * len(calls)
    while len(next(iter(samples.values()))) < 3 or time.perf_counter() < end:
        for name, call in calls.items():
            n = counts[name]
            start = time.process_time()
            for _ in range(n):
                call()
            samples[name].append((time.process_time() - start) / n)
    return {name: Timing(min(s), statistics.median(s)) for name, s in samples.items()}


def _once(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start

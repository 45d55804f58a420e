"""Ratios of gradcli's time to PyTorch's, and to that of NumPy written by hand.

``python -m tests.benchmarks [GROUP ...] [--seconds S] [--smoke]``; groups: chain, wave, mlp, third, layer, scale,
spec, check.
Engines take turns in one process, on one thread; a figure is the least of many. Without PyTorch the
times stand beside NumPy's alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
from pathlib import Path
from typing import Any

from .. import one_thread as one_thread
from . import check, scale, spec
from .cases import CASES, GOAL, Case
from .measure import Timing, measure

TORCH = importlib.util.find_spec("torch") is not None


def engines() -> dict[str, Any]:
    """gradcli, and PyTorch when it is installed."""
    import gradcli

    found: dict[str, Any] = {"gradcli": gradcli}
    if TORCH:
        import torch

        torch.set_num_threads(1)
        found["torch"] = torch
    return found


def micro(seconds: float) -> str:
    """A time, in microseconds, with three digits that count."""
    us = seconds * 1e6
    return f"{us:,.0f}" if us >= 100 else f"{us:.1f}" if us >= 10 else f"{us:.2f}"


def ratio(a: float | None, b: float | None) -> str:
    """a / b, or a dash."""
    return "-" if a is None or b is None else f"{a / b:.2f}"


def bar(value: float | None) -> str:
    """A ratio as a length: ten signs are PyTorch's time."""
    return "" if value is None else "#" * max(1, min(20, round(10 * value)))


HEAD = f"{'':<36}{'gradcli':>11}{'PyTorch':>11}{'by hand':>11}{'/PyTorch':>10}{'/by hand':>10}"


def row(case: Case, found: dict[str, Timing]) -> tuple[str, float | None]:
    """A line of the table, and the ratio to PyTorch."""
    times = {n: t.least / case.operations for n, t in found.items()}
    ours, theirs, hand = (times.get(n) for n in ("gradcli", "torch", "by hand"))
    assert ours is not None
    shown = [micro(t) if t is not None else "-" for t in (ours, theirs, hand)]
    against = None if theirs is None else ours / theirs
    text = f"  {case.title:<34}" + "".join(f"{s:>11}" for s in shown)
    text += f"{ratio(ours, theirs):>10}{ratio(ours, hand):>10}  {bar(against)}"
    return text.rstrip(), against


def run_cases(groups: list[str], seconds: float) -> None:
    """Measure and print the cases of the groups chosen."""
    available = engines()
    goals: list[tuple[float, str]] = []
    title = ""
    for case in CASES:
        if groups and not any(case.group.startswith(g) for g in groups):
            continue
        if case.group != title:
            title = case.group
            unit = "µs per operation" if case.operations > 1 else "µs per step"
            print(f"\n{title}, {unit}" if title != "layer" else "\nlayers, µs forward and backward")
        calls = {name: case.make(engine) for name, engine in available.items()}
        if case.by_hand is not None:
            calls["by hand"] = case.by_hand()
        text, against = row(case, measure(calls, seconds))
        print(text, flush=True)
        if against is not None and case.group in GOAL:
            goals.append((against, f"{case.group} {case.title}"))
    if goals:
        mean = math.exp(sum(math.log(r) for r, _ in goals) / len(goals))
        worst, where = max(goals)
        print(f"\ngeometric mean of {len(goals)} ratios to PyTorch  {mean:.2f}   (goal 0.60)")
        print(f"largest                                {worst:.2f}   (goal 1.00)   {where}")


def run_scale(nodes: int) -> None:
    """Measure and print the long chain."""
    if not Path("/proc/self/statm").exists():
        print("\nscale: left out, for want of /proc/self/statm")
        return
    names = ["gradcli", *(["torch"] if TORCH else [])]
    found = {n: scale.fresh(n, nodes) for n in names}
    print(f"\na chain of {nodes:,} nodes, in a process of its own")
    rows = [*((phase, phase, "µs per node") for phase in scale.PHASES), ("bytes", "memory", "bytes per node")]
    totals = {n: sum(found[n][p] for p in scale.PHASES) for n in names}
    for key, title, unit in rows:
        values = [found[n][key] for n in names]
        shown = [f"{v:.0f}" if key == "bytes" else micro(v / nodes) for v in values] + ["-"] * (3 - len(values))
        against = values[0] / values[1] if len(values) > 1 else None
        line = f"  {title + ', ' + unit:<34}" + "".join(f"{s:>11}" for s in shown)
        print(f"{line}{ratio(values[0], values[1] if against else None):>10}{'-':>10}  {bar(against)}".rstrip())
    if len(names) > 1:
        print(f"  {'build, backward and free together':<67}{totals['gradcli'] / totals['torch']:>10.2f}   (goal 0.60)")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", help="chain, wave, mlp, third, layer, scale, spec, check; all by default")
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each engine in each case")
    parser.add_argument("--smoke", action="store_true", help="only see that everything runs")
    options = parser.parse_args()
    seconds = 0.0 if options.smoke else options.seconds
    engine = [group for group in options.groups if group not in ("scale", "spec", "check")]
    if engine or not options.groups:
        print(HEAD)
        run_cases(engine, seconds)
    if not options.groups or "scale" in options.groups:
        run_scale(5_000 if options.smoke else 1_000_000)
    if not options.groups or "spec" in options.groups:
        spec.main(options.smoke)
    if not options.groups or "check" in options.groups:
        check.main(options.smoke)


if __name__ == "__main__":
    main()

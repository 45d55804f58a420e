"""Write programs.json: random programs with PyTorch's results, for where PyTorch is not installed.

``python -m tests.conformance.record_programs [COUNT]``, with PyTorch 2.13.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from .judge import PROGRAMS, unsteady
from .observe import observe
from .programs import Program, programs

# How few programs with an error are enough.
ERRORS = 8


def collect(torch: Any, count: int) -> list[dict[str, Any]]:
    """Programs that PyTorch runs, a few that it refuses, each once."""
    found: dict[str, dict[str, Any]] = {}
    errors = [0]

    @seed(13)
    @settings(
        max_examples=20 * count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(programs())
    def gather(program: Program) -> None:
        if len(found) >= count or len(program.code.splitlines()) < 14 or unsteady(torch, program):
            return
        first = observe(torch, program.code, program.inputs)
        failing = "error" in first or bool(first.get("grad_error"))
        if failing and errors[0] >= ERRORS:
            return
        errors[0] += failing
        entry: dict[str, Any] = {"tolerance": program.tolerance, "first": _without_saved_values(first)}
        if not failing:
            second = observe(torch, program.second.code, program.inputs)
            if "error" not in second:
                entry["second"] = _slim(second)
        found[program.code] = entry

    gather()
    return list(found.values())


def _without_saved_values(record: dict[str, Any]) -> dict[str, Any]:
    """A record that keeps what was saved, but not its numbers: the gradients show those."""
    for node in record.get("nodes", ()):
        for spec in node["saved"].values():
            if spec["kind"] == "tensor":
                spec.pop("value")
            for item in spec.get("items", ()):
                if item is not None:
                    item.pop("value")
    return record


def _slim(record: dict[str, Any]) -> dict[str, Any]:
    for node in record["nodes"]:
        node["saved"] = {}
    return record


def main() -> None:
    """Record them."""
    import torch

    torch.set_num_threads(1)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    found = collect(torch, count)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in found)
    PROGRAMS.write_text(f'{{"torch_version": "{torch.__version__}", "programs": [\n{lines}\n]}}\n')
    print(f"{len(found)} programs, {PROGRAMS.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()

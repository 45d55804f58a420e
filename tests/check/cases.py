"""Claims with their truth, each as a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())


def program_of(case: dict[str, Any]) -> str:
    """The spec in which a claim is a custom Function's backward, or the engine's own."""
    names = list(case["inputs"])
    given = ", ".join(names)
    lines = ["import torch", case["code"]]
    if case["vjp"]:
        lines += [
            case["vjp"],
            "class Claimed(torch.autograd.Function):",
            "    @staticmethod",
            f"    def forward(ctx, {given}):",
            f"        ctx.save_for_backward({given})",
            f"        return f({given})",
            "    @staticmethod",
            "    def backward(ctx, gy):",
            f"        {given}, = ctx.saved_tensors",
            f"        return vjp(gy, {given})",
        ]
    for name, value in case["inputs"].items():
        lines.append(f"{name} = torch.tensor({value!r}, dtype=torch.{case['dtype']}, requires_grad=True)")
    lines.append(f"out = {'Claimed.apply' if case['vjp'] else 'f'}({given})")
    return "\n".join(lines) + "\n"

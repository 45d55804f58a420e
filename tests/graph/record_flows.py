"""Records the gradients that hooks measure in PyTorch at calls of modules: ``python -m tests.graph.record_flows``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from .flows import PROGRAMS, TURNS, program

RECORDED = Path(__file__).with_name("flows.json")

# By the class of modules, the lengths of the gradient in and out of each call.
Lengths = dict[str, list[tuple[float, float]]]


def length(grads: Any) -> float:
    """The length of the gradients that a hook is given."""
    return math.hypot(*[float(grad.norm()) for grad in grads if grad is not None])


def of_modules(text: str, torch: Any) -> Lengths:
    """What full backward hooks see of each call of a module, by class."""
    found: Lengths = {}

    def hooked(module: Any, passed: Any, arrived: Any) -> None:
        found.setdefault(type(module).__name__, []).append((length(arrived), length(passed)))

    handle = torch.nn.modules.module.register_module_full_backward_hook(hooked)
    try:
        _run(text, torch)
    finally:
        handle.remove()
    return {cls: sorted(found[cls]) for cls in sorted(found)}


def of_turns(text: str, torch: Any) -> list[float]:
    """The gradients of the states that the turns of a loop leave, which each keeps."""
    noted = text.replace("W @ h)\n", "W @ h)\n    h.retain_grad()\n    states.append(h)\n")
    return [float(h.grad.norm()) for h in _run("states = []\n" + noted, torch)["states"]]


def _run(text: str, torch: Any) -> dict[str, Any]:
    dtype = torch.get_default_dtype()
    variables: dict[str, Any] = {"__name__": "flow"}
    try:
        exec(compile(text, "<flow>", "exec"), variables)
    finally:
        torch.set_default_dtype(dtype)
    return variables


def main() -> None:
    """Write what PyTorch measures now."""
    import torch

    found = {name: of_modules(program(text), torch) for name, text in PROGRAMS.items()}
    RECORDED.write_text(json.dumps({"modules": found, "turns": of_turns(program(TURNS), torch)}, indent=1) + "\n")


if __name__ == "__main__":
    main()

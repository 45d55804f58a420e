"""Random programs for as long as you like: ``python -m tests.conformance.fuzz SECONDS [SEED]``.

Prints the shortest program found that gradcli does not run as PyTorch does.
"""

from __future__ import annotations

import sys
import time

from hypothesis import HealthCheck, Phase, given, seed, settings

import gradcli

from .judge import differences, shortened
from .programs import Program, programs

BATCH = 100


def search(seconds: float, first_seed: int) -> int:
    """Try batches of programs until the time is up or one fails; the exit status."""
    import torch

    torch.set_num_threads(1)
    end = time.monotonic() + seconds
    tried = 0
    failing: list[Program] = []

    def attempt(program: Program) -> None:
        nonlocal tried
        if failing or time.monotonic() > end:
            return
        tried += 1
        if differences(torch, gradcli, program):
            failing.append(program)

    batch = first_seed
    while not failing and time.monotonic() < end:
        run = settings(
            max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(seed(batch)(given(programs())(attempt)))  # fmt: skip
        run()
        batch += 1
    print(f"{tried} programs, seeds {first_seed} to {batch - 1}")
    if not failing:
        return 0
    program = shortened(torch, gradcli, failing[0])
    print(f"gradcli differs from PyTorch in\n\n{program}\n\n" + "\n".join(differences(torch, gradcli, program)))
    return 1


if __name__ == "__main__":
    sys.exit(search(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))

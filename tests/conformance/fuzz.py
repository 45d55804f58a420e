"""Random programs for as long as you like: ``python -m tests.conformance.fuzz SECONDS [SEED]``.

Prints the shortest program found that gradcli does not run as PyTorch does.
"""

from __future__ import annotations

import sys
import time

from hypothesis import HealthCheck, Verbosity, given, seed, settings

import gradcli

from .judge import differences
from .programs import Program, programs

BATCH = 100


def search(seconds: float, first_seed: int) -> int:
    """Try batches of programs until the time is up or one fails; the exit status."""
    import torch

    torch.set_num_threads(1)
    end = time.monotonic() + seconds
    tried = 0
    shortest: list[tuple[Program, list[str]]] = []

    def attempt(program: Program) -> None:
        nonlocal tried
        tried += 1
        found = differences(torch, gradcli, program)
        if found:
            shortest[:] = [(program, found)]
        assert not found

    batch = first_seed
    while time.monotonic() < end:
        run = settings(
            max_examples=BATCH, deadline=None, database=None, verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
        )(seed(batch)(given(programs())(attempt)))  # fmt: skip
        try:
            run()
        except AssertionError:
            program, found = shortest[0]
            print(f"seed {batch}: gradcli differs from PyTorch in\n\n{program}\n\n" + "\n".join(found))
            return 1
        batch += 1
    print(f"{tried} programs in {seconds:g} s, seeds {first_seed} to {batch - 1}: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(search(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))

"""How fast specs run: the interpreter beside Python, and whole processes beside ``import numpy``."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .measure import cpu

ROOT = Path(__file__).parents[2]

LOOP = """
total = 0
i = 0
while i < {n}:
    total = total + i * 2 - (i % 7)
    i += 1
"""
TRAINING = """
import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
y = torch.tensor([[0.], [1.], [1.], [0.]])
for step in range({n}):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
THREE_LINES = """
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum(); y.backward(); print(x.grad)
"""


def least(call: Callable[[], Any], times: int) -> float:
    """The least time of several calls, in seconds of the processor."""
    best = float("inf")
    for _ in range(times):
        start = cpu()
        call()
        best = min(best, cpu() - start)
    return best


def interpreted(text: str) -> Callable[[], Any]:
    """A run of a program in the interpreter."""
    from gradcli.errors import Source
    from gradcli.spec.guard.limits import RELAXED
    from gradcli.spec.input.source import Spec
    from gradcli.spec.program import Program

    program = Program(Spec(Source("spec.py", text), False, None, None), limits=RELAXED)
    return program.run


def hosted(text: str) -> Callable[[], Any]:
    """A run of the same program in Python, with gradcli as torch."""
    text = text.replace("import torch.nn as nn", "nn = torch.nn").replace("import torch\n", "import gradcli as torch\n")
    code = compile(text, "spec.py", "exec")
    return lambda: exec(code, {})


def visits(text: str, n: int) -> int:
    """The syntax nodes that a loop of ``n`` rounds visits, each once a round."""
    loop = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While))
    inside = [node for part in (loop.test, *loop.body) for node in ast.walk(part)]
    return n * sum(isinstance(node, (ast.expr, ast.stmt)) for node in inside)


def process(arguments: list[str], times: int) -> float:
    """The least time of a whole process, in seconds."""
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    run = [sys.executable, *arguments]
    return least(lambda: subprocess.run(run, cwd=ROOT, env=environ, capture_output=True, check=True), times)


def main(smoke: bool) -> None:
    """Print the table."""
    n, steps, processes = (3_000, 20, 1) if smoke else (300_000, 2_000, 12)
    text = LOOP.format(n=n)
    print("\nspecs")
    print(f"  a loop of plain arithmetic        {visits(text, n) / least(interpreted(text), 3):>12,.0f} nodes a second")
    text = TRAINING.format(n=steps)
    ours, python = least(interpreted(text), 3), least(hosted(text), 3)
    print(f"  a training loop of {steps:,} steps     {ours / python:>8.2f} of the time under python")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "spec.py")
        path.write_text(THREE_LINES)
        numpy = process(["-c", "import numpy"], processes)
        for title, arguments in {
            "gradcli run, three lines": ["run", str(path)],
            "gradcli --version": ["--version"],
        }.items():
            seconds = process(["-m", "gradcli", *arguments], processes)
            print(f"  {title:<34}{seconds / numpy:>8.2f} of `python -c 'import numpy'`, {seconds * 1e3:.0f} ms")

"""How fast gradients are checked, beside PyTorch's gradcheck and gradgradcheck, one thread each."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .generated import KINDS, generated
from .spec import least, process

# By the number of inputs: how wide a layer's input is, and the layer.
NETS = {57: (5, 8), 145: (7, 16), 417: (11, 32), 1345: (19, 64)}
GOALS = {"directions": 0.5, "every entry": 1.5, "order 2": 0.25}

SPEC = """
import torch
torch.manual_seed(0)
x = torch.randn(4, 11)
W1 = torch.randn(32, 11, requires_grad=True)
b1 = torch.randn(32, requires_grad=True)
W2 = torch.randn(1, 32, requires_grad=True)
b2 = torch.randn(1, requires_grad=True)
y = (torch.tanh(x @ W1.T + b1) @ W2.T + b2).sum()
"""
SCRIPT = (
    SPEC.replace("torch.manual_seed(0)", "torch.set_default_dtype(torch.float64)\ntorch.manual_seed(0)")
    + """
torch.autograd.gradcheck(lambda *a: (torch.tanh(x @ a[0].T + a[1]) @ a[2].T + a[3]).sum(), (W1, b1, W2, b2))
"""
)


def net(lib: Any, count: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A net of two layers as a function of its parameters, and these."""
    wide, layer = NETS[count]
    rng = np.random.default_rng(0)

    def parameter(*shape: int) -> Any:
        return lib.tensor((0.5 * rng.standard_normal(shape)).tolist(), dtype=lib.float64, requires_grad=True)

    x = lib.tensor(rng.standard_normal((4, wide)).tolist(), dtype=lib.float64)

    def function(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return (lib.tanh(x @ w1.T + b1) @ w2.T + b2).sum()

    return function, (parameter(layer, wide), parameter(layer), parameter(1, layer), parameter(1))


def checked(count: int, **how: Any) -> Callable[[], None]:
    """A check of a net of ours."""
    import gradcli
    from gradcli.check.judging.findings import Checked, Options
    from gradcli.check.orders import check_subject
    from gradcli.check.replay.subject import of_function

    function, parameters = net(gradcli, count)
    options = Options(**how)

    def call() -> None:
        found = Checked("net")
        check_subject(of_function(function, parameters), options, found)
        assert all(finding.passes(options) for finding in found.findings)

    return call


def compared(count: int, times: int) -> None:
    """Print, by kind of generated program, how much of gradcheck's CPU time a check takes."""
    from gradcli.check.check import check_program
    from gradcli.check.judging.findings import Options
    from gradcli.errors import Source
    from gradcli.spec.input.source import Spec
    from gradcli.spec.program import Program

    torch = _torch()
    ratios: dict[str, list[float]] = {kind: [] for kind in KINDS}
    undecided = []
    for number, made in enumerate(generated(count)):
        program = Program(Spec(Source(f"{made.kind} {number}", made.program), False, None, None))
        # The first pays for what is loaded late.
        found = check_program(program, Options())
        if found.failure or not all(finding.passes(Options()) for finding in found.findings):
            undecided.append(program.source.name)
        if torch is None:
            continue
        torch.set_default_dtype(torch.float64)
        function = made.function(torch)
        inputs = [torch.tensor(values, requires_grad=True) for values in made.inputs.values()]
        ours = _cpu(lambda p=program: check_program(p, Options()), times)
        peer = _cpu(lambda f=function, x=inputs: torch.autograd.gradcheck(f, x, raise_exception=False), times)
        ratios[made.kind].append(ours / peer)
        torch.set_default_dtype(torch.float32)
    print(f"\ncheck: {count} generated programs, CPU time / that of PyTorch's gradcheck")
    print(f"  {'kind':<18}{'programs':>10}{'mean':>10}{'largest':>10}")
    every = [ratio for several in ratios.values() for ratio in several]
    for kind, several in [*ratios.items(), ("all", every)]:
        if several:
            mean = math.exp(sum(map(math.log, several)) / len(several))
            print(f"  {kind:<18}{len(several):>10}{mean:>10.2f}{max(several):>10.2f}")
    print(f"  goals: a mean of 0.7, none above 2; above it are {sum(ratio > 2 for ratio in every)}")
    print(f"  of these right programs are not called right: {', '.join(undecided) or 'none'}")


def _cpu(call: Callable[[], Any], times: int) -> float:
    """The least CPU time of several calls, in seconds."""
    best = math.inf
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


def main(smoke: bool) -> None:
    """Measure and print."""
    torch = _torch()
    times = 1 if smoke else 7
    print("\ncheck: a net of two layers, ms (ratio to PyTorch's)")
    print(f"  {'inputs':<10}{'gradcheck':>12}{'directions':>18}{'every entry':>18}{'gradgradcheck':>16}{'order 2':>18}")
    for count in [57] if smoke else NETS:
        first = second = None
        if torch is not None:
            function, parameters = net(torch, count)
            first = least(lambda f=function, p=parameters: torch.autograd.gradcheck(f, p), times)
            second = least(lambda f=function, p=parameters: torch.autograd.gradgradcheck(f, p), min(times, 3))
        ours = [least(checked(count, **how), times) for how in ({}, {"every_entry": True}, {"order": 2})]
        shown = [_beside(t, peer) for t, peer in zip(ours, (first, first, second), strict=True)]
        peers = ["-" if t is None else f"{1e3 * t:.1f}" for t in (first, second)]
        print(f"  {count:<10}{peers[0]:>12}{shown[0]:>18}{shown[1]:>18}{peers[1]:>16}{shown[2]:>18}", flush=True)
    print("  goals from 417 inputs on: " + ", ".join(f"{name} {goal}" for name, goal in GOALS.items()))
    _from_the_shell(times, torch is not None)
    compared(len(KINDS) if smoke else 300, 1 if smoke else 2)


def _beside(seconds: float, peer: float | None) -> str:
    return f"{1e3 * seconds:.1f}" + ("" if peer is None else f" ({seconds / peer:.2f})")


def _from_the_shell(times: int, with_torch: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spec, script = Path(folder, "net.py"), Path(folder, "script.py")
        spec.write_text(SPEC)
        script.write_text(SCRIPT)
        ours = process(["-m", "gradcli", "check", str(spec)], times)
        theirs = process([str(script)], times) if with_torch else None
    print(f"  `gradcli check` of 417 inputs, whole process  {_beside(ours, theirs)}  (goal 0.2)")

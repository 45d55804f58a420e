"""The forward mode on the sample inputs that PyTorch tests its own ops with.

``python -m tests.conformance.forward_op_db [NAME ...]`` prints every op whose tangents are not PyTorch's.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from typing import Any

import numpy as np

import gradcli
from gradcli.errors import Unsupported

from .op_db import (
    LARGEST,
    MISSING,
    REFUSED,
    RIGHT,
    WRONG,
    Outcome,
    _flat,
    _map,
    _shown,
    _unequal,
    counterpart,
    full_name,
    op_infos,
    table,
    twin,
)  # fmt: skip

SAMPLES_PER_OP = 6


def judge(op: Any, function: Any) -> Outcome:
    """Compare the tangents of an op's samples, recorded and not."""
    import torch

    outcome = Outcome(full_name(op))
    torch.manual_seed(0)
    for sample in itertools.islice(op.sample_inputs("cpu", torch.float64, requires_grad=True), SAMPLES_PER_OP):
        tensors: list[Any] = []
        whole = (sample.input, sample.args, sample.kwargs)
        _map(whole, torch.Tensor, lambda t, into=tensors: (into.append(t), t)[1])
        strided = all(t.layout is torch.strided and not t.is_complex() and t.numel() <= LARGEST for t in tensors)
        if not strided or any(callable(v) for v in sample.kwargs.values()):
            continue
        for recorded in (False, True):
            verdict, why = _compared(op, function, sample, recorded)
            if verdict:
                outcome.add(verdict, f"{why}   {_shown(whole)}" if why else "")
    return outcome


def _compared(op: Any, function: Any, sample: Any, recorded: bool) -> tuple[str, str]:
    """A verdict on one sample; none where PyTorch has no tangents to compare with."""
    import torch

    whole = (sample.input, sample.args, sample.kwargs)
    pairs: dict[int, tuple[Any, Any, Any]] = {}
    random = np.random.default_rng(0)
    symmetric = op.name.startswith(("linalg.cholesky", "linalg.eig", "cholesky")) and op.name != "cholesky_inverse"

    def pair(t: Any) -> tuple[Any, Any, Any]:
        if id(t) not in pairs:
            mine = t.detach().clone(memory_format=torch.preserve_format)
            tangent = torch.tensor(random.uniform(-1, 1, tuple(t.shape)), dtype=t.dtype) if t.requires_grad else None
            if symmetric and tangent is not None and t.ndim > 1 and t.shape[-1] == t.shape[-2]:
                tangent = tangent + tangent.mT
            pairs[id(t)] = mine, twin(mine), tangent
        return pairs[id(t)]

    def dual(engine: Any, t: Any, tangent: Any, made: dict[int, Any]) -> Any:
        if tangent is None:
            return t
        if id(t) not in made:
            x = t.requires_grad_() if recorded else t
            made[id(t)] = engine.autograd.forward_ad.make_dual(x, tangent)
        return made[id(t)]

    def outputs(engine: Any, call: Any, arguments: Any) -> list[Any]:
        x, args, kwargs = arguments
        found = _flat(sample.output_process_fn_grad(call(x, *args, **kwargs)), engine)
        return [engine.autograd.forward_ad.unpack_dual(y) for y in found]

    for engine in (torch, gradcli):
        engine.manual_seed(42)
    made: dict[int, Any] = {}
    with torch.autograd.forward_ad.dual_level():
        theirs = _map(whole, torch.Tensor, lambda t: dual(torch, pair(t)[0], pair(t)[2], made))
        try:
            want = outputs(torch, op.op, theirs)
        except Exception:
            return "", ""
    if not made:
        return "", ""
    made = {}
    with gradcli.autograd.forward_ad.dual_level():
        ours = _map(
            whole, torch.Tensor,
            lambda t: dual(gradcli, pair(t)[1], None if pair(t)[2] is None else twin(pair(t)[2]), made),
        )  # fmt: skip
        ours = _map(ours, torch.dtype, lambda d: getattr(gradcli, str(d).removeprefix("torch."), d))
        try:
            got = outputs(gradcli, function, ours)
        except Unsupported as error:
            return REFUSED, str(error)
        except Exception as error:
            if str(error).startswith("module 'gradcli' has no attribute"):
                return MISSING, ""
            return WRONG, f"raises {type(error).__name__}: {error}"
    fault = _unequal("value", [d.primal for d in want], [d.primal for d in got])
    fault = fault or _unequal("tangent", [d.tangent for d in want], [d.tangent for d in got], zeros=True)
    return (WRONG, fault) if fault else (RIGHT, "")


def report(names: list[str]) -> tuple[list[Outcome], list[str]]:
    """The outcomes of the ops that gradcli has and PyTorch has a forward mode of, and the names of those it has not."""
    outcomes, missing = [], []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for op in op_infos():
            if not op.supports_forward_ad or (names and not any(n in (op.name, full_name(op)) for n in names)):
                continue
            function = counterpart(op)
            outcome = None if function is None else judge(op, function)
            if outcome is None or outcome.counts[MISSING]:
                missing.append(full_name(op))
            else:
                outcomes.append(outcome)
    return outcomes, missing


if __name__ == "__main__":
    found, not_there = report(sys.argv[1:])
    for outcome in found:
        for verdict, why in outcome.first.items():
            if verdict != RIGHT:
                print(f"{outcome.name}: {outcome.counts[verdict]} {verdict}: {why[:600]}")
    print("\n".join(table(found, not_there)))

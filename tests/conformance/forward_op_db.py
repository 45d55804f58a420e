"""The forward mode on the sample inputs that PyTorch tests its own ops with.

``python -m tests.conformance.forward_op_db [NAME ...]`` prints every op whose tangents are not PyTorch's.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import gradcli
from gradcli.errors import Unsupported

from .op_db import (
    MISSING,
    REFUSED,
    RIGHT,
    WRONG,
    Outcome,
    _flat,
    _map,
    _shown,
    _unequal,
    full_name,
    judged,
    op_infos,
    samples,
    show,
    twin,
    with_our_names,
)  # fmt: skip

SAMPLES_PER_OP = 6


def judge(op: Any, function: Any) -> Outcome:
    """Compare the tangents of an op's samples, recorded and not."""
    import torch

    outcome = Outcome(full_name(op))
    for sample in samples(op, torch.float64, SAMPLES_PER_OP):
        for recorded in (False, True):
            verdict, why = _compared(op, function, sample, recorded)
            if verdict:
                outcome.add(verdict, f"{why}   {_shown((sample.input, sample.args, sample.kwargs))}" if why else "")
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
        try:
            got = outputs(gradcli, function, with_our_names(ours))
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
    return judged([op for op in op_infos() if op.supports_forward_ad], judge, names)


if __name__ == "__main__":
    from . import exempt

    show(*report(sys.argv[1:]), exempt.FORWARD)

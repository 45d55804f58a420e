"""Losses of distributions and counts."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_bools, refuse_complex
from ...registry import composite, public
from ...tensor import Value
from ..common import raise_as_if_not, re
from .reduction import SUM, legacy, number_of, of_target, reduced_by

# -- distributions ---------------------------------------------------------------------------------


@public("F")
@under_autocast("single")
@composite
@of_target
def kl_div(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Value:
    """Kullback-Leibler divergence of log-probabilities from probabilities."""
    if type(log_target) is not bool:
        only_bools("kl_div", log_target=log_target)
    if size_average is not None or reduce is not None:
        number = number_of(legacy(size_average, reduce))
    else:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size."
                "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                UserWarning,
                stacklevel=2,
            )
        number = SUM if reduction == "batchmean" else number_of(reduction)
    refuse_complex("kl_div", input, target)
    if input._a.dtype.kind in "biu" or target._a.dtype.kind in "biu":
        fail("kl_div: Integral inputs not supported.")
    # The right operand comes first, as PyTorch's compiler has it: so the nodes are numbered.
    if log_target:
        apart = target - input
        loss = ops.elementary.exp(target) * apart
    else:
        product = target * input
        loss = ops.two_operands.xlogy(target, target) - product
    loss = reduced_by(loss, number)
    return loss / input.shape[0] if reduction == "batchmean" and input.ndim else loss


@public("F")
@composite
def gaussian_nll_loss(
    input: Value, target: Value, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Value:
    """The negative log-likelihood of normal distributions."""
    if isinstance(var, float):
        if var < 0:
            raise EngineValueError("var has negative entry/entries")
        var = var * ops.filled.ones_like(input)
    elif (re(var._a) < 0).any():
        raise EngineValueError("var has negative entry/entries")
    own, given = tuple(input.shape), tuple(var.shape)
    if given != own:
        if own[:-1] == given:
            var = ops.views.unsqueeze(var, -1)
        elif len(own) != len(given) or sum(v for s, v in zip(own, given, strict=True) if s != v) != 1:
            raise EngineValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise EngineValueError(f"{reduction} is not valid")
    var = var.clone()
    raise_as_if_not(var, eps)
    loss = 0.5 * (ops.elementary.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced_by(loss, number_of(reduction))


@public("F")
@under_autocast("single")
@composite
@of_target
def poisson_nll_loss(
    input: Value,
    target: Value,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """The negative log-likelihood of Poisson distributions."""
    only_bools("poisson_nll_loss", log_input=log_input, full=full, places=(3, 4))
    number = number_of(reduction, size_average, reduce)
    eps, counts = float(eps), ops.arith.beside(target, math.pi)
    if log_input:
        product = target * input
        loss = ops.elementary.exp(input) - product
    else:
        loss = input - target * ops.elementary.log(ops.arith.add_number(ops.arith.beside(input, eps), eps))
    if full:
        # Stirling's approximation, for all but the smallest counts.
        round_off = ops.arith.mul_number(ops.elementary.log(ops.arith.mul_number(counts, 2 * math.pi)), 0.5)
        stirling = target * ops.elementary.log(target) - target + round_off
        loss = loss + ops.choosing.masked_fill(stirling, target <= 1, 0)
    return reduced_by(loss, number)

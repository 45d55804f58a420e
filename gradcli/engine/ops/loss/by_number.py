"""Losses as torch itself has them: a number stands for the reduction, and where none is given nothing is reduced."""

from __future__ import annotations

from typing import Any

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...registry import composite, public
from ...tensor import Value
from .reduction import MEAN, NONE, SUM

_WORDS = {NONE: "none", MEAN: "mean", SUM: "sum"}


def _word(reduction: int) -> str:
    """The word that the losses of torch.nn.functional have for a reduction."""
    found = _WORDS.get(reduction)
    if found is None:
        fail(f"{reduction} is not a valid value for reduction")
    return found


@public("torch.kl_div")
@under_autocast("single")
@composite
def kl_div_by_number(input: Value, target: Value, reduction: int = NONE, *, log_target: bool = False) -> Value:
    """Kullback-Leibler divergence of log-probabilities from probabilities."""
    loss = ops.likelihood.kl_div(input, target, reduction="none", log_target=log_target)
    return ops.reduction.reduced_by(loss, ops.reduction.number_of(_word(reduction)))


@public("torch.poisson_nll_loss")
def poisson_nll_loss_by_number(
    input: Value, target: Value, log_input: bool, full: bool, eps: float, reduction: int
) -> Value:
    """The negative log-likelihood of Poisson distributions."""
    word = _word(reduction)
    return ops.likelihood.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=word)


@public("torch.hinge_embedding_loss")
def hinge_embedding_loss_by_number(input: Value, target: Value, margin: float = 1.0, reduction: int = NONE) -> Value:
    """Distances of pairs that belong together, and how far others fall short of a margin."""
    return ops.similarity.hinge_embedding_loss(input, target, margin, reduction=_word(reduction))


@public("torch.margin_ranking_loss")
def margin_ranking_loss_by_number(
    input1: Value, input2: Value, target: Value, margin: float = 0.0, reduction: int = NONE
) -> Value:
    """The margin that pairs still lack to be ranked as the target says."""
    return ops.similarity.margin_ranking_loss(input1, input2, target, margin, reduction=_word(reduction))


@public("torch.cosine_embedding_loss")
def cosine_embedding_loss_by_number(
    input1: Value, input2: Value, target: Value, margin: float = 0.0, reduction: int = NONE
) -> Value:
    """The distance of pairs from the same direction, or their nearness where they should be apart."""
    return ops.similarity.cosine_embedding_loss(input1, input2, target, margin, reduction=_word(reduction))


@public("torch.triplet_margin_loss")
def triplet_margin_loss_by_number(
    anchor: Value, positive: Value, negative: Value, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: int = NONE,
) -> Value:  # fmt: skip
    """The margin by which anchors still fail to be nearer to the positive than to the negative."""
    word = _word(reduction)
    return ops.similarity.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=word)


@public("torch.ctc_loss")
def ctc_loss_by_number(
    log_probs: Value, targets: Value, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = NONE,
    zero_infinity: bool = False,
) -> Value:  # fmt: skip
    """The negative log-likelihood of labels that are heard at any times, blanks between them."""
    word = _word(reduction)
    return ops.ctc.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, word, zero_infinity)

"""Connectionist temporal classification: the likelihood of labels, whenever each of them is heard."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...costs import costs
from ...dtypes import zeros_of
from ...numeric.common import quiet
from ...registry import no_overload, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..common import re
from ..matrix.fitting_operands import type_name
from .reduction import MEAN, SUM, number_of

Lengths = tuple[int, ...]

_NEVER = -np.inf


# -- the states that a sequence of labels goes through ---------------------------------------------


def _states(targets: Array, target_lengths: Lengths, blank: int, classes: int) -> tuple[Array, Array]:
    """For each sample the class of each state, blanks between labels; and which states it has."""
    lengths = np.array(target_lengths, np.int64)
    longest = max(target_lengths, default=0)
    inside = np.arange(longest) < lengths[:, None]
    labels = np.full(inside.shape, blank)
    labels[inside] = targets if targets.ndim == 1 else targets[:, :longest][inside]
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        fail(f"ctc_loss: targets must be labels from 0 to {classes - 1}, but got {labels.min()} to {labels.max()}")
    states = np.full((len(lengths), 2 * longest + 1), blank)
    states[:, 1::2] = labels
    return states, np.arange(2 * longest + 1) < 2 * lengths[:, None] + 1


def _heard(log_probs: Array, states: Array) -> Array:
    """The log-probability of each state's class at each time: samples, times, states."""
    return np.take_along_axis(log_probs.swapaxes(0, 1), states[:, None, :], 2)


def _summed(*logs: Array) -> Array:
    """The logarithm of the sum of what these are logarithms of."""
    top = np.maximum.reduce([re(x) for x in logs])
    top = np.where(top == _NEVER, 0, top)
    return quiet(np.log, sum(np.exp(x - top) for x in logs)) + top


def _moved(x: Array, by: int) -> Array:
    """States shifted, nothing where none came from."""
    y = np.full_like(x, _NEVER)
    if by > 0:
        y[:, by:] = x[:, :-by]
    else:
        y[:, :by] = x[:, -by:]
    return y


def _leaps(states: Array) -> Array:
    """Which states can follow the last but one: labels that differ from it."""
    leaps = np.zeros(states.shape, bool)
    leaps[:, 2:] = states[:, 2:] != states[:, :-2]
    return leaps


def _forth(heard: Array, states: Array, has: Array, input_lengths: Lengths) -> Array:
    """Log-likelihoods of having heard all up to a time and being in a state."""
    alpha = np.full_like(heard, _NEVER)
    last = np.array(input_lengths)[:, None]
    leaps = _leaps(states)
    now = np.full_like(heard[:, 0], _NEVER)
    now[:, :2] = heard[:, 0, :2]
    for t in range(heard.shape[1]):
        if t:
            now = _summed(now, _moved(now, 1), np.where(leaps, _moved(now, 2), _NEVER)) + heard[:, t]
        alpha[:, t] = now = np.where(has & (t < last), now, _NEVER)
    return alpha


def _back(heard: Array, states: Array, target_lengths: Lengths, input_lengths: Lengths) -> Array:
    """Log-likelihoods of being in a state at a time and hearing all the rest."""
    beta = np.full_like(heard, _NEVER)
    last = np.array(input_lengths)[:, None]
    end = 2 * np.array(target_lengths)[:, None] - np.arange(states.shape[1])
    final = np.where((end == 0) | (end == 1), 0, _NEVER)
    leaps = np.roll(_leaps(states), -2, 1)
    now = np.full_like(heard[:, 0], _NEVER)
    for t in range(heard.shape[1] - 1, -1, -1):
        now = _summed(now, _moved(now, -1), np.where(leaps, _moved(now, -2), _NEVER))
        beta[:, t] = now = np.where(t == last - 1, final, now) + heard[:, t]
    return beta


# -- the loss --------------------------------------------------------------------------------------


@primitive(
    without_rule=("targets",),
    node="CtcLossBackward0",
    outputs=("result0",),
    aside=("result1",),
    assumes=("log_probs", "normalised"),
    log_probs=lambda g, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity: (
        ctc_loss_backward(g, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity)
    ),
    form="heard",
    no_half="ctc_loss_cpu",
)
def ctc_loss_forward(
    log_probs: Array,
    targets: Array,
    input_lengths: Lengths,
    target_lengths: Lengths,
    blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[Array, Array]:
    """Negative log-likelihoods of labels at any times, and of each state at each time."""
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    states, has = _states(targets, target_lengths, blank, log_probs.shape[2])
    if not log_probs.shape[0]:
        none = np.where(np.array(target_lengths) == 0, -0.0, np.inf)
        return none.astype(log_probs.dtype), zeros_of((len(states), 0, states.shape[1]), log_probs.dtype)
    heard = _heard(log_probs, states)
    alpha = _forth(heard, states, has, input_lengths)
    sample, length = np.arange(len(states)), np.array(target_lengths, np.int64)
    last = alpha[sample, np.array(input_lengths, np.int64) - 1]
    whole = last[sample, 2 * length]
    before = np.where(length > 0, last[sample, np.maximum(2 * length - 1, 0)], _NEVER)
    loss = -_summed(whole, before)
    silent = np.array(input_lengths) == 0
    loss[silent] = np.where(length[silent] == 0, -0.0, np.inf)
    return loss, alpha


@primitive(
    not_implemented="_ctc_loss_backward",
    backward=True, without_rule=("targets", "log_alpha"),
    grad=lambda g: None, log_probs=lambda g: None, neg_log_likelihood=lambda g: None,
)
def ctc_loss_backward(
    grad: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Lengths,
    target_lengths: Lengths,
    neg_log_likelihood: Array,
    log_alpha: Array,
    blank: int,
    zero_infinity: bool,
) -> Array:
    """Gradient of ctc_loss, for log-probabilities that log_softmax made.

    As PyTorch's, it is that of the scores behind them: where they do not sum to one it is no slope.
    """
    states, _ = _states(targets, target_lengths, blank, log_probs.shape[2])
    if not log_probs.size:
        return np.zeros_like(log_probs)
    heard = _heard(log_probs, states)
    both = log_alpha + _back(heard, states, target_lengths, input_lengths)
    share = _by_class(both, states, log_probs.shape[2])
    scores = log_probs.swapaxes(0, 1)
    spread = quiet(np.exp, scores) - quiet(np.exp, share + neg_log_likelihood[:, None, None] - scores)
    spread = spread * grad[:, None, None]
    unheard = np.arange(len(log_probs)) >= np.array(input_lengths)[:, None]
    if zero_infinity:
        unheard |= (re(neg_log_likelihood) == np.inf)[:, None]
    spread[unheard] = 0
    return np.ascontiguousarray(spread.swapaxes(0, 1))


def _by_class(both: Array, states: Array, classes: int) -> Array:
    """The logarithms of what all states of a class have together: samples, times, classes."""
    top = np.maximum.reduce(re(both), 2, keepdims=True)
    top = np.where(top == _NEVER, 0, top)
    weights = np.exp(both - top)
    samples, times, _ = both.shape
    total = zeros_of(samples * times * classes, both.dtype)
    rows = np.arange(samples * times).reshape(samples, times, 1) * classes
    np.add.at(total, (rows + states[:, None, :]).ravel(), weights.ravel())
    return quiet(np.log, total.reshape(samples, times, classes)) + top


def _check(x: Array, targets: Array, input_lengths: Lengths, target_lengths: Lengths, blank: int) -> None:
    """Refuse what is no batch of log-probabilities with its labels."""
    if x.dtype.kind != "c" and x.dtype not in (np.float32, np.float64):
        raise EngineNotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{type_name(x)}'")
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    if x.ndim != 3:
        fail(f"Expected 3-dimensional tensor, but got {x.ndim}-dimensional tensor for argument #1 'log_probs' {where}")
    if targets.ndim not in (1, 2):
        fail(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' {where}")
    times, samples, classes = x.shape
    if not 0 <= blank < classes:
        fail("blank must be in label range")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(lengths) != samples:
            fail(f"{name} must be of size batch_size")
    _check_range("target_lengths", target_lengths, None, where)
    longest = max(target_lengths, default=0)
    expected = sum(target_lengths) if targets.ndim == 1 else samples
    if targets.shape[0] != expected:
        got = f"but got size {targets.shape[0]} for argument #2 'targets' {where}"
        fail(f"Expected tensor to have size {expected} at dimension 0, {got}")
    if targets.ndim == 2 and targets.shape[1] < longest:
        got = f"but got size {targets.shape[1]} for argument #2 'targets' {where}"
        fail(f"Expected tensor to have size at least {longest} at dimension 1, {got}")
    _check_range("input_lengths", input_lengths, times, where)


def _check_range(name: str, lengths: Lengths, most: int | None, where: str) -> None:
    for n in lengths:
        if n < 0:
            fail(f"Expected {name} to have value at least 0, but got value {n} {where}")
        if most is not None and n > most:
            fail(f"Expected {name} to have value at most {most}, but got value {n} {where}")


# -- what users call -------------------------------------------------------------------------------


def _lengths(name: str, given: Any) -> Lengths:
    """Lengths as numbers, of a tensor or a sequence."""
    if not isinstance(given, Tensor):
        return tuple([int(n) for n in given])
    if given._a.dtype.kind not in "iu":
        fail(f"{name} must be integral")
    return tuple(given._a.reshape(-1).tolist())


def _fit(*given: Any) -> bool:
    """Tell whether arguments are two tensors, and lengths as two tensors or two sequences of numbers."""
    log_probs, targets, *lengths = given
    if not (isinstance(log_probs, Tensor) and isinstance(targets, Tensor)):
        return False
    if all(isinstance(x, Tensor) for x in lengths):
        return True
    return all(isinstance(x, (tuple, list)) and all(hasattr(n, "__index__") for n in x) for x in lengths)


@public("F")
@costs("spatial.heard")
@under_autocast("single")
def ctc_loss(
    log_probs: Value,
    targets: Value,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Value:
    """The negative log-likelihood of labels that are heard at any times, blanks between them."""
    number = number_of(reduction)
    if not _fit(log_probs, targets, input_lengths, target_lengths):
        raise no_overload("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)
    if not log_probs._a.size:
        fail("log_probs tensor must not be empty")
    batched = log_probs.ndim == 3
    scores = log_probs if batched else ops.views.unsqueeze(log_probs, 1)
    labels = targets if targets._a.dtype == np.int64 else ops.converting.to_copy(targets, np.dtype("int64"))
    heard, said = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    loss = ctc_loss_forward(scores, labels, heard, said, blank, zero_infinity)[0]
    if zero_infinity:
        zero = constants(zeros_of((), loss._a.dtype)[()])
        loss = ops.choosing.where(loss == np.inf, zero, loss)
    if number == MEAN:
        counts = result(np.maximum(np.array(said), 1).astype(loss._a.dtype))
        return ops.sums.mean_all(loss / counts)
    if number == SUM:
        return ops.sums.sum_all(loss)
    return loss if batched else ops.views.squeeze(loss, 0)

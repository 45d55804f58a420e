"""A layer of long short-term memories over a whole sequence: one node, as PyTorch's kernel for the CPU records it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...numeric.kernels import memories
from ...registry import primitive, shared
from ...tensor import Array, Value
from .recurrent_cells import lstm_gates


def _times(n: int, reverse: bool) -> range:
    return range(n - 1, -1, -1) if reverse else range(n)


def _steps(from_input: Value, w_hh: Value, b_hh: Value, hx: Value, cx: Value, reverse: bool) -> tuple[list[Any], ...]:
    """The steps, one after the other: gates and the like; and the hidden states before each and after the last."""
    states, steps, c = [hx], [], cx
    for t in _times(from_input.shape[0], reverse):
        steps.append(lstm_gates(ops.addmm.linear(states[-1], w_hh, b_hh) + from_input[t], c))
        _, _, _, leave, c, bent = steps[-1]
        states.append(leave * bent)
    return steps, states


def _backward(
    g: list[Any], input: Value, w_ih: Value, w_hh: Value, b_ih: Value, b_hh: Value, hx: Value, cx: Value,
    shown: Value, kept: Value, reverse: bool,
) -> tuple[Value, ...]:  # fmt: skip
    """The gradients of the arguments: the steps once more, then back through time."""
    if memories.follows(input, w_ih, w_hh, hx, cx, kept, *(share for share in g if share is not None)):
        return _backward_in_steps(g, input, w_ih, w_hh, hx, cx, shown, kept, reverse)
    times = _times(input.shape[0], reverse)
    steps, states = _steps(ops.addmm.linear(input, w_ih, b_ih), w_hh, b_hh, hx, cx, reverse)
    remembered = [cx, *(step[4] for step in steps)]
    to_h, to_c = (0.0 if share is None else share for share in g[1:])
    to_gates: list[Any] = []
    for t, (enter, keep, new, leave, _, bent), c in list(zip(times, steps, remembered[:-1], strict=True))[::-1]:
        shown = to_h if g[0] is None else to_h + g[0][t]
        to_c = to_c + shown * leave * (1 - bent * bent)
        share = (
            to_c * new * enter * (1 - enter), to_c * c * keep * (1 - keep), to_c * enter * (1 - new * new),
            shown * bent * leave * (1 - leave),
        )  # fmt: skip
        to_gates.insert(0, ops.joining.cat([*share], 1))
        to_h, to_c = to_gates[0] @ w_hh, to_c * keep
    by_state = ops.joining.cat(to_gates)
    by_input = ops.joining.stack(to_gates[::-1] if reverse else to_gates)
    rows = by_input.reshape(-1, w_ih.shape[0])
    to_bias = ops.sums.sum_dim(by_state, (0,), False)
    to_w_ih, to_w_hh = rows.T @ input.reshape(-1, input.shape[2]), by_state.T @ ops.joining.cat(states[:-1])
    return (rows @ w_ih).reshape(input.shape), to_w_ih, to_w_hh, to_bias, to_bias, to_h, to_c


def _backward_in_steps(
    g: list[Any], input: Array, w_ih: Array, w_hh: Array, hx: Array, cx: Array, shown: Array, kept: Array, reverse: bool
) -> tuple[Array, ...]:
    """The same as PyTorch's library computes it, by what was kept of the steps."""
    way = slice(None, None, -1 if reverse else 1)
    to_shown = None if g[0] is None else g[0][way]
    to_h, to_c = (np.zeros_like(hx) if share is None else share for share in g[1:])
    to_input, to_w_ih, to_w_hh, to_bias, to_h, to_c = memories.backward(
        to_shown, to_h, to_c, input[way], w_ih, w_hh, hx, cx, shown[way], kept
    )
    return np.ascontiguousarray(to_input[way]), to_w_ih, to_w_hh, to_bias, to_bias.copy(), to_h, to_c


@primitive(
    node="MkldnnRnnLayerBackward0",
    outputs=("result0", "result1", "result2"),
    aside=("result3",),
    input=shared,
    weight0=shared,
    weight1=shared,
    weight2=shared,
    weight3=shared,
    hx_=shared,
    cx_=shared,
    joint=lambda g, input, weight0, weight1, weight2, weight3, hx_, cx_, result0, result3, reverse, train, *, wanted: (
        _backward(g, input, weight0, weight1, weight2, weight3, hx_, cx_, result0, result3, reverse)
    ),
)
def mkldnn_rnn_layer(
    input: Array, weight0: Array, weight1: Array, weight2: Array, weight3: Array, hx_: Array, cx_: Array, reverse: bool,
    train: bool,
) -> tuple[Array, Array, Array, Array]:
    """The hidden states at all times; the last one, and what is remembered at last; and what is kept of the steps."""
    if memories.follows(input, weight0, weight1, weight2, weight3, hx_, cx_):
        way = slice(None, None, -1 if reverse else 1)
        found, kept = memories.forward(input[way], weight0, weight1, weight2 + weight3, hx_, cx_, train)
        return np.ascontiguousarray(found[way]), found[-1].copy(), kept[-1, 4].copy(), kept
    steps, states = _steps(ops.addmm.linear(input, weight0, weight2), weight1, weight3, hx_, cx_, reverse)
    shown = states[:0:-1] if reverse else states[1:]
    return ops.joining.stack(shown), states[-1], steps[-1][4], np.zeros(0, input.dtype)

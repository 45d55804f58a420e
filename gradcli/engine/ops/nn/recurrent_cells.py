"""The cells of recurrent networks: one step in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...costs import costs
from ...dtypes import F32
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..shape.splitting import lengths, pieces, regrown


@primitive(
    view=True,
    siblings=True,
    node="UnsafeSplitBackward0",
    self=lambda g, self_sym_sizes, split_size, dim: regrown(
        g, self_sym_sizes, lengths(self_sym_sizes, dim, split_size), dim
    ),
    form="shifted",
)
def gates(self: Array, split_size: int, dim: int = 0) -> tuple[Array, ...]:
    """The gates of a cell, which are computed side by side."""
    return pieces(self, lengths(self.shape, dim, split_size), dim)


# In the steps below, `from_hidden` and `gi` are what the state and the input add to the gates. The input's is computed
# before, for all steps at once; a single cell, but for a gated unit, computes the state's first, as PyTorch does.


def plain(from_hidden: Value, gi: Value, through: Any) -> Value:
    """One step of a plain recurrent network."""
    return through(from_hidden + gi)


def lstm(from_hidden: Value, gi: Value, c: Value) -> tuple[Value, Value]:
    """One step of a long short-term memory, which remembers ``c``."""
    _, _, _, leave, c, bent = lstm_gates(from_hidden + gi, c)
    return leave * bent, c


def lstm_gates(sums: Value, c: Value) -> tuple[Value, ...]:
    """The four gates of that step, what it remembers, and the tanh of that."""
    enter, keep, new, leave = gates(sums, sums.shape[1] // 4, 1)
    enter, keep = ops.elementary.sigmoid(enter), ops.elementary.sigmoid(keep)
    new, leave = ops.elementary.tanh(new), ops.elementary.sigmoid(leave)
    c = keep * c + enter * new
    return enter, keep, new, leave, c, ops.elementary.tanh(c)


def gru(gi: Value, hx: Value, w_hh: Value, b_hh: Value | None) -> Value:
    """One step of a gated recurrent unit."""
    n = gi.shape[1] // 3
    from_input = gates(gi, n, 1)
    from_hidden = gates(ops.addmm.linear(hx, w_hh, b_hh), n, 1)
    reset = ops.elementary.sigmoid(_apart(from_hidden[0] + from_input[0]))
    keep = ops.elementary.sigmoid(_apart(from_hidden[1] + from_input[1]))
    new = ops.elementary.tanh(from_input[2] + from_hidden[2] * reset)
    return (hx - new) * keep + new


def _apart(gate: Value) -> Value:
    """A gate's numbers row by row with gaps between: PyTorch writes them over its share, and computes rows alone."""
    if isinstance(gate, Tensor) and gate._a.dtype is F32:
        n = gate._a.shape[1]
        rows = np.empty((len(gate._a), n + 1), F32)[:, :n]
        rows[...] = gate._a
        gate._a = rows
    return gate


def _check_sizes(input: Value, hidden: tuple[Value, ...], w_ih: Value, w_hh: Value) -> None:
    """Refuse an input or a state that does not fit the weights of a cell."""
    if input.shape[1] != w_ih.shape[1]:
        fail(f"input has inconsistent input_size: got {input.shape[1]} expected {w_ih.shape[1]}")
    for i, h in enumerate(hidden):
        if input.shape[0] != h.shape[0]:
            fail(f"Input batch size {input.shape[0]} doesn't match hidden{i} batch size {h.shape[0]}")
        if h.shape[1] != w_hh.shape[1]:
            fail(f"hidden{i} has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}")


@public("torch")
@costs("multiplying.cell")
@composite
def rnn_tanh_cell(
    input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value | None = None, b_hh: Value | None = None
) -> Value:
    """The next hidden state of a plain recurrent network, through a tanh."""
    _check_sizes(input, (hx,), w_ih, w_hh)
    return plain(ops.addmm.linear(hx, w_hh, b_hh), ops.addmm.linear(input, w_ih, b_ih), ops.elementary.tanh)


@public("torch")
@costs("multiplying.cell")
@composite
def rnn_relu_cell(
    input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value | None = None, b_hh: Value | None = None
) -> Value:
    """The next hidden state of a plain recurrent network, through a relu."""
    _check_sizes(input, (hx,), w_ih, w_hh)
    return plain(ops.addmm.linear(hx, w_hh, b_hh), ops.addmm.linear(input, w_ih, b_ih), ops.rectifiers.relu)


@public("torch")
@costs("multiplying.cell")
@composite
def lstm_cell(
    input: Value, hx: Any, w_ih: Value, w_hh: Value, b_ih: Value | None = None, b_hh: Value | None = None
) -> tuple[Value, Value]:
    """The next hidden state of a long short-term memory, and what it remembers."""
    h, c = hx
    _check_sizes(input, (h, c), w_ih, w_hh)
    return lstm(ops.addmm.linear(h, w_hh, b_hh), ops.addmm.linear(input, w_ih, b_ih), c)


@public("torch")
@costs("multiplying.cell")
@composite
def gru_cell(
    input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value | None = None, b_hh: Value | None = None
) -> Value:
    """The next hidden state of a gated recurrent unit."""
    _check_sizes(input, (hx,), w_ih, w_hh)
    return gru(ops.addmm.linear(input, w_ih, b_ih), hx, w_hh, b_hh)

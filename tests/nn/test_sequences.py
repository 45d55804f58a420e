"""Recurrent networks and attention: numbers, gradients and graphs beside PyTorch's own."""

from __future__ import annotations

import importlib
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

from ..conftest import needs_torch


def ramp(torch: Any, *shape: int, dtype: str = "float32") -> Any:
    return torch.arange(float(math.prod(shape))).reshape(shape).mul(0.1).sin().to(getattr(torch, dtype))


def run(torch: Any, build: Any, *shapes: tuple[int, ...], **options: Any) -> Any:
    """Results, gradients and the graph of a module on inputs of these shapes (or on one, three times)."""
    torch.manual_seed(3)
    module = build(torch)
    dtype = str(next(module.parameters()).dtype).split(".")[-1]
    inputs = [ramp(torch, *shape, dtype=dtype).requires_grad_() for shape in shapes]
    given = {k: v(torch) if callable(v) else v for k, v in options.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(module, torch.nn.MultiheadAttention):
            found = list(flat(module(*(inputs * 3)[:3], **given)))
        else:
            found = list(flat(module(*inputs, **given)))
    seen = graph(found)
    sum((t**2).sum() for t in found).backward()
    numbers = [t.detach() for t in found] + [p.grad for p in (*inputs, *module.parameters())]
    return [None if t is None else t.numpy() for t in numbers], seen


def flat(found: Any) -> Any:
    for t in found if isinstance(found, tuple) else (found,):
        if isinstance(t, tuple):
            yield from flat(t)
        elif t is not None:
            yield t


def graph(tensors: list[Any]) -> list[Any]:
    """Every node once, with its edges as numbers."""
    numbers: dict[Any, int] = {}
    lines: list[Any] = []

    def visit(node: Any) -> int | None:
        if node is None or node in numbers:
            return None if node is None else numbers[node]
        me = numbers[node] = len(numbers)
        lines.append((me, node.name().split("::")[-1], [(visit(n), i) for n, i in node.next_functions]))
        return me

    for t in tensors:
        visit(t.grad_fn)
    return sorted(lines)


MODULES = {
    "rnn cell": (lambda t: t.nn.RNNCell(3, 4), (2, 3)),
    "rnn cell, relu, alone": (lambda t: t.nn.RNNCell(3, 4, False, "relu"), (3,)),
    "lstm cell": (lambda t: t.nn.LSTMCell(3, 4), (2, 3)),
    "gru cell": (lambda t: t.nn.GRUCell(3, 4), (2, 3), (2, 4)),
    "rnn": (lambda t: t.nn.RNN(3, 4), (5, 2, 3), (1, 2, 4)),
    "rnn, two layers, both ways": (lambda t: t.nn.RNN(3, 4, 2, "relu", False, True, 0.0, True), (5, 2, 3)),
    "gru": (lambda t: t.nn.GRU(3, 4), (5, 2, 3)),
    "gru, alone, dropout": (lambda t: t.nn.GRU(3, 4, 2, dropout=0.5), (5, 3)),
    "gru, both ways, batch first": (lambda t: t.nn.GRU(3, 4, 2, bidirectional=True, batch_first=True), (5, 2, 3)),
    "lstm": (lambda t: t.nn.LSTM(3, 4).double(), (5, 2, 3)),
    "lstm, both ways": (lambda t: t.nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True).double(), (5, 2, 3)),
    "lstm, no bias": (lambda t: t.nn.LSTM(3, 4, 2, bias=False).double(), (5, 3)),
    "attention": (lambda t: t.nn.MultiheadAttention(4, 2), (3, 2, 4)),
    "attention, no bias": (lambda t: t.nn.MultiheadAttention(4, 2, bias=False), (3, 2, 4)),
    "attention, alone": (lambda t: t.nn.MultiheadAttention(4, 2), (3, 4)),
    "attention, batch first": (lambda t: t.nn.MultiheadAttention(4, 2, batch_first=True), (3, 2, 4)),
    "attention, more keys": (lambda t: t.nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True), (3, 2, 4)),
    "attention, apart": (lambda t: t.nn.MultiheadAttention(4, 2, kdim=3, vdim=5), (3, 2, 4), (3, 2, 3), (3, 2, 5)),
    "attention, other keys": (lambda t: t.nn.MultiheadAttention(4, 2), (3, 1, 4), (2, 1, 4), (2, 1, 4)),
}
MASKS = {
    "causal": {"attn_mask": lambda t: t.ones(3, 3).triu(1).bool()},
    "padding": {"key_padding_mask": lambda t: t.tensor([[False, True, False], [False, False, True]])},
    "both": {"attn_mask": lambda t: t.ones(4, 3, 3), "key_padding_mask": lambda t: t.tensor([[0.0, -1, 0], [0, 0, 1]])},
    "heads apart": {"average_attn_weights": False},
}


def compare(build: Any, *shapes: tuple[int, ...], graphs: bool = True, **options: Any) -> None:
    (ours, our_graph), (theirs, their_graph) = (
        run(importlib.import_module(name), build, *shapes, **options) for name in ("gradcli", "torch")
    )
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    if graphs:
        assert our_graph == their_graph


@needs_torch
@pytest.mark.parametrize("name", MODULES)
def test_modules_over_sequences(name: str) -> None:
    compare(*MODULES[name])


@needs_torch
@pytest.mark.parametrize("name", MASKS)
def test_masks_of_attention(name: str) -> None:
    compare(lambda t: t.nn.MultiheadAttention(4, 2), (3, 2, 4), **MASKS[name])


@needs_torch
@pytest.mark.parametrize("causal", [False, True])
def test_attention_without_its_weights(causal: bool) -> None:
    options = {"attn_mask": MASKS["causal"]["attn_mask"], "is_causal": True} if causal else {}
    compare(lambda t: t.nn.MultiheadAttention(4, 2), (3, 2, 4), graphs=False, need_weights=False, **options)


@needs_torch
@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "batch_first": True}, {"bias": False}], ids=str)
def test_a_float32_lstm_has_a_node_for_each_layer_and_direction(options: dict[str, bool]) -> None:
    compare(lambda t: t.nn.LSTM(3, 4, 2, **options), (5, 2, 3))


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_the_node_of_an_lstm_agrees_with_its_steps(torch: Any) -> None:
    net = torch.nn.LSTM(2, 3, bidirectional=True)
    x = torch.randn(4, 2, 2, requires_grad=True)
    of = [x, *net.parameters()]
    found = []
    for by_kernel in (True, False):
        with torch.backends.mkldnn.flags(enabled=by_kernel):
            output, (h, c) = net(x)
            assert ("MkldnnRnnLayer" in output.grad_fn.next_functions[0][0].name()) == by_kernel
            once = torch.autograd.grad(output.sin().sum() + (c * h).sum(), of, create_graph=True)
            found.append([*once, *torch.autograd.grad(sum(g.sin().sum() for g in once), of)])
    for a, b in zip(*found, strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_packed_sequences_are_pickled(torch: Any) -> None:
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)])
    again = pickle.loads(pickle.dumps(packed))
    assert type(again) is type(packed)
    assert again.batch_sizes.tolist() == [2, 2, 1]


def test_a_bilinear_layer_takes_one_element_type(torch: Any) -> None:
    layer, wide = torch.nn.Bilinear(2, 3, 4), torch.ones(1, 3, dtype=torch.float64)
    words = "All tensors must have the same dtype, got input1: float, input2: double, weight: float, bias: float"
    with pytest.raises(RuntimeError, match=words):
        layer(torch.ones(1, 2), wide)
    with pytest.raises(RuntimeError, match=r"got input1: long int, input2: double, weight: double$"):
        torch.nn.functional.bilinear(torch.ones(1, 2).long(), wide, layer.weight.double())

"""Layers: what making one allocates, and what a call of one takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ....engine.costs import ORDINARY
from ....engine.offers import find
from . import multiplying, spatial
from .declared import estimator_of
from .estimate import Estimate, count, multiplied, of_tensors, product, shape, spread, whole

if TYPE_CHECKING:
    from ....nn.modules.module import Module

# Drawing the starting values of parameters takes about so many operations for each.
_DRAW = 20


def _parameters(n: int, tensors: int = 1) -> Estimate:
    return Estimate(n, n * _DRAW, tensors)


def _linear(in_features: Any, out_features: Any, *rest: Any, **named: Any) -> Estimate:
    return _parameters(product((whole(in_features), whole(out_features))))


def _table(num_embeddings: Any, embedding_dim: Any, *rest: Any, **named: Any) -> Estimate:
    return _linear(num_embeddings, embedding_dim)


def _bilinear(in1_features: Any, in2_features: Any, out_features: Any, *rest: Any, **named: Any) -> Estimate:
    return _parameters(product((whole(in1_features), whole(in2_features), whole(out_features))))


def _conv(rank: int, transposed: bool = False) -> Callable[..., Estimate]:
    def estimate(in_channels: Any, out_channels: Any, kernel_size: Any, *rest: Any, **named: Any) -> Estimate:
        # The positional options of the two kinds differ in order.
        at = 4 if transposed else 3
        groups = rest[at] if len(rest) > at else named.get("groups", 1)
        n = product((whole(in_channels), whole(out_channels), *spread(kernel_size, rank)))
        return _parameters(n // max(whole(groups), 1))

    return estimate


def _features(first: Any, *rest: Any, **named: Any) -> Estimate:
    return _parameters(product(first) if isinstance(first, (list, tuple)) else whole(first))


def _groups(num_groups: Any, num_channels: Any, *rest: Any, **named: Any) -> Estimate:
    return _parameters(whole(num_channels))


def _recurrent(gates: int, extra: int = 0) -> Callable[..., Estimate]:
    """``extra``: how many positional arguments come between the number of layers and the bias."""

    def estimate(
        input_size: Any, hidden_size: Any, num_layers: Any = 1, *rest: Any, bidirectional: Any = None, **named: Any
    ) -> Estimate:
        hidden, layers = whole(hidden_size), whole(num_layers)
        at = 3 + extra
        ways = 1 + bool(rest[at] if len(rest) > at and bidirectional is None else bidirectional)
        widest = max(whole(input_size), hidden * ways)
        return _parameters(gates * hidden * widest, 4 * layers * ways)._replace(
            work=gates * hidden * (widest + hidden) * layers * ways * _DRAW
        )

    return estimate


def _cell(gates: int) -> Callable[..., Estimate]:
    def estimate(input_size: Any, hidden_size: Any, *rest: Any, **named: Any) -> Estimate:
        return _parameters(gates * whole(hidden_size) * max(whole(input_size), whole(hidden_size)))

    return estimate


def _attention(embed_dim: Any, num_heads: Any, *rest: Any, **named: Any) -> Estimate:
    widths = [whole(n) for n in (embed_dim, named.get("kdim"), named.get("vdim")) if n is not None]
    return _parameters(3 * whole(embed_dim) * max(widths))


def _transformer_layer(d_model: Any, nhead: Any, dim_feedforward: Any = 2048, *rest: Any, **named: Any) -> Estimate:
    width, inner = whole(d_model), whole(dim_feedforward)
    return Estimate(max(3 * width, inner) * width, (8 * width + 2 * inner) * width * _DRAW, 26)


def _stack(layer: Any, num_layers: Any, *rest: Any, **named: Any) -> Estimate:
    parts = [count(p) for p in layer.parameters()]
    copies = whole(num_layers)
    return Estimate(max(parts, default=0), sum(parts) * copies, max(len(parts), 1) * copies)


def _transformer(
    d_model: Any = 512, nhead: Any = 8, num_encoder_layers: Any = 6, num_decoder_layers: Any = 6,
    dim_feedforward: Any = 2048, *rest: Any, **named: Any,
) -> Estimate:  # fmt: skip
    one = _transformer_layer(d_model, nhead, dim_feedforward)
    layers = whole(num_encoder_layers) + whole(num_decoder_layers)
    return one._replace(work=one.work * layers, tensors=one.tensors * layers)


def _slopes(num_parameters: Any = 1, *rest: Any, **named: Any) -> Estimate:
    return _parameters(whole(num_parameters))


def _clusters(
    in_features: Any, n_classes: Any, cutoffs: Any, div_value: Any = 4.0, *rest: Any, **named: Any
) -> Estimate:
    width, ends = whole(in_features), [*map(whole, cutoffs), whole(n_classes)]
    largest = width * (ends[0] + len(ends) - 1)
    for i, (first, last) in enumerate(pairwise(ends)):
        inner = int(width // div_value ** (i + 1))
        largest = max(largest, width * inner, inner * (last - first))
    return _parameters(largest, 2 * len(ends))


# What making a layer allocates, by the name of its class.
MAKERS: dict[str, Callable[..., Estimate]] = {
    "Linear": _linear, "Bilinear": _bilinear, "Embedding": _table, "EmbeddingBag": _table,
    "MultiheadAttention": _attention,
    "Conv1d": _conv(1), "Conv2d": _conv(2), "Conv3d": _conv(3),
    "ConvTranspose1d": _conv(1, True), "ConvTranspose2d": _conv(2, True), "ConvTranspose3d": _conv(3, True),
    "BatchNorm1d": _features, "BatchNorm2d": _features, "BatchNorm3d": _features, "InstanceNorm1d": _features,
    "InstanceNorm2d": _features, "InstanceNorm3d": _features, "LayerNorm": _features, "RMSNorm": _features,
    "GroupNorm": _groups, "PReLU": _slopes, "RNN": _recurrent(1, 1), "GRU": _recurrent(3), "LSTM": _recurrent(4),
    "RNNCell": _cell(1), "GRUCell": _cell(3), "LSTMCell": _cell(4), "TransformerEncoderLayer": _transformer_layer,
    "TransformerDecoderLayer": _transformer_layer, "TransformerEncoder": _stack, "TransformerDecoder": _stack,
    "Transformer": _transformer, "AdaptiveLogSoftmaxWithLoss": _clusters,
}  # fmt: skip


# -- calls ---------------------------------------------------------------------------------------


def _call_linear(layer: Any, input: Any) -> Estimate | None:
    weight = layer.weight
    # As of any function: what so few elements make can do no harm.
    return None if input._a.size * weight._a.size <= ORDINARY else multiplying.linear(input, weight)


def _call_bilinear(layer: Any, input1: Any, input2: Any) -> Estimate:
    return multiplying.bilinear(input1, input2, layer.weight)


def _call_embedding(layer: Any, input: Any) -> Estimate:
    return Estimate(count(input) * shape(layer.weight)[1])


def _call_conv(layer: Any, input: Any) -> Estimate:
    convolve = spatial.convolved(len(layer.kernel_size))
    found = convolve(input, layer.weight, None, layer.stride, layer.padding, layer.dilation, layer.groups)
    if layer.padding_mode == "zeros" or isinstance(layer.padding, str):
        return found
    grown = spatial.grown(shape(input)[-len(layer.padding) :], layer.padding)
    return found._replace(elements=max(found.elements, product(shape(input)[: -len(grown)]) * product(grown)))


def _call_transposed(layer: Any, input: Any, output_size: Any = None) -> Estimate:
    back = spatial.transposed(len(layer.kernel_size))
    # What is added to reach a size that is asked for is less than a stride.
    more = layer.output_padding if output_size is None else layer.stride
    return back(input, layer.weight, None, layer.stride, layer.padding, more, layer.groups, layer.dilation)


def _call_recurrent(layer: Any, input: Any, hx: Any = None) -> Estimate:
    packed = isinstance(input, tuple)
    times = count(input[1]) if packed else shape(input)[1 if layer.batch_first else 0]
    input = input[0] if packed else input
    places = product(shape(input)[:-1])
    ways = 1 + layer.bidirectional
    weights = [w for part in layer.all_weights for w in part[:2]]
    rows = max(shape(w)[0] for w in weights)
    work = multiplied(input, places * sum(map(count, weights)))
    return Estimate(places * max(rows, layer.hidden_size * ways), work, times)


def _call_unpool(layer: Any, input: Any, indices: Any, output_size: Any = None) -> Estimate:
    back = spatial.unpooled(len(layer.kernel_size))
    return back(input, indices, layer.kernel_size, layer.stride, layer.padding, output_size)


def _call_cell(layer: Any, input: Any, hx: Any = None) -> Estimate:
    return multiplying.cell(input, hx, layer.weight_ih, layer.weight_hh)


def _call_attention(layer: Any, query: Any, key: Any, value: Any, *rest: Any, **named: Any) -> Estimate:
    q, k = shape(query), shape(key)
    at = -2 if layer.batch_first or len(q) == 2 else 0
    batch = product(q[:-1]) // max(q[at], 1)
    pairs = batch * layer.num_heads * q[at] * k[at]
    products = 4 * (count(query) + count(key)) * layer.embed_dim + 2 * pairs * q[-1] // layer.num_heads
    return Estimate(max(pairs, 3 * count(query)), multiplied(query, products) + 10 * pairs)


# What a call of a layer takes, by the name of its class; the options of the others are those of a function.
CALLS: dict[str, Callable[..., Estimate | None]] = {
    "Linear": _call_linear, "Bilinear": _call_bilinear, "Embedding": _call_embedding,
    "MultiheadAttention": _call_attention, "Conv1d": _call_conv, "Conv2d": _call_conv, "Conv3d": _call_conv,
    "ConvTranspose1d": _call_transposed, "ConvTranspose2d": _call_transposed, "ConvTranspose3d": _call_transposed,
    "RNN": _call_recurrent, "GRU": _call_recurrent, "LSTM": _call_recurrent, "RNNCell": _call_cell,
    "GRUCell": _call_cell, "LSTMCell": _call_cell, "MaxUnpool1d": _call_unpool, "MaxUnpool2d": _call_unpool,
    "MaxUnpool3d": _call_unpool,
}  # fmt: skip


def call_of(layer: Module) -> Callable[..., Estimate | None] | None:
    """The estimator for calls of a layer; None where the program says itself what a call does."""
    for cls in type(layer).__mro__:
        if cls.__module__.startswith("gradcli.nn."):
            return _call_of_class(cls)
        if "forward" in vars(cls):
            break
    return None


@cache
def _call_of_class(cls: Any) -> Callable[..., Estimate | None]:
    if cls.__name__ in CALLS:
        return CALLS[cls.__name__]
    padding = "Pad" in cls.__name__ and hasattr(cls, "_mode")
    options = getattr(cls, "_options", {})
    function = find("F", "pad" if padding else getattr(cls, "_name", ""))
    estimator = estimator_of(getattr(function, "__name__", ""))
    if estimator is None:
        return of_tensors

    def estimate(layer: Any, *inputs: Any) -> Estimate:
        named = {"pad": layer.padding} if padding else {k: getattr(layer, k) for k in options if k not in cls._own}
        return estimator(*inputs, **named)

    return estimate


def maker_of(cls: type) -> Callable[..., Estimate] | None:
    """The estimator for making an object of a class: that of the layer it derives from."""
    for base in cls.__mro__:
        if base.__name__ in MAKERS and base.__module__.startswith("gradcli.nn."):
            return MAKERS[base.__name__]
    return estimator_of(cls.__name__)

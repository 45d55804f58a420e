"""Activations, each with the gradient that is an op of its own."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.3], [1.4, 0.3, -0.7]])
G = np.array([[1.1, 0.4, -0.9], [0.8, -1.6, 0.6]])
WIDE = np.array([[3.5, -4.2, 7.1], [-2.4, 6.5, 0.9]])
ROW = np.array([0.2, -0.5, 1.3])
W = np.array([[0.3, -0.2, 0.7, 1.1], [-0.4, 0.9, 0.25, -0.6]])
# What a softmax makes, and its logarithm.
Y = np.array([[0.2, 0.5, 0.3], [0.1, 0.15, 0.75]])
S = np.float64(0.6)
# Not to be differentiated by, and no wider than any sample.
NOISE = np.array([[1.0, 0.2, 1.0], [1.0, 1.0, 0.3]], np.float32)
WHOLE = np.array([[1, -2, 3], [0, -1, 2]])

ANY = [Sample((A,)), Sample((S,)), Sample((A.T,)), Sample((WIDE,))]


def with_arguments(*args: object) -> list[Sample]:
    return [Sample((A, *args)), Sample((S, *args)), Sample((A.T, *args)), Sample((WIDE, *args))]


def backward(*args: object) -> list[Sample]:
    return [Sample((G, A, *args)), Sample((S, -S, *args)), Sample((G.T, A.T, *args)), Sample((G, ROW, *args))]


SAMPLES: dict[str, list[Sample]] = {
    "relu": ANY,
    "threshold": [*with_arguments(0.1, 20.0), *with_arguments(-1, 2)],
    "threshold_in_place": with_arguments(0.1, 20.0),
    "threshold_backward": [*backward(0), *backward(0.4)],
    "leaky_relu": [*with_arguments(0.01), *with_arguments(-0.5)],
    "leaky_relu_in_place": with_arguments(0.1),
    "leaky_relu_backward": [*backward(0.1, False), *backward(0.1, True)],
    "prelu_kernel": [Sample((A, ROW)), Sample((A, G)), Sample((A, S)), Sample((S - 1, S))],
    "prelu_kernel_backward": [Sample((G, A, ROW)), Sample((G, A, G)), Sample((S, S - 1, S))],
    "hardtanh": [*with_arguments(-1, 1), *with_arguments(0, 6)],
    "hardtanh_backward": [*backward(-1, 1), *backward(0, 6)],
    "hardsigmoid": [
        Sample(x.args, why_not_complex="PyTorch's slope is 1/6 in single precision", why_not_second="it has none")
        for x in ANY
    ],
    "hardswish": ANY,
    "hardswish_backward": [*backward(), Sample((G, WIDE))],
    "softshrink": with_arguments(0.4),
    "softshrink_backward": backward(0.4),
    "hardshrink": with_arguments(0.4),
    "hardshrink_backward": backward(0.4),
    "elu": [*with_arguments(1, 1, 1), *with_arguments(1.5, 1.1, 0.5)],
    "elu_in_place": [*with_arguments(1, 1, 1), *with_arguments(1.5, 1.1, 0.5)],
    "elu_backward": [*backward(1, 1, 1, False), *backward(1.5, 1.1, 0.5, False), *backward(1.5, 1.1, 0.5, True)],
    "celu": [*with_arguments(1.0), *with_arguments(0.5)],
    "celu_in_place": with_arguments(0.5),
    "gelu_": [*with_arguments("none"), *with_arguments("tanh"), Sample((np.linspace(-3.1, 2.9, 80), "none"))],
    "gelu_backward": [*backward("none"), *backward("tanh")],
    "silu": ANY,
    "mish": ANY,
    "softplus_": [*with_arguments(1, 20), *with_arguments(2.0, 1.1)],
    "softplus_backward": [*backward(1, 20), *backward(0.5, 20)],
    "log_sigmoid": [*ANY, Sample((A * 20,))],
    # Its gradient by the input counts on the third argument to change with it.
    "log_sigmoid_backward": [Sample((G, WHOLE, np.exp(-np.abs(WHOLE)).astype(np.float32)))],
    "gated": [Sample((W, -1)), Sample((W, 0)), Sample((W[0], 0)), Sample((W.T, 1))],
    "glu_backward": [Sample((W[:, :2], W, -1)), Sample((W[:1], W, 0)), Sample((W[0, 2:], W[0], 0))],
    "softmax_along": [*with_arguments(-1), Sample((A, 0)), Sample((W.T, 1)), Sample((A * 30, 1))],
    "softmax_backward_data": [Sample((G, Y, 1)), Sample((G, Y, 0)), Sample((S, S, -1))],
    "kept_and_scaled": [Sample((A, 0.5, True, WHOLE > 0)), Sample((W, 0.5, False, W > 0))],
    **{
        f"fake_quantized_by_{kind}": [Sample((x, x, np.round(x), abs(x) < 1)) for x in (A, A.T, ROW)]
        for kind in ("numbers", "tensors", "channels")
    },
    "native_dropout_backward": [Sample((G, WHOLE > 0, 2.0)), Sample((S, np.True_, 1.5))],
    "log_softmax_along": [*with_arguments(-1), Sample((A, 0)), Sample((W.T, 1)), Sample((A * 30, 1))],
    "log_softmax_backward_data": [Sample((G, np.log(Y), 1)), Sample((G, np.log(Y), 0))],
    "rrelu_with_noise": [
        Sample((A, NOISE, 0.1, 0.3, True)),
        Sample((A, NOISE, 0.1, 0.3, False)),
        Sample((A, NOISE, 0.2, 0.2, False)),
    ],
    "rrelu_with_noise_in_place": [Sample((A, NOISE, 0.1, 0.3, False))],
    "rrelu_with_noise_backward": [
        Sample((G, A, NOISE, 0.1, 0.3, True, False)),
        Sample((G, A, NOISE, 0.1, 0.3, False, False)),
    ],
}

"""A layer of long short-term memories in single precision, step by step as the library that PyTorch leaves it to."""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, F64, Array
from ...flags import threads
from .chains import in_one_chain
from .fused import LARGEST, multiply_add, one_less_square
from .layer_exponential import below_1
from .products import follows as products_follow

_ONE = F32.type(1)

# So many terms the library adds up before it adds them to the result.
_TERMS = 384

# Of one row, products of so many terms, and of so many in all, two threads share.
_SHARED_TERMS, _SHARED = 256, 1 << 13

# More rows than these they share instead.
_SHARED_ROWS = 1 << 10


def follows(input: Array, *others: Array) -> bool:
    """Tell whether a layer can be computed as the library does: single precision, no more than is worth its passes."""
    return (
        products_follow
        and all(type(a) is np.ndarray and a.dtype is F32 and a.size for a in (input, *others))
        and input.ndim == 3
        and input.shape[1] * others[0].shape[0] <= LARGEST
    )


def forward(
    input: Array, w_ih: Array, w_hh: Array, bias: Array, hx: Array, cx: Array, train: bool
) -> tuple[Array, Array]:
    """The hidden states at all times; and at each the four gates, what is remembered, and the tanh of that."""
    count, batch, width = input.shape
    from_input = _product(input.reshape(-1, width), w_ih.T, None, train).reshape(count, batch, -1)
    shown, kept = np.empty((count, *hx.shape), F32), np.empty((count, 6, *hx.shape), F32)
    h, c, to_gates = hx, cx, w_hh.T
    # Without gradients, inputs as wide as states are multiplied together with them.
    both = np.concatenate((w_ih.T, to_gates)) if not train and batch > 1 and width == hx.shape[1] else None
    for t, sums in enumerate(from_input):
        of_all = _product(h, to_gates, sums, train) if both is None else _chain(np.concatenate((input[t], h), 1), both)
        enter, keep, new, leave = np.split(of_all + bias, 4, 1)
        enter, keep, leave = _logistic(np.stack((enter, keep, leave)))
        new = _bent(new)
        c = multiply_add(c * keep, enter, new)
        bent = _bent(c)
        h = shown[t] = bent * leave
        kept[t] = enter, keep, new, leave, c, bent
    return shown, kept


def backward(
    to_shown: Array | None, to_h: Array, to_c: Array, input: Array, w_ih: Array, w_hh: Array, hx: Array, cx: Array,
    shown: Array, kept: Array,
) -> tuple[Array, ...]:  # fmt: skip
    """The gradients of the input, both weights, the bias, and both states."""
    to_gates = np.empty((*input.shape[:2], len(w_hh)), F32)
    to_bias = np.zeros(len(w_hh), F32)
    for t in range(len(input) - 1, -1, -1):
        enter, keep, new, leave, _, bent = kept[t]
        if to_shown is not None:
            to_h = to_shown[t] + to_h
        to_c = to_c + one_less_square(bent) * to_h * leave
        opened = kept[t, [0, 1, 3]]
        less_enter, less_keep, less_leave = multiply_add(opened, opened, -opened)
        to_gates[t] = np.concatenate((
            less_enter * to_c * new, less_keep * to_c * (kept[t - 1, 4] if t else cx),
            one_less_square(new) * (enter * to_c), less_leave * to_h * bent,
        ), 1)  # fmt: skip
        to_c = to_c * keep
        to_h = _product(to_gates[t], w_hh)
        to_bias = np.add.reduce(np.concatenate((to_bias[None], to_gates[t])), 0)
    rows = to_gates.reshape(-1, len(w_hh))
    # The first state is no result of this layer: it is multiplied by itself, after all others.
    to_w_hh = _product(shown[:-1].reshape(-1, hx.shape[1]).T, to_gates[1:].reshape(-1, len(w_hh)))
    to_w_hh = _product(hx.T, to_gates[0], to_w_hh)
    to_w_ih = _product(input.reshape(-1, input.shape[2]).T, rows)
    return _product(rows, w_ih).reshape(input.shape), to_w_ih.T, to_w_hh.T, to_bias, to_h, to_c


# -- products ----------------------------------------------------------------------------------


def _product(a: Array, b: Array, added: Array | None = None, train: bool = True) -> Array:
    """The product of matrices, and what it is added to: of one row that comes first, where gradients are recorded."""
    terms = a.shape[1]
    if not train:
        return _chain(a, b) if added is None else added + _chain(a, b)
    if len(a) == 1:
        if added is not None:
            return _chain(np.concatenate((np.ones((1, 1), F32), a), 1), np.concatenate((added, b)))
        rows = b.shape[1]
        if terms >= _SHARED_TERMS and rows * terms >= _SHARED and rows < _SHARED_ROWS and threads() == 2:
            half = -(-terms // 2)
            return _chain(a[:, :half], b[:half]) + _chain(a[:, half:], b[half:])
        return _chain(a, b)
    r = added
    begun = 0
    while begun < terms:
        left = terms - begun
        end = begun + (_TERMS if left >= 2 * _TERMS else -(-left // 2) if left > _TERMS else left)
        part = _chain(a[:, begun:end], b[begun:end])
        r = part if r is None else r + part
        begun = end
    return np.zeros((len(a), b.shape[1]), F32) if r is None else r


def _chain(a: Array, b: Array) -> Array:
    return np.ascontiguousarray(in_one_chain(np.ascontiguousarray(a), np.ascontiguousarray(b)))


# -- functions ---------------------------------------------------------------------------------


def _logistic(a: Array) -> Array:
    e = below_1(-np.abs(a))
    y = e / (e + _ONE)
    return np.where(np.signbit(a), y, _ONE - y)


def _bent(a: Array) -> Array:
    """The hyperbolic tangent: a polynomial for each of 32 intervals, from a tenth of the first up to the last."""
    x = np.abs(a)
    bits = x.view(np.int32)
    interval = (bits - _FIRST_INTERVAL >> 22) & 31
    wide = (x - (bits & _BEGIN).view(F32)).astype(F64)
    u = _FOR_TANH[-1][interval]
    for coefficients in _FOR_TANH[-2::-1]:
        u *= wide
        u += coefficients[interval]
        u = u.astype(F32).astype(F64)
    r = np.where(x > _ALMOST_1, _ONE, u.astype(F32))
    return np.copysign(np.where(x > _STRAIGHT, r, x), a)


# An interval begins where the first bit of the fraction changes.
_FIRST_INTERVAL, _BEGIN = 0x39800000, np.int32(-0x400000)
_STRAIGHT, _ALMOST_1 = np.array([0x39DDB3D7, 0x41102CB3], np.uint32).view(F32)
_FOR_TANH = [np.frombuffer(bytes.fromhex(row), ">f4").astype(F64) for row in (
    "0000000039bfffff39ffffff3a3ffffe3a7ffffb3abffff73affffeb3b3fffdc"
    "3b7fffab3bbfff703bfffeab3c3ffdc03c7ffaab3cbff7013cffeaad3d3fdc08"
    "3d7faacd3dbf70813dfeacc93e3dc7fd3e7acbf53eb77a9f3eec9a9f3f22991f"
    "3f42f7d63f67b7cc3f76ca833f7ebbe93f7fd40c3f7fff323f7ffffc3f800000",
    "3f8000003f8000183f7fffe83f7fffda3f7fffdc3f7fffdc3f7fffac3f7fff70"
    "3f7ffeec3f7ffdc03f7ffbed3f7ff7043f7feff53f7fdbca3f7fbfff3f7f7041"
    "3f7f009b3f7dc36c3f7c0aa83f7734b83f70a4de3f5f1fd83f4954933f18b9ec"
    "3ed706cb3e390b063d90b11f3c21a0533aaf7fdb37ccc1a3355c673300000000",
    "00000000be4e0ff13d25b1b13d6b6dab3c9fb1d5babff06f3c07b3f6bb3fc1bc"
    "3a9f5921bbbf06f2bbb0f402bc47db9ebc73d5e7bca25bdabcfca780bd40e07c"
    "bd7dab03bdbe4a0fbdfb14a5be36cc8dbe6bd102be9fe7c5beba0f10bec206a8"
    "bea3c388be277d62bd8b7960bc209f49baad44cab7c6eeacb663aa4100000000",
    "0000000045b3ae96c414eb20c450e02ec3152b4ebead2f56c2162e02beb4bd5a"
    "c11a59a4bed2f507c020d32c3dd0f506bf2a75e2bff950e3bed47334be809b8c"
    "beb64532be961a5bbe9b63acbea0d4b2be828a77be378612bdc209083d2d3957"
    "3dd46e893db3f6293d2c5e7b3bd204033a59dfae3770af45372cc01400000000",
    "00000000cc981a1b4a7edd3d4ab1007c48fedd9c41a557b5477ee32a422557f5"
    "45ff3ce442a55641446e0867c33dc19a4291521443af4fad4110fe88c1099b75"
    "3fc8a8dcbfbeaef5be365aad3f4d96523ddfa08f3e34e9b83e2d07a63dc63567"
    "3cdaeb78bcd17537bc92829cbb43ab99b9b471ddb6baad5ab78bafc700000000",
    "0000000052f688d5d0505c72d08f98e3ce505cc9c7162b8acc5061d6c7162bdf"
    "ca50b37fc7162a3ac8422086471a714ec5ece1f1c70e3d90c3eba94a43e0c424"
    "c21f455242217cc8405e7dc4c10dd4013e96b602bd1a6d2fbd393883bd674682"
    "bd310016b961e2693ba324953a7680d538b3173c35a9deea375c3f2a00000000",
    "00000000d8995ed1558285ea55b2cd69530286254bc9991f5082898a4b4999b3"
    "4e02c07c4ac997644b72c822ca40c0e1489413e449b1222446134c4ec60c2d57"
    "43c83910c3c872d1c186bc9e42325bc3bf2ffa4a3d9a203cbc545a43bae08fee"
    "3c80225d3b1fd1dfba36b9d1b91de544b71f100fb408e2edb685fec800000000",
)]  # fmt: skip

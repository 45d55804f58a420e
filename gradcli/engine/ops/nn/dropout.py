"""Dropout and the other activations that draw random numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ....errors import EngineTypeError, EngineValueError
from ... import dtypes, ops
from ...call_errors import fail, not_a_tensor, only_bools, refuse_complex
from ...dtypes import DTYPES, F64, ones_of, zeros_of
from ...memory.layout import empty_like
from ...modes import mode
from ...random import generator as generators
from ...registry import composite, primitive, public
from ...tape.entry import ESTIMATOR
from ...tensor import Array, Tensor, Value, made_like, result as as_result
from ...writes.inplace import write_with
from ..common import gt, le, re
from ..pointwise.masks import pick, refuse_integers
from ..pointwise.remainders import zeros
from .rectifiers import leaky_relu_backward

# -- dropout -----------------------------------------------------------------------------------


def _refuse_probability(p: Any) -> None:
    if p < 0 or p > 1:
        raise EngineValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _drawn(a: Array, p: float, features: bool) -> Array:
    """Ones with probability 1 - p, else zeros: for each element, or for each channel."""
    if features:
        if a.ndim < 2:
            fail("Feature dropout requires at least 2 dimensions in the input")
        a = zeros_of((*a.shape[:2], *(1,) * (a.ndim - 2)), a.dtype)
    return generators.default.fill_bernoulli(a if a.ndim else empty_like(a, a.dtype), 1 - p)


def _refuse_whole(a: Array) -> None:
    if a.dtype.kind not in "fc":
        names = [DTYPES[d].tensor_name for d in (dtypes.default.float, a.dtype)]
        fail(f"result type {names[0]} can't be cast to the desired output type {names[1]}")


def _numbers(name: str, input: Any, p: float) -> Array:
    """The numbers of which each is dropped with probability p."""
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", 1, input)
    # Not a number is refused as well.
    if not 0 <= p <= 1:
        fail(f"dropout probability has to be between 0 and 1, but got {p:g}")
    return input._a


def _dropped(input: Tensor, p: float, train: bool, in_place: bool, features: bool = False) -> Value:
    a = _numbers("feature_dropout" if features else "dropout", input, p)
    if not train or p == 0 or not a.size:
        return input
    refuse_complex("dropout", input)
    _refuse_whole(a)
    noise = zeros_of((), a.dtype)[()] if p == 1 else _drawn(a, p, features) / a.dtype.type(1 - p)
    other = as_result(noise)
    return write_with(ops.arith.mul, input, (other,), {}) if in_place else ops.arith.mul(input, other)


# What SELU activations tend to far below zero.
_ALPHA = 1.7580993408473766


def _alpha_dropped(input: Tensor, p: float, train: bool, in_place: bool, features: bool = False) -> Value:
    a = _numbers("feature_alpha_dropout" if features else "alpha_dropout", input, p)
    if not train or p == 0 or not a.size:
        return input
    refuse_complex("alpha_dropout", input)
    if p == 1:
        other = as_result(zeros_of((), a.dtype)[()])
        return write_with(ops.arith.mul, input, (other,), {}) if in_place else ops.arith.mul(input, other)
    noise = _drawn(a, p, features)
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (noise - 1) * (_ALPHA * scale) + _ALPHA * scale * p
    factor, term = as_result(noise * scale), as_result(shift)
    scaled = write_with(ops.arith.mul, input, (factor,), {}) if in_place else ops.arith.mul(input, factor)
    return write_with(ops.arith.add, scaled, (term,), {})


def _function(name: str, drop: Any, *, features: bool = False, in_place: bool = False) -> Any:
    """PyTorch's own function of that name, which takes all three arguments."""

    def function(input: Tensor, p: float, train: bool) -> Value:
        return drop(input, p, train, in_place, features)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Zeros in the place of elements or channels, each with probability p, in training."
    return function


public("torch.dropout")(_function("dropout", _dropped))
public("torch.dropout_")(_function("dropout_", _dropped, in_place=True))
public("torch.feature_dropout")(_function("feature_dropout", _dropped, features=True))
public("torch.feature_dropout_")(_function("feature_dropout_", _dropped, features=True, in_place=True))
public("torch.alpha_dropout")(_function("alpha_dropout", _alpha_dropped))
public("torch.alpha_dropout_")(_function("alpha_dropout_", _alpha_dropped, in_place=True))
public("torch.feature_alpha_dropout")(_function("feature_alpha_dropout", _alpha_dropped, features=True))
public("torch.feature_alpha_dropout_")(
    _function("feature_alpha_dropout_", _alpha_dropped, features=True, in_place=True)
)


def _scale(p: float, train: bool | None) -> float:
    """The factor of the elements that are kept."""
    return 1.0 if train is False else 0.0 if p == 1 else 1 / (1 - p)


def _kept_back(g: Value, mask: Value, scale: float) -> Any:
    """Read late: what declares it knows all families."""
    return ops.aten_names.native_dropout_backward(g, mask, scale)


@primitive(
    node="NativeDropoutBackward0",
    without_rule=("result1",),
    input=lambda g, p, train, result1: _kept_back(g, result1, _scale(p, train)),
    form="aligned",
)
def kept_and_scaled(input: Array, p: float, train: bool | None, result1: Array) -> Array:
    """Zeros in the place of what a mask leaves out, and the rest scaled up."""
    return input * result1 * input.dtype.type(_scale(p, train))


@public("torch")
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Value, Value]:
    """Dropout, and the mask of what it keeps."""
    if train is not None and not isinstance(train, bool):
        kind = type(train).__name__
        raise EngineTypeError(f"native_dropout(): argument 'train' (position 3) must be bool, not {kind}")
    a = input._a
    if train is not False and a.size:
        if p < 0 or p > 1:
            fail(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p:g}")
        _refuse_whole(a)
        mask = _drawn(a, p, False)
    else:
        mask = ones_of(a.shape, a.dtype)
    kept = as_result(mask.astype(bool))
    return kept_and_scaled(input, p, train, kept), kept


@public("F")
@composite
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """Zeros in the place of elements, each with probability p, and the rest scaled up."""
    if type(training) is not bool:
        only_bools("dropout", train=training, places=(3,))
    _refuse_probability(p)
    return _dropped(input, p, training, inplace)


@public("F")
@composite
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Value:
    """Dropout that keeps mean and variance, for SELU networks."""
    if type(training) is not bool:
        only_bools("alpha_dropout", train=training, places=(3,))
    _refuse_probability(p)
    return _alpha_dropped(input, p, training, inplace)


@public("F")
@composite
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Value:
    """Dropout of whole channels that keeps mean and variance, for SELU networks."""
    if type(training) is not bool:
        only_bools("feature_alpha_dropout", train=training, places=(3,))
    _refuse_probability(p)
    return _alpha_dropped(input, p, training, inplace, True)


def _unbatched(input: Tensor, p: float, training: bool, inplace: bool) -> Value:
    """Dropout of the channels of one example."""
    if inplace:
        _dropped(ops.views.unsqueeze(input, 0), p, training, True, True)
        return input
    return ops.views.squeeze(_dropped(ops.views.unsqueeze(input, 0), p, training, False, True), 0)


@public("F")
@composite
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """Dropout of whole channels of one axis."""
    _refuse_probability(p)
    if input.ndim not in (2, 3):
        fail(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    if input.ndim == 2:
        return _unbatched(input, p, training, inplace)
    return _dropped(input, p, training, inplace, True)


def _deprecated(name: str, ndim: int, expected: str) -> None:
    spatial = name[-2]
    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel "
        f"dimension, and an optional batch dimension (i.e. {expected} inputs).",
        UserWarning,
        stacklevel=3,
    )


@public("F")
@composite
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """Dropout of whole channels of two axes."""
    if type(training) is not bool:
        only_bools("feature_dropout", train=training, places=(3,))
    _refuse_probability(p)
    if input.ndim not in (3, 4):
        _deprecated("dropout2d", input.ndim, "3D or 4D")
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
            "change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, "
            "W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            UserWarning,
            stacklevel=2,
        )
    return _dropped(input, p, training, inplace, True)


@public("F")
@composite
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """Dropout of whole channels of three axes."""
    _refuse_probability(p)
    if input.ndim not in (4, 5):
        _deprecated("dropout3d", input.ndim, "4D or 5D")
    if input.ndim != 5:
        return _unbatched(input, p, training, inplace)
    return _dropped(input, p, training, inplace, True)


# -- the randomly leaky rectifier ----------------------------------------------------------------


@primitive(
    backward=True,
    without_rule=("noise",),
    grad_output=lambda g, self, noise, lower, upper, training: rrelu_with_noise_backward(
        g, self, noise, lower, upper, training, False
    ),
    self=zeros,
    form="stacked",
)
def rrelu_with_noise_backward(
    grad_output: Array, self: Array, noise: Array, lower: Any, upper: Any, training: bool, self_is_result: bool
) -> Array:
    """Gradient of the randomly leaky rectifier, from the slopes that were drawn."""
    if training and upper - lower > 1e-6:
        return grad_output * noise
    return leaky_relu_backward(grad_output, self, (lower + upper) / 2, self_is_result)


def _leaked(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    refuse_integers("leaky_relu_cpu", self)
    leaked = self * noise if training else pick(gt(self, 0), self, self * ((lower + upper) / 2))
    return np.asarray(leaked, order="C")


@primitive(
    without_rule=("noise",),
    kink=lambda self, *_: self,
    self=lambda g, self, noise, lower, upper, training: rrelu_with_noise_backward(
        g, self, noise, lower, upper, training, False
    ),
    form="stacked",
)
def rrelu_with_noise(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    """Rectifier with random slopes below 0."""
    return _leaked(self, noise, lower, upper, training)


@primitive(
    without_rule=("noise",),
    node="RreluWithNoiseBackward1",
    kink=lambda self, *_: self,
    self=lambda g, result, noise, lower, upper, training: rrelu_with_noise_backward(
        g, result, noise, lower, upper, training, True
    ),
    form="stacked",
)
def rrelu_with_noise_in_place(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    """Rectifier with random slopes below 0, to be written over the input."""
    return _leaked(self, noise, lower, upper, training)


def _slopes(a: Array, lower: float, upper: float, training: bool) -> Array:
    """A slope for each element: 1 above 0, and below it one that is drawn."""
    if lower > upper:
        fail("Lower bound should be less than or equal to the upper bound")
    if not training or a.dtype.kind != "f":
        return zeros(a)
    flat = np.ascontiguousarray(a).reshape(-1)
    noise = ones_of(flat.shape, a.dtype)
    low = le(flat, 0)
    noise[low] = generators.default.uniform(int(np.count_nonzero(low)), F64, lower, upper)
    return noise.reshape(a.shape)[()]


@public("torch.rrelu F")
@composite
def rrelu(
    input: Value, lower: float = 0.125, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Value:
    """Rectifier with random slopes below 0 in training, and their mean otherwise."""
    if type(training) is not bool:
        only_bools("rrelu", training=training, places=(4,))
    noise = as_result(_slopes(re(input._a), lower, upper, training))
    args = (noise, lower, upper, training)
    if inplace:
        return write_with(rrelu_with_noise_in_place, input, args, {})
    return rrelu_with_noise(input, *args)


@public("torch F")
def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False) -> Value:
    """Rectifier with random slopes below 0, in place."""
    return rrelu(input, lower, upper, training, True)


# -- a sample from a categorical distribution ----------------------------------------------------


@public("F")
@composite
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Value:
    """A sample of the relaxed categorical distribution; hard makes it one-hot, with the soft gradient."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", UserWarning, stacklevel=2)
    a = logits._a
    noise: Any = made_like(logits, zeros_of(a.shape, a.dtype)[()])
    noise.exponential_()
    noisy = ops.arith.div(ops.arith.add(logits, ops.arith.neg(ops.elementary.log(noise))), tau)
    soft = ops.softmax.softmax(noisy, dim)
    if not hard:
        return soft
    chosen: Any = made_like(logits, zeros_of(a.shape, a.dtype))
    chosen.scatter_(dim, ops.extrema.max(soft, dim, True)[1], 1.0)
    held = soft.detach()
    if mode.tape is not None:
        # That another gradient stands for that of the choice is what the function is for.
        mode.tape.cut(held, soft, ESTIMATOR)
    return ops.arith.add(ops.arith.sub(chosen, held), soft)

"""Smooth activations: the gelu, the swishes, the softplus and its kin, the gated unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...declaration import given_for_out
from ...modes import mode, recording
from ...numeric import erf as normal
from ...numeric.common import log1p, quiet
from ...numeric.halves import is_half, lowered, raised
from ...numeric.kernels import gelu as units, vectors
from ...numeric.kernels.fused import multiply_add, one_and, one_less_square, rounded
from ...numeric.kernels.vectors import exponential, exponential_in_loop, one_and_exponential, tanh, tanh_of_softplus
from ...registry import composite, elementwise, primitive, public
from ...tensor import Array, Tensor, Value, result
from ...writes.inplace import write_with
from ..common import axis, gt, lt
from ..pointwise.masks import pick, refuse_integers
from .exponential_units import indicator

# -- the gelu ----------------------------------------------------------------------------------

_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 2 / math.sqrt(math.pi) * _ROOT_HALF * 0.5  # of the normal distribution, at 0
_INNER = math.sqrt(2) * (2 / math.sqrt(math.pi)) * 0.5
_CUBIC = 0.044715


def _distribution(x: Array) -> Array:
    """The distribution function of the normal distribution; for a reading with all digits of its tail."""
    if x.dtype.kind == "c":
        return normal.erfc(x * -_ROOT_HALF) * 0.5
    return (normal.erf(x * _ROOT_HALF) + 1) * 0.5


def _share(inner: Array) -> Array:
    """Half of 1 and a hyperbolic tangent, with all digits of its tail."""
    below = inner.real < 0
    small = np.exp(np.where(below, 2 * inner, -2 * inner))
    return np.where(below, small, 1) / (1 + small)


def _gelu_tanh(x: Array) -> Array:
    if x.dtype.kind == "c":
        return x * _share(_INNER * (x + x * x * x * _CUBIC))
    return 0.5 * x * (1 + tanh(_INNER * multiply_add(x, x * x * x, _CUBIC)))


def _slope(x: Array, distribution: Array) -> Array:
    if x.dtype.kind == "c":
        return distribution + x * (np.exp(x * x * -0.5) * _DENSITY)
    return multiply_add(distribution, x, rounded(np.exp, x * x * -0.5) * _DENSITY)


def _slope_tanh(x: Array) -> Array:
    square = x * x
    if x.dtype.kind == "c":
        share = _share(_INNER * (x + square * x * _CUBIC))
        return share + 2 * x * share * (1 - share) * _INNER * (1 + 3 * _CUBIC * square)
    inner = tanh(_INNER * multiply_add(x, square * x, _CUBIC))
    steep = 0.5 * x * one_less_square(inner) * (_INNER * one_and(square, 3 * square.dtype.type(_CUBIC)))
    return 0.5 * (1 + inner) + steep


def _slope_of_slope(g: Value, grad_output: Value, self: Value, approximate: str) -> Value:
    h = g * grad_output
    if approximate == "none":
        square = self * self
        density = ops.elementary.exp(square * -0.5) * _DENSITY
        return h * (2 * density - square * density)
    inner = (self + ops.power.pow(self, 3) * _CUBIC) * _INNER
    tanh = ops.elementary.tanh(inner)
    flat = 1 - tanh * tanh
    slope = (self * (3 * _CUBIC) * self + 1) * _INNER
    left = self * 0.5
    sech = 1 / ops.elementary.cosh(inner)
    bend = 2 * sech * (-sech * tanh) * slope
    return h * (2 * (flat * 0.5 * slope) + left * slope * bend + left * flat * (self * (6 * _CUBIC) * _INNER))


@elementwise(
    backward=True,
    grad_output=lambda g, self, approximate: gelu_backward(g, self, approximate), self=_slope_of_slope,
    rounding="hidden",
    left_of=("each", "grad_output"),
)
def gelu_backward(grad_output: Array, self: Array, approximate: str = "none") -> Array:
    """Gradient of the Gaussian error linear unit."""
    if approximate == "none":
        if units.follows(self):
            return grad_output * quiet(units.gelu_slope, self)
        return grad_output * quiet(_slope, self, _distribution(self))
    return grad_output * quiet(_slope_tanh, self)


@elementwise(
    node="GeluBackward0", self=lambda g, self, approximate: gelu_backward(g, self, approximate),
    rounding="hidden",
    left_of=("each", "self"),
)
def gelu_(self: Array, approximate: str = "none") -> Array:
    """Gaussian error linear unit: the input times its normal distribution function, or "tanh" for short."""
    refuse_integers("GeluKernelImpl", self)
    if approximate == "none":
        if units.follows(self):
            return quiet(units.gelu, self)
        return quiet(np.multiply, self, _distribution(self))
    if approximate != "tanh":
        fail("approximate argument must be either none or tanh.")
    return quiet(_gelu_tanh, self)


@public("F")
@given_for_out("Found dtype {given} but expected {found}")
def gelu(input: Value, *, approximate: str = "none") -> Value:
    """Gaussian error linear unit: the input times its normal distribution function, or "tanh" for short."""
    return gelu_(input, approximate)


# -- the swishes -------------------------------------------------------------------------------


def _by_ops(g: Value) -> bool:
    """Tell whether somebody follows how a gradient is made: where nobody does, PyTorch makes it in one step."""
    return isinstance(g, Tensor) and (recording() or mode.aside)


def _in_one(slope: Callable[[Array, Array], Array], g: Value, self: Value) -> Value:
    """A gradient that is made in one step, in half precision rounded once."""
    a, x = (v._a if isinstance(v, Tensor) else v for v in (g, self))
    d = x.dtype
    r = lowered(slope(raised(a), raised(x)), d) if is_half(d) else slope(a, x)
    return result(r) if isinstance(g, Tensor) else r


def _silu_slope(g: Value, self: Value) -> Value:
    if not _by_ops(g):
        return _in_one(_steep_silu, g, self)
    s = ops.elementary.sigmoid(self)
    # Recorded in PyTorch's order, the right operand first.
    right = 1 + self * (1 - s)
    return g * s * right


def _steep_silu(g: Array, a: Array) -> Array:
    s = ops.elementary.sigmoid(a)
    steep = one_and(a, 1 - s)
    s = g * s
    s *= steep
    return s


@elementwise(self=_silu_slope)
def silu(self: Array) -> Array:
    """Sigmoid linear unit (swish), input * sigmoid(input)."""
    refuse_integers("silu_cpu", self)
    return quiet(_silu, self)


def _silu(x: Array) -> Array:
    # A complex exponential must not overflow.
    return x * ops.elementary.sigmoid(x) if x.dtype.kind == "c" else x / one_and_exponential(x)


@public("F.silu")
def silu_function(input: Value, inplace: bool = False) -> Value:
    """Sigmoid linear unit (swish), input * sigmoid(input)."""
    return write_with(silu, input, (), {}) if inplace else silu(input)


def _mish_slope(g: Value, self: Value) -> Value:
    if not _by_ops(g):
        return _in_one(_steep_mish, g, self)
    s = ops.elementary.sigmoid(self)
    t = ops.elementary.tanh(ops.elementary.log1p(ops.elementary.exp(self)))
    right = 1 - t * t
    return g * (t + self * s * right)


def _steep_mish(g: Array, a: Array) -> Array:
    t = quiet(tanh_of_softplus, a)
    return g * multiply_add(t, a * ops.elementary.sigmoid(a), one_less_square(t))


def _mish(x: Array) -> Array:
    return x * tanh_of_softplus(x)


@elementwise(self=_mish_slope)
def mish(self: Array) -> Array:
    """Mish, input * tanh(softplus(input))."""
    refuse_integers("mish_cpu", self)
    return quiet(_mish, self)


@public("F.mish")
def mish_function(input: Value, inplace: bool = False) -> Value:
    """Mish, input * tanh(softplus(input))."""
    return write_with(mish, input, (), {}) if inplace else mish(input)


# -- the softplus and its kin ------------------------------------------------------------------


def _softplus_slope_of_slope(g: Value, grad_output: Value, self: Value, beta: Any, threshold: Any) -> Value:
    x = self * beta
    below = indicator(lt(x, threshold), g)
    return ops.elementary.sigmoid_backward(g * grad_output, ops.elementary.sigmoid(x)) * below * beta


def _softplus_slope(g: Array, x: Array, threshold: Any) -> Array:
    z = exponential_in_loop(x)
    return pick(gt(x, threshold), g, g * z / (z + 1))


@elementwise(
    backward=True,
    grad_output=lambda g, self, beta, threshold: softplus_backward(g, self, beta, threshold),
    self=_softplus_slope_of_slope,
)
def softplus_backward(grad_output: Array, self: Array, beta: Any, threshold: Any) -> Array:
    """Gradient of the softplus."""
    return quiet(_softplus_slope, grad_output, self * beta, threshold)


def _softplus(a: Array, beta: Any, threshold: Any) -> Array:
    x = a if beta == 1 else a * beta
    y = vectors.softplus(x)
    if beta != 1:
        y /= beta
    high = gt(x, threshold)
    return pick(high, a, y) if high.size < 1000 or high.any() else y


@elementwise(
    node="SoftplusBackward0", self=lambda g, self, beta, threshold: softplus_backward(g, self, beta, threshold)
)
def softplus_(self: Array, beta: Any, threshold: Any) -> Array:
    """Softplus, log(1 + exp(beta * input)) / beta."""
    refuse_integers("softplus_cpu", self)
    return quiet(_softplus, self, beta, threshold)


@public("F")
@given_for_out("Found dtype {given} but expected {found}")
def softplus(input: Value, beta: float = 1, threshold: float = 20) -> Value:
    """Softplus, log(1 + exp(beta * input)) / beta; the input itself where beta * input is above the threshold."""
    return softplus_(input, beta, threshold)


def _log_sigmoid_slope_of_slope(g: Value, grad_output: Value, self: Value) -> Value:
    z = ops.elementary.sigmoid(self)
    return g * grad_output * (z - 1) * z


@primitive(
    backward=True,
    without_rule=("buffer",),
    grad_output=lambda g, self, buffer: log_sigmoid_backward(g, self, buffer), self=_log_sigmoid_slope_of_slope,
    form="stacked",
)
def log_sigmoid_backward(grad_output: Array, self: Array, buffer: Array) -> Array:
    """Gradient of the logarithm of the logistic function; buffer holds exp(-abs(input))."""
    share = buffer / (1 + buffer)
    return grad_output * pick(lt(self, 0), 1 - share, share)


def _log_sigmoid(a: Array) -> tuple[Array, Array]:
    if a.dtype.kind == "c":
        low = a.real < 0
        z = np.exp(pick(low, a, -a))
        return pick(low, a, 0) - log1p(z), z
    z = exponential(-np.abs(a))
    return np.subtract(np.minimum(a, 0), vectors.log1p(z), order="C"), z


@primitive(aside=("buffer",), self=lambda g, self, buffer: log_sigmoid_backward(g, self, buffer), form="stacked")
def log_sigmoid(self: Array) -> tuple[Array, Array]:
    """Logarithm of the logistic function, and exp(-abs(input)) for the backward."""
    refuse_integers("log_sigmoid_cpu", self)
    y: tuple[Array, Array] = quiet(_log_sigmoid, self)
    return y


@public("F")
@given_for_out("expected scalar type {found} but found {given}")
@composite
def logsigmoid(input: Value) -> Value:
    """Logarithm of the logistic function."""
    return log_sigmoid(input)[0]


@public("F")
@composite
def softsign(input: Value) -> Value:
    """input / (1 + abs(input))."""
    return ops.arith.div(input, ops.arith.add(ops.kinked.abs(input), 1))


@public("F")
@composite
def tanhshrink(input: Value) -> Value:
    """input - tanh(input)."""
    return ops.arith.sub(input, ops.elementary.tanh(input))


# -- the gated linear unit ---------------------------------------------------------------------


def _half(a: Value, dim: int, k: int) -> Value:
    """One half of an array or tensor along an axis."""
    if isinstance(a, Tensor):
        n = a._a.shape[dim] // 2
        return ops.views.slice_(a, dim, k * n, k * n + n, 1)
    n = a.shape[dim] // 2
    return a[(slice(None),) * axis(dim, a.ndim) + (slice(k * n, k * n + n),)]


def _gated_share(g: Value, self: Value, dim: int) -> Value:
    dim = axis(dim, self.ndim)
    ones = _half(self, dim, 0) * 0 + 1
    if isinstance(ones, Tensor):
        ones = ones.detach()
    share = g * glu_backward(ones, self, dim)
    return _half(share, dim, 0) + _half(share, dim, 1)


def _gated_slope(g: Value, grad_output: Value, self: Value, dim: int) -> Value:
    a, s = _half(self, dim, 0), ops.elementary.sigmoid(_half(self, dim, 1))
    ds = s * (1 - s)
    two, one = _half(g, dim, 0), _half(g, dim, 1)
    first = one * grad_output * ds
    return joined(first, one * a * grad_output * (ds * (1 - s) - s * ds) + two * grad_output * ds, dim)


def joined(one: Value, two: Value, dim: int) -> Value:
    """Two halves, put together along an axis."""
    return ops.joining.cat([one, two], dim) if isinstance(one, Tensor) else np.concatenate((one, two), dim)


@primitive(backward=True, grad_output=_gated_share, self=_gated_slope, form="along", own_precision=True)
def glu_backward(grad_output: Array, self: Array, dim: int) -> Array:
    """Gradient of the gated linear unit."""
    s, x = raised(ops.elementary.sigmoid(_half(self, dim, 1))), raised(self)
    g = raised(grad_output)
    return np.concatenate((s * g, (1 - s) * s * _half(x, dim, 0) * g), dim)


@primitive(node="GluBackward0", self=lambda g, self, dim: glu_backward(g, self, dim), form="along")
def gated(self: Array, dim: int) -> Array:
    """The first half of the input along an axis, times the sigmoid of the second."""
    return _half(self, dim, 0) * ops.elementary.sigmoid(_half(self, dim, 1))



@public("F")
@composite
def glu(input: Value, dim: int = -1) -> Value:
    """Gated linear unit: the first half of the input along an axis, times the sigmoid of the second."""
    refuse_integers("glu_cpu", input._a if isinstance(input, Tensor) else input)
    if input.ndim == 0:
        fail("glu does not support scalars because halving size must be even")
    d = axis(dim, input.ndim)
    n = input.shape[d]
    if n % 2:
        fail(f"Halving dimension must be even, but dimension {d} is size {n}")
    return gated(input, dim)

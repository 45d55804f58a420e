"""Random numbers whose parameters tensors hold, drawn one at a time until one fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineValueError, Unsupported
from ...call_errors import fail, refuse_complex
from ...costs import ALWAYS, costs
from ...dtypes import DTYPES, F32, F64, limits_of
from ...memory.layout import unwrapped
from ...modes import mode, refuse_same_draws, unfollowed
from ...numeric.draws import beta_slope, gamma_slope
from ...numeric.halves import converted
from ...random import by_rejection
from ...random.by_rejection import OneByOne
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, made
from ..common import re
from .random import no_share, source_of

# Why `check` has nothing to say of a draw that has a gradient.
_FOLLOWED = (
    "the gradient of a draw by rejection keeps its place in the distribution, which no run of the program does: there "
    "is nothing to measure"
)


@primitive(without_rule=("drawn",), node="PoissonBackward0", self=lambda g: no_share(g), form="stacked")
def poisson_by_rate(self: Array, drawn: Array) -> Array:
    """Counts of events with the rates that a tensor holds: as they were drawn."""
    return converted(drawn, re(self).dtype)


@public("torch")
@costs("drawing.one_by_one", careful=ALWAYS)
@composite
def poisson(input: Value, generator: Any = None) -> Value:
    """Counts of events with the rates that a tensor holds."""
    refuse_same_draws(input)
    source = source_of("poisson", generator)
    rates = _parameters("poisson_cpu", input, half=True)
    if not (rates >= 0).all():
        fail("invalid Poisson rate, expected rate to be non-negative")
    if not np.isfinite(rates).all():
        raise Unsupported("poisson(): a rate that is infinite has no draws here")
    draw = OneByOne(source)
    return poisson_by_rate(input, _each(rates, lambda rate: by_rejection.poisson(float(rate), draw)))


@public("torch")
@costs("drawing.one_by_one", careful=ALWAYS)
@composite
def binomial(count: Value, prob: Value, generator: Any = None) -> Value:
    """The number of so many trials that succeed, each with a probability that a tensor holds."""
    source = source_of("binomial", generator)
    if count._a.dtype.kind not in "fc":
        raise EngineValueError(
            f"binomial only supports floating-point dtypes for count, got: {DTYPES[count._a.dtype].tensor_name}"
        )
    if mode.grad and (count.requires_grad or prob.requires_grad):
        raise Unsupported("binomial(): derivative for aten::binomial is not implemented in PyTorch")
    trials, chances = _parameters("binomial_cpu", count), np.asanyarray(re(prob._a))
    if chances.dtype != trials.dtype:
        names = DTYPES[chances.dtype].tensor_name, DTYPES[trials.dtype].tensor_name
        fail(f"Found dtype {names[0]} but expected {names[1]}")
    if not np.isfinite(trials).all():
        raise Unsupported("binomial(): a count that is infinite or NaN has no draws here")
    trials, chances = np.broadcast_arrays(trials, chances)
    draw = OneByOne(source)
    numbers = [by_rejection.binomial(n, p, draw) for n, p in zip(trials.ravel(), chances.ravel(), strict=True)]
    return unfollowed(made(_shaped(numbers, trials)), count, prob)


@primitive(
    without_rule=("drawn",),
    node="StandardGammaBackward0",
    self=lambda g, self, result: g * _standard_gamma_grad(self, result),
    unmeasured=_FOLLOWED,
    form="stacked",
)
def gamma_by_concentration(self: Array, drawn: Array) -> Array:
    """Gamma numbers of rate 1 with the concentrations that a tensor holds: as they were drawn."""
    return drawn


@public("torch")
@costs("drawing.one_by_one", careful=ALWAYS)
@composite
def _standard_gamma(input: Value, generator: Any = None) -> Value:
    """Gamma numbers of rate 1 with the concentrations that a tensor holds."""
    refuse_same_draws(input)
    source = source_of("_standard_gamma", generator)
    return gamma_by_concentration(input, _gammas(_parameters("gamma_cpu", input), source))


@public("torch")
@primitive(no_derivative="_standard_gamma_grad", self=None, output=None, form="stacked")
def _standard_gamma_grad(self: Array, output: Array) -> Array:
    """The slopes of gamma numbers of rate 1 by their concentrations, while their places in the distributions stay."""
    return unwrapped(np.asanyarray(gamma_slope(re(self), re(output))).astype(re(output).dtype))


@primitive(
    not_implemented="_sample_dirichlet", without_rule=("drawn",), self=None, unmeasured=_FOLLOWED, form="stacked"
)
def parts_by_concentration(self: Array, drawn: Array) -> Array:
    """Parts of 1 with the concentrations that a tensor holds: as they were drawn."""
    return drawn


@public("torch")
@costs("drawing.one_by_one", careful=ALWAYS)
@composite
def _sample_dirichlet(input: Value, generator: Any = None) -> Value:
    """Parts of 1 with the concentrations that a tensor holds along its last axis."""
    refuse_same_draws(input)
    source = source_of("_sample_dirichlet", generator)
    a = _parameters("dirichlet", input)
    drawn = np.asanyarray(_gammas(a.astype(F64), source))
    parts = drawn / (drawn.sum(-1, keepdims=True) if a.ndim else drawn)
    return parts_by_concentration(input, _between(parts, a))


@public("torch")
@primitive(not_implemented="_dirichlet_grad", x=None, alpha=None, total=None, form="stacked")
def _dirichlet_grad(x: Array, alpha: Array, total: Array) -> Array:
    """The slopes of parts of 1 by their concentrations, while their places in the distributions stay."""
    return unwrapped(np.asanyarray(beta_slope(re(x), re(alpha), re(total))))


def _parameters(kernel: str, t: Tensor, half: bool = False) -> Array:
    """The numbers that a tensor of parameters holds, in a dtype that the draw knows."""
    refuse_complex(kernel, t)
    a = np.asanyarray(re(t._a))
    if a.dtype not in (F32, F64) and not (half and a.dtype.kind == "f"):
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[a.dtype].tensor_name}'")
    if not half and np.isnan(a).any():
        raise Unsupported(f"\"{kernel}\": a parameter that is NaN has no draws here")
    return a


def _gammas(a: Array, source: Any) -> Array:
    if (a < 0).any() or not np.isfinite(a).all():
        raise Unsupported("gamma numbers are drawn of concentrations that are finite and not negative")
    draw, least = OneByOne(source), float(limits_of(a.dtype).tiny)
    return _each(a, lambda alpha: max(least, by_rejection.gamma(alpha, draw)))


def _each(a: Array, draw: Callable[[Any], float]) -> Array:
    """Draw for each of some numbers, in their order."""
    return _shaped([draw(x) for x in a.ravel()], a)


def _shaped(numbers: list[float], like: Array) -> Array:
    return unwrapped(converted(np.array(numbers, F64), like.dtype).reshape(like.shape))


def _between(parts: Array, like: Array) -> Array:
    """Parts that are more than 0 and less than 1 in the dtype of others."""
    kind = like.dtype.type
    return unwrapped(np.clip(parts.astype(like.dtype), limits_of(like.dtype).tiny, np.nextafter(kind(1), kind(0))))

"""Random numbers written into tensors, in the order of memory."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ..boxmuller import exactly, fused
from ..dtypes import B8, DTYPES, F32, F64, I64
from ..generator import Generator
from ..inplace import write_with
from ..layout import laid_out, rounded
from ..registry import composite, fail, primitive, public
from ..tensor import Array, Tensor, Value
from .common import re
from .create import invalid, number
from .random import (
    check_probabilities,
    floating,
    probability,
    shares,
    shown,
    source_of,
    standard_deviation,
    zeros_of,
)
from .spans import KINDS, bounds, check_limits, rounded_up, span


@primitive(self=lambda g: zeros_of(g), node="UniformBackward0")
def uniform_values(self: Array, low: Any, high: Any, generator: Any) -> Array:
    """Uniform numbers in the place of others."""
    return generator.fill_uniform(self, low, high)


@public("Tensor")
@composite
def uniform_(input: Value, *args: Any, generator: Any = None, **given: Any) -> Value:
    """Overwrite with uniform numbers from one bound up to another, 0 and 1 unless given."""
    low, high = _two("uniform_", args, given, ("from", "to"), (0.0, 1.0))
    d = input._a.dtype
    floating(d, "check_uniform_bounds")
    most = np.finfo(d).max
    for name, x in (("from", low), ("to", high)):
        if not -most <= x <= most:
            fail(f"{name} is out of bounds for {KINDS[d.name]}")
    if low > high:
        fail(
            f"uniform_ expects to return a [from, to) range, but found from={shown(low)} > to={shown(high)}"
        )
    if not high - low <= most:
        fail(
            f"uniform_ expects to-from <= std::numeric_limits<{DTYPES[d].tensor_name}>::max(), but found "
            f"to={shown(high)} and from={shown(low)} which result in to-from to exceed the limit"
        )
    return write_with(uniform_values, input, (low, high, source_of("uniform_", generator)), {})


def _two(
    name: str, args: tuple[Any, ...], given: dict[str, Any], names: tuple[str, str], defaults: tuple[float, float]
) -> tuple[float, float]:
    """Two numbers, by place or by name."""
    bound = dict(zip(names, defaults, strict=True)) | dict(zip(names, args, strict=False)) | given
    if len(args) > 2 or bound.keys() != set(names):
        raise invalid(name, args, given)
    return builtins.float(bound[names[0]]), builtins.float(bound[names[1]])


@primitive(self=lambda g: zeros_of(g), node="NormalBackward0")
def normal_values(self: Array, mean: Any, std: Any, generator: Any) -> Array:
    """Normal numbers in the place of others."""
    return generator.fill_normal(self, mean, std)


@public("Tensor")
@composite
def normal_(input: Value, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with normal numbers."""
    mean, std = builtins.float(mean), standard_deviation(std)
    floating(input._a.dtype, "normal_kernel_cpu")
    return write_with(normal_values, input, (mean, std, source_of("normal_", generator)), {})


@primitive(self=lambda g: zeros_of(g), node="BernoulliBackward2")
def bernoulli_values(self: Array, p: Any, generator: Any) -> Array:
    """Ones with one probability, else zeros, in the place of others."""
    return generator.fill_bernoulli(self, p)


@primitive(
    node="BernoulliBackward1",
    self=lambda g: zeros_of(g),
    p=lambda g, p_sym_sizes: shares(g, p_sym_sizes),
)
def bernoulli_values_by(self: Array, p: Array, generator: Any) -> Array:
    """Ones with the probabilities that a tensor holds, else zeros, in the place of others."""
    p = re(p)
    floating(p.dtype, "bernoulli_tensor_cpu_p_")
    check_probabilities(p)
    p = np.broadcast_to(p, self.shape)
    # The probabilities in the order in which memory is filled.
    places = laid_out(np.arange(self.size), self).ravel()
    flat = np.empty(self.size, p.dtype)
    flat[places] = p.ravel()
    drawn = generator.bernoulli(self.size, flat if p.dtype == F64 else flat.astype(F32), self.dtype)
    return laid_out(drawn, self)


@public("Tensor")
@composite
def bernoulli_(input: Value, p: Any = 0.5, *, generator: Any = None) -> Value:
    """Overwrite with ones of a probability, or of those that a tensor holds; else zeros."""
    source = source_of("bernoulli_", generator)
    if isinstance(p, Tensor):
        shape, target = p._a.shape, input._a.shape
        lead = len(target) - len(shape)
        for i, n in enumerate(shape):
            if lead < 0 or n not in (1, target[lead + i]):
                fail(
                    f"The expanded size of the tensor ({target[lead + i]}) must match the existing size ({n}) at "
                    f"non-singleton dimension {lead + i}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
                )
        return write_with(bernoulli_values_by, input, (p, source), {})
    return write_with(bernoulli_values, input, (probability(p), source), {})


def _draws(name: str, node: str, draw: Any) -> Any:
    """An op that puts draws, each of 53 bits, in the place of a tensor's values."""

    def values(self: Array, one: Any, two: Any, generator: Any) -> Array:
        with np.errstate(all="ignore"):
            drawn = draw(generator, self.size, one, two)
            return laid_out(rounded(drawn, self.dtype) if self.dtype.kind == "f" else drawn.astype(self.dtype), self)

    values.__name__ = values.__qualname__ = name
    values.__doc__ = f"{draw.__doc__[:-1]} in the place of others."
    return primitive(self=lambda g: zeros_of(g), node=node)(values)


def _exponential(source: Generator, n: int, rate: float, _: Any) -> Array:
    """Exponential numbers."""
    return source.exponential(n, rate)


def _cauchy(source: Generator, n: int, median: float, sigma: float) -> Array:
    """Cauchy numbers."""
    return fused(exactly(math.tan, math.pi * (source.unit(n) - 0.5)), sigma, median)


def _log_normal(source: Generator, n: int, mean: float, std: float) -> Array:
    """Numbers whose logarithms are normal."""
    return exactly(math.exp, source.normal(n, F64, mean, std, contiguous=False))


def _geometric(source: Generator, n: int, p: float, _: Any = None) -> Array:
    """How often to try until the first success."""
    return np.ceil(exactly(math.log, source.unit(n)) / math.log1p(-p))


exponential_values = _draws("exponential_values", "ExponentialBackward0", _exponential)
cauchy_values = _draws("cauchy_values", "CauchyBackward0", _cauchy)
log_normal_values = _draws("log_normal_values", "LogNormalBackward0", _log_normal)
geometric_values = _draws("geometric_values", "GeometricBackward0", _geometric)


@public("Tensor")
@composite
def exponential_(input: Value, lambd: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with exponential numbers of a rate."""
    rate = builtins.float(lambd)
    if not rate > 0:
        fail(f"exponential_ expects lambda > 0.0, but found lambda={shown(rate)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {DTYPES[d].tensor_name}"
        )
    return write_with(exponential_values, input, (rate, None, source_of("exponential_", generator)), {})


@public("Tensor")
@composite
def cauchy_(input: Value, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with Cauchy numbers."""
    median, sigma = builtins.float(median), builtins.float(sigma)
    if not sigma > 0:
        fail(f"cauchy_ expects sigma > 0.0, but found sigma={shown(sigma)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {KINDS[d.name]}"
        )
    return write_with(cauchy_values, input, (median, sigma, source_of("cauchy_", generator)), {})


@public("Tensor")
@composite
def log_normal_(input: Value, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Value:
    """Overwrite with numbers whose logarithms are normal."""
    mean, std = builtins.float(mean), builtins.float(std)
    if not std > 0:
        fail(f"log_normal_ expects std > 0.0, but found std={shown(std)}")
    floating(input._a.dtype, "log_normal_cpu")
    return write_with(log_normal_values, input, (mean, std, source_of("log_normal_", generator)), {})


@public("Tensor")
@composite
def geometric_(input: Value, p: float, *, generator: Any = None) -> Value:
    """Overwrite with how often to try until the first success of a probability."""
    p = builtins.float(p)
    if not 0 < p < 1:
        fail(f"geometric_ expects p to be in (0, 1), but got p={shown(p)}")
    return write_with(geometric_values, input, (p, None, source_of("geometric_", generator)), {})


@primitive(self=lambda g: zeros_of(g), node="RandomBackward0")
def random_from_to(self: Array, low: Any, count: Any, generator: Any) -> Array:
    """Whole numbers in the place of others."""
    return _whole(self, low, count, generator)


@primitive(self=lambda g: zeros_of(g), node="RandomBackward1")
def random_to(self: Array, low: Any, count: Any, generator: Any) -> Array:
    """Whole numbers from 0 on in the place of others."""
    return _whole(self, low, count, generator)


@primitive(self=lambda g: zeros_of(g), node="RandomBackward2")
def random_any(self: Array, generator: Any) -> Array:
    """Whole numbers of all that the dtype can tell apart in the place of others."""
    d = self.dtype
    n = self.size
    if d in (F64, I64):
        drawn = generator.random64(n)
        drawn %= np.uint64(2**63 if d == I64 else 2**53 + 1)
    else:
        most = 1 if d == B8 else 2 ** (np.finfo(d).nmant + 1) if d.kind == "f" else builtins.int(np.iinfo(d).max)
        drawn = generator.random32(n) % np.uint32(most + 1)
    return laid_out(drawn.astype(d), self)


def _whole(a: Array, low: int, count: int, source: Generator) -> Array:
    return laid_out(source.integers(a.size, low, count).astype(a.dtype), a)


@public("Tensor")
@composite
def random_(input: Value, *args: Any, generator: Any = None, **given: Any) -> Value:
    """Overwrite with whole numbers: between bounds, or all that the dtype can tell apart."""
    source = source_of("random_", generator)
    one = not given if len(args) == 1 else not args and "from" not in given
    names = ("to",) if one else ("from", "to")
    bound = dict(zip(names, args, strict=False)) | given
    if len(args) > 2 or not bound.keys() <= set(names):
        raise invalid("random_", args, given)
    if not bound:
        return write_with(random_any, input, (source,), {})
    d = input._a.dtype
    low = number(bound.get("from", 0))
    high = bound.get("to")
    if high is None:
        return write_with(random_from_to, input, (*_open_span(low, d), source), {})
    low, high = bounds("random_", low, high, args)
    low, high = span(low, high, d)
    return write_with(random_to if names == ("to",) else random_from_to, input, (low, high - low, source), {})


def _open_span(low: int, d: Any) -> tuple[int, int]:
    """The first of the numbers from ``low`` to the greatest of a dtype, and how many they are."""
    if low == -(2**63):
        if d not in (I64, F64, F32):
            fail("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
        return 0, 2**64
    if d.kind == "f":
        most = 2 ** (np.finfo(d).nmant + 1)
        low = rounded_up(low, d)
        if low >= most:
            fail(
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
                f"from={low} > to_inc={most}"
            )
    else:
        most = 1 if d == B8 else builtins.int(np.iinfo(d).max)
    check_limits((("from", low), ("to - 1", most)), d)
    return low, most - low + 1

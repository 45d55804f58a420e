"""Random numbers written into tensors, in the order of memory."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ...call_errors import fail
from ...dtypes import B8, DTYPES, F32, F64, I64, limits_of, part_of, zeros_of
from ...memory.layout import laid_out, rounded
from ...numeric.halves import converted
from ...numeric.meta import Meta
from ...random.generator import Generator
from ...random.normal import exactly, fused
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ...writes.inplace import DRAWN, write_with
from ..common import re
from ..pointwise.masks import refuse_bool
from .filled import invalid, number
from .integer_bounds import KINDS, bounds, check_limits, rounded_up, span
from .random import check_probabilities, deviation, drawn_by, floating, no_share, probability, shown, source_of


def _overwriting(name: str, node: str) -> Any:
    """The op that puts what was drawn in the place of a tensor's values."""

    def values(self: Array, drawn: Array) -> Array:
        return converted(drawn, re(self).dtype)

    values.__name__ = values.__qualname__ = name
    values.__doc__ = "What was drawn, in the place of other values."
    op = primitive(without_rule=("drawn",), self=lambda g: no_share(g), node=node, form="stacked")(values)
    DRAWN.add(op.op)
    return op


_uniform = _overwriting("uniform_drawn", "UniformBackward0")
_normal = _overwriting("normal_drawn", "NormalBackward0")
_bernoulli = _overwriting("bernoulli_drawn", "BernoulliBackward2")
_exponential = _overwriting("exponential_drawn", "ExponentialBackward0")
_cauchy = _overwriting("cauchy_drawn", "CauchyBackward0")
_log_normal = _overwriting("log_normal_drawn", "LogNormalBackward0")
_geometric = _overwriting("geometric_drawn", "GeometricBackward0")
_random_between = _overwriting("random_between_drawn", "RandomBackward0")
_random_below = _overwriting("random_below_drawn", "RandomBackward1")
_random = _overwriting("random_drawn", "RandomBackward2")


@primitive(
    without_rule=("drawn",),
    node="BernoulliBackward1",
    self=lambda g: no_share(g),
    p=lambda g, p_sym_sizes: no_share(g, p_sym_sizes),
    form="stacked",
)
def bernoulli_by(self: Array, p: Array, drawn: Array) -> Array:
    """Ones with the probabilities that another tensor holds, else zeros, in the place of other values."""
    del p
    return converted(drawn, re(self).dtype)


def _numbers(a: Array) -> int:
    """The number of real numbers that an array holds."""
    if type(a) is Meta:
        return 0
    return int(a.size) * (2 if a.dtype.kind == "c" else 1)


def _written(op: Any, input: Tensor, flat: Array) -> Value:
    """Write numbers that were drawn in the order of memory into a tensor."""
    a = input._a
    if type(a) is Meta:
        return input
    if a.dtype.kind == "c":
        flat = flat.view(a.dtype)
    flat = rounded(flat, a.dtype) if a.dtype.kind == "f" else converted(flat, a.dtype)
    return write_with(op, input, (laid_out(flat, a),), {})


@public("Tensor")
@composite
def uniform_(input: Tensor, *args: Any, generator: Any = None, **given: Any) -> Value:
    """Overwrite with uniform numbers from one bound up to another, 0 and 1 unless given."""
    source = source_of("uniform_", generator)
    low, high = _two("uniform_", args, given, ("from", "to"), (0.0, 1.0))
    d = part_of(input._a.dtype)
    floating(d, "check_uniform_bounds")
    most = limits_of(d).max
    for name, x in (("from", low), ("to", high)):
        if not -most <= x <= most:
            fail(f"{name} is out of bounds for {KINDS[d.name]}")
    if low > high:
        fail(f"uniform_ expects to return a [from, to) range, but found from={shown(low)} > to={shown(high)}")
    if not high - low <= most:
        fail(
            f"uniform_ expects to-from <= std::numeric_limits<{DTYPES[d].tensor_name}>::max(), but found "
            f"to={shown(high)} and from={shown(low)} which result in to-from to exceed the limit"
        )
    return _written(_uniform, input, source.uniform(_numbers(input._a), d, low, high))


def _two(
    name: str, args: tuple[Any, ...], given: dict[str, Any], names: tuple[str, str], defaults: tuple[float, float]
) -> tuple[float, float]:
    """Two numbers, by place or by name."""
    bound = dict(zip(names, defaults, strict=True)) | dict(zip(names, args, strict=False)) | given
    if len(args) > 2 or bound.keys() != set(names):
        raise invalid(name, args, given)
    return builtins.float(bound[names[0]]), builtins.float(bound[names[1]])


@public("Tensor")
@composite
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with normal numbers."""
    source = source_of("normal_", generator)
    mean, std = builtins.float(mean), deviation(std)
    a = input._a
    d = part_of(a.dtype)
    floating(d, "normal_kernel_cpu")
    if a.dtype.kind != "c":
        return _written(_normal, input, source.normal(a.size, d, mean, std, a.flags.c_contiguous))
    # Each part has half of the variance, and the real one the mean.
    drawn = source.normal(_numbers(a), d, 0.0, std / math.sqrt(2), a.flags.c_contiguous)
    drawn[::2] += d.type(mean)
    return _written(_normal, input, drawn)


@public("Tensor")
@composite
def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Value:
    """Overwrite with ones of a probability, or of those that a tensor holds; else zeros."""
    source = source_of("bernoulli_", generator)
    a = input._a
    if not isinstance(p, Tensor):
        return _written(_bernoulli, input, source.bernoulli(a.size, probability(p), a.dtype))
    q = re(p._a)
    lead = a.ndim - q.ndim
    for i, n in enumerate(q.shape):
        if lead < 0 or n not in (1, a.shape[lead + i]):
            fail(
                f"The expanded size of the tensor ({a.shape[lead + i]}) must match the existing size ({n}) at "
                f"non-singleton dimension {lead + i}.  Target sizes: {list(a.shape)}.  Tensor sizes: {list(q.shape)}"
            )
    floating(q.dtype, "bernoulli_tensor_cpu_p_")
    check_probabilities(q)
    # The probabilities in the order in which memory is filled.
    flat = zeros_of(a.size, q.dtype)
    flat[laid_out(np.arange(a.size), a).ravel()] = np.broadcast_to(q, a.shape).ravel()
    return write_with(bernoulli_by, input, (p, laid_out(drawn_by(source, flat, a.dtype), a)), {})


@public("Tensor")
@composite
def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with exponential numbers of a rate."""
    source = source_of("exponential_", generator)
    rate = builtins.float(lambd)
    if not rate > 0:
        fail(f"exponential_ expects lambda > 0.0, but found lambda={shown(rate)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {DTYPES[d].tensor_name}"
        )
    return _written(_exponential, input, source.exponential(input._a.size, rate))


@public("Tensor")
@composite
def cauchy_(input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with Cauchy numbers."""
    source = source_of("cauchy_", generator)
    median, sigma = builtins.float(median), builtins.float(sigma)
    if not sigma > 0:
        fail(f"cauchy_ expects sigma > 0.0, but found sigma={shown(sigma)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {KINDS[d.name]}"
        )
    turns = exactly(math.tan, math.pi * (source.unit(input._a.size) - 0.5))
    return _written(_cauchy, input, fused(turns, sigma, median))


@public("Tensor")
@composite
def log_normal_(input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Value:
    """Overwrite with numbers whose logarithms are normal."""
    source = source_of("log_normal_", generator)
    mean, std = builtins.float(mean), builtins.float(std)
    if not std > 0:
        fail(f"log_normal_ expects std > 0.0, but found std={shown(std)}")
    floating(input._a.dtype, "log_normal_cpu")
    z = source.normal(input._a.size, F64, mean, std, contiguous=False)
    return _written(_log_normal, input, exactly(math.exp, z))


@public("Tensor")
@composite
def geometric_(input: Tensor, p: float, *, generator: Any = None) -> Value:
    """Overwrite with how often to try until the first success of a probability."""
    source = source_of("geometric_", generator)
    p = builtins.float(p)
    if not 0 < p < 1:
        fail(f"geometric_ expects p to be in (0, 1), but got p={shown(p)}")
    refuse_bool("geometric_cpu", input._a)
    tries = np.ceil(exactly(math.log, source.unit(input._a.size)) / math.log1p(-p))
    return _written(_geometric, input, tries)


@public("Tensor")
@composite
def random_(input: Tensor, *args: Any, generator: Any = None, **given: Any) -> Value:
    """Overwrite with whole numbers: between bounds, or all that the dtype can tell apart."""
    source = source_of("random_", generator)
    one = not given if len(args) == 1 else not args and "from" not in given
    names = ("to",) if one else ("from", "to")
    bound = dict(zip(names, args, strict=False)) | given
    if len(args) > 2 or not bound.keys() <= set(names):
        raise invalid("random_", args, given)
    n, d = input._a.size, input._a.dtype
    if not bound:
        return _written(_random, input, _any_whole(source, n, d))
    low, high = number(bound.get("from", 0)), bound.get("to")
    if high is None:
        return _written(_random_between, input, source.integers(n, *_open_span(low, d)))
    low, high = bounds("random_", low, high, args)
    low, high = span(low, high, d)
    return _written(_random_below if one else _random_between, input, source.integers(n, low, high - low))


def _any_whole(source: Generator, n: int, d: Any) -> Array:
    """Whole numbers from 0 on, all that a dtype can tell apart."""
    if d in (F64, I64):
        drawn = source.random64(n)
        drawn %= np.uint64(2**63 if d == I64 else 2**53 + 1)
        return drawn.view(I64)
    most = 1 if d == B8 else 2 ** (limits_of(d).nmant + 1) if d.kind == "f" else builtins.int(np.iinfo(d).max)
    return (source.random32(n) % np.uint32(most + 1)).astype(I64)


def _open_span(low: int, d: Any) -> tuple[int, int]:
    """The first of the numbers from ``low`` to the greatest of a dtype, and how many they are."""
    if low == -(2**63):
        if d not in (I64, F64, F32):
            fail("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
        return 0, 2**64
    if d.kind == "f":
        most = 2 ** (limits_of(d).nmant + 1)
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

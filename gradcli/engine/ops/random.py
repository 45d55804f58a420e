"""Random tensors, and writing random numbers into tensors."""

from __future__ import annotations

import builtins
import math
import warnings
from typing import Any

import numpy as np

from ...errors import EngineTypeError, EngineValueError, Unsupported
from .. import generator as generators
from ..boxmuller import exactly, fused
from ..dtypes import B8, DTYPES, F32, F64, I64
from ..generator import Generator
from ..inplace import write_with
from ..layout import laid_out
from ..registry import broadcast_problem, composite, fail, primitive, public
from ..tensor import Array, Tensor, Value, made
from . import order
from .common import re
from .create import _int, invalid, like, number, options, size_of

# -- the source ---------------------------------------------------------------------------------


@public("torch")
def manual_seed(seed: Any) -> Generator:
    """Begin the random numbers anew from a seed."""
    return generators.default.manual_seed(builtins.int(seed))


@public("torch")
def seed() -> int:
    """Begin the random numbers anew from a seed that nobody chose, and tell it."""
    return generators.default.seed()


@public("torch")
def initial_seed() -> int:
    """The seed that the random numbers began from."""
    return generators.default.initial_seed()


@public("torch")
def get_rng_state() -> Tensor:
    """The state of the random numbers as a tensor of bytes."""
    return generators.default.get_state()


@public("torch")
def set_rng_state(new_state: Tensor) -> None:
    """Go on with the random numbers from a state that get_rng_state gave."""
    generators.default.set_state(new_state)


public("torch")(Generator)
public("torch.default_generator")(generators.default)


def _source(name: str, given: Any) -> Generator:
    """The generator that a call names, or the default one."""
    if given is None:
        return generators.default
    if not isinstance(given, Generator):
        raise EngineTypeError(
            f"{name}(): argument 'generator' must be torch.Generator, not {type(given).__name__}"
        )
    return given


def _taken(name: str, given: dict[str, Any]) -> Generator:
    return _source(name, given.pop("generator", None))


def _floating(d: Any, kernel: str) -> None:
    """Refuse a dtype that has no such numbers."""
    if d.kind != "f":
        raise Unsupported(f"\"{kernel}\" not implemented for '{DTYPES[d].tensor_name}'")


def _plain(a: Array) -> Array:
    return a if a.ndim else a[()]


# -- new tensors --------------------------------------------------------------------------------


@public("torch")
@composite
def rand(*size: Any, **given: Any) -> Tensor:
    """Uniform numbers from 0 up to 1."""
    source = _taken("rand", given)
    n = size_of("rand", size, given)
    d, grad = options("rand", size, given)
    _floating(d, "check_uniform_bounds")
    return made(_plain(source.uniform(math.prod(n), d).reshape(n)), grad)


@public("torch")
@composite
def randn(*size: Any, **given: Any) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1."""
    source = _taken("randn", given)
    n = size_of("randn", size, given)
    d, grad = options("randn", size, given)
    _floating(d, "normal_kernel_cpu")
    return made(_plain(source.normal(math.prod(n), d).reshape(n)), grad)


@public("torch")
@composite
def randint(*args: Any, **given: Any) -> Tensor:
    """Whole numbers from low (0 unless given) up to, not including, high."""
    source = _taken("randint", given)
    names = ("low", "high", "size") if len(args) == 3 or "low" in given else ("high", "size")
    bound = dict(zip(names, args, strict=False))
    bound.update((k, given.pop(k)) for k in names if k in given)
    if len(args) > 3 or len(bound) != len(names):
        raise invalid("randint", args, given)
    low, high = _bounds("randint", bound.get("low", 0), bound["high"])
    if not isinstance(bound["size"], (tuple, list)):
        raise EngineTypeError(
            f"randint(): argument 'size' (position {len(names)}) must be tuple of ints, "
            f"not {type(bound['size']).__name__}"
        )
    n = size_of("randint", (bound["size"],))
    d, grad = options("randint", args, given, I64)
    low, high = _span(low, high, d)
    drawn = source.integers(math.prod(n), low, high - low).astype(d)
    return made(_plain(drawn.reshape(n)), grad)


def _bounds(name: str, low: Any, high: Any) -> tuple[int, int]:
    found = []
    for x in (low, high):
        x = number(x)
        if not isinstance(x, int):
            raise invalid(name, (low, high), {})
        if not -(2**63) <= x < 2**63:
            raise EngineValueError("Overflow when unpacking long long")
        found.append(builtins.int(x))
    return found[0], found[1]


_KINDS = {"uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long int",
          "float32": "float", "float64": "double", "float16": "c10::Half", "bool": "bool"}  # fmt: skip


def _span(low: int, high: int, d: Any) -> tuple[int, int]:
    """The bounds of whole numbers, if they have a place in the dtype."""
    if low >= high:
        fail(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if d.kind == "f":
        low, high = _rounded_up(low, d), _rounded_down(high, d)
        if low >= high:
            fail(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                f"from={low} >= to={high}"
            )
    _check_limits((("from", low), ("to - 1", high - 1)), d)
    return low, high


def _check_limits(limits: tuple[tuple[str, int], ...], d: Any) -> None:
    if d.kind == "b":
        least, most = 0, 1
    elif d.kind == "f":
        most = builtins.int(np.finfo(d).max)
        least = -most
    else:
        least, most = np.iinfo(d).min, np.iinfo(d).max
    for name, x in limits:
        if not least <= x <= most:
            fail(f"{name} is out of bounds for {_KINDS[d.name]}")
    if d.kind == "f":
        bits = np.finfo(d).nmant + 1
        for name, x in limits:
            if not -(2**bits) <= x <= 2**bits:
                warnings.warn(
                    f"{name} is out of bounds [-(2^{bits}), 2^{bits}]. Due to precision limitations "
                    f"{_KINDS[d.name]} can support discrete uniform distribution only within this range. This "
                    "warning will become an error in version 1.7 release, please fix the code in advance",
                    UserWarning,
                    stacklevel=4,
                )


def _rounded_up(low: int, d: Any) -> int:
    """``low``, or the next number that the dtype has above it."""
    after = builtins.int(d.type(low + 1))
    if after < low:
        low = after + (1 << (abs(low + 1).bit_length() - np.finfo(d).nmant - 1))
    return low


def _rounded_down(high: int, d: Any) -> int:
    """``high``, or the next number that the dtype has below it."""
    before = builtins.int(d.type(high - 1))
    if before >= high:
        high = before - (1 << (abs(high - 1).bit_length() - np.finfo(d).nmant - 1))
    return high


@public("torch")
@composite
def randperm(n: int, **given: Any) -> Tensor:
    """The numbers below n, shuffled."""
    source = _taken("randperm", given)
    n = _int("randperm", "n", 1, n)
    d, grad = options("randperm", (n,), given, I64)
    if n < 0:
        fail(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if d == B8:
        raise Unsupported("\"randperm\" not implemented for 'Bool'")
    if d.kind == "f" and n > 2 ** (np.finfo(d).nmant + 1) + 1:
        fail(f"n cannot be greater than {2 ** (np.finfo(d).nmant + 1) + 1} for {DTYPES[d].tensor_name} type.")
    if d.kind in "iu" and n > np.iinfo(d).max:
        fail(f"value cannot be converted to type {d.name}_t without overflow")
    return made(source.permutation(n).astype(d), grad)


@public("torch")
@composite
def rand_like(input: Value, **given: Any) -> Value:
    """Uniform numbers from 0 up to 1 in a tensor's shape and dtype."""
    source = _taken("rand_like", given)
    a, grad = like("rand_like", input, given)
    _floating(a.dtype, "check_uniform_bounds")
    a[...] = source.fill_uniform(a)
    return made(_plain(a), grad)


@public("torch")
@composite
def randn_like(input: Value, **given: Any) -> Value:
    """Normal numbers of mean 0 and standard deviation 1 in a tensor's shape and dtype."""
    source = _taken("randn_like", given)
    a, grad = like("randn_like", input, given)
    _floating(a.dtype, "normal_kernel_cpu")
    a[...] = source.fill_normal(a)
    return made(_plain(a), grad)


@public("torch")
@composite
def randint_like(input: Value, *args: Any, **given: Any) -> Value:
    """Whole numbers from low (0 unless given) up to, not including, high, in a tensor's shape and dtype."""
    source = _taken("randint_like", given)
    names = ("low", "high") if len(args) == 2 or "low" in given else ("high",)
    bound = dict(zip(names, args, strict=False))
    bound.update((k, given.pop(k)) for k in names if k in given)
    if len(args) > 2 or len(bound) != len(names):
        raise invalid("randint_like", (input, *args), given)
    low, high = _bounds("randint_like", bound.get("low", 0), bound["high"])
    a, grad = like("randint_like", input, given)
    low, high = _span(low, high, a.dtype)
    a[...] = laid_out(source.integers(a.size, low, high - low), a)
    return made(_plain(a), grad)


# -- numbers drawn by tensors ---------------------------------------------------------------------


def _zeros(g: Value) -> Value:
    return g * 0


@primitive(node="BernoulliBackward0", self=lambda g: _zeros(g))
def bernoulli_by_self(self: Array, generator: Any = None) -> Array:
    """Ones with the probabilities that a tensor holds, else zeros."""
    p = re(self)
    d = p.dtype
    if d.kind != "f":
        raise Unsupported(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{DTYPES[d].tensor_name}'")
    _probabilities(p)
    flat = p.ravel() if p.ndim else np.asarray(p).reshape(1)
    drawn = generator.bernoulli(p.size, flat if d == F64 else flat.astype(F32), d).reshape(p.shape)
    return _plain(drawn)


def _probabilities(p: Array) -> None:
    if p.size and not (np.all(p >= 0) and np.all(p <= 1)):
        fail(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)"
        )


@public("torch Tensor")
@composite
def bernoulli(input: Value, p: Any = None, *, generator: Any = None) -> Value:
    """Ones with the probabilities that a tensor holds, or all with one; else zeros."""
    source = _source("bernoulli", generator)
    if p is None:
        return bernoulli_by_self(input, source)
    a, _ = like("bernoulli", input, {})
    p = _probability(p)
    a[...] = source.fill_bernoulli(a, p)
    return made(_plain(a))


def _probability(p: Any) -> float:
    p = builtins.float(p)
    if not 0 <= p <= 1:
        fail(f"bernoulli_ expects p to be in [0, 1], but got p={_shown(p)}")
    return p


def _shown(x: float) -> str:
    return f"{x:g}"


def _std(std: Any) -> float:
    std = builtins.float(std)
    if not std >= 0:
        fail(f"normal expects std >= 0.0, but found std {_shown(std)}")
    return std


def _shares(g: Value, sizes: tuple[int, ...]) -> Value:
    return made(_plain(np.zeros(sizes, g._a.dtype))) if isinstance(g, Tensor) else _plain(np.zeros(sizes, g.dtype))


@primitive(node="NormalBackward1", mean=lambda g, mean_sym_sizes: _shares(g, mean_sym_sizes))
def normal_by_mean(mean: Array, std: Any, generator: Any) -> Array:
    """Normal numbers about the means that a tensor holds."""
    mean = re(mean)
    _floating(mean.dtype, "normal_kernel_cpu")
    return _plain(generator.normal(mean.size, mean.dtype, 0.0, std).reshape(mean.shape)) + mean


@primitive(node="NormalBackward2", std=lambda g, std_sym_sizes: _shares(g, std_sym_sizes))
def normal_by_std(std: Array, mean: Any, generator: Any) -> Array:
    """Normal numbers with the standard deviations that a tensor holds."""
    std = re(std)
    _floating(std.dtype, "normal_kernel_cpu")
    return _plain(generator.normal(std.size, std.dtype).reshape(std.shape)) * std + std.dtype.type(mean)


@primitive(
    node="NormalBackward3",
    mean=lambda g, mean_sym_sizes: _shares(g, mean_sym_sizes),
    std=lambda g, std_sym_sizes: _shares(g, std_sym_sizes),
)
def normal_by_both(mean: Array, std: Array, generator: Any) -> Array:
    """Normal numbers with the means and standard deviations that tensors hold."""
    mean, std = re(mean), re(std)
    d = mean.dtype
    _floating(d, "normal_kernel_cpu")
    n = np.broadcast_shapes(mean.shape, std.shape)
    z = generator.normal(math.prod(n), d).reshape(n)
    z = (z * std).astype(d, copy=False) + mean
    return _plain(np.asarray(z, d))


@public("torch")
@composite
def normal(mean: Any = None, std: Any = None, size: Any = None, *, generator: Any = None, **given: Any) -> Value:
    """Normal numbers of a mean and a standard deviation, each a number or a tensor."""
    source = _source("normal", generator)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if size is not None or mean is None:
            raise invalid("normal", (mean, std, size), given)
        if given.pop("out", None) is not None:
            raise Unsupported("normal(): out= is not supported")
        if not isinstance(std, Tensor):
            return normal_by_mean(mean, _std(1.0 if std is None else std), source)
        a = re(std._a)
        if a.size and not a.min() >= 0:
            fail("normal expects all elements of std >= 0.0")
        if not isinstance(mean, Tensor):
            return normal_by_std(std, builtins.float(mean), source)
        problem = broadcast_problem(mean._a.shape, a.shape)
        if problem is not None:
            raise problem
        return normal_by_both(mean, std, source)
    if not isinstance(size, (tuple, list)) or mean is None or std is None:
        raise invalid("normal", [x for x in (mean, std, size) if x is not None], given)
    n = size_of("normal", (size,))
    d, grad = options("normal", (mean, std, size), given)
    _floating(d, "normal_kernel_cpu")
    return made(_plain(source.normal(math.prod(n), d, builtins.float(mean), _std(std)).reshape(n)), grad)


@public("torch Tensor")
@composite
def multinomial(input: Value, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Value:
    """Indices of categories, drawn with the weights that each row of a tensor holds."""
    source = _source("multinomial", generator)
    a = np.asarray(re(input._a))
    if a.dtype.kind != "f":
        fail(f"multinomial only supports floating-point dtypes for input, got: {DTYPES[a.dtype].tensor_name}")
    if not 1 <= a.ndim <= 2:
        fail("prob_dist must be 1 or 2 dim")
    n = _int("multinomial", "num_samples", 2, num_samples)
    if n <= 0:
        fail("cannot sample n_sample <= 0 samples")
    if not replacement and n > a.shape[-1]:
        fail("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if replacement and n > 1:
        return made(_with_replacement(a, n, source))
    if a.size and not (np.isfinite(a.max()) and a.min() >= 0):
        fail("probability tensor contains either `inf`, `nan` or element < 0")
    if not (a.sum(-1) > 0).all():
        fail("invalid multinomial distribution (sum of probabilities <= 0)")
    # The first of many clocks to ring, each running as fast as its weight says.
    with np.errstate(all="ignore"):
        rates = a / _exponential(source, a.size, 1.0).astype(a.dtype).reshape(a.shape)
    if n == 1:
        return made(rates.argmax(-1, keepdims=True))
    return order.topk(made(rates), n)[1]  # type: ignore[no-any-return]


def _with_replacement(a: Array, n: int, source: Generator) -> Array:
    rows = a.reshape(-1, a.shape[-1])
    sums = rows.astype(F32 if a.dtype.itemsize < 4 else a.dtype).cumsum(-1)
    if (rows < 0).any() or np.isnan(rows).any():
        fail("invalid multinomial distribution (encountering probability entry < 0)")
    if not np.isfinite(rows).all():
        fail("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
    if not (sums[:, -1:] > 0).all():
        fail("invalid multinomial distribution (sum of probabilities <= 0)")
    sums /= sums[:, -1:].copy()
    sums[:, -1] = 1
    u = source.unit(len(rows) * n).reshape(len(rows), n)
    drawn = np.empty(u.shape, I64)
    for row, steps, at in zip(drawn, sums, u, strict=True):
        row[...] = np.searchsorted(steps.astype(F64), at)
    return drawn.reshape(*a.shape[:-1], n)


# -- writing into a tensor ------------------------------------------------------------------------


@primitive(self=lambda g: _zeros(g), node="UniformBackward0")
def uniform_values(self: Array, low: Any, high: Any, generator: Any) -> Array:
    """Uniform numbers in the place of others."""
    return generator.fill_uniform(self, low, high)


@public("Tensor")
@composite
def uniform_(input: Value, *args: Any, generator: Any = None, **given: Any) -> Value:
    """Overwrite with uniform numbers from one bound up to another, 0 and 1 unless given."""
    low, high = _two("uniform_", args, given, ("from", "to"), (0.0, 1.0))
    d = input._a.dtype
    _floating(d, "check_uniform_bounds")
    most = np.finfo(d).max
    for name, x in (("from", low), ("to", high)):
        if not -most <= x <= most:
            fail(f"{name} is out of bounds for {_KINDS[d.name]}")
    if low > high:
        fail(
            f"uniform_ expects to return a [from, to) range, but found from={_shown(low)} > to={_shown(high)}"
        )
    if not high - low <= most:
        fail(
            f"uniform_ expects to-from <= std::numeric_limits<{DTYPES[d].tensor_name}>::max(), but found "
            f"to={_shown(high)} and from={_shown(low)} which result in to-from to exceed the limit"
        )
    return write_with(uniform_values, input, (low, high, _source("uniform_", generator)), {})


def _two(
    name: str, args: tuple[Any, ...], given: dict[str, Any], names: tuple[str, str], defaults: tuple[float, float]
) -> tuple[float, float]:
    """Two numbers, by place or by name."""
    bound = dict(zip(names, defaults, strict=True)) | dict(zip(names, args, strict=False)) | given
    if len(args) > 2 or bound.keys() != set(names):
        raise invalid(name, args, given)
    return builtins.float(bound[names[0]]), builtins.float(bound[names[1]])


@primitive(self=lambda g: _zeros(g), node="NormalBackward0")
def normal_values(self: Array, mean: Any, std: Any, generator: Any) -> Array:
    """Normal numbers in the place of others."""
    return generator.fill_normal(self, mean, std)


@public("Tensor")
@composite
def normal_(input: Value, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with normal numbers."""
    mean, std = builtins.float(mean), _std(std)
    _floating(input._a.dtype, "normal_kernel_cpu")
    return write_with(normal_values, input, (mean, std, _source("normal_", generator)), {})


@primitive(self=lambda g: _zeros(g), node="BernoulliBackward2")
def bernoulli_values(self: Array, p: Any, generator: Any) -> Array:
    """Ones with one probability, else zeros, in the place of others."""
    return generator.fill_bernoulli(self, p)


@primitive(
    node="BernoulliBackward1",
    self=lambda g: _zeros(g),
    p=lambda g, p_sym_sizes: _shares(g, p_sym_sizes),
)
def bernoulli_values_by(self: Array, p: Array, generator: Any) -> Array:
    """Ones with the probabilities that a tensor holds, else zeros, in the place of others."""
    p = re(p)
    _floating(p.dtype, "bernoulli_tensor_cpu_p_")
    _probabilities(p)
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
    source = _source("bernoulli_", generator)
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
    return write_with(bernoulli_values, input, (_probability(p), source), {})


def _draws(name: str, node: str, draw: Any) -> Any:
    """An op that puts draws, each of 53 bits, in the place of a tensor's values."""

    def values(self: Array, one: Any, two: Any, generator: Any) -> Array:
        with np.errstate(all="ignore"):
            return laid_out(draw(generator, self.size, one, two).astype(self.dtype), self)

    values.__name__ = values.__qualname__ = name
    values.__doc__ = f"{draw.__doc__[:-1]} in the place of others."
    return primitive(self=lambda g: _zeros(g), node=node)(values)


def _exponential(source: Generator, n: int, rate: float, _: Any = None) -> Array:
    """Exponential numbers."""
    return -1.0 / rate * exactly(math.log1p, -source.unit(n))


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
        fail(f"exponential_ expects lambda > 0.0, but found lambda={_shown(rate)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {DTYPES[d].tensor_name}"
        )
    return write_with(exponential_values, input, (rate, None, _source("exponential_", generator)), {})


@public("Tensor")
@composite
def cauchy_(input: Value, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Value:
    """Overwrite with Cauchy numbers."""
    median, sigma = builtins.float(median), builtins.float(sigma)
    if not sigma > 0:
        fail(f"cauchy_ expects sigma > 0.0, but found sigma={_shown(sigma)}")
    d = input._a.dtype
    if d.kind != "f":
        fail(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {_KINDS[d.name]}"
        )
    return write_with(cauchy_values, input, (median, sigma, _source("cauchy_", generator)), {})


@public("Tensor")
@composite
def log_normal_(input: Value, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Value:
    """Overwrite with numbers whose logarithms are normal."""
    mean, std = builtins.float(mean), builtins.float(std)
    if not std > 0:
        fail(f"log_normal_ expects std > 0.0, but found std={_shown(std)}")
    _floating(input._a.dtype, "log_normal_cpu")
    return write_with(log_normal_values, input, (mean, std, _source("log_normal_", generator)), {})


@public("Tensor")
@composite
def geometric_(input: Value, p: float, *, generator: Any = None) -> Value:
    """Overwrite with how often to try until the first success of a probability."""
    p = builtins.float(p)
    if not 0 < p < 1:
        fail(f"geometric_ expects p to be in (0, 1), but got p={_shown(p)}")
    return write_with(geometric_values, input, (p, None, _source("geometric_", generator)), {})


@primitive(self=lambda g: _zeros(g), node="RandomBackward0")
def random_from_to(self: Array, low: Any, count: Any, generator: Any) -> Array:
    """Whole numbers in the place of others."""
    return _whole(self, low, count, generator)


@primitive(self=lambda g: _zeros(g), node="RandomBackward1")
def random_to(self: Array, low: Any, count: Any, generator: Any) -> Array:
    """Whole numbers from 0 on in the place of others."""
    return _whole(self, low, count, generator)


@primitive(self=lambda g: _zeros(g), node="RandomBackward2")
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
    source = _source("random_", generator)
    names = ("to",) if len(args) == 1 and not given or "from" not in given and not args else ("from", "to")
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
    low, high = _bounds("random_", low, high)
    low, high = _span(low, high, d)
    return write_with(random_to if names == ("to",) else random_from_to, input, (low, high - low, source), {})


def _open_span(low: int, d: Any) -> tuple[int, int]:
    """The first of the numbers from ``low`` to the greatest of a dtype, and how many they are."""
    if low == -(2**63):
        if d not in (I64, F64, F32):
            fail("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
        return 0, 2**64
    if d.kind == "f":
        most = 2 ** (np.finfo(d).nmant + 1)
        low = _rounded_up(low, d)
        if low >= most:
            fail(
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
                f"from={low} > to_inc={most}"
            )
    else:
        most = 1 if d == B8 else builtins.int(np.iinfo(d).max)
    _check_limits((("from", low), ("to - 1", most)), d)
    return low, most - low + 1

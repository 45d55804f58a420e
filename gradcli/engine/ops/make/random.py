"""Random tensors, and random numbers whose distributions tensors hold."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError, Unsupported
from ... import ops
from ...call_errors import broadcast_problem, fail, only_bools, plain_number, refuse_complex
from ...costs import costs
from ...declaration import given_for_out
from ...dtypes import B8, DTYPES, F32, F64, I64, limits_of, part_of, zeros_of
from ...memory.layout import laid_out, unwrapped
from ...modes import refuse_same_draws, unfollowed
from ...numeric.halves import converted
from ...numeric.meta import Meta, OnMeta
from ...random import generator as generators
from ...random.generator import Generator
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, made, made_like
from ..common import re
from .filled import invalid, like, options, size_of, whole_number
from .integer_bounds import bounds, span

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


public("torch.Generator")(Generator)
public("torch.default_generator")(generators.default)


def source_of(name: str, given: Any) -> Generator:
    """The generator that a call names, or the default one."""
    if given is None:
        return generators.default
    if not isinstance(given, Generator):
        raise EngineTypeError(
            f"{name}(): argument 'generator' must be torch.Generator, not {type(given).__name__}"
        )
    return given


def _taken(name: str, given: dict[str, Any]) -> Generator:
    return source_of(name, given.pop("generator", None))


def floating(d: Any, kernel: str) -> None:
    """Refuse a dtype that has no such numbers."""
    if d.kind != "f":
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[d].tensor_name}'")


def _bound(name: str, args: Any, given: dict[str, Any], names: tuple[str, ...], *before: Any) -> dict[str, Any]:
    """The arguments of these names, taken out of those given: the first of them, the lower bound, may be missing."""
    for signature in (names, names[1:]):
        named = [n for n in signature[len(args) :] if n in given]
        if len(args) + len(named) == len(signature) and given.keys().isdisjoint({*names} - {*named}):
            return {**dict(zip(signature, args, strict=False)), **{n: given.pop(n) for n in named}}
    raise invalid(name, (*before, *args), given)


# -- new tensors --------------------------------------------------------------------------------


@public("torch")
@costs("making.drawn")
@composite
def rand(*size: Any, **given: Any) -> Tensor:
    """Uniform numbers from 0 up to 1."""
    source = _taken("rand", given)
    n = size_of("rand", size, given)
    d, grad = options("rand", size, given)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    if d.kind == "c":
        return made(unwrapped(_pairs(source.uniform, n, d)), grad)
    floating(d, "check_uniform_bounds")
    return made(unwrapped(source.uniform(math.prod(n), d).reshape(n)), grad)


@public("torch")
@costs("making.drawn")
@composite
def randn(*size: Any, **given: Any) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1."""
    source = _taken("randn", given)
    n = size_of("randn", size, given)
    d, grad = options("randn", size, given)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    if d.kind == "c":
        # Each part has half of the variance.
        return made(unwrapped(_pairs(source.normal, n, d, math.sqrt(2))), grad)
    floating(d, "normal_kernel_cpu")
    return made(unwrapped(source.normal(math.prod(n), d).reshape(n)), grad)


def _pairs(draw: Any, size: tuple[int, ...], d: Any, parts: float = 1) -> Array:
    """Complex numbers, whose parts are drawn one after the other."""
    part = part_of(d)
    drawn: Array = draw(2 * math.prod(size), part)
    if parts != 1:
        drawn = drawn * part.type(1 / parts)
    return drawn.view(d).reshape(size)


@public("torch")
@costs("making.randint")
@composite
def randint(*args: Any, **given: Any) -> Tensor:
    """Whole numbers from low (0 unless given) up to, not including, high."""
    source = _taken("randint", given)
    bound = _bound("randint", args, given, ("low", "high", "size"))
    low, high = bounds("randint", bound.get("low", 0), bound["high"], args)
    if not isinstance(bound["size"], (tuple, list)):
        place = f" (position {len(args)})" if len(args) == len(bound) else ""
        raise EngineTypeError(
            f"randint(): argument 'size'{place} must be tuple of ints, not {type(bound['size']).__name__}"
        )
    n = size_of("randint", (bound["size"],))
    d, grad = options("randint", args, given, I64)
    low, high = span(low, high, d)
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    drawn = converted(source.integers(math.prod(n), low, high - low), d)
    return made(unwrapped(drawn.reshape(n)), grad)


@public("torch")
@costs("making.randperm")
@composite
def randperm(n: int, **given: Any) -> Tensor:
    """The numbers below n, shuffled."""
    source = _taken("randperm", given)
    n = whole_number("randperm", "n", 1, n)
    d, grad = options("randperm", (n,), given, I64)
    if n < 0:
        fail(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if d == B8:
        raise EngineNotImplementedError("\"randperm\" not implemented for 'Bool'")
    if d.kind == "f" and n > 2 ** (limits_of(d).nmant + 1) + 1:
        fail(f"n cannot be greater than {2 ** (limits_of(d).nmant + 1) + 1} for {DTYPES[d].tensor_name} type.")
    if d.kind in "iu" and n > np.iinfo(d).max:
        fail(f"value cannot be converted to type {d.name}_t without overflow")
    if type(grad) is OnMeta:
        return made(Meta((n,), d), grad)
    return made(converted(source.permutation(n), d), grad)


@public("torch")
@composite
def rand_like(input: Value, **given: Any) -> Value:
    """Uniform numbers from 0 up to 1 in a tensor's shape and dtype."""
    source = _taken("rand_like", given)
    a, grad = like("rand_like", input, given)
    if type(grad) is OnMeta:
        return made_like(input, a, grad)
    if a.dtype.kind == "c":
        return made_like(input, unwrapped(_pairs(source.uniform, a.shape, a.dtype)), grad)
    floating(a.dtype, "check_uniform_bounds")
    a[...] = source.fill_uniform(a)
    return made_like(input, unwrapped(a), grad)


@public("torch")
@composite
def randn_like(input: Value, **given: Any) -> Value:
    """Normal numbers of mean 0 and standard deviation 1 in a tensor's shape and dtype."""
    source = _taken("randn_like", given)
    a, grad = like("randn_like", input, given)
    if type(grad) is OnMeta:
        return made_like(input, a, grad)
    if a.dtype.kind == "c":
        return made_like(input, unwrapped(_pairs(source.normal, a.shape, a.dtype, math.sqrt(2))), grad)
    floating(a.dtype, "normal_kernel_cpu")
    a[...] = source.fill_normal(a)
    return made_like(input, unwrapped(a), grad)


@public("torch")
@composite
def randint_like(input: Value, *args: Any, **given: Any) -> Value:
    """Whole numbers from low (0 unless given) up to, not including, high, in a tensor's shape and dtype."""
    source = _taken("randint_like", given)
    bound = _bound("randint_like", args, given, ("low", "high"), input)
    low, high = bounds("randint_like", bound.get("low", 0), bound["high"], (input, *args))
    a, grad = like("randint_like", input, given)
    low, high = span(low, high, a.dtype)
    if type(grad) is OnMeta:
        return made_like(input, a, grad)
    a[...] = laid_out(source.integers(a.size, low, high - low), a)
    return made_like(input, unwrapped(a), grad)


# -- numbers drawn by tensors ---------------------------------------------------------------------

# Ops that PyTorch records take what was drawn for them as data, so that they can be computed again.


def no_share(g: Value, sizes: tuple[int, ...] | None = None) -> Value:
    """The gradient of what has none: zeros."""
    a = g._a if isinstance(g, Tensor) else g
    found = unwrapped(zeros_of(a.shape if sizes is None else sizes, a.dtype))
    return made(found) if isinstance(g, Tensor) else found


@primitive(without_rule=("drawn",), node="BernoulliBackward0", self=lambda g: no_share(g), form="stacked")
def bernoulli_by_self(self: Array, drawn: Array) -> Array:
    """Ones with the probabilities that a tensor holds, else zeros: as they were drawn."""
    return converted(drawn, re(self).dtype)


def check_probabilities(p: Array) -> None:
    """Refuse what is no probability."""
    if p.size and not (np.all(p >= 0) and np.all(p <= 1)):
        fail(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)"
        )


@public("torch Tensor")
@composite
def bernoulli(input: Value, p: Any = None, *, generator: Any = None) -> Value:
    """Ones with the probabilities that a tensor holds, or all with one; else zeros."""
    refuse_complex("bernoulli", input, p)
    refuse_same_draws(input)
    source = source_of("bernoulli", generator)
    a = np.asanyarray(re(input._a))
    if p is not None:
        return made(unwrapped(source.bernoulli(a.size, probability(p), a.dtype).reshape(a.shape)))
    floating(a.dtype, "bernoulli_tensor_cpu_p_")
    check_probabilities(a)
    return bernoulli_by_self(input, unwrapped(drawn_by(source, a.ravel(), a.dtype).reshape(a.shape)))


def drawn_by(source: Generator, p: Array, d: Any) -> Array:
    """Ones with probabilities of their own, else zeros."""
    return source.bernoulli(p.size, p if p.dtype == F64 else p.astype(F32), d)


def probability(p: Any) -> float:
    """A number that is a probability."""
    x = builtins.float(p)
    if not 0 <= x <= 1:
        fail(f"bernoulli_ expects p to be in [0, 1], but got p={shown(x)}")
    return x


def shown(x: float) -> str:
    """A number as C++ prints it."""
    return f"{x:g}"


def deviation(std: Any) -> float:
    """A number that is a standard deviation."""
    x = builtins.float(std)
    if not x >= 0:
        fail(f"normal expects std >= 0.0, but found std {shown(x)}")
    return x


@primitive(
    without_rule=("drawn",), node="NormalBackward1", mean=lambda g, mean_sym_sizes: no_share(g, mean_sym_sizes),
    form="stacked",
)
def normal_by_mean(mean: Array, drawn: Array) -> Array:
    """Normal numbers about the means that a tensor holds: as they were drawn."""
    return converted(drawn, re(mean).dtype)


@primitive(
    without_rule=("drawn",), node="NormalBackward2", std=lambda g, std_sym_sizes: no_share(g, std_sym_sizes),
    form="stacked",
)
def normal_by_std(std: Array, drawn: Array) -> Array:
    """Normal numbers with the standard deviations that a tensor holds: as they were drawn."""
    return converted(drawn, re(std).dtype)


@primitive(
    without_rule=("drawn",),
    node="NormalBackward3",
    mean=lambda g, mean_sym_sizes: no_share(g, mean_sym_sizes),
    std=lambda g, std_sym_sizes: no_share(g, std_sym_sizes),
    form="stacked",
)
def normal_by_both(mean: Array, std: Array, drawn: Array) -> Array:
    """Normal numbers with the means and standard deviations that tensors hold: as they were drawn."""
    del std
    return converted(drawn, re(mean).dtype)


@public("torch")
@costs("making.normal")
@composite
def normal(mean: Any = None, std: Any = None, size: Any = None, *, generator: Any = None, **given: Any) -> Value:
    """Normal numbers of a mean and a standard deviation, each a number or a tensor."""
    source = source_of("normal", generator)
    if size is not None:
        mean, std = plain_number(mean), plain_number(std)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if size is not None or mean is None:
            raise invalid("normal", (mean, std, size), given)
        if given.pop("out", None) is not None:
            raise Unsupported("normal(): out= is not supported")
        return _normal_by_tensors(source, mean, 1.0 if std is None else std)
    if not isinstance(size, (tuple, list)) or mean is None or std is None:
        raise invalid("normal", [x for x in (mean, std, size) if x is not None], given)
    n = size_of("normal", (size,))
    d, grad = options("normal", (mean, std, size), given)
    floating(d, "normal_kernel_cpu")
    if type(grad) is OnMeta:
        return made(Meta(n, d), grad)
    return made(unwrapped(source.normal(math.prod(n), d, builtins.float(mean), deviation(std)).reshape(n)), grad)


def _normal_by_tensors(source: Generator, mean: Any, std: Any) -> Value:
    refuse_complex("normal", mean, std)
    refuse_same_draws(mean, std)
    a, b = (np.asanyarray(re(x._a)) if isinstance(x, Tensor) else None for x in (mean, std))
    if b is not None and b.size and not b.min() >= 0:
        fail("normal expects all elements of std >= 0.0")
    if a is None:
        assert b is not None
        floating(b.dtype, "normal_kernel_cpu")
        z = source.normal(b.size, b.dtype).reshape(b.shape) * b
        return normal_by_std(std, unwrapped(z + b.dtype.type(builtins.float(mean))))
    if b is None:
        spread = deviation(std)
        floating(a.dtype, "normal_kernel_cpu")
        return normal_by_mean(mean, unwrapped(source.normal(a.size, a.dtype, 0.0, spread).reshape(a.shape) + a))
    problem = broadcast_problem(a.shape, b.shape)
    if problem is not None:
        raise problem
    floating(a.dtype, "normal_kernel_cpu")
    n = np.broadcast_shapes(a.shape, b.shape)
    z = converted(source.normal(math.prod(n), a.dtype).reshape(n) * b, a.dtype)
    return normal_by_both(mean, std, unwrapped(converted(z + a, a.dtype)))


@public("torch Tensor")
@given_for_out("multinomial expects Long tensor out, got: {given}")
@costs("picking.multinomial")
@composite
def multinomial(input: Value, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Value:
    """Indices of categories, drawn with the weights that each row of a tensor holds."""
    if type(replacement) is not bool:
        only_bools("multinomial", replacement=replacement)
    refuse_complex("multinomial", input)
    refuse_same_draws(input)
    source = source_of("multinomial", generator)
    a = np.asanyarray(re(input._a))
    if a.dtype.kind != "f":
        fail(f"multinomial only supports floating-point dtypes for input, got: {DTYPES[a.dtype].tensor_name}")
    if not 1 <= a.ndim <= 2:
        fail("prob_dist must be 1 or 2 dim")
    n = whole_number("multinomial", "num_samples", 2, num_samples)
    if n <= 0:
        fail("cannot sample n_sample <= 0 samples")
    if not replacement and n > a.shape[-1]:
        fail("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if a.shape[-1] > 2**24:
        fail("number of categories cannot exceed 2^24")
    if replacement and n > 1:
        return unfollowed(made(_with_replacement(a, n, source)), input)
    if a.size and not (np.isfinite(a.max()) and a.min() >= 0):
        fail("probability tensor contains either `inf`, `nan` or element < 0")
    if not (a.sum(-1) > 0).all():
        fail("invalid multinomial distribution (sum of probabilities <= 0)")
    # The first of many clocks to ring, each running as fast as its weight says.
    with np.errstate(all="ignore"):
        rates = a / converted(source.exponential(a.size, 1.0), a.dtype).reshape(a.shape)
    if n == 1:
        return unfollowed(made(rates.argmax(-1, keepdims=True)), input)
    return unfollowed(ops.sorting.topk(made(rates), n)[1], input)


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
    drawn = np.zeros(u.shape, I64)
    for row, steps, at in zip(drawn, sums, u, strict=True):
        row[...] = np.searchsorted(steps.astype(F64), at)
    return drawn.reshape(*a.shape[:-1], n)

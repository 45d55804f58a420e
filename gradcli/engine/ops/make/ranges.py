"""New tensors in steps: arange, linspace, logspace, to the bit as PyTorch rounds them."""

from __future__ import annotations

import builtins
import math
import warnings
from itertools import repeat
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError, EngineValueError, Unsupported
from ... import dtypes
from ...call_errors import fail
from ...costs import ORDINARY, costs
from ...dtypes import B8, DTYPES, F32, F64, I64, full_of
from ...memory.layout import rounded
from ...modes import devices
from ...numeric.halves import converted, is_half
from ...random.normal import fused
from ...registry import composite, public
from ...tensor import Array, Tensor, made
from .filled import fitted, index_of, invalid, number, options, real


def _reals(name: str, numbers: tuple[Any, ...], args: tuple[Any, ...]) -> list[Any]:
    """Arguments that are to be real numbers."""
    found = [number(x) for x in numbers]
    if builtins.any(isinstance(x, complex) for x in found):
        raise Unsupported(f"{name}() of complex numbers is not supported")
    if not builtins.all(isinstance(x, (int, float)) for x in found):
        raise invalid(name, args, {})
    return found


@public("torch")
@costs("making.arange", careful=ORDINARY)
@composite
def arange(*args: Any, **given: Any) -> Tensor:
    """The numbers from start (0 unless given) up to end, in steps (of 1 unless given)."""
    names = ("end",) if len(args) == 1 and "end" not in given else ("start", "end", "step")
    bound: dict[str, Any] = dict(zip(names, args, strict=False))
    named: dict[str, Any] = {k: given.pop(k) for k in ("start", "end", "step") if k in given}
    one = names == ("end",)
    if len(args) > 3 or (one and named) or bound.keys() & named.keys() or not (args or named):
        raise invalid("arange", args, named | given)
    bound |= named
    if "end" not in bound:
        raise EngineTypeError('arange() missing 1 required positional arguments: "end"')
    if len(bound) == 1:
        bound["end"] = real("arange", "end", 1, bound["end"])
    if len(bound) == 1 and type(bound["end"]) is int and 0 <= bound["end"] < 2**31 and not (given or devices()):
        return made(np.arange(bound["end"]))
    start, end, step = _reals("arange", (bound.get("start", 0), bound["end"], bound.get("step", 1)), args)
    whole = not builtins.any(isinstance(x, float) for x in (start, end, step))
    d, grad = options("arange", tuple(bound.values()), given, I64 if whole else dtypes.default.float)
    if d.kind == "c":
        raise EngineNotImplementedError(f"\"arange_cpu\" not implemented for '{DTYPES[d].tensor_name}'")
    if d == B8:
        raise EngineNotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    _check_range(start, end, step)
    if d == I64:
        start, end, step = (builtins.int(fitted(x, I64)) for x in (start, end, step))
        if step == 0:
            raise EngineValueError("step must be nonzero")
        return made(np.arange(start, end, step), grad)
    n = math.ceil((float(end) - float(start)) / step)
    if d.kind != "f":
        start, step = builtins.int(start), builtins.int(step)
        with np.errstate(all="ignore"):
            return made((start + np.arange(n) * step).astype(d), grad)
    return made(_counted(F64.type(start), F64.type(step), n, d), grad)


@public("torch.range")
@costs("making.closed_range", careful=ORDINARY)
@composite
def closed_range(*args: Any, **given: Any) -> Tensor:
    """The numbers from start to end, both included, in steps (of 1 unless given)."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=2,
    )
    if len(args) == 1 and "end" not in given:
        raise EngineTypeError('range() missing 1 required positional arguments: "end"')
    start, end, step = _named("range", args, given, {"start": None, "end": None, "step": 1})
    start, end, step = _reals("range", (start, end, step), args)
    d, grad = options("range", args, given)
    if d.kind == "b":
        raise EngineNotImplementedError("\"range_cpu\" not implemented for 'Bool'")
    _check_range(start, end, step)
    n = int((float(end) - float(start)) / step) + 1
    if d.kind != "f":
        return made((builtins.int(start) + np.arange(n) * builtins.int(step)).astype(d), grad)
    return made((float(start) + np.arange(n) * float(step)).astype(d), grad)


def _counted(start: Any, step: Any, n: int, d: Any) -> Array:
    """Floating numbers in steps from the start, as PyTorch rounds them.

    Most of them come in vectors, whose first number is rounded before the others are counted from it.
    """
    if d.itemsize == 2:
        start, step = F64.type(F32.type(start)), F64.type(F32.type(step))
    lanes = 32 // d.itemsize
    i = np.arange(n)
    lane = np.where(i < n // (2 * lanes) * 2 * lanes, i % lanes, 0)
    with np.errstate(all="ignore"):
        wide = F32 if d.itemsize == 2 else d
        first = converted(fused((i - lane).astype(F64), step, start).astype(wide), d)
        return converted(fused(lane.astype(F64), step, first.astype(F64)).astype(wide), d)


def _check_range(start: Any, end: Any, step: Any) -> None:
    """Refuse steps that do not lead from start to end."""
    if not (math.isfinite(start) and math.isfinite(end)):
        fail(f"unsupported range: {start:g} -> {end:g}")
    if not (step > 0 or step < 0):
        fail("step must be nonzero")
    if (end - start) * step < 0:
        fail("upper bound and lower bound inconsistent with step sign")


@public("torch")
@costs("making.logspace")
@composite
def logspace(*args: Any, **given: Any) -> Tensor:
    """Powers of a base (10 unless given), their exponents evenly spaced from start to end: so many steps."""
    start, end, steps, base = _named(
        "logspace", args, given, {"start": None, "end": None, "steps": None, "base": 10.0}
    )
    if not isinstance(base, (int, float)):
        raise invalid("logspace", args, {"base": base})
    d, grad = options("logspace", args, given)
    start, end, n = _ends("logspace", start, end, steps, d, args)
    if n < 2:
        powers = _powers(float(base), np.full(n, float(start)))
        return made(rounded(powers, d) if is_half(d) else np.array([fitted(x, d) for x in powers.tolist()], d), grad)
    first, last = fitted(start, d), fitted(end, d)
    wide = F32 if d.itemsize == 2 and d.kind == "f" else F64
    if d.kind == "c":
        first, last = first.real, last.real
    span = last - first if d.kind in "fc" else float(last) - float(first)
    i: Array = np.arange(n)
    a, b, back = wide.type(first), wide.type(last), (n - 1 - i).astype(wide)
    with np.errstate(all="ignore"):
        step = wide.type(span) / wide.type(max(n - 1, 1))
        exponents: Array = np.where(i < n // 2, a + step * i.astype(wide), b - step * back)
        return made(converted(_powers(float(wide.type(base)), exponents.astype(F64)), d), grad)


def _powers(base: float, exponents: Array) -> Array:
    """Powers of a number by the C library."""
    try:
        return np.fromiter(map(math.pow, repeat(base), exponents.tolist()), F64, exponents.size)
    except (OverflowError, ValueError):
        with np.errstate(all="ignore"):
            return np.power(base, exponents)


def _named(name: str, args: tuple[Any, ...], given: dict[str, Any], defaults: dict[str, Any]) -> list[Any]:
    """Arguments by place or by name; those without a default must be there."""
    bound = dict(zip(defaults, args, strict=False))
    named = {k: given.pop(k) for k in defaults if k in given}
    if len(args) > len(defaults) or bound.keys() & named.keys():
        raise invalid(name, args, named | given)
    bound |= named
    for k, default in defaults.items():
        if k not in bound:
            if default is None:
                raise invalid(name, args, named | given)
            bound[k] = default
    return [bound[k] for k in defaults]


def _ends(name: str, start: Any, end: Any, steps: Any, d: Any, args: tuple[Any, ...]) -> tuple[Any, Any, int]:
    """Both ends as numbers, and how many numbers are wanted from one to the other."""
    for argument, x in (("start", start), ("end", end)):
        if isinstance(x, Tensor) and x._a.ndim:
            fail(
                f"{name} only supports 0-dimensional start and end tensors, but got {argument} with "
                f"{x._a.ndim} dimension(s)."
            )
    # No gradient goes to a tensor that is an end.
    start, end = _reals(name, tuple([x.item() if isinstance(x, Tensor) else x for x in (start, end)]), args)
    n = None if isinstance(steps, bool) else index_of(steps)
    if n is None:
        raise invalid(name, args, {})
    if n < 0:
        fail("number of steps must be non-negative")
    if d == B8:
        raise EngineNotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    return start, end, n


@public("torch")
@costs("making.linspace")
@composite
def linspace(*args: Any, **given: Any) -> Tensor:
    """Numbers evenly spaced from start to end, both included: so many steps."""
    start, end, steps = _named("linspace", args, given, {"start": None, "end": None, "steps": None})
    d, grad = options("linspace", args, given)
    start, end, n = _ends("linspace", start, end, steps, d, args)
    if n < 2:
        return made(full_of(n, fitted(start, d) if n else 0, d), grad)
    first, last = fitted(start, d), fitted(end, d)
    i = np.arange(n)
    back = n - 1 - i
    with np.errstate(all="ignore"):
        if d.kind in "fc":
            step = (last - first) / d.type(n - 1)
        else:
            step = (float(last) - float(first)) / (n - 1)
        if d.kind == "f" and d.itemsize == 2:
            found = np.where(i < n // 2, first + step * converted(i, d), last - step * converted(back, d))
        elif d.kind == "c":
            found = np.where(i < n // 2, first + step * i, last - step * back)
        else:
            a, b, s = (F64.type(x) for x in (first, last, step))
            # The first half counted from the start, the rest from the end.
            found = np.where(i < n // 2, fused(i.astype(F64), s, a), fused(back.astype(F64), -s, b))
        return made(converted(found, d), grad)

"""torch.testing: random tensors, and comparison of what was computed with what was expected."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .engine.dtypes import DTYPES, wider
from .engine.finfo import finfo, iinfo
from .engine.ops.complex.parts import view_as_real
from .engine.ops.make.filled import empty
from .engine.ops.make.from_data import from_numpy
from .engine.ops.make.random import randint
from .engine.tensor import Array, Tensor, tensor
from .errors import EngineTypeError, EngineValueError

# Relative and absolute; integers and booleans must be equal.
_TOLERANCES = {
    "bfloat16": (1.6e-2, 1e-5), "float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
# Those of assert_allclose; others must be equal.
_OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
_Tolerance = tuple[float, float] | None


_FORMATS = (
    "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous={} and "
    "memory_format={}"
)
# What is drawn between, if it is not said.
_SPAN = 9


def make_tensor(
    *shape: Any, dtype: Any, device: Any, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of random numbers between ``low`` and ``high``; whole ones are less than ``high``."""
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    if noncontiguous and memory_format is not None:
        raise EngineValueError(_FORMATS.format(noncontiguous, memory_format))
    whole = not dtype.is_floating_point and not dtype.is_complex
    if requires_grad and whole:
        raise EngineValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    halved = noncontiguous and math.prod(sizes) > 1
    sizes = (*sizes[:-1], 2 * sizes[-1]) if halved else sizes
    if dtype == DTYPES[np.dtype(bool)]:
        made = _drawn_whole(sizes, *_between(low, high, (0, 2), (0, 2)), dtype, device)
    elif whole:
        limits = iinfo(dtype)
        span = (max(-_SPAN, limits.min), min(_SPAN + 1, limits.max + 1))
        made = _drawn_whole(sizes, *_between(low, high, span, (limits.min, limits.max + 1)), dtype, device)
    else:
        most = finfo(dtype).max
        least, end = _between(low, high, (-_SPAN, _SPAN), (-most, most))
        made = empty(sizes, dtype=dtype, device=device)
        parts = view_as_real(made) if dtype.is_complex else made
        # What is further apart than the greatest number is drawn at half the size.
        scale = 2 if end - least > most else 1
        parts.uniform_(least / scale, end / scale).mul_(scale)
    if halved:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = 1 if whole else finfo(dtype).tiny
    return made.requires_grad_() if requires_grad else made


def _between(low: Any, high: Any, span: tuple[Any, Any], limits: tuple[Any, Any]) -> tuple[Any, Any]:
    """The bounds of random numbers: those that were asked for, within those of the dtype."""
    low, high = (given if given is not None else otherwise for given, otherwise in zip((low, high), span, strict=True))
    if low != low or high != high:
        raise EngineValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high:
        raise EngineValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    return min(max(low, limits[0]), limits[1]), max(min(high, limits[1]), limits[0])


def _drawn_whole(sizes: tuple[int, ...], low: float, high: float, dtype: Any, device: Any) -> Tensor:
    """Random whole numbers, the greatest of them less than ``high``."""
    least, end = math.ceil(low), math.ceil(high)
    made: Tensor = randint(least, max(end, least + 1), sizes, dtype=dtype, device=device)
    return made


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True,
    check_layout: bool = True, check_stride: bool = False, msg: Any = None,
) -> None:  # fmt: skip
    """Raise an AssertionError unless two tensors, numbers, or containers of them are close."""
    if (rtol is None) != (atol is None):
        given = "rtol" if rtol is None else "atol"
        raise EngineValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {given}.")
    tolerance = None if rtol is None or atol is None else (rtol, atol)
    options = {
        "tolerance": tolerance, "nan": equal_nan, "dtype": check_dtype, "stride": check_stride,
        "subclasses": allow_subclasses, "device": check_device, "layout": check_layout,
    }  # fmt: skip
    problem = _compared(actual, expected, options, "")
    if problem is not None:
        raise AssertionError(msg if isinstance(msg, str) else msg(problem) if callable(msg) else problem)


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True,
    msg: str = "",
) -> None:  # fmt: skip
    """Raise an AssertionError unless two tensors are close, in any dtypes: the older form of it."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    pair = [x if isinstance(x, Tensor) else tensor(x) for x in (actual, expected)]
    if rtol is None and atol is None:
        rtol, atol = max(_OLD_TOLERANCES.get(x._a.dtype.name, (0.0, 0.0)) for x in pair)
    assert_close(*pair, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


def _compared(actual: Any, expected: Any, options: dict[str, Any], place: str) -> str | None:
    """Say how a value differs from the expected one, or return None."""
    actual, expected = (x.item() if isinstance(x, np.generic) else x for x in (actual, expected))
    kinds = [_kind(x) for x in (actual, expected)]
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    if kinds[0] != kinds[1] or kinds[0] is None or (kinds[0] == "tensor" and not _alike(actual, expected, options)):
        raise EngineTypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.".replace(
                str(Tensor), "<class 'torch.Tensor'>"
            )
            + (f"\n\nThe failure occurred for item {place}" if place else "")
        )
    if kinds[0] == "mapping":
        missing, extra = [k for k in expected if k not in actual], [k for k in actual if k not in expected]
        if missing or extra:
            return (
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(extra)}"
            )
        pairs = [(k, actual[k], expected[k]) for k in sorted(expected)]
    elif kinds[0] == "sequence":
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        pairs = [(i, a, b) for i, (a, b) in enumerate(zip(actual, expected, strict=True))]
    else:
        problem = (_tensors if kinds[0] == "tensor" else _numbers)(actual, expected, options)
        return problem and problem + (f"\n\nThe failure occurred for item {place}" if place else "")
    found = (_compared(a, b, options, f"{place}[{k!r}]") for k, a, b in pairs)
    return next((problem for problem in found if problem is not None), None)


def _alike(actual: Any, expected: Any, options: dict[str, Any]) -> bool:
    """Tell whether one is of the other's class, or both are of one where subclasses are not allowed."""
    if not options["subclasses"]:
        return type(actual) is type(expected)
    return isinstance(actual, type(expected)) or isinstance(expected, type(actual))


def _kind(x: Any) -> str | None:
    if isinstance(x, (Tensor, np.ndarray)):
        return "tensor"
    if isinstance(x, (int, float, complex)):
        return "number"
    if isinstance(x, Mapping):
        return "mapping"
    return "sequence" if isinstance(x, Sequence) and not isinstance(x, str) else None


def _numbers(actual: Any, expected: Any, options: dict[str, Any]) -> str | None:
    if isinstance(actual, bool) and isinstance(expected, bool):
        return None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"
    if options["dtype"] and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    exact = not any(isinstance(x, (float, complex)) for x in (actual, expected))
    tolerance = options["tolerance"] or (None if exact else _TOLERANCES["float64"])
    return _scalars(actual, expected, tolerance, options["nan"])


def _tensors(actual: Any, expected: Any, options: dict[str, Any]) -> str | None:
    actual, expected = (from_numpy(x) if isinstance(x, np.ndarray) else x for x in (actual, expected))
    for name, wanted in (
        ("shape", True), ("layout", options["layout"]), ("device", options["device"]), ("dtype", options["dtype"]),
    ):  # fmt: skip
        a, b = getattr(actual, name), getattr(expected, name)
        if wanted and a != b:
            return f"The values for attribute '{name}' do not match: {a} != {b}."
    if options["stride"] and actual.stride() != expected.stride():
        return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
    d = wider(actual._a.dtype, expected._a.dtype)
    defaults = [_TOLERANCES.get(x.dtype.name) for x in (actual, expected)]
    tolerance: _Tolerance = options["tolerance"] or max((t for t in defaults if t), default=None)
    x, y = (np.asarray(t._a).astype(d) for t in (actual, expected))
    if not x.ndim:
        return _scalars(x.item(), y.item(), tolerance, options["nan"])
    with np.errstate(all="ignore"):
        return _arrays(x, y, tolerance, options["nan"])


def _close(x: Any, y: Any, tolerance: _Tolerance, nan: bool) -> Any:
    equal = x == y
    if nan:
        equal = equal | ((x != x) & (y != y))
    if tolerance is None:
        return equal
    rtol, atol = tolerance
    wide = np.result_type(x, y, np.float64)
    error = np.abs(np.subtract(x, y, dtype=wide))
    return equal | (np.isfinite(error) & (error <= atol + rtol * np.abs(np.asarray(y, wide))))


def _scalars(x: Any, y: Any, tolerance: _Tolerance, nan: bool) -> str | None:
    with np.errstate(all="ignore"):
        if _close(np.asarray(x), np.asarray(y), tolerance, nan):
            return None
    difference = abs(x - y)
    share = abs(difference / y) if y else float("inf")
    absolute, relative = _allowed(tolerance)
    return (
        f"Scalars are not {'equal' if tolerance is None else 'close'}!\n\nExpected {y} but got {x}.\n"
        f"Absolute difference: {difference}{absolute}\nRelative difference: {share}{relative}"
    )


def _allowed(tolerance: _Tolerance) -> tuple[str, str]:
    if tolerance is None:
        return "", ""
    rtol, atol = tolerance
    return f" (up to {atol} allowed)", f" (up to {rtol} allowed)"


def _arrays(x: Array, y: Array, tolerance: _Tolerance, nan: bool) -> str | None:
    apart = ~_close(x, y, tolerance, nan)
    count = int(apart.sum())
    if not count:
        return None
    if x.dtype.kind == "b":
        x, y = x.astype(np.int64), y.astype(np.int64)
    # What is close counts for nothing in the greatest difference.
    sizes = np.abs(x).dtype
    difference = np.where(apart, np.abs(x - y), 0).astype(sizes)
    share = np.where(apart, difference / np.abs(y), 0).astype(np.float32 if sizes.kind in "iu" else sizes)
    absolute, relative = _allowed(tolerance)
    lines = [
        f"Tensor-likes are not {'equal' if tolerance is None else 'close'}!\n",
        f"Mismatched elements: {count} / {x.size} ({count / x.size:.1%})",
    ]
    for name, found, note in (("absolute", difference, absolute), ("relative", share, relative)):
        at = int(np.argmax(found))
        place = tuple(int(i) for i in np.unravel_index(at, found.shape))
        lines.append(f"Greatest {name} difference: {found.ravel()[at].item()} at index {place}{note}")
    return "\n".join(lines)

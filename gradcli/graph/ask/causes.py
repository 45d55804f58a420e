"""Why a number is not finite where it began: what the op did, at which entry, and what helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...engine.dtypes import limits_of
from ..numbers import INF, NAN, scalar
from ..view.view import Array, Item
from .alarms import Alarm


class Cause(NamedTuple):
    """An event in words, and a cure."""

    what: str
    cure: str | None


class _Place(NamedTuple):
    """The first entry that is not finite, and what the op was given there; None where that is not known."""

    entry: tuple[int, ...]
    bad: int
    given: list[float | None]
    rows: list[Array | None]


Rule = Callable[[_Place, str], Cause | None]


def cause(alarm: Alarm) -> Cause | None:
    """The cause of an alarm, as far as the op that it began in tells."""
    if alarm.kind not in (NAN, INF):
        return None
    at_fault = alarm.item.value if alarm.edge is None else alarm.edge.grad
    if at_fault is None or at_fault.dtype.kind == "c":
        return None
    place = _place(alarm.item, at_fault)
    rules = _VALUES if alarm.edge is None else _GRADIENTS
    rule = rules.get(alarm.item.name.partition("Backward")[0])
    found = None if rule is None or not place.given else rule(place, alarm.kind)
    if found is None and alarm.edge is None and alarm.kind == INF:
        found = _overflow(alarm.item, at_fault)
    if found is None:
        return None
    many = f" (and at {place.bad - 1} more)" if place.bad > 1 else ""
    entry = f" at entry [{', '.join(map(str, place.entry))}]{many}" if place.entry else ""
    return Cause(found.what + entry, found.cure)


def _place(item: Item, array: Array) -> _Place:
    bad = ~np.isfinite(array)
    index = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.any() else ()
    given: list[float | None] = []
    rows: list[Array | None] = []
    for edge in item.edges:
        value = None if edge.to is None else edge.to.output(edge.output_nr).value
        given.append(_at(value, index, array.shape))
        rows.append(value[index[:-1]] if value is not None and value.shape == array.shape and index else value)
    return _Place(index, int(bad.sum()), given, rows)


def _at(value: Array | None, index: tuple[int, ...], shape: tuple[int, ...]) -> float | None:
    """An argument at an entry of the result, broadcast."""
    if value is None or value.dtype.kind not in "fiub":
        return None
    try:
        return float(np.broadcast_to(value, shape)[index])
    except ValueError:
        return None


# Ops whose result is infinite, of finite arguments, only where it is too large.
_GROWING = (
    "Mul", "Mm", "Mv", "Bmm", "Dot", "Addmm", "Addmv", "Baddbmm", "Add", "Sub", "Sum", "Prod", "Cumsum", "Cumprod",
)  # fmt: skip


def _overflow(item: Item, value: Array) -> Cause | None:
    if value.dtype == np.float16:
        return Cause("overflow: float16 ends at 65504", "scale it down, or compute it in float32")
    given = [edge.to.output(edge.output_nr).value for edge in item.edges if edge.to is not None]
    if item.name.partition("Backward")[0] not in _GROWING or value.dtype.kind != "f":
        return None
    if not all(each is not None and np.isfinite(each).all() for each in given):
        return None
    return Cause(f"overflow: {value.dtype} ends at {limits_of(value.dtype).max:.3g}", "scale it down before")


# -- values ------------------------------------------------------------------------------------


def _softmax(place: _Place, kind: str) -> Cause | None:
    row = place.rows[0]
    if row is not None and np.isneginf(row).all():
        return Cause("softmax of nothing but -inf", "leave at least one entry of each row unmasked")
    return None


def _log(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x is None or x > 0:
        return None
    return Cause(f"log of {scalar(x)}", "keep it above 0, as with clamp(min=1e-12), or work with logarithms throughout")


def _sqrt(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    return Cause(f"sqrt of {scalar(x)}", "clamp(min=0) before it") if x is not None and x < 0 else None


def _div(place: _Place, kind: str) -> Cause | None:
    x, y = (*place.given, None, None)[:2]
    if y != 0 or x is None:
        return None
    return Cause(f"{scalar(x)} / {scalar(y)}", "add a small number to what it is divided by, or leave such entries out")


def _inverse(place: _Place, kind: str) -> Cause | None:
    return _div(place._replace(given=[1.0, *place.given]), kind)


def _mul(place: _Place, kind: str) -> Cause | None:
    x, y = (*place.given, None, None)[:2]
    if x is None or y is None or kind != NAN or not (np.isinf(x) or np.isinf(y)):
        return None
    return Cause(f"{scalar(x)} times {scalar(y)}", "choose with where(), which takes no part of what it leaves out")


def _sum(place: _Place, kind: str) -> Cause | None:
    x, y = (*place.given, None, None)[:2]
    if x is None or y is None or kind != NAN or not (np.isinf(x) and np.isinf(y)):
        return None
    return Cause("inf - inf", "take the difference before it overflows, as logsumexp does")


def _exp(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x is None or kind != INF or not np.isfinite(x):
        return None
    return Cause(f"overflow: exp of {scalar(x)}", "subtract the maximum before it, or use logsumexp, softmax, expm1")


def _pow(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x == 0 and kind == INF:
        return Cause("0 to a negative power", "add a small number before it")
    if x is not None and x < 0 and kind == NAN:
        return Cause(f"a broken power of {scalar(x)}", "clamp(min=0) before it, or take the power of its abs()")
    if x is None or kind != INF or not np.isfinite(x):
        return None
    return Cause(f"overflow: a power of {scalar(x)}", "scale it down before, or work with logarithms")


def _variance(place: _Place, kind: str) -> Cause | None:
    values = place.rows[0]
    if kind != NAN or values is None or not values.size or not np.isfinite(values).all():
        return None
    return Cause("a variance of too few entries, 0 / 0", "take it of more entries, or with correction=0")


def _defined(low: float, high: float = np.inf) -> Rule:
    """The rule of a function that is finite between two numbers alone."""
    inside = f"above {low:g}" if high == np.inf else f"between {low:g} and {high:g}"

    def rule(place: _Place, kind: str) -> Cause | None:
        x = place.given[0]
        if x is None or low < x < high or not np.isfinite(x):
            return None
        told = "is not defined" if kind == NAN else "is infinite"
        return Cause(f"it {told} at {scalar(x)}", f"clamp it a little {inside}")

    return rule


_VALUES: dict[str, Rule] = {
    "Acos": _defined(-1, 1), "Asin": _defined(-1, 1), "Atanh": _defined(-1, 1), "Erfinv": _defined(-1, 1),
    "Acosh": _defined(1), "Log1P": _defined(-1), "Logit": _defined(0, 1), "Rsqrt": _defined(0),
    "SpecialNdtri": _defined(0, 1), "Reciprocal": _inverse,
    "Softmax": _softmax, "LogSoftmax": _softmax, "Log": _log, "Log2": _log, "Log10": _log, "Sqrt": _sqrt,
    "Div": _div, "Mul": _mul, "Sub": _sum, "Add": _sum, "Exp": _exp, "Pow": _pow,
    "Var": _variance, "Std": _variance, "VarMean": _variance, "StdMean": _variance,
}  # fmt: skip


# -- gradients ---------------------------------------------------------------------------------


def _slope(what: str, cure: str) -> Rule:
    def rule(place: _Place, kind: str) -> Cause | None:
        return Cause(f"{what}{_times_zero(kind)}", cure) if 0 in place.given else None

    return rule


def _times_zero(kind: str) -> str:
    return ", times a gradient of 0" if kind == NAN else ""


_CLEAR = "take it of where(ok, x, 1), so that a branch that is not taken has a slope, too"


def _outside(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x is not None and x < 0:
        return Cause(f"it has no slope at {scalar(x)}{_times_zero(kind)}", _CLEAR)
    if x == 0:
        return Cause(f"its slope at 0 is infinite{_times_zero(kind)}", f"add a small number before it, or {_CLEAR}")
    return None


def _arc(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x is None or abs(x) < 1:
        return None
    return Cause(f"its slope at {scalar(x)} is infinite{_times_zero(kind)}", "clamp it a little inside of -1 and 1")


def _too_large(place: _Place, kind: str) -> Cause | None:
    x = place.given[0]
    if x is None or x <= 1 or kind != NAN:
        return None
    return Cause(f"its slope at {scalar(x)} overflows{_times_zero(kind)}", _CLEAR)


_GRADIENTS: dict[str, Rule] = {
    "Exp": _too_large, "Exp2": _too_large, "Expm1": _too_large, "Sinh": _too_large, "Cosh": _too_large,
    "Sqrt": _outside, "Log": _outside, "Log2": _outside, "Log10": _outside, "Rsqrt": _outside, "Pow": _outside,
    "Div": _slope("the slope of a quotient by 0 is infinite", _CLEAR),
    "Norm": _slope("a norm has no slope at 0", "add a small number under the root"),
    "LinalgVectorNorm": _slope("a norm has no slope at 0", "add a small number under the root"),
    "Acos": _arc, "Asin": _arc,
}  # fmt: skip


def lines(alarm: Alarm) -> Iterator[str]:
    """The words about an alarm beside its place."""
    found = cause(alarm)
    if found is not None:
        yield f"cause: {found.what}"
        if found.cure is not None:
            yield f"cure: {found.cure}"

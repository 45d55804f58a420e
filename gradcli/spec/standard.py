"""Modules of Python's own that a spec may import, as far as it may use them."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any

from . import limits as limits_

Table = dict[str, Any]

_MATH = (
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees dist e erf erfc exp expm1 fabs floor fmod "
    "frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan "
    "nextafter pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"
)


def _math_table() -> Table:
    table = {name: getattr(_math, name) for name in _MATH.split() if hasattr(_math, name)}
    table.update(factorial=_counting(_math.factorial, 20), comb=_counting(_math.comb, 10_000))
    table["perm"] = _counting(_math.perm, 10_000)
    table["prod"] = _within(_math.prod)
    return table


def _counting(function: Callable[..., int], most: int) -> Callable[..., int]:
    """A function whose results grow fast: refused for arguments that cannot fit 64 bits."""

    def count(*args: Any) -> int:
        if any(isinstance(a, int) and a > most for a in args):
            raise limits_.integer_too_large()
        value: int = _fitting(function(*args))
        return value

    count.__name__ = count.__qualname__ = function.__name__
    return count


def _within(function: Callable[..., Any]) -> Callable[..., Any]:
    def fitting(*args: Any, **kwargs: Any) -> Any:
        return _fitting(function(*args, **kwargs))

    fitting.__name__ = fitting.__qualname__ = function.__name__
    return fitting


def _fitting(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise limits_.integer_too_large()
    return value


class Hint:
    """What annotations are written with; it means nothing when a program runs."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, of: object) -> Hint:
        return self

    def __or__(self, other: object) -> Hint:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"typing.{self.name}"


_HINTS = (
    "Any Callable ClassVar Dict Final FrozenSet Generic Iterable Iterator List Literal Mapping NamedTuple Optional "
    "Sequence Set Tuple Type TypeVar Union"
)


def _typing() -> Table:
    hints: Table = {name: Hint(name) for name in _HINTS.split() if name not in ("Generic", "NamedTuple")}
    hints["TypeVar"] = lambda name, *bounds: Hint(name)
    return hints


def _collections() -> Table:
    from collections import OrderedDict

    return {"OrderedDict": OrderedDict}


MODULES: dict[str, Callable[[], Table]] = {
    "math": _math_table,
    "typing": _typing,
    "collections": _collections,
}

"""math and cmath: functions of numbers, whose results have to fit."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import Any

from ..guard import limits as limits_
from ..guard.size_limits import caps, charged, checked, whole
from ..values.user_definitions import MISSING, answer
from .iteration import iterate

Table = dict[str, Any]

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs "
    "floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p "
    "log2 modf nan nextafter pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"
)


def math() -> Table:
    """The names of math."""
    table = {name: getattr(_math, name) for name in _MATH.split() if hasattr(_math, name)}
    table.update(factorial=_counting(_math.factorial, 2_000), comb=_counting(_math.comb, 10_000))
    table["perm"] = _counting(_math.perm, 10_000)
    for name, kept in (("ceil", "__ceiling__"), ("floor", "__flooring__"), ("trunc", "__truncating__")):
        table[name] = _told_or(kept, _fitting(table[name]))
    table.update(fsum=_fsum, lcm=_lcm, prod=_prod)
    return table


def cmath() -> Table:
    """The names of cmath."""
    import cmath as host

    names = (
        "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj "
        "phase pi polar rect sin sinh sqrt tan tanh tau"
    )
    return {name: getattr(host, name) for name in names.split()}


def _counting(function: Callable[..., int], most: int) -> Callable[..., int]:
    """A function whose results grow fast: refused for arguments whose results cannot fit."""
    fitting = _fitting(function)

    def count(*args: Any) -> int:
        # Other things than int stand for whole numbers, too.
        numbers = [None if a is None else whole(a) for a in args]
        if any(a is not None and a > most for a in numbers):
            raise limits_.integer_too_large()
        value: int = fitting(*numbers)
        return value

    return count


def _fitting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose results are integers, which have to fit."""
    return lambda *args: checked(function(*args))


def _told_or(kept: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of a number, or of an object that says by a method of its own what this gives."""

    def rounded(number: Any, /) -> Any:
        told = answer(number, kept)
        return function(number) if told is MISSING else told

    return rounded


def _fsum(iterable: Any, /) -> float:
    return _math.fsum(charged(iterate(iterable)))


def _prod(iterable: Any, /, *, start: Any = 1) -> Any:
    found = start
    for value in charged(iterate(iterable)):
        found = caps.times(found, value)
    return found


def _lcm(*integers: Any) -> int:
    found = 1
    for n in integers:
        # Of many integers it would have more digits than can be computed with.
        found = checked(_math.lcm(found, n))
    return found

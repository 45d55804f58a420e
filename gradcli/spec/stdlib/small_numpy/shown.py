"""Arrays and numbers as NumPy shows them, and the options by which it does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import caps, fits, whole
from .arguments import Function, array_of, number


def of_texts() -> dict[str, Function]:
    """The functions of the module `numpy` that make texts of numbers."""
    made = {name: _shown(name) for name in ("array_repr", "array_str")}
    made.update({name: _number_shown(name) for name in ("format_float_positional", "format_float_scientific")})
    made.update(array2string=_text_of, base_repr=_in_base, binary_repr=_in_bits)
    made.update(get_printoptions=_current_options, set_printoptions=_options)
    return made


def _refuse_wide(function: str, *sizes: Any) -> None:
    for value in sizes:
        if value is not None and not 0 <= whole(value) <= _WIDEST:
            raise ValueError(f"{function}() takes numbers up to {_WIDEST} in the spec language")


def _text_of(
    a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None, separator: Any = " ",
    prefix: Any = "", *, formatter: Any = None, threshold: Any = None, edgeitems: Any = None, sign: Any = None,
    floatmode: Any = None, suffix: Any = "",
) -> str:  # fmt: skip
    """array2string()"""
    _refuse_wide("array2string", precision, max_line_width, edgeitems)
    for name, text in (("separator", separator), ("prefix", prefix), ("suffix", suffix)):
        if not isinstance(text, str):
            raise TypeError(f"the {name} of array2string() is to be a str")
    values = array_of(a)
    threshold = None if threshold is None else int(min(number(threshold), caps.limits.sequence))
    shown = min(values.size, 1000 if threshold is None else max(threshold, 1000))
    fits(shown * (len(separator) + len(prefix)) + len(suffix), "str")
    how = {"floatmode": _one_of("floatmode", floatmode, _MODES), "sign": _one_of("sign", sign, ("-", "+", " "))}
    return np.array2string(
        values, max_line_width, precision, suppress_small, separator, prefix, formatter=_formatters(formatter),
        threshold=threshold, edgeitems=edgeitems, suffix=suffix, **how,
    )  # fmt: skip


def _formatters(given: Any) -> Any:
    """The functions of a program that make texts of elements, by the kinds of those."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise TypeError("the formatter of array2string() is to be a dict")
    return {str(kind): _Formatting(function) for kind, function in dict.items(given) if function}


class _Formatting:
    """The function of a program's that makes the text of an element."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.call = caps.guarded(given)

    def __call__(self, value: Any) -> str:
        found = self.call(value)
        if not isinstance(found, str):
            raise TypeError("a formatter is to return a str")
        fits(len(found), "str")
        return found


_MODES = ("fixed", "unique", "maxprec", "maxprec_equal")


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> Any:
    if value is not None and value not in choices:
        raise ValueError(f"{name} option must be one of {', '.join(map(repr, choices))}")
    return value


def _options(
    precision: Any = None, threshold: Any = None, edgeitems: Any = None, linewidth: Any = None, suppress: Any = None,
    nanstr: Any = None, infstr: Any = None, formatter: Any = None, sign: Any = None, floatmode: Any = None,
    *, legacy: Any = None, override_repr: Any = None,
) -> None:  # fmt: skip
    """set_printoptions(): as few as programs use; they hold for the run."""
    _refuse_wide("set_printoptions", precision, linewidth, edgeitems)
    if legacy or override_repr is not None:
        raise SpecError("set_printoptions(legacy=..., override_repr=...) is not in gradcli", help="leave it out")
    if threshold is not None:
        # All that is in an array may be printed, as far as a program may print.
        threshold = int(min(number(threshold), caps.limits.sequence))
    np.set_printoptions(
        precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth, suppress=suppress,
        nanstr=_short("nanstr", nanstr), infstr=_short("infstr", infstr), formatter=_formatters(formatter),
        sign=_one_of("sign", sign, ("-", "+", " ")), floatmode=_one_of("floatmode", floatmode, _MODES),
    )  # fmt: skip


def _current_options() -> dict[str, Any]:
    """get_printoptions(): those that set_printoptions() takes."""
    found: Any = np.get_printoptions()
    if found["formatter"]:
        found["formatter"] = {kind: function.given for kind, function in found["formatter"].items()}
    return dict(found)


def _short(name: str, text: Any) -> Any:
    if text is not None:
        if type(text) is not str:
            raise TypeError(f"the {name} of set_printoptions() is to be a str")
        _refuse_wide("set_printoptions", len(text))
    return text


_WIDEST = 1_000


def _shown(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None) -> str:
        _refuse_wide(name, precision, max_line_width)
        return str(function(array_of(a), max_line_width, precision, suppress_small))

    return call


def _number_shown(name: str) -> Function:
    function = getattr(np, name)

    def call(x: Any, precision: Any = None, unique: Any = True, trim: Any = "k") -> str:
        if trim not in ("k", ".", "0", "-"):
            raise TypeError("Trim must be one of 'k', '.', '0', '-'")
        digits = None if precision is None else whole(precision)
        if digits is not None:
            fits(digits, "str")
        return str(function(number(x), digits, bool(unique), trim=trim))

    return call


def _in_base(number: Any, base: Any = 2, padding: Any = 0) -> str:
    fits(whole(padding), "str")
    value = whole(number)
    fits(value.bit_length(), "str")
    return np.base_repr(value, whole(base), whole(padding))


def _in_bits(num: Any, width: Any = None) -> str:
    """binary_repr()"""
    value, size = whole(num), None if width is None else whole(width)
    fits(max(value.bit_length(), size or 0), "str")
    return np.binary_repr(value, size)

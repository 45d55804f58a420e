"""Formatting: format specs, ``str.format`` and ``%``, without attributes and with capped widths."""

from __future__ import annotations

import re
from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]
from collections.abc import Mapping
from typing import Any

from ...engine.tensor import Tensor
from ..guard.numpy_operands import NUMPY
from ..guard.size_limits import caps, fits
from .classes.tensor_classes import is_watched
from .show import representation, text, weigh_shown
from .user_definitions import MISSING, UserType, declared
from .visible_types import word

# A number in a format spec: a width, a precision, or a fill character. CPython reads the digits of all scripts.
_NUMBERS = r"\d+"


def ascii_representation(value: Any) -> str:
    """Return ``ascii(value)``."""
    return representation(value).encode("ascii", "backslashreplace").decode("ascii")


_CONVERSIONS = {"s": text, "r": representation, "a": ascii_representation}


def formatted(value: Any, spec: str, conversion: int = -1) -> str:
    """A value as ``{value!conversion:spec}`` gives it; the conversion is -1 for none, or a character's number."""
    if conversion != -1:
        value = _CONVERSIONS[chr(conversion)](value)
    if isinstance(type(value), UserType) and (own := declared(type(value), "__format__")) is not MISSING:
        return _by_class(own, value, spec)
    if spec:
        for digits in re.findall(_NUMBERS, spec):
            fits(int(digits) if len(digits) < 20 else 10**20, "str")
        cls: Any = type(value)
        if cls.__format__ is object.__format__:
            raise TypeError(f"unsupported format string passed to {word(value)}.__format__")
        return format(value, spec)
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Tensor) and is_watched():
        weigh_shown(value)
        return format(value, "")
    # Of a tensor without axes, its number; NumPy's are Python's numbers there, with all their digits.
    is_number = not value._a.ndim if isinstance(value, Tensor) else isinstance(value, NUMPY) and not value.ndim
    return format(value, "") if is_number else text(value)


def _by_class(own: Any, value: Any, spec: str) -> str:
    """The text that the `__format__` of a program's class gives."""
    caps.tick(1)
    made = caps.guarded(own)(value, spec)
    if type(made) is not str:
        raise TypeError(f"__format__ must return a str, not {word(made)}")
    fits(len(made), "str")
    return made


# -- str.format ----------------------------------------------------------------------------------


def filled(template: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """``template.format(*args, **kwargs)``, with plain fields only."""
    return _Filling(args, kwargs).fill(template, 1)


def filled_from(template: str, mapping: Any) -> str:
    """``template.format_map(mapping)``."""
    return _Filling(None, mapping).fill(template, 1)


class _Filling:
    """The arguments of one call, and how far it has counted them."""

    __slots__ = ("args", "counted", "kwargs")

    def __init__(self, args: tuple[Any, ...] | None, kwargs: Mapping[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs
        # The number of the next field without a name; None once fields are numbered by hand.
        self.counted: int | None = 0

    def fill(self, template: str, depth: int) -> str:
        """The template with its fields filled in; a field's spec may have fields of its own."""
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        pieces: list[str] = []
        size = 0
        for literal, field, spec, conversion in formatter_parser(template):
            pieces.append(literal)
            if field is not None:
                value = self.value(field)
                if conversion is not None and conversion not in _CONVERSIONS:
                    raise ValueError(f"Unknown conversion specifier {conversion}")
                code = -1 if conversion is None else ord(conversion)
                pieces.append(formatted(value, self.fill(spec, depth - 1) if "{" in spec else spec, code))
                size += len(pieces[-1])
            size += len(literal)
            fits(size, "str")
        return "".join(pieces)

    def value(self, field: str) -> Any:
        """The argument of a field."""
        first, rest = formatter_field_name_split(field)
        if isinstance(first, int):
            value = self.positional(str(first))
        else:
            value = caps.item(self.kwargs, first) if first else self.positional("")
        for is_attribute, name in rest:
            value = caps.member(value, name) if is_attribute else caps.item(value, name)
        return value

    def positional(self, field: str) -> Any:
        """The argument of a field that is counted, or numbered by hand."""
        if self.args is None:
            raise ValueError("Format string contains positional fields")
        if field:
            if self.counted:
                raise ValueError("cannot switch from automatic field numbering to manual field specification")
            self.counted = None
            place = int(field[:20])
        else:
            if self.counted is None:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            place = self.counted
            self.counted += 1
        if place >= len(self.args):
            raise IndexError(f"Replacement index {place} out of range for positional args tuple")
        return self.args[place]


# -- % -------------------------------------------------------------------------------------------

_PERCENT = (
    r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-#0 +]*)"
    r"(?P<width>\*|[0-9]*)(?:\.(?P<precision>\*|[0-9]*))?[hlL]?(?P<kind>.)?"
)


def percent_of_bytes(template: Any, values: Any) -> Any:
    """``template % values`` of bytes: each stands for the character of its number."""
    given = values if isinstance(values, tuple) else (values,)
    for value in given:
        if isinstance(value, str):
            raise TypeError("%b requires a bytes-like object, or an object that implements __bytes__, not 'str'")
    parts = tuple([bytes(v).decode("latin-1") if isinstance(v, (bytes, bytearray)) else v for v in given])
    made = percent(template.decode("latin-1").replace("%b", "%s"), parts).encode("latin-1")
    return type(template)(made)


def percent(template: str, values: Any) -> str:
    """``template % values``."""
    return _Percent(values).fill(template)


class _Percent:
    """The values of one ``%``, and how many of them were used."""

    __slots__ = ("mapping", "used", "values")

    def __init__(self, values: Any) -> None:
        self.values = values if isinstance(values, tuple) else (values,)
        self.mapping = values
        self.used = 0

    def fill(self, template: str) -> str:
        """The template with its places filled in."""
        pieces: list[str] = []
        size = end = 0
        for match in re.finditer(_PERCENT, template, re.DOTALL):
            pieces += template[end : match.start()], self.piece(match)
            end = match.end()
            size += len(pieces[-1]) + len(pieces[-2])
            fits(size, "str")
        if self.used < len(self.values) and not self.may_be_left():
            raise TypeError("not all arguments converted during string formatting")
        return "".join(pieces) + template[end:]

    def may_be_left(self) -> bool:
        """True if what is on the right need not be used up: CPython allows that for mappings and sequences."""
        return not isinstance(self.mapping, (tuple, str)) and hasattr(type(self.mapping), "__getitem__")

    def piece(self, match: re.Match[str]) -> str:
        """Format one placeholder."""
        if match[0] == "%%":
            return "%"
        key, kind, precision = match["key"], match["kind"], match["precision"]
        if match[0] == "%(":
            self.check_mapping()
            raise ValueError("incomplete format key")
        if key is not None:
            self.at(key)
        width = self.number(match["width"])
        point = "" if precision is None else "." + self.number(precision)
        if kind is None:
            raise ValueError("incomplete format")
        value = self.next() if key is None else self.at(key)
        if kind not in "diouxXeEfFgGcrsa":
            raise ValueError(f"unsupported format character '{kind}' (0x{ord(kind):x}) at index {match.end() - 1}")
        if kind in _CONVERSIONS:
            value, kind = _CONVERSIONS[kind](value), "s"
        return f"%{match['flags']}{width}{point}{kind}" % (value,)

    def number(self, digits: str) -> str:
        """A width or a precision, which may stand among the values."""
        if digits == "*":
            value = self.next()
            if not isinstance(value, int):
                raise TypeError("* wants int")
            digits = str(int(value))
        if digits:
            fits(abs(int(digits)) if len(digits) < 20 else 10**20, "str")
        return digits

    def at(self, key: str) -> Any:
        """The value of a name."""
        self.check_mapping()
        self.used = len(self.values)
        return self.mapping[key]

    def check_mapping(self) -> None:
        """Refuse names where nothing on the right has any."""
        if not isinstance(self.mapping, (dict, list)):
            raise TypeError("format requires a mapping")

    def next(self) -> Any:
        """The next value."""
        if self.used >= len(self.values):
            raise TypeError("not enough arguments for format string")
        self.used += 1
        return self.values[self.used - 1]

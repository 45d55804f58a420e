"""Where a backward of the program's own loses digits: a cast to fewer, or a constant that is written with few."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from .where_written import method_of, written

# What a number is cast with, and to.
_CASTS = {
    "float": "float32", "float32": "float32", "FloatTensor": "float32", "single": "float32", "f4": "float32",
    "<f4": "float32", "half": "float16", "float16": "float16", "bfloat16": "bfloat16",
}  # fmt: skip

# Numbers that are known by more digits than are often written.
_KNOWN = {
    "pi": math.pi,
    "2*pi": 2 * math.pi,
    "pi/2": math.pi / 2,
    "1/pi": 1 / math.pi,
    "2/pi": 2 / math.pi,
    "sqrt(pi)": math.sqrt(math.pi),
    "1/sqrt(pi)": 1 / math.sqrt(math.pi),
    "2/sqrt(pi)": 2 / math.sqrt(math.pi),
    "sqrt(2*pi)": math.sqrt(2 * math.pi),
    "1/sqrt(2*pi)": 1 / math.sqrt(2 * math.pi),
    "sqrt(2/pi)": math.sqrt(2 / math.pi),
    "e": math.e,
    "1/e": 1 / math.e,
    "sqrt(2)": math.sqrt(2),
    "1/sqrt(2)": 1 / math.sqrt(2),
    "sqrt(3)": math.sqrt(3),
    "log(2)": math.log(2),
    "1/log(2)": 1 / math.log(2),
    "log(10)": math.log(10),
    "1/log(10)": 1 / math.log(10),
}
# So near a number is meant to be a known one, and so near it is that one.
_MEANT, _IS = 1e-3, 1e-15


def loses_digits(node: Any) -> bool:
    """Tell whether a backward of the program's rounds to few digits, by a cast or a short constant."""
    backward = written(node)
    return backward is not None and any(_lost(backward.node))


def lost_digits(node: Any) -> dict[str, None]:
    """Name in words all that costs a custom backward digits: casts and constants in it, and casts in the forward."""
    backward = written(node)
    found: dict[str, None] = {}
    if backward is not None:
        forwards = [method_of(node, name) for name in ("forward", "setup_context")]
        casts = (x for method in forwards if method is not None for x in _casts(method.node))
        found = dict.fromkeys(f"{words}, at line {place.lineno}" for words, place in (*_lost(backward.node), *casts))
    return found


def _lost(backward: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The casts and constants of a backward that cost digits, in words, and where they are."""
    yield from _casts(backward)
    for node in ast.walk(backward):
        if isinstance(node, ast.Constant) and type(node.value) is float:
            name = _known(abs(node.value))
            if name is not None:
                yield f"the constant {node.value!r}, which is {name} to {_digits(node.value, name)} digits", node


def _casts(method: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The casts to few digits in a function."""
    for node in ast.walk(method):
        match node:
            case ast.Attribute(attr=kind) | ast.Constant(str() as kind) if kind in _CASTS:
                yield f"a cast to {_CASTS[kind]}", node


def _known(value: float) -> str | None:
    """The number that a constant is meant to be and is not."""
    for name, true in _KNOWN.items():
        if _IS < abs(value - true) / true < _MEANT and len(repr(value).replace(".", "")) > 3:
            return name
    return None


def _digits(value: float, name: str) -> int:
    return round(-math.log10(abs(abs(value) - _KNOWN[name]) / _KNOWN[name]))

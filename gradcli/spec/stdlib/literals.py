"""The values of literals that a program has as a text: `ast.literal_eval`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...errors import LimitError, Source, SpecError
from ..guard.size_limits import caps, checked
from ..input.parse import parse
from .exceptions.endings import WrongSyntax

_SIGNS: dict[type, Callable[[Any], Any]] = {ast.UAdd: lambda x: +x, ast.USub: lambda x: -x}


def names() -> dict[str, Any]:
    """The names of the module `ast`."""
    return {"literal_eval": _literal_eval}


def _literal_eval(node_or_string: Any, /) -> Any:
    if type(node_or_string) is not str:
        raise ValueError(f"malformed node or string: {type(node_or_string).__name__}")
    caps.tick(len(node_or_string) >> 4)
    try:
        body = parse(Source("<unknown>", node_or_string.lstrip(" \t")), caps.limits).body
    except LimitError:
        raise
    except SpecError:
        body = []
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise WrongSyntax("invalid syntax (<unknown>, line 1)")
    return _value(body[0].value)


def _value(node: ast.expr) -> Any:
    """The value of an expression of literals alone; it nests no deeper than a program may."""
    caps.tick(1)
    match node:
        case ast.Constant(value=value):
            return checked(value) if type(value) is int else value
        case ast.Tuple(elts=elements):
            return tuple(map(_value, elements))
        case ast.List(elts=elements):
            return list(map(_value, elements))
        case ast.Set(elts=elements):
            return set(map(_value, elements))
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return set()
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return dict(zip(map(_value, filter(None, keys)), map(_value, values), strict=True))
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as op):
            return _signed(node, op)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=complex() as imaginary)):
            real = _value(left)
            if type(real) in (int, float) and isinstance(left, (ast.Constant, ast.UnaryOp)):
                return real + imaginary if isinstance(op, ast.Add) else real - imaginary
    raise _malformed(node)


def _signed(node: ast.UnaryOp, op: ast.unaryop) -> Any:
    """A number with a sign before it."""
    value = _value(node.operand)
    if type(value) not in (int, float, complex) or not isinstance(node.operand, ast.Constant):
        raise _malformed(node.operand)
    return _SIGNS[type(op)](value)


def _malformed(node: ast.expr) -> ValueError:
    return ValueError(f"malformed node or string on line {node.lineno}: <ast.{type(node).__name__} object>")

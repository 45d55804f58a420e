"""The first steps of PyTorch's layers and of its functions in Python, which decide how they speak of wrong arguments.

A table beside this file tells it, one function or layer a line, in Python's notation: the attributes that are read of
arguments, and the functions in C that these are handed to. It is read when a call has failed.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from types import FrameType, FunctionType, TracebackType
from typing import Any

import numpy as np

from ...engine.calls.signatures import mistake, signatures
from ...engine.registry import PUBLIC
from ...engine.tensor import Tensor
from ...errors import EngineAttributeError, EngineTypeError, GradcliError
from ..guard.parameters import declared
from ..values.user_definitions import UserType
from ..values.visible_types import function_name, word

TABLE = Path(__file__).with_name("first_steps.txt")
# Of these it is known what attributes they have.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, np.ndarray)
# Where functions in C stand.
_IN_C = ("torch", "F", "nn")
_TAKES_SEVERAL, _TAKES_NAMED = 0x04, 0x08


def of_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GradcliError | None:
    """The error that PyTorch raises of the arguments of a call, as far as its first steps tell."""
    if type(function) is not FunctionType:
        return _of_layer(function, args, kwargs)
    name = function_name(function)
    here = PUBLIC["F"].get(name)
    offered = (function, declared(function), function.__dict__.get("__wrapped__"))
    return _complaint(f"F.{name}", None, args, kwargs) if any(here is f for f in offered) else None


def of_layers_within(trace: TracebackType | None) -> GradcliError | None:
    """The same of the call of a layer that a traceback leads to last."""
    found = None
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code.co_name == "forward" and "self" in frame.f_locals:
            found = _of_layer(frame.f_locals["self"], *_given(frame)) or found
    return found


def _given(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments behind ``self`` of the call that a frame is of."""
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    args = [values[name] for name in code.co_varnames[1 : code.co_argcount] if name in values]
    if code.co_flags & _TAKES_SEVERAL:
        args += values[code.co_varnames[count]]
        count += 1
    return tuple(args), values[code.co_varnames[count]] if code.co_flags & _TAKES_NAMED else {}


def _of_layer(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GradcliError | None:
    for cls in type(layer).__mro__:
        if isinstance(cls, UserType):
            if "forward" in cls.__dict__:
                return None
        elif cls.__module__.startswith("gradcli.nn.") and f"nn.{cls.__name__}" in _lines():
            return _complaint(f"nn.{cls.__name__}", layer, args, kwargs)
    return None


@functools.cache
def _lines() -> dict[str, str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {line.partition("(")[0]: line for line in lines}


@functools.cache
def _read(key: str) -> tuple[tuple[str, ...], dict[str, Any], list[ast.expr]]:
    """The parameters of a function or layer, the defaults of some, and its first steps."""
    head, steps = _lines()[key].split("): ", 1)
    function: Any = ast.parse(f"def {head.partition('.')[2]}): {steps}").body[0]
    names = tuple(a.arg for a in function.args.args)
    defaults = [ast.literal_eval(d) for d in function.args.defaults]
    known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return names, known, [step.value for step in function.body]


def _complaint(key: str, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GradcliError | None:
    if key not in _lines():
        return None
    names, defaults, steps = _read(key)
    given = defaults | dict(zip(names, args, strict=False)) | kwargs
    if any(name not in given for name in names):
        return None
    given["self"] = layer
    return next((error for step in steps if (error := _of_step(step, given)) is not None), None)


def _of_step(step: ast.expr, given: dict[str, Any]) -> GradcliError | None:
    match step:
        case ast.BoolOp(values=[ast.Compare(left=left, ops=[sign], comparators=[right]), then]):
            a, b = _value(left, given), _value(right, given)
            equal = a is b or (isinstance(a, (str, bool)) and a == b)
            return _of_step(then, given) if equal is isinstance(sign, ast.Eq) else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id="F"), attr=name)):
            return _complaint(f"F.{name}", None, *_arguments(step, given))
        case ast.Call(func=ast.Name(id=name)):
            key = next(key for place in _IN_C if signatures(key := f"{place}.{name}"))
            return _of_signatures(key, name, *_arguments(step, given))
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            return _of_method(_value(owner, given), name, *_arguments(step, given))
        case ast.Attribute(value=owner, attr=name):
            return _of_attribute(_value(owner, given), name, called=False)
    raise AssertionError(ast.unparse(step))


def _of_signatures(key: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GradcliError | None:
    words = mistake(name, signatures(key), args, kwargs, word, key.startswith("Tensor."))
    return None if words is None else EngineTypeError(words)


def _of_method(value: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GradcliError | None:
    if isinstance(value, Tensor):
        return _of_signatures(f"Tensor.{name}", name, args, kwargs) if args else None
    return _of_attribute(value, name, called=True)


def _of_attribute(value: Any, name: str, called: bool) -> GradcliError | None:
    if type(value) not in _PLAIN:
        return None
    if not hasattr(value, name):
        return EngineAttributeError(f"'{word(value)}' object has no attribute '{name}'")
    if called and not callable(getattr(value, name)):
        return EngineTypeError(f"'{word(getattr(value, name))}' object is not callable")
    return None


def _arguments(call: ast.Call, given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return tuple(_value(a, given) for a in call.args), {str(k.arg): _value(k.value, given) for k in call.keywords}


def _value(written: ast.expr, given: dict[str, Any]) -> Any:
    match written:
        case ast.Name(id=name):
            return given[name]
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return _held(given["self"], name)
    return ast.literal_eval(written)


def _held(layer: Any, name: str) -> Any:
    """The value that a layer itself holds under a name: nothing of the program's is called for it."""
    state = layer.__dict__
    homes = (state, state.get("_parameters", {}), state.get("_buffers", {}))
    return next((home[name] for home in homes if name in home), None)

"""The inputs of a target: NAME=VALUE, a file .npz, or the cases that its module yields."""

from __future__ import annotations

import inspect
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zipfile import BadZipFile, is_zipfile

import numpy as np

from ...check.foreign.border import raised_there, said, theirs
from ...engine.tensor import Tensor
from ...errors import InputError
from ...spec.guard.limits import Limits
from ...spec.input.named_inputs import Binding
from ...spec.input.source import read
from .wanted import PythonTarget

CASES = "gradcli_cases"


def cases(
    target: PythonTarget, module: Any, function: Any, given: Sequence[Binding], seed: int, limits: Limits
) -> Iterator[tuple[str, Any]]:
    """The inputs to check a function with, each with the name of its case; one that is given alone has none."""
    values: dict[str, Any] = {}
    if target.data is not None:
        values |= _from_file(target.data)
    values |= _evaluated(given, [name for name in target.held if name not in values], seed, limits)
    if values:
        yield "", values
        return
    for case, found in _from_module(module, function, target.text.rpartition(":")[2]):
        for name in target.held:
            if isinstance(found, dict) and name not in found:
                raise InputError(f"--no-grad {name}: there is no input {name}", code="E503")
        yield case, found


def _evaluated(given: Sequence[Binding], held: Sequence[str], seed: int, limits: Limits) -> dict[str, Any]:
    """The values of NAME=VALUE as arrays, in the language of specs."""
    if not given:
        return {}
    from ...spec.program import Program

    names = [binding.name for binding in given]
    spec = read(f"({', '.join(names)},)", kind="expression")
    program = Program(spec, bindings=list(given), no_grad=held, dtype="float64", limits=limits, seed=seed)
    found = program.run(echo=False).value
    return {name: np.array(x._a) if isinstance(x, Tensor) else x for name, x in zip(names, found, strict=True)}


def _from_file(path: str) -> dict[str, Any]:
    if not os.path.isfile(path):
        raise InputError(f"there is no file '{path}'", help="numpy.savez writes one: @inputs.npz", code="E501")
    help = "write it with numpy.savez(path, x=..., y=...)"
    if not is_zipfile(path):
        raise InputError(f"'{path}' is no .npz file", help=help, code="E501")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(f"'{path}' is no file of arrays: {said(error)}", help=help, code="E501") from None


def _from_module(module: Any, function: Any, name: str) -> Iterator[tuple[str, Any]]:
    make = getattr(module, CASES, None)
    if make is None:
        words = f"{name} has no inputs"
        raise InputError(words, help=f"give {_example(function)}, or write {CASES}() in its module", code="E503")
    try:
        made = theirs(make)
        every = list(made.items() if isinstance(made, Mapping) else theirs(list, made))
    except raised_there() as error:
        raise InputError(f"{CASES}() stops: {said(error)}", help="it yields dicts of inputs", code="E503") from error
    found = [_case(number, each) for number, each in enumerate(every)]
    mine = [(case, x) for case, x in found if case == name or case.startswith((f"{name}-", f"{name} ", f"{name}."))]
    fitting = mine or [(case, x) for case, x in found if _binds(function, x)]
    if not fitting:
        words = f"{CASES}() yields no inputs that fit {name}"
        raise InputError(words, help=f"yield a dict such as {{{_names(function)}}}", code="E503")
    yield from fitting


def _case(number: int, each: Any) -> tuple[str, Any]:
    """A case with its name: a pair of both, or the inputs alone."""
    named = isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str)
    name, values = each if named else (f"case {number}", each)
    if not isinstance(values, (Mapping, tuple)):
        words = f"{CASES}() yields {type(values).__name__}, which is no dict of inputs"
        raise InputError(words, help="yield {'x': ...}, or a name and that", code="E503")
    return name, dict(values) if isinstance(values, Mapping) else values


def _called(function: Any) -> Any:
    return getattr(function, "forward", function) if hasattr(function, "named_parameters") else function


def _binds(function: Any, values: Any) -> bool:
    try:
        signature = inspect.signature(_called(function))
        signature.bind(**values) if isinstance(values, dict) else signature.bind(*values)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _parameters(function: Any) -> list[str]:
    try:
        return [p.name for p in inspect.signature(_called(function)).parameters.values() if p.default is p.empty]
    except (TypeError, ValueError):
        return ["x"]


def _example(function: Any) -> str:
    names = _parameters(function) or ["x"]
    return " ".join(f"{name}='randn(3)'" for name in names)


def _names(function: Any) -> str:
    return ", ".join(f"'{name}': ..." for name in _parameters(function) or ["x"])

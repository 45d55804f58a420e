"""Functions of NumPy's, `FILE::f`: their inputs are arrays, and what they return is a tensor with its graph."""

from __future__ import annotations

import ast
from typing import Any

from ...engine.tensor import Tensor
from ..guard.size_limits import caps
from ..language.calls import caller
from ..language.machine import Machine

_OTHERS = ("torch", "gradcli")


def is_of_numpy(tree: ast.Module) -> bool:
    """True of a program that imports NumPy or SciPy, and not PyTorch."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return not found.isdisjoint(("numpy", "scipy")) and found.isdisjoint(_OTHERS)


def as_array(machine: Machine, value: Any) -> Any:
    """An input as such a function takes it: an array with a derivative, or a constant one of NumPy's own."""
    if not isinstance(value, Tensor):
        return value
    return _asked(machine, "ndarray", value) if value.requires_grad else value.numpy()


def as_tensors(machine: Machine, value: Any) -> Any:
    """A result with tensors in place of its arrays."""
    if isinstance(value, (tuple, list)):
        return type(value)([as_tensors(machine, part) for part in value])
    return _asked(machine, "tensor_of", value) if _asked(machine, "is_array", value) else value


def _asked(machine: Machine, name: str, value: Any) -> Any:
    return caller(machine)(caps.library("_traced")[name], (value,), {})

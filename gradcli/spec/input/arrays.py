"""Functions of NumPy's, `FILE::f`: their inputs are arrays, and what they return is a tensor with its graph."""

from __future__ import annotations

import ast
from typing import Any

from ...engine.tensor import Tensor
from ..language.calls import caller
from ..language.machine import Machine
from ..values.members import get
from .parse import nodes_of

_OTHERS = ("torch", "gradcli")


def is_of_numpy(tree: ast.Module) -> bool:
    """True of a program that imports NumPy or SciPy, and not PyTorch."""
    found: set[str] = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return not found.isdisjoint(("numpy", "scipy")) and found.isdisjoint(_OTHERS)


def parameters_of(tree: ast.Module, target: str | None) -> set[str] | None:
    """The names of a function's parameters; None where no function is named, or it is none that the program writes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == target:
            of = node.args
            return {a.arg for a in (*of.posonlyargs, *of.args, *of.kwonlyargs)}
    return None


class Arrays:
    """Between tensors and the arrays of one run, whose class is its own."""

    def __init__(self, machine: Machine) -> None:
        self._call = caller(machine)
        self._class = machine.library("_traced")["ndarray"]

    def of(self, value: Any) -> Any:
        """An input as such a function takes it: an array with a derivative, or a constant one of NumPy's own."""
        if not isinstance(value, Tensor):
            return value
        return self._call(self._class, (value,), {}) if value.requires_grad else value.numpy()

    def tensors(self, value: Any) -> Any:
        """A result with tensors in place of its arrays."""
        if type(value) in (tuple, list):
            return type(value)([self.tensors(part) for part in value])
        if type(value) is dict:
            return {key: self.tensors(part) for key, part in value.items()}
        return self.tensor(value)

    def tensor(self, value: Any) -> Any:
        """The tensor inside an array; all else as it is."""
        return get(value, "_tensor") if type(value) is self._class else value

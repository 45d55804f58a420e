"""Statements that only show what they read: `print(f"{loss.item():.4f}")`. What they read goes into no other number."""

from __future__ import annotations

import ast
from functools import cached_property

from ..input.parse import nodes_of, nodes_of_kind

# Calls whose results are made of what they are given, and that keep nothing.
_FUNCTIONS = frozenset((
    "abs", "bool", "dict", "enumerate", "float", "format", "int", "len", "list", "max", "min", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip",
))  # fmt: skip
_METHODS = frozenset((
    "abs", "all", "allclose", "any", "argmax", "argmin", "center", "clone", "cos", "count_nonzero", "cpu", "detach",
    "diff", "dim", "double", "equal", "exp", "flatten", "float", "format", "int", "isclose", "isfinite", "isnan",
    "item", "items", "join", "keys", "ljust", "log", "log10", "long", "max", "mean", "median", "min", "norm", "numel",
    "numpy", "ravel", "reshape", "rjust", "round", "sin", "size", "softmax", "sort", "sqrt", "square", "squeeze", "std",
    "sum", "tanh", "tolist", "topk", "unsqueeze", "values", "var", "view",
))  # fmt: skip
# What a class of a program may define without being given numbers by what looks like no call.
_SILENT = frozenset((
    "__enter__", "__exit__", "__init__", "__iter__", "__len__", "__next__", "__post_init__", "__repr__", "__str__",
))  # fmt: skip
_KEEPING = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Starred, ast.Yield, ast.YieldFrom)


class OnlyShown:
    """Which statements of a program only show what they read."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._known: dict[ast.AST | None, bool] = {None: False}

    def __call__(self, statement: ast.AST | None) -> bool:
        """Tell whether a statement does nothing with what it reads but print it."""
        found = self._known.get(statement)
        if found is None:
            found = self._known[statement] = statement is not None and self._shows(statement)
        return found

    def _shows(self, statement: ast.AST) -> bool:
        call = statement.value if isinstance(statement, ast.Expr) else statement
        if not (isinstance(call, ast.Call) and self._is_print(call) and self._given_to_calls_alone):
            return False
        inner = [node for part in (*call.args, *(word.value for word in call.keywords)) for node in ast.walk(part)]
        return not any(
            isinstance(node, _KEEPING) or (isinstance(node, ast.Call) and not self._keeps_nothing(node.func))
            for node in inner
        )

    def _is_print(self, call: ast.Call) -> bool:
        plain = isinstance(call.func, ast.Name) and call.func.id == "print" and "print" not in self._bound
        return plain and all(word.arg in ("sep", "end", "flush") for word in call.keywords)

    def _keeps_nothing(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name):
            return function.id in _FUNCTIONS - self._bound
        return isinstance(function, ast.Attribute) and function.attr in _METHODS - self._bound

    @cached_property
    def _bound(self) -> set[str]:
        """Names that the program gives a meaning of its own, be it in a class."""
        found = {node.id for node in nodes_of_kind(self.tree, ast.Name) if not isinstance(node.ctx, ast.Load)}
        found |= {node.attr for node in nodes_of_kind(self.tree, ast.Attribute) if not isinstance(node.ctx, ast.Load)}
        found |= {node.arg for node in nodes_of_kind(self.tree, ast.arg)}
        for node in nodes_of(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.alias):
                found.add(node.asname or node.name)
        return found

    @cached_property
    def _given_to_calls_alone(self) -> bool:
        """Tell whether the program's classes are given numbers by calls only: no operator and no index is its own."""
        return not any(
            name.startswith("__") and name.endswith("__") and name not in _SILENT
            for name in (node.name for node in nodes_of_kind(self.tree, ast.FunctionDef))
        )

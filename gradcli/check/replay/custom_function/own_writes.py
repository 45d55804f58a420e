"""Writes of a method to what it has made itself: whoever calls it again finds nothing changed by them.

A tensor or a list is its own where every assignment to that name makes a new one. An argument is from the statement on
that puts a new one in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

# Methods of lists that write to those, and of tensors what is no op.
_OF_LISTS, _OF_TENSORS = frozenset(("append", "extend", "insert", "reverse")), frozenset(("copy_", "zero_"))
# What makes something new of whatever it is given, or has no parts that could be written to.
_NEW = ast.BinOp, ast.Compare, ast.Constant, ast.List, ast.ListComp


class _Made(NamedTuple):
    """A value that one assignment gives to a name."""

    name: ast.Name
    value: ast.expr
    # Whether no condition and no loop is around it.
    always: bool


def own_writes(
    method: ast.FunctionDef, nodes: list[ast.AST], is_op: Callable[[str], bool], making: Collection[str]
) -> set[ast.AST] | None:
    """The nodes that write to what the method made itself: augmented assignments, items that are assigned to, and the
    names of methods that write. None where anything else may be written to.

    ``making``: the names of calls that make tensors which nothing else holds.
    """
    known = _Own(method, nodes, making)
    found: set[ast.AST] = set()
    for node in nodes:
        written: ast.AST = node
        tensors = False
        if isinstance(node, ast.AugAssign):
            written, tensors = node.target, isinstance(node.target, ast.Subscript)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            tensors = name in _OF_TENSORS or (name.endswith("_") and is_op(name[:-1]))
            if not tensors and name not in _OF_LISTS:
                continue
            written = node.func.value
        elif not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
            continue
        elif node in found:
            # It is what an augmented assignment is to.
            continue
        if isinstance(written, ast.Subscript) and (written is not node or isinstance(written.value, ast.Subscript)):
            # A part of a list may be what somebody else holds.
            tensors = True
        if not known.is_own(_base(written), tensors):
            return None
        found |= {node, written} if not isinstance(node, ast.Call) else {node.func}
    return found


class _Own:
    """Which names of a method hold what nobody else does."""

    def __init__(self, method: ast.FunctionDef, nodes: list[ast.AST], making: Collection[str]) -> None:
        self._making = making
        self._made: dict[str, list[_Made]] = {}
        self._others: set[str] = set()
        given = (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)
        self._given = {x.arg for x in given}
        self._others |= {x.arg for x in (method.args.vararg, method.args.kwarg) if x is not None}
        always = set(method.body)
        known: set[ast.AST] = set()
        for node in nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name, value in (pair for target in targets for pair in _pairs(target, node.value)):
                    self._made.setdefault(name.id, []).append(_Made(name, value, node in always))
                    known.add(name)
            elif isinstance(node, ast.AugAssign):
                known.add(node.target)
        stored = (node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        self._others |= {node.id for node in stored if node not in known}
        # Names of functions inside are others.
        self._is_simple = not any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in nodes)

    def is_own(self, name: ast.Name | None, tensors: bool) -> bool:
        """Tell whether what a name holds where it is written to was made here, and is a tensor if that is asked."""
        if name is None or name.id in self._others or not self._is_simple:
            return False
        made = self._made.get(name.id, [])
        if name.id in self._given and not any(one.always and one.name.lineno < name.lineno for one in made):
            return False
        return bool(made) and all(self._is_tensor(x.value) or not (tensors or not _is_new(x.value)) for x in made)

    def _is_tensor(self, value: ast.expr) -> bool:
        """Tell whether it is a call that makes a tensor which nothing else holds."""
        called = value.func if isinstance(value, ast.Call) else None
        return isinstance(called, ast.Attribute) and called.attr in self._making


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that an assignment gives values to, as far as it is written which ones."""
    if isinstance(target, ast.Name):
        yield target, value
        return
    parts = [x.elts if isinstance(x, ast.Tuple) else [] for x in (target, value)]
    if len(parts[0]) == len(parts[1]) and not any(isinstance(x, ast.Starred) for some in parts for x in some):
        for part, its in zip(*parts, strict=True):
            yield from _pairs(part, its)


def _base(written: ast.AST) -> ast.Name | None:
    """The name whose value, or a part of it, is written to."""
    while isinstance(written, ast.Subscript):
        written = written.value
    return written if isinstance(written, ast.Name) else None


def _is_new(value: ast.expr) -> bool:
    return isinstance(value, _NEW) or (isinstance(value, ast.UnaryOp) and not isinstance(value.op, ast.UAdd))

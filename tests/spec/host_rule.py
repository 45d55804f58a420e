"""Where a source file of the host takes a name, a template or an object for an attribute, and not a literal one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Use(NamedTuple):
    """One use: the function that it is in, what is used, and how."""

    function: str
    kind: str
    text: str


_WITH_NAME = ("getattr", "setattr", "delattr", "hasattr")
_NEVER = ("vars", "eval", "exec", "compile", "globals", "locals", "__import__")
_RAW = ("__getattribute__", "__setattr__", "__delattr__", "__getattr__")
_BY_NAME = ("attrgetter", "methodcaller")
_FILLING = ("format", "format_map", "vformat")


# One of these stands in each file that has a use.
WORDS = "|".join((*_WITH_NAME, *_NEVER, *_RAW, *_BY_NAME, *_FILLING, "import_module", "__dict__", "%"))


def uses(tree: ast.Module) -> Iterator[Use]:
    """The uses in a source file."""
    yield from _within(tree, (), set())


def _within(node: ast.AST, path: tuple[str, ...], fixed: set[int]) -> Iterator[Use]:
    table = _asked_by_literal(node)
    if table is not None:
        fixed.add(id(table))
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        inner = (*path, child.name) if named else path  # type: ignore[attr-defined]
        kind = None if id(child) in fixed else _kind(child)
        if kind is not None:
            yield Use(".".join(path) or "<module>", kind, ast.unparse(child))
        yield from _within(child, inner, fixed)


def _kind(node: ast.AST) -> str | None:
    """What is used by a node that is not beyond doubt, or None."""
    if isinstance(node, ast.Call):
        return _called(node)
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return "__dict__"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return "%" if _may_be_template(node) else None
    return None


def _called(node: ast.Call) -> str | None:
    function = node.func
    plain = isinstance(function, ast.Name)
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in _BY_NAME:
        return name
    if plain and name in _WITH_NAME:
        return name if len(node.args) < 2 or not _literal(node.args[1]) else None
    if plain and name in _NEVER:
        return name
    if name == "import_module":
        return None if node.args and _literal(node.args[0]) else name
    if not plain and name in _FILLING and isinstance(function, ast.Attribute):
        return None if _literal(function.value) else name
    if not plain and name in _RAW:
        place = 2 if name == "__setattr__" else 1
        return name if len(node.args) < place or not _literal(node.args[-place]) else None
    return None


def _asked_by_literal(node: ast.AST) -> ast.expr | None:
    """The ``x.__dict__`` of ``x.__dict__["name"]``, ``x.__dict__.get("name")`` and ``"name" in x.__dict__``."""
    if isinstance(node, ast.Subscript):
        return node.value if _literal(node.slice) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, args, keywords = node.func.attr, node.args, node.keywords
        asked = method in ("get", "pop", "setdefault") and args and _literal(args[0])
        told = method == "update" and not args and all(k.arg for k in keywords)
        return node.func.value if asked or told else None
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return node.comparators[0] if _literal(node.left) else None
    return None


def _literal(node: ast.expr) -> bool:
    """Whether an expression is written out, or is a constant of its module."""
    constant = isinstance(node, ast.Name) and node.id.isupper()
    return constant or isinstance(node, ast.Constant)


def _may_be_template(node: ast.BinOp) -> bool:
    """Whether a ``%`` may fill in a text: unless its left side is a literal, or looks like a number."""
    if isinstance(node.left, (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Call, ast.UnaryOp)):
        return isinstance(node.left, ast.Call) and isinstance(node.right, (ast.Tuple, ast.Dict))
    words = ast.unparse(node.left).lower()
    hints = ("text", "template", "message", "words", "format", "shown", "said")
    return isinstance(node.right, (ast.Tuple, ast.Dict)) or any(hint in words for hint in hints)

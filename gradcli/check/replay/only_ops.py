"""Programs that name nothing but ops: what such a one computes, its graph shows, and it does the same each time.

Numbers leave a graph by what has a name (`detach`, `data`, `grad`, `no_grad`, a class, a write), or they are noted when
they do: as a number that is read, or as whole numbers and truth values that are made of them. A program without such
names need not be run again to see that it does as its graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from types import FunctionType
from weakref import WeakKeyDictionary

from ...engine.tensor import Tensor
from ...spec.input.parse import nodes_of, nodes_of_kind
from ...spec.torch_names.names import NAMESPACES
from ...spec.values.user_definitions import MISSING

# The rooms of ops, that of what makes tensors of anything, and what there makes them of no numbers.
_OPS = f"{Tensor.__module__.rpartition('.')[0]}.ops."
_CALLS = f"{Tensor.__module__.rpartition('.')[0]}.calls."
_MAKE = f"{_OPS}make."
_MADE = frozenset(("arange", "clone", "contiguous", "eye", "ones", "ones_like", "zeros", "zeros_like"))
# What is called by its own name alone: it makes tensors, of numbers that are written down; and layers that write to
# running means, which their second and third argument are.
_TENSOR, _WRITING = "tensor", frozenset(("batch_norm", "instance_norm"))
_CALLED = _WRITING | {_TENSOR}
_MODULES = frozenset(("torch", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.special"))
_NAMED = frozenset((
    "T", "backward", "float64", "functional", "linalg", "mT", "manual_seed", "ndim", "nn", "numel", "set_default_dtype",
    "shape", "size", "special", "torch", _TENSOR,
))  # fmt: skip
_BUILTINS = frozenset(("enumerate", "len", "print", "range", "sum", "torch", "zip"))
# What may do more than its names say, and arguments that are written to.
_OTHERS = frozenset((
    ast.Assert, ast.AsyncFunctionDef, ast.AugAssign, ast.Await, ast.ClassDef, ast.Delete, ast.Global, ast.JoinedStr,
    ast.Nonlocal, ast.Raise, ast.Try, ast.With, ast.Yield, ast.YieldFrom,
))  # fmt: skip
_WRITTEN = frozenset(("inplace", "out"))
_WRITTEN_DOWN = frozenset((ast.Constant, ast.List, ast.Load, ast.Tuple, ast.UAdd, ast.USub, ast.UnaryOp))

_known: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()


def names_only_ops(tree: ast.Module) -> bool:
    """True of a program that names nothing but ops, tensors of numbers that are written down, and its own variables."""
    found = _known.get(tree)
    if found is None:
        found = _known[tree] = all(_is_harmless(tree))
    return found


def _is_harmless(tree: ast.Module) -> Iterator[bool]:
    yield _OTHERS.isdisjoint(map(type, nodes_of(tree)))
    yield all(_is_op(name) for name in _names(tree))
    yield all(type(node.ctx) is ast.Load for node in nodes_of_kind(tree, ast.Attribute))
    yield all(type(node.ctx) is ast.Load for node in nodes_of_kind(tree, ast.Subscript))
    yield all(node.arg not in _WRITTEN for node in nodes_of_kind(tree, ast.keyword))
    calls = [(_name_of(call.func), call) for call in nodes_of_kind(tree, ast.Call)]
    references = [*nodes_of_kind(tree, ast.Attribute), *nodes_of_kind(tree, ast.Name)]
    yield sum(_name_of(node) in _CALLED for node in references) == sum(name in _CALLED for name, _ in calls)
    for name, call in calls:
        if name == _TENSOR:
            yield len(call.args) == 1 and _is_written_down(call.args)
        elif name in _WRITING:
            yield len(call.args) > 2 and _is_written_down(call.args[1:3])


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _names(tree: ast.Module) -> Iterator[str]:
    """All names that the program does not give itself, of whatever they are."""
    yield from {node.attr for node in nodes_of_kind(tree, ast.Attribute)}
    own = {node.arg for node in nodes_of_kind(tree, ast.arg)} | {x.name for x in nodes_of_kind(tree, ast.FunctionDef)}
    names = nodes_of_kind(tree, ast.Name)
    own |= {node.id for node in names if type(node.ctx) is not ast.Load}
    for statement in nodes_of_kind(tree, ast.Import):
        yield from {"" for alias in statement.names if alias.name not in _MODULES}
        own |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    for imported in nodes_of_kind(tree, ast.ImportFrom):
        known = imported.module in _MODULES
        yield from {alias.name if known and alias.name not in _CALLED else "" for alias in imported.names}
        own |= {alias.asname or alias.name for alias in imported.names}
    yield from {node.id for node in names} - own - _BUILTINS


@cache
def _is_op(name: str) -> bool:
    """True of a name that is that of an op wherever there is such a name, or says nothing of numbers."""
    if name in _NAMED or name in _MADE:
        return True
    if name.endswith("_"):
        return False
    found = [NAMESPACES[module].find(name) for module in _MODULES]
    found = [value for value in (*found, getattr(Tensor, name, MISSING)) if value is not MISSING]
    rooms = [value.__module__ if isinstance(value, FunctionType) else "" for value in found]
    return bool(rooms) and all(room.startswith((_OPS, _CALLS)) and not room.startswith(_MAKE) for room in rooms)


def _is_written_down(parts: Iterable[ast.expr]) -> bool:
    return all(_WRITTEN_DOWN.issuperset(map(type, ast.walk(part))) for part in parts)

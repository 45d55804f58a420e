"""Programs that name nothing but ops: what such a one computes, its graph shows, and it does the same each time.

Numbers leave a graph by what has a name (`detach`, `data`, `grad`, `no_grad`, a class, a write), or they are noted when
they do: as a number that is read, or as whole numbers and truth values that are made of them. A program without such
names need not be run again to see that it does as its graph. Nor need one with Functions whose methods name nothing but
ops and what they are given: the graph calls them as the program does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from ...engine.function import FunctionNode
from ...engine.tape.entry import Operand, entry_of
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
    "T", "autograd", "backward", "float64", "functional", "linalg", "mT", "manual_seed", "ndim", "nn", "numel", "set_default_dtype",
    "shape", "size", "special", "torch", _TENSOR,
))  # fmt: skip
_BUILTINS = frozenset(("enumerate", "len", "print", "range", "sum", "torch", "zip"))
# What a Function may be called, where that is imported from, what its methods are, and what they keep things with.
_BASES = "Function", "autograd.Function", "torch.autograd.Function"
_FUNCTION = "torch.autograd", "Function"
_METHODS = frozenset(("backward", "forward", "setup_context"))
_CONTEXT = frozenset(("needs_input_grad", "save_for_backward", "saved_tensors", "set_materialize_grads"))
# What may do more than its names say, and arguments that are written to.
_OTHERS = frozenset((
    ast.Assert, ast.AsyncFunctionDef, ast.AugAssign, ast.Await, ast.ClassDef, ast.Delete, ast.Global, ast.JoinedStr,
    ast.Nonlocal, ast.Raise, ast.Try, ast.With, ast.Yield, ast.YieldFrom,
))  # fmt: skip
_WRITTEN = frozenset(("inplace", "out"))
_WRITTEN_DOWN = frozenset((ast.Constant, ast.List, ast.Load, ast.Tuple, ast.UAdd, ast.USub, ast.UnaryOp))

# What holds no tensor.
_PLAIN = frozenset((bool, complex, float, int, str))

_known: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()


def names_only_ops(tree: ast.Module) -> bool:
    """True of a program that names nothing but ops, tensors of numbers that are written down, and its own variables."""
    found = _known.get(tree)
    if found is None:
        modules = set(_imported(tree)) if any(nodes_of_kind(tree, ast.ClassDef)) else set()
        functions = {x.name: x for x in tree.body if isinstance(x, ast.ClassDef) and _is_function(x, modules)}
        rest = tree
        if functions:
            rest = ast.Module([x for x in tree.body if functions.get(getattr(x, "name", "")) is not x], [])
        found = _known[tree] = all(_is_harmless(rest, set(functions)))
    return found


def _is_function(made: ast.ClassDef, modules: set[str]) -> bool:
    """True of a Function whose methods name nothing but ops, what they are given, and what they keep."""
    if made.decorator_list or made.keywords or len(made.bases) != 1 or _dotted(made.bases[0]) not in _BASES:
        return False
    methods = {x: x.name for x in made.body if isinstance(x, ast.FunctionDef)}
    rest = [x for x in made.body if x not in methods and not _is_docstring(x)]
    kept = {x.attr for x in nodes_of_kind(made, ast.Attribute) if type(x.ctx) is ast.Store}
    with_context = _METHODS - ({"forward"} if "setup_context" in methods.values() else set())
    return not rest and all(
        name in _METHODS and _is_method(x, modules, kept, name in with_context) for x, name in methods.items()
    )


def is_given_more(node: FunctionNode) -> bool:
    """True of a Function that was given what its edges do not show: tensors in a list, or what may hold some."""
    entry = entry_of(node)
    return entry is None or not all(type(x) is Operand or is_plain(x) for x in entry.args)


def is_plain(x: Any) -> bool:
    """True of numbers, text, and lists of those."""
    return all(map(is_plain, x)) if type(x) is tuple or type(x) is list else x is None or type(x) in _PLAIN


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_method(method: ast.FunctionDef, modules: set[str], kept: set[str], with_context: bool) -> bool:
    """True of a static method; ``kept``: what the methods keep as attributes of their context."""
    given = method.args
    names = {x.arg for x in nodes_of_kind(given, ast.arg)}
    context = given.args[0].arg if with_context and given.args else ""
    static = [_dotted(x) for x in method.decorator_list] == ["staticmethod"]
    if not static or given.defaults or given.kw_defaults or kept & _CONTEXT:
        return False
    return all(_is_harmless(ast.Module(method.body, []), set(), modules | names, context, kept))


def _is_harmless(
    tree: ast.Module, functions: set[str], given: Iterable[str] = (), context: str = "", kept: Iterable[str] = ()
) -> Iterator[bool]:
    """Tell it part by part; ``functions``: whose ``apply`` may be called, ``given``: names that are known, ``context``:
    what a method keeps things in, ``kept``: these."""
    yield _OTHERS.isdisjoint(map(type, nodes_of(tree)))
    attributes = []
    for node in nodes_of_kind(tree, ast.Attribute):
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if context and owner == context:
            yield node.attr in _CONTEXT or node.attr in kept
        elif owner not in functions or node.attr != "apply":
            attributes.append(node)
    yield all(_is_op(name) for name in {*[node.attr for node in attributes], *_names(tree, {*functions, *given})})
    yield all(type(node.ctx) is ast.Load for node in attributes)
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


def _dotted(node: ast.expr) -> str:
    """A name as it is written, with what it is looked up in."""
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else _name_of(node)


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _names(tree: ast.Module, own: set[str]) -> Iterator[str]:
    """All names that the program does not give itself, except attributes; ``own``: those that are known."""
    own |= {node.arg for node in nodes_of_kind(tree, ast.arg)} | {x.name for x in nodes_of_kind(tree, ast.FunctionDef)}
    names = nodes_of_kind(tree, ast.Name)
    own |= {node.id for node in names if type(node.ctx) is not ast.Load}
    for statement in nodes_of_kind(tree, ast.Import):
        yield from {"" for alias in statement.names if alias.name not in _MODULES}
    for imported in nodes_of_kind(tree, ast.ImportFrom):
        known = imported.module in _MODULES
        yield from {
            alias.name if known and alias.name not in _CALLED else "" for alias in imported.names
            if (imported.module, alias.name) != _FUNCTION
        }  # fmt: skip
    yield from {node.id for node in names} - own - set(_imported(tree)) - _BUILTINS


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names that a program gives what it imports."""
    for statement in nodes_of_kind(tree, ast.Import):
        yield from [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    for imported in nodes_of_kind(tree, ast.ImportFrom):
        yield from [alias.asname or alias.name for alias in imported.names]


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

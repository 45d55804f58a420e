"""Which name lives where: decided once, before a program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..input.parse import nodes_of_kind, parts_of

# The key of an environment's outer environment; no name of a program can be a number.
UP = 0

# Kinds of nodes, most in most programs, that bind no names; and those of them that have no parts.
_PLAIN = frozenset((ast.Assign, ast.Attribute, ast.BinOp, ast.Call, ast.Expr, ast.List, ast.UnaryOp, ast.keyword))
_SIMPLE = frozenset((ast.Constant, ast.Load, ast.Store, ast.USub, ast.Add, ast.Sub, ast.Mult, ast.Div))


class Scope:
    """The names of a module, a function, a comprehension or a class body."""

    def __init__(self, kind: str, outer: Scope | None, names: Iterable[str] = ()) -> None:
        self.kind = kind
        self.outer = outer
        # Those of a function, as Python lists them.
        self.parameters: tuple[str, ...] = ()
        self.names = set(names)
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        # What was done with names so far: a declaration may not come after that.
        self.seen: dict[str, str] = {}

    def place(self, name: str) -> tuple[str, int]:
        """Where a name is found: ("local" | "class" | "outer" | "global", how many environments up)."""
        hops = 0
        scope: Scope | None = self
        while scope is not None and scope.kind != "module":
            if name in scope.globals:
                return "global", 0
            hidden = scope.kind == "class" and scope is not self
            if name in scope.names and not hidden:
                kind = "class" if scope.kind == "class" else "local" if scope is self else "outer"
                return kind, hops
            scope = scope.outer
            hops += 1
        return "global", 0


class _Bound(NamedTuple):
    """The names that a statement binds, and those that it declares to be elsewhere."""

    names: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]


# A program that is run again is compiled again, from the same statements.
_bound: WeakKeyDictionary[ast.AST, _Bound] = WeakKeyDictionary()


def assigned(body: Iterable[ast.AST], scope: Scope) -> None:
    """Note in ``scope`` every name that statements bind, but not those that inner functions bind."""
    for statement in body:
        found = _bound_by(statement)
        scope.names |= found.names
        scope.globals |= found.globals
        scope.nonlocals |= found.nonlocals
    scope.names -= scope.globals | scope.nonlocals


def _bound_by(statement: ast.AST) -> _Bound:
    found = _bound.get(statement)
    if found is None:
        scope = Scope("function", None)
        _note(statement, scope)
        found = _bound[statement] = _Bound._make(map(frozenset, (scope.names, scope.globals, scope.nonlocals)))
    return found


def _note(statement: ast.AST, scope: Scope) -> None:
    stack = [statement]
    while stack:
        node = stack.pop()
        if type(node) is ast.Name:
            if type(node.ctx) is not ast.Load:
                scope.names.add(node.id)
            continue
        if type(node) in _PLAIN:
            stack += [part for part in parts_of(node) if type(part) not in _SIMPLE]
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope.names.add(node.name)
            stack.extend(node.decorator_list)
            continue
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            # Of all that is bound in it, only what := binds lives around it.
            stack.extend(n.target for n in _named_in(node))
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            scope.names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.names.add(node.rest)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            scope.names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Global):
            scope.globals.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocals.update(node.names)
        stack += parts_of(node)


def _named_in(comprehension: ast.AST) -> Iterator[ast.NamedExpr]:
    """The assignment expressions in a comprehension, functions in it aside."""
    stack = parts_of(comprehension)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.NamedExpr):
            yield node
        if not isinstance(node, ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, in order."""
    found = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        found.append(arguments.vararg)
    found += arguments.kwonlyargs
    if arguments.kwarg:
        found.append(arguments.kwarg)
    return found


def listed(arguments: ast.arguments) -> tuple[str, ...]:
    """The names of all parameters of a function as Python lists its variables."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return tuple([a.arg for a in named if a is not None])


def global_names(tree: ast.Module) -> set[str]:
    """Every name that a program may bind at its outermost level."""
    module = Scope("module", None)
    assigned(tree.body, module)
    return module.names.union(*(node.names for node in nodes_of_kind(tree, ast.Global)))


def mangled(name: str, owner: str | None) -> str:
    """A private name as Python writes it inside a class."""
    if owner is None or not name.startswith("__") or name.endswith("__") or not owner.strip("_"):
        return name
    return f"_{owner.lstrip('_')}{name}"


# What the names of narrower numbers mean where a program is read in float64.
WIDE = {
    "float": "double", "float32": "float64", "half": "double", "float16": "float64", "bfloat16": "double",
    "complex64": "complex128", "cfloat": "cdouble", "FloatTensor": "DoubleTensor",
}  # fmt: skip
# And what texts mean that name them.
WIDE_TEXTS = {
    "float32": "float64", "torch.float32": "torch.float64", "torch.FloatTensor": "torch.DoubleTensor",
    "complex64": "complex128", "torch.complex64": "torch.complex128",
    "f4": "f8", "<f4": "<f8", "f2": "f8", "<f2": "<f8", "c8": "c16", "<c8": "<c16",
}  # fmt: skip

"""Constants, and names: where a value is found that a program speaks of."""

from __future__ import annotations

import ast
import sys
from typing import Any

from ..guard import limits as limits_
from ..guard.size_limits import MOST
from ..torch_names.names import bare
from ..values.user_definitions import BOUND, MISSING, is_special
from .compiler import Code, Compiler, compiles
from .exception_marks import mark
from .machine import Machine
from .scopes import UP, WIDE_TEXTS


@compiles(ast.Constant)
def _constant(c: Compiler, node: ast.Constant) -> Code:
    value = node.value
    if type(value) is int and value > MOST:
        raise c.placed(limits_.integer_too_large(), node)
    if type(value) is str:
        if c.machine.wide:
            value = WIDE_TEXTS.get(value, value)
        if value.isascii() and value.replace("_", "a").isalnum():
            # Of a text that could be a name CPython has one object, to which programs compare by `is`.
            value = sys.intern(value)
    return lambda env: value


@compiles(ast.Name)
def _name(c: Compiler, node: ast.Name) -> Code:
    name = node.id
    c.scope.seen.setdefault(name, "used prior to")
    kind, hops = c.scope.place(name)
    if is_special(name) and kind != "class" and (name not in BOUND or (name not in c.bound and kind == "global")):
        return _special_name(c, node)
    if kind == "local":
        return compile_local(node, name)
    if kind == "outer":
        return compile_outer(node, name, hops)
    outside = _global(c, node, name)
    if c.scope.kind != "class":
        return outside

    def load(env: Any) -> Any:
        value = env.get(name, MISSING)
        return outside(env) if value is MISSING else value

    return load


def _special_name(c: Compiler, node: ast.Name) -> Code:
    """A name such as ``__name__``: what a program knows of itself, and a method of its class."""
    if node.id == "__class__":
        where, hops = c.scope.place(node.id)
        if where == "outer":
            return compile_outer(node, node.id, hops)
    known = {"__name__": c.machine.module or "__main__", "__doc__": c.doc, "__debug__": True}
    if c.file is not None:
        known["__file__"] = c.file
    if node.id in known:
        value = known[node.id]
        return lambda env: value

    def missing(env: Any) -> Any:
        error = NameError(f"name '{node.id}' is not defined")
        mark(error, node)
        raise error

    return missing


def own_name(c: Compiler, node: ast.AST) -> str | None:
    """The name of a variable that is, once it has a value, in the environment at hand; None for all else."""
    if type(node) is not ast.Name or is_special(node.id):
        return None
    kind, _ = c.scope.place(node.id)
    here = kind == "local" or (kind == "global" and c.scope.kind == "module" and node.id in c.bound)
    return node.id if here else None


def outermost_name(c: Compiler, node: ast.AST) -> str | None:
    """The name of a variable of the outermost level; None for all else."""
    if type(node) is not ast.Name or is_special(node.id) or c.scope.kind == "class" or node.id not in c.bound:
        return None
    return node.id if c.scope.place(node.id)[0] == "global" else None


def unbound_local(name: str) -> UnboundLocalError:
    """The error for a variable of a function that has no value yet, or no more."""
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


def compile_local(node: ast.Name, name: str) -> Code:
    """Code that reads a name of the environment it runs in."""

    def load(env: Any) -> Any:
        try:
            return env[name]
        except KeyError:
            error = unbound_local(name)
            mark(error, node)
            raise error from None

    return load


def compile_outer(node: ast.Name, name: str, hops: int) -> Code:
    """Code that reads a name of an environment further out."""

    def load(env: Any) -> Any:
        for _ in range(hops):
            env = env[UP]
        try:
            return env[name]
        except KeyError:
            error = NameError(
                f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            )
            mark(error, node)
            raise error from None

    return load


def _imported_with_all(machine: Machine, name: str) -> Any:
    """The value that a name has by ``from module import *``, or MISSING."""
    for space in reversed(machine.all_of if name[:1] != "_" else ()):
        value = space.find(name)
        if value is not MISSING:
            return value
    return MISSING


# The builtins of Python's that a program will never have: a NameError would be one that it can catch.
_NEVER = frozenset(("breakpoint", "compile", "eval", "exec", "help"))


def _refused(c: Compiler, node: ast.Name) -> Code:
    def refuse(env: Any) -> Any:
        raise c.refused(node, f"{node.id}() is not in the spec language: a program is read once", code="E204")

    return refuse


def _global(c: Compiler, node: ast.Name, name: str) -> Code:
    machine = c.machine
    names = machine.globals
    builtins = machine.builtins
    if name not in c.bound:
        value = _imported_with_all(machine, name)
        if value is MISSING and name in _NEVER and name not in builtins:
            return _refused(c, node)
        if value is MISSING:
            value = builtins[name] if name in builtins else bare(name)
        if value is not MISSING:
            return lambda env: value

    def load(env: Any) -> Any:
        try:
            return names[name]
        except KeyError:
            if name in builtins:
                return builtins[name]
            error = NameError(f"name '{name}' is not defined")
            mark(error, node)
            raise error from None

    return load

"""The tree of a program that has modules of its own: one, so that whoever looks through it sees all that may run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ...errors import GradcliError, Source
from ..guard.limits import Limits
from ..language.scopes import global_names
from .beside import absolute, package_of
from .parse import FILE, nodes_of_kind, parsed

# On a statement that imported all of a module.
STAR = "of_star"


class Beside(ast.Module):
    """The tree of a module, in that of the program that imports it."""

    name: str
    source: Source
    # Why it cannot be run.
    error: GradcliError | None


class Whole(ast.Module):
    """The tree of a program with those of its modules."""

    _fields = ("body", "type_ignores", "beside")
    beside: list[Beside]


def joined(tree: ast.Module, texts: Sequence[tuple[str, Source | GradcliError]], limits: Limits) -> Whole:
    """The tree of a program with those of its modules, of which every node knows its text."""
    whole = Whole(tree.body, [])
    whole.beside = []
    for name, text in texts:
        made = Beside([], [])
        made.name, made.error = name, None
        try:
            if isinstance(text, GradcliError):
                raise text
            made.source = text
            made.body = parsed(text, limits).body
        except GradcliError as error:
            made.source, made.error = Source(name, ""), error
        for node in ast.walk(made):
            setattr(node, FILE, made.source)
        whole.beside.append(made)
    modules = {module.name: module for module in whole.beside}
    named: set[ast.AST] = set()
    for module in whole.beside:
        _name_all(module, package_of(module.name, module.source), modules, named)
    _name_all(whole, "", modules, named)
    return whole


def _name_all(tree: ast.Module, package: str, modules: Mapping[str, Beside], named: set[ast.AST]) -> None:
    """Write out what ``import *`` means where it is from a module beside the program."""
    named.add(tree)
    for node in nodes_of_kind(tree, ast.ImportFrom):
        module = modules.get(absolute("." * node.level + (node.module or ""), package) or "")
        if module is None or [alias.name for alias in node.names] != ["*"]:
            continue
        if module not in named:
            _name_all(module, package_of(module.name, module.source), modules, named)
        star = node.names[0]
        node.names = [ast.copy_location(ast.alias(name), star) for name in _public(module)]
        setattr(node, STAR, True)


def _public(module: ast.Module) -> list[str]:
    """The names that a module gives to whoever imports all of it."""
    for statement in module.body:
        if isinstance(statement, ast.Assign) and [getattr(x, "id", "") for x in statement.targets] == ["__all__"]:
            parts = getattr(statement.value, "elts", [])
            return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return sorted(name for name in global_names(module) if not name.startswith("_"))

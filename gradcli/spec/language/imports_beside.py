"""Imports of modules beside the program, which run when they are imported."""

from __future__ import annotations

import ast
from typing import Any

from ..guard.notes import note
from ..input.beside import absolute, package_of
from ..input.whole import STAR
from ..torch_names.namespaces import NAMESPACES
from ..values.user_definitions import MISSING, Namespace
from .compiler import Code, Compiler
from .exception_marks import mark, marked
from .targets import compile_name


def own_import(c: Compiler, node: ast.Import) -> Code | None:
    """Code of an import of modules beside the program; None where it names none."""
    if not any(_is_own(c, alias.name) for alias in node.names):
        return None
    if len(node.names) > 1:
        each = [c.code(ast.copy_location(ast.Import([alias]), node)) for alias in node.names]

        def run_each(env: Any) -> None:
            for code in each:
                code(env)

        return run_each
    (alias,) = node.names
    store = compile_name(c, alias.asname or alias.name.partition(".")[0], node)

    def run(env: Any) -> None:
        first, last = _imported(c, alias.name, node)
        store(env, last if alias.asname else first)

    return run


def own_import_from(c: Compiler, node: ast.ImportFrom) -> Code | None:
    """Code of an import of names from a module beside the program; None where it is none."""
    machine = c.machine
    package = "" if machine.module is None else package_of(machine.module, machine.source)
    module = absolute("." * node.level + (node.module or ""), package)
    if module is None or not _is_own(c, module):
        return None
    stores = [(alias.name, compile_name(c, alias.asname or alias.name, node)) for alias in node.names]

    def run(env: Any) -> None:
        _, space = _imported(c, module, node)
        for name, store in stores:
            value = space.find(name)
            if value is MISSING and f"{module}.{name}" in machine.own:
                _, value = _imported(c, f"{module}.{name}", node)
            if value is not MISSING:
                store(env, value)
            elif not hasattr(node, STAR):
                error = ImportError(f"cannot import name '{name}' from '{module}' ({space.find('__file__')})")
                mark(error, node)
                raise error

    return run


def _is_own(c: Compiler, module: str) -> bool:
    """True of a module that lies beside the program; not of one that every program has by that name, which is said."""
    found = c.machine.own.get(module)
    if found is None or module not in NAMESPACES:
        return found is not None
    # A folder without a text would not be what Python imports either.
    if found.tree.error is not None or found.tree.source.text:
        note(f"the module {module} beside the program is not read: every program has one of that name")
    return False


def _imported(c: Compiler, module: str, node: ast.AST) -> tuple[Namespace, Namespace]:
    """A module that has run, and before it those that it is in: the outermost of them, and itself."""
    parts = module.split(".")
    try:
        spaces = [c.machine.own[".".join(parts[:n])]() for n in range(1, len(parts) + 1)]
    except marked(node):
        raise
    return spaces[0], spaces[-1]

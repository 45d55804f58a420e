"""Inputs that a program overwrites before it reads them: nobody would see that they count for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def overwriting(tree: ast.Module, name: str) -> ast.stmt | None:
    """The statement that gives a name a value of its own before anything reads what was given; None where none does."""
    for statement in tree.body:
        parts = list(ast.walk(statement))
        if any(isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Load) for x in parts):
            return None
        if isinstance(statement, ast.AugAssign) and name in _stored(statement.target):
            return None
        if name in _bound(statement):
            return statement
    return None


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds whatever happens."""
    match statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _stored(target)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
        case _:
            return


def _stored(target: ast.expr) -> Iterator[str]:
    for x in ast.walk(target):
        if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store):
            yield x.id

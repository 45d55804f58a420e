"""A program made as short as it can be while the same is wrong with it."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator

Test = Callable[[str], bool]


def shrunk(text: str, fails: Test, seconds: float = 20.0) -> str:
    """The shortest program found in which the same is wrong."""
    end = time.monotonic() + seconds
    before = None
    while before != text and time.monotonic() < end:
        before = text
        text = _without_lines(text, fails, end)
        text = _without_parts(text, fails, end)
    return text


def _without_lines(text: str, fails: Test, end: float) -> str:
    """Fewer lines: halves first, then quarters, down to one by one."""
    lines = text.split("\n")
    size = max(len(lines) // 2, 1)
    while True:
        at = 0
        while at < len(lines) and time.monotonic() < end:
            fewer = lines[:at] + lines[at + size :]
            if fewer and fails("\n".join(fewer)):
                lines = fewer
            else:
                at += size
        if size == 1:
            return "\n".join(lines)
        size = max(size // 2, 1)


def _without_parts(text: str, fails: Test, end: float) -> str:
    """Simpler expressions, one after the other."""
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for simpler in _simpler(text):
            if time.monotonic() > end:
                break
            if len(simpler) < len(text) and fails(simpler):
                text, progress = simpler, True
                break
    return text


def _simpler(text: str) -> Iterator[str]:
    """The program with one of its expressions or statements replaced by a part of it, or by nothing."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.AST):
                for i in range(len(value)):
                    kept = value[i]
                    smaller = [*value[:i], *value[i + 1 :]]
                    if isinstance(kept, ast.stmt):
                        for part in () if isinstance(kept, ast.Expr) else _parts_of_statement(kept):
                            yield from _with(tree, node, field, [*value[:i], ast.Expr(part), *value[i + 1 :]])
                        inner = [s for name in ("body", "orelse", "finalbody") for s in getattr(kept, name, [])]
                        inner = [s for s in inner if isinstance(s, ast.stmt)]
                        if inner:
                            yield from _with(tree, node, field, [*value[:i], *inner, *value[i + 1 :]])
                    yield from _with(tree, node, field, smaller)
            if isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        for part in _parts(item):
                            yield from _with(tree, node, field, [*value[:i], part, *value[i + 1 :]])
            elif isinstance(value, ast.expr):
                for part in _parts(value):
                    yield from _with(tree, node, field, part)


def _parts_of_statement(node: ast.stmt) -> Iterator[ast.expr]:
    return (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
    if not isinstance(node, ast.Constant):
        yield ast.Constant(1)


def _with(tree: ast.AST, node: ast.AST, field: str, value: object) -> Iterator[str]:
    before = getattr(node, field)
    setattr(node, field, value)
    try:
        text = ast.unparse(tree)
        ast.parse(text)
        yield text
    except (SyntaxError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        # No program is written so.
        pass
    finally:
        setattr(node, field, before)

"""Where someone's derivative is written: the line of its return, for a report to point at."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import Source, Span
from ...graph.view.places import characters, shown_path


def place_of(function: Callable[..., Any] | None) -> Span | None:
    """The last thing that a function returns, or its first line; None where its text is not known."""
    found = inspect.unwrap(function) if function is not None else None
    code = getattr(getattr(found, "__func__", found), "__code__", None)
    return None if code is None else _place_of(code)


@functools.lru_cache(maxsize=64)
def _place_of(code: Any) -> Span | None:
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        return None
    source = Source(shown_path(code.co_filename), text)
    known = _functions(text).get(code.co_firstlineno)
    if not known:
        return None
    # Of several lambdas on a line it is the one whose columns the code has.
    node = next((n for n in known if _has_columns(n, code)), known[0])
    body = getattr(node, "body", [])
    returns = [n for n in _own(body) if isinstance(n, ast.Return) and n.value is not None]
    here: Any = returns[-1] if returns else node
    if isinstance(here, ast.FunctionDef):
        line = text.splitlines()[here.lineno - 1]
        return Span(source, here.lineno, here.col_offset, here.lineno, len(line))
    lines = text.splitlines()
    start, end = (characters(lines[n - 1], at) for n, at in ((here.lineno, here.col_offset),
                                                              (here.end_lineno, here.end_col_offset)))  # fmt: skip
    return Span(source, here.lineno, start, here.end_lineno, end)


@functools.lru_cache(maxsize=8)
def _functions(text: str) -> dict[int, list[Any]]:
    """The functions of a file by the lines on which they may begin."""
    found: dict[int, list[Any]] = {}
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            for line in {node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))}:
                found.setdefault(line, []).append(node)
    return found


def _has_columns(node: ast.AST, code: Any) -> bool:
    body = getattr(node, "body", None)
    if not isinstance(body, ast.expr):
        return True
    return (body.lineno, body.col_offset, body.end_col_offset) in {(p[0], p[2], p[3]) for p in code.co_positions()}


def _own(body: Any) -> Iterator[ast.AST]:
    """The statements of a function, and of no function inside it."""
    for node in body if isinstance(body, list) else [body]:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _own(list(ast.iter_child_nodes(node)))

"""The text of a rule, as it stands in the declaration of its operation."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from textwrap import dedent
from types import CodeType
from typing import Any

_Definition = ast.Lambda | ast.FunctionDef


def text_of(function: Callable[..., Any]) -> str | None:
    """The text of what a function computes: the expression of a lambda or of a single return, else the definition.

    None where the source is not at hand.
    """
    code = function.__code__
    try:
        text, definitions = _parsed(code.co_filename)
    except (OSError, SyntaxError, UnicodeError):
        return None
    node = _definition(definitions.get(code.co_name, []), code)
    if node is None:
        return None
    result = _result(node)
    if result is None:
        return dedent(ast.get_source_segment(text, node, padded=True) or "") or None
    return ast.unparse(result)


@cache
def _parsed(path: str) -> tuple[str, dict[str, list[_Definition]]]:
    """The text of a file, and the functions defined in it by name, outer before inner ones."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    definitions: dict[str, list[_Definition]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _Definition):
            name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
            definitions.setdefault(name, []).append(node)
    return text, definitions


def _definition(candidates: list[_Definition], code: CodeType) -> _Definition | None:
    """The definition of a function: the smallest one that holds all its instructions."""
    # An instruction without extent stands for the function as a whole.
    places = [(line, column) for line, _, column, end in code.co_positions() if line and column is not None and end]
    found = None
    for node in candidates:
        start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        if all(start <= place <= end for place in places):
            found = node
    return found


def _result(node: _Definition) -> ast.expr | None:
    """The expression that a function returns, when it does nothing else."""
    if isinstance(node, ast.Lambda):
        return node.body
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None

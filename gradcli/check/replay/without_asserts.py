"""A program without its asserts: what it says of one point need not hold at another."""

from __future__ import annotations

import ast
import copy
from typing import Any

from ...spec.input.parse import nodes_of_kind
from ...spec.program import Program


def without_asserts(program: Program) -> Program:
    """The program with nothing asserted; what its asserts look at is computed all the same."""
    if not nodes_of_kind(program.tree, ast.Assert) or any(map(_hears, nodes_of_kind(program.tree, ast.ExceptHandler))):
        return program
    lenient = copy.copy(program)
    lenient.tree = _Lenient().visit(copy.deepcopy(program.tree))
    return lenient


def _hears(handler: ast.ExceptHandler) -> bool:
    """True if a handler may be that of an assert: then the program goes on as its asserts say."""
    kinds = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    return any(getattr(kind, "id", "Exception") in ("AssertionError", "Exception", "BaseException") for kind in kinds)


class _Lenient(ast.NodeTransformer):
    """Asserts into expressions."""

    def visit_Assert(self, node: ast.Assert) -> Any:
        """The condition of an assert, and what keeps it from being what a program ends with."""
        looked_at = ast.copy_location(ast.Expr(node.test), node)
        return [looked_at, ast.copy_location(ast.Pass(), node)]

"""Where a program wrote the backward of a function of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.function import FunctionNode, backward_of
from ...errors import Source, Span
from ...spec.input.parse import extent_of, span_of
from ...spec.values.user_definitions import UserFunction


def returned_at(node: Any, slot: int, run: Callable[[], object]) -> Span | None:
    """Where a custom backward returns the gradient of an argument; None where no program wrote it.

    ``slot``: the argument's place among the node's edges; ``run``: runs the backward once more, to see which of
    several returns it comes to.
    """
    backward = written(node)
    if backward is None:
        return None
    source: Source = backward.machine.source
    returns = list(_returns(backward.node))
    if len(returns) > 1:
        returns = _taken(backward, returns, run)
    if len(returns) != 1:
        return span_of(source, backward.node)
    statement = returns[0]
    place = _place(node, slot)
    value = statement.value if isinstance(statement, ast.Return) else statement
    listed = value.elts if isinstance(value, ast.Tuple) else []
    if len(listed) <= max(place, 1) or any(isinstance(x, ast.Starred) for x in listed[: place + 1]):
        return span_of(source, statement)
    return extent_of(source, listed[place])


def written(node: Any) -> UserFunction | None:
    """The backward of a node, as a function of the program; None when it is none."""
    if not isinstance(node, FunctionNode):
        return None
    found: Any = backward_of(node.function)
    # Behind decorators of PyTorch's, such as once_differentiable.
    while not isinstance(found, UserFunction):
        found = getattr(found, "__wrapped__", None)
        if found is None:
            return None
    return found


def _place(node: FunctionNode, slot: int) -> int:
    """The place of an argument among all: only tensors have edges."""
    tensors = [i for i, is_tensor in enumerate(node._tensor_arguments) if is_tensor]
    return tensors[slot]


def _returns(function: ast.AST) -> Iterator[Any]:
    """The returns of a function, none of functions in it."""
    body = getattr(function, "body", ())
    if isinstance(body, ast.expr):
        # A lambda returns its one expression.
        yield body
        return
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Return):
            yield statement
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(reversed(list(ast.iter_child_nodes(statement))))


def _taken(backward: UserFunction, returns: list[Any], run: Callable[[], object]) -> list[Any]:
    """Those of several returns that a run of the backward comes to."""
    tracer = backward.machine.tracer
    if tracer is None:
        return returns
    before = [tracer.turns_of(statement) for statement in returns]
    run()
    return [x for x, times in zip(returns, before, strict=True) if tracer.turns_of(x) > times]

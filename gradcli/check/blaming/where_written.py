"""Where a program wrote the backward of a function of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import takewhile
from types import MethodType
from typing import Any, NamedTuple, TypeGuard

from ...engine.function import FunctionNode, backward_of
from ...errors import Source, Span
from ...spec.input.parse import extent_of, span_of
from ...spec.values.user_definitions import UserFunction
from .data_flow import Flow, blamed, computes

# What the functions are called that a program gives an operator of its own in place of a Function's methods.
_GIVEN = {"forward": "_function", "setup_context": "_setup", "backward": "_backward"}

# What makes the same numbers a tensor, or an array.
_CONVERTS = frozenset({"from_numpy", "as_tensor", "tensor", "asarray", "array", "numpy", "copy", "clone", "contiguous"})


class Computed(NamedTuple):
    """Where a custom backward computes a gradient: where it gets its value last, and all lines that lead there."""

    span: Span | None
    lines: tuple[int, ...] = ()
    # The statements that were run and lead there, also those that only give a name to a number.
    statements: tuple[ast.stmt, ...] = ()

    @property
    def sentence(self) -> str | None:
        """All lines in words, where there are several."""
        if len(self.lines) < 2:
            return None
        *others, last = map(str, self.lines)
        return f"it is computed at lines {', '.join(others)} and {last}"


def computed_at(
    node: Any, slot: int, run: Callable[[], object], wrong: Collection[int] = (), right: Collection[int] = ()
) -> Computed | None:
    """Where a custom backward computes the gradient of an argument; None where no program wrote it.

    ``slot``: the argument's place among the node's edges; ``run``: runs the backward once more, to see what of it is
    run; ``wrong`` and ``right``: the slots that are known to be. What leads to a gradient that is right is left out.
    """
    backward = written(node)
    if backward is None:
        return None
    source: Source = backward.machine.source
    was_run = _run_again(backward, run)
    returns = [x for x in _returns(backward.node) if was_run(x)]
    if len(returns) != 1:
        return Computed(span_of(source, backward.node))
    statement = returns[0]
    value = statement.value if isinstance(statement, ast.Return) else statement
    values = _values(value, len(node._tensor_arguments))
    place = _place(node, slot)
    own = values[place]
    if not isinstance(statement, ast.Return) or value is None:
        return Computed(span_of(source, statement))
    flow = Flow(backward.node, was_run)
    places = {_place(node, each) for each in wrong} | {place}
    steps = blamed(flow, statement, values, places, {_place(node, each) for each in right} - places)
    lines = {step.node.lineno for step in steps}  # type: ignore[attr-defined]
    named = [step for step in steps if not step.is_head]
    own_computes = computes(_converted(own))
    if named and (not own_computes or any(values[each] is not own for each in places)):
        span = extent_of(source, named[-1].node)
    else:
        span = span_of(source, statement) if own is value else extent_of(source, own)
    lines |= {own.lineno} if own_computes else set()
    lines |= {head.lineno for head in _choosing(backward.node) if was_run(head)}
    found = [flow.steps[i].node for each in places for i in flow.leading_to(values[each], statement)]
    # What a function inside the backward does leads to what it is called for.
    inside = {y.lineno for x in found if isinstance(x, ast.FunctionDef) for y in ast.walk(x) if _is_step(y)}
    leading = {x.lineno for x in found}  # type: ignore[attr-defined]
    run_there = [x for x in ast.walk(backward.node) if isinstance(x, ast.stmt) and was_run(x)]
    reached = {*leading, *inside, *lines, statement.lineno}
    there = sorted((x for x in run_there if x.lineno in reached), key=lambda x: x.lineno)
    return Computed(span, tuple(sorted(lines)), tuple(there))


def computed_in(method: UserFunction) -> Computed:
    """Where a method computes what it returns: the return, or what gives it its value last."""
    source, returns = method.machine.source, list(_returns(method.node))
    if len(returns) != 1 or not isinstance(returns[0], ast.Return) or returns[0].value is None:
        return Computed(span_of(source, method.node), (), tuple(x for x in ast.walk(method.node) if _is_step(x)))
    flow = Flow(method.node, lambda statement: True)
    leading = [flow.steps[i] for i in sorted(flow.leading_to(returns[0].value, returns[0]))]
    steps = [step.node for step in leading if step.computes and not step.is_head]
    steps += [returns[0]] if computes(returns[0].value) or not steps else []
    lines = sorted({step.lineno for step in steps})  # type: ignore[attr-defined]
    statements = [x for x in ast.walk(method.node) if _is_step(x)]
    return Computed(extent_of(source, steps[-1]), tuple(lines), tuple(statements))


def _is_step(part: ast.AST) -> TypeGuard[ast.stmt]:
    return isinstance(part, ast.stmt) and not isinstance(part, (ast.FunctionDef, ast.ClassDef))


def _values(value: Any, count: int) -> list[Any]:
    """The value that is returned for each argument: all of them where they are not written one by one."""
    listed = value.elts if isinstance(value, ast.Tuple) else []
    alone = list(takewhile(lambda x: not isinstance(x, ast.Starred), listed if len(listed) > 1 else []))
    return [*alone, *[value] * (count - len(alone))]


def _converted(value: Any) -> Any:
    """The value that is only made a tensor, or an array, as the `x` of `torch.from_numpy(x.copy())`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _CONVERTS:
        value = value.args[0] if value.args else value.func.value
    return value


def _run_again(backward: UserFunction, run: Callable[[], object]) -> Callable[[ast.AST], bool]:
    """Run a backward once more: tells of a statement whether it was run; of each that it was where nothing is seen."""
    tracer = backward.machine.tracer
    statements = [x for x in ast.walk(backward.node) if isinstance(x, ast.stmt)]
    if tracer is None:
        return lambda statement: True
    before = {x: tracer.turns_of(x) for x in statements}
    run()
    seen = {x for x, turns in before.items() if tracer.turns_of(x) > turns}
    # An `elif` is no statement that is run by itself: it was where something below it was.
    seen |= {x for x in statements if isinstance(x, ast.If) and not seen.isdisjoint(ast.walk(x))}
    return seen.__contains__ if seen else lambda statement: True


def written(node: Any) -> UserFunction | None:
    """The backward of a node, as a function of the program; None when it is none."""
    return method_of(node, "backward") if isinstance(node, FunctionNode) else None


def method_of(node: FunctionNode, name: str) -> UserFunction | None:
    """A method of a custom Function, or what stands for it of an operator of the program's own; None of all else."""
    operator = _operator_of(node)
    found: Any = backward_of(node.function) if name == "backward" else getattr(node.function, name, None)
    found = found if operator is None else operator[_GIVEN[name]]
    # Behind decorators of PyTorch's, such as once_differentiable.
    while found is not None and not isinstance(found, UserFunction):
        found = getattr(found, "__wrapped__", None)
    return found


def _operator_of(node: FunctionNode) -> Mapping[str, Any] | None:
    """All that is known of the operator of the program's own that a node is of; None of a Function."""
    made = backward_of(node.function)
    owner = made.__self__ if isinstance(made, MethodType) else None
    known: Mapping[str, Any] = getattr(owner, "__dict__", {})
    return known if known.keys() >= set(_GIVEN.values()) else None


def backward_name(node: FunctionNode) -> str:
    """The name of the backward of a custom Function, or of an operator of the program's own."""
    operator, backward = _operator_of(node), written(node)
    if operator is None or backward is None:
        return f"{node.function.__name__}.backward"
    return f"{backward.__name__} of {operator['_qualname']}"


def argument_name(node: FunctionNode, slot: int, name: str) -> str:
    """The name of an argument that the graph has a name for: where an operator is declared it may have another."""
    forward = method_of(node, "forward") if _operator_of(node) is not None else None
    return name if forward is None else forward.parameters[_place(node, slot)]


def _place(node: FunctionNode, slot: int) -> int:
    """The place of an argument among all that a backward returns a gradient for: only tensors have edges."""
    tensors = [i for i, is_tensor in enumerate(node._tensor_arguments) if is_tensor]
    return tensors[slot]


def _choosing(function: ast.AST) -> Iterator[ast.If]:
    """The conditions of a function, of numbers and the like, that choose what it returns."""
    for head in ast.walk(function):
        if isinstance(head, ast.If) and computes(head.test) and any(isinstance(x, ast.Return) for x in ast.walk(head)):
            yield head


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

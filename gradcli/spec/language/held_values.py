"""Expressions with a ``yield`` inside: what Python computes before it is computed, and held until all else is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from .compiler import Code, Compiler, compiles
from .exception_marks import marked
from .expressions import compile_truth

# What is left to run of a statement or an expression: it gives values, is sent values, and ends as that does.
Stream = Generator[Any, Any, Any]
Streaming = Callable[[dict[Any, Any]], Stream]

N = TypeVar("N", bound=ast.AST)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Held(ast.expr):
    """A value that was computed before: it lies in the environment until it is taken from there, once."""

    _fields = ()


@compiles(Held)
def _taken(c: Compiler, node: Held) -> Code:
    return lambda env: env.pop(node)


def streaming(c: Compiler, node: ast.expr) -> Streaming:
    """An expression as something that pauses."""
    if node in c.paused:
        return _STREAMS.get(type(node), compile_computed)(c, node)
    code = c.code(node)

    def plain(env: Any) -> Stream:
        return code(env)
        yield

    return plain


def compile_computed(c: Compiler, node: ast.AST) -> Streaming:
    """Give what computes with all parts of a node, once these are there."""
    before, whole = compile_parts(c, node)
    code = c.code(whole)

    def run(env: Any) -> Stream:
        yield from before(env)
        return code(env)

    return run


def compile_parts(c: Compiler, node: N) -> tuple[Streaming, N]:
    """Something that pauses until all parts are there that need it, and what has these as its parts then."""
    steps: list[tuple[Held, Streaming]] = []
    pauses = 0

    def counted(part: ast.expr) -> ast.expr:
        nonlocal pauses
        pauses += part in c.paused
        return part

    _with_parts(node, counted)

    def held(part: ast.expr) -> ast.expr:
        nonlocal pauses
        if not pauses or isinstance(part, ast.Constant):
            return part
        pauses -= part in c.paused
        at = ast.copy_location(Held(), part)
        steps.append((at, streaming(c, part)))
        return at

    whole = _with_parts(node, held)

    def run(env: Any) -> Stream:
        for at, step in steps:
            env[at] = yield from step(env)

    return run, whole


def compile_held(c: Compiler, node: ast.expr) -> tuple[Streaming, ast.expr]:
    """Something that pauses until the value of an expression is there, and what stands for that value then."""
    at, value = ast.copy_location(Held(), node), streaming(c, node)

    def run(env: Any) -> Stream:
        env[at] = yield from value(env)

    return run, at


def _with_parts(node: N, held: Callable[[ast.expr], ast.expr], only: str | None = None) -> N:
    """The same with other parts, or one of them, which are asked for in the order in which Python computes them."""
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Dict):
        pairs = [(key and held(key), held(value)) for key, value in zip(node.keys, node.values, strict=True)]
        fields["keys"], fields["values"] = [list(part) for part in zip(*pairs, strict=True)]
    elif isinstance(node, _COMPREHENSIONS):
        # Of a comprehension the first iterable alone is computed outside of it.
        first = node.generators[0]
        fields["generators"] = [_with_parts(first, held, only="iter"), *node.generators[1:]]
    else:
        # The name that := binds is no part that is computed.
        only = "value" if isinstance(node, ast.NamedExpr) else only
        for name, part in fields.items():
            if only is None or name == only:
                fields[name] = [_part(x, held) for x in part] if isinstance(part, list) else _part(part, held)
    return ast.copy_location(type(node)(**fields), node)


def _part(part: Any, held: Callable[[ast.expr], ast.expr]) -> Any:
    if isinstance(part, ast.Starred):
        # It is spread where it stands.
        spread = ast.copy_location(ast.Tuple([ast.Starred(held(part.value), ast.Load())], ast.Load()), part)
        return ast.copy_location(ast.Starred(held(spread), ast.Load()), part)
    if isinstance(part, ast.keyword):
        return _with_parts(part, held)
    return held(part) if isinstance(part, ast.expr) else part


# -- what does not compute all of its parts ------------------------------------------------


def _of_bool_op(c: Compiler, node: ast.BoolOp) -> Streaming:
    *firsts, last = [streaming(c, value) for value in node.values]
    stop = isinstance(node.op, ast.Or)

    def run(env: Any) -> Stream:
        for part in firsts:
            value = yield from part(env)
            try:
                if bool(value) is stop:
                    return value
            except marked(node):
                raise
        return (yield from last(env))

    return run


def _of_if_exp(c: Compiler, node: ast.IfExp) -> Streaming:
    before, at = compile_held(c, node.test)
    test, body, orelse = compile_truth(c, at), streaming(c, node.body), streaming(c, node.orelse)

    def run(env: Any) -> Stream:
        yield from before(env)
        return (yield from (body if test(env) else orelse)(env))

    return run


def _of_compare(c: Compiler, node: ast.Compare) -> Streaming:
    if len(node.ops) == 1:
        return compile_computed(c, node)
    left = streaming(c, node.left)
    links = [(c.compare[type(op)], streaming(c, by)) for op, by in zip(node.ops, node.comparators, strict=True)]

    def run(env: Any) -> Stream:
        a = yield from left(env)
        value: Any = True
        for operate, part in links:
            b = yield from part(env)
            try:
                value = operate(a, b)
                if not value:
                    return value
            except marked(node):
                raise
            a = b
        return value

    return run


def _of_yield(c: Compiler, node: ast.Yield) -> Streaming:
    """A ``yield``, which gives what it is sent."""
    given = node.value
    if given is None or given not in c.paused:
        value: Code = (lambda env: None) if given is None else c.turning(c.code(given), node)

        def run(env: Any) -> Stream:
            return (yield value(env))

        return run
    before = streaming(c, given)

    def after(env: Any) -> Stream:
        return (yield (yield from before(env)))

    return after


_STREAMS: dict[type[ast.expr], Callable[[Compiler, Any], Streaming]] = {
    ast.BoolOp: _of_bool_op,
    ast.IfExp: _of_if_exp,
    ast.Compare: _of_compare,
    ast.Yield: _of_yield,
}


def streams(kind: type[ast.expr]) -> Callable[[Callable[[Compiler, Any], Streaming]], Any]:
    """Declare how a kind of expression pauses."""

    def declare(form: Callable[[Compiler, Any], Streaming]) -> Any:
        _STREAMS[kind] = form
        return form

    return declare

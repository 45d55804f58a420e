"""Loops, and the comprehensions that are loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.tape.frames import LOOP
from ..guard import limits as limits_
from ..guard.size_limits import weigh_key
from ..stdlib.iteration import Generator
from .compiler import Code, Compiler, compiles
from .exception_marks import mark, marked
from .expressions import compile_test, compile_truth
from .scopes import UP, Scope, assigned
from .statements import compile_block
from .targets import compile_store, own_target

# What a statement gives that ends a loop early; a return gives a tuple of its value.
BREAK, CONTINUE = object(), object()

Level = Callable[[dict[Any, Any], Any], None]


def _loop_body(c: Compiler, node: ast.For | ast.While) -> Code:
    before = c.in_loop
    c.in_loop = True
    body = compile_block(c, node.body)
    c.in_loop = before
    name = f"for {ast.unparse(node.target)}" if isinstance(node, ast.For) else "while"
    return c.framed(body, LOOP, node, name)


@compiles(ast.For)
def _for(c: Compiler, node: ast.For) -> Code:
    source, store, name = c.code(node.iter), compile_store(c, node.target), own_target(c, node.target)
    body = _loop_body(c, node)
    orelse = compile_block(c, node.orelse)
    machine = c.machine
    iterate = c.iterating(node.iter)
    rounds = machine.rounds

    def run(env: Any) -> Any:
        value = source(env)
        counted = rounds if rounds is not None and rounds.enters(node, value) else None
        try:
            for item in iterate(value):
                machine.steps -= 1
                if machine.steps < 0:
                    raise limits_.too_many_steps(machine.limits)
                if counted is not None:
                    counted.begins()
                if name is not None:
                    env[name] = item
                else:
                    store(env, item)
                signal = body(env)
                if signal is not None and signal is not CONTINUE:
                    return None if signal is BREAK else signal
        except marked(node.iter):
            raise
        finally:
            if counted is not None:
                counted.leaves()
        return orelse(env)

    return run


@compiles(ast.While)
def _while(c: Compiler, node: ast.While) -> Code:
    test, truth = compile_test(c, node.test)
    body = _loop_body(c, node)
    orelse = compile_block(c, node.orelse)
    machine = c.machine
    rounds = machine.rounds

    def run(env: Any) -> Any:
        counted = rounds if rounds is not None and rounds.enters(node) else None
        try:
            while (value := test(env)) is True or (value is not False and truth(value)):
                machine.steps -= 1
                if machine.steps < 0:
                    error = limits_.too_many_steps(machine.limits)
                    mark(error, node.test)
                    raise error
                if counted is not None:
                    counted.begins()
                signal = body(env)
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is not CONTINUE:
                        return signal
        finally:
            if counted is not None:
                counted.leaves()
        return orelse(env)

    return run


@compiles(ast.Break)
def _break(c: Compiler, node: ast.Break) -> Code:
    if not c.in_loop:
        raise c.refused(node, "'break' outside loop", code="E101")
    return lambda env: BREAK


@compiles(ast.Continue)
def _continue(c: Compiler, node: ast.Continue) -> Code:
    if not c.in_loop:
        raise c.refused(node, "'continue' not properly in loop", code="E101")
    return lambda env: CONTINUE


# -- comprehensions --------------------------------------------------------------------------


def _inside(c: Compiler, node: Any, make: Callable[[], Any]) -> tuple[Code, Any]:
    """The first iterable, computed outside, and what ``make`` compiles inside a comprehension."""
    for generator in node.generators:
        if generator.is_async:
            raise c.refused(generator.target, "the spec language has no async loops")
    first = c.code(node.generators[0].iter)
    outer = c.scope
    c.scope = Scope("comprehension", outer)
    assigned([g.target for g in node.generators], c.scope)
    made = make()
    c.scope = outer
    return first, made


def _levels(c: Compiler, generators: list[ast.comprehension], innermost: Level) -> Callable[[Any, Any, Any], None]:
    """Code that runs nested loops: handed an environment, the first iterable's value and the result."""
    machine = c.machine
    level: Level = innermost
    for depth, generator in reversed(list(enumerate(generators))):
        store = compile_store(c, generator.target)
        tests = [compile_truth(c, test) for test in generator.ifs]
        name = own_target(c, generator.target)
        source = None if depth == 0 else c.code(generator.iter)
        level = c.framed(level, LOOP, generator, f"for {ast.unparse(generator.target)}")
        loop = _nested(machine, store, name, tests, level, generator, c.iterating(generator.iter))
        if source is None:
            outermost: Callable[[Any, Any, Any], None] = loop
            return outermost
        level = _with_source(loop, source)
    raise AssertionError("a comprehension has a loop")


def _comprehension(c: Compiler, node: Any, innermost: Callable[[], Level], new: Callable[[], Any]) -> Code:
    first, run_loops = _inside(c, node, lambda: _levels(c, node.generators, innermost()))

    def run(env: Any, node: ast.AST = node) -> Any:
        value = first(env)
        made = new()
        run_loops({UP: env}, value, made)
        return made

    return run


@compiles(ast.ListComp)
def _list_comp(c: Compiler, node: ast.ListComp) -> Code:
    most = c.machine.limits.sequence
    limits = c.machine.limits

    def innermost() -> Level:
        element = c.code(node.elt)

        def add(env: Any, made: list[Any]) -> None:
            made.append(element(env))
            if len(made) > most:
                raise limits_.too_long(limits, "list", len(made))

        return add

    return _comprehension(c, node, innermost, list)


@compiles(ast.SetComp)
def _set_comp(c: Compiler, node: ast.SetComp) -> Code:
    most = c.machine.limits.sequence
    limits = c.machine.limits

    def innermost() -> Level:
        element = c.code(node.elt)

        def add(env: Any, made: set[Any]) -> None:
            item = element(env)
            weigh_key(item)
            made.add(item)
            if len(made) > most:
                raise limits_.too_long(limits, "set", len(made))

        return add

    return _comprehension(c, node, innermost, set)


@compiles(ast.DictComp)
def _dict_comp(c: Compiler, node: ast.DictComp) -> Code:
    most = c.machine.limits.sequence
    limits = c.machine.limits

    def innermost() -> Level:
        key, value = c.code(node.key), c.code(node.value)

        def add(env: Any, made: dict[Any, Any]) -> None:
            k = key(env)
            weigh_key(k)
            made[k] = value(env)
            if len(made) > most:
                raise limits_.too_long(limits, "dict", len(made))

        return add

    return _comprehension(c, node, innermost, dict)


@compiles(ast.GeneratorExp)
def _generator_exp(c: Compiler, node: ast.GeneratorExp) -> Code:
    name = f"{'.'.join([*c.path, '<genexpr>'])}"

    def inside() -> tuple[Any, ...]:
        element = c.called(c.code(node.elt))
        steps = []
        for depth, generator in enumerate(node.generators):
            source = None if depth == 0 else c.called(c.code(generator.iter))
            tests = [c.called(compile_truth(c, t)) for t in generator.ifs]
            store, name = compile_store(c, generator.target), own_target(c, generator.target)
            steps.append((source, store, name, tests, generator, c.iterating(generator.iter)))
        return element, steps

    first, (element, steps) = _inside(c, node, inside)
    machine = c.machine

    def stream(env: Any, value: Any, depth: int, node: ast.AST = node) -> Iterator[Any]:
        source, store, name, tests, generator, iterate = steps[depth]
        innermost = depth + 1 == len(steps)
        try:
            for item in iterate(value if source is None else source(env)):
                machine.steps -= 1
                if machine.steps < 0:
                    raise limits_.too_many_steps(machine.limits)
                if name is not None:
                    env[name] = item
                else:
                    store(env, item)
                for test in tests:
                    if not test(env):
                        break
                else:
                    if innermost:
                        yield element(env)
                    else:
                        yield from stream(env, None, depth + 1)
        except marked(generator.iter):
            raise

    def run(env: Any) -> Any:
        value = first(env)
        try:
            items = steps[0][-1](value)
        except marked(node.generators[0].iter):
            raise
        return Generator(stream({UP: env}, items, 0), name, value)

    return run


def _nested(
    machine: Any, store: Any, name: str | None, tests: list[Code], level: Level, node: ast.comprehension,
    iterate: Callable[[Any], Iterator[Any]],
) -> Any:  # fmt: skip
    """The loop of a comprehension. A generator expression has its own, which pauses: one for both is a third slower."""

    def loop(env: Any, value: Any, made: Any) -> None:
        try:
            for item in iterate(value):
                machine.steps -= 1
                if machine.steps < 0:
                    raise limits_.too_many_steps(machine.limits)
                if name is not None:
                    env[name] = item
                else:
                    store(env, item)
                for test in tests:
                    if not test(env):
                        break
                else:
                    level(env, made)
        except marked(node.iter):
            raise

    return loop


def _with_source(loop: Any, source: Code) -> Level:
    return lambda env, made: loop(env, source(env), made)

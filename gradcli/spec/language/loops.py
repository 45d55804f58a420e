"""Loops, and the comprehensions that are loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.tape.frames import LOOP
from ..guard import limits as limits_
from ..guard.size_limits import weigh_key
from ..stdlib.iteration import Generator
from .compiler import Code
from .exception_marks import mark, marked
from .scopes import UP, Scope, assigned
from .targets import Targets

# What a statement gives that ends a loop early; a return gives a tuple of its value.
BREAK, CONTINUE = object(), object()

Level = Callable[[dict[Any, Any], Any], None]


class Loops(Targets):
    """Compiles loops."""

    def block(self, statements: list[ast.stmt]) -> Code:
        """Code that runs statements in order until one ends the block early."""
        raise NotImplementedError

    def _loop_body(self, node: ast.For | ast.While) -> Code:
        before = self.in_loop
        self.in_loop = True
        body = self.block(node.body)
        self.in_loop = before
        name = f"for {ast.unparse(node.target)}" if isinstance(node, ast.For) else "while"
        return self.framed(body, LOOP, node, name)

    def visit_For(self, node: ast.For) -> Code:
        source, store = self.code(node.iter), self.store(node.target)
        body = self._loop_body(node)
        orelse = self.block(node.orelse)
        machine = self.machine
        iterate = self.iterating(node.iter)

        def run(env: Any) -> Any:
            value = source(env)
            try:
                for item in iterate(value):
                    machine.steps -= 1
                    if machine.steps < 0:
                        raise limits_.too_many_steps(machine.limits)
                    store(env, item)
                    signal = body(env)
                    if signal is not None:
                        if signal is BREAK:
                            return None
                        if signal is not CONTINUE:
                            return signal
            except marked(node.iter):
                raise
            return orelse(env)

        return run

    def visit_While(self, node: ast.While) -> Code:
        test = self.truth(node.test)
        body = self._loop_body(node)
        orelse = self.block(node.orelse)
        machine = self.machine

        def run(env: Any) -> Any:
            while test(env):
                machine.steps -= 1
                if machine.steps < 0:
                    error = limits_.too_many_steps(machine.limits)
                    mark(error, node.test)
                    raise error
                signal = body(env)
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is not CONTINUE:
                        return signal
            return orelse(env)

        return run

    def visit_Break(self, node: ast.Break) -> Code:
        if not self.in_loop:
            raise self.refused(node, "'break' outside loop", code="E101")
        return lambda env: BREAK

    def visit_Continue(self, node: ast.Continue) -> Code:
        if not self.in_loop:
            raise self.refused(node, "'continue' not properly in loop", code="E101")
        return lambda env: CONTINUE

    # -- comprehensions --------------------------------------------------------------------------

    def _inside(self, node: Any, make: Callable[[], Any]) -> tuple[Code, Any]:
        """The first iterable, computed outside, and what ``make`` compiles inside a comprehension."""
        for generator in node.generators:
            if generator.is_async:
                raise self.refused(generator.target, "the spec language has no async loops")
        first = self.code(node.generators[0].iter)
        outer = self.scope
        self.scope = Scope("comprehension", outer)
        assigned([g.target for g in node.generators], self.scope)
        made = make()
        self.scope = outer
        return first, made

    def _levels(self, generators: list[ast.comprehension], innermost: Level) -> Callable[[Any, Any, Any], None]:
        """Code that runs nested loops: handed an environment, the first iterable's value and the result."""
        machine = self.machine
        level: Level = innermost
        for depth, generator in reversed(list(enumerate(generators))):
            store = self.store(generator.target)
            tests = [self.truth(test) for test in generator.ifs]
            source = None if depth == 0 else self.code(generator.iter)
            level = self.framed(level, LOOP, generator, f"for {ast.unparse(generator.target)}")
            loop = _nested(machine, store, tests, level, generator, self.iterating(generator.iter))
            if source is None:
                outermost: Callable[[Any, Any, Any], None] = loop
                return outermost
            level = _with_source(loop, source)
        raise AssertionError("a comprehension has a loop")

    def _comprehension(self, node: Any, innermost: Callable[[], Level], new: Callable[[], Any]) -> Code:
        first, run_loops = self._inside(node, lambda: self._levels(node.generators, innermost()))

        def run(env: Any) -> Any:
            value = first(env)
            made = new()
            run_loops({UP: env}, value, made)
            return made

        return run

    def visit_ListComp(self, node: ast.ListComp) -> Code:
        most = self.machine.limits.sequence
        limits = self.machine.limits

        def innermost() -> Level:
            element = self.code(node.elt)

            def add(env: Any, made: list[Any]) -> None:
                made.append(element(env))
                if len(made) > most:
                    raise limits_.too_long(limits, "list", len(made))

            return add

        return self._comprehension(node, innermost, list)

    def visit_SetComp(self, node: ast.SetComp) -> Code:
        most = self.machine.limits.sequence
        limits = self.machine.limits

        def innermost() -> Level:
            element = self.code(node.elt)

            def add(env: Any, made: set[Any]) -> None:
                item = element(env)
                weigh_key(item)
                made.add(item)
                if len(made) > most:
                    raise limits_.too_long(limits, "set", len(made))

            return add

        return self._comprehension(node, innermost, set)

    def visit_DictComp(self, node: ast.DictComp) -> Code:
        most = self.machine.limits.sequence
        limits = self.machine.limits

        def innermost() -> Level:
            key, value = self.code(node.key), self.code(node.value)

            def add(env: Any, made: dict[Any, Any]) -> None:
                k = key(env)
                weigh_key(k)
                made[k] = value(env)
                if len(made) > most:
                    raise limits_.too_long(limits, "dict", len(made))

            return add

        return self._comprehension(node, innermost, dict)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Code:
        name = f"{'.'.join([*self.path, '<genexpr>'])}"

        def inside() -> tuple[Any, ...]:
            element = self.code(node.elt)
            steps = []
            for depth, generator in enumerate(node.generators):
                source = None if depth == 0 else self.code(generator.iter)
                tests = [self.truth(t) for t in generator.ifs]
                steps.append((source, self.store(generator.target), tests, generator, self.iterating(generator.iter)))
            return element, steps

        first, (element, steps) = self._inside(node, inside)
        machine = self.machine

        def stream(env: Any, value: Any, depth: int) -> Iterator[Any]:
            source, store, tests, generator, iterate = steps[depth]
            try:
                for item in iterate(value if source is None else source(env)):
                    machine.tick()
                    store(env, item)
                    if all(test(env) for test in tests):
                        if depth + 1 < len(steps):
                            yield from stream(env, None, depth + 1)
                        else:
                            yield element(env)
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
    machine: Any, store: Any, tests: list[Code], level: Level, node: ast.comprehension,
    iterate: Callable[[Any], Iterator[Any]],
) -> Any:  # fmt: skip
    def loop(env: Any, value: Any, made: Any) -> None:
        try:
            for item in iterate(value):
                machine.steps -= 1
                if machine.steps < 0:
                    raise limits_.too_many_steps(machine.limits)
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

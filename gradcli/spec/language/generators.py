"""Generator functions: statements that hand out values on their way, and go on from there.

A statement with a ``yield`` in it becomes a generator of the host's, which gives what the program's generator gives;
no program ever holds one of these. A program that drops its generator half-way runs none of its code by that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..input.parse import parts_of
from ..stdlib.endings import Closing
from ..stdlib.iteration import UserGenerator
from .compiler import Code, Compiler, compiles, nothing
from .exception_marks import marked, marks, traceback_of
from .exceptions import check_handlers, compile_entry, compile_matching, compile_naming
from .expressions import compile_truth
from .loops import BREAK, CONTINUE
from .machine import Machine, as_raised, caught_by_program, presented
from .matching import compile_case
from .statements import compile_block
from .targets import compile_store

# What is left to run of a statement: it gives values, is sent values, and ends as a statement does.
Stream = Generator[Any, Any, Any]
Streaming = Callable[[dict[Any, Any]], Stream]

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_PAUSES = (ast.Yield, ast.YieldFrom)
# Nodes, most in most programs, that have no parts worth a look.
_SIMPLE = frozenset((ast.Constant, ast.Load, ast.Name, ast.Store))


class Running:
    """A generator's code, somewhere on its way."""

    __slots__ = ("contexts", "handling", "machine", "stream")

    def __init__(self, machine: Machine, stream: Stream) -> None:
        self.machine = machine
        self.stream = stream
        # The exceptions that it is dealing with, whatever its caller is.
        self.handling: list[BaseException] = []
        # What makes the contexts that it runs in.
        self.contexts: tuple[Callable[[], Any], ...] = ()

    def __iter__(self) -> Running:
        return self

    def __next__(self) -> Any:
        return self._resumed(self.stream.send, None)

    def send(self, value: Any) -> Any:
        """Go on, with this as the value of the ``yield``."""
        return self._resumed(self.stream.send, value)

    def throw(self, error: BaseException) -> Any:
        """Go on with an exception at the ``yield``."""
        return self._resumed(self.stream.throw, error)

    def close(self) -> None:
        """End it where it is."""
        try:
            self.throw(Closing())
        except (Closing, StopIteration):
            return
        raise RuntimeError("generator ignored GeneratorExit")

    def _resumed(self, resume: Callable[[Any], Any], value: Any) -> Any:
        machine = self.machine
        machine.enter()
        if machine.tracer is not None:
            resume = machine.tracer.called(resume)
        before = machine.handling
        machine.handling = self.handling
        try:
            if not self.contexts:
                return resume(value)
            with ExitStack() as inside:
                for context in self.contexts:
                    inside.enter_context(context())
                return resume(value)
        except RuntimeError as error:
            # From here on it is what the program's own generator raised.
            if isinstance(error.__cause__, StopIteration):
                marks(error).place = marks(error.__cause__).place
            error.__cause__ = None
            raise
        finally:
            machine.handling = before
            machine.depth -= 1


class _Part(NamedTuple):
    """Statements without a ``yield``, or one with."""

    plain: Code | None
    streaming: Streaming | None





def compile_generator(c: Compiler, body: list[ast.stmt], name: str) -> Code:
    """Code that makes a generator of the body of a function."""
    c.paused |= _around_pauses(body)
    block = _block(c, body)
    machine = c.machine

    def whole(env: Any) -> Stream:
        signal = yield from block(env)
        return None if signal is None else signal[0]

    return lambda env: UserGenerator(Running(machine, whole(env)), name)


# -- blocks --------------------------------------------------------------------------------


def _block(c: Compiler, statements: list[ast.stmt]) -> Streaming:
    """A block as something that pauses."""
    parts: list[_Part] = []
    plain: list[ast.stmt] = []
    for statement in statements:
        if statement in c.paused:
            parts += [_Part(compile_block(c, plain), None), _Part(None, _statement(c, statement))]
            plain = []
        else:
            plain.append(statement)
    parts.append(_Part(compile_block(c, plain), None))
    parts = [part for part in parts if part.plain is not nothing]
    if len(parts) == 1 and (only := parts[0].streaming) is not None:
        return only

    def run(env: Any) -> Stream:
        for code, streaming in parts:
            signal = (yield from streaming(env)) if streaming is not None else code(env)  # type: ignore[misc]
            if signal is not None:
                return signal
        return None

    return run


def _statement(c: Compiler, statement: ast.stmt) -> Streaming:
    """A statement that has a ``yield`` in it."""
    return _STREAMS.get(type(statement), _simple)(c, statement)


def _simple(c: Compiler, statement: ast.stmt) -> Streaming:
    """A statement with a ``yield`` that stands alone, right of ``=`` or after ``return``."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)) or not isinstance(
        value, _PAUSES
    ):
        raise _misplaced(c, statement)
    if isinstance(statement, ast.Expr) and isinstance(value, ast.Yield):
        given = _given(c, value)

        def alone(env: Any) -> Stream:
            yield given(env)

        return alone
    pause = _pause(c, value)
    if isinstance(statement, ast.Expr):

        def delegated(env: Any) -> Stream:
            yield from pause(env)

        return delegated
    if isinstance(statement, ast.Return):

        def returned(env: Any) -> Stream:
            return ((yield from pause(env)),)

        return returned
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    stores = [compile_store(c, target) for target in targets]

    def assigned(env: Any) -> Stream:
        got = yield from pause(env)
        for store in stores:
            store(env, got)

    return assigned


def _pause(c: Compiler, node: ast.expr) -> Streaming:
    """A ``yield`` or a ``yield from``, which gives what it is sent."""
    if isinstance(node, ast.YieldFrom):
        return _delegated(c, node)
    assert isinstance(node, ast.Yield)
    value = _given(c, node)

    def run(env: Any) -> Stream:
        return (yield value(env))

    return run


def _given(c: Compiler, node: ast.Yield) -> Code:
    """Code of the value that a ``yield`` gives."""
    return (lambda env: None) if node.value is None else c.turning(_whole(c, node.value), node)


def _delegated(c: Compiler, node: ast.YieldFrom) -> Streaming:
    source = c.turning(_whole(c, node.value), node)
    machine = c.machine
    iterate = c.iterating(node.value)

    def run(env: Any) -> Stream:
        value = source(env)
        try:
            if isinstance(value, UserGenerator):
                return (yield from _through(value.source))
            for item in iterate(value):
                machine.tick()
                yield item
        except marked(node.value):
            raise

    return run


def _whole(c: Compiler, node: ast.expr) -> Code:
    """Code of an expression that has no ``yield`` in it."""
    if node in c.paused:
        raise _misplaced(c, node)
    return c.code(node)


def _misplaced(c: Compiler, node: ast.AST) -> Exception:
    inner = next((n for n in ast.walk(node) if isinstance(n, _PAUSES)), node)
    help_ = "give its value a name first: x = yield y"
    return c.refused(inner, "in the spec language a yield stands alone, or right of =", help=help_)


@compiles(ast.Yield, ast.YieldFrom)
def _yield(c: Compiler, node: ast.expr) -> Code:
    """A ``yield`` where there is none."""
    if not c.in_function:
        raise c.refused(node, "'yield' outside function", code="E101")
    raise _misplaced(c, node)



# -- statements that hold others -----------------------------------------------------------


def _stream_if(c: Compiler, node: ast.If) -> Streaming:
    test = c.turning(_test(c, node.test), node)
    body, orelse = _block(c, node.body), _block(c, node.orelse)

    def run(env: Any) -> Stream:
        return (yield from (body if test(env) else orelse)(env))

    return run


def _test(c: Compiler, node: ast.expr) -> Code:
    if node in c.paused:
        raise _misplaced(c, node)
    return compile_truth(c, node)


def _stream_match(c: Compiler, node: ast.Match) -> Streaming:
    subject = c.turning(_whole(c, node.subject), node)
    cases = [(compile_case(c, case), _block(c, case.body)) for case in node.cases]

    def run(env: Any) -> Stream:
        value = subject(env)
        for fits, block in cases:
            if fits(env, value):
                return (yield from block(env))
        return None

    return run


def _looping(c: Compiler, node: ast.For | ast.While) -> tuple[Streaming, Streaming]:
    before, c.in_loop = c.in_loop, True
    body = _block(c, node.body)
    c.in_loop = before
    return body, _block(c, node.orelse)


def _stream_while(c: Compiler, node: ast.While) -> Streaming:
    test = c.turning(_test(c, node.test), node)
    body, orelse = _looping(c, node)
    machine = c.machine

    def run(env: Any) -> Stream:
        while test(env):
            machine.tick()
            signal = yield from body(env)
            if signal is not None:
                if signal is BREAK:
                    return None
                if signal is not CONTINUE:
                    return signal
        return (yield from orelse(env))

    return run


def _stream_for(c: Compiler, node: ast.For) -> Streaming:
    source, store = c.turning(_whole(c, node.iter), node), compile_store(c, node.target)
    body, orelse = _looping(c, node)
    machine = c.machine
    iterate = c.iterating(node.iter)

    def run(env: Any) -> Stream:
        value = source(env)
        try:
            for item in iterate(value):
                machine.tick()
                store(env, item)
                signal = yield from body(env)
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is not CONTINUE:
                        return signal
        except marked(node.iter):
            raise
        return (yield from orelse(env))

    return run


def _stream_with(c: Compiler, node: ast.With) -> Streaming:
    code = _block(c, node.body)
    for item in reversed(node.items):
        code = _inside_of(c, item, code)
    return code


def _inside_of(c: Compiler, item: ast.withitem, body: Streaming) -> Streaming:
    if item in c.paused:
        raise _misplaced(c, item)
    entering = compile_entry(c, item)
    store = None if item.optional_vars is None else compile_store(c, item.optional_vars)

    def run(env: Any) -> Stream:
        entered, leave = entering(env)
        try:
            if store is not None:
                store(env, entered)
            signal = yield from body(env)
        except caught_by_program() as raised:
            error = as_raised(raised)
            seen = presented(error)
            if leave(type(seen), seen, traceback_of(seen)):
                return None
            raise error from None
        leave(None, None, None)
        return signal

    return run


def _stream_try(c: Compiler, node: ast.Try) -> Streaming:
    body, orelse, final = (_block(c, part) for part in (node.body, node.orelse, node.finalbody))
    check_handlers(c, node)
    handlers = [(compile_matching(c, handler, node), _handling(c, handler)) for handler in node.handlers]
    machine = c.machine

    def handled(env: Any) -> Stream:
        try:
            signal = yield from body(env)
        except caught_by_program() as raised:
            error = as_raised(raised)
            for matches, run_handler in handlers:
                if matches(env, error):
                    seen = presented(error)
                    # The list is this generator's own, whoever is running when it is dropped.
                    handling = machine.handling
                    depth = len(handling)
                    handling.append(seen)
                    try:
                        return (yield from run_handler(env, seen))
                    finally:
                        del handling[depth:]
            raise error from None
        return signal if signal is not None else (yield from orelse(env))

    def finally_(env: Any) -> Stream:
        try:
            signal = yield from handled(env)
        except caught_by_program():
            ended = yield from final(env)
            if ended is not None:
                return ended
            raise
        ended = yield from final(env)
        return signal if ended is None else ended

    return finally_ if node.finalbody else handled


def _handling(c: Compiler, node: ast.ExceptHandler) -> Callable[[Any, Exception], Stream]:
    store, forget = compile_naming(c, node)
    body = _block(c, node.body)

    def run(env: Any, error: Exception) -> Stream:
        store(env, error)
        try:
            return (yield from body(env))
        finally:
            forget(env)

    return run


_STREAMS: dict[type[ast.stmt], Callable[[Compiler, Any], Streaming]] = {
    ast.If: _stream_if,
    ast.Match: _stream_match,
    ast.While: _stream_while,
    ast.For: _stream_for,
    ast.With: _stream_with,
    ast.Try: _stream_try,
}


def _through(running: Running) -> Stream:
    """Run ``yield from`` another generator of the program: what is sent or thrown goes on to that one."""
    try:
        item = next(running)
        while True:
            try:
                sent = yield item
            except Closing:
                running.close()
                raise
            except caught_by_program() as error:
                item = running.throw(error)
            else:
                item = running.send(sent)
    except StopIteration as stop:
        return stop.value


def pauses(body: Iterable[ast.AST]) -> bool:
    """True if there is a ``yield`` in statements, outside functions nested in them."""
    return any(_has_pause(statement) for statement in body)


# A program that is run again is compiled again, from the same statements.
_pausing: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()


def _has_pause(statement: ast.AST) -> bool:
    found = _pausing.get(statement)
    if found is None:
        found = _pausing[statement] = _is_around_pause(statement)
    return found


def _is_around_pause(statement: ast.AST) -> bool:
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, _PAUSES):
            return True
        if not isinstance(node, _INNER):
            stack += [part for part in parts_of(node) if type(part) not in _SIMPLE]
    return False


def _around_pauses(body: Iterable[ast.AST]) -> set[ast.AST]:
    """Each ``yield`` in statements, functions in them aside, and all that it stands in."""
    above: dict[ast.AST, ast.AST | None] = dict.fromkeys(body)
    stack = list(above)
    found: set[ast.AST] = set()
    while stack:
        node = stack.pop()
        if isinstance(node, _PAUSES):
            at: ast.AST | None = node
            while at is not None and at not in found:
                found.add(at)
                at = above[at]
        if not isinstance(node, _INNER):
            below = parts_of(node)
            above.update(dict.fromkeys(below, node))
            stack += below
    return found

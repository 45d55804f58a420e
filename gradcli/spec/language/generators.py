"""Generator functions: statements that hand out values on their way, and go on from there.

A statement with a ``yield`` in it becomes a generator of the host's, which gives what the program's generator gives;
no program ever holds one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ...engine.guard.addresses import address
from ..input.parse import parts_of
from ..stdlib.exceptions.endings import Closing
from ..stdlib.iteration import Generator, UserGenerator
from .compiler import Code, Compiler, compiles, nothing
from .exception_marks import marked, marks, traceback_of
from .exceptions import check_handlers, compile_entry, compile_matching, compile_naming
from .expressions import compile_truth
from .held_values import Stream, Streaming, compile_computed, compile_held, compile_parts, streaming, streams
from .loops import BREAK, CONTINUE
from .machine import Machine, as_raised, caught_by_program, presented
from .matching import Fits, compile_case
from .statements import compile_block, compile_computing
from .targets import compile_item, compile_member, compile_removal, compile_store

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_PAUSES = (ast.Yield, ast.YieldFrom)
# Nodes, most in most programs, that have no parts worth a look.
_SIMPLE = frozenset((ast.Constant, ast.Load, ast.Name, ast.Store))


class Running:
    """A generator's code, somewhere on its way."""

    __slots__ = ("__weakref__", "contexts", "handling", "machine", "stream")

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
                its = marks(error)
                its.place = marks(error.__cause__).place
                its.cause = its.context = error.__cause__
                its.suppressed = True
            error.__cause__ = None
            raise
        finally:
            machine.handling = before
            machine.depth -= 1


class Leaving(Running):
    """A generator's code that has something to do wherever it is left."""

    __slots__ = ("name",)

    def __init__(self, machine: Machine, stream: Stream, name: str) -> None:
        super().__init__(machine, stream)
        self.name = name
        machine.left.begins(self)

    def __del__(self) -> None:
        self.machine.left.freed(self)

    def has_begun(self) -> bool:
        """True of one that is neither at its start nor at its end."""
        return bool(self.stream.gi_suspended)  # type: ignore[attr-defined]

    def leave(self) -> None:
        """Close it where nobody hears of its errors: they are shown and passed by."""
        if not self.has_begun():
            return
        self.machine.do_last(self.close, f"<generator object {self.name} at {address(self):#x}>")


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

    if any(isinstance(statement, (ast.Try, ast.With)) for statement in c.paused):
        return lambda env: UserGenerator(Leaving(machine, whole(env), name), name)
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
        for code, pausing in parts:
            signal = (yield from pausing(env)) if pausing is not None else code(env)  # type: ignore[misc]
            if signal is not None:
                return signal
        return None

    return run


def _statement(c: Compiler, statement: ast.stmt) -> Streaming:
    """A statement that has a ``yield`` in it."""
    return _STREAMS.get(type(statement), _simple)(c, statement)


def _simple(c: Compiler, statement: ast.stmt) -> Streaming:
    """A statement that computes all that is in it, and does then what it does."""
    if not isinstance(statement, (ast.Raise, ast.Assert)) or getattr(statement, "msg", None) in c.paused:
        raise _misplaced(c, statement)
    return compile_computed(c, statement)


def _stream_expr(c: Compiler, node: ast.Expr) -> Streaming:
    if isinstance(node.value, ast.Yield) and node.value.value not in c.paused:
        given = c.turning(_given(c, node.value), node.value)

        def alone(env: Any) -> Stream:
            yield given(env)

        return alone
    value = streaming(c, node.value)

    def run(env: Any) -> Stream:
        yield from value(env)

    return run


def _given(c: Compiler, node: ast.Yield) -> Code:
    """Code of the value that a ``yield`` gives."""
    return (lambda env: None) if node.value is None else c.code(node.value)


def _stream_return(c: Compiler, node: ast.Return) -> Streaming:
    assert node.value is not None
    value = streaming(c, node.value)

    def run(env: Any) -> Stream:
        return ((yield from value(env)),)

    return run


def _stream_assign(c: Compiler, node: ast.Assign | ast.AnnAssign) -> Streaming:
    if node.value is None:
        raise _misplaced(c, node)
    value = streaming(c, node.value)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if c.paused.isdisjoint(targets):
        stores = [compile_store(c, target) for target in targets]

        def assigned(env: Any) -> Stream:
            got = yield from value(env)
            for store in stores:
                store(env, got)

        return assigned
    ways = [_place(c, target) for target in targets]

    def placed(env: Any) -> Stream:
        got = yield from value(env)
        for way in ways:
            _, put = yield from way(env)
            put(got)

    return placed


def _stream_aug_assign(c: Compiler, node: ast.AugAssign) -> Streaming:
    place, value, compute = _place(c, node.target), streaming(c, node.value), compile_computing(c, node)

    def run(env: Any) -> Stream:
        take, put = yield from place(env)
        old = take()
        put(compute(old, (yield from value(env))))

    return run


def _place(c: Compiler, target: ast.expr) -> Streaming:
    """Something that pauses until it is known where a target is, and gives what reads and what sets it."""
    if isinstance(target, ast.Attribute):
        owner = streaming(c, target.value)
        take, give = compile_member(c, target)

        def of_attribute(env: Any) -> Stream:
            obj = yield from owner(env)
            return partial(take, obj), partial(give, obj)

        return of_attribute
    if isinstance(target, ast.Subscript):
        owner, index = streaming(c, target.value), streaming(c, target.slice)
        get, put = compile_item(c, target)

        def of_item(env: Any) -> Stream:
            obj = yield from owner(env)
            i = yield from index(env)
            return partial(get, obj, i), partial(put, obj, i)

        return of_item
    if target in c.paused:
        raise _misplaced(c, target)
    store = compile_store(c, target)
    read = c.code(ast.copy_location(ast.Name(target.id, ast.Load()), target)) if isinstance(target, ast.Name) else None

    def of_name(env: Any) -> Stream:
        return read and partial(read, env), partial(store, env)
        yield

    return of_name


def _stream_delete(c: Compiler, node: ast.Delete) -> Streaming:
    ways = [_removal(c, target) for target in node.targets]

    def run(env: Any) -> Stream:
        for way in ways:
            yield from way(env)

    return run


def _removal(c: Compiler, target: ast.expr) -> Streaming:
    if isinstance(target, (ast.Tuple, ast.List)) and target in c.paused:
        raise _misplaced(c, target)
    steps, rest = compile_parts(c, target)
    remove = compile_removal(c, rest)

    def run(env: Any) -> Stream:
        yield from steps(env)
        remove(env)

    return run


@streams(ast.YieldFrom)
def _delegated(c: Compiler, node: ast.YieldFrom) -> Streaming:
    before, at = _before(c, node.value)
    source = c.turning(c.code(at), node)
    machine = c.machine
    iterate = c.iterating(node.value)

    def run(env: Any) -> Stream:
        if before is not None:
            yield from before(env)
        value = source(env)
        try:
            if isinstance(value, UserGenerator):
                return (yield from _through(value.source))
            items = iterate(value)
            if isinstance(items, UserGenerator):
                return (yield from _through(items.source))
            for item in items:
                machine.tick()
                if (yield item) is not None and not isinstance(value, Generator):
                    raise AttributeError(f"'{type(items).__name__}' object has no attribute 'send'")
        except marked(node.value):
            raise

    return run


def _before(c: Compiler, node: ast.expr) -> tuple[Streaming | None, ast.expr]:
    """Give what pauses until the value of an expression is there, or None, and what stands for that value."""
    return compile_held(c, node) if node in c.paused else (None, node)


def _misplaced(c: Compiler, node: ast.AST) -> Exception:
    inner = next((n for n in ast.walk(node) if isinstance(n, _PAUSES)), node)
    help_ = "give its value a name first: x = yield y"
    return c.refused(inner, "the spec language has no yield at this place", help=help_)


@compiles(ast.Yield, ast.YieldFrom)
def _yield(c: Compiler, node: ast.expr) -> Code:
    """A ``yield`` where there is none."""
    if c.scope.kind == "comprehension":
        raise c.refused(node, "'yield' inside a comprehension", code="E101")
    if not c.in_function:
        raise c.refused(node, "'yield' outside function", code="E101")
    raise _misplaced(c, node)


# -- statements that hold others -----------------------------------------------------------


def _stream_if(c: Compiler, node: ast.If) -> Streaming:
    before, at = _before(c, node.test)
    test = c.turning(compile_truth(c, at), node)
    body, orelse = _block(c, node.body), _block(c, node.orelse)

    def run(env: Any) -> Stream:
        if before is not None:
            yield from before(env)
        return (yield from (body if test(env) else orelse)(env))

    return run


def _stream_match(c: Compiler, node: ast.Match) -> Streaming:
    before, at = _before(c, node.subject)
    subject = c.turning(c.code(at), node)
    cases = [(*_case(c, case), _block(c, case.body)) for case in node.cases]

    def run(env: Any) -> Stream:
        if before is not None:
            yield from before(env)
        value = subject(env)
        for fits, guard, block in cases:
            if fits(env, value) and (guard is None or (yield from guard(env))):
                return (yield from block(env))
        return None

    return run


def _case(c: Compiler, case: ast.match_case) -> tuple[Fits, Streaming | None]:
    """A function that says if a value fits, and what says if it is the case then, where that pauses."""
    if case.guard is None or case.guard not in c.paused:
        return compile_case(c, case), None
    fits = compile_case(c, ast.match_case(case.pattern, None, case.body))
    before, at = compile_held(c, case.guard)
    test = compile_truth(c, at)

    def guard(env: Any) -> Stream:
        yield from before(env)
        return test(env)

    return fits, guard


def _looping(c: Compiler, node: ast.For | ast.While) -> tuple[Streaming, Streaming]:
    before, c.in_loop = c.in_loop, True
    body = _block(c, node.body)
    c.in_loop = before
    return body, _block(c, node.orelse)


def _stream_while(c: Compiler, node: ast.While) -> Streaming:
    before, at = _before(c, node.test)
    test = c.turning(compile_truth(c, at), node)
    body, orelse = _looping(c, node)
    machine = c.machine

    def run(env: Any) -> Stream:
        while True:
            if before is not None:
                yield from before(env)
            if not test(env):
                break
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
    before, at = _before(c, node.iter)
    source, store = c.turning(c.code(at), node), compile_store(c, node.target)
    body, orelse = _looping(c, node)
    machine = c.machine
    iterate = c.iterating(node.iter)

    def run(env: Any) -> Stream:
        if before is not None:
            yield from before(env)
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
    if item.optional_vars in c.paused:
        raise _misplaced(c, item)
    before, at = _before(c, item.context_expr)
    entering = compile_entry(c, ast.withitem(at, item.optional_vars))
    store = None if item.optional_vars is None else compile_store(c, item.optional_vars)

    def run(env: Any) -> Stream:
        if before is not None:
            yield from before(env)
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
    ast.Expr: _stream_expr,
    ast.Return: _stream_return,
    ast.Assign: _stream_assign,
    ast.AnnAssign: _stream_assign,
    ast.AugAssign: _stream_aug_assign,
    ast.Delete: _stream_delete,
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

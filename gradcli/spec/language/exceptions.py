"""Exceptions: asserting, raising and catching them, and the contexts that see them pass."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ...errors import raised_by_program
from ..input.parse import written
from ..stdlib.contexts import protocol
from ..stdlib.exceptions.endings import is_of_kind
from ..stdlib.exceptions.exception_groups import Group, leaves, parted
from ..values.classes.sealed_classes import opened
from ..values.show import representation
from ..values.visible_types import word
from .compiler import Code, Compiler, compiles, nothing
from .exception_marks import mark, marked, marked_in, marks, traceback_of
from .machine import caught_by_program, class_of, presented
from .statements import compile_block
from .targets import _name_removal, compile_name, compile_store

# What a program catches where it can do without a module.
_ABSENCES = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
# And where it can do without a name of one: whoever catches everything may mean anything.
_LACKING = ("AttributeError",)

# As much of a value as a note shows.
_LONGEST_NOTE = 2_000


@compiles(ast.Assert)
def _assert(c: Compiler, node: ast.Assert) -> Code:
    source = c.machine.source
    test, sides = _asserted(c, node.test)
    message = None if node.msg is None else c.code(node.msg)

    def run(env: Any) -> None:
        holds, values = test(env)
        try:
            if holds:
                return
        except marked(node.test):
            raise
        failed = AssertionError(*([] if message is None else [message(env)]))
        its = marks(failed)
        its.notes = tuple(
            f"{written(source, side)} is {_shown(value)}" for side, value in zip(sides, values, strict=True)
        )
        its.asserted = True
        its.place = node.test
        raise failed

    return run


def _asserted(c: Compiler, node: ast.expr) -> tuple[Code, list[ast.expr]]:
    """Code that gives what is asserted with the values it speaks of, and where those stand."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = c.code(node.left), c.code(node.comparators[0])
        operate = c.compare[type(node.ops[0])]

        def compared(env: Any) -> Any:
            a, b = left(env), right(env)
            try:
                return operate(a, b), (a, b)
            except marked(node):
                raise

        sides = [node.left, node.comparators[0]]
        shown = [s for s in sides if not isinstance(s, ast.Constant)]
        if len(shown) == 2:
            return compared, sides
        keep = [i for i, s in enumerate(sides) if s in shown]

        def one_side(env: Any) -> Any:
            holds, values = compared(env)
            return holds, tuple(values[i] for i in keep)

        return one_side, shown
    code = c.code(node)
    arguments = node.args if isinstance(node, ast.Call) else []
    plain = [a for a in arguments if isinstance(a, ast.Name)]
    codes = [c.code(a) for a in plain]

    def called(env: Any) -> Any:
        return code(env), tuple(c(env) for c in codes)

    return called, [*plain]


@compiles(ast.Raise)
def _raise(c: Compiler, node: ast.Raise) -> Code:
    machine = c.machine
    if node.exc is None:

        def again(env: Any) -> None:
            if not machine.handling:
                error: BaseException = RuntimeError("No active exception to reraise")
                mark(error, node)
                raise error
            raise machine.handling[-1]

        return again
    value = c.code(node.exc)
    cause = None if node.cause is None else c.code(node.cause)

    def run(env: Any) -> None:
        error = value(env)
        if isinstance(error, type) and issubclass(error, Exception):
            try:
                error = error()
            except marked(node):
                raise
        if not isinstance(error, Exception):
            error = TypeError("exceptions must derive from BaseException")
        from_what = None if cause is None else cause(env)
        if not _may_cause(from_what):
            error, from_what = TypeError("exception causes must derive from BaseException"), None
        its = marks(error)
        its.raised = True
        its.cause = from_what() if isinstance(from_what, type) else from_what
        its.suppressed = cause is not None
        if machine.handling and machine.handling[-1] is not error:
            its.context = machine.handling[-1]
        if all(error is not other for other in machine.handling):
            # It may have been raised before, and dealt with.
            its.place, its.span = None, None
            mark(error, node)
        raise error

    return run


@compiles(ast.TryStar)
def _try_star(c: Compiler, node: ast.TryStar) -> Code:
    return _try(c, node)


@compiles(ast.Try)
def _try(c: Compiler, node: ast.Try | ast.TryStar) -> Code:
    before = c.optional, c.does_without
    c.optional = c.optional or any(_catches(handler, _ABSENCES, bare=True) for handler in node.handlers)
    c.does_without = c.does_without or any(_catches(handler, _LACKING) for handler in node.handlers)
    body = compile_block(c, node.body)
    c.optional, c.does_without = before
    orelse, final = compile_block(c, node.orelse), compile_block(c, node.finalbody)
    check_handlers(c, node)
    handlers = [_handler(c, handler, node) for handler in node.handlers]
    machine = c.machine

    def handled(env: Any) -> Any:
        try:
            signal = body(env)
        except caught_by_program() as error:
            depth = len(machine.handling)
            for matches, run_handler in handlers:
                if matches(env, error):
                    seen = presented(error)
                    machine.handling.append(seen)
                    try:
                        return run_handler(env, seen)
                    except marked_in(seen):
                        raise
                    finally:
                        del machine.handling[depth:]
            raise
        return signal if signal is not None else orelse(env)

    def handled_in_groups(env: Any) -> Any:
        try:
            signal = body(env)
        except caught_by_program() as error:
            left = _handled_in_groups(machine, [(partial(of, env), partial(by, env)) for of, by in handlers], error)
            if left is error:
                raise
            if left is not None:
                marks(left).raised = True
                raise left from None
            return None
        return signal if signal is not None else orelse(env)

    guarded = body if not handlers else handled_in_groups if isinstance(node, ast.TryStar) else handled
    if not node.finalbody:
        return guarded

    def finally_(env: Any) -> Any:
        try:
            signal = guarded(env)
        except caught_by_program():
            ended = final(env)
            if ended is not None:
                return ended
            raise
        ended = final(env)
        return signal if ended is None else ended

    return finally_


def _handled_in_groups(machine: Any, handlers: list[tuple[Any, Any]], error: Exception) -> Exception | None:
    """Hand each part of an error to the handler that asks for it; what they raise, and what is left, is raised."""
    whole = rest = presented(error)
    depth = len(machine.handling)
    again: list[Exception] = []
    new: list[Exception] = []
    for matches, run_handler in handlers:
        part, rest = parted(rest, matches)
        if part is not None:
            caught = part if isinstance(part, Group) else Group("", (part,))
            machine.handling.append(caught)
            try:
                run_handler(caught)
            except caught_by_program() as raised:
                if raised is caught:
                    again.append(part)
                else:
                    new.append(presented(raised))
            finally:
                del machine.handling[depth:]
        if rest is None:
            break
    remaining = {id(leaf) for found in (*again, rest) if found is not None for leaf in leaves(found)}
    kept = parted(whole, lambda leaf: id(leaf) in remaining)[0]
    if not new:
        # What no handler asked for goes on as it came.
        return error if kept is whole else kept
    return Group("", new if kept is None else [*new, kept])


def check_handlers(c: Compiler, node: ast.Try | ast.TryStar) -> None:
    """Refuse a handler after the one that catches everything."""
    for handler in node.handlers[:-1]:
        if handler.type is None:
            raise c.refused(handler, "default 'except:' must be last", code="E101")


def _handler(c: Compiler, node: ast.ExceptHandler, around: ast.Try | ast.TryStar) -> tuple[Any, Any]:
    store, forget = compile_naming(c, node)
    body = compile_block(c, node.body)

    def run(env: Any, error: Exception) -> Any:
        store(env, error)
        try:
            return body(env)
        finally:
            forget(env)

    return compile_matching(c, node, around), run if node.name else lambda env, error: body(env)


def compile_naming(c: Compiler, node: ast.ExceptHandler) -> tuple[Any, Code]:
    """Code that gives an exception its name in a handler, and code that takes the name away."""
    if node.name is None:
        return (lambda env, error: None), nothing
    remove = _name_removal(c, ast.copy_location(ast.Name(node.name, ast.Del()), node))

    def forget(env: Any) -> None:
        # The handler may have taken its own name away.
        with suppress(NameError):
            remove(env)

    return compile_name(c, node.name, node), forget


def compile_matching(c: Compiler, node: ast.ExceptHandler, around: ast.Try | ast.TryStar) -> Any:
    """Code that decides whether a handler catches an error."""
    kinds = None if node.type is None else c.code(node.type)
    in_groups = isinstance(around, ast.TryStar)

    def matches(env: Any, error: Exception) -> bool:
        if kinds is None:
            return True
        wanted = kinds(env)
        for kind in wanted if isinstance(wanted, tuple) else (wanted,):
            if in_groups and isinstance(kind, type) and issubclass(opened(kind), Group):
                raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
            if not (isinstance(kind, type) and issubclass(opened(kind), BaseException)):
                wrong = TypeError("catching classes that do not inherit from BaseException is not allowed")
                assert node.type is not None
                mark(wrong, node.type)
                raise wrong
            if is_of_kind(class_of(error), kind):
                return True
        return False

    return matches


# -- contexts ----------------------------------------------------------------------------


@compiles(ast.With)
def _with(c: Compiler, node: ast.With) -> Code:
    code = compile_block(c, node.body)
    for item in reversed(node.items):
        code = _context(c, item, code)
    return code


def compile_entry(c: Compiler, item: ast.withitem) -> Callable[[Any], tuple[Any, Callable[..., Any]]]:
    """Code that enters a context: it gives what that gives, and what leaves it."""
    value = c.code(item.context_expr)
    node = item.context_expr

    def run(env: Any) -> tuple[Any, Callable[..., Any]]:
        manager = value(env)
        try:
            enter, leave = protocol(manager)
            entered = enter()
        except marked(node):
            raise

        def left(*what: Any) -> Any:
            try:
                return leave(*what)
            except marked(node):
                raise

        return entered, left

    return run


def _context(c: Compiler, item: ast.withitem, body: Code) -> Code:
    entering = compile_entry(c, item)
    store = None if item.optional_vars is None else compile_store(c, item.optional_vars)

    def run(env: Any, node: ast.AST = item.context_expr) -> Any:
        entered, left = entering(env)
        try:
            if store is not None:
                store(env, entered)
            signal = body(env)
        except caught_by_program() as error:
            seen = presented(error)
            if left(type(seen), seen, traceback_of(seen)):
                return None
            raise
        left(None, None, None)
        return signal

    return run


def _catches(handler: ast.ExceptHandler, names: tuple[str, ...], bare: bool = False) -> bool:
    """True if a handler names one of these exceptions, or, where that counts, none at all."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(bare if k is None else isinstance(k, ast.Name) and k.id in names for k in kinds)


def _may_cause(value: Any) -> bool:
    """True if a value may stand after ``raise ... from``."""
    return value is None or isinstance(value, Exception) or (isinstance(value, type) and issubclass(value, Exception))


def _shown(value: Any) -> str:
    """A value as a note shows it: what it is is no reason to say less about the assert."""
    try:
        found = representation(value)
    except raised_by_program():
        return f"a {word(value)} that cannot be shown"
    return found if len(found) <= _LONGEST_NOTE else f"{found[:_LONGEST_NOTE]} ..."

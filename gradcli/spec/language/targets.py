"""Where values go: names, attributes, items, and several of them at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ...engine.tensor import Tensor
from ...errors import GradcliError
from ..guard import limits as limits_
from ..guard.library_calls import holds_own, standing_for, written_in_tensor
from ..guard.numpy_operands import NUMPY, assigned
from ..guard.size_limits import ARRAYS, collected, weigh, weigh_key
from ..stdlib.iteration import iterate
from ..values.members import assign, delete, get
from ..values.tables.byte_strings import made_bytes
from ..values.user_definitions import BOUND, is_special, refuse_special
from .calls import rank_of
from .compiler import Code, Compiler, compiles
from .exception_marks import mark, marked
from .expressions import attribute_name, marked_attribute, reading
from .scopes import UP, mangled
from .variables import unbound_local

Store = Callable[[dict[Any, Any], Any], None]


def compile_store(c: Compiler, node: ast.expr) -> Store:
    """Code that puts a value where a target says."""
    return _STORES[type(node)](c, node)


@compiles(ast.NamedExpr)
def _named_expr(c: Compiler, node: ast.NamedExpr) -> Code:
    value = c.code(node.value)
    inner, scope, hops = c.scope, c.scope, 0
    # What is bound in a comprehension lives around it.
    while scope.kind == "comprehension" and scope.outer is not None:
        scope, hops = scope.outer, hops + 1
    c.scope = scope
    store = compile_name(c, node.target.id, node.target)
    c.scope = inner

    def run(env: Any) -> Any:
        found = value(env)
        place = env
        for _ in range(hops):
            place = place[UP]
        store(place, found)
        return found

    return run


def _into_name(c: Compiler, node: ast.Name) -> Store:
    return compile_name(c, node.id, node)


def compile_name(c: Compiler, name: str, node: ast.AST) -> Store:
    """Code that binds a name."""
    if c.scope.kind == "class" and name not in c.scope.globals:
        return _member(c, name, node)
    check_name(c, name, node)
    tracer = c.machine.tracer
    if tracer is not None:
        plain, bind = _binding(c, name), tracer.binding(name, node, rank_of(c, name))

        def noted(env: Any, value: Any) -> None:
            plain(env, value)
            bind(value)

        return noted
    return _binding(c, name)


def _member(c: Compiler, name: str, node: ast.AST) -> Store:
    """Code that binds a name in the body of a class."""
    try:
        refuse_special(name)
    except GradcliError as error:
        raise c.placed(error, node) from None
    key = mangled(name, c.owner)

    def store(env: Any, value: Any) -> None:
        env[key] = value

    return store


def check_name(c: Compiler, name: str, node: ast.AST) -> None:
    """Refuse names that Python keeps for itself."""
    if is_special(name) and name not in BOUND and not (c.scope.kind == "class" and name != "__debug__"):
        raise c.refused(node, f"cannot assign to {name}", code="E205")


def own_target(c: Compiler, node: ast.AST) -> str | None:
    """The name that a target puts into the environment at hand without more ado; None for all other targets."""
    if type(node) is not ast.Name or c.machine.tracer is not None or c.scope.kind == "class":
        return None
    outside = node.id in c.scope.nonlocals or (node.id in c.scope.globals and c.scope.kind != "module")
    return None if outside else node.id


def _binding(c: Compiler, name: str) -> Store:
    c.scope.seen[name] = "assigned to before"
    if name in c.scope.nonlocals:
        kind, hops = c.scope.place(name)
        if kind != "outer":
            hops = 0

        def outer(env: Any, value: Any) -> None:
            for _ in range(hops):
                env = env[UP]
            env[name] = value

        return outer
    if c.scope.kind == "module" or name in c.scope.globals:
        names = c.machine.globals

        def outermost(env: Any, value: Any) -> None:
            names[name] = value

        return outermost

    def local(env: Any, value: Any) -> None:
        env[name] = value

    return local


def _into_attribute(c: Compiler, node: ast.Attribute) -> Store:
    owner = c.code(node.value)
    _, give = compile_member(c, node)
    return lambda env, value: give(owner(env), value)


def compile_member(c: Compiler, node: ast.Attribute) -> tuple[Callable[[Any], Any], Callable[[Any, Any], None]]:
    """Functions that read and set the attribute of a value that a node names."""
    name = attribute_name(c, node)
    tracer = c.machine.tracer
    bind = None if tracer is None else tracer.binding(ast.unparse(node), node)

    def take(obj: Any) -> Any:
        try:
            found = get(obj, name)
        except marked_attribute(obj, name, node):
            raise
        if tracer is not None:
            tracer.note(found, node)
        return found

    def give(obj: Any, value: Any) -> None:
        try:
            assign(obj, name, value)
        except marked_attribute(obj, name, node):
            raise
        if tracer is not None and bind is not None:
            tracer.note(obj if isinstance(obj, Tensor) else value, node)
            if isinstance(value, Tensor) and not isinstance(obj, Tensor):
                bind(value)

    return take, give


def _into_subscript(c: Compiler, node: ast.Subscript) -> Store:
    owner, index = c.code(node.value), c.code(node.slice)
    _, put = compile_item(c, node)
    return lambda env, value: put(owner(env), index(env), value)


def compile_item(c: Compiler, node: ast.Subscript) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any, Any], None]]:
    """Functions that read and set an item of a value, at the place that a node stands for."""
    read = reading(c.machine)
    machine = c.machine
    most = machine.limits.sequence
    tracer = machine.tracer
    written = node.value.id if tracer is not None and isinstance(node.value, ast.Name) else ""
    bind = tracer.binding(written, node, rank_of(c, written)) if tracer is not None and written else None

    def get_item(obj: Any, i: Any) -> Any:
        try:
            found = read(obj, i)
        except marked(node):
            raise
        if tracer is not None:
            tracer.note(found, node)
        return found

    def put(obj: Any, i: Any, value: Any) -> None:
        try:
            if type(obj) is list and type(i) is int:
                # The most common by far needs no look at all.
                pass
            elif type(obj) is dict:
                if type(i) is tuple:
                    weigh(i)
            elif isinstance(obj, ARRAYS):
                try:
                    machine.budget.charge_index(obj, i)
                except IndexError:
                    i = standing_for(i)
                    machine.budget.charge_index(obj, i)
                weigh(value)
                if isinstance(obj, NUMPY):
                    value = assigned(value, obj)
                elif type(value) is not Tensor:
                    value = written_in_tensor(value)
            elif type(i) is slice and isinstance(obj, (list, bytearray)):
                value = collected(iterate(value)) if isinstance(obj, list) else made_bytes(value)
                if len(obj) + len(value) > most:
                    raise limits_.too_long(machine.limits, type(obj).__name__, len(obj) + len(value))
            elif isinstance(obj, type):
                raise TypeError("'type' object does not support item assignment")
            elif type(i) is tuple:
                weigh_key(i)
            if tracer is not None:
                # An array may be a tensor's memory.
                tracer.tape.before_write(obj)
            try:
                obj[i] = value
            except IndexError:
                if not (isinstance(obj, ARRAYS) and holds_own((i,))):
                    raise
                array: Any = obj
                array[standing_for(i)] = value
            if isinstance(obj, dict) and len(obj) > most:
                raise limits_.too_long(machine.limits, "dict", len(obj))
        except marked(node):
            raise
        if tracer is not None:
            tracer.note(None, node)
            if bind is not None and isinstance(obj, Tensor):
                bind(obj)

    return get_item, put


def _into_starred(c: Compiler, node: ast.Starred) -> Store:
    raise c.refused(node, "starred assignment target must be in a list or tuple", code="E101")


def _into_list(c: Compiler, node: ast.List) -> Store:
    return _unpack(c, node, node.elts)


def _into_tuple(c: Compiler, node: ast.Tuple) -> Store:
    return _unpack(c, node, node.elts)


def _unpack(c: Compiler, node: ast.expr, targets: list[ast.expr]) -> Store:
    starred = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if len(starred) > 1:
        raise c.refused(node, "multiple starred expressions in assignment", code="E101")
    stores = [compile_store(c, t.value if isinstance(t, ast.Starred) else t) for t in targets]
    expected = len(targets)
    limits = c.machine.limits
    iterate = c.iterating(node)
    names = [own_target(c, t) for t in targets]
    plainly = None not in names

    def exact(env: Any, value: Any) -> None:
        if type(value) is tuple or type(value) is list:
            items = value
        else:
            items = _collected(iterate, value, expected + 1, node)
        if len(items) != expected:
            if len(items) > expected:
                words = f"too many values to unpack (expected {expected})"
            else:
                words = f"not enough values to unpack (expected {expected}, got {len(items)})"
            error = ValueError(words)
            mark(error, node)
            raise error
        if plainly:
            env.update(zip(names, items, strict=True))
            return
        for store, item in zip(stores, items, strict=True):
            store(env, item)

    if not starred:
        return exact
    (at,) = starred
    after = expected - at - 1

    def spread(env: Any, value: Any) -> None:
        items = _collected(iterate, value, limits.sequence + 1, node)
        if len(items) > limits.sequence:
            long = limits_.too_long(limits, "list", len(items))
            mark(long, node)
            raise long
        if len(items) < expected - 1:
            error = ValueError(f"not enough values to unpack (expected at least {expected - 1}, got {len(items)})")
            mark(error, node)
            raise error
        middle = len(items) - after
        parts = [*items[:at], items[at:middle], *items[middle:]]
        for store, item in zip(stores, parts, strict=True):
            store(env, item)

    return spread


_STORES: dict[type[ast.expr], Callable[[Compiler, Any], Store]] = {
    ast.Name: _into_name,
    ast.Attribute: _into_attribute,
    ast.Subscript: _into_subscript,
    ast.Starred: _into_starred,
    ast.List: _into_list,
    ast.Tuple: _into_tuple,
}


# -- del -----------------------------------------------------------------------------------


def compile_removal(c: Compiler, node: ast.expr) -> Code:
    """Code that takes a name, an attribute or an item away."""
    if isinstance(node, ast.Name):
        return _name_removal(c, node)
    if isinstance(node, (ast.Tuple, ast.List)):
        removes = [compile_removal(c, n) for n in node.elts]

        def several(env: Any) -> None:
            for remove in removes:
                remove(env)

        return several
    if isinstance(node, ast.Attribute):
        owner = c.code(node.value)
        name = attribute_name(c, node)

        def attribute(env: Any) -> None:
            obj = owner(env)
            try:
                delete(obj, name)
            except marked_attribute(obj, name, node):
                raise

        return attribute
    assert isinstance(node, ast.Subscript)
    owner, index = c.code(node.value), c.code(node.slice)

    def item(env: Any) -> None:
        obj, i = owner(env), index(env)
        try:
            weigh_key(i)
            del obj[i]
        except marked(node):
            raise

    return item


def _name_removal(c: Compiler, node: ast.Name) -> Code:
    name = node.id
    kind, hops = c.scope.place(name)
    local = kind == "local" and c.scope.kind == "function"
    names = c.machine.globals

    def run(env: Any) -> None:
        for _ in range(hops):
            env = env[UP]
        try:
            del (names if kind == "global" else env)[name]
        except KeyError:
            error = unbound_local(name) if local else NameError(f"name '{name}' is not defined")
            mark(error, node)
            raise error from None

    return run


def _collected(iterate: Callable[[Any], Iterator[Any]], value: Any, most: int, node: ast.AST) -> list[Any]:
    """The values to unpack, at most so many."""
    try:
        return list(islice(iterate(value), most))
    except TypeError as error:
        if "not iterable" in str(error) and not isinstance(value, Tensor):
            error = TypeError(f"cannot unpack non-iterable {type(value).__name__} object")
        mark(error, node)
        raise error from None
    except marked(node):
        raise

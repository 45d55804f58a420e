"""Definitions: functions, lambdas and classes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

from ...engine.tape.frames import FUNCTION
from ...errors import LimitError, Source, SpecError
from ..input.parse import is_unread, parse
from ..stdlib.class_bases import base_of, refused_base
from ..stdlib.hints import TypedRow
from ..values.annotations import Noted
from ..values.classes.data_classes import ABC, ABCMeta, make_class
from ..values.classes.enumerations import mixed
from ..values.classes.making_classes import Plain
from ..values.classes.metaclasses import Making, body_of, making, prepared, wanted_metaclass
from ..values.classes.sealed_classes import TYPE
from ..values.user_definitions import ANNOTATED, NAMED, NOTED, PASSED, WRITTEN, Signature, UserFunction, is_special
from .calls import arguments_of, caller
from .compiler import Code, Compiler, compiles
from .exception_marks import marked
from .generators import compile_generator, pauses
from .leaving import letting_go
from .scopes import UP, Scope, assigned, listed, mangled, parameters
from .statements import compile_block, compile_each
from .targets import check_name, compile_name

# The method that a call of a module, or of a custom function, runs.
FORWARD = "forward"


# -- functions -----------------------------------------------------------------------------


@compiles(ast.FunctionDef)
def _function_def(c: Compiler, node: ast.FunctionDef) -> Code:
    if getattr(node, "type_params", None):
        raise c.refused(node, "the spec language has no type parameters")
    decorators = [c.code(d) for d in node.decorator_list]
    make = _function(c, node, node.name, node.args, node.body)
    store = compile_name(c, node.name, node)
    return _decorated(c, node, decorators, make, store)


def _decorated(c: Compiler, node: Any, decorators: list[Code], make: Code, store: Any) -> Code:
    call = caller(c.machine)

    def run(env: Any) -> None:
        wrappers = [decorator(env) for decorator in decorators]
        value = make(env)
        for wrapper, at in zip(reversed(wrappers), reversed(node.decorator_list), strict=True):
            try:
                value = call(wrapper, (value,), {})
            except marked(at):
                raise
        store(env, value)

    return run


@compiles(ast.Lambda)
def _lambda(c: Compiler, node: ast.Lambda) -> Code:
    return _function(c, node, "<lambda>", node.args, node.body)


def _function(c: Compiler, node: Any, name: str, arguments: ast.arguments, body: list[ast.stmt] | ast.expr) -> Code:
    c.functions += 1
    names: dict[str, None] = {}
    for a in parameters(arguments):
        if a.arg in names:
            raise c.refused(a, f"duplicate argument '{a.arg}' in function definition", code="E101")
        names[a.arg] = None
        check_name(c, a.arg, a)
    positional = [*arguments.posonlyargs, *arguments.args]
    defaulted = positional[len(positional) - len(arguments.defaults) :]
    defaults = [(a.arg, c.code(d)) for a, d in zip(defaulted, arguments.defaults, strict=True)]
    defaults += [
        (a.arg, c.code(d)) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
    ]
    path = (*c.path, name)

    def compiled() -> Code:
        return _body(c, node, arguments, list(names), body, path)

    compiled_here = _at_this_place(c, compiled)
    code = compiled() if c.machine.compiles_all else _when_called(compiled_here)
    shape = (
        tuple(a.arg for a in positional),
        frozenset(a.arg for a in (*arguments.args, *arguments.kwonlyargs)),
        arguments.vararg.arg if arguments.vararg else None,
        tuple(a.arg for a in arguments.kwonlyargs),
        arguments.kwarg.arg if arguments.kwarg else None,
    )
    doc = docstring(node) if isinstance(body, list) else None
    machine = c.machine
    qualname = ".".join(path)
    in_class = c.scope.kind == "class"
    generates = pauses(body if isinstance(body, list) else [body])
    notes = _notes(c, _of_parameters(node, arguments), c.scope.outer if in_class else c.scope)

    def make(env: Any) -> UserFunction:
        given = {key: default(env) for key, default in defaults}
        # Functions of a class body do not see its names, but what super() needs.
        outer = env[UP] if in_class else env
        made = UserFunction(machine, name, qualname, doc, Signature(*shape, given), code, outer, node)
        made.generates = generates
        made.compile_again = compiled_here
        if notes is not None:
            made.__dict__[NOTED] = notes(outer)
        return made

    return make


def docstring(node: Any) -> str | None:
    """The words of a function or a class, as the Python that runs the program keeps them: since 3.13 without indent."""
    return ast.get_docstring(node, clean=sys.version_info >= (3, 13))


def _of_parameters(node: Any, arguments: ast.arguments) -> dict[str, ast.expr]:
    """The annotations of a function."""
    found = {a.arg: a.annotation for a in parameters(arguments) if a.annotation is not None}
    returns = getattr(node, "returns", None)
    return found if returns is None else {**found, "return": returns}


def _notes(c: Compiler, annotated: dict[str, ast.expr], scope: Any) -> Callable[[Any], Noted] | None:
    """Make the reader of annotations, which are compiled when they are first asked for."""
    if not annotated:
        return None
    here = c.scope
    c.scope = scope
    whole, plain = (
        {name: _when_called(_at_this_place(c, partial(read, c, node))) for name, node in annotated.items()}
        for read in (_read_note, _plain_note)
    )
    c.scope = here

    def made(env: Any) -> Noted:
        return Noted(*[lambda codes=codes: {n: code(env) for n, code in codes.items()} for codes in (plain, whole)])

    return made


# What an annotation is made of that can be read.
_IN_NOTES = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Load,
)  # fmt: skip


def _plain_note(c: Compiler, node: ast.expr) -> Code:
    """An annotation as Python keeps it: as a text where the program says so."""
    if not is_unread(c.machine.source.text):
        return _checked_note(c, node, node)
    text = ast.unparse(node)
    return lambda env: text


def _read_note(c: Compiler, node: ast.expr) -> Code:
    """An annotation; one that is a text is read."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return _checked_note(c, node, node)
    try:
        # It is as bounded as a program, and then read again, for nodes that are nobody else's.
        parse(Source("", node.value), c.machine.limits)
        read = ast.parse(node.value, mode="eval").body
    except (SpecError, LimitError, SyntaxError):
        raise c.refused(node, "this text is no annotation", code="E101") from None
    return _checked_note(c, read, node)


def _checked_note(c: Compiler, node: ast.expr, place: ast.expr) -> Code:
    for part in ast.walk(node):
        if not isinstance(part, _IN_NOTES):
            raise c.refused(place, "an annotation that is read is made of names, dots and brackets", code="E102")
        if place is not node:
            ast.copy_location(part, place)
    return c.code(node)


def _when_called(compiled: Callable[[], Code]) -> Code:
    """Code that is compiled when it first runs."""
    code: Code | None = None

    def run(env: Any) -> Any:
        nonlocal code
        if code is None:
            code = compiled()
        return code(env)

    return run


def _at_this_place(c: Compiler, compiled: Callable[[], Code]) -> Callable[[], Code]:
    """The same, compiled in the scope that it stands in, whenever that is."""
    here = _place_of(c)

    def placed() -> Code:
        there = _place_of(c)
        _put(c, here)
        try:
            return compiled()
        finally:
            _put(c, there)

    return placed


def _place_of(c: Compiler) -> tuple[Any, ...]:
    """All that a compiler knows of the place that it is at."""
    ready = c.optional, c.does_without
    return c.scope, c.owner, c.path, c.in_function, c.in_loop, c.in_branch, ready, c.first_parameter


def _put(c: Compiler, place: tuple[Any, ...]) -> None:
    c.scope, c.owner, c.path, c.in_function, c.in_loop, c.in_branch, ready, c.first_parameter = place
    c.optional, c.does_without = ready


def _body(
    c: Compiler, node: Any, arguments: ast.arguments, names: list[str], body: list[ast.stmt] | ast.expr,
    path: tuple[str, ...],
) -> Code:  # fmt: skip
    saved = c.scope, c.in_function, c.in_loop, c.path, c.first_parameter
    outer = c.scope.outer if c.scope.kind == "class" else c.scope
    c.scope = Scope("function", outer, names)
    c.scope.parameters = listed(arguments)
    if saved[0].kind == "class":
        c.first_parameter = names[0] if names else None
    c.path = (*path, "<locals>")
    c.in_function, c.in_loop = True, False
    if isinstance(body, ast.expr) and pauses([body]):
        body = [ast.copy_location(ast.Return(body), body)]
    if isinstance(body, ast.expr):
        assigned([body], c.scope)
        code = c.code(body)
    else:
        assigned(body, c.scope)
        for kind, taken in (("global", c.scope.globals), ("nonlocal", c.scope.nonlocals)):
            for name in taken.intersection(names):
                raise c.refused(node, f"name '{name}' is parameter and {kind}", code="E101")
        if pauses(body):
            code = compile_generator(c, body, ".".join(path))
        elif len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
            code = c.turning(c.code(body[0].value), body[0])
        else:
            before = c.functions
            codes, kept = compile_each(c, body)

            # As in a block, and it gives what is returned.
            def whole(env: Any, running: list[ast.stmt] = kept) -> Any:
                for code in codes:
                    signal = code(env)
                    if signal is not None:
                        return signal[0]
                return None

            code = whole if c.functions == before else letting_go(whole, body, c.machine.left)

    code = c.called(code)
    c.scope, c.in_function, c.in_loop, c.path, c.first_parameter = saved
    if isinstance(body, ast.expr) or pauses(body) or path[-1] == FORWARD:
        # A generator runs in pieces; a forward is the call of its module.
        return code
    return c.framed(code, FUNCTION, node, path[-1])


# -- classes -------------------------------------------------------------------------------


@compiles(ast.ClassDef)
def _class_def(c: Compiler, node: ast.ClassDef) -> Code:
    if getattr(node, "type_params", None):
        raise c.refused(node, "the spec language has no type parameters")
    decorators = [c.code(d) for d in node.decorator_list]
    # What stands in its brackets is given as the arguments of a call are.
    arguments = arguments_of(c, ast.copy_location(ast.Call(ast.Name(node.name), node.bases, node.keywords), node))
    places: list[ast.AST] = [node] if any(isinstance(base, ast.Starred) for base in node.bases) else [*node.bases]
    saved = c.scope, c.owner, c.path, c.in_loop, c.in_function
    cell = Scope("cell", c.scope, ["__class__"])
    c.scope = Scope("class", cell)
    assigned(node.body, c.scope)
    c.owner = node.name
    c.path = (*c.path, node.name)
    c.in_loop = c.in_function = False
    qualname = ".".join(c.path)
    body = compile_block(c, node.body)
    notes = _notes(c, _of_body(node), c.scope)
    c.scope, c.owner, c.path, c.in_loop, c.in_function = saved
    doc = docstring(node)
    roles = _annotated(c, node)

    def make(env: Any) -> Any:
        bases, told = arguments(env)
        given = mixed(bases)
        if given and all(isinstance(base, TypedRow) for base in given):
            # Its body holds annotations, which mean nothing when a program runs.
            return TypedRow(node.name)
        told = {**told}
        named = told.pop("metaclass", None)
        if named is not None and named is not TYPE and not isinstance(named, Making):
            given = _with_metaclass(c, given, named, node)
        line = tuple(_base(c, base, at) for base, at in zip_longest(given, places[: len(given)], fillvalue=node))
        inner: dict[Any, Any] = {UP: env}
        space: dict[Any, Any] = {}
        try:
            meta = wanted_metaclass(named if isinstance(named, Making) else None, line)
            ready = prepared(meta, node.name, given, told, qualname)
        except marked(node):
            raise
        if ready is not None:
            space = ready
        dict.__setitem__(space, UP, inner)
        body(space)
        dict.__delitem__(space, UP)
        if ready is None:
            space.setdefault("__doc__", doc)
        elif doc is not None:
            ready["__doc__"] = doc
        kept: dict[str, Any] = {**roles, WRITTEN: (c.machine.source, node)}
        if c.machine.module is not None:
            kept["__module__"] = c.machine.module
        if notes is not None:
            kept[NOTED] = notes({**(space if ready is None else dict(ready.mapping)), UP: inner})
        try:
            if meta is not None:
                laid_out = body_of(space if ready is None else {}, qualname, kept)
                namespace = laid_out if ready is None else ready.mapping
                cls = inner["__class__"] = making(meta, node.name, given, namespace, laid_out, told)
                return cls
            space.update(kept)
            cls = make_class(node.name, qualname, tuple(b for b in line if b is not Plain), space, told)
        except marked(node):
            raise
        inner["__class__"] = cls
        return cls

    return _decorated(c, node, decorators, make, compile_name(c, node.name, node))


def _with_metaclass(c: Compiler, bases: tuple[Any, ...], metaclass: Any, node: ast.ClassDef) -> tuple[Any, ...]:
    """The bases of a class that names its metaclass, which can be that of abstract classes only."""
    if metaclass is not ABCMeta:
        raise c.refused(node, "a class of a spec takes no metaclass but ABCMeta and those of its own", code="E205")
    return bases if ABC in bases else (*bases, ABC)


def _of_body(body: ast.ClassDef) -> dict[str, ast.expr]:
    """The annotations of a class."""
    found = [node for node in body.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]
    return {mangled(node.target.id, body.name): node.annotation for node in found}  # type: ignore[union-attr]


def _annotated(c: Compiler, body: ast.ClassDef) -> dict[str, tuple[str, ...]]:
    """The names that are annotated in the body of a class as attributes of its instances, and what is said of them."""
    roles: dict[str, list[str]] = {ANNOTATED: [], PASSED: [], NAMED: []}
    by_name = False
    for node in body.body:
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        kind = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
        said = getattr(kind, "attr", getattr(kind, "id", ""))
        by_name = by_name or said == "KW_ONLY"
        if said in ("ClassVar", "KW_ONLY"):
            continue
        if is_special(node.target.id):
            raise c.refused(node, f"a class of a spec may not annotate {node.target.id}", code="E205")
        name = mangled(node.target.id, body.name)
        roles[ANNOTATED].append(name)
        if said == "InitVar":
            roles[PASSED].append(name)
        if by_name:
            roles[NAMED].append(name)
    return {role: tuple(names) for role, names in roles.items() if names}


def _base(c: Compiler, base: Any, node: ast.AST) -> type:
    """A class that a program may derive from."""
    found = base_of(base)
    if found is None:
        raise c.placed(refused_base(base), node)
    return found

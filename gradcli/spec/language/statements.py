"""Statements: assignments, branches, imports."""

from __future__ import annotations

import ast
from typing import Any

from ...errors import GradcliError
from ..guard import limits as limits_
from ..guard.notes import note
from ..guard.size_limits import LEAST, MOST
from ..library import is_of_library, is_package
from ..stdlib.exceptions.endings import NotImported
from ..torch_names.absent import absent, is_in_part, may_be_missing
from ..torch_names.names import NAMESPACES, imported
from ..torch_names.namespaces import NoSuchName
from ..values.user_definitions import MISSING, Namespace
from .compiler import Code, Compiler, compiles, nothing
from .exception_marks import mark, marked, marks
from .expressions import compile_assigned, compile_test
from .operators import NUMBERS, OF_NUMBERS, Binary
from .scopes import WIDE
from .targets import compile_item, compile_member, compile_name, compile_removal, compile_store, own_target
from .variables import own_name


def compile_block(c: Compiler, statements: list[ast.stmt]) -> Code:
    """Code that runs statements in order until one ends the block early."""
    codes, kept = compile_each(c, statements)
    if not codes:
        return nothing
    if len(codes) == 1:
        return codes[0]

    # An interruption between two of them finds its place by the name of ``running``.
    def run(env: Any, running: list[ast.stmt] = kept) -> Any:
        for code in codes:
            signal = code(env)
            if signal is not None:
                return signal
        return None

    return run


def compile_each(c: Compiler, statements: list[ast.stmt]) -> tuple[list[Code], list[ast.stmt]]:
    """The codes of the statements that do anything, and these."""
    parts = [(code, s) for s in statements if (code := c.code(s)) is not nothing]
    return [code for code, _ in parts], [s for _, s in parts]


# -- assignments -------------------------------------------------------------------------


@compiles(ast.Expr)
def _expr(c: Compiler, node: ast.Expr) -> Code:
    if isinstance(node.value, ast.Constant) and not isinstance(node.value.value, (bytes, complex)):
        return nothing
    code = c.code(node.value)

    # Freeing a value may take long: an interruption then finds its place by the name of ``node``.
    def run(env: Any, node: ast.AST = node) -> None:
        code(env)

    return run


@compiles(ast.Assign)
def _assign(c: Compiler, node: ast.Assign) -> Code:
    value = compile_assigned(c, node.value)
    stores = [compile_store(c, target) for target in node.targets]
    if len(stores) == 1:
        (store,), name = stores, own_target(c, node.targets[0])
        if name is not None:

            def named(env: Any, node: ast.AST = node) -> None:
                env[name] = value(env)

            return named

        def single(env: Any, node: ast.AST = node) -> None:
            store(env, value(env))

        return single

    def run(env: Any, node: ast.AST = node) -> None:
        v = value(env)
        for store in stores:
            store(env, v)

    return run


@compiles(ast.AnnAssign)
def _ann_assign(c: Compiler, node: ast.AnnAssign) -> Code:
    target = node.target
    if isinstance(target, ast.Name) and target.id in c.scope.globals | c.scope.nonlocals:
        kind = "global" if target.id in c.scope.globals else "nonlocal"
        raise c.refused(node, f"annotated name '{target.id}' can't be {kind}", code="E101")
    # Annotations say nothing that is run.
    if node.value is None:
        return nothing
    value, store = c.code(node.value), compile_store(c, node.target)

    def run(env: Any) -> None:
        store(env, value(env))

    return run


@compiles(ast.AugAssign)
def _aug_assign(c: Compiler, node: ast.AugAssign) -> Code:
    value = c.code(node.value)
    compute = compile_computing(c, node)
    target = node.target
    if isinstance(target, ast.Name):
        read = c.code(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        store, name, to = compile_store(c, target), own_name(c, target), own_target(c, target)

        def to_name(env: Any) -> None:
            old = env[name] if name in env else read(env)
            new = compute(old, value(env))
            if to is not None:
                env[to] = new
            else:
                store(env, new)

        return to_name
    # The owner and the index are computed once.
    owner = c.code(target.value)
    if isinstance(target, ast.Attribute):
        take, give = compile_member(c, target)

        def to_attribute(env: Any) -> None:
            obj = owner(env)
            old = take(obj)
            give(obj, compute(old, value(env)))

        return to_attribute
    index = c.code(target.slice)
    get, put = compile_item(c, target)

    def to_item(env: Any) -> None:
        obj, i = owner(env), index(env)
        old = get(obj, i)
        put(obj, i, compute(old, value(env)))

    return to_item


def compile_computing(c: Compiler, node: ast.AugAssign) -> Binary:
    """A function of the old value and the one on the right that gives the new value."""
    operate = c.binary[type(node.op)][1]
    quick = OF_NUMBERS.get(type(node.op), operate)
    kinds = NUMBERS if quick is not operate else frozenset()
    tracer = c.machine.tracer

    def compute(old: Any, v: Any) -> Any:
        try:
            if type(old) in kinds and type(v) in kinds:
                new = quick(old, v)
                if type(new) is int and not LEAST <= new <= MOST:
                    raise limits_.integer_too_large()
                return new
            if tracer is not None:
                # An array may be a tensor's memory.
                tracer.tape.before_write(old)
            new = operate(old, v)
        except marked(node):
            raise
        if tracer is not None:
            tracer.note(new, node)
        return new

    return compute


@compiles(ast.Delete)
def _delete(c: Compiler, node: ast.Delete) -> Code:
    removes = [compile_removal(c, target) for target in node.targets]

    def run(env: Any, node: ast.AST = node) -> None:
        for remove in removes:
            remove(env)

    return run


@compiles(ast.Pass)
def _pass(c: Compiler, node: ast.Pass) -> Code:
    return nothing


@compiles(ast.Global)
def _global(c: Compiler, node: ast.Global) -> Code:
    _declared(c, node, "global")
    return nothing


def _declared(c: Compiler, node: ast.Global | ast.Nonlocal, kind: str) -> None:
    """Refuse a declaration of names that were used already."""
    for name in node.names:
        done = c.scope.seen.get(name)
        if done is not None:
            raise c.refused(node, f"name '{name}' is {done} {kind} declaration", code="E101")


@compiles(ast.Nonlocal)
def _nonlocal(c: Compiler, node: ast.Nonlocal) -> Code:
    _declared(c, node, "nonlocal")
    for name in node.names:
        if c.scope.kind == "module" or c.scope.place(name)[0] != "outer":
            raise c.refused(node, f"no binding for nonlocal '{name}' found", code="E101")
    return nothing


# -- branches ----------------------------------------------------------------------------


@compiles(ast.If)
def _if(c: Compiler, node: ast.If) -> Code:
    # A long chain of elif is compiled in a loop, so that it nests nothing.
    before, c.in_branch = c.in_branch, True
    code = _branches(c, node)
    c.in_branch = before
    return code


def _branches(c: Compiler, node: ast.If) -> Code:
    branches = [(*compile_test(c, node.test), compile_block(c, node.body))]
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        branches.append((*compile_test(c, node.test), compile_block(c, node.body)))
    orelse = compile_block(c, node.orelse)

    def run(env: Any) -> Any:
        for test, truth, body in branches:
            value = test(env)
            if value is True or (value is not False and truth(value)):
                return body(env)
        return orelse(env)

    return run


@compiles(ast.Return)
def _return(c: Compiler, node: ast.Return) -> Code:
    if not c.in_function:
        raise c.refused(node, "'return' outside function", code="E101")
    if node.value is None:
        return lambda env: (None,)
    value = c.code(node.value)
    return lambda env: (value(env),)


# -- imports -----------------------------------------------------------------------------


@compiles(ast.Import)
def _import(c: Compiler, node: ast.Import) -> Code:
    if c.machine.own and (own := _own_import(c, node)) is not None:
        return own
    stores, ours = [], is_of_library(node)
    for alias in node.names:
        if c.optional and may_be_missing(alias.name):
            return _raising(_not_there(alias.name), node)
        try:
            whole = imported(alias.name, of_library=ours)
            value = whole if alias.asname else imported(alias.name.split(".")[0], of_library=ours)
        except GradcliError as error:
            value = _in_its_place(c, error, alias.name)
            if value is None:
                return _without(c, error, alias.name, node)
            if not alias.asname:
                top = alias.name.split(".")[0]
                value = imported(top) if top == "torch" else absent(top)
        name = alias.asname or alias.name.split(".")[0]
        stores.append((compile_name(c, name, node), value))

    def run(env: Any) -> None:
        for store, value in stores:
            store(env, value)

    return run


@compiles(ast.ImportFrom)
def _import_from(c: Compiler, node: ast.ImportFrom) -> Code:
    if c.machine.own and (own := _own_import(c, node)) is not None:
        return own
    stores, module = [], "." * node.level + (node.module or "")
    if c.optional and may_be_missing(module):
        return _raising(_not_there(module), node)
    for alias in node.names:
        try:
            name = WIDE.get(alias.name, alias.name) if c.machine.wide else alias.name
            value = imported(_place_of(c, node), name, of_library=is_of_library(node))
        except GradcliError as error:
            value = _in_its_place(c, error, module, alias.name) if alias.name != "*" else None
            if value is None:
                return _without(c, error, module, node)
        if alias.name == "*":
            if c.in_function or c.scope.kind != "module":
                raise c.refused(node, "import * only allowed at module level", code="E101")
            c.machine.all_of.append(value)
            return _rebound(c, value)
        stores.append((compile_name(c, alias.asname or alias.name, node), value))

    def run(env: Any) -> None:
        for store, value in stores:
            store(env, value)

    return run


def _rebound(c: Compiler, space: Namespace) -> Code:
    """Code that binds those names of a module that the program binds elsewhere, too; all others are found in it."""
    names = c.machine.globals
    found = {name: space.find(name) for name in c.bound if name[:1] != "_"}
    # A module's own modules are not among what it hands out.
    given = {name: value for name, value in found.items() if value is not MISSING and type(value) is not Namespace}

    def run(env: Any) -> None:
        names.update(given)

    return run


def _own_import(c: Compiler, node: ast.Import | ast.ImportFrom) -> Code | None:
    """Code of an import from beside the program; None where it is none."""
    from .imports_beside import own_import, own_import_from

    return own_import(c, node) if isinstance(node, ast.Import) else own_import_from(c, node)


def _place_of(c: Compiler, node: ast.ImportFrom) -> str:
    """The module that an import names; what is beside a module of the library by its public name."""
    named = "." * node.level + (node.module or "")
    if not node.level or not is_of_library(node):
        return named
    module = c.machine.module or ""
    within = module.split(".")
    above = within[: len(within) - node.level + is_package(module)]
    beside = ".".join([*above, node.module] if node.module else above)
    return beside if beside in NAMESPACES else named


def _in_its_place(c: Compiler, error: GradcliError, module: str, name: str | None = None) -> Any:
    """Return a stand-in for what there is not, or None where it is refused or may be missing."""
    # Of some modules a part is written here, and nobody knows all of their names.
    whole = module if name is None else f"{module}.{name}"
    lacking = error.code == "E204" or (isinstance(error, NoSuchName) and is_in_part(whole))
    return None if c.optional or not lacking else absent(module, name)


def _without(c: Compiler, error: GradcliError, module: str, node: ast.AST) -> Code:
    """Code for an import of what there is not: refused at once, unless the program may do without it."""
    error = error if error.span is not None else c.placed(error, node)
    if not c.optional and not c.in_function and not c.in_branch:
        raise error
    lacking = error.name if isinstance(error, NoSuchName) else None
    if lacking is not None and c.optional:
        note(f"{module}.{lacking} is not in the spec language: the program is told that there is none")
        return _raising(ImportError(f"cannot import name '{lacking}' from '{module}' (unknown location)"), node)
    if error.code == "E204" and (c.optional or c.in_function):
        return _raising(_not_there(module), node, None if c.optional else error)

    def run(env: Any) -> None:
        raise error

    return run


def _not_there(module: str) -> ImportError:
    return NotImported(f"No module named '{module}'", name=module)


def _raising(error: ImportError, node: ast.AST, instead: GradcliError | None = None) -> Code:
    """Code for an import that a program can do without: it is told so where it asks; ``instead``: if it catches it."""

    def run(env: Any) -> None:
        missing = type(error)(*error.args, name=error.name)
        marks(missing).instead = instead
        if isinstance(error, NotImported) and instead is None:
            note(f"{error.name} is not in the spec language: the program is told that there is none")
        mark(missing, node)
        raise missing

    return run

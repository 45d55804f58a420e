"""Statements: assignments, branches, imports."""

from __future__ import annotations

import ast
from typing import Any

from ...errors import GradcliError
from ..guard.notes import note
from ..library import is_of_library
from ..stdlib.endings import NotImported
from ..torch_names.names import imported
from .compiler import Code, nothing
from .exception_marks import mark, marked
from .exceptions import Exceptions
from .scopes import WIDE


class Statements(Exceptions):
    """Compiles statements; each gives None, or the signal that ends the block it is in."""

    def block(self, statements: list[ast.stmt]) -> Code:
        parts = [(code, s) for s in statements if (code := self.code(s)) is not nothing]
        codes = [code for code, _ in parts]
        if not codes:
            return nothing
        if len(codes) == 1:
            return codes[0]

        kept = [s for _, s in parts]

        # An interruption between two of them finds its place by the name of ``running``.
        def run(env: Any, running: list[ast.stmt] = kept) -> Any:
            for code in codes:
                signal = code(env)
                if signal is not None:
                    return signal
            return None

        return run

    # -- assignments -------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> Code:
        if isinstance(node.value, ast.Constant) and not isinstance(node.value.value, (bytes, complex)):
            return nothing
        code = self.code(node.value)

        # Freeing a value may take long: an interruption then finds its place by the name of ``node``.
        def run(env: Any, node: ast.AST = node) -> None:
            code(env)

        return run

    def visit_Assign(self, node: ast.Assign) -> Code:
        value = self.code(node.value)
        stores = [self.store(target) for target in node.targets]
        if len(stores) == 1:
            (store,) = stores

            def single(env: Any, node: ast.AST = node) -> None:
                store(env, value(env))

            return single

        def run(env: Any, node: ast.AST = node) -> None:
            v = value(env)
            for store in stores:
                store(env, v)

        return run

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Code:
        target = node.target
        if isinstance(target, ast.Name) and target.id in self.scope.globals | self.scope.nonlocals:
            kind = "global" if target.id in self.scope.globals else "nonlocal"
            raise self.refused(node, f"annotated name '{target.id}' can't be {kind}", code="E101")
        # Annotations say nothing that is run.
        if node.value is None:
            return nothing
        value, store = self.code(node.value), self.store(node.target)

        def run(env: Any) -> None:
            store(env, value(env))

        return run

    def visit_AugAssign(self, node: ast.AugAssign) -> Code:
        operate = self.binary[type(node.op)][1]
        read, write = self._read_and_write(node.target)
        value = self.code(node.value)
        tracer = self.machine.tracer

        def run(env: Any) -> None:
            old, where = read(env)
            v = value(env)
            try:
                if tracer is not None:
                    # An array may be a tensor's memory.
                    tracer.tape.before_write(old)
                new = operate(old, v)
            except marked(node):
                raise
            if tracer is not None:
                tracer.note(new, node)
            write(env, where, new)

        return run

    def _read_and_write(self, target: ast.expr) -> tuple[Any, Any]:
        """Code that reads a target and says where it is, and code that writes there."""
        if isinstance(target, ast.Name):
            read = self.code(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            store = self.store(target)
            return lambda env: (read(env), None), lambda env, where, value: store(env, value)
        # The owner and the index are computed once: they stand in hidden names of the environment.
        assert isinstance(target, (ast.Attribute, ast.Subscript))
        owner = self.code(target.value)
        index = self.code(target.slice) if isinstance(target, ast.Subscript) else (lambda env: None)
        held_owner = ast.copy_location(_Held(0), target)
        if isinstance(target, ast.Attribute):
            load: ast.expr = ast.Attribute(held_owner, target.attr, ast.Load())
            to: ast.expr = ast.Attribute(held_owner, target.attr, ast.Store())
        else:
            held_index = ast.copy_location(_Held(1), target)
            load = ast.Subscript(held_owner, held_index, ast.Load())
            to = ast.Subscript(held_owner, held_index, ast.Store())
        get = self.code(ast.copy_location(load, target))
        put = self.store(ast.copy_location(to, target))

        def read_held(env: Any) -> Any:
            where = (owner(env), index(env))
            return get({_Held: where}), where

        return read_held, lambda env, where, value: put({_Held: where}, value)

    def visit__Held(self, node: _Held) -> Code:
        which = node.which
        return lambda env: env[_Held][which]

    def visit_Delete(self, node: ast.Delete) -> Code:
        removes = [self.remove(target) for target in node.targets]

        def run(env: Any, node: ast.AST = node) -> None:
            for remove in removes:
                remove(env)

        return run

    def visit_Pass(self, node: ast.Pass) -> Code:
        return nothing

    def visit_Global(self, node: ast.Global) -> Code:
        self._declared(node, "global")
        return nothing

    def _declared(self, node: ast.Global | ast.Nonlocal, kind: str) -> None:
        """Refuse a declaration of names that were used already."""
        for name in node.names:
            done = self.scope.seen.get(name)
            if done is not None:
                raise self.refused(node, f"name '{name}' is {done} {kind} declaration", code="E101")

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Code:
        self._declared(node, "nonlocal")
        for name in node.names:
            if self.scope.kind == "module" or self.scope.place(name)[0] != "outer":
                raise self.refused(node, f"no binding for nonlocal '{name}' found", code="E101")
        return nothing

    # -- branches ----------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> Code:
        # A long chain of elif is compiled in a loop, so that it nests nothing.
        before, self.in_branch = self.in_branch, True
        code = self._branches(node)
        self.in_branch = before
        return code

    def _branches(self, node: ast.If) -> Code:
        branches = [(self.truth(node.test), self.block(node.body))]
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            branches.append((self.truth(node.test), self.block(node.body)))
        orelse = self.block(node.orelse)
        if len(branches) == 1:
            ((test, body),) = branches
            return lambda env: body(env) if test(env) else orelse(env)

        def run(env: Any) -> Any:
            for test, body in branches:
                if test(env):
                    return body(env)
            return orelse(env)

        return run

    def visit_Return(self, node: ast.Return) -> Code:
        if not self.in_function:
            raise self.refused(node, "'return' outside function", code="E101")
        if node.value is None:
            return lambda env: (None,)
        value = self.code(node.value)
        return lambda env: (value(env),)

    # -- imports -----------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> Code:
        stores, ours = [], is_of_library(node)
        for alias in node.names:
            try:
                whole = imported(alias.name, of_library=ours)
                value = whole if alias.asname else imported(alias.name.split(".")[0], of_library=ours)
            except GradcliError as error:
                return self._without(error, alias.name, node)
            name = alias.asname or alias.name.split(".")[0]
            stores.append((self.store_name(name, node), value))

        def run(env: Any) -> None:
            for store, value in stores:
                store(env, value)

        return run

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Code:
        stores = []
        for alias in node.names:
            try:
                name = WIDE.get(alias.name, alias.name) if self.machine.wide else alias.name
                value = imported("." * node.level + (node.module or ""), name, of_library=is_of_library(node))
            except GradcliError as error:
                return self._without(error, node.module or "", node)
            stores.append((self.store_name(alias.asname or alias.name, node), value))

        def run(env: Any) -> None:
            for store, value in stores:
                store(env, value)

        return run

    def _without(self, error: GradcliError, module: str, node: ast.AST) -> Code:
        """Code for an import of what there is not: refused at once, unless the program may do without it."""
        error = error if error.span is not None else self.placed(error, node)
        if not self.optional and not self.in_function and not self.in_branch:
            raise error
        optional = self.optional and error.code == "E204"

        def run(env: Any) -> None:
            if optional:
                note(f"{module} is not in the spec language: the program is told that there is none")
                missing = NotImported(f"No module named '{module}'")
                mark(missing, node)
                raise missing
            raise error

        return run


class _Held(ast.expr):
    """The owner (0) or the index (1) of the target of an augmented assignment, already computed."""

    _fields = ()

    def __init__(self, which: int) -> None:
        super().__init__()
        self.which = which

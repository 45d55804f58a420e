"""Definitions: functions, lambdas and classes, and the whole that compiles a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...engine.function import Function
from ...engine.tape.frames import FUNCTION
from ...errors import GradcliError
from ...nn.modules.module import Module
from ..values.data_classes import ABC, Generic, make_class
from ..values.enumerations import Enum, mixed
from ..values.making_classes import Plain
from ..values.named_tuples import NamedRow
from ..values.user_definitions import ANNOTATED, Signature, UserFunction, UserType, is_special, refuse_special
from .calls import caller
from .compiler import Code
from .exception_marks import marked
from .generators import Generators, pauses
from .scopes import UP, Scope, assigned, mangled, parameters

# The method that a call of a module, or of a custom function, runs.
FORWARD = "forward"


class Interpreter(Generators):
    """All of the language."""

    _first_parameter: str | None = None

    def first_parameter(self) -> str | None:
        return self._first_parameter

    def program(self, tree: ast.Module) -> Code:
        """Code that runs a program, and notes the value of a last bare expression."""
        return self.block(tree.body)

    # -- functions -----------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Code:
        if getattr(node, "type_params", None):
            raise self.refused(node, "the spec language has no type parameters")
        decorators = [self.code(d) for d in node.decorator_list]
        make = self._function(node, node.name, node.args, node.body)
        store = self.store_name(node.name, node) if self.scope.kind != "class" else self._member(node.name, node)
        return self._decorated(node, decorators, make, store)

    def _decorated(self, node: Any, decorators: list[Code], make: Code, store: Any) -> Code:
        call = caller(self.machine)

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

    def visit_Lambda(self, node: ast.Lambda) -> Code:
        return self._function(node, "<lambda>", node.args, node.body)

    def _function(self, node: Any, name: str, arguments: ast.arguments, body: list[ast.stmt] | ast.expr) -> Code:
        names: dict[str, None] = {}
        for a in parameters(arguments):
            if a.arg in names:
                raise self.refused(a, f"duplicate argument '{a.arg}' in function definition", code="E101")
            names[a.arg] = None
            self.check_name(a.arg, a)
        positional = [*arguments.posonlyargs, *arguments.args]
        defaulted = positional[len(positional) - len(arguments.defaults) :]
        defaults = [(a.arg, self.code(d)) for a, d in zip(defaulted, arguments.defaults, strict=True)]
        defaults += [
            (a.arg, self.code(d))
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if d is not None
        ]
        path = (*self.path, name)
        code = self._body(node, arguments, list(names), body, path)
        shape = (
            tuple(a.arg for a in positional),
            frozenset(a.arg for a in (*arguments.args, *arguments.kwonlyargs)),
            arguments.vararg.arg if arguments.vararg else None,
            tuple(a.arg for a in arguments.kwonlyargs),
            arguments.kwarg.arg if arguments.kwarg else None,
        )
        doc = ast.get_docstring(node) if isinstance(body, list) else None
        machine = self.machine
        qualname = ".".join(path)
        in_class = self.scope.kind == "class"
        generates = isinstance(body, list) and pauses(body)

        def make(env: Any) -> UserFunction:
            given = {key: default(env) for key, default in defaults}
            # Functions of a class body do not see its names, but what super() needs.
            outer = env[UP] if in_class else env
            made = UserFunction(machine, name, qualname, doc, Signature(*shape, given), code, outer, node)
            made.generates = generates
            return made

        return make

    def _body(
        self, node: Any, arguments: ast.arguments, names: list[str], body: list[ast.stmt] | ast.expr,
        path: tuple[str, ...],
    ) -> Code:  # fmt: skip
        saved = self.scope, self.in_function, self.in_loop, self.path, self._first_parameter
        outer = self.scope.outer if self.scope.kind == "class" else self.scope
        self.scope = Scope("function", outer, names)
        if saved[0].kind == "class":
            self._first_parameter = names[0] if names else None
        self.path = (*path, "<locals>")
        self.in_function, self.in_loop = True, False
        if isinstance(body, ast.expr):
            assigned([body], self.scope)
            code = self.code(body)
        else:
            assigned(body, self.scope)
            for kind, taken in (("global", self.scope.globals), ("nonlocal", self.scope.nonlocals)):
                for name in taken.intersection(names):
                    raise self.refused(node, f"name '{name}' is parameter and {kind}", code="E101")
            if pauses(body):
                code = self.generator(body, ".".join(path))
            elif len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
                code = self.turning(self.code(body[0].value), body[0])
            else:
                block = self.block(body)

                def code(env: Any) -> Any:
                    signal = block(env)
                    return None if signal is None else signal[0]

        self.scope, self.in_function, self.in_loop, self.path, self._first_parameter = saved
        if isinstance(body, ast.expr) or pauses(body) or path[-1] == FORWARD:
            # A generator runs in pieces; a forward is the call of its module.
            return code
        return self.framed(code, FUNCTION, node, path[-1])

    # -- classes -------------------------------------------------------------------------------

    def _member(self, name: str, node: ast.AST) -> Any:
        """Code that binds a name in the body of a class."""
        try:
            refuse_special(name)
        except GradcliError as error:
            raise self.placed(error, node) from None
        key = mangled(name, self.owner)

        def store(env: Any, value: Any) -> None:
            env[key] = value

        return store

    def store_name(self, name: str, node: ast.AST) -> Any:
        if self.scope.kind == "class" and name not in self.scope.globals:
            return self._member(name, node)
        return super().store_name(name, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Code:
        if getattr(node, "type_params", None):
            raise self.refused(node, "the spec language has no type parameters")
        if node.keywords:
            keyword = node.keywords[0]
            raise self.refused(keyword, f"a class of a spec takes no {keyword.arg or '**'}", code="E205")
        decorators = [self.code(d) for d in node.decorator_list]
        bases = [(self.code(base), base) for base in node.bases]
        saved = self.scope, self.owner, self.path, self.in_loop, self.in_function
        cell = Scope("cell", self.scope, ["__class__"])
        self.scope = Scope("class", cell)
        assigned(node.body, self.scope)
        self.owner = node.name
        self.path = (*self.path, node.name)
        self.in_loop = self.in_function = False
        qualname = ".".join(self.path)
        body = self.block(node.body)
        self.scope, self.owner, self.path, self.in_loop, self.in_function = saved
        doc = ast.get_docstring(node)
        annotated = tuple(self._annotated(node))

        def make(env: Any) -> type:
            given = mixed(tuple([base(env) for base, _ in bases]))
            line = tuple(self._base(base, at) for base, (_, at) in zip(given, bases, strict=False))
            inner: dict[Any, Any] = {UP: env}
            space: dict[Any, Any] = {UP: inner}
            body(space)
            del space[UP]
            space.setdefault("__doc__", doc)
            if annotated:
                space[ANNOTATED] = annotated
            try:
                cls = make_class(node.name, qualname, tuple(b for b in line if b is not Plain), space)
            except marked(node):
                raise
            inner["__class__"] = cls
            return cls

        return self._decorated(node, decorators, make, self.store_name(node.name, node))

    def _annotated(self, body: ast.ClassDef) -> Iterator[str]:
        """The names that are annotated in the body of a class as attributes of its instances."""
        for node in body.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                kind = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
                if getattr(kind, "attr", getattr(kind, "id", "")) != "ClassVar":
                    if is_special(node.target.id):
                        raise self.refused(node, f"a class of a spec may not annotate {node.target.id}", code="E205")
                    yield mangled(node.target.id, body.name)

    def _base(self, base: Any, node: ast.expr) -> type:
        """A class that a program may derive from."""
        if base is object:
            return Plain
        if isinstance(base, UserType) or (
            isinstance(base, type)
            and (issubclass(base, (Module, Function, Exception)) or issubclass(base, _other_bases()))
            and not issubclass(base, GradcliError)
        ):
            return base
        shown = base.__name__ if isinstance(base, type) else type(base).__name__
        raise self.refused(
            node,
            f"a class of a spec cannot derive from {shown}",
            code="E205",
            help="it can derive from nn.Module, autograd.Function, Dataset, an exception class or a class of its own",
        )


def _other_bases() -> tuple[type, ...]:
    from ...optim.optimizer import Optimizer
    from ...utils.data import DataLoader, Dataset, Sampler

    return ABC, Enum, Generic, NamedRow, Optimizer, Dataset, Sampler, DataLoader

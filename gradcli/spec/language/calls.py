"""Calls: of a program's own functions, and of what the language offers."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

import numpy as np

from ...engine.calls.binding import NUMPY_NAMES, in_torch_names
from ...engine.tensor import Tensor, View
from ...errors import SpecError
from ..guard import limits as limits_
from ..guard.cost import declared
from ..guard.foreign_callables import is_offered, refusing
from ..guard.library_calls import Standing, given_plainly
from ..guard.notes import note
from ..guard.size_limits import caps, weigh
from ..stdlib.builtin_types import constructor, refuse_found_only
from ..torch_names.names import bare
from ..torch_names.namespaces import NoSuchName
from ..values.attributes import methods_of
from ..values.bound_methods import Bound
from ..values.classes.metaclasses import metaclass_of
from ..values.members import found_in, get
from ..values.tables.containers import Defaults, Held, Queue, spread
from ..values.user_definitions import HELD, MISSING, Super, UserFunction, UserType, is_special, is_wholly_own
from .compiler import Code, Compiler, compiles
from .exception_marks import mark, marked, marks
from .expressions import attribute_name, compile_items, marked_attribute, owner
from .machine import Machine
from .variables import compile_local, compile_outer, outermost_name, own_name

# What has the methods of its table, and no attributes beside; and those that weigh and charge for themselves.
_CHARGING = frozenset((list, dict, set, Queue, Defaults))
_OF_TABLES = _CHARGING | {Tensor, View, np.ndarray, str}
_WORDS = frozenset((str,))
# What functions of the engine raise of arguments.
_OF_CALLS = (TypeError, ValueError, AttributeError, LookupError, RuntimeError, AssertionError)
# Nobody writes to it.
_NO_KEYWORDS: dict[str, Any] = {}


def caller(machine: Machine) -> Any:
    """A function that calls any value of a program."""
    charge = machine.budget.charge

    def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kind = type(function)
        if kind is UserFunction:
            return function.call(args, kwargs)
        if kind is types.BuiltinFunctionType:
            # Nothing of ours, and nothing that makes much.
            return function(*args, **kwargs)
        if kind is types.MethodType and type(function.__func__) is UserFunction:
            return function.__func__.call((function.__self__, *args), kwargs)
        if kind is types.FunctionType and function.__module__.startswith("gradcli.spec"):
            # Our own builtins weigh and charge for themselves.
            return function(*args, **kwargs)
        if kind is UserType and is_wholly_own(function):
            # Nothing of ours makes its instances.
            return function(*args, **kwargs)
        if isinstance(function, type):
            make = constructor(function)
            if make is not None:
                return make(*args, **kwargs)
            refuse_found_only(function)
            if not isinstance(function, UserType):
                weigh_lists(args, kwargs)
            try:
                charge(function, args, kwargs)
            except Standing:
                args, kwargs = given_plainly(charge, function, args, kwargs)
            return function(*args, **kwargs)
        if not callable(function):
            raise TypeError(f"'{kind.__name__}' object is not callable")
        if kind is types.FunctionType:
            weigh_lists(args, kwargs)
        try:
            charge(function, args, kwargs)
        except Standing:
            args, kwargs = given_plainly(charge, function, args, kwargs)
        return function(*args, **kwargs)

    return call


def _renaming(node: ast.Call) -> bool:
    """True if NumPy's names of arguments stand in a call: functions of PyTorch's may take them for their own."""
    return any(k.arg in NUMPY_NAMES for k in node.keywords)


def _in_torch_names(function: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments as a function of the engine, or a method that is one, declares them; others as they are."""
    called = function.function if type(function) is Bound else function
    if type(called) is types.FunctionType and _is_of_engine(called):
        return in_torch_names(called, kwargs)
    return kwargs


def _is_of_engine(function: types.FunctionType) -> bool:
    """Tell whether a function is one of the engine's, or a door before one."""
    module: str = declared(function).__module__
    return module.startswith("gradcli.engine.")


def _names_output(node: ast.Call) -> bool:
    """Tell whether a call is given a tensor for its result, as it is written."""
    return any(k.arg == "out" for k in node.keywords)


def _refuse_output(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> None:
    """Refuse ``out=`` where a function of PyTorch's does not take it."""
    from .wrong_arguments import without_output

    wrong = without_output(function, args, kwargs, node)
    if wrong is not None:
        raise wrong


def _writing(c: Compiler, node: ast.Call) -> Any:
    """Give the caller of a place in a program; where ``out=`` stands there, results of the engine's are written so."""
    plainly = call = caller(c.machine)
    if _renaming(node):

        def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return plainly(function, args, _in_torch_names(function, kwargs))

    if not _names_output(node):
        return call
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))

    def writing(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        _refuse_output(function, args, kwargs, node)
        if not (isinstance(function, types.FunctionType) and _is_of_engine(function)):
            return call(function, args, kwargs)
        from ...engine.calls.given_outputs import into

        rest = {key: value for key, value in kwargs.items() if key != "out"}
        if kwargs["out"] is None:
            return call(function, args, rest)
        return into(name, function, kwargs["out"], args, rest, lambda *a, **named: call(function, a, named))

    return writing


def marked_call(
    node: ast.AST, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[type[Exception], ...]:
    """The classes to catch where a call failed, which is marked with its place and with what it cannot use."""
    error = sys.exception()
    if isinstance(error, _OF_CALLS) and marks(error).place is None and not marks(error).raised:
        from .wrong_arguments import complaint

        wrong = complaint(function, args, kwargs, error, node)
        if wrong is not None:
            # PyTorch looks at the arguments first, whatever is found wrong with them here.
            try:
                raise wrong from None
            except marked(node):
                raise
    if type(error) is AttributeError and error.name is not None and marks(error).place is None:
        from .wrong_arguments import told

        marks(error).mistaken = told(error, function, args, kwargs)
    elif type(error) is TypeError and marks(error).place is None and not marks(error).raised:
        from .wrong_arguments import in_its_name

        error.args = in_its_name(error.args, function)
    return marked(node)


def weigh_lists(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse lists among arguments that nobody could walk through."""
    for a in (*args, *kwargs.values()) if kwargs else args:
        if type(a) is tuple or isinstance(a, list):
            weigh(a)


def guarding(machine: Machine) -> Any:
    """Return a function that makes others safe for builtins to call: each call is charged."""
    call = caller(machine)

    def guarded(function: Any) -> Any:
        kind = type(function)
        if kind is UserFunction or (kind is types.MethodType and type(function.__func__) is UserFunction):
            return function
        if not is_offered(function):
            return refusing(function)

        def called(*args: Any, **kwargs: Any) -> Any:
            return call(function, args, kwargs)

        name = getattr(function, "__name__", None)
        called.__name__ = called.__qualname__ = name if isinstance(name, str) else "<unknown>"
        called.given = function  # type: ignore[attr-defined]
        return called

    return guarded


@compiles(ast.Call)
def _call(c: Compiler, node: ast.Call) -> Code:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "super":
        return _super(c, node)
    if isinstance(function, ast.Name) and function.id not in c.bound:
        if function.id in ("globals", "locals"):
            return _names_of(c, node, function.id)
        if function.id in ("vars", "dir") and not (node.args or node.keywords):
            held = _names_of(c, node, "locals")
            return held if function.id == "vars" else _listed(c, held)
        if function.id in ("getattr", "hasattr") and (asked := _of_hidden_module(c, node, function.id)) is not None:
            return asked
    arguments = arguments_of(c, node)
    if isinstance(function, ast.Attribute):
        return c.traced(_method(c, node, function, arguments), node)
    target = c.code(function)
    call = _writing(c, node)
    # A function is mostly one of the outermost names.
    names, name = c.machine.globals, outermost_name(c, function)

    def run(env: Any) -> Any:
        f = names[name] if name in names else target(env)
        args, kwargs = arguments(env)
        try:
            if type(f) is UserFunction:
                return f.call(args, kwargs)
            return call(f, args, kwargs)
        except marked_call(node, f, args, kwargs):
            raise

    return c.traced(run, node)


def _of_hidden_module(c: Compiler, node: ast.Call, function: str) -> Code | None:
    """Code of getattr() and hasattr() of PyTorch's module in C, which is no value itself; None for all else."""
    if len(node.args) < 2 or node.keywords:
        return None
    module, name = node.args[:2]
    is_hidden = isinstance(module, ast.Attribute) and isinstance(module.value, ast.Name) and module.attr == "_C"
    if not is_hidden or not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    asked = ast.Attribute(module, name.value, ast.Load())
    code = c.code(ast.fix_missing_locations(ast.copy_location(asked, node)))
    default = c.code(node.args[2]) if len(node.args) > 2 else None

    def run(env: Any) -> Any:
        try:
            value = code(env)
        except AttributeError as error:
            if function == "getattr" and default is None:
                raise
            if isinstance(error, NoSuchName):
                note(f"{error.module}.{error.name} is not in gradcli: the program is told that there is none")
            return False if default is None else default(env)
        return value if function == "getattr" else True

    return run


def _method(c: Compiler, node: ast.Call, function: ast.Attribute, arguments: Any) -> Code:
    value, x = owner(c, function), own_name(c, function.value)
    name, does_without = attribute_name(c, function), c.does_without
    call, renaming, with_output = _writing(c, node), _renaming(node), _names_output(node)
    charge = c.machine.budget.charge
    tracer = c.machine.tracer
    # The methods of this name, by the types that were met here.
    known: dict[type, Any] = {}

    def run(env: Any) -> Any:
        obj = env[x] if x in env else value(env)
        kind = type(obj)
        if kind in _OF_TABLES:
            method = known.get(kind)
            if method is None:
                method = known[kind] = methods_of(kind)[name]
            if method is not None:
                args, kwargs = arguments(env)
                if renaming:
                    kwargs = _in_torch_names(method, kwargs)
                try:
                    if with_output:
                        _refuse_output(Bound(obj, name, method), tuple(args), kwargs, node)
                    # Of words alone nothing much is made.
                    plain = kind in _CHARGING or (kind is str and not kwargs and _WORDS.issuperset(map(type, args)))
                    if not plain and type(method) is types.FunctionType:
                        charge(method, (obj, *args), kwargs)
                    return method(obj, *args, **kwargs)
                except Standing:
                    (obj, *args), kwargs = given_plainly(charge, method, (obj, *args), kwargs)
                    return method(obj, *args, **kwargs)
                except marked_call(node, Bound(obj, name, method), args, kwargs):
                    raise
        if type(kind) is UserType:
            # As `get` has it, without a bound method in between.
            f = found_in(kind).get(name)
            if type(f) is UserFunction and name not in (own := obj.__dict__) and HELD not in own:
                args, kwargs = arguments(env)
                try:
                    return f.call((obj, *args), kwargs)
                except marked_call(node, types.MethodType(f, obj), args, kwargs):
                    raise
        try:
            f = get(obj, name)
        except marked_attribute(obj, name, function, does_without):
            raise
        args, kwargs = arguments(env)
        try:
            if type(f) is types.MethodType and type(f.__func__) is UserFunction:
                return f.__func__.call((f.__self__, *args), kwargs)
            return call(f, args, kwargs)
        except marked_call(node, f, args, kwargs):
            raise

    if tracer is None or name[-1] != "_" or not isinstance(function.value, ast.Name):
        return run
    bind = tracer.binding(function.value.id, node, rank_of(c, function.value.id))

    def writing(env: Any) -> Any:
        made = run(env)
        if value(env) is made:
            # What it is called is now what was written.
            bind(made)
        return made

    return writing


def rank_of(c: Compiler, name: str) -> int:
    """Rank a name by how much it tells a reader of a traced run: a variable, a local, or one that just passes."""
    from .tracer import LOCAL, PASSING, VARIABLE

    if c.scope.kind == "module" or name in c.scope.globals:
        return VARIABLE
    return PASSING if c.scope.kind == "comprehension" else LOCAL


# -- arguments ---------------------------------------------------------------------------


def arguments_of(c: Compiler, node: ast.Call) -> Any:
    """Code that gives the positional and the keyword arguments of a call."""
    seen: set[str] = set()
    for keyword in node.keywords:
        if keyword.arg is not None and keyword.arg in seen:
            raise c.refused(keyword, f"keyword argument repeated: {keyword.arg}", code="E101")
        seen.add(keyword.arg or "")
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return _spread_arguments(c, node)
    codes = [c.code(a) for a in node.args]
    if not node.keywords:
        if not codes:
            return lambda env: ((), _NO_KEYWORDS)
        if len(codes) == 1:
            (first,), x = codes, own_name(c, node.args[0])
            return lambda env: ((env[x] if x in env else first(env),), _NO_KEYWORDS)
        if len(codes) == 2:
            (first, second), (x, y) = codes, [own_name(c, a) for a in node.args]
            return lambda env: (
                (env[x] if x in env else first(env), env[y] if y in env else second(env)), _NO_KEYWORDS
            )
        return lambda env: (tuple([code(env) for code in codes]), _NO_KEYWORDS)
    named = [(k.arg, c.code(k.value)) for k in node.keywords]

    def run(env: Any) -> Any:
        return tuple([code(env) for code in codes]), {name: code(env) for name, code in named}

    return run


def _spread_arguments(c: Compiler, node: ast.Call) -> Any:
    items = compile_items(c, node.args)
    named = [(k.arg, c.code(k.value), k) for k in node.keywords]
    limits = c.machine.limits

    def run(env: Any) -> Any:
        args = tuple(items(env))
        kwargs: dict[str, Any] = {}
        for name, code, keyword in named:
            value = code(env)
            try:
                for key, v in [(name, value)] if name is not None else _pairs(value):
                    if key in kwargs:
                        raise TypeError(f"got multiple values for keyword argument '{key}'")
                    kwargs[key] = v
                if len(kwargs) > limits.sequence:
                    raise limits_.too_long(limits, "dict", len(kwargs))
            except marked(keyword.value):
                raise
        return args, kwargs

    return run


# -- globals() and locals() --------------------------------------------------------------


def _names_of(c: Compiler, node: ast.Call, asked: str) -> Code:
    """The names of the program, through which they are set, or a copy of those of the function that asks."""
    if node.args or node.keywords:
        raise c.refused(node, f"{asked}() takes no arguments")
    if asked == "globals" or c.scope.kind == "module":
        names, builtins = c.machine.globals, c.machine.builtins

        def store(name: str, value: Any) -> None:
            if name in builtins or bare(name) is not MISSING:
                raise SpecError(f"{name} cannot be set by globals() in the spec language", code="E205")
            names[name] = value

        return lambda env: Held(_readable(names, ()), store, names.__delitem__)
    if c.scope.kind != "function":
        raise c.refused(node, f"{asked}() is for functions in the spec language", code="E205")
    parameters = c.scope.parameters
    return lambda env: _readable(env, parameters)


def _listed(c: Compiler, held: Code) -> Code:
    """The names that `dir()` lists: outside of functions also those of modules of which all was imported."""
    modules = c.machine.all_of if c.scope.kind == "module" else []

    def run(env: Any) -> list[str]:
        given = [name for module in modules for name in module.names() if not name.startswith("_")]
        caps.tick(len(given))
        return sorted({*held(env), *given})

    return run


def _readable(env: dict[Any, Any], first: tuple[str, ...]) -> dict[str, Any]:
    """The names of an environment as Python lists them: parameters, then all else."""
    caps.tick(len(env))
    order = dict.fromkeys((*first, *env))
    return {name: env[name] for name in order if name in env and type(name) is str and not is_special(name)}


# -- super() -----------------------------------------------------------------------------


def _super(c: Compiler, node: ast.Call) -> Code:
    if node.keywords or len(node.args) > 2:
        raise c.refused(node, "super() takes no argument, or a class and an instance")
    if node.args:
        kind, *owners = (c.code(a) for a in node.args)

        def explicit(env: Any) -> Any:
            after, obj = kind(env), owners[0](env) if owners else None
            if not isinstance(after, type):
                error = TypeError("super() argument 1 must be a type, not " + type(after).__name__)
                mark(error, node)
                raise error
            if owners and not (isinstance(obj, after) or (isinstance(obj, type) and _is_below(obj, after))):
                error = TypeError("super(type, obj): obj must be an instance or subtype of type")
                mark(error, node)
                raise error
            return Super(after, obj)

        return explicit
    cell = ast.copy_location(ast.Name("__class__", ast.Load()), node)
    where, hops = c.scope.place("__class__")
    first = c.first_parameter
    if where != "outer" or first is None:
        raise c.refused(node, "super() without arguments works only in a method of a class")
    owner_class = compile_outer(cell, "__class__", hops)
    place, up = c.scope.place(first)
    receiver = compile_local(cell, first) if place == "local" else compile_outer(cell, first, up)
    return lambda env: Super(owner_class(env), receiver(env))




def _is_below(cls: type, after: type) -> bool:
    meta = metaclass_of(cls)
    return issubclass(cls, after) or (meta is not None and issubclass(meta, after))


def _pairs(value: Any) -> Any:
    value = spread(value)
    if not isinstance(value, dict):
        raise TypeError(f"argument after ** must be a mapping, not {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError("keywords must be strings")
    return value.items()

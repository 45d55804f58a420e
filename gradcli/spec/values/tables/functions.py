"""Classes, functions, methods, exceptions: what has a name, and little else that a program may ask for."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from ....engine.tensor import Tensor
from ....errors import SpecError
from ...guard.size_limits import caps, collected, fits
from ...language.exception_marks import Traceback, marks, traceback_of
from ...language.scopes import Scope, assigned, listed
from ...stdlib.exceptions.endings import FileTrouble, SystemEnd
from ...stdlib.iteration import GENERATOR_METHODS, Generator, UserGenerator, iterate
from ..added_to import in_place
from ..annotations import annotations_of
from ..bound_methods import Bound, Unbound
from ..classes.named_tuples import ROW_METHODS, NamedRow
from ..classes.sealed_classes import Given, known_as, opened
from ..classes.tensor_classes import unbound
from ..user_definitions import NOTED, UserFunction, UserType, is_special
from ..visible_types import full_name, function_name, name_of, seen_as, word
from .containers import Held
from .table import MISSING, TABLES, attributes, constant, declare

_NAMED = attributes("__name__ __qualname__ __doc__")


def _of_class(cls: Any, name: str) -> Any:
    """A method as its class has it."""
    cls = opened(cls)
    table = TABLES[cls]
    method = table.statics.get(name)
    if method is not None:
        return method
    method = table.methods[name]
    if method is None:
        return MISSING
    instead = in_place(cls, name)
    if instead is not MISSING:
        return instead
    return unbound(name, method) if cls is Tensor else Unbound(cls, name, method)


_TYPE = declare(
    type,
    base=object,
    fields={
        "__name__": lambda cls: name_of(seen_as(cls)),
        "__qualname__": lambda cls: name_of(seen_as(cls)) if cls.__module__ != "__main__" else cls.__qualname__,
        "__module__": lambda cls: full_name(seen_as(cls)).rpartition(".")[0] or "builtins",
        # Of some classes of Python's own it is what gives the text of an instance.
        "__doc__": lambda cls: None if isinstance(cls.__doc__, types.GetSetDescriptorType) else cls.__doc__,
    },
)
_TYPE.find = _of_class

FUNCTIONS = declare(
    types.FunctionType, base=object, fields={**_NAMED, "__name__": function_name, "__qualname__": function_name}
)
for _kind in (types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType):
    declare(_kind, base=object, fields=_NAMED)


def _of_its_function(method: types.MethodType, name: str) -> Any:
    """An attribute that a method of the program's has of its function."""
    function = method.__func__
    if name == "__self__":
        return method.__self__
    if type(function) is not UserFunction:
        return MISSING
    if name == "__func__" and function.machine.module is None:
        return function
    try:
        return caps.member(function, name)
    except AttributeError:
        return MISSING


TABLES[types.MethodType].find = _of_its_function
for _record in (Bound, Unbound):
    declare(
        _record,
        base=object,
        fields={
            "__name__": lambda method: method.name,
            "__qualname__": lambda method: method.function.__qualname__,
            "__doc__": lambda method: method.function.__doc__,
        },
    )


def _given(function: UserFunction, names: tuple[str, ...]) -> dict[str, Any]:
    """The defaults of some parameters."""
    defaults = function.signature.defaults
    return {name: defaults[name] for name in names if name in defaults}


_FUNCTIONS = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


class CodeObject(Given):
    """The code of a function, as far as it speaks of parameters."""

    __slots__ = ("function",)

    def __init__(self, function: UserFunction) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodeObject) and other.function is self.function

    __hash__ = object.__hash__


def _variables(code: CodeObject) -> tuple[str, ...]:
    """Its parameters, and what else it binds for itself, in the order in which that is written."""
    node = code.function.node
    given = listed(node.args)
    body = node.body if isinstance(node.body, list) else [ast.Expr(node.body)]
    scope = Scope("function", None)
    assigned(body, scope)
    within = [part for statement in body for part in ast.walk(statement)]
    caps.tick(len(within))
    inner = [part for part in within if isinstance(part, _FUNCTIONS)]
    # The first thing that a comprehension goes through belongs to what is around it.
    outside = {id(name) for part in inner if hasattr(part, "generators") for name in ast.walk(part.generators[0].iter)}
    named = [n for part in inner for n in ast.walk(part) if isinstance(n, ast.Name) and id(n) not in outside]
    shared = {name.id for name in named}
    written = sorted([(n.lineno, n.col_offset, n.id) for n in within if isinstance(n, ast.Name)])
    bound = scope.names - shared - set(given)
    names = dict.fromkeys([name for *_, name in written if name in bound])
    return (*given, *names, *sorted(bound - names.keys()))


known_as(CodeObject, "code", "builtins")
declare(
    CodeObject,
    base=object,
    fields={
        "co_name": lambda code: code.function.__name__,
        "co_argcount": lambda code: len(code.function.node.args.posonlyargs + code.function.node.args.args),
        "co_posonlyargcount": lambda code: len(code.function.node.args.posonlyargs),
        "co_kwonlyargcount": lambda code: len(code.function.node.args.kwonlyargs),
        "co_firstlineno": lambda code: code.function.node.lineno,
        "co_varnames": _variables,
    },
)

_FUNCTION = declare(
    UserFunction,
    base=object,
    fields={
        **_NAMED,
        "__module__": constant("__main__"),
        "__annotations__": annotations_of,
        "__defaults__": lambda f: tuple(_given(f, f.signature.positional).values()) or None,
        "__kwdefaults__": lambda f: _given(f, f.signature.keyword_only) or None,
        "__code__": CodeObject,
    },
)


def _set_name(named: Any, name: Any) -> None:
    named.__name__ = _text(name, "__name__")


def _set_qualname(named: Any, name: Any) -> None:
    named.__qualname__ = _text(name, "__qualname__")


def _text(name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} must be set to a string object")
    return name


def _set_doc(named: Any, doc: Any) -> None:
    named.__doc__ = doc


def _set_wrapped(function: UserFunction, wrapped: Any) -> None:
    function.wrapped = wrapped


_FUNCTION.setters.update(__name__=_set_name, __qualname__=_set_qualname, __doc__=_set_doc, __wrapped__=_set_wrapped)


def _of_own(name: str, put: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """The setter of a name of a class, which is to be the program's own."""

    def setter(cls: Any, value: Any) -> None:
        if not isinstance(cls, UserType):
            raise TypeError(f"cannot set '{name}' attribute of immutable type '{name_of(seen_as(opened(cls)))}'")
        put(cls, value)

    return setter


_TYPE.setters.update({"__name__": _of_own("__name__", _set_name), "__doc__": _of_own("__doc__", _set_doc)})


def _as_method(self: Any, instance: Any, owner: Any = None, /) -> Any:
    """function.__get__(): the method that it is of an instance."""
    return self if instance is None else types.MethodType(self, instance)


_FUNCTION.methods["__get__"] = _as_method
_FUNCTION.free = True
_FUNCTION.find = lambda function, name: (name == "__wrapped__" and function.wrapped) or MISSING
# What a call needs; the rest of its dictionary is a program's.
_FUNCTION.hidden = frozenset(
    f"abstract body call compile_again generates machine node outer parameters signature simple switched wrapped "
    f"{NOTED}".split()
)


def _own_function(name: str, get: Callable[[property], Any]) -> Callable[[property], Any]:
    """A function of a property, where it is one of the program's own."""

    def read(made: property) -> Any:
        found = get(made)
        if found is None or type(found) is UserFunction:
            return found
        raise AttributeError(f"'property' object has no attribute '{name}'", name=name, obj=made)

    return read


declare(
    property,
    base=object,
    fields={
        **attributes("__doc__"),
        **{name: _own_function(name, get) for name, get in attributes("fget fset fdel").items()},
    },
)

declare(
    Generator,
    base=object,
    methods=GENERATOR_METHODS,
    fields={"__name__": lambda made: made.name.rpartition(".")[2], "__qualname__": lambda made: made.name},
)
declare(UserGenerator, base=Generator)

declare(NamedRow, base=tuple, methods=ROW_METHODS)


def _add_note(self: BaseException, note: Any, /) -> None:
    if not isinstance(note, str):
        raise TypeError("note must be a str")
    fits(len(self.__dict__.get("__notes__", ())) + 1, "list")
    self.add_note(note)


def _notes(error: BaseException, name: str) -> Any:
    found = error.__dict__.get("__notes__") if name == "__notes__" else None
    return list(found) if type(found) is list else MISSING


def _with_traceback(self: BaseException, tb: Any, /) -> BaseException:
    return self


def _of_trail(name: str) -> Callable[[Traceback], Any]:
    """A field of a traceback."""

    def asked(tb: Traceback) -> Any:
        return caps.step_of(tb)[name]

    return asked


declare(Traceback, base=object, fields={name: _of_trail(name) for name in ("tb_frame", "tb_lineno", "tb_next")})


def _part_of_trouble(place: int) -> Callable[[FileTrouble], Any]:
    """A field of an OSError that was given its number and its words, and perhaps a file."""
    return lambda error: error.args[place] if 2 <= len(error.args) <= 5 and place < len(error.args) else None


def _missed(error: AttributeError | NameError) -> str | None:
    """The name that was asked for: Python's word for it, or what stands where it was asked."""
    its = marks(error)
    if error.name is not None or its.raised:
        return error.name
    asked = its.place
    if not isinstance(asked, (ast.Attribute, ast.Name)):
        raise SpecError("which name it was, the spec language knows where the program writes it", code="E205")
    return asked.attr if isinstance(asked, ast.Attribute) else asked.id


def hold_attribute(error: BaseException, name: str, value: Any) -> None:
    """Keep an attribute in an exception: never one by which Python itself would find something."""
    if not isinstance(name, str) or name in _ERROR.hidden or is_special(name):
        raise AttributeError(f"'{word(error)}' object attribute '{name}' is read-only")
    fits(len(error.__dict__) + 1, "dict")
    error.__dict__[name] = value


def _lose_attribute(error: BaseException, name: str) -> None:
    if name not in _ERROR.hidden:
        error.__dict__.pop(name, None)


def attributes_of_error(error: BaseException) -> Held:
    """The attributes of an exception of a program's class: what is set and taken away there is so in it."""
    own = {name: value for name, value in error.__dict__.items() if name not in _ERROR.hidden}
    return Held(own, partial(hold_attribute, error), partial(_lose_attribute, error))


def _set_args(error: BaseException, args: Any) -> None:
    error.args = tuple(collected(iterate(args)))


_ERROR = declare(
    BaseException,
    base=object,
    methods={"add_note": _add_note, "with_traceback": _with_traceback},
    fields={
        "__traceback__": traceback_of,
        **attributes("args"),
        "__cause__": lambda error: marks(error).cause,
        "__context__": lambda error: marks(error).context,
        "__suppress_context__": lambda error: marks(error).suppressed,
    },
)
_ERROR.setters["args"] = _set_args
# What a program gives an error is kept with it; what we keep there is not the program's.
_ERROR.free, _ERROR.hidden = True, frozenset(("__marks__", "__notes__"))
_ERROR.find = _notes
for _lack in (AttributeError, NameError):
    declare(_lack, base=BaseException, fields={"name": _missed})
declare(ImportError, base=BaseException, fields=attributes("name"))
_STOP = declare(StopIteration, base=BaseException, fields=attributes("value"))
_STOP.setters["value"] = lambda error, value: setattr(error, "value", value)
declare(
    FileTrouble,
    base=BaseException,
    fields={
        **{name: _part_of_trouble(place) for place, name in enumerate(("errno", "strerror", "filename"))},
        "args": lambda error: error.args[:2],
    },
)
declare(SystemEnd, base=BaseException, fields=attributes("code"))

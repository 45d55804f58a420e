"""Classes, functions, methods, exceptions: what has a name, and little else that a program may ask for."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ...guard.size_limits import caps, fits
from ...language.exception_marks import marks
from ...stdlib.endings import SystemEnd
from ...stdlib.iteration import GENERATOR_METHODS, UserGenerator
from ..annotations import annotations_of
from ..bound_methods import Bound, Unbound
from ..named_tuples import ROW_METHODS, NamedRow
from ..sealed_classes import opened
from ..user_definitions import NOTED, UserFunction, UserType
from ..visible_types import full_name, function_name, name_of, seen_as
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
    return MISSING if method is None else Unbound(cls, name, method)


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

declare(types.FunctionType, base=object, fields={**_NAMED, "__name__": function_name, "__qualname__": function_name})
for _kind in (types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType):
    declare(_kind, base=object, fields=_NAMED)


def _of_its_function(method: types.MethodType, name: str) -> Any:
    """An attribute that a method of the program's has of its function."""
    function = method.__func__
    if type(function) is not UserFunction:
        return MISSING
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


_FUNCTION = declare(
    UserFunction,
    base=object,
    fields={
        **_NAMED,
        "__module__": constant("__main__"),
        "__annotations__": annotations_of,
        "__defaults__": lambda f: tuple(_given(f, f.signature.positional).values()) or None,
        "__kwdefaults__": lambda f: _given(f, f.signature.keyword_only) or None,
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
    UserGenerator,
    base=object,
    methods=GENERATOR_METHODS,
    fields={"__name__": lambda made: made.name.rpartition(".")[2], "__qualname__": lambda made: made.name},
)

declare(NamedRow, base=tuple, methods=ROW_METHODS)


def _add_note(self: BaseException, note: Any, /) -> None:
    if not isinstance(note, str):
        raise TypeError("note must be a str")
    fits(len(self.__dict__.get("__notes__", ())) + 1, "list")
    self.add_note(note)


def _notes(error: BaseException, name: str) -> Any:
    found = error.__dict__.get("__notes__") if name == "__notes__" else None
    return list(found) if type(found) is list else MISSING


_ERROR = declare(
    BaseException,
    base=object,
    methods={"add_note": _add_note},
    fields={
        **attributes("args"),
        "__cause__": lambda error: marks(error).cause,
        "__context__": lambda error: marks(error).context,
        "__suppress_context__": lambda error: marks(error).suppressed,
    },
)
_ERROR.find = _notes
declare(StopIteration, base=BaseException, fields=attributes("value"))
declare(SystemEnd, base=BaseException, fields=attributes("code"))

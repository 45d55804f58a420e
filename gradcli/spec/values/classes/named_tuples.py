"""Named tuples of a program: `NamedTuple` and `namedtuple`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...guard.size_limits import caps, collected
from ...stdlib.iteration import iterate
from ..show import How, Writer, representation, said_by_class, written_so
from ..tables.table import declare
from ..user_definitions import ONLY, ROW, Signature, UserType
from .making_classes import made_plainly, new_class
from .sealed_classes import Given, known_as


class NamedRow(tuple[Any, ...]):
    """Base of the named tuples of a program."""

    _fields: tuple[str, ...]
    _make: Any

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        if cls is NamedRow:
            return _typed_row(*args, **kwargs)
        names, signature = row_of(cls)
        bound = signature.bind(f"{cls.__name__}.__new__", (cls, *args), kwargs)
        return tuple.__new__(cls, [bound[name] for name in names])

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


known_as(NamedRow, "NamedTuple", "typing")


def _typed_row(typename: Any, fields: Any = (), /) -> type:
    """NamedTuple() as a function: fields with their types."""
    return namedtuple(typename, [pair[0] for pair in map(collected, collected(fields))])


def row_of(cls: type) -> tuple[tuple[str, ...], Signature]:
    """The fields of a class of named tuples, and what fills them."""
    found: tuple[tuple[str, ...], Signature] = next(b.__dict__[ROW] for b in cls.__mro__ if ROW in b.__dict__)
    return found


class NewOfRow(Given):
    """`__new__` of a class of named tuples, whose defaults a program may set."""

    __slots__ = ("row",)

    def __init__(self, row: type) -> None:
        self.row = row

    def __call__(self, cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if isinstance(cls, UserType) and issubclass(cls, NamedRow):
            return NamedRow.__new__(cls, *args, **kwargs)
        return made_plainly(cls)


def _defaults(new: NewOfRow) -> tuple[Any, ...] | None:
    return tuple(row_of(new.row)[1].defaults.values()) or None


def _set_defaults(new: NewOfRow, values: Any) -> None:
    if not isinstance(values, (tuple, type(None))):
        raise TypeError("__defaults__ must be set to a tuple object")
    names, shape = row_of(new.row)
    last = values or ()
    # More of them than there are fields fill those before, of which there are none to see.
    shape.defaults = dict(zip(names[::-1], last[::-1], strict=False))
    shape.defaults = {name: shape.defaults[name] for name in names if name in shape.defaults}


known_as(NewOfRow, "function", "builtins")
declare(NewOfRow, base=object, fields={"__defaults__": _defaults}).setters["__defaults__"] = _set_defaults
_typed_row.__name__ = _typed_row.__qualname__ = "NamedTuple"


def _item(i: int) -> property:
    return property(lambda row: tuple.__getitem__(row, i))


def named_row(name: str, names: list[str], defaults: dict[str, Any], space: dict[str, Any]) -> type:
    """The class of named tuples with these fields."""
    caps.tick(len(names))
    for field in names:
        check_identifier(field)
        if field.startswith("_"):
            raise ValueError(f"Field names cannot start with an underscore: {field!r}")
    if len(set(names)) < len(names):
        again = next(field for i, field in enumerate(names) if field in names[:i])
        raise ValueError(f"Encountered duplicate field name: {again!r}")
    shape = Signature(("_cls", *names), frozenset(names), None, (), None, defaults)
    given = {**space, **{field: _item(i) for i, field in enumerate(names)}}
    given.update({"_fields": tuple(names), "_field_defaults": dict(defaults), "_make": classmethod(_make)})
    given[ROW] = (tuple(names), shape)
    if given.get("__doc__") is None:
        given["__doc__"] = f"{name}({', '.join(names)}{',' * (len(names) == 1)})"
    return new_class(name, name, (NamedRow,), given)


def check_identifier(name: Any, called: str = "Type names and field names", error: Any = ValueError) -> None:
    """Refuse a name that is none."""
    from keyword import iskeyword

    if not isinstance(name, str) or not name.isidentifier():
        raise error(f"{called} must be valid identifiers: {representation(name)}")
    if iskeyword(name):
        raise error(f"{called} cannot be {'a keyword' if error is ValueError else 'keywords'}: {name!r}")


def namedtuple(typename: Any, field_names: Any, *, defaults: Any = None) -> type:
    """A class of tuples whose items have names."""
    names = field_names.replace(",", " ").split() if isinstance(field_names, str) else collected(field_names)
    if not isinstance(typename, str) or not all(isinstance(n, str) for n in names):
        raise TypeError("Type names and field names must be strings")
    check_identifier(typename)
    last = collected(defaults) if defaults is not None else []
    if len(last) > len(names):
        raise TypeError("Got more default values than field names")
    return named_row(typename, names, dict(zip(names[len(names) - len(last) :], last, strict=True)), {})


def _written(w: Writer, value: Any, how: How) -> str:
    cls: Any = type(value)
    if how is str and cls.__str__ is not object.__str__:
        return said_by_class(value, str, "__str__")
    if cls.__repr__ is not tuple.__repr__:
        return said_by_class(value, repr, "__repr__")
    shown = [f"{name}={w.repr(v)}" for name, v in zip(row_of(type(value))[0], value, strict=True)]
    return f"{type(value).__name__}({', '.join(shown)})"


written_so(NamedRow, _written)


def _make(cls: Any, values: Any) -> Any:
    names, given = row_of(cls)[0], collected(iterate(values))
    if len(given) != len(names):
        raise TypeError(f"Expected {len(names)} arguments, got {len(given)}")
    return cls(*given)


def _as_named(self: Any) -> dict[str, Any]:
    return dict(zip(row_of(type(self))[0], self, strict=True))


def _with_changes(self: Any, /, **changes: Any) -> Any:
    named = _as_named(self)
    if other := [name for name in changes if name not in named]:
        raise ValueError(f"Got unexpected field names: {other!r}")
    return type(self)(**{**named, **changes})


def refuse_new(row: Any, name: str) -> None:
    """Refuse an attribute of a named tuple, which has its fields and no others, or one that a class does not name."""
    only = type(row).__dict__.get(ONLY)
    if only is not None and name not in only:
        raise AttributeError(f"'{type(row).__name__}' object has no attribute '{name}'")
    names = type(row).__dict__.get(ROW)
    if names is not None:
        raise AttributeError(
            "can't set attribute" if name in names[0] else f"'{type(row).__name__}' object has no attribute '{name}'"
        )


ROW_METHODS: dict[str, Callable[..., Any]] = {"_asdict": _as_named, "_replace": _with_changes}
for _name, _method in ROW_METHODS.items():
    _method.__name__ = _method.__qualname__ = _name

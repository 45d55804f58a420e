"""Classes of Python's own that a program's may be like: data classes, abstract classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import SpecError
from ...guard.reserved_names import refuse_reserved_names
from ...guard.size_limits import caps, fits, weigh, weigh_key
from ..annotations import annotations_of
from ..copying import deep_copy
from ..hashing import hashed
from ..members import OF_KINDS, TOLD_OF_CLASSES, found_by, get, put
from ..show import representation
from ..tables.table import attributes, declare
from ..user_definitions import (
    ANNOTATED,
    ATTRIBUTES,
    FIELDS,
    FROZEN,
    MISSING,
    NAMED,
    ONLY,
    PASSED,
    REGISTERED,
    ROW,
    SPECIAL,
    TOLD,
    WANTED,
    Signature,
    UserFunction,
    UserType,
    declared,
    is_special,
    put_in,
    take_out,
)
from ..visible_types import name_of, word
from .frozen_instances import FrozenInstanceError
from .making_classes import MADE_EMPTY, Plain, new_class
from .named_tuples import NamedRow, named_row
from .sealed_classes import Given, known_as, sealed

# -- data classes --------------------------------------------------------------------------------


class Field:
    """An attribute of a data class."""

    __slots__ = (
        "compare", "default", "default_factory", "hash", "init", "kind", "kw_only", "metadata", "name", "owner",
        "passed", "repr",
    )  # fmt: skip

    def __init__(
        self, *, default: Any = MISSING, default_factory: Any = MISSING, init: bool = True, repr: bool = True,
        compare: bool = True, hash: Any = None, metadata: Any = None, kw_only: Any = None,
    ) -> None:  # fmt: skip
        if default is not MISSING and default_factory is not MISSING:
            raise ValueError("cannot specify both default and default_factory")
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare
        self.hash = compare if hash is None else hash
        self.metadata = {} if metadata is None else dict(metadata)
        self.name = ""
        self.owner: Any = None
        # The type that a program wrote into it later, of which no more comes than that it is read.
        self.kind: Any = MISSING
        # Whether it can only be given by name, and whether it is handed to __post_init__ and not kept.
        self.kw_only, self.passed = kw_only, False

    def value(self) -> Any:
        """Make the attribute's default."""
        return self.default if self.default_factory is MISSING else caps.guarded(self.default_factory)()


def _take_kind(field: Field, kind: Any) -> None:
    field.kind = kind


class Undefined(Given):
    """The mark of a default that a field has not."""

    __slots__ = ()


known_as(Undefined, "_MISSING_TYPE", "dataclasses")
declare(Undefined, base=object)
UNDEFINED = sealed(Undefined)
known_as(Field, "Field", "dataclasses")
_FIELD = declare(
    Field,
    base=object,
    fields={
        **attributes("name init repr compare kw_only"),
        "metadata": lambda field: dict(field.metadata),
        "default": lambda field: UNDEFINED if field.default is MISSING else field.default,
        "default_factory": lambda field: UNDEFINED if field.default_factory is MISSING else field.default_factory,
        "type": lambda field: annotations_of(field.owner).get(field.name) if field.kind is MISSING else field.kind,
    },
)
_FIELD.setters["type"] = _take_kind


_OPTIONS = ("init", "repr", "eq", "order", "frozen", "kw_only", "match_args", "slots", "unsafe_hash")


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """A class whose annotated attributes are the arguments by which its instances are made."""
    for name in options:
        if name not in _OPTIONS or (name == "match_args" and not options[name]):
            raise SpecError(f"dataclass({name}=...) is not in the spec language", help="leave it out", code="E205")
    if cls is None:
        return lambda made: dataclass(made, **options)
    if not isinstance(cls, UserType):
        raise TypeError(f"dataclass() should be called on a class, not {word(cls)}")
    fields = {field.name: field for base in reversed(cls.__mro__[1:]) for field in _fields_of(base)}
    passed, named = cls.__dict__.get(PASSED, ()), cls.__dict__.get(NAMED, ())
    for name in cls.__dict__.get(ANNOTATED, ()):
        field = fields[name] = _field(cls, name)
        field.passed = name in passed
        if field.kw_only is None:
            field.kw_only = bool(options.get("kw_only")) or name in named
    put_in(cls, FIELDS, tuple(fields.values()))
    _check_order(fields.values())
    if options.get("slots"):
        _fix_attributes(cls)
    _add_methods(cls, {"init": True, "repr": True, "eq": True, "order": False, "frozen": False, **options})
    return cls


def _fix_attributes(cls: Any) -> None:
    """Note that instances have the fields and no other attributes, if all that the class derives from have such."""
    bases = [base for base in cls.__bases__ if base is not Plain]
    if all(ONLY in base.__dict__ for base in bases):
        names = frozenset([field.name for field in _fields_of(cls) if not field.passed])
        put_in(cls, ONLY, names.union(*(base.__dict__[ONLY] for base in bases)))
    put_in(cls, ATTRIBUTES, tuple([field.name for field in _fields_of(cls) if not field.passed]))


def _fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a data class; those that a program could not have put there itself."""
    found = cls.__dict__.get(FIELDS, ()) if isinstance(cls, UserType) else ()
    return found if isinstance(found, tuple) else ()


def _field(cls: type, name: str) -> Field:
    """The field that an annotated name of a class body declares."""
    given = cls.__dict__.get(name, MISSING)
    field = given if isinstance(given, Field) else Field(default=given)
    field.name, field.owner = name, cls
    if field.default is not MISSING and not isinstance(field.default, type) and _is_unhashable(field.default):
        raise ValueError(
            f"mutable default {representation(type(field.default))} for field {name} is not allowed: "
            "use default_factory"
        )
    if isinstance(given, Field):
        if field.default is MISSING:
            take_out(cls, name)
        else:
            put_in(cls, name, field.default)
    return field


def _is_unhashable(value: Any) -> bool:
    return next(base.__dict__["__hash__"] for base in type(value).__mro__ if "__hash__" in base.__dict__) is None


def field_names(cls: type) -> tuple[str, ...]:
    """The attributes that stand for the places of a data class or of a named tuple; of other classes, none."""
    found = tuple([field.name for field in _fields_of(cls) if field.init and not field.kw_only])
    row = next((base.__dict__[ROW] for base in cls.__mro__ if ROW in base.__dict__), None)
    return found if row is None else tuple(row[0])


TOLD_OF_CLASSES["__dataclass_fields__"] = lambda cls: {field.name: field for field in _listed(cls)}
TOLD_OF_CLASSES["__match_args__"] = field_names


def _check_order(fields: Any) -> None:
    optional = False
    for field in fields:
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        by_place = field.init and not field.kw_only
        if by_place and optional and not has_default:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")
        optional = optional or (by_place and has_default)


def _add_methods(cls: Any, options: dict[str, bool]) -> None:
    own = cls.__dict__
    if options["init"] and "__init__" not in own:
        put_in(cls, "__init__", _making(cls))
    if options["repr"] and "__repr__" not in own:
        put_in(cls, "__repr__", _shown)
    if options["eq"] and "__eq__" not in own:
        put_in(cls, "__eq__", _comparing("__eq__"))
        if "__hash__" not in own:
            put_in(cls, "__hash__", _hashed if options["frozen"] or options.get("unsafe_hash") else None)
    elif options.get("unsafe_hash"):
        put_in(cls, "__hash__", _hashed)
    if options["order"]:
        for name in ("__lt__", "__le__", "__gt__", "__ge__"):
            put_in(cls, name, _comparing(name))
    if options["frozen"]:
        put_in(cls, FROZEN, True)


def _making(cls: Any) -> Callable[..., None]:
    """The `__init__` of a data class."""
    fields = _fields_of(cls)
    placed = tuple([f.name for f in fields if f.init and not f.kw_only])
    named = tuple([f.name for f in fields if f.init and f.kw_only])
    optional = {f.name: f for f in fields if f.default is not MISSING or f.default_factory is not MISSING}
    # A default that stands for itself is told from an argument by being the field.
    defaults = {name: f for name, f in optional.items() if f.init}
    signature = Signature(("self", *placed), frozenset((*placed, *named)), None, named, None, defaults)
    called = f"{cls.__qualname__}.__init__"

    def init(self: Any, /, *args: Any, **kwargs: Any) -> None:
        if not isinstance(self, cls):
            raise TypeError(f"{called}() is for instances of {cls.__qualname__}, not for {word(self)}")
        caps.tick(len(fields))
        given = signature.bind(called, (self, *args), kwargs)
        passed = []
        for field in fields:
            value = given.get(field.name, field)
            if value is field and field.name in optional:
                value = field.value()
            if field.passed:
                passed.append(value)
            elif value is not field:
                put(self, field.name, value)
        after = declared(type(self), "__post_init__")
        if isinstance(after, UserFunction):
            after.call((self, *passed), {})

    init.__name__, init.__qualname__ = "__init__", called
    return init


def _row(value: Any, which: str) -> tuple[Any, ...]:
    """The values of the fields that take part in something."""
    fields = _fields_of_instance(value)
    caps.tick(len(fields))
    return tuple([get(value, f.name) for f in fields if getattr(f, which)])


def _fields_of_instance(value: Any) -> tuple[Field, ...]:
    return _kept_fields(type(value))


def _kept_fields(cls: type) -> tuple[Field, ...]:
    """The fields of a data class, or of the first that a class derives from, that its instances keep."""
    found = next((found for base in cls.__mro__ if (found := _fields_of(base))), ())
    return tuple([field for field in found if not field.passed])


# Which instances are being written: what holds itself is cut short there.
_inside: set[int] = set()


def _shown(self: Any) -> str:
    if id(self) in _inside:
        return "..."
    _inside.add(id(self))
    try:
        return _with_fields(self)
    finally:
        _inside.discard(id(self))


def _with_fields(self: Any) -> str:
    names = [f.name for f in _fields_of_instance(self) if f.repr]
    pieces = [f"{n}={representation(v)}" for n, v in zip(names, _row(self, "repr"), strict=True)]
    fits(sum(map(len, pieces)), "str")
    return f"{type(self).__qualname__}({', '.join(pieces)})"


def _comparing(name: str) -> Callable[[Any, Any], Any]:
    compare = getattr(tuple, name)

    def compared(self: Any, other: Any) -> Any:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = _row(self, "compare"), _row(other, "compare")
        weigh(mine)
        weigh(theirs)
        return compare(mine, theirs)

    compared.__name__ = compared.__qualname__ = name
    return compared


def _hashed(self: Any) -> int:
    row = _row(self, "hash")
    weigh_key(row)
    return hashed(row)


for _method, _name in ((_shown, "__repr__"), (_hashed, "__hash__")):
    _method.__name__ = _method.__qualname__ = _name


def _as_dict(obj: Any, *, dict_factory: Any = dict) -> Any:
    fields = _checked(obj, "asdict")

    def each(inner: Any) -> Any:
        return _as_dict(inner, dict_factory=dict_factory)

    held = [(f.name, _taken_apart(v, each)) for f, v in zip(fields, _row(obj, "name"), strict=True)]
    return dict(held) if dict_factory is dict else caps.guarded(dict_factory)(held)


def _as_tuple(obj: Any, *, tuple_factory: Any = tuple) -> Any:
    _checked(obj, "astuple")

    def each(inner: Any) -> Any:
        return _as_tuple(inner, tuple_factory=tuple_factory)

    held = [_taken_apart(v, each) for v in _row(obj, "name")]
    return tuple(held) if tuple_factory is tuple else caps.guarded(tuple_factory)(held)


def _taken_apart(value: Any, each: Callable[[Any], Any]) -> Any:
    """A value of a field as asdict() or astuple() gives it, which makes ``each`` of the data classes in it."""
    caps.tick(1)
    if isinstance(type(value), UserType) and _fields_of_instance(value):
        return each(value)
    if type(value) in (list, tuple):
        return type(value)([_taken_apart(v, each) for v in value])
    if type(value) is dict:
        return {k: _taken_apart(v, each) for k, v in value.items()}
    return deep_copy(value)


def _listed(class_or_instance: Any, /) -> tuple[Field, ...]:
    """fields(): what a data class has."""
    cls = class_or_instance if isinstance(class_or_instance, type) else type(class_or_instance)
    found = _kept_fields(cls)
    if not found:
        raise TypeError("must be called with a dataclass type or instance")
    return found


def _checked(obj: Any, function: str) -> tuple[Field, ...]:
    fields = _fields_of_instance(obj)
    if not fields:
        raise TypeError(f"{function}() should be called on dataclass instances")
    return fields


def _replaced(obj: Any, /, **changes: Any) -> Any:
    named = list(zip(_checked(obj, "replace"), _row(obj, "name"), strict=True))
    for field, _ in named:
        if not field.init and field.name in changes:
            said = f"field {field.name} is declared with init=False, it cannot be specified with replace()"
            raise ValueError(said)
    return type(obj)(**{**{f.name: v for f, v in named if f.init}, **changes})


def dataclasses() -> dict[str, Any]:
    """The names of the module `dataclasses`."""
    functions = {
        "dataclass": dataclass, "asdict": _as_dict, "astuple": _as_tuple, "fields": _listed, "replace": _replaced,
    }  # fmt: skip
    for name, function in functions.items():
        function.__name__ = function.__qualname__ = name
    return {
        **functions,
        "field": Field,
        "is_dataclass": _is_data_class,
        "MISSING": UNDEFINED,
        "FrozenInstanceError": FrozenInstanceError,
    }


def _is_data_class(obj: Any, /) -> bool:
    cls = obj if isinstance(obj, type) else type(obj)
    return any(_fields_of(base) for base in cls.__mro__)


# -- abstract classes ----------------------------------------------------------------------------


class ABC(Plain):
    """Base of classes that leave methods to others; Python itself refuses to make instances of them."""

    __slots__ = ()


class ABCMeta(Given):
    """The metaclass of classes whose methods others may have to define: a name for class statements."""

    __slots__ = ()


ABC.__module__ = "abc"
known_as(ABCMeta, "ABCMeta", "abc")


class Generic(Plain):
    """Base of classes that are written with types of their own, which mean nothing when a program runs."""

    __slots__ = ()


class Protocol(Generic):
    """Base of classes that only say what others have."""

    __slots__ = ()


def runtime_checkable(cls: Any, /) -> Any:
    """A class that says what others have, as one that isinstance() compares them with."""
    if not is_protocol(cls):
        raise TypeError(f"@runtime_checkable can be only applied to protocol classes, got {representation(cls)}")
    lines = [base.__dict__ for base in cls.__mro__ if isinstance(base, UserType)]
    names = {name for line in lines for name in (*line, *line.get(ANNOTATED, ()))}
    put_in(cls, WANTED, tuple(sorted(name for name in names if not _says_nothing(name))))
    return cls


def is_protocol(cls: Any) -> bool:
    """True if a class of a program says what others have, and is not one that has it."""
    return isinstance(cls, UserType) and Protocol in cls.__bases__


def _says_nothing(name: str) -> bool:
    return name == "__init__" or (is_special(name) and name not in SPECIAL) or name in ("__doc__", "__match_args__")


Generic.__module__ = Protocol.__module__ = "typing"
MADE_EMPTY.update((ABC, Generic, Protocol))


def abstract(function: Any, /) -> Any:
    """abstractmethod(): a method that others have to define."""
    inner = function.fget if isinstance(function, property) else getattr(function, "__func__", function)
    if isinstance(inner, UserFunction):
        inner.abstract = True
    return function


abstract.__name__ = abstract.__qualname__ = "abstractmethod"


def registering(cls: type) -> Any:
    """ABC.register() of a class: what lets others count as of it."""
    if not issubclass(cls, ABC):
        return None

    def register(subclass: Any, /) -> Any:
        if not isinstance(subclass, type):
            raise TypeError("Can only register classes")
        if issubclass(cls, subclass) or caps.builtins["issubclass"](cls, subclass):
            if subclass is cls:
                return subclass
            raise RuntimeError("Refusing to create an inheritance cycle")
        known = cls.__dict__.get(REGISTERED, ())
        fits(len(known) + 1, "tuple")
        if subclass not in known:
            type.__setattr__(cls, REGISTERED, (*known, subclass))
        return subclass

    return register


OF_KINDS["register"] = registering


def note_abstract(cls: type) -> None:
    """Note which methods a class leaves to others."""
    if issubclass(cls, ABC):
        names = {n for base in cls.__mro__[1:] for n in getattr(base, "__abstractmethods__", ())} | set(cls.__dict__)
        left = frozenset(n for n in names if _is_abstract(declared(cls, n)))
        type.__setattr__(cls, "__abstractmethods__", left)


def _is_abstract(value: Any) -> bool:
    inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return isinstance(inner, UserFunction) and inner.abstract


def _refuse_mixture(bases: tuple[type, ...]) -> None:
    """Refuse an exception that is something else of ours as well."""
    line = {cls for base in bases for cls in base.__mro__ if not isinstance(cls, UserType) and cls is not object}
    others = [cls for cls in line if not issubclass(cls, (BaseException, Plain))]
    if others and len(others) < len(line) and any(issubclass(cls, BaseException) for cls in line):
        raise SpecError(
            f"a class of a spec cannot be an exception and a {name_of(max(others, key=lambda cls: len(cls.__mro__)))}",
            help="write two classes",
            code="E205",
        )


def make_class(name: str, qualname: str, bases: tuple[type, ...], namespace: dict[str, Any], told: Any) -> type:
    """The class that a class statement makes; ``told``: what the statement gives by name to who is told of it."""
    if NamedRow in bases:
        if not {NamedRow, Generic}.issuperset(bases):
            raise TypeError("can only inherit from a NamedTuple type and Generic")
        names = list(namespace.pop(ANNOTATED, ()))
        defaults = {n: namespace.pop(n) for n in names if n in namespace}
        return named_row(name, names, defaults, namespace)
    refuse_reserved_names(bases, namespace)
    _refuse_mixture(bases)
    cls = new_class(name, qualname, bases, namespace)
    note_abstract(cls)
    hook = found_by(cls.__mro__[1:], TOLD)
    if hook is not None:
        hook(cls, **(told or {}))
    elif told:
        raise TypeError(f"{name}.__init_subclass__() takes no keyword arguments")
    return cls

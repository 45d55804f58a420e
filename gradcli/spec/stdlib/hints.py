"""typing and collections.abc: names for annotations, and kinds of containers."""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Any, NoReturn

from ...engine.tensor import Tensor
from ...errors import SpecError
from ..guard.notes import note
from ..guard.size_limits import CONSTRUCTORS, VIEWS, caps, fits
from ..library import names_in
from ..values.classes.sealed_classes import known_as, sealed
from ..values.special_names import has_method
from ..values.tables.table import declare
from .iteration import Generator, UserGenerator

Table = dict[str, Any]

# Types that are subscripted by their own names.
_BUILT_IN = {cls.__name__: cls for cls in (list, tuple, dict, set, frozenset, type)}


class Hint:
    """A name for annotations, which mean nothing when a program runs."""

    __slots__ = ("name", "of")
    home = "typing."
    # That it can be subscripted makes it no sequence.
    __iter__: Any = None

    def __init__(self, name: str, of: tuple[Any, ...] = ()) -> None:
        self.name, self.of = name, of

    def __getitem__(self, of: object) -> Hint:
        return type(self)(self.name, of if isinstance(of, tuple) else (of,))

    def __or__(self, other: object) -> Hint:
        return self

    __ror__ = __or__

    def __eq__(self, other: object) -> bool:
        # What is held twice is compared twice.
        caps.tick(50)
        return self is other or (type(other) is type(self) and bool(self.of) and self._said() == other._said())

    def _said(self) -> Any:
        # What stands between bars may stand in any order.
        return self.name, set(self.of) if self.name in ("Union", "Literal") else self.of

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        shown = [_in_hint(kind) for kind in self.of]
        fits(sum(map(len, shown)), "str")
        if self.name == "Union" and len(shown) == 2 and None in self.of:
            return f"typing.Optional[{next(word for word in shown if word != 'None')}]"
        home = "" if self.name in _BUILT_IN else self.home
        return f"{home}{self.name}{'[' * bool(shown)}{', '.join(shown)}{']' * bool(shown)}"


def _in_hint(kind: Any) -> str:
    """An argument of a hint, as Python shows it."""
    from ..values.show import representation
    from ..values.visible_types import full_name

    caps.tick(1)
    if kind is ... or kind is None:
        return "..." if kind is ... else "None"
    if isinstance(kind, list):
        return f"[{', '.join(map(_in_hint, kind))}]"
    return full_name(kind) if isinstance(kind, type) else representation(kind)


class Variable(Hint):
    """A type variable: a name that stands for any type."""

    __slots__ = ("bound", "sign")
    bound: Any
    sign: str

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{self.sign}{self.name}"


def _variable(name: Any, *constraints: Any, bound: Any = None, **options: Any) -> Variable:
    if not isinstance(name, str):
        raise TypeError("the name of a type variable is to be a str")
    made = Variable(name, constraints)
    made.bound = bound
    made.sign = "+" if options.get("covariant") else "-" if options.get("contravariant") else "~"
    return made


class NewType:
    """A type under a name of its own: a call gives back what it is given."""

    __slots__ = ("name", "of")

    def __init__(self, name: Any, tp: Any) -> None:
        if not isinstance(name, str):
            raise TypeError("the name of a type is to be a str")
        self.name, self.of = name, tp

    def __call__(self, value: Any, /) -> Any:
        return value

    def __repr__(self) -> str:
        return f"__main__.{self.name}"


class TypedRow(Hint):
    """TypedDict, and what a program derives from it: a call makes a dict."""

    __slots__ = ()

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.name == "TypedDict":
            raise SpecError("TypedDict() is not in the spec language", help="write a class statement", code="E205")
        return CONSTRUCTORS[dict](*args, **kwargs)

    def __repr__(self) -> str:
        return f"<function {self.name}>" if self.name == "TypedDict" else f"<class '__main__.{self.name}'>"


known_as(TypedRow, "TypedDict", "typing")


_HINTS = (
    "AbstractSet Annotated Any AnyStr AsyncGenerator AsyncIterable AsyncIterator Awaitable BinaryIO ByteString "
    "Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine Counter DefaultDict "
    "Deque Dict Final FrozenSet Generator Hashable IO ItemsView Iterable Iterator KeysView List Literal "
    "LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet Never NoReturn NotRequired "
    "Optional OrderedDict ParamSpec Pattern Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes "
    "SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound Text TextIO Tuple Type TypeAlias "
    "TypeGuard TypeVar TypeVarTuple Union Unpack ValuesView"
)


@cache
def typing() -> Table:
    """The names of typing, which other modules have as well: the same ones."""
    from ..values.annotations import get_type_hints
    from ..values.classes.data_classes import Generic, Protocol, runtime_checkable
    from ..values.classes.named_tuples import NamedRow

    hints: Table = {name: Hint(name) for name in _HINTS.split()}
    hints.update({name: Kind(name) for name in kinds() if name in hints})
    hints["TypedDict"] = TypedRow("TypedDict")
    hints.update(Generic=Generic, NamedTuple=NamedRow, Protocol=Protocol)
    hints["TypeVar"] = hints["ParamSpec"] = hints["TypeVarTuple"] = _variable
    hints.update(dict.fromkeys(("no_type_check", "override"), _same))
    hints["NewType"] = NewType
    hints.update(cast=lambda typ, val: val, overload=_same, final=_same, TYPE_CHECKING=False)
    hints.update(runtime_checkable=runtime_checkable, get_type_hints=get_type_hints)
    hints.update(assert_type=lambda val, typ: val, reveal_type=_same, assert_never=_never_reached)
    hints.update(dataclass_transform=lambda **options: _same, is_typeddict=lambda tp: isinstance(tp, TypedRow))
    hints.update(get_args=_arguments_of, get_origin=_origin_of)
    return hints


_SHAPED = (
    "Array ArrayLike BFloat16 Bool Complex Complex128 Complex64 Float Float16 Float32 Float64 Inexact Int Int16 Int32 "
    "Int64 Int8 Integer Key Num PRNGKeyArray PyTree PyTreeDef Real Scalar ScalarLike Shaped UInt UInt8"
)


def shaped() -> Table:
    """The names of jaxtyping: tensors with their shapes."""
    return {**{name: Hint(name) for name in _SHAPED.split()}, "jaxtyped": _jaxtyped}


def beartype() -> Table:
    """The names of beartype."""
    return {"beartype": _beartype, "BeartypeConf": lambda **options: None}


def _beartype(obj: Any = None, /, **options: Any) -> Any:
    """beartype.beartype()"""
    return _unchecked("beartype", obj)


def _jaxtyped(obj: Any = None, /, **options: Any) -> Any:
    """jaxtyping.jaxtyped()"""
    return _unchecked("jaxtyping", obj)


def _unchecked(package: str, obj: Any) -> Any:
    """Give back what is decorated, or the decorator: nothing is checked."""
    note(f"{package} checks nothing here: annotations are for readers")
    return obj if obj is not None else _same


def array_typing() -> Table:
    """The names of numpy.typing."""
    return {name: Hint(name) for name in ("ArrayLike", "DTypeLike", "NBitBase", "NDArray")}


def _never_reached(arg: Any, /) -> NoReturn:
    from ..values.show import representation

    raise AssertionError(f"Expected code to be unreachable, but got: {representation(arg)[:100]}")


# What is subscripted -> its class.
_SUBSCRIPTED: Table = {name: cls for name, cls in _BUILT_IN.items() if cls is not type}
_SUBSCRIPTED.update({"List": list, "Tuple": tuple, "Dict": dict, "Set": set, "FrozenSet": frozenset})


def _arguments_of(tp: Any) -> tuple[Any, ...]:
    """get_args(): what stands in the brackets of an annotation, or between its bars."""
    if isinstance(tp, UnionType):
        return tp.__args__
    if not isinstance(tp, Hint) or isinstance(tp, Variable):
        return ()
    written = tuple([type(None) if kind is None and tp.name != "Literal" else kind for kind in tp.of])
    return (*written, type(None)) if tp.name == "Optional" and written else written


def _origin_of(tp: Any) -> Any:
    """get_origin(): what stands before the brackets of an annotation."""
    if not isinstance(tp, Hint) or isinstance(tp, Variable) or not tp.of:
        return sealed(UnionType) if isinstance(tp, UnionType) else None
    name = "Union" if tp.name == "Optional" else tp.name
    return _SUBSCRIPTED.get(name) or _OF_KINDS.get(name) or typing().get(name) or Hint(name)


def _same(value: Any, /) -> Any:
    """Return the argument as it is, as a decorator for readers does."""
    return value


class Kind(Hint):
    """A kind of containers of `collections.abc`: of some classes, or of whatever has some special methods."""

    __slots__ = ()

    @property
    def classes(self) -> tuple[type, ...]:
        """The classes that are of this kind: Python's own, and what a program derives from it."""
        from collections import deque

        own: dict[str, tuple[type, ...]] = {
            "Sequence": (list, tuple, str, bytes, range, deque), "MutableSequence": (list, deque),
            "Reversible": (str, bytes, tuple, Tensor), "Mapping": (dict,), "MutableMapping": (dict,),
            "Set": (set, frozenset, *VIEWS[::2]), "MutableSet": (set,), "Generator": (UserGenerator, Generator),
            "KeysView": VIEWS[:1], "ValuesView": VIEWS[1:2], "ItemsView": VIEWS[2:],
        }  # fmt: skip
        found, written = own.get(self.name, ()), self.base
        return found if written is None else (*found, written)

    @property
    def base(self) -> Any:
        """The class that a program derives from by this name, or None."""
        return caps.library("_kinds").get(self.name) if self.name in names_in("_kinds") else None

    def has(self, kind: type) -> bool:
        """True if values of a class have all the special methods that make them of this kind."""
        wanted = _BY_METHODS.get(self.name, ())
        return bool(wanted) and all(has_method(kind, name) for name in wanted)


# Kind -> the special methods that make something of that kind, whatever it derives from.
_BY_METHODS = {
    "Callable": ("__call__",), "Collection": ("__contains__", "__iter__", "__len__"), "Container": ("__contains__",),
    "Hashable": ("__hash__",), "Iterable": ("__iter__",), "Iterator": ("__iter__", "__next__"),
    "Reversible": ("__iter__", "__reversed__"), "Sized": ("__len__",),
}  # fmt: skip
_OF_CLASSES = (
    "Generator ItemsView KeysView Mapping MutableMapping MutableSequence MutableSet Sequence Set ValuesView"
)


class AbstractKind(Kind):
    """A kind as `collections.abc` has it; `typing` has the same, to be written in annotations."""

    __slots__ = ()
    home = "collections.abc."

    def __repr__(self) -> str:
        return super().__repr__() if self.of else f"<class '{self.home}{self.name}'>"


known_as(Kind, "_SpecialGenericAlias", "typing")
known_as(AbstractKind, "ABCMeta", "abc")


_OF_KINDS: Table = {name: AbstractKind(name) for name in (*_BY_METHODS, *_OF_CLASSES.split())}


def kinds() -> Table:
    """The kinds of containers of `collections.abc`."""
    return dict(_OF_KINDS)


known_as(Variable, "TypeVar", "typing")
known_as(NewType, "NewType", "typing")
declare(
    Hint, base=object, fields={"__name__": lambda hint: hint.name, "__origin__": _origin_of, "__args__": _arguments_of}
)
declare(TypedRow, base=Hint)
declare(
    Variable,
    base=object,
    fields={
        "__name__": lambda made: made.name,
        "__bound__": lambda made: made.bound,
        "__constraints__": lambda made: made.of,
    },
)
declare(NewType, base=object, fields={"__name__": lambda made: made.name, "__supertype__": lambda made: made.of})

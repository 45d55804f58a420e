"""Modules of Python's own that a spec may import, as far as it may use them."""

from __future__ import annotations

import math as _math
from collections.abc import Callable, Iterator
from types import FunctionType, UnionType
from typing import Any, NoReturn

from ...engine.modes import mode
from ...engine.tensor import Tensor
from ...errors import SpecError
from ..guard import limits as limits_
from ..guard.size_limits import CONSTRUCTORS, VIEWS, caps, charged, checked, collected, fits, weighed, whole
from ..library import names_in
from ..values.sealed_classes import known_as, sealed
from ..values.special_names import has_method
from ..values.tables.table import attributes, declare
from ..values.user_definitions import MISSING, NOTED, UserFunction, UserType, declared, put_in
from .iteration import Generator, Lazy, UserGenerator, iterate
from .sorting import key_of

Table = dict[str, Any]

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs "
    "floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p "
    "log2 modf nan nextafter pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"
)


def _math_table() -> Table:
    table = {name: getattr(_math, name) for name in _MATH.split() if hasattr(_math, name)}
    table.update(factorial=_counting(_math.factorial, 2_000), comb=_counting(_math.comb, 10_000))
    table["perm"] = _counting(_math.perm, 10_000)
    for name in ("ceil", "floor", "trunc"):
        table[name] = _fitting(table[name])
    table.update(fsum=_named(_fsum, _math.fsum), lcm=_named(_lcm, _math.lcm), prod=_named(_prod, _math.prod))
    return table


def _complex_math() -> Table:
    import cmath

    names = (
        "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj "
        "phase pi polar rect sin sinh sqrt tan tanh tau"
    )
    return {name: getattr(cmath, name) for name in names.split()}


def _counting(function: Callable[..., int], most: int) -> Callable[..., int]:
    """A function whose results grow fast: refused for arguments whose results cannot fit."""
    fitting = _fitting(function)

    def count(*args: Any) -> int:
        # Other things than int stand for whole numbers, too.
        numbers = [None if a is None else whole(a) for a in args]
        if any(a is not None and a > most for a in numbers):
            raise limits_.integer_too_large()
        value: int = fitting(*numbers)
        return value

    return _named(count, function)


def _fitting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose results are integers, which have to fit."""
    return _named(lambda *args: checked(function(*args)), function)


def _fsum(iterable: Any, /) -> float:
    return _math.fsum(charged(iterate(iterable)))


def _prod(iterable: Any, /, *, start: Any = 1) -> Any:
    found = start
    for value in charged(iterate(iterable)):
        found = caps.times(found, value)
    return found


def _lcm(*integers: Any) -> int:
    found = 1
    for n in integers:
        # Of many integers it would have more digits than can be computed with.
        found = checked(_math.lcm(found, n))
    return found


def _named(made: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    made.__name__ = made.__qualname__ = function.__name__
    return made


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


def _typing() -> Table:
    from ..values.annotations import get_type_hints
    from ..values.data_classes import Generic, Protocol, runtime_checkable
    from ..values.named_tuples import NamedRow

    hints: Table = {name: Hint(name) for name in _HINTS.split()}
    hints.update({name: Kind(name) for name in _kinds() if name in hints})
    hints["TypedDict"] = TypedRow("TypedDict")
    hints.update(Generic=Generic, NamedTuple=NamedRow, Protocol=Protocol)
    hints["TypeVar"] = hints["ParamSpec"] = lambda name, *bounds, **options: Hint(name)
    hints.update(dict.fromkeys(("no_type_check", "override"), _same))
    hints["NewType"] = lambda name, tp: tp
    hints.update(cast=lambda typ, val: val, overload=_same, final=_same, TYPE_CHECKING=False)
    hints.update(runtime_checkable=runtime_checkable, get_type_hints=get_type_hints)
    hints.update(assert_type=lambda val, typ: val, reveal_type=_same, assert_never=_never_reached)
    hints.update(dataclass_transform=lambda **options: _same, is_typeddict=lambda tp: isinstance(tp, TypedRow))
    hints.update(get_args=_arguments_of, get_origin=_origin_of)
    return hints


def _array_typing() -> Table:
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
    if not isinstance(tp, Hint):
        return ()
    written = tuple([type(None) if kind is None and tp.name != "Literal" else kind for kind in tp.of])
    return (*written, type(None)) if tp.name == "Optional" and written else written


def _origin_of(tp: Any) -> Any:
    """get_origin(): what stands before the brackets of an annotation."""
    if not isinstance(tp, Hint) or not tp.of:
        return sealed(UnionType) if isinstance(tp, UnionType) else None
    return _SUBSCRIPTED.get(tp.name) or Hint("Union" if tp.name == "Optional" else tp.name)


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


def _kinds() -> Table:
    """The kinds of containers of `collections.abc`."""
    return {name: AbstractKind(name) for name in (*_BY_METHODS, *_OF_CLASSES.split())}


def _numbers() -> Table:
    """The kinds of numbers of `numbers`: tuples of their classes, which isinstance takes."""
    import numpy as np

    from ..values.sealed_classes import sealed

    integral = (int, sealed(np.integer))
    real = (*integral, float, sealed(np.floating))
    return {"Number": real, "Complex": real, "Real": real, "Rational": integral, "Integral": integral}


def _collections() -> Table:
    from collections import Counter, OrderedDict

    from ..values.named_tuples import namedtuple
    from ..values.tables.containers import Defaults, Queue

    return {
        "Counter": Counter,
        "OrderedDict": OrderedDict,
        "defaultdict": Defaults,
        "deque": Queue,
        "namedtuple": namedtuple,
    }


# -- copies ------------------------------------------------------------------------------------------


def _copying() -> Table:
    from ..values.copying import deep_copy, shallow_copy

    return {"copy": shallow_copy, "deepcopy": deep_copy}


def _timing() -> Table:
    import time

    names = ("monotonic", "perf_counter", "perf_counter_ns", "process_time", "time", "time_ns")
    return {**{name: getattr(time, name) for name in names}, "sleep": _sleep, "_moment": _moment, "ctime": _now}


def _sleep(seconds: Any, /) -> None:
    """Go on at once: nobody waits for what a program does not do."""


def _moment(format: str, /) -> str:
    import time

    fits(len(format) * 16, "str")
    made = time.strftime(format)
    # A width may stand in it.
    fits(len(made), "str")
    return made


def _now() -> str:
    import time

    return time.ctime()


def _noting() -> Table:
    from ..guard.notes import note
    from .contexts import entering
    from .endings import ended_because

    return {
        "note": note, "entering": entering, "shown": lambda text: caps.write(text), "size": _size,
        "in_new_thread": _in_new_thread, "handled": lambda: caps.handled(),
        "ended": ended_because,
    }  # fmt: skip


def _in_new_thread(function: Any) -> Any:
    """Call a function with the modes that a new thread begins with."""
    before = mode.state()
    mode.begin()
    try:
        return caps.guarded(function)()
    finally:
        mode.take(before)


# What Python itself holds, and PyTorch's tensors, which are no larger for what is in them.
_SIZED = (int, float, complex, bool, str, bytes, type(None), list, tuple, dict, set, frozenset, range)
_SIZE_OF_TENSOR = 80


def _size(value: Any) -> int:
    from sys import getsizeof

    from ..guard.size_limits import ARRAYS
    from ..values.visible_types import word

    if isinstance(value, Tensor):
        return _SIZE_OF_TENSOR
    if type(value) not in _SIZED and not isinstance(value, ARRAYS):
        raise SpecError(f"the size of a {word(value)} is not known here", help="leave it out", code="E205")
    return getsizeof(value)


# -- functions of functions --------------------------------------------------------------------------


class Partial:
    """A function with some of its arguments."""

    __slots__ = ("args", "func", "keywords")

    def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
        if not callable(func):
            raise TypeError("the first argument must be callable")
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        return caps.guarded(self.func)(*self.args, *args, **{**self.keywords, **keywords})


known_as(Partial, "partial", "functools")
declare(Partial, base=object, fields={**attributes("func args"), "keywords": lambda made: dict(made.keywords)})
_NONE: Any = object()


def _reduce(function: Any, iterable: Any, initial: Any = _NONE, /) -> Any:
    call = caps.guarded(function)
    values = charged(iterate(iterable))
    found = next(values, _NONE) if initial is _NONE else initial
    if found is _NONE:
        raise TypeError("reduce() of empty iterable with no initial value")
    for value in values:
        found = call(found, value)
    return found


def _wraps(wrapped: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name, the words and the annotations of another."""
    from ..values.annotations import noted
    from ..values.members import NAMED_AFTER

    def rename(function: Any) -> Any:
        if isinstance(function, UserFunction):
            for name in ("__name__", "__qualname__", "__doc__"):
                if isinstance(found := getattr(wrapped, name, None), str):
                    setattr(function, name, found)
            if isinstance(wrapped, UserFunction):
                function.__dict__[NOTED] = noted(wrapped)
            function.wrapped = wrapped
        elif isinstance(type(function), UserType):
            for name in NAMED_AFTER:
                found = wrapped if name == "__wrapped__" else getattr(wrapped, name, None)
                if name == "__wrapped__" or isinstance(found, str):
                    function.__dict__[name] = found
        return function

    return _named(rename, _wraps)


def _totally_ordered(cls: Any) -> Any:
    """total_ordering(): a class with one comparison gets the others from it."""
    if not isinstance(cls, UserType):
        raise TypeError(f"total_ordering() is for classes, not {type(cls).__name__}")
    given = next((name for name in _ORDERS if declared(cls, name) is not MISSING), None)
    if given is None:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    for name, compare in _ORDERS[given].items():
        if declared(cls, name) is MISSING:
            put_in(cls, name, _comparing(name, compare))
    return cls


def _comparing(name: str, compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compared(self: Any, other: Any) -> Any:
        caps.tick(1)
        return compare(self, other)

    compared.__name__ = compared.__qualname__ = name
    return compared


# What is given -> how the others follow.
_ORDERS: dict[str, dict[str, Callable[[Any, Any], Any]]] = {
    "__lt__": {
        "__gt__": lambda a, b: not a < b and a != b,
        "__le__": lambda a, b: a < b or a == b,
        "__ge__": lambda a, b: not a < b,
    },
    "__le__": {
        "__ge__": lambda a, b: not a <= b or a == b,
        "__lt__": lambda a, b: a <= b and a != b,
        "__gt__": lambda a, b: not a <= b,
    },
    "__gt__": {
        "__lt__": lambda a, b: not (a > b or a == b),
        "__ge__": lambda a, b: a > b or a == b,
        "__le__": lambda a, b: not a > b,
    },
    "__ge__": {
        "__le__": lambda a, b: not a >= b or a == b,
        "__gt__": lambda a, b: a >= b and a != b,
        "__lt__": lambda a, b: not a >= b,
    },
}


def _functions() -> Table:
    return {"partial": Partial, "reduce": _reduce, "wraps": _wraps, "total_ordering": _totally_ordered}


# -- iterators ---------------------------------------------------------------------------------------


def _lazily(name: str, make: Callable[..., Iterator[Any]]) -> type:
    """A class of iterators that a program may hold, each of which takes a step of it for each value it looks at."""

    class Made(Lazy):
        __slots__ = ()

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(make(*args, **kwargs), *args)

    make.__name__ = make.__qualname__ = name
    known_as(Made, name, "itertools")
    return Made


def _iterators() -> Table:
    import itertools as it

    def walk(x: Any) -> Iterator[Any]:
        return charged(iterate(x))

    def pools(*iterables: Any) -> list[list[Any]]:
        return [collected(iterate(x)) for x in iterables]

    def repeated(value: Any, times: int | None = None) -> Iterator[Any]:
        return charged(it.repeat(value) if times is None else it.repeat(value, times))

    def accumulated(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
        add = caps.add if func is None else caps.guarded(func)
        return it.accumulate(walk(iterable), add, initial=initial)

    def grouped(iterable: Any, key: Any = None) -> Iterator[Any]:
        return it.groupby(walk(iterable), key_of(weighed if key is None else key))

    def picked(name: str) -> Callable[..., Iterator[Any]]:
        select = getattr(it, name)

        def pick(iterable: Any, r: Any) -> Iterator[Any]:
            (pool,) = pools(iterable)
            size = len(pool) if r is None else whole(r)
            fits(size, "tuple")
            return charged(select(pool, size))

        return pick

    def multiplied(*iterables: Any, repeat: Any = 1) -> Iterator[Any]:
        fits(len(iterables) * whole(repeat), "tuple")
        return charged(it.product(*pools(*iterables), repeat=repeat))

    def tested(choose: Any) -> Callable[..., Iterator[Any]]:
        def choosing(predicate: Any, iterable: Any) -> Iterator[Any]:
            return choose(caps.guarded(bool if predicate is None else predicate), walk(iterable))  # type: ignore[no-any-return]

        return choosing

    def spread(function: Any, iterable: Any) -> Iterator[Any]:
        call = caps.guarded(function)
        return (call(*collected(iterate(arguments))) for arguments in walk(iterable))

    permuted = picked("permutations")
    makers: dict[str, Callable[..., Iterator[Any]]] = {
        "accumulate": accumulated,
        "chain": lambda *iterables: it.chain(*map(walk, iterables)),
        "combinations": picked("combinations"),
        "combinations_with_replacement": picked("combinations_with_replacement"),
        "compress": lambda data, selectors: it.compress(walk(data), walk(selectors)),
        "count": lambda start=0, step=1: charged(it.count(start, step)),
        "cycle": lambda iterable: charged(it.cycle(*pools(iterable))),
        "groupby": grouped,
        "islice": lambda iterable, *places: it.islice(walk(iterable), *places),
        "pairwise": lambda iterable: it.pairwise(walk(iterable)),
        "permutations": lambda iterable, r=None: permuted(iterable, r),
        "product": multiplied,
        "repeat": repeated,
        "starmap": spread,
        "zip_longest": lambda *iterables, fillvalue=None: it.zip_longest(*map(walk, iterables), fillvalue=fillvalue),
    }
    for name, function in {"dropwhile": it.dropwhile, "filterfalse": it.filterfalse, "takewhile": it.takewhile}.items():
        makers[name] = tested(function)
    table = {name: _lazily(name, make) for name, make in makers.items()}
    chain = table["chain"]

    def from_iterable(iterable: Any, /) -> Any:
        made: Any = object.__new__(chain)
        Lazy.__init__(made, it.chain.from_iterable(map(walk, walk(iterable))), iterable)
        return made

    declare(chain, base=object).statics["from_iterable"] = from_iterable
    branch = _lazily("_tee", lambda source, *below: source)

    def tee(iterable: Any, n: Any = 2, /) -> Any:
        fits(whole(n), "tuple")
        return tuple([branch(source, iterable) for source in it.tee(walk(iterable), whole(n))])

    return {**table, "tee": tee}


def _strings() -> Table:
    import string

    names = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable punctuation whitespace"
    return {name: getattr(string, name) for name in names.split()}


def _abstract() -> Table:
    from ..values.data_classes import ABC, ABCMeta, abstract

    return {"ABC": ABC, "ABCMeta": ABCMeta, "abstractmethod": abstract}


def _operators() -> Table:
    def add(a: Any, b: Any, /) -> Any:
        return caps.add(a, b)

    def mul(a: Any, b: Any, /) -> Any:
        return caps.times(a, b)

    return {"add": add, "mul": mul, "itemgetter": _getting, **_from("stdlib.texts", "attributes_of")()}


def _getting(item: Any, /, *items: Any) -> Callable[[Any], Any]:
    """A function that reads an item, or several."""

    def itemgetter(value: Any, /) -> Any:
        found = [caps.item(value, item) for item in (item, *items)]
        return tuple(found) if items else found[0]

    return _named(itemgetter, itemgetter)


def _from(module: str, function: str) -> Callable[[], Table]:
    """A table that a module of ours makes, read when it is first needed."""

    def make() -> Table:
        from importlib import import_module

        found: Table = getattr(import_module(f"..{module}", __package__), function)()
        return found

    return make


def _with_names(make: Callable[[], Table]) -> Callable[[], Table]:
    """A table whose functions are called in messages as they are in it."""

    def made() -> Table:
        table = make()
        for name, function in table.items():
            if isinstance(function, FunctionType) and function.__module__.startswith("gradcli.spec."):
                function.__name__ = function.__qualname__ = name
        return table

    return made


MODULES: dict[str, Callable[[], Table]] = {
    "math": _math_table,
    "cmath": _complex_math,
    "typing": _typing,
    "typing_extensions": _typing,
    "collections": _collections,
    "collections.abc": _kinds,
    "numbers": _numbers,
    "copy": _copying,
    "functools": _functions,
    "itertools": _iterators,
    "time": _timing,
    "abc": _abstract,
    "ast": _from("stdlib.literals", "names"),
    "_notes": _noting,
    "_digests": _from("stdlib.digests", "names"),
    "_packing": _from("stdlib.packing", "names"),
    "_weak": _from("stdlib.weak", "names"),
    "contextlib": _from("stdlib.contexts", "contexts"),
    "dataclasses": _from("stdlib.class_bases", "dataclasses"),
    "inspect": _from("stdlib.texts", "inspect"),
    "json": _from("stdlib.texts", "json"),
    "enum": _from("values.enumerations", "enums"),
    "numpy": _from("stdlib.small_numpy", "numpy"),
    "numpy.fft": _from("stdlib.small_numpy", "fft"),
    "numpy.linalg": _from("stdlib.small_numpy", "linalg"),
    "numpy.typing": _array_typing,
    "numpy.random": _from("stdlib.small_numpy", "random"),
    "operator": _operators,
    "random": _from("stdlib.random_numbers", "names"),
    "re": _from("stdlib.patterns", "re"),
    "string": _strings,
    "unicodedata": _from("stdlib.patterns", "unicodedata"),
    "warnings": _from("stdlib.warned", "warnings"),
}
MODULES = {name: _with_names(make) for name, make in MODULES.items()}

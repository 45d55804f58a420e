"""The builtins of the language: Python's own where they are harmless, and guarded twins of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.guard.addresses import address
from ...engine.tensor import Tensor
from ..guard.limits import DIGITS
from ..guard.size_limits import (
    ARRAYS,
    FREE,
    caps,
    charged,
    checked,
    collected,
    fits,
    narrow,
    weigh,
    weigh_key,
    weighed,
    whole,
)
from ..values.classes.derived_scalars import Scalar, kind_of
from ..values.classes.metaclasses import Made, found_in_line, metaclass_of, says_of
from ..values.classes.sealed_classes import opened
from ..values.formatting import ascii_representation, formatted
from ..values.hashing import hashed
from ..values.show import representation, text
from ..values.special_names import has
from ..values.standing import value_of
from ..values.tables.tensors import Storage
from ..values.user_definitions import (
    CALLED_SUBCLASS,
    LISTING,
    MISSING,
    OF_INSTANCES,
    OF_SUBCLASSES,
    REGISTERED,
    WANTED,
    Namespace,
    UserType,
    answer,
    as_place,
    bound,
)
from ..values.visible_types import word
from .builtin_types import CALLS, constructor as constructor
from .derived_schedules import written_schedule
from .exceptions.endings import EXCEPTIONS, ended, is_of_kind
from .exceptions.exception_groups import Group
from .hints import Kind
from .iteration import Enumerate, Filter, Map, Until, Zip, backwards, contains as contains, iterate as iterate, iterator
from .sorting import key_of

_EXCEPTIONS = (
    Exception, ArithmeticError, AssertionError, AttributeError, BufferError, BytesWarning, DeprecationWarning,
    EncodingWarning, FloatingPointError, FutureWarning, ImportError, ImportWarning, IndexError, KeyError, LookupError,
    NameError, NotImplementedError, OverflowError, PendingDeprecationWarning, ReferenceError, ResourceWarning,
    RuntimeError, RuntimeWarning, StopAsyncIteration, StopIteration, SyntaxWarning, SystemError, TypeError,
    UnboundLocalError, UnicodeDecodeError, UnicodeEncodeError, UnicodeError, UnicodeTranslateError, UnicodeWarning,
    UserWarning, ValueError, Warning, ZeroDivisionError,
)  # fmt: skip

_NUMBERS = frozenset((int, float, bool))


def builtins_for(write: Callable[[str], None]) -> dict[str, Any]:
    """The builtins by name; what is printed is handed to ``write``."""
    return {"print": _called("print", _printing(write)), **_FIXED}


def _called(name: str, function: Any) -> Any:
    """A function under the name that a program and its error messages know it by."""
    function.__name__ = function.__qualname__ = name
    return function


# -- printing --------------------------------------------------------------------------------------


def _printing(write: Callable[[str], None]) -> Callable[..., None]:
    def show(*args: Any, sep: Any = " ", end: Any = "\n", flush: Any = False, **others: Any) -> None:
        file = others.pop("file", None)
        file = caps.streams.get("stdout") if file is None else file
        if file is not None:
            from ..values.members import get

            caps.guarded(get(file, "write"))(_line(args, sep, end, others))
            return
        if len(args) == 1 and not others and end == "\n" and sep == " ":
            write(text(args[0]) + "\n")
            return
        write(_line(args, sep, end, others))

    return show


def _line(args: tuple[Any, ...], sep: Any, end: Any, others: dict[str, Any]) -> str:
    for name in others:
        raise TypeError(f"'{name}' is an invalid keyword argument for print()")
    sep, end = _words("sep", sep, " "), _words("end", end, "\n")
    pieces = [text(value) for value in args]
    fits(sum(map(len, pieces)) + len(sep) * len(pieces), "str")
    return str(sep.join(pieces) + end)


def _words(name: str, value: Any, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str):
        raise TypeError(f"{name} must be None or a string, not {type(value).__name__}")
    return value


# -- going through values --------------------------------------------------------------------------


def _sum(iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    if isinstance(start, bytearray):
        raise TypeError("sum() can't sum bytearray [use b''.join(seq) instead]")
    if isinstance(start, bytes):
        raise TypeError("sum() can't sum bytes [use b''.join(seq) instead]")
    if isinstance(iterable, (list, tuple)) and type(start) in _NUMBERS and _NUMBERS.issuperset(map(type, iterable)):
        caps.tick(len(iterable))
        return checked(sum(iterable, start))
    total = start
    add = caps.add
    for value in charged(iterate(iterable)):
        total = checked(add(total, value))
        if isinstance(total, (list, tuple)):
            # Each sum is a copy of all that came before.
            fits(len(total), type(total).__name__)
            caps.tick(len(total) >> 4)
    return total


def _choosing(name: str, choose: Any) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        for keyword in kwargs:
            if keyword not in ("key", "default"):
                raise TypeError(f"'{keyword}' is an invalid keyword argument for {name}()")
        if not kwargs and len(args) > 1 and FREE.issuperset(map(type, args)):
            return choose(args)
        if not args:
            raise TypeError(f"{name} expected at least 1 argument, got 0")
        key = kwargs["key"] = key_of(kwargs.get("key"))
        look = weigh if key is None else id
        if len(args) > 1:
            for value in args:
                look(value)
            return choose(*args, **kwargs)
        (values,) = args
        if isinstance(values, (list, tuple)):
            caps.tick(len(values))
            look(values)
            return choose(values, **kwargs)
        return choose(map(weighed, charged(iterate(values))), **kwargs)

    return function


def _sorted(iterable: Any, /, **kwargs: Any) -> list[Any]:
    for keyword in kwargs:
        if keyword not in ("key", "reverse"):
            raise TypeError(f"'{keyword}' is an invalid keyword argument for sort()")
    values = collected(iterable if isinstance(iterable, (list, tuple, range)) else iterate(iterable))
    key = key_of(kwargs.get("key"), len(values))
    if key is None:
        weigh(values)
    values.sort(key=key, reverse=kwargs.get("reverse", False))
    return values


def _any(iterable: Any, /) -> bool:
    return any(charged(iterate(iterable)))


def _all(iterable: Any, /) -> bool:
    return all(charged(iterate(iterable)))


def _iter(value: Any, /, *sentinel: Any) -> Any:
    return Until(value, *sentinel) if sentinel else iterator(value)


# -- numbers -----------------------------------------------------------------------------------------


def _abs(x: Any, /) -> Any:
    return checked(abs(x))


def _round(number: Any, ndigits: Any = None) -> Any:
    ndigits = None if ndigits is None else whole(ndigits)
    if isinstance(number, int) and ndigits is not None and ndigits < -DIGITS:
        # Python would compute 10 to that power first.
        narrow(number)
        return 0
    return checked(round(number) if ndigits is None else round(number, ndigits))


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return caps.power(base, exp)
    if isinstance(exp, int) and isinstance(mod, int):
        # A square and its remainder for each bit.
        caps.tick(exp.bit_length() * (mod.bit_length() >> 6) ** 2 >> 5)
    return checked(pow(base, exp, mod))


def _divmod(a: Any, b: Any, /) -> Any:
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        raise TypeError(f"unsupported operand type(s) for divmod(): '{word(a)}' and '{word(b)}'")
    if isinstance(a, ARRAYS) or isinstance(b, ARRAYS):
        return caps.quotient(a, b), caps.remainder(a, b)
    found = divmod(a, b)
    if type(found) is not tuple or len(found) != 2:
        # What a program's class gives.
        return found
    return checked(found[0]), checked(found[1])


# -- objects -----------------------------------------------------------------------------------------


def _isinstance(value: Any, kinds: Any, /) -> bool:
    if isinstance(kinds, Made) or (type(kinds) is tuple and any(isinstance(kind, Made) for kind in kinds)):
        return any(
            _is_instance(value, kind) if said is MISSING else type(value) is kind or bool(said)
            for kind in _flat(weighed(kinds) if type(kinds) is tuple else (kinds,))
            for said in (says_of(kind, OF_INSTANCES, value) if isinstance(kind, Made) else MISSING,)
        )
    return _is_instance(value, kinds)


def _is_instance(value: Any, kinds: Any) -> bool:
    if isinstance(kinds, type) and isinstance(value, kinds):
        return kinds is not Exception or is_of_kind(type(value), kinds)
    weigh(kinds)
    kinds, by_methods = _with_written(kinds)
    if isinstance(value, kinds) or any(kind.has(type(value)) for kind in by_methods):
        return True
    if _is_called_subclass(type(value), kinds):
        return True
    if isinstance(value, UserType) and (meta := metaclass_of(value)) is not None and issubclass(meta, kinds):
        return True
    # A member of an enumeration of texts counts as a text.
    stood = value_of(value)
    return (stood is not value and isinstance(stood, kinds)) or _has_all(value, kinds)


def _is_registered(cls: type, kind: Any) -> bool:
    """True if a class, or one above it, was registered as of an abstract class, or of one that derives from that."""
    if type(cls) is not type and not isinstance(cls, UserType):
        return False
    below: list[Any] = [kind]
    seen: set[Any] = set()
    while below:
        derived = below.pop()
        caps.tick(1)
        if derived in seen:
            continue
        seen.add(derived)
        known = derived.__dict__.get(REGISTERED, ())
        if known and issubclass(opened(cls), tuple(map(opened, known))):
            return True
        # What was registered may be an abstract class itself.
        below += [*type.__subclasses__(derived), *(other for other in known if isinstance(other, UserType))]
    return False


def _is_called_subclass(cls: type, kinds: Any) -> bool:
    """True if a class counts as one of an abstract class of the program's: by its `__subclasshook__`, or registered."""
    from ..values.classes.data_classes import ABC

    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if isinstance(kind, UserType) and issubclass(kind, ABC) and _is_registered(cls, kind):
            return True
        hook = found_in_line(kind.__mro__, CALLED_SUBCLASS) if isinstance(kind, UserType) else None
        if hook is not None and caps.guarded(bound(hook, kind))(cls) is True:
            return True
    return False


def _issubclass(cls: Any, kinds: Any, /) -> bool:
    weigh(kinds)
    if isinstance(kinds, Made) and (said := says_of(kinds, OF_SUBCLASSES, cls)) is not MISSING:
        return bool(said)
    if kinds is Exception and isinstance(cls, type) and issubclass(opened(cls), kinds):
        return is_of_kind(opened(cls), kinds)
    kinds, by_methods = _with_written(kinds)
    if issubclass(cls, kinds) or _has_all(cls, kinds) or _is_called_subclass(cls, kinds):
        return True
    if isinstance(cls, UserType) and issubclass(cls, Scalar) and issubclass(kind_of(cls), kinds):
        return True
    return any(kind.has(opened(cls)) for kind in by_methods)


def _has_all(value: Any, kinds: Any) -> bool:
    """True if one of some classes is a protocol, and a value has all that this names."""
    from ..values.classes.data_classes import is_protocol

    for kind in filter(is_protocol, kinds if isinstance(kinds, tuple) else (kinds,)):
        wanted = kind.__dict__.get(WANTED)
        if wanted is None:
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        caps.tick(len(wanted))
        if all(_hasattr(value, name) for name in wanted):
            return True
    return False


def _with_written(kinds: Any) -> tuple[Any, list[Kind]]:
    """Classes to compare with, also those that a program's own derive from, and kinds that are known by methods."""
    given = _flat(kinds)
    written = [found for kind in given if (found := written_schedule(kind)) is not None]
    containers = [kind for kind in given if isinstance(kind, Kind)]
    if not written and not containers:
        return kinds, []
    classes = [kind for kind in given if not isinstance(kind, Kind)]
    return (*classes, *written, *(cls for kind in containers for cls in kind.classes)), containers


def _flat(kinds: Any) -> list[Any]:
    return [one for kind in kinds for one in _flat(kind)] if isinstance(kinds, tuple) else [kinds]


def _dir(value: Any, /) -> list[Any]:
    from ..values.members import names

    told = answer(value, LISTING)
    return sorted({*names(value)}) if told is MISSING else _sorted(told)


def _hash(value: Any, /) -> int:
    weigh_key(value)
    return hashed(value)


def _id(value: Any, /) -> int:
    if isinstance(value, Storage):
        # It is made anew each time it is asked for, in Python in the place of the one that went: so programs tell
        # whether tensors share their memory.
        return value.start()
    return address(value)


def _format(value: Any, format_spec: Any = "", /) -> str:
    if not isinstance(format_spec, str):
        raise TypeError(f"format() argument 2 must be str, not {type(format_spec).__name__}")
    return formatted(value, format_spec)


_NOTHING: Any = object()


def _attribute(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    return name


def _getattr(value: Any, name: Any, default: Any = _NOTHING, /) -> Any:
    from ..values.members import get

    try:
        return get(value, _attribute(name))
    except AttributeError:
        if default is _NOTHING:
            raise
        return default


def _hasattr(value: Any, name: Any, /) -> bool:
    try:
        _getattr(value, name)
    except AttributeError:
        return name in _ASKED and has(value, name)
    return True


# The modules of which a program takes all functions at once.
_LISTED = frozenset(("math", "cmath", "operator", "string"))
# What programs ask for to see what can be done with a value.
_WORDS = "add call contains delitem enter eq exit float getitem hash int iter len lt mul next setitem str"
_ASKED = frozenset(f"__{word}__" for word in _WORDS.split())


def _vars(value: Any, /) -> Any:
    from ..values.members import get

    if type(value) is Namespace and value.full_name in _LISTED:
        return {name: value.find(name) for name in value.names()}
    try:
        return get(value, "__dict__")
    except AttributeError:
        raise TypeError("vars() argument must have __dict__ attribute") from None


def _setattr(value: Any, name: Any, new: Any, /) -> None:
    from ..values.members import assign

    assign(value, _attribute(name), new)


def _delattr(value: Any, name: Any, /) -> None:
    from ..values.members import delete

    delete(value, _attribute(name))


def _of_place(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda number, /: function(as_place(number))


def _open(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
    return caps.library("_files")["open"](file, mode, *args, **kwargs)


def _input(prompt: Any = "", /) -> str:
    from ..values.members import get
    from .exceptions.endings import EndOfFile

    caps.builtins["print"](prompt, end="")
    source = caps.streams.get("stdin") or caps.library("sys")["stdin"]
    line = caps.guarded(get(source, "readline"))()
    if not line:
        raise EndOfFile("EOF when reading a line")
    return str(line.removesuffix("\n"))


_FUNCTIONS: dict[str, Any] = {
    "open": _open,
    "input": _input,
    "exit": ended,
    "quit": lambda status=None, /: ended(status),
    "sum": _sum,
    "min": _choosing("min", min),
    "max": _choosing("max", max),
    "sorted": _sorted,
    "any": _any,
    "all": _all,
    "iter": _iter,
    "reversed": lambda sequence, /: backwards(sequence),
    "abs": _abs,
    "round": _round,
    "pow": _pow,
    "divmod": _divmod,
    "dir": _dir,
    "hash": _hash,
    "id": _id,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "repr": lambda value, /: representation(value),
    "ascii": lambda value, /: ascii_representation(value),
    "format": _format,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "vars": _vars,
    "delattr": _delattr,
    **{f.__name__: _of_place(f) for f in (chr, bin, hex, oct)},
}
for _name, _function in _FUNCTIONS.items():
    _called(_name, _function)
# Python's own, which neither loop nor grow anything.
# Those that are the same in every run.
_FIXED: dict[str, Any] = {
    **_FUNCTIONS,
    **{f.__name__: f for f in (len, callable, next, ord)},
    **{cls.__name__: cls for cls in (*CALLS, *_EXCEPTIONS, Zip, Map, Filter, Enumerate)},
    **EXCEPTIONS,
    "BaseExceptionGroup": Group,
    "ExceptionGroup": Group,
    "NotImplemented": NotImplemented,
    "Ellipsis": ...,
}

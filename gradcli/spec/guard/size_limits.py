"""Size limits for the values of a run, and the charge for walking through them."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MethodType
from typing import Any, NoReturn

import numpy as np

from ...engine.tensor import Tensor
from . import limits as limits_
from .limits import STRICT, Limits

# How deep containers may be nested where Python itself recurses: comparing, hashing, writing out.
DEEPEST = 150

# What holds no other values, as far as comparing, hashing and writing out go.
_ATOMS = frozenset((int, float, complex, str, bytes, bytearray, bool, type(None), type, range))
_TEXTS = frozenset((str, bytes, bytearray))
# Those that are compared at once; so many characters of a string (as a power of two) count as one part more.
FREE = _ATOMS - _TEXTS
_SHORT = 10
_PLAIN = (list, tuple, set, frozenset, deque)
# What lists of numbers become parts of.
ARRAYS = (Tensor, np.ndarray, np.generic)
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_HOLDING = (*_PLAIN, *VIEWS)
_WALKED = frozenset(_PLAIN)
_WITH_PARTS = (*_HOLDING, dict, slice, property, staticmethod, classmethod, MethodType)


def power(a: Any, b: Any) -> Any:
    """``a ** b``, of integers only where the result fits."""
    fits_power(a, b)
    return checked(a**b)


def fits_power(a: Any, b: Any) -> None:
    """Refuse a power of integers that could not fit, before it is computed."""
    if (
        isinstance(a, int)
        and isinstance(b, int)
        and b > 0
        and abs(a) > 1
        and (abs(a).bit_length() - 1) * b > limits_.BITS
    ):
        raise limits_.integer_too_large()


# How a program makes values of Python's own types; stdlib/builtin_types.py fills it.
CONSTRUCTORS: dict[type, Callable[..., Any]] = {}


class Caps:
    """The limits of the program that runs now, and how it is charged; a run sets them before it begins."""

    __slots__ = (
        "add", "args", "arrays", "builtins", "file", "follow", "guarded", "handled", "here", "item",
        "leave_found", "lent", "library", "limits", "member", "on_trail", "power", "program", "quotient", "read_line",
        "remainder", "source", "spend", "step_of", "streams", "tick", "times", "trail", "write", "write_error",
    )  # fmt: skip

    def __init__(self) -> None:
        self.limits: Limits = STRICT
        # True where the program's inputs are NumPy's arrays, and so is what it computes of them.
        self.arrays = False
        # Takes the number of steps that something took.
        self.tick: Callable[[int], None] = lambda n: None
        # The guarded forms of ``a + b`` and ``a * b``, for sum() and math.prod().
        self.add: Callable[[Any, Any], Any] = operator.add
        self.times: Callable[[Any, Any], Any] = operator.mul
        # Those of ``a ** b``, ``a // b`` and ``a % b``, for pow() and divmod().
        self.power: Callable[[Any, Any], Any] = power
        self.quotient: Callable[[Any, Any], Any] = operator.floordiv
        self.remainder: Callable[[Any, Any], Any] = operator.mod
        # A function as builtins may call it: one whose calls are charged.
        self.guarded: Callable[[Any], Any] = as_called
        # The exception that the program deals with, or None.
        self.handled: Callable[[], Any] = lambda: None
        # The place of the program that a frame of ours works for, or None.
        self.here: Callable[[Any], Any] = lambda frame: None
        # What has to be known of the program's calls to come back to them, and what does that.
        self.trail: Callable[[], Any] = lambda: None
        self.on_trail: Callable[[Any], None] = lambda trail: None
        # The guarded form of ``a[i]``.
        self.item: Callable[[Any, Any], Any] = operator.getitem
        # The guarded form of ``a.name``, for str.format(); there is none before a program runs.
        self.member: Callable[[Any, str], Any] = no_member
        # The names of a module that is written in the spec language.
        self.library: Callable[[str], dict[Any, Any]] = lambda module: {}
        # What the program need not import, as the module `builtins` has it.
        self.builtins: Mapping[str, Any] = {}
        # Runs what the program left to be done by what has been found to hold only itself.
        self.leave_found: Callable[[], None] = lambda: None
        # What may be asked of a traceback, by name.
        self.step_of: Callable[[Any], dict[str, Any]] = lambda traceback: {}
        # Keeps the lines that led to an error, for a program that may ask for them.
        self.follow: Callable[[BaseException], None] | None = None
        # The words that the program was given, and the files that it was lent.
        self.args: Sequence[str] = ()
        self.lent: Mapping[str, bytes] = {}
        # The text of the program, which it runs from.
        self.source: Any = None
        # The name of the file that the program is in, or None.
        self.file: str | None = None
        # The names of the program, as the module `__main__` has them.
        self.program: Mapping[Any, Any] = {}
        # What stands for a standard stream where the program put something else there, and what writes to them.
        self.streams: dict[str, Any] = {}
        self.write: Callable[[str], None] = lambda text: None
        self.write_error: Callable[[str], None] = lambda text: None
        # The next line of the standard input, with its end; nothing where there is none.
        self.read_line: Callable[[], str] = lambda: ""
        # Takes the elements of an array that is to be made, and the elementary operations that this takes.
        self.spend: Callable[[int, int], None] = lambda elements, work: None

    def set_aside(self) -> dict[str, Any]:
        """Return the current settings, for another run to come back to."""
        return {name: getattr(self, name) for name in self.__slots__}

    def take_up(self, held: dict[str, Any]) -> None:
        """Come back to what was set aside."""
        for name, value in held.items():
            setattr(self, name, value)


def as_called(function: Any) -> Any:
    """A function as a call in a program means it: Python's own types make values as programs may hold them."""
    return CONSTRUCTORS.get(function, function) if isinstance(function, type) else function


def no_member(value: Any, name: str) -> NoReturn:
    """Refuse an attribute where no program runs."""
    raise AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'", name=name, obj=value)


caps = Caps()


def handed(function: Any) -> Any:
    """Guard a value that the library may call on its own later, so that its calls are charged."""
    while type(function) is staticmethod:
        function = function.__func__
    return caps.guarded(function) if callable(function) else function


def fits(n: int, what: str) -> None:
    """Refuse a string or sequence of more items than a run allows; ``what`` is its type's name."""
    if n > caps.limits.sequence:
        raise limits_.too_long(caps.limits, what, n)


def whole(n: Any) -> int:
    """An int, of whatever Python takes for one: sizes are looked at before they are used."""
    return n if isinstance(n, int) else operator.index(n)


# The integers of a program lie between, and those that tensors and arrays hold.
MOST = 10**limits_.DIGITS - 1
LEAST = -MOST
_WIDEST, _NARROWEST = 2**63 - 1, -(2**63)


def checked_int(n: int) -> int:
    """An integer that a program may hold."""
    if not LEAST <= n <= MOST:
        raise limits_.integer_too_large()
    return n


def narrow(value: Any) -> Any:
    """A value that arrays may be made of or computed with: no integer beyond 64 bits, nor a list that holds one."""
    if isinstance(value, int):
        if not _NARROWEST <= value <= _WIDEST:
            raise limits_.integer_too_wide()
    elif isinstance(value, (list, tuple)):
        if set(map(type, value)) == {int}:
            narrow(max(value))
            narrow(min(value))
        else:
            for part in value:
                narrow(part)
    return value


def checked(value: Any) -> Any:
    """A number as programs may hold it: no larger integer."""
    return checked_int(value) if type(value) is int else value


# -- walking through values ------------------------------------------------------------------


def charged(values: Iterable[Any]) -> Iterator[Any]:
    """The values one by one, each a step of the program."""
    tick = caps.tick
    n = 0
    for value in values:
        n += 1
        if n == 256:
            tick(n)
            n = 0
        yield value
    tick(n)


def collected(values: Iterable[Any], what: str = "list") -> list[Any]:
    """The values in a new list, as many as a run allows."""
    if isinstance(values, (list, tuple, dict, set, frozenset, str, range)):
        n = len(values)
        fits(n, what)
        caps.tick(n)
        return list(values)
    most = caps.limits.sequence
    found: list[Any] = []
    for value in charged(values):
        found.append(value)
        if len(found) > most:
            fits(len(found), what)
    return found


def weigh(value: Any) -> None:
    """Refuse a value that cannot be compared, hashed or written out: cyclic, too deep or, in all, too large.

    A part that is held twice counts twice, as Python would visit it twice.
    """
    kind = type(value)
    if kind in _ATOMS:
        return
    parts = value if kind is tuple else _parts(value)
    if parts is None or FREE.issuperset(map(type, parts)):
        return
    most = caps.limits.sequence
    if _ATOMS.issuperset(map(type, parts)):
        # Most keys are a few words and numbers.
        for part in parts:
            most -= 1 if type(part) not in _TEXTS else 1 + (len(part) >> _SHORT)
        if most < 0:
            raise limits_.too_tangled()
        return
    count = 0
    stack = [iter(parts)]
    while stack:
        for part in stack[-1]:
            count += 1 if type(part) not in _TEXTS else 1 + (len(part) >> _SHORT)
            below = None if type(part) in _ATOMS else _parts(part)
            if below is None:
                continue
            flat = FREE.issuperset(map(type, below))
            if flat:
                count += len(below)
            if count > most or len(stack) > DEEPEST:
                raise limits_.too_tangled()
            if flat:
                continue
            stack.append(iter(below))
            break
        else:
            stack.pop()
    if count > most:
        raise limits_.too_tangled()


def weighed(value: Any) -> Any:
    """A value that can be compared, hashed and written out."""
    weigh(value)
    return value


def heft(value: Any) -> int:
    """The steps that comparing a value once may take, where it is more than one; it is weighed on the way."""
    if type(value) in _TEXTS:
        return len(value) >> _SHORT
    if type(value) in _ATOMS:
        return 0
    weigh(value)
    parts = _parts(value)
    if parts is None:
        return 0
    return (len(parts) >> 2) + (0 if FREE.issuperset(map(type, parts)) else sum(map(heft, parts)))


def charge_comparing(value: Any, times: int) -> None:
    """Charge for comparing a value with so many others, none of which takes longer than it does itself."""
    if type(value) in _TEXTS and len(value) >> _SHORT:
        caps.tick(times * len(value) >> _SHORT + 3)


def holds_others(value: Any) -> bool:
    """True if comparing a value means comparing others, which it holds."""
    return type(value) not in _ATOMS and _parts(value) is not None


def slice_of(*places: Any) -> slice:
    """A slice of which no other is deep inside: Python frees them by recursion."""
    made = slice(*places)
    if slice in map(type, places):
        weigh(made)
    return made


def wrapping(make: Callable[..., Any]) -> Callable[..., Any]:
    """Guard a constructor of wrappers such as property: Python frees nested ones by recursion, so depth is bounded."""

    def wrap(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        weigh(made)
        if make in (staticmethod, classmethod):
            # Whoever takes the function out of it will call it as any other.
            return made
        return make(*map(handed, args), **{name: handed(value) for name, value in kwargs.items()})

    wrap.__name__ = wrap.__qualname__ = make.__name__
    return wrap


def weigh_key(value: Any) -> None:
    """Refuse a key whose hash Python could not compute in reasonable time."""
    if isinstance(value, (tuple, frozenset)):
        weigh(value)


def _parts(value: Any) -> Any:
    """List the contents of a container, or return None for anything else."""
    if type(value) in _WALKED:
        return value
    if not isinstance(value, _WITH_PARTS):
        return None
    if isinstance(value, dict):
        # A class of a program may have methods of its own under these names.
        return [*dict.keys(value), *dict.values(value)]
    if isinstance(value, slice):
        return [value.start, value.stop, value.step]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, (staticmethod, classmethod)):
        return [value.__func__]
    if isinstance(value, MethodType):
        return [value.__func__] if isinstance(value.__func__, MethodType) else None
    if isinstance(value, list) and type(value) is not list:
        return list.copy(value)
    return value if isinstance(value, _HOLDING) else None

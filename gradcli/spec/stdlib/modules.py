"""Modules of Python's own that a spec may import, as far as it may use them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ...engine.guard.world import learn
from ...engine.modes import mode
from ...engine.tensor import Tensor
from ...errors import SpecError
from ..guard.size_limits import caps, fits, whole
from ..values.classes.sealed_classes import sealed
from ..values.user_definitions import HINTING, MISSING, ONLY, answer, as_place
from ..values.visible_types import word

Table = dict[str, Any]


def _numbers() -> Table:
    """The kinds of numbers of `numbers`: tuples of their classes, which isinstance takes."""
    import numpy as np

    integral = (int, sealed(np.integer))
    real = (*integral, float, sealed(np.floating))
    return {"Number": real, "Complex": real, "Real": real, "Rational": integral, "Integral": integral}


def _collections() -> Table:
    from collections import Counter, OrderedDict

    from ..values.classes.named_tuples import namedtuple
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
    """The clocks, which a sleep puts forward: nobody waits, and what is measured is as long as if one had."""
    import time

    slept = 0.0

    def sleep(seconds: Any, /) -> None:
        nonlocal slept
        if not isinstance(seconds, (int, float)):
            raise TypeError(f"'{word(seconds)}' object cannot be interpreted as an integer")
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        slept += seconds

    def forward(clock: Callable[[], Any], units: int) -> Callable[[], Any]:
        return _told(lambda: clock() + (slept if units == 1 else int(slept * units)))

    names = ("monotonic", "perf_counter", "time")
    clocks = {name: forward(getattr(time, name), 1) for name in names}
    clocks |= {f"{name}_ns": forward(getattr(time, f"{name}_ns"), 10**9) for name in names}
    own = {name: _told(getattr(time, name)) for name in ("process_time", "process_time_ns", "thread_time")}
    return {**clocks, **own, "sleep": sleep, "_moment": _moment, "ctime": _now}


def _told(clock: Callable[[], Any]) -> Callable[[], Any]:
    """A clock that is noted to have been read."""

    def read() -> Any:
        learn()
        return clock()

    return read


def _moment(format: str, /) -> str:
    import time

    learn()
    fits(len(format) * 16, "str")
    made = time.strftime(format)
    # A width may stand in it.
    fits(len(made), "str")
    return made


def _now() -> str:
    import time

    learn()
    return time.ctime()


def _keeping() -> Table:
    from ..values.classes.making_classes import told_from_outside
    from .files.saving import pickled, refuse_unpicklable, unpickled, unsafe_globals

    return {
        "refuse_unpicklable": refuse_unpicklable, "told_from_outside": told_from_outside,
        "pickled": pickled, "unpickled": unpickled, "unsafe_globals": unsafe_globals, "path_of": _path_of,
    }  # fmt: skip


def _path_of(value: Any) -> str:
    """The full name of a class or a function, as a pickle has it."""
    from .files.weights import path_of

    return path_of(value)


def _noting() -> Table:
    from ..guard.notes import note
    from .contexts import entering
    from .exceptions.endings import ended_because
    from .frames import caller

    return {
        "note": note, "entering": entering, "size": _size,
        "asked_line": lambda: caps.read_line(),
        "shown": lambda text: caps.write(text), "shown_as_error": lambda text: caps.write_error(text),
        "in_new_thread": _in_new_thread, "handled": lambda: caps.handled(),
        "ended": ended_because, "helped": _helped, "caller": caller, "args": lambda: list(map(str, caps.args)),
        "lent": lambda: dict(caps.lent), "found_in": _found_in, "bytes_saved": _bytes_saved,
        "size_saved": _size_saved,
        # The language that a program is written in is that of the Python that runs it.
        "version": tuple(sys.version_info),
    }  # fmt: skip


def _helped(error: BaseException, way: str) -> BaseException:
    """An exception that says what to do, where nothing catches it."""
    from ..language.exception_marks import marks

    marks(error).help = way
    return error


def _found_in(name: str, data: bytes) -> Any:
    """Read a file that was saved before the program ran."""
    from .files.saved_elsewhere import found_in

    return found_in(name, data)


def _bytes_saved(value: Any, name: str) -> bytes:
    """The bytes that torch.save() writes."""
    from .files.saved_bytes import bytes_of

    return bytes_of(value, name)


def _size_saved(value: Any, name: str) -> int:
    """The number of bytes that torch.save() writes."""
    from .files.saved_bytes import size_of

    return size_of(value, name)


def _in_new_thread(function: Any) -> Any:
    """Call a function with the modes that a new thread begins with."""
    before = mode.state()
    mode.begin()
    try:
        return caps.guarded(function)()
    finally:
        mode.take(before)


# What Python itself holds, and PyTorch's tensors, which are no larger for what is in them.
_SIZED = (int, float, complex, bool, str, bytes, bytearray, type(None), list, tuple, dict, set, frozenset, range)
_SIZE_OF_TENSOR = 80
# What a storage needs beside its bytes, by elements and as bytes.
_BESIDE_ELEMENTS, _BESIDE_BYTES = 56, 64


def _size(value: Any) -> int:
    from sys import getsizeof

    from ..guard.size_limits import ARRAYS
    from ..values.tables.tensors import Elements, Storage

    if isinstance(value, Tensor):
        return _SIZE_OF_TENSOR
    if isinstance(value, Storage):
        return (_BESIDE_ELEMENTS if isinstance(value, Elements) else _BESIDE_BYTES) + len(value) * value.each
    told = answer(value, "__sizing__")
    if told is not MISSING:
        # Python adds what its collector of garbage needs, and a place for what the object holds.
        return whole(told) + (16 if ONLY in type(value).__dict__ else 32)
    if type(value) not in _SIZED and not isinstance(value, ARRAYS):
        raise SpecError(f"the size of a {word(value)} is not known here", help="leave it out", code="E205")
    return getsizeof(value)


def _strings() -> Table:
    import string

    names = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable punctuation whitespace"
    return {name: getattr(string, name) for name in names.split()}


def _abstract() -> Table:
    from ..values.classes.data_classes import ABC, ABCMeta, abstract

    return {"ABC": ABC, "ABCMeta": ABCMeta, "abstractmethod": abstract}


def _operators() -> Table:
    import operator as host

    from .iteration import Lazy

    def add(a: Any, b: Any, /) -> Any:
        return caps.add(a, b)

    def mul(a: Any, b: Any, /) -> Any:
        return caps.times(a, b)

    def length_hint(obj: Any, default: Any = 0, /) -> int:
        """The length of a value, or about how many more an iterator may give."""
        if not isinstance(default, int):
            raise TypeError(f"'{word(default)}' object cannot be interpreted as an integer")
        told = answer(obj, HINTING)
        if told is NotImplemented:
            return default
        if told is MISSING:
            return default if isinstance(obj, Lazy) else host.length_hint(obj, default)
        if not isinstance(told, int):
            raise TypeError(f"__length_hint__ must be an integer, not {word(told)}")
        if told < 0:
            raise ValueError("__length_hint__() should return >= 0")
        return told

    return {
        "add": add, "mul": mul, "itemgetter": _getting, "length_hint": length_hint,
        "index": lambda a, /: host.index(as_place(a)), **_from("stdlib.texts", "attributes_of")(),
    }  # fmt: skip


def _getting(item: Any, /, *items: Any) -> Callable[[Any], Any]:
    """A function that reads an item, or several."""

    def itemgetter(value: Any, /) -> Any:
        found = [caps.item(value, item) for item in (item, *items)]
        return tuple(found) if items else found[0]

    itemgetter.__qualname__ = "itemgetter"
    return itemgetter


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


_MAKERS: dict[str, Callable[[], Table]] = {
    "math": _from("stdlib.mathematics", "math"),
    "cmath": _from("stdlib.mathematics", "cmath"),
    "typing": _from("stdlib.hints", "typing"),
    "typing_extensions": _from("stdlib.hints", "typing"),
    "beartype": _from("stdlib.hints", "beartype"),
    "beartype.typing": _from("stdlib.hints", "typing"),
    "jaxtyping": _from("stdlib.hints", "shaped"),
    "collections": _collections,
    "collections.abc": _from("stdlib.hints", "kinds"),
    "numbers": _numbers,
    "copy": _copying,
    "functools": _from("stdlib.function_tools", "functools"),
    "itertools": _from("stdlib.iterators", "itertools"),
    "time": _timing,
    "abc": _abstract,
    "ast": _from("stdlib.literals", "names"),
    "_notes": _noting,
    "_kept": _keeping,
    "_digests": _from("stdlib.digests", "names"),
    "_nested": _from("stdlib.nested", "names"),
    "_polynomials": _from("stdlib.small_numpy.polynomial_families", "names"),
    "_packing": _from("stdlib.packing", "names"),
    "_trails": _from("stdlib.exceptions.trails", "trails"),
    "_trees": _from("stdlib.trees.names", "names"),
    "_weak": _from("stdlib.weak", "names"),
    "contextlib": _from("stdlib.contexts", "contexts"),
    "dataclasses": _from("stdlib.class_bases", "dataclasses"),
    "inspect": _from("stdlib.texts", "inspect"),
    "json": _from("stdlib.texts", "json"),
    "enum": _from("values.classes.enumerations", "enums"),
    "numpy": _from("stdlib.small_numpy.names", "numpy"),
    "numpy.exceptions": _from("values.classes.array_errors", "names"),
    "numpy.fft": _from("stdlib.small_numpy.waves", "names"),
    "numpy.lib.stride_tricks": _from("stdlib.small_numpy.layout", "names"),
    "numpy.linalg": _from("stdlib.small_numpy.matrices", "names"),
    "numpy.typing": _from("stdlib.hints", "array_typing"),
    "numpy.random": _from("stdlib.small_numpy.random_arrays", "names"),
    "operator": _operators,
    "random": _from("stdlib.random_numbers", "names"),
    "re": _from("stdlib.patterns", "re"),
    "string": _strings,
    "unicodedata": _from("stdlib.characters", "names"),
    "warnings": _from("stdlib.exceptions.warned", "warnings"),
}
MODULES = {name: _with_names(make) for name, make in _MAKERS.items()}

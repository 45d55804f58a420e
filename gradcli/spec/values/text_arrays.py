"""Arrays of texts: a program picks from them and compares them, and nothing computes with them.

NumPy's own array is held where no program and no function of ours or of NumPy's finds it: whoever is to take arrays of
texts asks for it here, and all others are handed an object that is no array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import SpecError
from ..guard.size_limits import caps, charged, weigh, whole
from .classes.sealed_classes import Numberless, known_as, sealed
from .element_types import ElementType, element_type, holds_texts
from .standing import value_of
from .tables.table import attributes, declare
from .visible_types import show_as, word

# The bytes that count as one element.
_ELEMENT = 8


class TextArray(Numberless):
    """An array of texts."""

    __slots__ = ("_texts",)
    # It is in no operator of NumPy's.
    __array_ufunc__ = None

    def __init__(self, texts: np.ndarray[Any, Any]) -> None:
        self._texts = texts

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[Any]:
        return (given(part) for part in charged(self._texts))

    def __getitem__(self, index: Any) -> Any:
        return given(self._texts[_index(self._texts, index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._texts[_index(self._texts, index)] = _taken(value)

    def __eq__(self, other: object) -> Any:
        return _compared(np.equal, self, other)

    def __ne__(self, other: object) -> Any:
        return _compared(np.not_equal, self, other)

    def __lt__(self, other: Any) -> Any:
        return _compared(np.less, self, other)

    def __le__(self, other: Any) -> Any:
        return _compared(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compared(np.greater, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compared(np.greater_equal, self, other)

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def as_type(self, dtype: Any) -> Any:
        """A copy, of numbers where these are asked for."""
        if holds_texts(dtype):
            return TextArray(self._texts.copy())
        known = element_type(dtype)
        return spent(self._texts.size, self._texts.itemsize, lambda: self._texts.astype(known))

    def __repr__(self) -> str:
        return np.array_repr(self._texts)

    def __str__(self) -> str:
        return str(self._texts)


def texts_of(value: Any) -> np.ndarray[Any, Any] | None:
    """NumPy's array of a value that is an array of texts, a text or lists of texts and numbers; None of all else."""
    if type(value) is TextArray:
        return value._texts
    if begins_with_text(value):
        weigh(value)
        plain, longest = _plain(value), [1]
        found = _count(plain, longest)
        return None if found is None else spent(found, 4 * longest[0], lambda: np.array(plain))
    return None


def begins_with_text(value: Any) -> bool:
    """True if a value is an array of texts, a text, or a list that begins with one."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return type(value) is TextArray or isinstance(value_of(value), str)


def holds_none(value: Any) -> bool:
    """True of a list, among others, in which something is None: NumPy makes an array of objects of it."""
    return isinstance(value, (list, tuple)) and any(v is None for v in value)


def _plain(value: Any) -> Any:
    if type(value) is TextArray:
        return value._texts.tolist()
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value_of(value)


def _count(plain: Any, longest: list[int]) -> int | None:
    """The number of texts and numbers in lists, or None where there is something else; the longest is noted."""
    if isinstance(plain, str):
        longest[0] = max(longest[0], len(plain))
        return 1
    if isinstance(plain, (bool, int, float)):
        # As wide as NumPy makes the text of any number.
        longest[0] = max(longest[0], 32)
        return 1
    if not isinstance(plain, list):
        return None
    counts = [_count(part, longest) for part in plain]
    return None if None in counts else sum(filter(None, counts))


def spent(elements: int, itemsize: int, make: Callable[[], Any]) -> Any:
    """Make an array, or compute with some, once that is charged for."""
    n = elements * (1 + itemsize // _ELEMENT)
    caps.spend(n, n)
    return make()


def given(found: Any) -> Any:
    """A result of NumPy's, as a program may hold it."""
    if isinstance(found, np.str_):
        return caps.library("_texts")["str_"](str(found))
    if isinstance(found, tuple):
        return tuple([given(part) for part in found])
    return TextArray(found) if isinstance(found, np.ndarray) and found.dtype.kind == "U" else found


def _index(texts: np.ndarray[Any, Any], index: Any) -> Any:
    """An index by ints and slices, or by one list or array of places or truth values."""
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, (int, slice, type(None), type(...), np.integer)):
            break
    else:
        return index
    from ..stdlib.small_numpy.arguments import array_of

    if isinstance(index, tuple):
        raise SpecError("arrays of texts are indexed by one array at a time in the spec language", code="E205")
    places = array_of(index)
    # NumPy says itself what it cannot index with.
    return spent(places.size * (texts.size // max(len(texts), 1) if texts.ndim else 1), texts.itemsize, lambda: places)


def array_of_texts(value: Any) -> TextArray:
    """An array of texts of a value, or the refusal of one that holds anything else."""
    return TextArray(_taken(value))


def _taken(value: Any) -> np.ndarray[Any, Any]:
    found = texts_of(value)
    if found is None:
        raise SpecError(f"arrays of texts hold no {word(value)} in the spec language", help="make it a text by str()")
    return found


def _compared(compare: np.ufunc, array: TextArray, other: Any) -> Any:
    texts = texts_of(other)
    if texts is None:
        if compare in (np.equal, np.not_equal):
            return np.full(array._texts.shape, compare is np.not_equal)[()]
        return NotImplemented
    size = int(np.prod(np.broadcast_shapes(array._texts.shape, texts.shape)))
    return spent(size, max(array._texts.itemsize, texts.itemsize), lambda: compare(array._texts, texts))


def _reshaped(self: TextArray, *shape: Any) -> TextArray:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return TextArray(self._texts.reshape(tuple([whole(n) for n in sizes])))


def _of_array(name: str) -> Callable[[TextArray], Any]:
    own = getattr(np.ndarray, name)

    def method(self: TextArray) -> Any:
        return spent(self._texts.size, self._texts.itemsize, lambda: given(own(self._texts)))

    return method


def _of_array_field(get: Callable[[Any], Any]) -> Callable[[TextArray], Any]:
    return lambda self: get(self._texts)


def _listed(self: TextArray) -> Any:
    caps.tick(self._texts.size)
    return self._texts.tolist()


known_as(TextArray, "ndarray", "numpy")
show_as(TextArray, np.ndarray)
sealed(np.ndarray).kin = (TextArray,)
declare(
    TextArray,
    base=object,
    methods={
        **{name: _of_array(name) for name in ("copy", "flatten", "item", "ravel", "squeeze", "transpose")},
        "astype": TextArray.as_type, "reshape": _reshaped, "tolist": _listed,
    },
    fields={
        **{name: _of_array_field(get) for name, get in attributes("itemsize nbytes ndim shape size").items()},
        "T": lambda self: TextArray(self._texts.T),
        "dtype": lambda self: ElementType(self._texts.dtype),
    },
)  # fmt: skip

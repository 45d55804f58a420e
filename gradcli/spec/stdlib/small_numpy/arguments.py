"""The arguments of the small NumPy: arrays and numbers, of whatever a program may hold that is one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ....engine.tensor import Tensor
from ....errors import SpecError
from ...guard.size_limits import caps, collected, fits, narrow, weigh, whole
from ...values.classes.sealed_classes import Numberless
from ...values.element_types import element_type
from ...values.standing import value_of
from ...values.user_definitions import ARRAYING, WRAPPING, hook_of
from ...values.visible_types import word
from ..iteration import Lazy, iterate

Table = dict[str, Any]
Function = Callable[..., Any]

# Elementary operations for each of the n ** 3 of a decomposition.
STEPS = 20

_NUMBERS = (bool, int, float, complex, np.generic)


def room(n: int, each: int = 1) -> None:
    """Refuse an array of too many elements, and charge for one that fits."""
    caps.spend(n, n * each)


def size_of(value: Any, each: int = 1) -> tuple[int, ...]:
    """A shape, or the number of elements of a vector, once there is room for these."""
    sizes = (whole(value),) if not isinstance(value, (list, tuple)) else tuple([whole(n) for n in value])
    room(math.prod(max(n, 0) for n in sizes), each)
    return sizes


def split_at(a: Any, indices_or_sections: Any) -> Any:
    """Where an array is to be split, or into how many parts, once there is room for these."""
    parts = indices_or_sections if isinstance(indices_or_sections, int) else list(array_of(indices_or_sections))
    count = parts if isinstance(parts, int) else len(parts)
    fits(count, "list")
    room(a.size + count, 4)
    return parts


def array_of(value: Any) -> Any:
    """An array of numbers, of whatever a program may hold that is one."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, (Lazy, range)):
        value = collected(iterate(value))
    weigh(value)
    plain = _plain(value)
    if isinstance(plain, np.ndarray):
        return plain
    room(_elements(plain))
    return np.array(plain)


def _elements(plain: Any) -> int:
    return sum(map(_elements, plain)) if isinstance(plain, list) else int(np.size(plain))


def _plain(value: Any) -> Any:
    """Numbers and lists of them, in which tensors have become arrays."""
    if isinstance(value, _NUMBERS):
        return narrow(value)
    if isinstance(value, (np.ndarray, Tensor)):
        return array_of(value)
    if isinstance(value, (list, tuple, deque)):
        caps.tick(len(value))
        return [_plain(v) for v in value]
    if isinstance(value, Numberless):
        raise SpecError("this takes no array of texts in the spec language", help="tolist() makes a list of it")
    if (plain := value_of(value)) is not value:
        return _plain(plain)
    if (make := hook_of(value, ARRAYING)) is not None:
        return array_of(caps.guarded(make)(value))
    raise SpecError(f"arrays hold numbers in the spec language, and this is a {word(value)}", help="use a list")


def wrapped_as(given: Any, made: Any) -> Any:
    """The array that a function made, as the first of its arguments that has a say in it wants it."""
    for value in given:
        if (wrap := hook_of(value, WRAPPING)) is not None:
            return caps.guarded(wrap)(value, made)
    return made


def optional(value: Any) -> Any:
    """An argument that may be left out: lists and tensors as arrays, numbers as they are."""
    return None if value is None else number_or_array(value)


def number_or_array(value: Any) -> Any:
    """An argument that is computed with: of None, NumPy would make an array of objects."""
    return narrow(value) if isinstance(value, (*_NUMBERS, np.ndarray)) else array_of(value)


def order_of(value: Any) -> Any:
    """In which order the elements of an array are read, as NumPy's letters say it."""
    if type(value) is not str:
        raise TypeError(f"order must be str, not {type(value).__name__}")
    return value


def choice_of(value: Any) -> Any:
    """An argument that says how: a number, or a tuple of numbers such as axes."""
    if isinstance(value, tuple):
        return tuple([whole(n) for n in value])
    return optional(value)


def axes_of(value: Any) -> Any:
    """An axis, or several, or several for each of two arrays."""
    return tuple([axes_of(v) for v in value]) if isinstance(value, (list, tuple)) else whole(value)


def choices_of(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name that say how."""
    readers = {"dtype": element_type, "kind": kind_of_sort, "method": way_of_quantile, "where": chosen_of}
    return {name: readers.get(name, choice_of)(v) for name, v in given.items()}


def chosen_of(where: Any) -> Any:
    """Which elements are meant: a list of numbers says it, too, of which an array must hold truths."""
    return np.array(array_of(where), bool) if isinstance(where, (list, tuple)) else number_or_array(where)


def kind_of_sort(kind: Any) -> Any:
    """The name of a way to sort."""
    if kind is None or (type(kind) is str and kind in ("quicksort", "mergesort", "heapsort", "stable")):
        return kind
    raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


def way_of_quantile(method: Any) -> str:
    """The name of a way to find quantiles; NumPy itself says which there are."""
    if type(method) is not str:
        raise TypeError(f"unhashable type: '{word(method)}'" if isinstance(method, list) else "method must be a str")
    return method


def number(value: Any) -> Any:
    """A number: arrays and tensors of one element are taken for one."""
    if isinstance(value, (Tensor, np.ndarray)):
        value = value.item()
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"this is to be a number, not '{word(value)}'")
    return narrow(value)


def of_one(name: str) -> Function:
    """A function that makes nothing larger than its arguments are."""
    function = getattr(np, name)
    # Where, behind the array, the way to sort may stand.
    kind = 1 if name in ("sort", "argsort") else None

    def call(*args: Any, **kwargs: Any) -> Any:
        first = array_of(args[0] if args else ())
        others = [kind_of_sort(a) if at == kind else choice_of(a) for at, a in enumerate(args[1:])]
        room(max([np.size(a) for a in (first, *others)]))
        return function(first, *others, **choices_of(kwargs))

    return call

"""Check the operands beside a NumPy array: only numbers and lists of numbers may stand there.

Of anything else NumPy makes arrays of objects, whose methods it calls from C; a program never gets to hold one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ..values.user_definitions import UserType
from ..values.visible_types import word
from .size_limits import ARRAYS, weigh

NUMPY = (np.ndarray, np.generic)
_NUMBERS = frozenset((int, float, bool))
_LISTS = (list, tuple, range)


def beside(array: Any, other: Any) -> Any:
    """The other operand of an operator on an array: a list as an array, and what is no number as what NumPy refuses."""
    if type(other) in _NUMBERS or isinstance(other, ARRAYS):
        return other
    if isinstance(array, Tensor):
        # It says itself what it takes.
        weigh(other)
        return other
    if isinstance(other, _LISTS):
        return as_array(other)
    # An object of the program's may have the operator, which Python calls then.
    return other if isinstance(type(other), UserType) else _stranger(word(other))


def as_array(value: Any) -> Any:
    """An array of numbers, of a list that holds nothing else."""
    from ..stdlib.numpy_arguments import array_of

    return array_of(value)


@cache
def _stranger(name: str) -> Any:
    """Make an operand of a type that NumPy knows no operator with, named as Python's message should name it."""

    def refuse(self: Any, array: Any) -> Any:
        # Python would try to join it to the array next, and say so.
        raise TypeError(f"unsupported operand type(s) for +: '{word(array)}' and '{name}'")

    return type(name, (), {"__array_ufunc__": None, "__slots__": (), "__radd__": refuse})()


def compared_with_array(compare: Callable[[Any, Any], Any], charge: Callable[[Any, Any], None], a: Any, b: Any) -> Any:
    """A comparison of which one side is an array of NumPy's."""
    array, other = (a, b) if isinstance(a, NUMPY) else (b, a)
    known = beside(array, other)
    if known is not other and not isinstance(known, ARRAYS) and compare in (operator.eq, operator.ne):
        # No number is equal to what is none.
        return np.full(array.shape, compare is operator.ne)[()]
    a, b = (array, known) if array is a else (known, array)
    if isinstance(known, ARRAYS):
        charge(a, b)
    return compare(a, b)


def assigned(value: Any) -> Any:
    """Check a value before it is stored into a NumPy array: it must be a number or an array of numbers."""
    return value if type(value) in _NUMBERS or isinstance(value, ARRAYS) else as_array(value)


def check_index(part: Any) -> None:
    """Refuse in an index what NumPy would make an array of objects of, or walk through."""
    if isinstance(part, (list, tuple)):
        as_array(part)
    elif not isinstance(part, (int, slice, type(None), type(...), *ARRAYS)):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            "valid indices"
        )

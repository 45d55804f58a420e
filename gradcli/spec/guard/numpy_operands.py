"""Check the operands beside a NumPy array: only numbers and lists of numbers may stand there.

Of anything else NumPy makes arrays of objects, whose methods it calls from C; a program never gets to hold one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...engine.tensor import Tensor, result
from ..values.user_definitions import UserType
from ..values.visible_types import word
from .size_limits import ARRAYS, narrow, weigh

NUMPY = (np.ndarray, np.generic)
_NUMBERS = frozenset((int, float, bool, complex))
_LISTS = (list, tuple, range)


def beside(array: Any, other: Any) -> Any:
    """The other operand of an operator on an array: a list as an array, and what is no number as what NumPy refuses."""
    if type(other) is int:
        return narrow(other)
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


def between(operate: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """An operator between an array and a tensor, where either stands: PyTorch leaves most of that to NumPy."""
    written = operate.__name__ in _PLAIN
    name = _PLAIN.get(operate.__name__, operate).__name__
    if isinstance(a, np.generic) and name != "matmul":
        # PyTorch takes it for a number of Python's.
        return operate(int(a) if a.dtype == bool else a.item(), b)
    if not isinstance(a if isinstance(b, Tensor) else b, np.ndarray) or name not in _SIGNS:
        return operate(a, b)
    if isinstance(a, np.ndarray):
        if name == "add":
            raise TypeError(
                "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do "
                "not rely on this error; it may not be given on all Python implementations."
            )
        if name in ("mul", "and_", "or_", "xor") or (written and name != "truediv"):
            sign = f"{_SIGNS[name]}=" if written else _SIGNS[name]
            raise TypeError(f"unsupported operand type(s) for {sign}: 'numpy.ndarray' and 'Tensor'")
        if name != "truediv":
            return operate(a, b)
        a, b, operate = b.reciprocal(), a, operator.mul
    elif written:
        # Nothing is written to: the name is bound anew.
        operate = _PLAIN[operate.__name__]
    with np.errstate(all="ignore"):
        return as_tensor(operate(a.numpy(), b))


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "pow": "**", "mod": "%", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^",
}  # fmt: skip
# By the name of the form ``x op= y`` of each, the operator itself.
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "iadd": operator.add, "isub": operator.sub, "imul": operator.mul, "itruediv": operator.truediv,
    "ifloordiv": operator.floordiv, "ipow": operator.pow, "imod": operator.mod, "imatmul": operator.matmul,
    "iand": operator.and_, "ior": operator.or_, "ixor": operator.xor,
}  # fmt: skip


def as_tensor(found: Any) -> Any:
    """The result of NumPy on tensors, as PyTorch takes it: truth values are small numbers there."""
    if not isinstance(found, (np.ndarray, np.generic)):
        return found
    a = np.asarray(found)
    return result(np.ascontiguousarray(a, np.uint8 if a.dtype == bool else a.dtype).reshape(a.shape))


def as_array(value: Any) -> Any:
    """An array of numbers, of a list that holds nothing else."""
    from ..stdlib.small_numpy.arguments import array_of

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
    if isinstance(other, Tensor) and isinstance(array, np.ndarray) and compare is not operator.eq:
        if compare is operator.ne:
            return True
        names = ("Tensor", "numpy.ndarray") if other is a else ("numpy.ndarray", "Tensor")
        sign = _ORDERS[compare.__name__]
        raise TypeError(f"'{sign}' not supported between instances of '{names[0]}' and '{names[1]}'")
    known = beside(array, other)
    if known is not other and not isinstance(known, ARRAYS) and compare in (operator.eq, operator.ne):
        # No number is equal to what is none.
        return np.full(array.shape, compare is operator.ne)[()]
    a, b = (array, known) if array is a else (known, array)
    if isinstance(known, ARRAYS):
        charge(a, b)
    return compare(a, b)


_ORDERS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def assigned(value: Any, array: Any) -> Any:
    """Check a value before it is stored into a NumPy array: it must be a number or an array of numbers."""
    if value is None or (isinstance(value, list) and any(v is None for v in value)):
        return [_missing(v, array) for v in value] if isinstance(value, list) else _missing(None, array)
    return narrow(value) if type(value) in _NUMBERS or isinstance(value, ARRAYS) else as_array(value)


def _missing(value: Any, array: Any) -> Any:
    """The number that stands for nothing in an array."""
    if value is not None:
        return as_array(value)
    if array.dtype.kind in "iu":
        words = "a string, a bytes-like object or a real number"
        raise TypeError(f"int() argument must be {words}, not 'NoneType'")
    return False if array.dtype.kind == "b" else complex(math.nan, math.nan) if array.dtype.kind == "c" else math.nan


def check_index(part: Any) -> None:
    """Refuse in an index what NumPy would make an array of objects of, or walk through."""
    if isinstance(part, (list, tuple, range)):
        as_array(part)
    elif isinstance(part, int):
        narrow(part)
    elif not isinstance(part, (slice, type(None), type(...), *ARRAYS)):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            "valid indices"
        )

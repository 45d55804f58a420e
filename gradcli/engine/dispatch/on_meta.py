"""Functions of tensors on `meta`: they give shapes and element types, and a graph.

Calls know nothing of it: the first tensor on `meta` has users' functions dressed (see overriding.py). What fails for
want of numbers is called again with numbers that are made up, which its results lose again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import EngineError, EngineNotImplementedError, Unsupported, raised_by_program
from ..declaration import BY_NUMBERS
from ..numeric.meta import Meta, put
from ..random.generator import default
from ..tensor import Tensor, View, result

# With more, it would take long to compute what only shapes are asked of.
_MOST = 1 << 24


def called(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function that is given tensors without numbers."""
    here = default.here()
    try:
        found = function(*args, **kwargs)
    except EngineNotImplementedError:
        # It says itself that there are no numbers to be had.
        raise
    except raised_by_program() as refusal:
        # It was not made for arrays without numbers: what else it refuses, it refuses again.
        return _by_stand_ins(name, function, args, kwargs, refusal)
    finally:
        default.go(here)
    return found if "device" in kwargs else _emptied(found, {})


def _by_stand_ins(name: str, function: Callable[..., Any], args: Any, kwargs: Any, refusal: Exception) -> Any:
    tensors = list(tensors_in((args, kwargs)))
    if name in BY_NUMBERS or (name == "__getitem__" and _are_chosen(args[1:])):
        raise refusal
    if sum(math.prod(x._a.shape) for x in tensors) > _MOST:
        raise Unsupported(
            f"tensors on device 'meta' of more than {_MOST} numbers in one call are not supported",
            help="shapes are inferred by computing with numbers that are made up: make the tensors smaller",
        ) from refusal
    _refuse_other_places(tensors, refusal)
    numbers: dict[int, Tensor] = {id(x): _stand_in(x) for x in tensors if type(x._a) is Meta}
    found = function(*_with(args, numbers), **_with(kwargs, numbers))
    if not _is_of_tensors(found):
        # A number, or a decision, is a matter of numbers.
        raise refusal
    return _emptied(found, {id(numbers[id(x)]): x for x in tensors if id(x) in numbers})


def among(values: Any) -> bool:
    """Tell whether there are tensors without numbers among some values."""
    return any(type(x._a) is Meta for x in tensors_in(values))


def _are_chosen(index: Any) -> bool:
    """Tell whether elements are asked for where a tensor without numbers is true."""
    return any(type(x._a) is Meta and x._a.dtype.kind == "b" for x in tensors_in(index))


def tensors_in(values: Any) -> Iterator[Tensor]:
    """The tensors among some values, and in lists, tuples and dicts among those."""
    for x in values.values() if isinstance(values, dict) else values:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, (tuple, list, dict)):
            yield from tensors_in(x)


def _refuse_other_places(tensors: list[Tensor], refusal: Exception) -> None:
    """Refuse a tensor with numbers beside those without, but for one number or places."""
    first = "meta" if type(tensors[0]._a) is Meta else "cpu"
    for x in tensors[1:]:
        device = "meta" if type(x._a) is Meta else "cpu"
        if device != first and x._a.ndim and x._a.dtype.kind in "fc" and tensors[0]._a.ndim:
            if isinstance(refusal, EngineError):
                # It knew better.
                raise refusal
            raise EngineError(f"Tensor on device {device} is not on the expected device {first}!")


def _stand_in(x: Tensor) -> Tensor:
    """A tensor with numbers that stands where one without them stands in the graph: each matrix is the identity."""
    a = np.zeros(x._a.shape, x._a.dtype)
    if a.ndim > 1 and a.dtype.kind in "fc":
        i = np.arange(min(a.shape[-2:]))
        a[..., i, i] = 1
    t = result(a)
    t._node = x._node
    return t


def _with(values: Any, numbers: dict[int, Tensor]) -> Any:
    """Arguments with others in the place of tensors without numbers."""
    if isinstance(values, dict):
        return {name: _with(x, numbers) for name, x in values.items()}
    if isinstance(values, (tuple, list)):
        parts = [_with(x, numbers) for x in values]
        return parts if type(values) is list else getattr(type(values), "_make", tuple)(parts)
    return numbers.get(id(values), values)


def _is_of_tensors(found: Any) -> bool:
    several = isinstance(found, (tuple, list))
    return all(_is_of_tensors(x) for x in found) if several else isinstance(found, Tensor)


def _emptied(found: Any, given: dict[int, Tensor]) -> Any:
    """Results without their numbers; what was written to is the tensor that was given."""
    if not isinstance(found, (tuple, list, Tensor)):
        return found
    if isinstance(found, (tuple, list)):
        parts = [_emptied(x, given) for x in found]
        return parts if type(found) is list else getattr(type(found), "_make", tuple)(parts)
    t = given.get(id(found))
    if t is None:
        if type(found._a) is Meta:
            return found
        t = result(put(found._a))
    elif isinstance(t, View):
        return t
    t._node = found._node
    return t

"""NumPy's functions that take arrays of texts as they take arrays of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import caps
from ...values.element_types import holds_objects, holds_texts
from ...values.text_arrays import TextArray, begins_with_text, given, holds_none, spent, texts_of
from .arguments import array_of, choices_of, number_or_array

Function = Callable[..., Any]

_MAKING = "array asanyarray asarray"
_OF_ONE = "argsort copy expand_dims flip ndim ravel shape size sort squeeze transpose unique"
_OF_TWO = "array_equal intersect1d isin setdiff1d union1d"
_OF_LISTS = "concatenate hstack stack vstack"


def _made(name: str) -> Function:
    def make(object: Any, dtype: Any = None) -> Any:
        if holds_objects(dtype) or (dtype is None and holds_none(object)):
            return caps.library("_objects")["made"](object)
        texts = texts_of(object)
        if texts is None:
            raise SpecError("arrays hold texts alone or numbers alone in the spec language", help="use a list")
        found = TextArray(texts if name != "array" else texts.copy())
        return found if dtype is None or holds_texts(dtype) else found.as_type(dtype)

    return make


def _of_arrays(name: str, many: int) -> Function:
    """A function that makes nothing larger than so many arrays are together."""
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        texts = [_only_texts(name, a) for a in args[:many]]
        return _called(function, texts, texts, args[many:], kwargs)

    return call


def _of_lists(name: str) -> Function:
    function = getattr(np, name)

    def call(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        texts = [_only_texts(name, a) for a in arrays]
        return _called(function, texts, [texts], args, kwargs)

    return call


def _called(function: Function, texts: list[Any], first: list[Any], args: Any, kwargs: dict[str, Any]) -> Any:
    rest = [choices_of({"": a})[""] for a in args]
    return spent(
        sum(a.size for a in texts), max(a.itemsize for a in texts),
        lambda: given(function(*first, *rest, **choices_of(kwargs))),
    )  # fmt: skip


def _only_texts(name: str, value: Any) -> Any:
    texts = texts_of(value)
    if texts is None:
        raise SpecError(f"numpy.{name}() takes texts alone or numbers alone in the spec language")
    return texts


def _where(condition: Any, x: Any, y: Any) -> Any:
    chosen, texts = array_of(condition), [_only_texts("where", v) for v in (x, y)]
    shape = np.broadcast_shapes(chosen.shape, *[a.shape for a in texts])
    return spent(int(np.prod(shape)), max(a.itemsize for a in texts), lambda: given(np.where(chosen, *texts)))


def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    texts, times = _only_texts("repeat", a), number_or_array(repeats)
    n = int(np.max(times, initial=0)) * texts.size
    return spent(n, texts.itemsize, lambda: given(np.repeat(texts, times, **choices_of({"axis": axis}))))


def taking_texts(name: str, function: Function) -> Function:
    """A function of NumPy's that takes arrays of texts as well, if it is one that does."""
    own = _OWN.get(name)
    if own is None:
        return function
    # Where arrays stand among its arguments: a text behind them names something else.
    places = slice(1, 3) if own is _where else slice(2 if name in _OF_TWO.split() else 1)

    def call(*args: Any, **kwargs: Any) -> Any:
        return (own if any(map(begins_with_text, args[places])) else function)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


_OWN: dict[str, Function] = {
    **{name: _made(name) for name in _MAKING.split()},
    **{name: _of_arrays(name, 1) for name in _OF_ONE.split()},
    **{name: _of_arrays(name, 2) for name in _OF_TWO.split()},
    **{name: _of_lists(name) for name in _OF_LISTS.split()},
    "where": _where, "repeat": _repeat,
}  # fmt: skip

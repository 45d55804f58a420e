"""Batches: samples put together into tensors that have them along a new first axis."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...engine import dtypes
from ...engine.ops.make.from_data import as_tensor
from ...engine.ops.shape.joining import stack_tensors as stack
from ...engine.tensor import Tensor, tensor
from ...errors import EngineError, EngineTypeError


def default_collate(batch: Any) -> Any:
    """The samples as one: of tensors a stack, of numbers a tensor, of containers one whose parts are put together."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Any, *, collate_fn_map: Mapping[Any, Callable[..., Any]] | None = None) -> Any:
    """The samples as one, by functions for their types; containers become one whose parts are put together."""
    first = batch[0]
    known = collate_fn_map or {}
    function = known.get(type(first)) or next((known[kind] for kind in known if isinstance(first, kind)), None)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)

    def together(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _filled(first, {key: together([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(together, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise EngineError("each element in list of batch should be of equal size")
        return _of_kind(first, [together(parts) for parts in zip(*batch, strict=True)])
    raise _unknown(type(first))


def _tensors(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return stack(batch, 0)


def _arrays(batch: Any, *, collate_fn_map: Any = None) -> Any:
    if batch[0].dtype.kind in "SUOa":
        raise _unknown(batch[0].dtype)
    return stack([as_tensor(a) for a in batch], 0)


def _numbers_of_numpy(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return as_tensor(batch)


def _floats(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return tensor(batch, dtype=dtypes.float64)


def _ints(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return tensor(batch)


def _as_they_are(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return batch


# A type, or several, and what makes one of its samples: programs may add their own.
default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: _tensors,
    np.ndarray: _arrays,
    (np.bool_, np.number, np.object_): _numbers_of_numpy,
    float: _floats,
    int: _ints,
    str: _as_they_are,
    bytes: _as_they_are,
}
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """A sample in which what NumPy holds is tensors."""
    if isinstance(data, (np.ndarray, np.bool_, np.number)):
        return data if data.dtype.kind in "SUOa" else as_tensor(data)
    if isinstance(data, Mapping):
        return _filled(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _of_kind(data, [default_convert(part) for part in data])
    return data


def _unknown(found: Any) -> Exception:
    return EngineTypeError(default_collate_err_msg_format.replace("{}", str(found)))


def _filled(like: Any, items: dict[Any, Any]) -> Any:
    """A mapping of the kind of another, which may hold more than its items; a dict where it cannot be filled."""
    try:
        if not isinstance(like, MutableMapping):
            return type(like)(items)
        made = copy.copy(like)
        made.update(items)
    except TypeError:
        return items
    return made


def _of_kind(like: Any, parts: list[Any]) -> Any:
    """A sequence of the kind of another; of a tuple, or of what cannot be filled, a list."""
    if not isinstance(like, MutableSequence):
        return parts
    try:
        made = copy.copy(like)
        for i, each in enumerate(parts):
            made[i] = each
    except TypeError:
        return parts
    return made

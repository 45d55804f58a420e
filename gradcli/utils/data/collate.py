"""Batches: samples put together into tensors that have them along a new first axis."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...engine import dtypes
from ...engine.ops.make.from_data import as_tensor
from ...engine.ops.shape.joining import stack
from ...engine.tensor import Tensor, tensor
from ...errors import EngineError, EngineTypeError


def default_collate(batch: Any) -> Any:
    """The samples as one: of tensors a stack, of numbers a tensor, of containers one whose parts are put together."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUOa":
            raise _unknown(first.dtype)
        return stack([as_tensor(a) for a in batch], 0)
    if isinstance(first, (np.bool_, np.number)):
        return as_tensor(batch)
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _filled(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise EngineError("each element in list of batch should be of equal size")
        return _of_kind(first, [default_collate(parts) for parts in zip(*batch, strict=True)])
    raise _unknown(type(first))


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
    return EngineTypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {found}"
    )


def _filled(like: Any, items: dict[Any, Any]) -> Any:
    """A mapping of the kind of another, which may hold more than its items."""
    if not isinstance(like, MutableMapping):
        return type(like)(items)
    made = copy.copy(like)
    made.update(items)
    return made


def _of_kind(like: Any, parts: list[Any]) -> Any:
    """A sequence of the kind of another; of a tuple a list."""
    if not isinstance(like, MutableSequence):
        return parts
    made = copy.copy(like)
    made[:] = parts
    return made

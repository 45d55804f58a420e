"""The steps that a dispatch mode is told of in the place of a function which PyTorch's dispatcher does not know."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .modes import casting
from .offers import find_for_python
from .ops.aten_names import Aten
from .tensor import Tensor


def told_by_steps(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of a call, made of calls that modes are told of; NotImplemented where they are told of it itself."""
    steps = _STEPS.get(name)
    return NotImplemented if steps is None or casting() is not None else steps(*args, **kwargs)


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if not all(isinstance(x, Tensor) for x in (input, weight)) or weight.ndim != 2 or not input.ndim:
        return NotImplemented
    if bias is None:
        return input.matmul(weight.t())
    addmm = find_for_python("torch", "addmm")
    if input.ndim == 2:
        return addmm(bias, input, weight.t())
    if not isinstance(bias, Tensor) or bias.ndim != 1 or not input.is_contiguous():
        return NotImplemented
    size = input.shape
    found = addmm(bias, input.view(math.prod(size[:-1]), size[-1]), weight.t())
    return found.view(*size[:-1], found.shape[1])


def _divides(self: Tensor, other: Any) -> Any:
    return self.reciprocal().mul(other)


def _part(self: Tensor, key: Any) -> Any:
    """A part by numbers, slices and new axes, one step for each."""
    keys = key if isinstance(key, tuple) else (key,)
    taken = sum(type(k) in (int, slice) for k in keys)
    if not all(map(_is_plain, keys)) or keys.count(...) > 1 or taken > self.ndim:
        return NotImplemented
    found, dim = self, 0
    for k in keys:
        if k is ...:
            dim += self.ndim - taken
        elif k is None:
            found, dim = found.unsqueeze(dim), dim + 1
        elif type(k) is int:
            if not -found.shape[dim] <= k < found.shape[dim]:
                return NotImplemented
            found = found.select(dim, k)
        else:
            # Of several keys those that take all of an axis are no step.
            if keys is not key or k.indices(found.shape[dim]) != (0, found.shape[dim], 1):
                found = Aten().slice(found, dim, k.start, k.stop, 1 if k.step is None else k.step)
            dim += 1
    return Aten().alias(self) if found is self else found


def _is_plain(key: Any) -> bool:
    """Tell whether it takes a part of which the strides are known without a look at numbers."""
    if type(key) is slice:
        ends = all(end is None or type(end) is int for end in (key.start, key.stop))
        return ends and (key.step is None or (type(key.step) is int and key.step > 0))
    return key is None or key is ... or type(key) is int


_STEPS: dict[str, Callable[..., Any]] = {
    "linear": _linear, "__rtruediv__": _divides, "__rdiv__": _divides, "__getitem__": _part,
}  # fmt: skip

"""The steps that a dispatch mode is told of in the place of a function which PyTorch's dispatcher does not know."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..modes import casting
from ..offers import find_for_python
from ..ops.aten_names import Aten
from ..tensor import Tensor, result

# Functions that the dispatcher takes apart before modes see them: they are told of the ops that these call.
MADE_OF_OPS = frozenset(
    "einsum matmul __matmul__ cross_entropy one_hot outer tensordot inner reshape contiguous bilinear "
    "multi_head_attention_forward instance_norm cosine_embedding_loss margin_ranking_loss triplet_margin_loss "
    "vstack hstack dstack column_stack cdist nll_loss multi_dot chain_matmul".split()
)


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


def _convolves(n: int) -> Callable[..., Any]:
    def steps(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Any:
        return _convolved(n, input, weight, bias, stride, padding, dilation, False, 0, groups)

    return steps


def _transposes(n: int) -> Callable[..., Any]:
    def steps(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, dilation: Any = 1,
    ) -> Any:  # fmt: skip
        return _convolved(n, input, weight, bias, stride, padding, dilation, True, output_padding, groups)

    return steps


def _convolved(
    n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    if not all(isinstance(x, Tensor) and x.ndim == n + 2 for x in (input, weight)) or isinstance(padding, str):
        return NotImplemented
    stride, padding, dilation, more = (_spread(v, n) for v in (stride, padding, dilation, output_padding))
    convolution = find_for_python("torch", "convolution")
    return convolution(input, weight, bias, stride, padding, dilation, transposed, more, groups)


def _layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any
) -> Any:
    if not isinstance(normalized_shape, (list, tuple)):
        return NotImplemented
    return find_for_python("torch", "native_layer_norm")(input, tuple(normalized_shape), weight, bias, eps)[0]


def _max_pool(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    given = [_spread(v, 2) for v in (kernel_size, stride or (), padding, dilation)] + [ceil_mode]
    usual = [None, [], [0, 0], [1, 1], False]
    while given[-1] == usual[len(given) - 1]:
        given.pop()
    found = find_for_python("F", "max_pool2d_with_indices")(input, *given)
    return found if return_indices else found[0]


def _spread(value: Any, n: int) -> list[Any]:
    return [value] * n if isinstance(value, int) else list(value)


def _dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if not isinstance(input, Tensor) or inplace or not 0 < p < 1:
        return NotImplemented
    if not training:
        return input
    kept = find_for_python("torch", "empty_like")(input).bernoulli_(1 - p)
    return input.mul(kept.div_(1 - p))


def _converts(name: str) -> Callable[..., Any]:
    """A conversion, which is no op where there is nothing to convert."""

    def steps(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        from .below_autograd import is_of_class
        from .overriding import no_dispatch_modes

        alone = is_of_class(self)
        given = result(np.zeros(0, self._a.dtype)) if alone else self
        with no_dispatch_modes():
            found = getattr(given, name)(*args, **kwargs)
        if found is given:
            return self
        as_told = name == "to" and not args and kwargs.keys() == {"dtype"}
        return self.to(dtype=found.dtype) if alone and not as_told else NotImplemented

    return steps


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


def _set_part(self: Tensor, key: Any, value: Any) -> Any:
    """A part that is written: it is taken, and filled or copied to."""
    if not isinstance(value, (bool, int, float, Tensor)):
        return NotImplemented
    if not isinstance(value, Tensor):
        Aten().lift_fresh(result(np.asarray(value, self._a.dtype)))
    part = _part(self, key)
    if part is not NotImplemented:
        part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)
        return None
    return part


def _is_plain(key: Any) -> bool:
    """Tell whether it takes a part of which the strides are known without a look at numbers."""
    if type(key) is slice:
        ends = all(end is None or type(end) is int for end in (key.start, key.stop))
        return ends and (key.step is None or (type(key.step) is int and key.step > 0))
    return key is None or key is ... or type(key) is int


_STEPS: dict[str, Callable[..., Any]] = {
    "conv1d": _convolves(1), "conv2d": _convolves(2), "conv3d": _convolves(3), "conv_transpose1d": _transposes(1),
    "conv_transpose2d": _transposes(2), "conv_transpose3d": _transposes(3), "layer_norm": _layer_norm,
    "dropout": _dropout,
    **{name: _converts(name) for name in "to double float half bfloat16 long int short bool type type_as".split()},
    "max_pool2d": _max_pool, "linear": _linear, "__rtruediv__": _divides, "__rdiv__": _divides, "__getitem__": _part,
    "__setitem__": _set_part,
}  # fmt: skip

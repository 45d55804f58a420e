"""torch.vmap: a function of one sample as a function of a batch of them, called for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import EngineError, EngineValueError
from ..dtypes import zeros_of
from ..guard.outside import guarded, named_after
from ..modes import mode
from ..random.generator import default
from ..registry import public
from ..tensor import Tensor, result
from .trees import leaves, mapped

Function = Callable[..., Any]


@public("torch")
def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """A function of batches: ``func`` called for each of their samples, what it gives stacked."""
    if randomness not in ("error", "different", "same"):
        raise EngineError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise EngineValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    name = _name_of(func)

    call = guarded(func)

    def batched(*args: Any, **kwargs: Any) -> Any:
        where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple, list)):
            raise EngineValueError(
                f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                f"inputs, got: {type(in_dims)}."
            )
        if not args:
            raise EngineValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
                "over a function with no inputs. The latter is unsupported."
            )
        dims = _spread(in_dims, args, where)
        size = _size_of(args, dims, where)
        before = default.get_state()
        found = []
        mode.samples += 1
        try:
            # Of no samples one is made up: what it comes to has the shape of the others.
            for i in range(max(size, 1)):
                if randomness == "same":
                    default.set_state(before)
                found.append(call(*_sample(args, iter(dims), i if size else None), **kwargs))
                if randomness == "error" and i == 0 and not np.array_equal(default.get_state()._a, before._a):
                    raise EngineError(
                        "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                        "'different' randomness flags on vmap or perform the randomness operation out of vmap"
                    )
        finally:
            mode.samples -= 1
        return _stacked(found, out_dims, f"{name}, ..., out_dims={out_dims}", size)

    return named_after(func, batched)


def _name_of(func: Any) -> str:
    return str(getattr(func, "__name__", None) or type(func).__name__)


def _spread(dims: Any, tree: Any, where: str) -> list[int | None]:
    """For each thing in a tree, the axis along which it holds samples, None for what all samples share."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(list(leaves(tree)))
    kind = (list, tuple) if isinstance(dims, (list, tuple)) else dict
    if not isinstance(tree, kind) or len(tree) != len(dims):
        raise EngineValueError(f"{where}: in_dims is not compatible with the structure of `inputs`.")
    pairs = zip(dims, tree, strict=True) if kind is not dict else ((dims[k], tree[k]) for k in tree)
    return [d for part, of in pairs for d in _spread(part, of, where)]


def _size_of(args: Any, dims: list[int | None], where: str) -> int:
    """The number of samples."""
    sizes = []
    for x, d in zip(leaves(args), dims, strict=True):
        if d is None:
            continue
        if not isinstance(x, Tensor):
            raise EngineValueError(
                f"{where}: Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= d < x.ndim:
            raise EngineValueError(
                f"{where}: Got in_dim={d} for some input, but that input is a Tensor of dimensionality {x.ndim} so "
                f"expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
        sizes.append(x.shape[d])
    if not sizes:
        raise EngineValueError(f"{where}: there is no input to take samples of")
    if len(set(sizes)) > 1:
        raise EngineValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return int(sizes[0])


def _sample(args: Any, dims: Any, i: int | None) -> Any:
    """The arguments of one sample, or of one of zeros."""

    def of(x: Any) -> Any:
        d = next(dims)
        if d is None:
            return x
        if i is None:
            shape = [n for k, n in enumerate(x._a.shape) if k != d % x._a.ndim]
            return result(zeros_of(shape, x._a.dtype))
        return x.select(d, i)

    return mapped(of, args)


def _each(dims: Any) -> Iterator[int | None]:
    """The axes in a tree of them, None among them."""
    if isinstance(dims, dict):
        dims = tuple(dims.values())
    if isinstance(dims, (list, tuple)):
        for x in dims:
            yield from _each(x)
    else:
        yield dims


def _stacked(found: list[Any], out_dims: Any, call: str, size: int) -> Any:
    """The values of all samples as one."""
    from ..ops.shape.joining import stack

    rows = [list(leaves(y)) for y in found]
    name, *_ = call.split(",")
    flat = list(_each(out_dims)) if isinstance(out_dims, (list, tuple, dict)) else [out_dims] * len(rows[0])
    if len(flat) != len(rows[0]):
        raise EngineValueError(
            f"vmap({call})(<inputs>): out_dims is not compatible with the structure of `outputs`."
        )
    columns = []
    for parts, d in zip(zip(*rows, strict=True), flat, strict=True):
        if not isinstance(parts[0], Tensor):
            raise EngineValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(parts[0])}. Did you mean to "
                "set out_dims= to None for output?"
            )
        if d is None:
            # What all samples share.
            columns.append(parts[0])
        elif size:
            columns.append(stack(list(parts), d))
        else:
            columns.append(stack(list(parts), d).narrow(d, 0, 0))
    rest = iter(columns)
    return mapped(lambda _: next(rest), found[0])

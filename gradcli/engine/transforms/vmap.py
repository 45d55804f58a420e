"""torch.vmap: a function of one sample as a function of a batch: called for each, or done again for all at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import EngineError, EngineIndexError, EngineValueError
from ..dtypes import zeros_of
from ..guard.outside import guarded, named_after
from ..modes import unfollowed
from ..random.generator import default
from ..registry import public
from ..tensor import Tensor, constants, result
from .at_once import FEWEST
from .in_step import InStep
from .pytree import (
    broadcast_to_and_flatten,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)  # fmt: skip
from .samples import Samples, Watch

Function = Callable[..., Any]


@public("torch")
def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """A function of batches: ``func`` called for each of their samples, what it gives stacked."""
    check_how(randomness, chunk_size)
    name = _name_of(func)
    call = guarded(func)

    def batched(*args: Any, **kwargs: Any) -> Any:
        dims = _dims(args, in_dims, f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)", name)
        size = _size_of(args, dims)
        _check_out_dims(out_dims, name)
        if chunk_size is not None:
            return in_chunks(args, dims, size, chunk_size, kwargs)
        return at_once(args, dims, size, kwargs)

    def in_chunks(args: Any, dims: list[int | None], size: int, most: int, kwargs: dict[str, Any]) -> Any:
        drawn = default.get_state()
        found = []
        for start in range(0, size, most):
            if randomness == "same":
                default.set_state(drawn)
            count = min(most, size - start)
            found.append(at_once(_chunk(args, dims, start, count), dims, count, kwargs))
        return _joined(found, out_dims, name)

    def at_once(args: Any, dims: list[int | None], size: int, kwargs: dict[str, Any]) -> Any:
        before = default.get_state()
        mapped_over = [x for x, d in zip(tree_leaves(args), dims, strict=True) if d is not None]
        with Samples(func, mapped_over, size, randomness) as samples:

            def one(i: int) -> Any:
                if randomness == "same":
                    default.set_state(before)
                sample = _sample(args, dims, i if size else None)
                parts = zip(tree_leaves(sample), tree_leaves(args), dims, strict=True)
                samples.given = [(x, batch, d % batch.ndim) for x, batch, d in parts if d is not None and size]
                if i == 0:
                    step.given = samples.given
                else:
                    samples.back()
                if i in watched:
                    return _watched(samples.watched(), call, args, sample, dims, kwargs)
                return call(*sample, **kwargs)

            # Of no samples one is made up: what it comes to has the shape of the others.
            count = max(size, 1)
            watched = {0}
            samples.in_step = step = InStep(samples, one, count, randomness)
            first = step.first(lambda: one(0))
            seen = samples.left()
            draws = not np.array_equal(default.get_state()._a, before._a)
            whole, rest = None, {}
            if not draws and not step.begun and samples.may_be_one(tree_leaves(first)):
                whole = samples.by_the_first(tree_leaves(first))
                if whole is None and count >= FEWEST:
                    samples.now = count - 1
                    watched.add(count - 1)
                    rest[count - 1] = last = step.rest(count - 1)
                    whole = samples.of_batch(tree_leaves(first), tree_leaves(last))
            if whole is None:
                for i in range(1, count - len(rest)):
                    samples.now = i
                    rest[i] = step.rest(i)
            found = [first, *[rest[i] for i in sorted(rest)]]
            depend = [samples.depends(x) for x in tree_leaves(first)]
            escaped = samples.escaped(seen)
        together = _put_together(found, whole, depend, out_dims, name, size)
        for t in escaped:
            t._lose()
        return together

    return named_after(func, batched)


def _watched(
    watch: Watch, call: Function, args: Any, sample: Any, dims: list[int | None], kwargs: dict[str, Any]
) -> Any:
    """The value of the function of a sample that is watched."""
    with watch:
        for batch, x, d in zip(tree_leaves(args), tree_leaves(sample), dims, strict=True):
            if d is not None:
                watch.add(x, np.moveaxis(batch._a, d, 0))
            elif isinstance(x, Tensor):
                watch.common[id(x._held())] = x._held()
        return call(*sample, **kwargs)


def check_how(randomness: str, chunk_size: int | None) -> None:
    """Refuse a way to take samples that there is not."""
    if randomness not in ("error", "different", "same"):
        raise EngineError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise EngineValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")


def _name_of(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_name_of(func.func)}, ...)"
    return str(getattr(func, "__name__", None) or repr(func))


def _dims(args: tuple[Any, ...], in_dims: Any, where: str, name: str) -> list[int | None]:
    """For each thing among the arguments, the axis along which it holds samples, None for what all samples share."""
    if not isinstance(in_dims, (int, tuple)):
        raise EngineValueError(
            f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise EngineValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    flat, spec = tree_flatten(args)
    dims = broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise EngineValueError(
            f"{where}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_structure(in_dims)} but inputs has structure {spec}."
        )
    for x, d in zip(flat, dims, strict=True):
        if d is None:
            continue
        if not isinstance(d, int):
            raise EngineValueError(
                f"{where}: Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
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
    return dims


def _size_of(args: Any, dims: list[int | None]) -> int:
    """The number of samples."""
    sizes = [x.shape[d] for x, d in zip(tree_leaves(args), dims, strict=True) if d is not None]
    if not sizes:
        raise EngineValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise EngineValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return int(sizes[0])


def _check_out_dims(out_dims: Any, name: str) -> None:
    if not all(d is None or isinstance(d, int) for d in tree_leaves(out_dims)):
        raise EngineValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )


def _sample(args: Any, dims: list[int | None], i: int | None) -> Any:
    """The arguments of one sample, or of one of zeros."""
    rest = iter(dims)

    def of(x: Any) -> Any:
        d = next(rest)
        if d is None:
            return x
        if i is None:
            shape = [n for k, n in enumerate(x._a.shape) if k != d % x._a.ndim]
            return constants(zeros_of(shape, x._a.dtype))
        return x.select(d, i)

    return tree_map(of, args)


def _chunk(args: Any, dims: list[int | None], start: int, count: int) -> Any:
    """The arguments with so many of their samples."""
    rest = iter(dims)

    def of(x: Any) -> Any:
        d = next(rest)
        return x if d is None else x.narrow(d, start, count)

    return tree_map(of, args)


def _joined(found: list[Any], out_dims: Any, name: str) -> Any:
    """The values of all samples, of those of chunks of them."""
    from ..ops.shape.joining import cat_tensors

    axes = _out_dims(out_dims, found[0], name)
    columns = zip(*map(tree_leaves, found), strict=True)
    joined = [cat_tensors(list(parts), d) for parts, d in zip(columns, axes, strict=True)]
    return tree_unflatten(joined, tree_structure(found[0]))


def _out_dims(out_dims: Any, first: Any, name: str) -> list[int | None]:
    """For each thing among the outputs, the axis of its samples."""
    spec = tree_structure(first)
    if isinstance(first, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    flat = broadcast_to_and_flatten(out_dims, spec)
    if flat is None:
        raise EngineValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree_structure(out_dims)} but outputs has structure {spec}."
        )
    return flat


def _put_together(
    found: list[Any], whole: list[Any] | None, depend: list[bool], out_dims: Any, name: str, size: int
) -> Any:
    """The values of all samples as one: of those that were found, or, where it is known, of the whole batch."""
    columns: list[Any] = []
    rows = [tree_leaves(y) for y in found]
    axes = _out_dims(out_dims, found[0], name)
    for k, (d, *parts) in enumerate(zip(axes, *rows, strict=True)):
        x = parts[0]
        if d is None:
            differs = any(not np.array_equal(x._a, y._a) for y in parts[1:]) if isinstance(x, Tensor) else False
            if differs or depend[k]:
                raise EngineValueError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
                )
            # What all samples share.
            columns.append(x)
            continue
        if not isinstance(x, Tensor):
            raise EngineValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. Did you mean to "
                "set out_dims= to None for output?"
            )
        rank = x.ndim + 1
        if not -rank <= d < rank:
            raise EngineIndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {d})"
            )
        made = _stacked(parts, size) if whole is None else _of_batch(x, whole[k], size)
        columns.append(made.movedim(0, d) if d % rank else made)
    return tree_unflatten(columns, tree_structure(found[0]))


def _stacked(parts: list[Tensor], size: int) -> Any:
    """The values of all samples as one tensor."""
    from ..ops.shape.joining import stack

    made: Any = stack(parts, 0)
    return made if size else made.narrow(0, 0, 0)


def _of_batch(x: Tensor, batch: Any, size: int) -> Any:
    """The tensor of what was computed of the whole batch, in memory of its own, or of what all samples share."""
    if batch is None:
        return x.expand(size, *x.shape)
    return unfollowed(result(np.array(batch)))

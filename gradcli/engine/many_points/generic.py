"""Forms that suit many ops: how an op is called for many points at once.

A form is given the op, its arguments (lists taken apart), which of them have the points as their first axis, and how
many points there are. It returns the outputs with that axis, or None where it does not suit the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import F64, Array
from ..numeric.kernels.sums import along as along_rows
from ..registry import OPS, Op

Form = Callable[[Op, list[Any], list[bool], int], Sequence[Any] | None]

_ARRAYS = np.ndarray, np.generic
_C128 = np.dtype("complex128")
_BOTH = {F64, _C128}


def is_array(x: Any) -> bool:
    """True of an argument that is a tensor's numbers."""
    return isinstance(x, _ARRAYS)


def outputs(made: Any) -> Sequence[Any]:
    """The results of an op, as several."""
    return made if isinstance(made, (tuple, list)) else (made,)


def at_all(x: Any, given: bool, count: int) -> Array:
    """An array with the axis of points."""
    return x if given else np.broadcast_to(x, (count, *np.shape(x)))


# -- element by element ----------------------------------------------------------------------------


def aligned(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Operands are broadcast: those of fewer axes get axes of length 1 behind that of the points."""
    if given[0] and args[0].dtype.kind in "fc":
        # As most are.
        x = args[0]
        if len(args) == 1:
            return outputs(op.forward(x))
        if len(args) == 2:
            y = args[1]
            if given[1]:
                if x.dtype is y.dtype and x.ndim == y.ndim:
                    return outputs(op.forward(x, y))
            elif type(y) is float or type(y) is int:
                is_operand = op.kind == "elementwise" and op.parameters[1] in op.rules
                return outputs(op.forward(x, x.dtype.type(y) if is_operand else y))
    arrays, numbers, most, d = [], [], 0, None
    for i, x in enumerate(args):
        if type(x) is np.ndarray or isinstance(x, np.generic):
            arrays.append(i)
            ndim = x.ndim - given[i]
            if ndim > most:
                most = ndim
            kind = x.dtype
            if kind is not d and kind.kind in "fc" and (d is None or kind != d):
                if d is not None and {d, kind} != _BOTH:
                    return None
                d = kind if d is None else _C128
        elif type(x) is float or type(x) is int:
            numbers.append(i)
    if d is None:
        return None
    for i in arrays:
        x = args[i]
        if d is _C128 and x.dtype is F64:
            x = args[i] = x.astype(_C128)
        if given[i] and x.ndim <= most:
            args[i] = x.reshape(count, *[1] * (most + 1 - x.ndim), *x.shape[1:])
    if numbers and op.kind == "elementwise":
        for i in numbers:
            if op.parameters[i] in op.rules:
                args[i] = d.type(args[i])
    return outputs(op.forward(*args))


def filled(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Element by element, in the shape of the first operand."""
    args[0], given[0] = at_all(args[0], given[0], count), True
    return aligned(op, args, given, count)


# -- along axes ------------------------------------------------------------------------------------

_AXES = frozenset({"dim", "dims", "dim0", "dim1", "dim2", "dimension"})
OPERANDS = frozenset({"indices", "index", "drawn", "mask"})


def _from_end(dim: Any, ndim: int) -> Any:
    """Axes counted from the end; all of them for none."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(-ndim, 0))
    if isinstance(dim, (tuple, list)):
        return tuple([d if d < 0 else d - ndim for d in dim])
    return dim if dim < 0 else dim - ndim


def _stacked(op: Op, args: list[Any], given: list[bool], count: int, also: frozenset[str]) -> int:
    """Give every operand the axis of points; how many axes the first one has beside it."""
    for i, name in enumerate(op.parameters):
        if (name in op.rules or name in also) and is_array(args[i]):
            args[i] = at_all(args[i], given[i], count)
    return args[0].ndim - 1  # type: ignore[no-any-return]


def along(grow: int = 0, also: frozenset[str] = frozenset()) -> Form:
    """Axes are counted from the end; ``grow``: how many more the result has; ``also``: further operands."""

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        ndim = _stacked(op, args, given, count, also)
        if not ndim and not grow:
            return None
        for i, name in enumerate(op.parameters):
            if name in _AXES:
                args[i] = _from_end(args[i], ndim + grow)
        return outputs(op.forward(*args))

    return form


def stacked(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The op has leading axes of its own, for stacks of what it is made for."""
    _stacked(op, args, given, count, OPERANDS)
    return outputs(op.forward(*args))


def rows(name: str, *rest: Any) -> Form:
    """A reduction of all elements, as another op, by its name, along the one axis that they make."""

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        x = args[0].reshape(count, -1)
        return outputs(OPS[name].forward(x, *rest, *args[1:]))[:1]

    return form


def summed(name: str, mean: bool) -> Form:
    """All elements added up, in the order in which those of one point are; where they cannot be, by another op."""
    other = rows(name, (-1,), False)

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        x = args[0].reshape(count, -1)
        if x.dtype.kind not in "fc" or not x.size or any(a is not None for a in args[1:]):
            return other(op, args, given, count)
        found = along_rows(x)
        return (found / x.shape[1] if mean else found,)

    return form


def folded(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The points are further rows of the first axis."""
    for i, name in enumerate(op.parameters):
        if not is_array(args[i]):
            continue
        if name in ("weight", "bias"):
            if given[i]:
                return None
        elif name in op.rules or name in OPERANDS:
            x = at_all(args[i], given[i], count)
            if x.ndim < 2:
                return None
            args[i] = x.reshape(-1, *x.shape[2:])
    return [x.reshape(count, -1, *x.shape[1:]) for x in outputs(op.forward(*args))]


def sized(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Sizes have the number of points in front."""
    for i, name in enumerate(op.parameters):
        if name in _AXES:
            args[i] = _from_end(args[i], len(args[1]))
    args[0], args[1] = at_all(args[0], given[0], count), (count, *args[1])
    return outputs(op.forward(*args))


def shifted(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Axes are counted from the front, and are one more."""
    ndim = args[0].ndim - 1
    dims = [i for i, name in enumerate(op.parameters) if name in _AXES]
    for i in dims:
        dim = args[i]
        args[i] = tuple([d % ndim + 1 for d in dim]) if isinstance(dim, (tuple, list)) else dim % ndim + 1
    return outputs(op.forward(*args))


def rolled(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Moved along axes, or, for want of axes, along the one that all elements make."""
    x, shifts, dims = args
    if dims:
        return shifted(op, args, given, count)
    return [y.reshape(x.shape) for y in outputs(op.forward(x.reshape(count, -1), shifts, (1,)))]


def trailing(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The points are the last axis, where the op leaves further axes alone."""
    values = [i for i, name in enumerate(op.parameters) if name in op.rules and name not in op.lists]
    # Lists are taken apart: what follows them is counted from the end.
    places = [0] if len(values) == 1 else [0, len(args) - len(op.parameters) + values[1]]
    if any(g and i not in places for i, g in enumerate(given)):
        return None
    for i in places:
        args[i] = np.moveaxis(at_all(args[i], given[i], count), 0, -1)
    if op.lists:
        end = len(args) - (len(op.parameters) - 2)
        args = [args[0], args[1:end], *args[end:]]
    return [np.moveaxis(x, -1, 0) for x in outputs(op.forward(*args))]


def masked(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """One number written where a mask of all elements says so; else as `trailing`, of indices that do not differ."""
    if len(args) != 4 or not is_array(args[1]):
        return trailing(op, args, given, count)
    x, mask, value, accumulate = args
    is_mask = mask.dtype.kind == "b" and mask.shape[given[1] :] == x.shape[given[0] :]
    if not is_mask or accumulate or value.ndim != given[2] or not {x.dtype, value.dtype} <= _BOTH:
        return trailing(op, args, given, count)
    x, mask = at_all(x, given[0], count), at_all(mask, given[1], count)
    return (np.where(mask, value.reshape(-1, *[1] * (x.ndim - 1)) if given[2] else value, x),)


# -- other shapes ----------------------------------------------------------------------------------


def shaped(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The same elements in another shape."""
    x = args[0]
    if not x.size:
        return None
    return (x.reshape(count, *args[1]),)


def expanded(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Repeated along axes."""
    x, size = args[0], tuple(args[1])
    have = (1,) * (len(size) - x.ndim + 1) + x.shape[1:]
    wanted = [n if s < 0 else s for s, n in zip(size, have, strict=True)]
    return (np.broadcast_to(x.reshape(count, *have), (count, *wanted)),)


def repeated(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Copies side by side."""
    x, repeats = args[0], args[1]
    return (np.tile(x.reshape(count, *[1] * (len(repeats) - x.ndim + 1), *x.shape[1:]), (1, *repeats)),)


def permuted(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Axes in another order."""
    x, ndim = args[0], args[0].ndim - 1
    return (x.transpose(0, *[d % ndim + 1 for d in args[1]]),)


def flipped(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Elements in reverse order along axes."""
    x, ndim = args[0], args[0].ndim - 1
    if not ndim:
        # The axes of one number may be named all the same.
        return (x,)
    return (np.flip(x, tuple([d % ndim + 1 for d in args[1]])),)


def turned(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The transpose of a matrix."""
    x = args[0]
    return (x.swapaxes(1, 2) if x.ndim == 3 else x,)


def squeezed(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Without axes of length 1: all, or some."""
    sizes = args[0].shape[1:]
    dims = range(len(sizes)) if len(args) == 1 else [args[1]] if isinstance(args[1], int) else args[1]
    away = {d % max(len(sizes), 1) for d in dims}
    return (args[0].reshape(count, *[n for i, n in enumerate(sizes) if n != 1 or i not in away]),)


def same(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The first operand itself."""
    return (args[0],)


def joined(grow: int) -> Form:
    """Lists of tensors put together along an axis."""

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        *parts, dim = args
        ndim = max(np.ndim(x) - g for x, g in zip(parts, given, strict=False))
        if any(np.ndim(x) - g != ndim for x, g in zip(parts, given, strict=False)):
            return None
        spread = [at_all(x, g, count) for x, g in zip(parts, given, strict=False)]
        return outputs(op.forward(spread, _from_end(dim, ndim + grow)))

    return form

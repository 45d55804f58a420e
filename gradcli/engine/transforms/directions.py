"""The common part of transforms in forward mode: a level, dual numbers in it, and what is read off their tangents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import EngineError, EngineValueError
from .. import ops
from ..dtypes import zeros_of
from ..forward import duals as forward
from ..forward.duals import Level, Tangents
from ..forward.levels import refuse_nesting
from ..modes import mode
from ..tensor import Tensor, constants, made_like, result


class level:
    """A level of dual numbers for the length of a transform."""

    def __init__(self, directions: int, recorded: bool = False) -> None:
        self._directions, self._recorded = directions, recorded

    def __enter__(self) -> Level:
        refuse_nesting()
        self._level = forward.enter(self._directions, self._recorded)
        return self._level

    def __exit__(self, *_: object) -> None:
        forward.leave(self._level)


def refuse_whole(what: str, tensors: Sequence[Tensor]) -> None:
    """Refuse numbers that do not move."""
    for t in tensors:
        if t._a.dtype.kind not in "fc":
            raise EngineValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")


def dual(x: Tensor, here: Level, tangents: Tangents) -> Tensor:
    """A tensor in the same memory with tangents; it is no leaf: a function may write to it."""
    refuse_whole("primal", (x,))
    refuse_whole("tangent", tangents)
    stand_in = forward.hand_on(x, result(x._shared_memory()))
    stand_in._label = x._label
    stand_in._vc = x._counter()
    if x.requires_grad:
        stand_in._node = ops.views.alias(x)._node
    forward.give(stand_in, here, tangents)
    return stand_in


def leaf_of(x: Tensor, stand_in: Tensor) -> Tensor:
    """A leaf in the place of a tensor, to differentiate by; whoever notes leaves is told of it."""
    leaf: Tensor = stand_in._track(True)
    tape = mode.tape
    if tape is not None and tape.makes_leaf is not None:
        tape.makes_leaf(leaf, x)
    return leaf


def slope_of(t: Tensor, here: Level, strict: bool) -> Tensor:
    """The tangent of what a function returned, zeros where it has none."""
    tangents = forward.tangents_of(t, here)
    if tangents is not None:
        return tangents[0]
    if strict:
        raise EngineError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return made_like(t, zeros_of(t._a.shape, t._a.dtype))


def bases(by: Sequence[Tensor], count: int) -> Iterator[Tangents]:
    """For each tensor its tangents in all directions: one for each element of all of them."""
    before = 0
    for x in by:
        yield tuple([constants(_unit(x, k - before)) for k in range(count)])
        before += x.numel()


def _unit(x: Tensor, k: int) -> Any:
    """Zeros like a tensor, but for a 1 at its element number ``k``, if it has such a one."""
    a = zeros_of(x._a.shape, x._a.dtype)
    if 0 <= k < a.size:
        a[np.unravel_index(k, a.shape)] = 1
    return a


def columns(y: Tensor, tangents: Tangents | None, by: Sequence[Tensor]) -> Iterator[Tensor]:
    """The derivatives of ``y`` by each tensor, of its tangents in all directions."""
    before = 0
    for x in by:
        shape = (*y._a.shape, *x._a.shape)
        here = range(before, before + x.numel())
        before += x.numel()
        if not tangents or not here:
            yield made_like(y, zeros_of(shape, y._a.dtype))
            continue
        stacked: Any = ops.joining.stack([tangents[k] for k in here], 0)
        yield (stacked.movedim(0, -1) if stacked.ndim > 1 else stacked).reshape(shape)

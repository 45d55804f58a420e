"""Tensor.dim_order: the axes of a tensor by the steps they take through memory."""

from __future__ import annotations

import itertools
from typing import Any

from ...errors import EngineError, EngineTypeError
from .places import MemoryFormat, channels_last, channels_last_3d

_NO_ONE_FORMAT = "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."


def dim_order(t: Any, ambiguity_check: Any) -> tuple[int, ...]:
    """The axes from that with the largest step to that with the smallest; of several such orders the first."""
    formats = [] if isinstance(ambiguity_check, bool) else ambiguity_check
    if not isinstance(formats, list) or not all(isinstance(x, MemoryFormat) for x in formats):
        raise EngineTypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = t.shape, t.stride()
    several = 1 in shape or any(a == b for a, b in itertools.pairwise(strides))
    if ambiguity_check is not False and several and sum(t.is_contiguous(memory_format=x) for x in formats) != 1:
        raise EngineError(_NO_ONE_FORMAT)
    images = {4: channels_last, 5: channels_last_3d}.get(t.dim())
    last = images is not None and t.is_contiguous(memory_format=images)
    if t.is_contiguous():
        order: tuple[int, ...] = tuple(range(t.dim()))
        ambiguous = last
    elif last:
        order, ambiguous = (0, *range(2, t.dim()), 1), False
    else:
        order, ambiguous = _by_steps(shape, strides)
    if ambiguity_check is not False and ambiguous:
        raise EngineError("The tensor does not have unique dim order.")
    return order


def _by_steps(shape: Any, strides: Any) -> tuple[tuple[int, ...], bool]:
    """The axes in order, and whether two of them could as well change places; one without steps stays where it is."""
    axes = list(reversed(range(len(shape))))
    ambiguous = False
    for i in range(1, len(axes)):
        at = i
        for before in reversed(range(i)):
            a, b = axes[before], axes[at]
            if 0 in (strides[a], strides[b]) or (strides[a] == strides[b] and shape[a] <= shape[b]):
                ambiguous = True
            elif strides[a] >= strides[b]:
                axes[before], axes[at] = b, a
                at = before
            else:
                break
    return tuple(reversed(axes)), ambiguous

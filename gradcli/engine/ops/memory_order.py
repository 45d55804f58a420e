"""Images and volumes with their channels last in memory."""

from __future__ import annotations

from ..dtypes import Array
from ..memory.layout import in_order

# By the number of axes: those of images and volumes from the slowest in memory to the fastest, channels last.
CHANNELS_LAST = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}


def is_channels_last(a: Array) -> bool:
    """Tell whether the strides of images or volumes say that their channels come last in memory."""
    if a.ndim not in CHANNELS_LAST or a.flags.c_contiguous:
        return False
    least = 0
    for axis in reversed(CHANNELS_LAST[a.ndim]):
        if a.shape[axis] == 0 or a.strides[axis] < least or (axis == 0 and least == a.strides[1]):
            return False
        least = a.strides[axis] * a.shape[axis]
    return bool(a.strides[1] != 0)


def laid_as(x: Array, r: Array) -> Array:
    """``r`` with its channels last in memory, if those of ``x`` are."""
    if x.flags.c_contiguous or not is_channels_last(x):
        return r
    return in_order(r, CHANNELS_LAST[x.ndim])

"""The order of a result's axes in memory, as PyTorch chooses it."""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor import Array


def memory_order(strides: Sequence[Sequence[int]], size: tuple[int, ...]) -> list[int]:
    """The axes of a result from the slowest in memory to the fastest, by the strides of what it is made of.

    The first operand that tells two axes apart decides; a stride of 0 tells nothing.
    """
    fastest = list(range(len(size) - 1, -1, -1))
    for i in range(1, len(fastest)):
        mine = i
        for j in range(i - 1, -1, -1):
            verdict = _compared(strides, size, fastest[j], fastest[mine])
            if verdict > 0:
                fastest[j], fastest[mine] = fastest[mine], fastest[j]
                mine = j
            elif verdict < 0:
                break
    return fastest[::-1]


def _compared(strides: Sequence[Sequence[int]], size: tuple[int, ...], inner: int, outer: int) -> int:
    """1 when two axes should change places in memory, -1 when they are in order, 0 when nothing tells."""
    for s in strides:
        if s[inner] and s[outer]:
            if s[inner] != s[outer]:
                return 1 if s[inner] > s[outer] else -1
            if size[inner] > size[outer]:
                return 1
    return 0


def in_order(r: Array, order: list[int]) -> Array:
    """``r`` with its axes in memory from the slowest to the fastest."""
    if r.transpose(order).flags.c_contiguous:
        return r
    # NumPy's own function would make ordinary arrays of bfloat16.
    return r.transpose(order).copy().transpose(sorted(range(r.ndim), key=order.__getitem__))


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

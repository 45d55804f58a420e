"""Tensors that have a shape, an element type and no numbers: those of device `meta`, and what escaped from a vmap."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn, Self

from numpy.lib.mixins import NDArrayOperatorsMixin

from ...errors import EngineError, EngineNotImplementedError, GradcliError, Unsupported

NO_DATA = "Cannot copy out of meta tensor; no data!"


class _Flags:
    c_contiguous = True
    writeable = True


class Meta(NDArrayOperatorsMixin):
    """An array without numbers: a shape and an element type, and a refusal of all that needs more."""

    __slots__ = ("dtype", "shape")
    flags = _Flags()
    base = None
    # Whether there was one, and who is told of the first.
    known: ClassVar[bool] = False
    first: ClassVar[Callable[[], None]]

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        if type(self) is Meta and not Meta.known:
            Meta.known = True
            Meta.first()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements that there would be."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes that one element would take."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """The bytes that all elements would take."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps, in bytes, between elements in row-major order."""
        steps, step = [], self.itemsize
        for n in reversed(self.shape):
            steps.append(step)
            step *= max(n, 1)
        return tuple(reversed(steps))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Self:
        """The same in another element type."""
        return type(self)(self.shape, dtype)

    def transpose(self, axes: Sequence[int]) -> Self:
        """The same with its axes in another order."""
        return type(self)(tuple(self.shape[i] for i in axes), self.dtype)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """The same with two axes exchanged."""
        axes = list(range(self.ndim))
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
        return self.transpose(axes)

    def item(self) -> NoReturn:
        """Refused: there is no number."""
        raise EngineError("Tensor.item() cannot be called on meta tensors")

    def tolist(self) -> NoReturn:
        """Refused: there are no numbers."""
        raise EngineNotImplementedError(NO_DATA)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self.refusal()

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self.refusal()

    def __array_function__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self.refusal()

    def __getattr__(self, name: str) -> Any:
        if name == "places" or name.startswith("__"):
            raise AttributeError(name)
        raise self.refusal()

    def __getitem__(self, index: Any) -> NoReturn:
        raise self.refusal()

    def __len__(self) -> int:
        return self.shape[0]

    def __float__(self) -> NoReturn:
        raise self.refusal()

    def __complex__(self) -> NoReturn:
        raise self.refusal()

    def refusal(self) -> GradcliError:
        """The error of what needs numbers."""
        return Unsupported(
            "computing with tensors on device 'meta', which have no numbers, is not supported",
            help="make the tensors on the CPU, or move a module there with to_empty(device='cpu')",
        )


class Escaped(Meta):
    """A sample that was kept beyond the vmap it belongs to, whose numbers are those of no sample."""

    __slots__ = ()

    def item(self) -> NoReturn:
        """Refused: it would be that of one sample."""
        raise self.refusal()

    def tolist(self) -> NoReturn:
        """Refused: they would be those of one sample."""
        raise self.refusal()

    def astype(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused, as all that PyTorch computes."""
        raise self.refusal()

    def refusal(self) -> GradcliError:
        """The error of what is asked of no sample."""
        return EngineError(
            "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
            "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
            "`gen_vmap_plumbing` Please file an issue if it looks like the latter"
        )


def put(a: Any) -> Meta:
    """An array without its numbers."""
    return Meta(a.shape, a.dtype)


class OnMeta:
    """The wishes for a new tensor on device `meta`: it may require a gradient."""

    def __init__(self, requires_grad: bool) -> None:
        self.requires_grad = requires_grad

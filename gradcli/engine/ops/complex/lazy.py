"""Views that PyTorch does not write down: the conjugate of a memory, and its negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineError
from ...complex_twins import twin
from ...memory.ways import way_to
from ...modes import mode
from ...registry import primitive, public
from ...tensor import Array, Tensor, View, _new, result
from ..shape.strides import strided


class LazyView(View):
    """A view of a memory through a function: each time it is read, it is what the memory holds by now."""

    _under: Array
    _conjugates: bool
    _negates: bool

    @property
    def _a(self) -> Array:
        a = self._under
        if self._conjugates:
            a = np.conjugate(a)
        a = np.asarray(np.negative(a) if self._negates else a)
        if 1 in a.shape or not a.size:
            # NumPy forgets the strides of axes along which there is no step.
            under = self._under.strides
            own = [u if n <= 1 or not a.size else s for n, u, s in zip(a.shape, under, a.strides, strict=True)]
            a = strided(a, a.shape, tuple(own))
        a.flags.writeable = False
        return a

    @_a.setter
    def _a(self, value: Array) -> None:
        self._under = value
        self._conjugates = self._negates = False

    def _memory(self) -> np.ndarray[Any, Any]:
        """The memory that it is read from."""
        return np.asarray(self._under)

    def stride(self, dim: int | None = None) -> Any:
        """The step between neighbours along each axis, in elements of the memory."""
        return result(self._under).stride(dim)

    def write(self, value: Array) -> None:
        """Write to the memory what is then read from it as these values."""
        a = np.conjugate(value) if self._conjugates else value
        self._under[...] = np.negative(a) if self._negates else a

    def _set_array(self, a: Array) -> None:
        """Lie elsewhere in the memory, and be read as before."""
        self._under = a
        self._way = self._way.to(a, self._base._memory())

    def _leads_to(self, view: View, part: Array, op: Any, args: tuple[Any, ...]) -> None:
        self._read_as_this(view, op.forward(self._under, *args))

    def _leads_to_several(self, views: list[Any], parts: list[Array], op: Any, args: tuple[Any, ...]) -> None:
        for view, under in zip(views, op.forward(self._under, *args), strict=True):
            self._read_as_this(view, under)

    def _read_as_this(self, view: Any, under: Array) -> None:
        view._way = self._way.to(under, self._base._memory())
        lazily(view, under, self._conjugates, self._negates)

    def detach(self) -> Tensor:
        """The same memory, outside the graph."""
        alias: Any = self._again()
        alias._base._vc = self._counter()
        alias._made = alias._base._vc.n
        if mode.tape is not None:
            mode.tape.cut(alias, self, "detach")
        return alias  # type: ignore[no-any-return]

    def _again(self) -> Tensor:
        """A tensor that reads the same memory as this one does, and counts its own writes."""
        alias: Any = _new(LazyView)
        alias._base = result(self._base._memory())
        alias._way = self._way
        lazily(alias, self._under, self._conjugates, self._negates)
        return alias  # type: ignore[no-any-return]

    def _held(self) -> Array:
        """The memory: what is read from it is an array anew each time."""
        return self._under

    def _shared_memory(self) -> Array:
        """The values, written down: another tensor does not become one that reads lazily."""
        return np.array(self._a)

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """Refused, as PyTorch refuses it: the numbers are in no memory."""
        if force:
            return np.array(self._a)
        word, call = ("conjugate", "conj") if self._conjugates else ("negative", "neg")
        raise EngineError(
            f"Can't call numpy() on Tensor that has {word} bit set. Use tensor.resolve_{call}().numpy() instead."
        )


# What messages call it.
LazyView.__name__ = LazyView.__qualname__ = Tensor.__name__
LazyView.__module__ = Tensor.__module__


def lazily(view: Any, under: Array, conjugates: bool, negates: bool) -> Any:
    """A view, to be read from ``under``."""
    if not conjugates and not negates:
        view.__class__ = View
        view._a = under
        return view
    view.__class__ = LazyView
    view.__dict__.pop("_a", None)
    view._under, view._conjugates, view._negates = under, conjugates, negates
    return view


@twin
@primitive(view=True, node="ConjBackward0", self=lambda g: conjugate(g), form="stacked")
def conj_view(self: Array) -> Array:
    """The conjugate."""
    return np.conjugate(self)


@twin
@primitive(view=True, node="NegViewBackward0", self=lambda g: -g, form="stacked")
def neg_view(self: Array) -> Array:
    """The negative, of no memory of its own."""
    return np.negative(self)


def conjugate(x: Any) -> Any:
    """The conjugate: a tensor itself where it is real."""
    if not isinstance(x, Tensor):
        return x.conjugate() if isinstance(x, complex) else x
    if x._a.dtype.kind != "c":
        return x
    view = conj_view(x)
    view._way = way_to(x).through(conjugate)
    if not isinstance(x, LazyView):
        return lazily(view, x._memory(), True, False)
    return lazily(view, x._under, not x._conjugates, x._negates)


@public("torch._neg_view Tensor._neg_view")
def negated(x: Any) -> Any:
    """The negative, as a view."""
    view: Any = neg_view(x)
    view._way = way_to(x).through(negated)
    if not isinstance(x, LazyView):
        return lazily(view, x._memory(), False, True)
    return lazily(view, x._under, x._conjugates, not x._negates)

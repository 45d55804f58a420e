"""Views that PyTorch does not write down: the conjugate of a memory, and its negative."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ....errors import EngineError, Unsupported
from ...complex_twins import twin
from ...modes import mode
from ...registry import primitive
from ...tensor import Array, Tensor, View, _new, result


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
        a.flags.writeable = False
        return a

    @_a.setter
    def _a(self, value: Array) -> None:
        self._under = value
        self._conjugates = self._negates = False

    def detach(self) -> Tensor:
        """The same memory, outside the graph."""
        alias: Any = _new(LazyView)
        alias._base = result(self._base._memory())
        alias._base._vc = self._counter()
        alias._made = alias._base._vc.n
        if mode.tape is not None:
            mode.tape.cut(alias, self, "detach")
        return lazily(alias, self._under, self._conjugates, self._negates)  # type: ignore[no-any-return]

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
        view._a = under
        return view
    view.__class__ = LazyView
    view.__dict__.pop("_a", None)
    view._under, view._conjugates, view._negates = under, conjugates, negates
    return view


def follow(op: Any, call: Any) -> Any:
    """The call of a view op, whose result is read as its argument is."""

    def viewed(input: Any, *args: Any, **kwargs: Any) -> Any:
        made = call(input, *args, **kwargs)
        if not isinstance(input, LazyView):
            return made
        parts = op.forward(input._under, *args, **kwargs)
        if not isinstance(made, tuple):
            return lazily(made, parts, input._conjugates, input._negates)
        return tuple([
            lazily(v, part, input._conjugates, input._negates) for v, part in zip(made, parts, strict=True)
        ])  # fmt: skip

    viewed.__name__, viewed.__doc__, viewed.op = call.__name__, call.__doc__, op  # type: ignore[attr-defined]
    return viewed


@twin
@primitive(view=True, node="ConjBackward0", self=lambda g: conjugate(g))
def conj_view(self: Array) -> Array:
    """The conjugate."""
    return np.conjugate(self)


@twin
@primitive(view=True, node="NegViewBackward0", self=lambda g: -g)
def neg_view(self: Array) -> Array:
    """The negative, of no memory of its own."""
    return np.negative(self)


def conjugate(x: Any) -> Any:
    """The conjugate: a tensor itself where it is real."""
    if not isinstance(x, Tensor):
        return x.conjugate() if isinstance(x, complex) else x
    if x._a.dtype.kind != "c":
        return x
    if not isinstance(x, LazyView):
        return lazily(conj_view(x), x._memory(), True, False)
    return lazily(conj_view(x), x._under, not x._conjugates, x._negates)


def negated(x: Tensor) -> Any:
    """The negative, as a view."""
    if not isinstance(x, LazyView):
        return lazily(neg_view(x), x._memory(), False, True)
    return lazily(neg_view(x), x._under, x._conjugates, not x._negates)


def refuse_write() -> NoReturn:
    """Refuse to write to what is in no memory."""
    raise Unsupported(
        "a write to a tensor that is a conjugate is not supported", help="write to a clone(), or to the tensor itself"
    )

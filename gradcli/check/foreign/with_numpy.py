"""Functions of NumPy's arrays, with a derivative that somebody has written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ..arrays import Array
from .arguments import Arguments, name_of
from .border import raised_there, said, theirs
from .function import Library, Misshapen, Refused
from .nested import alongside, holds_arrays, leaves

# How a derivative may be given.
KINDS = ("grad", "vjp", "jac", "jvp")
_MANY = 4096


class NumpyLibrary(Library):
    """A function of arrays with its derivative: a gradient, a Jacobian, or products with it."""

    has_long_numbers = True

    def __init__(self, function: Callable[..., Any], given: Any, kind: str, derivative: Any, name: str = "", *,
                 dtype: str = "own", held: Collection[str] = ()) -> None:  # fmt: skip
        self.function = function
        self.name = name or name_of(function)
        self.kind = kind
        self.derivative = derivative
        self.arguments = Arguments(function, self.name, given)
        named = enumerate(zip(self.arguments.names, self.arguments.values, strict=True))
        self.moved = [i for i, (called, x) in named if called not in held and _is_moved(x)]
        if not self.moved:
            words = f"no input of {self.name} is a floating array: none can be moved"
            raise InputError(words, help="give floats: np.array([1.0, 2.0]), not whole numbers")
        self.inputs = [self.arguments.names[i] for i in self.moved]
        self.at = [_floating(self.arguments.values[i], dtype == "float64") for i in self.moved]
        self._scalars = [not isinstance(self.arguments.values[i], np.ndarray) and a.ndim == 0
                         for i, a in zip(self.moved, self.at, strict=True)]  # fmt: skip
        # Of several outputs a gradient is that of their sum.
        self.is_summed = kind == "grad"
        for a, called in zip(self.at, self.inputs, strict=True):
            if not np.all(np.isfinite(a)):
                raise InputError(f"{called} has a number that is not finite", help="a derivative needs a finite point")

    def _full(self, arrays: Sequence[Any]) -> list[Any]:
        full = list(self.arguments.values)
        for i, a, scalar in zip(self.moved, arrays, self._scalars, strict=True):
            full[i] = a[()] if scalar else a
        return full

    def _value(self, arrays: Sequence[Any]) -> Any:
        positional, named = self.arguments.of(self._full(arrays))
        with np.errstate(all="ignore"):
            found = theirs(self.function, *positional, **named)
        return found[0] if self.kind == "grad" and self.derivative is True else found

    def call(self, arrays: Sequence[Array]) -> list[Array]:
        """The outputs; a sum of them where a gradient was given."""
        try:
            found = self._value(arrays)
            several = found if isinstance(found, (tuple, list)) and any(map(np.ndim, found)) else (found,)
            made = [np.asarray(y) for y in several]
        except raised_there() as error:
            raise Refused(f"{self.name} stops: {said(error)}{self.arguments.doubt}") from error
        made = [a for a in made if a.dtype.kind in "fc"]
        with np.errstate(all="ignore"):
            return [np.asarray(a.sum()) if self.is_summed and a.size != 1 else a for a in made]

    def pulled(self, arrays: Sequence[Array]) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """The derivative at a point, as products with cotangents."""
        full = self._full([np.array(a) for a in arrays])
        if self.kind in ("grad", "jac"):
            return self._of_jacobian(self._derived(full))
        shapes = [np.shape(y) for y in self.call([np.array(a) for a in arrays])]

        def pull(weights: Sequence[Array | None]) -> list[Array | None]:
            ws = [np.zeros(s) if w is None else w for w, s in zip(weights, shapes, strict=True)]
            if self.kind == "vjp":
                return self._sorted(self._derived([*full, *(w[()] if w.ndim == 0 else w for w in ws)]))
            return self._by_tangents(full, arrays, ws)

        return pull

    def _derived(self, full: Sequence[Any]) -> Any:
        if self.derivative is True:
            positional, named = self.arguments.of(full)
            return theirs(self.function, *positional, **named)[1]
        try:
            if len(full) == len(self.arguments.values):
                positional, named = self.arguments.of(full)
                return theirs(self.derivative, *positional, **named)
            return theirs(self.derivative, *full)
        except raised_there() as error:
            words = f"{name_of(self.derivative, 'the derivative')} stops: {said(error)}"
            takes = {"vjp": "the inputs and then a cotangent", "jvp": "the inputs and then a tangent for each"}
            help = f"it is called with {takes.get(self.kind, f'the same arguments as {self.name}')}"
            raise InputError(words, help=help) from error

    def _sorted(self, found: Any) -> list[Any]:
        """One gradient for each input, of what a derivative has returned."""
        if any(map(holds_arrays, self.arguments.trees)):
            found = self._taken_apart(found)
        if isinstance(found, Mapping):
            unknown = [str(key) for key in found if str(key) not in self.inputs]
            if unknown:
                raise Misshapen(f"the derivative has a gradient of {unknown[0]}, which is no input")
            return [_number(found.get(name)) for name in self.inputs]
        if len(self.moved) == 1 and not (isinstance(found, (tuple, list)) and len(found) == 1 and np.ndim(found[0])):
            return [_number(found)]
        if not isinstance(found, (tuple, list)):
            raise Misshapen(f"the derivative returns one array, and there are {len(self.moved)} inputs")
        several = list(found)
        if len(several) == len(self.arguments.values) != len(self.moved):
            several = [several[i] for i in self.moved]
        if len(several) != len(self.moved):
            raise Misshapen(f"the derivative returns {len(several)} gradients, and there are {len(self.moved)} inputs")
        return [_number(g) for g in several]

    def _taken_apart(self, found: Any) -> list[Any]:
        """The gradients in the places of the arrays that arguments hold."""
        trees = self.arguments.trees
        several = [found] if len(trees) == 1 and not (isinstance(found, tuple) and len(found) == 1) else found
        if self.arguments.by_name and isinstance(found, Mapping):
            several = [found.get(key) for key in self.arguments.keys]
        if not isinstance(several, (tuple, list)) or len(several) != len(trees):
            raise Misshapen(f"the derivative returns no {len(trees)} gradients, one for each argument")
        made: list[Any] = []
        for tree, each in zip(trees, several, strict=True):
            made += [None for _ in leaves(tree)] if each is None else alongside(tree, each)
        return made

    def _of_jacobian(self, found: Any) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        each = self._sorted(found)

        def pull(weights: Sequence[Array | None]) -> list[Array | None]:
            (w,) = weights if len(weights) == 1 else (None,)
            if w is None:
                raise Misshapen(f"{self.name} has {len(weights)} outputs: give its derivative by vjp=")
            made: list[Array | None] = []
            for g, a, name in zip(each, self.at, self.inputs, strict=True):
                if g is None:
                    made.append(None)
                elif self.kind == "grad":
                    if g.ndim and g.shape != a.shape and g.size != a.size:
                        raise Misshapen(
                            f"the gradient of {name} has the shape {list(g.shape)}, {name} has {list(a.shape)}"
                        )
                    made.append(np.broadcast_to(g, a.shape) * w if g.ndim == 0 else g * w)
                else:
                    wanted = (*w.shape, *a.shape)
                    if g.shape != wanted and not (g.size == w.size * a.size and 1 in (g.size, w.size, a.size)):
                        raise Misshapen(f"the Jacobian by {name} has the shape {list(g.shape)}, not {list(wanted)}")
                    made.append(np.tensordot(w.reshape(-1), g.reshape(w.size, -1), 1).reshape(a.shape))
            return made

        return pull

    def _by_tangents(self, full: list[Any], arrays: Sequence[Array], ws: Sequence[Array]) -> list[Array | None]:
        made: list[Array | None] = []
        if sum(a.size for a in arrays) > _MANY:
            raise InputError(f"a jvp of more than {_MANY:,} inputs is not checked", help="give vjp= or grad= instead")
        for k, a in enumerate(arrays):
            g = np.zeros(a.shape)
            for place in np.ndindex(a.shape):
                tangents = [np.zeros_like(x) for x in arrays]
                tangents[k][place] = 1
                found = self._derived([*full, *(t[()] if t.ndim == 0 else t for t in tangents)])
                several = found if isinstance(found, (tuple, list)) else (found,)
                for w, y in zip(ws, several, strict=True):
                    if np.shape(y) != w.shape:
                        words = f"the jvp has the shape {list(np.shape(y))}, the output has {list(w.shape)}"
                        raise Misshapen(words)
                    g[place] += float(np.real(np.sum(w * np.asarray(y))))
            made.append(g)
        return made


def _is_moved(x: Any) -> bool:
    """True of floats and of arrays of them: all else stays what it is."""
    return (isinstance(x, (float, complex)) or hasattr(x, "__array__") or isinstance(x, list)) and np.asarray(
        x
    ).dtype.kind in "fc"


def _floating(x: Any, wide: bool) -> Array:
    a = np.array(x)
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) if wide and a.dtype.itemsize < 8 else a


def _number(g: Any) -> Any:
    return None if g is None else np.asarray(g)

"""Functions of JAX's arrays, differentiated by `jax.vjp`: custom_vjp and custom_jvp with what they say themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from importlib import import_module
from time import thread_time
from typing import Any

import numpy as np

from ...errors import InputError
from ..arrays import Array
from ..replay.recorded_graph import close
from .arguments import Arguments, name_of
from .border import raised_there, said, theirs
from .function import Library, Misshapen, Refused
from .with_torch import stopped

# After so many calls that take so many seconds each, a function is compiled: a loop in it is compiled at each call.
_CALLS, _DEAR = 16, 5e-3
_ALIKE = 1e-13


def is_array(x: Any) -> bool:
    """Tell whether something is an array of JAX, without importing it."""
    module = sys.modules.get("jax")
    return module is not None and isinstance(x, module.Array)


def rule_of(function: Any) -> Any:
    """The rule that a custom_vjp or custom_jvp was given; None of any other function."""
    if not type(function).__module__.startswith("jax"):
        return None
    return getattr(function, "bwd", None) or getattr(function, "jvp", None)


def jax() -> Any:
    """JAX, where it is installed."""
    try:
        return import_module("jax")
    except ImportError:
        raise InputError("JAX is not installed here", help="pip install jax") from None


class JaxLibrary(Library):
    """A function of arrays, with 64 bits where they work."""

    conjugate = True

    def __init__(self, function: Callable[..., Any], given: Any, name: str = "", *, dtype: str = "float64",
                 held: Collection[str] = ()) -> None:  # fmt: skip
        self.jax = jax()
        self.function = function
        self.name = name or name_of(function)
        self.arguments = Arguments(function, self.name, given)
        self.double = dtype == "float64"
        values = self.arguments.values
        # What a custom_vjp or custom_jvp takes for no number is none.
        fixed = {id(self.arguments.trees[i]) for i in getattr(function, "nondiff_argnums", ())
                 if i < len(self.arguments.trees)}  # fmt: skip
        fixed |= {id(x) for called, x in zip(self.arguments.names, values, strict=True) if called in held}
        self.moved = [i for i, x in enumerate(values) if id(x) not in fixed and self._is_moved(x)]
        if not self.moved:
            words = f"no input of {self.name} is a floating array: none can be moved"
            raise InputError(words, help="give floats: np.array([1.0, 2.0])")
        self.inputs = [self.arguments.names[i] for i in self.moved]
        self.at = [self._widened(np.array(values[i])) for i in self.moved]
        self.unit = max(np.finfo(a.dtype).eps / 2 for a in self.at)
        self.shapes: list[Any] | None = None
        # The function compiled as a whole, how often it was called without that, and the seconds which that took.
        self._compiled: Callable[..., Any] | None = None
        self._calls, self._spent = 0, 0.0

    def _is_moved(self, x: Any) -> bool:
        """Tell whether something is of real or complex numbers, as keys of random ones are not."""
        if is_array(x):
            return bool(self.jax.numpy.issubdtype(x.dtype, self.jax.numpy.inexact))
        return isinstance(x, (float, complex, np.ndarray)) and np.asarray(x).dtype.kind in "fcV"

    def _widened(self, a: Array) -> Array:
        if not self.double:
            return a if a.dtype.kind in "fc" else a.astype(np.float32)
        return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)

    def _precision(self) -> Any:
        """The block in which numbers of 64 bits are kept."""
        if not self.double:
            return nullcontext()
        found = getattr(self.jax, "enable_x64", None)
        return found(True) if found is not None else import_module("jax.experimental").enable_x64()

    def _of(self, moved: Sequence[Any]) -> list[Any]:
        full = list(self.arguments.values)
        for i, a in zip(self.moved, moved, strict=True):
            full[i] = a
        positional, named = self.arguments.of(full)
        found = self.jax.tree_util.tree_leaves(theirs(self.function, *positional, **named))
        return [y for y in found if np.dtype(self.jax.numpy.result_type(y)).kind in "fcV"]

    def call(self, arrays: Sequence[Array]) -> list[Array]:
        """The outputs."""
        try:
            with self._precision():
                given = [self.jax.numpy.asarray(a) for a in arrays]
                if self._compiled is not None:
                    return [_array(y) for y in theirs(self._compiled, *given)]
                start = thread_time()
                found = [_array(y) for y in self._of(given)]
                self._spent += thread_time() - start
                self._calls += 1
                if self._calls == _CALLS and self._spent > _CALLS * _DEAR:
                    self._compile(given, found)
                return found
        except raised_there() as error:
            raise Refused(f"{self.name} stops: {said(error)}{self.arguments.doubt}") from error

    def _compile(self, given: Sequence[Any], found: Sequence[Array]) -> None:
        """Compile it once, where JAX compiles parts of it at each call, if it then gives the same."""
        compiled = self.jax.jit(lambda *moved: self._of(moved))
        try:
            same = [_array(y) for y in theirs(compiled, *given)]
        except raised_there():
            # It goes another way for other numbers.
            return
        if all(close(a, b, _ALIKE) for a, b in zip(found, same, strict=True)):
            self._compiled = compiled

    def traced(self) -> Any:
        """The steps that JAX sees the function take; None where it cannot."""
        try:
            with self._precision():
                given = [self.jax.numpy.asarray(a) for a in self.at]
                return theirs(self.jax.make_jaxpr(lambda *moved: self._of(moved)), *given).jaxpr
        except raised_there():
            return None

    def uncompile(self) -> None:
        """Call it as it is from now on."""
        self._compiled, self._calls = None, _CALLS

    def pulled(self, arrays: Sequence[Array]) -> Callable[[Sequence[Array | None]], list[Array | None]]:
        """The transposed product that JAX finds."""
        try:
            with self._precision():
                given = [self.jax.numpy.asarray(a) for a in arrays]
                outputs, back = theirs(self.jax.vjp, lambda *moved: self._of(moved), *given)
        except raised_there() as error:
            raise stopped(self.name, error) from error

        def pull(weights: Sequence[Array | None]) -> list[Array | None]:
            try:
                with self._precision():
                    arrays = self.jax.numpy
                    starts = [
                        arrays.zeros_like(y) if w is None else arrays.asarray(w, y.dtype).reshape(y.shape)
                        for y, w in zip(outputs, weights, strict=True)
                    ]
                    return [_array(g) for g in theirs(back, starts)]
            except raised_there() as error:
                if "bwd rule must produce" in str(error):
                    raise Misshapen(f"the backward of {self.name}: {said(error)}") from error
                raise stopped(self.name, error) from error

        return pull

    def pushed(self, arrays: Sequence[Array], tangents: Sequence[Array | None]) -> list[Array] | None:
        """The tangents that JAX finds; a custom_vjp has none."""
        with self._precision():
            given = [self.jax.numpy.asarray(a) for a in arrays]
            moved = [
                self.jax.numpy.zeros_like(a) if t is None else self.jax.numpy.asarray(t, a.dtype)
                for a, t in zip(given, tangents, strict=True)
            ]
            try:
                _, found = theirs(self.jax.jvp, lambda *xs: self._of(xs), given, moved)
            except TypeError as error:
                if "custom_vjp" in str(error):
                    return None
                raise
            return [_array(y) for y in found]


def _array(x: Any) -> Array:
    made = np.asarray(x)
    return np.array(made if made.dtype.kind in "fc" else made.astype(np.float32))

"""The custom_vjp and custom_jvp of JAX that a call meets on its way, each with what it was given there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NamedTuple

import numpy as np

from ...errors import Span
from .function import Refused
from .met import caller
from .with_jax import JaxLibrary, jax, rule_of

# So many are looked at, each once for the same shapes.
_RULES = 16


class Rule(NamedTuple):
    """A call of a function with a derivative of its own."""

    function: Any
    arguments: tuple[Any, ...]
    applied: Span | None

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def derivative(self) -> Any:
        """The derivative that somebody wrote for it."""
        return rule_of(self.function)

    def is_called_by(self, library: Any) -> bool:
        """Tell whether a function is no more than this one itself."""
        return library.function is self.function

    def library(self, dtype: str) -> JaxLibrary:
        """The function alone, on the arguments that it met."""
        return JaxLibrary(self.function, self.arguments, self.name, dtype=dtype)


def note_rules(library: JaxLibrary, known: dict[Any, Any]) -> None:
    """Note what is met by a call at the point; where that is inside of loops, they are gone through step by step."""
    for block in (nullcontext, library.jax.disable_jit):
        # What cannot be gone through step by step is judged as a whole alone.
        with noted(known), block(), suppress(Refused):
            library.call([a.copy() for a in library.at])
        if not _is_inside(library.traced()):
            return


def _is_inside(program: Any, depth: int = 0) -> bool:
    """Tell whether a function with a derivative of its own is called inside of what JAX has compiled."""
    for step in getattr(program, "eqns", ()):
        if depth and step.primitive.name.startswith("custom_"):
            return True
        parts = [x for value in step.params.values() for x in (value if isinstance(value, tuple) else (value,))]
        inner = [getattr(x, "jaxpr", x) for x in parts]
        if not step.primitive.name.startswith("custom_") and any(_is_inside(x, depth + 1) for x in inner):
            return True
    return False


@contextmanager
def noted(known: dict[Any, Any], package: str = "", most: int = _RULES) -> Iterator[None]:
    """Note the functions that are called in the block with numbers; ``package``: only those that it defines."""
    library = jax()
    classes = (library.custom_vjp, library.custom_jvp)
    before = [cls.__call__ for cls in classes]

    def note(function: Any, args: tuple[Any, ...]) -> None:
        home = f"{getattr(function, '__module__', '')}."
        if home.startswith("jax.") or (package and not home.startswith(f"{package}.")) or len(known) >= most:
            return
        leaves, tree = library.tree_util.tree_flatten(args)
        values = [_value(library, x) for x in leaves]
        if any(x is None for x in values):
            return
        shapes = tuple((np.shape(x), x.dtype) if hasattr(x, "dtype") else repr(x)[:80] for x in values)
        given = library.tree_util.tree_unflatten(tree, values)
        known.setdefault((id(function), shapes), Rule(function, given, caller()))

    try:
        for cls, own in zip(classes, before, strict=True):
            cls.__call__ = _noting(own, note)
        yield
    finally:
        for cls, own in zip(classes, before, strict=True):
            cls.__call__ = own


def _noting(own: Any, note: Any) -> Any:
    def called(self: Any, *args: Any, **named: Any) -> Any:
        if not named:
            note(self, args)
        return own(self, *args, **named)

    return called


def _value(library: Any, x: Any) -> Any:
    """The number that a leaf of the arguments is, also while it is differentiated; None inside of what is compiled."""
    if not isinstance(x, library.core.Tracer):
        return x
    concrete = getattr(x, "to_concrete_value", None)
    return None if concrete is None else concrete()

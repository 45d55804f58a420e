"""Contexts that a program makes with Python's own `contextlib` and `warnings`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import SpecError
from ..guard.size_limits import caps, weigh
from ..values.classes.sealed_classes import known_as
from ..values.user_definitions import MISSING, Namespace, UserType, declared
from .exceptions.endings import is_of_kind


class Context:
    """A context manager for a `with` statement; the base does nothing."""

    __slots__ = ("value",)

    def __init__(self, enter_result: Any = None) -> None:
        self.value = enter_result

    def __enter__(self) -> Any:
        return self.value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return None


class Suppressing(Context):
    """suppress(): errors of some classes end the block, and nothing else."""

    __slots__ = ()

    def __init__(self, *exceptions: Any) -> None:
        super().__init__(exceptions)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        weigh(self.value)
        kinds = self.value if isinstance(self.value, tuple) else (self.value,)
        return kind is not None and any(is_of_kind(kind, each) for each in kinds)


class Managed(Context):
    """A context written as a generator function: what stands before its `yield`, and what behind."""

    __slots__ = ("_begin",)

    def __init__(self, begin: Callable[[], Any]) -> None:
        super().__init__(begin())
        self._begin = begin

    def __call__(self, function: Any, /) -> Callable[..., Any]:
        """The function, inside of a context of its own at each call."""
        guarded = caps.guarded(function)

        def inner(*args: Any, **kwargs: Any) -> Any:
            with Managed(self._begin):
                return guarded(*args, **kwargs)

        inner.__name__ = inner.__qualname__ = getattr(function, "__name__", "inner")
        inner.__wrapped__ = function  # type: ignore[attr-defined]
        return inner

    def __enter__(self) -> Any:
        try:
            return next(self.value)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if error is None:
            try:
                next(self.value)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.value.source.throw(error)
        except StopIteration as stop:
            return stop is not error
        except type(error) as other:
            if other is error:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


for _class, _name in ((Context, "nullcontext"), (Suppressing, "suppress"), (Managed, "_GeneratorContextManager")):
    known_as(_class, _name, "contextlib")


def _managing(function: Any) -> Callable[..., Managed]:
    """contextmanager(): a generator function as one that makes contexts."""

    def make(*args: Any, **kwargs: Any) -> Managed:
        from .iteration import UserGenerator

        def begin() -> UserGenerator:
            generator = caps.guarded(function)(*args, **kwargs)
            if not isinstance(generator, UserGenerator):
                raise SpecError("contextmanager() is for generator functions", help="write a yield in it", code="E205")
            return generator

        return Managed(begin)

    make.__name__ = make.__qualname__ = getattr(function, "__name__", "contextmanager")
    # It is one of the program's: in a class it becomes a method.
    make.__wrapped__ = function  # type: ignore[attr-defined]
    return make


def contexts() -> dict[str, Any]:
    """The names of the module `contextlib`."""
    return {"contextmanager": _managing, "nullcontext": Context, "suppress": Suppressing}


def protocol(manager: Any) -> tuple[Any, Any]:
    """Return the functions that enter and leave a context."""
    from ...engine.graph import RemovableHandle
    from ...engine.modes import Block
    from .unseen import Unseen

    kind = type(manager)
    if isinstance(kind, UserType) and MISSING not in (declared(kind, "__enter__"), declared(kind, "__exit__")):
        return manager.__enter__, manager.__exit__
    if isinstance(manager, (Block, Context, RemovableHandle, Unseen)):
        return manager.__enter__, manager.__exit__
    name = "module" if isinstance(manager, Namespace) else kind.__name__
    half = isinstance(kind, UserType) and declared(kind, "__enter__") is not MISSING
    lacking = " (missed __exit__ method)" if half else ""
    raise TypeError(f"'{name}' object does not support the context manager protocol{lacking}")


def entering(manager: Any, /) -> tuple[Any, Any]:
    """The functions that enter and leave a context, as our own library calls them."""
    enter, leave = protocol(manager)
    return (lambda: enter()), (lambda *error: leave(*error))

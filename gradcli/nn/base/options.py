"""Modules that are one function and the options it is called with."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.tensor import Tensor
from ...errors import EngineTypeError
from .. import functional as F
from ..modules.module import Module
from .holder import member

# An option that has no default.
NEEDED = object()


class _Signature:
    """The arguments of a class, for `inspect`: its options, unless its constructor names its arguments."""

    def __get__(self, module: Any, owner: type[Options]) -> Any:
        code = owner.__init__.__code__
        if module is not None or code.co_argcount + code.co_kwonlyargcount > 1 or not _is_ours(owner.__init__):
            raise AttributeError("__signature__")
        import inspect

        kind = inspect.Parameter.KEYWORD_ONLY if owner._by_keyword else inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([
            inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is NEEDED else default)
            for name, default in owner._options.items()
        ])


class Options(Module):
    """A module that calls one function with the options it was made with."""

    __signature__ = _Signature()

    # The function of `functional`, and the options with their defaults, in PyTorch's order.
    _name = ""
    _options: dict[str, Any] = {}
    # What the repr says: attributes with their names, those that end in `!r` as they are written in Python, and of
    # those that end in `!v` the value alone; `inplace=True` is added where it holds.
    _shown: tuple[str, ...] = ()
    # Options that the module takes and the function does not.
    _own: tuple[str, ...] = ()
    # The class of PyTorch's whose constructor it is, where several classes share one; and whether it takes nothing
    # but keywords.
    _called = ""
    _by_keyword = False
    # What `forward` takes, and the class of PyTorch's whose `forward` it is, where several classes share one.
    _takes: tuple[str, ...] = ("input",)
    _forward_of = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        kind = ours(self, Options)
        positional = 0 if kind._by_keyword else len(kind._options)
        call = f"{kind._called or kind.__name__}.__init__()"
        for name, value in bound(call, kind._options, positional, args, kwargs).items():
            if isinstance(value, Tensor) or name in ("weight", "pos_weight"):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Call the function."""
        kind = ours(self, Options)
        if not kind._name:
            return super().forward(*inputs)
        options = {name: member(self, name) for name in kind._options if name not in kind._own}
        return function(kind._name)(*taken(self, inputs, named), **options)

    def extra_repr(self) -> str:
        """The options."""
        text = ", ".join([_shown(self, entry) for entry in ours(self, Options)._shown])
        if not self.__dict__.get("inplace"):
            return text
        return f"{text}, inplace=True" if text else "inplace=True"


def _is_ours(function: Any) -> bool:
    return str(function.__module__).partition(".")[0] == __name__.partition(".")[0]


@cache
def function(name: str) -> Any:
    """The function of `functional` that a class of ours names."""
    return getattr(F, name)


def _shown(module: Module, entry: str) -> str:
    """An attribute as the repr says it."""
    name, _, how = entry.partition("!")
    value = member(module, name)
    if how == "v":
        return f"{value}"
    return f"{name}={value!r}" if how == "r" else f"{name}={value}"


def taken(module: Options, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that a module was called with, in its order; Python's own words for a wrong call."""
    kind = ours(module, Options)
    if not named and len(inputs) == len(kind._takes):
        return inputs
    call = f"{kind._forward_of or kind.__name__}.forward()"
    return tuple(bound(call, dict.fromkeys(kind._takes, NEEDED), len(kind._takes), inputs, named).values())


def bound(
    call: str, options: dict[str, Any], positional: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """All arguments that something was called with, by name; Python's own words for a wrong call."""
    if len(args) > positional:
        least, most = sum(v is NEEDED for v in options.values()) + 1, positional + 1
        count = f"{f'from {least} to ' * (least < most)}{most} positional argument{'s' * (most > 1)}"
        raise EngineTypeError(f"{call} takes {count} but {len(args) + 1} were given")
    given = dict(zip(options, args, strict=False))
    for name in kwargs:
        if name not in options:
            raise EngineTypeError(f"{call} got an unexpected keyword argument '{name}'")
        if name in given:
            raise EngineTypeError(f"{call} got multiple values for argument '{name}'")
    found = options | given | kwargs
    missing = [f"'{k}'" for k, v in found.items() if v is NEEDED]
    if missing:
        *others, last = missing
        listed = f"{', '.join(others)}{',' * (len(others) > 1)} and {last}" if others else last
        raise EngineTypeError(
            f"{call} missing {len(missing)} required positional argument{'s' * (len(missing) > 1)}: {listed}"
        )
    return found

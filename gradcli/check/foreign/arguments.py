"""The arguments of someone's function: which of them are moved, and how it is called with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from ...errors import InputError
from .nested import holds_arrays, named_leaves, rebuilt
from .pytorch import has_context


class Arguments:
    """The arguments of a function: an array, several in their order, or several by their names."""

    def __init__(self, function: Callable[..., Any], name: str, given: Any) -> None:
        signature = _signature(function)
        self.by_name = isinstance(given, Mapping)
        # The first of those by name are given by their place where it takes them only so.
        self.placed: list[Any] = _placed(function, signature, given) if self.by_name else []
        self.as_one = self.by_name and not self.placed and not _takes(signature, (), dict(given))
        if self.by_name:
            self.keys: list[Any] = list(given)
            self.values: list[Any] = list(given.values())
            self.names = [str(key) for key in self.keys]
        else:
            several = isinstance(given, tuple)
            self.values = list(given) if several else [given]
            self.keys = list(range(len(self.values)))
            self.names = _parameters(signature, len(self.values))
        # The arguments as they are made, and what they hold.
        self.trees = self.values
        several_of = [list(named_leaves(called, x)) for called, x in zip(self.names, self.trees, strict=True)]
        self._is_nested = any(map(holds_arrays, self.trees))
        self.names = [called for leaves in several_of for called, _ in leaves]
        self.values = [x for leaves in several_of for _, x in leaves]
        if not self.values:
            raise InputError(f"{name} is given no input", help="give it arrays: numbers are moved, all else stays")
        positional, named = self.of(self.values)
        if not _takes(signature, positional, named):
            takes = f"{name}{signature}"
            got = ", ".join(map(str, self.keys)) if self.by_name else _count(len(self.trees))
            help = "several arguments are a tuple (x, y), or a dict of names {'x': x, 'y': y}"
            if self.by_name and signature is not None:
                help = f"its arguments are {', '.join(signature.parameters) or 'none'}"
            raise InputError(f"{takes} cannot be called with {got}", help=help)

    @property
    def doubt(self) -> str:
        """A hint about the arguments where the function stops with them: empty, or words in brackets."""
        if not self.as_one:
            return ""
        return f" (it has no argument {' or '.join(map(repr, self.keys))}, so it was given a dict of all inputs)"

    def of(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional arguments and those by name for these values."""
        if self._is_nested and len(values) == len(self.values):
            rest = iter(values)
            values = [rebuilt(x, rest) for x in self.trees]
        if not self.by_name:
            return tuple(values), {}
        pairs = dict(zip(self.keys, values, strict=True))
        return ((pairs,), {}) if self.as_one else (tuple(pairs.pop(key) for key in self.placed), pairs)


def _count(n: int) -> str:
    return "one argument" if n == 1 else f"{n} arguments"


def _parameters(signature: inspect.Signature | None, count: int) -> list[str]:
    """The names of the first parameters, or their numbers where nobody knows them."""
    known = [p.name for p in signature.parameters.values() if p.kind in _PLACED] if signature is not None else []
    rest = [f"x{i}" for i in range(len(known), count)]
    return ["x"] if count == 1 and not known else [*known[:count], *rest]


_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _signature(function: Callable[..., Any], *, follow_wrapped: bool = True) -> inspect.Signature | None:
    """The signature of a function; None where nobody knows it."""
    owner = getattr(function, "__self__", None)
    is_applied = isinstance(owner, type) and hasattr(owner, "setup_context") and function.__name__ == "apply"
    try:
        found = inspect.signature(owner.forward if is_applied else function, follow_wrapped=follow_wrapped)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        return None
    if not is_applied:
        return found
    # What a custom Function is applied to has places, and no names.
    placed = [p.replace(kind=p.POSITIONAL_ONLY) if p.kind in _PLACED else p for p in found.parameters.values()]
    return found.replace(parameters=placed[1:] if has_context(owner) else placed)


def _placed(function: Callable[..., Any], signature: inspect.Signature | None, given: Mapping[Any, Any]) -> list[Any]:
    """The names of the arguments that a function, or what is wrapped around it, does not take by name."""
    wrapper = _signature(function, follow_wrapped=False)
    if signature is None or (_takes(signature, (), given) and _takes(wrapper, (), given)):
        return []
    placed = list(takewhile(given.__contains__, (p.name for p in signature.parameters.values() if p.kind in _PLACED)))
    rest = {key: x for key, x in given.items() if key not in placed}
    by_place = [given[key] for key in placed]
    return placed if _takes(signature, by_place, rest) and _takes(wrapper, by_place, rest) else []


def _takes(signature: inspect.Signature | None, positional: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Tell whether a function can be called so, as far as it says."""
    if signature is None:
        return True
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


def name_of(function: Any, default: str = "f") -> str:
    """The name of a function; of a class's method also the class."""
    found = getattr(function, "__name__", None)
    owner = getattr(function, "__self__", None)
    if found == "apply" and isinstance(owner, type):
        return f"{owner.__name__}.apply"
    if found in (None, "<lambda>"):
        return default if found else type(function).__name__
    return str(found)

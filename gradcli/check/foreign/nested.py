"""Arguments that hold arrays inside: dicts, lists and tuples of them, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .function import Misshapen


def holds_arrays(x: Any) -> bool:
    """Tell whether something is a container with arrays or tensors inside; plain numbers in a list are one value."""
    return _is_container(x) and any(hasattr(each, "dtype") or holds_arrays(each) for each in _values(x))


def leaves(x: Any) -> Iterator[Any]:
    """All that a value holds: itself, if it is no container with arrays inside."""
    for _, leaf in named_leaves("", x):
        yield leaf


def named_leaves(name: str, x: Any) -> Iterator[tuple[str, Any]]:
    """The same with names: ``p.w`` of a dict, ``p[0]`` of a list or a tuple."""
    if not holds_arrays(x):
        yield name, x
    elif isinstance(x, Mapping):
        for key, each in x.items():
            yield from named_leaves(f"{name}.{key}", each)
    else:
        for i, each in enumerate(x):
            yield from named_leaves(f"{name}[{i}]", each)


def rebuilt(x: Any, values: Iterator[Any]) -> Any:
    """A value like this one, with others for its leaves."""
    if not holds_arrays(x):
        return next(values)
    if isinstance(x, Mapping):
        pairs = {key: rebuilt(each, values) for key, each in x.items()}
        return pairs if type(x) is dict else type(x)(pairs)  # type: ignore[call-arg]
    made = [rebuilt(each, values) for each in x]
    return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)


def alongside(x: Any, found: Any) -> Iterator[Any]:
    """The parts of another value in the places of the leaves of this one."""
    if not holds_arrays(x):
        yield found
    elif isinstance(x, Mapping):
        if not isinstance(found, Mapping):
            raise Misshapen("the derivative has no dict where the arguments have one")
        for key, each in x.items():
            yield from alongside(each, found.get(key))
    else:
        if not isinstance(found, (list, tuple)) or len(found) != len(x):
            raise Misshapen(f"the derivative has not {len(x)} gradients where the arguments have as many arrays")
        for each, other in zip(x, found, strict=True):
            yield from alongside(each, other)


def _is_container(x: Any) -> bool:
    return isinstance(x, (dict, list, tuple))


def _values(x: Any) -> Sequence[Any]:
    return list(x.values()) if isinstance(x, Mapping) else x

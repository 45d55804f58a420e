"""Trees of lists, tuples and dicts, as functions of tensors take and give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def leaves(tree: Any) -> Iterator[Any]:
    """All that is in a tree, in order; dicts by their keys."""
    if isinstance(tree, dict):
        for key in tree:
            yield from leaves(tree[key])
    elif isinstance(tree, (list, tuple)):
        for x in tree:
            yield from leaves(x)
    elif tree is not None:
        yield tree


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """A tree of what a function makes of all that is in one."""
    if isinstance(tree, dict):
        return type(tree)((key, mapped(function, x)) for key, x in tree.items())
    if isinstance(tree, (list, tuple)):
        parts = [mapped(function, x) for x in tree]
        if hasattr(type(tree), "_fields"):
            return getattr(type(tree), "_make", type(tree))(parts)
        return parts if isinstance(tree, list) else tuple(parts)
    return None if tree is None else function(tree)


def like(tree: Any, other: Any) -> bool:
    """Tell whether two trees have the same shape."""
    if isinstance(tree, dict):
        return isinstance(other, dict) and tree.keys() == other.keys() and all(like(tree[k], other[k]) for k in tree)
    if isinstance(tree, (list, tuple)):
        return (
            type(tree) is type(other) and len(tree) == len(other) and all(map(like, tree, other))
        )
    return not isinstance(other, (dict, list, tuple))


def shown_tree(tree: Any) -> str:
    """The shape of a tree, with a star for each thing in it."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k!r}: {shown_tree(x)}" for k, x in tree.items()) + "}"
    if isinstance(tree, (list, tuple)):
        inner = ", ".join(map(shown_tree, tree))
        if isinstance(tree, list):
            return f"[{inner}]"
        return f"({inner},)" if len(tree) == 1 else f"({inner})"
    return "*"


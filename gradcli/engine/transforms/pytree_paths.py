"""The paths to what is in a tree: by indices, by keys, and by names."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import EngineValueError
from ..guard.outside import guarded
from ..properties import Size
from .pytree import _NAMED, WITH_KEYS, _definition, tree_flatten, tree_is_leaf, tree_leaves, tree_unflatten


class SequenceKey(NamedTuple):
    """A place in a list, a tuple or a deque."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The thing at this place."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """A key of a dictionary."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The value of this key."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """The name of an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The attribute of this name."""
        return getattr(obj, self.name)


KeyPath = tuple[Any, ...]


def _keys(tree: Any) -> Iterator[tuple[Any, Any]]:
    """The children of a container, each with its key."""
    kind = type(tree)
    if _definition(tree) is _NAMED:
        yield from zip(map(GetAttrKey, tree._fields), tree, strict=True)
    elif kind in (dict, OrderedDict, defaultdict):
        yield from ((MappingKey(key), value) for key, value in tree.items())
    elif kind in (list, tuple, deque, Size):
        yield from ((SequenceKey(i), value) for i, value in enumerate(tree))
    elif kind in WITH_KEYS:
        yield from WITH_KEYS[kind](tree)[0]
    else:
        raise EngineValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )


def _walk(path: KeyPath, tree: Any, is_leaf: Callable[[Any], bool] | None) -> Iterator[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    for key, child in _keys(tree):
        yield from _walk((*path, key), child, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[KeyPath, Any]]:
    """All that is in a tree, in order, each with its path."""
    return list(_walk((), tree, is_leaf))


def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[KeyPath, Any]], Any]:
    """All that is in a tree, in order, each with its path, and the shape of the tree."""
    return tree_leaves_with_path(tree, is_leaf), tree_flatten(tree, is_leaf)[1]


def tree_map_with_path(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """A tree of what a function makes of the path and of all that is there in one tree, or in several."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_leaves(other, is_leaf) for other in rests]
    call = guarded(func)
    made = [call(path, x, *more) for (path, x), *more in zip(found, *others, strict=True)]
    return tree_unflatten(made, spec)


def keystr(kp: Iterable[Any]) -> str:
    """A path as Python writes it."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """The thing at the end of a path that begins at an object."""
    for key in kp:
        obj = key.get(obj)
    return obj

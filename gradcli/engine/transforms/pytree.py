"""torch.utils._pytree: trees of Python's containers, taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import EngineValueError
from ..guard.outside import guarded


class NodeDef(NamedTuple):
    """The way to take containers of one type apart, into children and what else they are, and back."""

    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[list[Any], Any], Any]


def _dict_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), list(d.keys())


def _default_unflatten(values: list[Any], context: Any) -> Any:
    factory, keys = context
    return defaultdict(factory, zip(keys, values, strict=True))


SUPPORTED_NODES: dict[type, NodeDef] = {
    tuple: NodeDef(lambda t: (list(t), None), lambda values, _: tuple(values)),
    list: NodeDef(lambda t: (list(t), None), lambda values, _: list(values)),
    dict: NodeDef(_dict_flatten, lambda values, keys: dict(zip(keys, values, strict=True))),
    OrderedDict: NodeDef(_dict_flatten, lambda values, keys: OrderedDict(zip(keys, values, strict=True))),
    defaultdict: NodeDef(lambda d: (list(d.values()), [d.default_factory, list(d.keys())]), _default_unflatten),
    deque: NodeDef(lambda d: (list(d), d.maxlen), lambda values, maxlen: deque(values, maxlen=maxlen)),
}
_NAMED = NodeDef(lambda t: (list(t), type(t)), lambda values, kind: getattr(kind, "_make", kind)(values))


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], Any], unflatten_fn: Callable[[Any, Any], Any], **_: Any
) -> None:
    """Let objects of a class be trees."""
    if cls in SUPPORTED_NODES:
        raise EngineValueError(f"{cls} is already registered as pytree node. Overwriting the previous registration.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)


def _definition(tree: Any) -> NodeDef | None:
    if isinstance(tree, tuple) and hasattr(type(tree), "_fields"):
        return _NAMED
    return SUPPORTED_NODES.get(type(tree))


class TreeSpec:
    """The shape of a tree."""

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_leaves = sum(child.num_leaves for child in children_specs) if type is not None else 1

    def is_leaf(self) -> bool:
        """Tell whether it is that of a single thing."""
        return self.type is None

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """A tree of this shape."""
        return tree_unflatten(leaves, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and (
            (self.type, self.context, self.children_specs) == (other.type, other.context, other.children_specs)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._shown(0)

    def _shown(self, indent: int) -> str:
        if self.type is None:
            return "*"
        inner = f",\n{' ' * (indent + 2)}".join(child._shown(indent + 2) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inner}])"


LeafSpec = TreeSpec(None, None, [])


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """All that is in a tree, in order, and its shape."""
    found: list[Any] = []
    return found, _walk(tree, found, is_leaf)


def _walk(tree: Any, found: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    definition = None if is_leaf is not None and is_leaf(tree) else _definition(tree)
    if definition is None:
        found.append(tree)
        return LeafSpec
    children, context = definition.flatten_fn(tree)
    kind = type(tree)
    if definition is _NAMED:
        from collections import namedtuple

        kind = namedtuple  # type: ignore[assignment]
    return TreeSpec(kind, context, [_walk(child, found, is_leaf) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """A tree of this shape."""
    values = list(leaves)
    if len(values) != treespec.num_leaves:
        raise EngineValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(values)} but the spec refers to a pytree that "
            f"holds {treespec.num_leaves} items ({treespec})."
        )
    return _built(iter(values), treespec)


def _built(values: Iterator[Any], spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(values)
    definition = SUPPORTED_NODES.get(spec.type, _NAMED)
    return definition.unflatten_fn([_built(values, child) for child in spec.children_specs], spec.context)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """All that is in a tree, in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """All that is in a tree, in order."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The shape of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """A tree of what a function makes of all that is in one, or at the same places of several."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_leaves(other, is_leaf) for other in rests]
    call = guarded(func)
    return tree_unflatten([call(*xs) for xs in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call a function with all that is in a tree, which is given back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any, is_leaf: Any = None) -> Any:
    """A tree in which what is of a type, or fits a question, is replaced by what a function makes of it."""
    call = guarded(func)
    fits = kind if callable(kind) and not isinstance(kind, type) else lambda x: isinstance(x, kind)
    return tree_map(lambda x: call(x) if fits(x) else x, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Tell whether all that is in a tree fits."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Tell whether something in a tree fits."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Tell whether all of a type that is in a tree fits."""
    return all(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, kind))


def tree_any_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: Any = None) -> bool:
    """Tell whether something of a type that is in a tree fits."""
    return any(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, kind))


def broadcast_to_and_flatten(tree: Any, spec: TreeSpec, is_leaf: Any = None) -> list[Any] | None:
    """For each place of a tree what another tree has there, or above it; None where the two do not fit."""
    definition = None if is_leaf is not None and is_leaf(tree) else _definition(tree)
    if definition is None:
        return [tree] * spec.num_leaves
    if spec.type is None:
        return None
    if spec.type is not type(tree) and definition is not _NAMED:
        return None
    children, context = definition.flatten_fn(tree)
    if len(children) != spec.num_children or context != spec.context:
        return None
    found: list[Any] = []
    for child, below in zip(children, spec.children_specs, strict=True):
        flat = broadcast_to_and_flatten(child, below, is_leaf)
        if flat is None:
            return None
        found += flat
    return found

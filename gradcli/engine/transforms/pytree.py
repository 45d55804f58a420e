"""torch.utils._pytree: trees of Python's containers, taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import EngineTypeError, EngineValueError
from ..guard.outside import guarded
from ..properties import Size


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
    # A shape comes back as a tuple, as it does in PyTorch.
    Size: NodeDef(lambda t: (list(t), None), lambda values, _: tuple(values)),
    deque: NodeDef(lambda d: (list(d), d.maxlen), lambda values, maxlen: deque(values, maxlen=maxlen)),
}
_NAMED = NodeDef(lambda t: (list(t), type(t)), lambda values, kind: getattr(kind, "_make", kind)(values))


# What takes objects of a registered class apart into children with their keys, and what else they are.
WITH_KEYS: dict[type, Callable[[Any], Any]] = {}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], Any],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    flatten_with_keys_fn: Callable[[Any], Any] | None = None,
    **_: Any,
) -> None:
    """Let objects of a class be trees."""
    if cls in SUPPORTED_NODES:
        raise EngineValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)
    if flatten_with_keys_fn is not None:
        WITH_KEYS[cls] = flatten_with_keys_fn


def _definition(tree: Any) -> NodeDef | None:
    if isinstance(tree, tuple) and hasattr(type(tree), "_fields"):
        return _NAMED
    return SUPPORTED_NODES.get(type(tree))


def _namedtuple() -> Any:
    """The thing that stands for the type of all named tuples."""
    from collections import namedtuple

    return namedtuple


# Dictionaries fit each other, whatever their class, if they have the same keys.
_DICTS = (dict, OrderedDict, defaultdict)
_BUILTIN = (tuple, list, deque, *_DICTS)


def _kind(definition: NodeDef | None, tree: Any) -> Any:
    """The name that a shape has for containers that are taken apart so."""
    return _namedtuple() if definition is _NAMED else type(tree)


def _in_order_of(spec: TreeSpec, tree: Any) -> list[Any]:
    """The values of a dictionary in the order of a shape's keys."""
    keys = spec.context[1] if spec.type is defaultdict else spec.context
    missing, extra = set(keys) - set(tree), set(tree) - set(keys)
    if missing or extra:
        words = f"; missing key(s): {missing}" * bool(missing) + f"; extra key(s): {extra}" * bool(extra)
        raise EngineValueError(f"Node keys mismatch{words}.")
    return [tree[key] for key in keys]


class TreeSpec:
    """The shape of a tree."""

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_nodes = sum(child.num_nodes for child in children_specs) + 1
        self.num_leaves = sum(child.num_leaves for child in children_specs) if type is not None else 1

    def is_leaf(self) -> bool:
        """Tell whether it is that of a single thing."""
        return self.type is None

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """A tree of this shape."""
        return tree_unflatten(leaves, self)

    def children(self) -> list[TreeSpec]:
        """The shapes of what is in it."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """The shape of one of the things in it."""
        return self.children_specs[index]

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of another tree in the places of this one's leaves: leaves, or trees again."""
        if self.type is None:
            return [tree]
        definition = _definition(tree)
        kind, own = _kind(definition, tree), self.type not in _BUILTIN and self.type is not _namedtuple()
        both_dicts = kind in _DICTS and self.type in _DICTS
        if kind is not self.type and not both_dicts:
            what = "Type" if own else "Node type"
            raise EngineValueError(f"{what} mismatch; expected {self.type!r}, but got {kind!r}.")
        assert definition is not None
        children, context = definition.flatten_fn(tree)
        if len(children) != self.num_children:
            raise EngineValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if both_dicts:
            children = _in_order_of(self, tree)
        elif context != self.context and kind is not deque:
            where = f"{'custom ' if own else ''}node type {self.type!r}"
            contexts = "" if own else f"; expected {self.context!r}, but got {context!r}"
            raise EngineValueError(f"Node context mismatch for {where}{contexts}.")
        return [x for child, spec in zip(children, self.children_specs, strict=True) for x in spec.flatten_up_to(child)]

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
        name = self.type.__name__.rpartition(".")[2]
        return f"TreeSpec({name}, {self.context}, [{inner}])"


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
    return TreeSpec(_kind(definition, tree), context, [_walk(child, found, is_leaf) for child in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """A tree of this shape."""
    if not isinstance(treespec, TreeSpec):
        raise EngineTypeError(
            f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}."
        )
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


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """All that is in the arguments of a call, in order."""
    return tree_leaves((args, kwargs))


def tree_is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Tell whether a tree is a single thing."""
    return _definition(tree) is None or (is_leaf is not None and is_leaf(tree))


def is_namedtuple(obj: Any) -> bool:
    """Tell whether something is a named tuple, or the class of some."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Tell whether something is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple_class(cls: Any) -> bool:
    """Tell whether something is the class of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def treespec_pprint(treespec: TreeSpec) -> str:
    """A shape as the tree of that shape, with a star for each leaf."""
    return repr(tree_unflatten([_Star()] * treespec.num_leaves, treespec))


class _Star:
    def __repr__(self) -> str:
        return "*"


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """All that is in a tree, in order."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The shape of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """A tree of what a function makes of all that is in one, or at the same places of several."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(other) for other in rests]
    call = guarded(func)
    return tree_unflatten([call(*xs) for xs in zip(leaves, *others, strict=True)], spec)


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call a function with all that is in a tree, which is given back."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any, is_leaf: Any = None) -> Any:
    """A tree in which what is of a type, or fits a question, is replaced by what a function makes of it."""
    fits, call = _fitting(kind), guarded(func)
    return tree_map(lambda x: call(x) if fits(x) else x, tree, is_leaf=is_leaf)


def tree_map_only_(kind: Any, func: Callable[[Any], Any], tree: Any, is_leaf: Any = None) -> Any:
    """Call a function with what is of a type, or fits a question, in a tree, which is given back."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def _fitting(kind: Any) -> Callable[[Any], bool]:
    return kind if callable(kind) and not isinstance(kind, type) else lambda x: isinstance(x, kind)


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

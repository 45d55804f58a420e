"""torch.utils._pytree: trees of Python's containers, as public programs use them."""

from ..engine.transforms.pytree import (
    SUPPORTED_NODES as SUPPORTED_NODES,
    LeafSpec as LeafSpec,
    NodeDef as NodeDef,
    TreeSpec as TreeSpec,
    arg_tree_leaves as arg_tree_leaves,
    broadcast_to_and_flatten as _broadcast_to_and_flatten,
    is_namedtuple as is_namedtuple,
    is_namedtuple_class as is_namedtuple_class,
    is_namedtuple_instance as is_namedtuple_instance,
    register_pytree_node as register_pytree_node,
    tree_all as tree_all,
    tree_all_only as tree_all_only,
    tree_any as tree_any,
    tree_any_only as tree_any_only,
    tree_flatten as tree_flatten,
    tree_is_leaf as tree_is_leaf,
    tree_iter as tree_iter,
    tree_leaves as tree_leaves,
    tree_map as tree_map,
    tree_map_ as tree_map_,
    tree_map_only as tree_map_only,
    tree_map_only_ as tree_map_only_,
    tree_structure as tree_structure,
    tree_unflatten as tree_unflatten,
    treespec_pprint as treespec_pprint,
)
from ..engine.transforms.pytree_paths import (
    GetAttrKey as GetAttrKey,
    KeyPath as KeyPath,
    MappingKey as MappingKey,
    SequenceKey as SequenceKey,
    key_get as key_get,
    keystr as keystr,
    tree_flatten_with_path as tree_flatten_with_path,
    tree_leaves_with_path as tree_leaves_with_path,
    tree_map_with_path as tree_map_with_path,
)

__all__ = ["_broadcast_to_and_flatten"]

"""torch.utils._pytree: trees of Python's containers, as public programs use them."""

from ..engine.transforms.pytree import (
    SUPPORTED_NODES as SUPPORTED_NODES,
    LeafSpec as LeafSpec,
    NodeDef as NodeDef,
    TreeSpec as TreeSpec,
    broadcast_to_and_flatten as _broadcast_to_and_flatten,
    register_pytree_node as register_pytree_node,
    tree_all as tree_all,
    tree_all_only as tree_all_only,
    tree_any as tree_any,
    tree_any_only as tree_any_only,
    tree_flatten as tree_flatten,
    tree_iter as tree_iter,
    tree_leaves as tree_leaves,
    tree_map as tree_map,
    tree_map_ as tree_map_,
    tree_map_only as tree_map_only,
    tree_structure as tree_structure,
    tree_unflatten as tree_unflatten,
)

__all__ = ["_broadcast_to_and_flatten"]

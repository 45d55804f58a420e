"""torch.utils.hooks: what takes a hook away again."""

from ..engine.graph import RemovableHandle as RemovableHandle

"""torch.utils.dlpack: memory that libraries hand each other."""

from ..engine.memory.dlpack import (
    DLDeviceType as DLDeviceType,
    from_dlpack as from_dlpack,
    to_dlpack as to_dlpack,
)

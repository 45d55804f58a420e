"""torch.amp: blocks that compute in half precision."""

from .engine.amp import (
    GradScaler as GradScaler,
    autocast as autocast,
    custom_bwd as custom_bwd,
    custom_fwd as custom_fwd,
)

"""torch.amp: blocks that compute in half precision."""

from .engine.amp.autocast_mode import autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd
from .engine.amp.grad_scaler import GradScaler as GradScaler
from .engine.parts import parts as _parts

_parts(__name__, "autocast_mode grad_scaler")

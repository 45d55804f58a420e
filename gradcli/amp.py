"""torch.amp: blocks that compute in half precision."""

from .engine.amp import autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd
from .engine.parts import parts as _parts
from .engine.scaling import GradScaler as GradScaler

_parts(__name__, "autocast_mode grad_scaler")

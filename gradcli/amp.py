"""torch.amp: half precision, where a device has it."""

from .engine.amp import GradScaler as GradScaler, autocast as autocast

"""torch.utils."""

from . import checkpoint as checkpoint

"""torch.nn.parallel: one module on several devices, of which there is one."""

from ..engine.parts import parts as _parts
from .modules.container import DataParallel as DataParallel

_parts(__name__, "data_parallel")

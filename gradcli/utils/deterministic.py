"""torch.utils.deterministic: whether memory that nothing was written to is filled where results are repeatable."""

from __future__ import annotations

import sys
from types import ModuleType

from ..engine.flags import FILLS, settings
from ..errors import EngineError


class _Deterministic(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Tell whether `torch.empty` and its kin are filled under `torch.use_deterministic_algorithms(True)`."""
        return bool(settings.get(FILLS, True))

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise EngineError(f"expected a bool, but got {type(mode).__name__}")
        settings[FILLS] = mode


sys.modules[__name__].__class__ = _Deterministic

"""torch.signal: windows."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import windows as windows
else:
    from ..engine.offers import package_door as _package_door

    __getattr__, __dir__ = _package_door(__name__, {"windows": ""})

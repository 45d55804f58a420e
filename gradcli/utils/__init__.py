"""torch.utils."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _pytree as _pytree, checkpoint as checkpoint, data as data, hooks as hooks
else:
    from ..engine.offers import package_door as _package_door

    __getattr__, __dir__ = _package_door(__name__, {"_pytree": "", "checkpoint": "", "data": "", "hooks": ""})

"""torch.utils."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..engine.memory.swapping import swap_tensors as swap_tensors
    from . import (
        _pytree as _pytree,
        checkpoint as checkpoint,
        data as data,
        deterministic as deterministic,
        dlpack as dlpack,
        hooks as hooks,
    )
else:
    from ..engine.offers import package_door as _package_door

    _find, __dir__ = _package_door(
        __name__,
        {
            "_dtype_abbrs": "", "_mode_utils": "", "_pytree": "", "_python_dispatch": "", "checkpoint": "", "data": "",
            "deterministic": "", "dlpack": "", "hooks": "", "swap_tensors": "", "weak": "",
        },
    )  # fmt: skip

    def __getattr__(name):
        if name == "swap_tensors":
            from ..engine.memory.swapping import swap_tensors

            return swap_tensors
        return _find(name)

"""torch.nn.utils.stateless: a module called with other parameters, by the name it had before torch.func."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any


def functional_call(
    module: Any, parameters_and_buffers: dict[str, Any], args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other tensors in the place of its parameters and buffers."""
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    call = import_module("gradcli.func").functional_call
    return call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)

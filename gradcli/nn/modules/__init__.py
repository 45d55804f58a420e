"""torch.nn.modules: the layers, a file per family, under the names of PyTorch's own files where it has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# PyTorch has it beside the layers.
_ELSEWHERE = ("DataParallel",)


def _is_layer(value: Any) -> bool:
    return isinstance(value, type) and value.__module__.startswith(f"{__name__}.")


def __getattr__(name: str) -> Any:
    """A layer by its name, or the module that holds some."""
    layers = import_module(__name__.rpartition(".")[0])
    if name == "__all__":
        return [n for n in dir(layers) if n[:1].isupper() and n not in _ELSEWHERE and _is_layer(getattr(layers, n))]
    if name[:1].isupper() and hasattr(layers, name):
        return getattr(layers, name)
    if name[:1].islower():
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from error
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

"""The module that torch.compile() makes around another, which runs as that is written."""

from __future__ import annotations

from typing import Any

from ..modules.module import Module

# What it has itself; all else is the module's.
_OWN = ("_orig_mod", "forward", "training")


class OptimizedModule(Module):
    """The module around another: it has what that has, and the names of its tensors begin with `_orig_mod`."""

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._orig_mod = mod
        self.training = mod.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute what the module computes."""
        return self._orig_mod(*args, **kwargs)

    def __len__(self) -> int:
        if not hasattr(type(self._orig_mod), "__len__"):
            raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")
        return len(self._orig_mod)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

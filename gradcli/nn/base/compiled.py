"""The base of modules that are written to be compiled, which run as they are written."""

from __future__ import annotations

from ..modules.module import Module


class ScriptModule(Module):
    """A module that is written to be compiled."""

    __module__ = "torch.jit._script"

"""The ops, one file per family, in folders that one knows from PyTorch's documentation.

A family is read when it is first asked for: elsewhere, and in other families, its functions are called as
``ops.FAMILY.NAME``. At its top a family imports from others only small helpers, so that it brings few along.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """A family, read now."""
    from ..offers import modules

    for module in modules():
        if module.startswith("ops.") and module.endswith("." + name) and not name.startswith("_"):
            globals()[name] = family = import_module(f"..{module}", __name__)
            return family
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

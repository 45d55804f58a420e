"""Modules of PyTorch's that are no files here: programs import them, and from them, by their path."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def part(of: str, name: str, /, **names: Any) -> ModuleType:
    """A module within one, which holds these names."""
    made = ModuleType(f"{of}.{name}")
    vars(made).update(names)
    lent(of, **{name: made})
    return made


def parts(of: str, names: str) -> None:
    """Make modules within one, whose names are all its own: PyTorch has a file for each."""
    home = sys.modules[of]
    for name in names.split():
        vars(home)[name] = part(of, name, __getattr__=lambda sought: getattr(home, sought))


def lent(of: str, **modules: ModuleType) -> None:
    """Let modules be imported from within one: what has any is a package."""
    sys.modules.update({f"{of}.{name}": module for name, module in modules.items()})
    vars(sys.modules[of]).setdefault("__path__", [])

"""Modules of PyTorch's that are no files here: programs import them, and from them, by their path."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def part(of: str, name: str, /, **names: Any) -> ModuleType:
    """A module within one, which holds these names."""
    made = ModuleType(f"{of}.{name}")
    vars(made).update(names)
    lent(of, **{name: made})
    return made


def parts(of: str, names: str, functions: str = "") -> None:
    """Make modules within one, whose names are all its own: PyTorch has a file for each.

    What one of them calls as itself is a function of another module within.
    """
    home = sys.modules[of]
    for name in names.split():
        vars(home)[name] = part(of, name, __getattr__=_door(home, name.lstrip("_"), functions))


def _door(home: ModuleType, own: str, functions: str) -> Callable[[str], Any]:
    """The way to what a part shares with its home, or, by the part's own name, with the module of functions."""
    return lambda sought: getattr(getattr(home, functions) if functions and sought == own else home, sought)


def lent(of: str, **modules: ModuleType) -> None:
    """Let modules be imported from within one: what has any is a package."""
    sys.modules.update({f"{of}.{name}": module for name, module in modules.items()})
    vars(sys.modules[of]).setdefault("__path__", [])

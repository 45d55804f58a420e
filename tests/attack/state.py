"""What the host keeps for itself, as it was before a program and as it is after it."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gradcli
from gradcli.engine import dtypes, flags, printing
from gradcli.engine.modes import mode
from tests.spec.harvest import host_modules

Report = Callable[[str, str], None]
# What is the same where it is equal; anything else is itself, and is kept, for its identity to stay its own.
_COMPARED = (int, float, str, bool, bytes, tuple, frozenset)
# What classes and modules of the host fill as they go, by nature: the tables of the interpreter, caches.
_GROWS = frozenset("__abstractmethods__ __annotations__ _abc_impl __warningregistry__ __static_attributes__".split())


def fingerprint() -> dict[str, Any]:
    """Everything that no program may change, by where it is."""
    found: dict[str, Any] = {}
    for name, module in [*host_modules().items(), ("gradcli", gradcli), ("numpy", np), ("builtins", builtins)]:
        for key, value in list(vars(module).items()):
            if key in _GROWS:
                continue
            found[f"{name}.{key}"] = value
            if isinstance(value, type) and value.__module__ == name:
                for attribute, held in list(vars(value).items()):
                    if attribute not in _GROWS:
                        found[f"{name}.{key}.{attribute}"] = held
    found["os.environ"] = tuple(os.environ.items())
    found["sys.path"] = tuple(sys.path)
    found["folder"] = os.getcwd()
    return found


def changed(before: dict[str, Any]) -> list[str]:
    """What is not as it was; what was loaded since is nothing."""
    after = fingerprint()
    return [name for name, value in before.items() if name not in after or not _same(after[name], value)]


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and type(a) in _COMPARED and bool(a == b))


def surroundings() -> tuple[Any, ...]:
    """What is put back after each program."""
    return (
        mode.grad, mode.inference, mode.rule, mode.tape, dtypes.get_default_dtype(), printing.get_printoptions(),
        dict(flags.settings), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(),
        str(np.geterr()), str(np.get_printoptions()), len(warnings.filters), signal.getsignal(signal.SIGINT),
        sys.stdout, sys.stderr, sys.displayhook, sys.excepthook,
    )  # fmt: skip

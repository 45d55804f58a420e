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
_SIMPLE = (int, float, str, bool, bytes, type(None), tuple, frozenset)
# What classes and modules of the host fill as they go, by nature: the tables of the interpreter, caches.
_GROWS = frozenset("__abstractmethods__ __annotations__ _abc_impl __warningregistry__ __static_attributes__".split())


def fingerprint() -> dict[str, Any]:
    """Everything that no program may change, by where it is."""
    found: dict[str, Any] = {}
    for name, module in [*host_modules().items(), ("gradcli", gradcli), ("numpy", np), ("builtins", builtins)]:
        for key, value in list(vars(module).items()):
            if key in _GROWS:
                continue
            found[f"{name}.{key}"] = _mark(value)
            if isinstance(value, type) and value.__module__ == name:
                for attribute, held in list(vars(value).items()):
                    if attribute not in _GROWS:
                        found[f"{name}.{key}.{attribute}"] = _mark(held)
    found["os.environ"] = dict(os.environ)
    found["sys.path"] = list(sys.path)
    found["folder"] = os.getcwd()
    return found


def _mark(value: Any) -> Any:
    """What tells a value from another: itself where it is simple, else which it is."""
    return value if type(value) in _SIMPLE and value == value else id(value)


def changed(before: dict[str, Any]) -> list[str]:
    """What is not as it was; what was loaded since is nothing."""
    after = fingerprint()
    return [name for name, mark in before.items() if name not in after or after[name] != mark]


def surroundings() -> tuple[Any, ...]:
    """What is put back after each program."""
    return (
        mode.grad, mode.inference, mode.rule, mode.tape, dtypes.get_default_dtype(), printing.get_printoptions(),
        dict(flags.settings), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(),
        str(np.geterr()), str(np.get_printoptions()), len(warnings.filters), signal.getsignal(signal.SIGINT),
        sys.stdout, sys.stderr, sys.displayhook, sys.excepthook,
    )  # fmt: skip

"""Is a gradient right? Derivatives with error bars, and the verdicts that follow from them.

To whoever has imported gradcli, this room is a function, too: ``gradcli.check(f, x)``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A room that can be called: what it does then stands where reports are made."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from importlib import import_module

        return import_module("gradcli.report.library").check(*args, **options)


sys.modules[__name__].__class__ = _Room

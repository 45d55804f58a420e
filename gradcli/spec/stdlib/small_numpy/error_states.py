"""Errors of operators on arrays, a division by zero or an overflow: warned of, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import SpecError


def geterr() -> dict[str, Any]:
    """np.geterr(): what is done of each kind."""
    return dict(np.geterr())


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """np.seterr(): warn or be silent, until the run ends; nothing is raised, as the engine computes by them as well."""
    for mode in (all, divide, over, under, invalid):
        if mode in ("raise", "call", "print", "log"):
            raise SpecError(
                f"np.seterr() and np.errstate() take 'ignore' and 'warn' in the spec language, not {mode!r}",
                help="look at the result: np.isfinite(x).all()",
            )
    return dict(np.seterr(all, divide, over, under, invalid))

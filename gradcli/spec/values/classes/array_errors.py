"""The exceptions of NumPy's functions, as a program sees them: a class by its name, and a text.

NumPy's own hold functions and element types of the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class UFuncTypeError(TypeError):
    """The numbers of an array do not fit a function that goes element by element."""


_HOME = "numpy._core._exceptions"
UFuncTypeError.__module__ = _HOME
KINDS = {
    name: type("UFuncTypeError", (UFuncTypeError,), {"__module__": _HOME, "__qualname__": name})
    for name in (
        "_UFuncBinaryResolutionError", "_UFuncInputCastingError", "_UFuncNoLoopError", "_UFuncOutputCastingError",
    )
}  # fmt: skip


def seen(cls: type) -> type | None:
    """The class in the place of one of NumPy's own, or None for one that has none."""
    return KINDS.get(cls.__qualname__) if cls.__module__ == _HOME else None


def casting(message: str) -> TypeError:
    """The error of a result that does not fit the array which it is to be written into."""
    error: TypeError = KINDS["_UFuncOutputCastingError"](message)
    return error


def names() -> dict[str, Any]:
    """The names of the module `numpy.exceptions`."""
    of = np.exceptions
    known = (of.AxisError, of.ComplexWarning, of.DTypePromotionError, of.RankWarning, of.VisibleDeprecationWarning)
    return {cls.__name__: cls for cls in known}

"""gradcli: trace, check and draw the graphs that autograd records.

``import gradcli as torch`` runs small PyTorch programs. The engine is loaded when the first of its names is asked
for: what needs no numbers, such as the help of the command line, does not wait for NumPy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import (
        accelerator as accelerator,
        amp as amp,
        autograd as autograd,
        backends as backends,
        compiler as compiler,
        cpu as cpu,
        cuda as cuda,
        distributions as distributions,
        fft as fft,
        func as func,
        linalg as linalg,
        masked as masked,
        nn as nn,
        optim as optim,
        profiler as profiler,
        random as random,
        special as special,
        testing as testing,
        utils as utils,
        version as version,
    )
    from .__main__ import main as main
    from .graph.dot.document import make_dot as make_dot
    from .graph.library import trace as trace
    from .graph.view.recorded import recording as recording
    from .namespace import *  # noqa: F403
    from .report.library import assert_gradient as assert_gradient, check as check
    from .stubs.torch import *  # noqa: F403

__version__ = "0.2.0"
# An index that makes an axis.
newaxis = None


# What shows graphs, and the command line, with the modules that have it: none of this is PyTorch's.
_VIEWS = {
    "trace": "graph.library",
    "make_dot": "graph.dot.document",
    "recording": "graph.view.recorded",
    "main": "__main__",
    "assert_gradient": "report.library",
}

# Rooms that can be called.
_ROOMS = {"check"}


def _find(name: str) -> Any:
    if name.startswith("__") and name not in ("__all__", "__future__"):
        raise AttributeError(f"module 'gradcli' has no attribute '{name}'")
    if name in _ROOMS:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name in _VIEWS:
        from importlib import import_module

        globals()[name] = found = getattr(import_module(f"{__name__}.{_VIEWS[name]}"), name)
        return found
    from .namespace import find_public

    return find_public(name)


# A type checker knows the names by their stubs.
if not TYPE_CHECKING:
    __getattr__ = _find


def __dir__() -> list[str]:
    from .namespace import list_public

    return sorted({*list_public(), *_VIEWS, *_ROOMS})

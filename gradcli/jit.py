"""torch.jit and torch.compile, which compile nothing here: programs run as they are written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final as Final


def __getattr__(name: str) -> Any:
    if name == "ScriptModule":
        return import_module(f"{__package__}.nn.base.compiled").ScriptModule
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def script(obj: Any, *args: Any, **options: Any) -> Any:
    """Give back the function or the module itself."""
    del args, options
    return obj


def trace(func: Any, example_inputs: Any = None, **options: Any) -> Any:
    """Give back the function or the module itself."""
    del example_inputs, options
    return func


def compile(model: Any = None, **options: Any) -> Any:
    """Give back the function itself, or a module in its OptimizedModule, or a decorator that does so."""
    if model is None:
        return compile
    nn = sys.modules.get(f"{__package__}.nn.modules.module")
    if nn is None or not isinstance(model, nn.Module):
        return model
    around = import_module(f"{__package__}.nn.base.eval_frame").OptimizedModule
    return model if isinstance(model, around) else around(model)


def ignore(drop: Any = False, **options: Any) -> Any:
    """Decorate what is not to be compiled."""
    return drop if callable(drop) else _untouched


def unused(fn: Any) -> Any:
    """Decorate what is never called when compiled."""
    return fn


def _untouched(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


export = interface = script_if_tracing = unused


def annotate(the_type: Any, the_value: Any) -> Any:
    """Give back the value: the type is for a compiler."""
    del the_type
    return the_value


def is_scripting() -> bool:
    """Return False: nothing is compiled."""
    return False


def is_tracing() -> bool:
    """Return False: nothing is compiled."""
    return False


__all__ = [
    "Final", "annotate", "export", "ignore", "interface", "is_scripting", "is_tracing", "script",
    "script_if_tracing", "trace", "unused",
]  # fmt: skip

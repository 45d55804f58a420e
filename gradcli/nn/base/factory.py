"""The keyword arguments that say of what kind the parameters of a layer are made."""

from __future__ import annotations

from typing import Any

from ...errors import EngineTypeError

_NAMES = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Those of keyword arguments that are for the functions that make parameters."""
    if kwargs is None:
        return {}
    expected = {"factory_kwargs", *_NAMES}
    if not kwargs.keys() <= expected:
        raise EngineTypeError(f"unexpected kwargs {kwargs.keys() - expected}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in _NAMES:
        if name in kwargs:
            if name in found:
                raise EngineTypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            found[name] = kwargs[name]
    return found

"""Finding what users may call by its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import methods as _methods  # noqa: F401 (fills the registry)
from .registry import PUBLIC


def find(place: str, name: str) -> Any | None:
    """The function offered as ``place.name`` (torch, Tensor, Tensor_, F, linalg, special), or None."""
    return PUBLIC[place].get(name)


def names(place: str) -> Iterable[str]:
    """The names offered in a place."""
    return PUBLIC[place]

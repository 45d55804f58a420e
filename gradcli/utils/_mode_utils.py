"""torch.utils._mode_utils: blocks in which nobody sees ops, and questions about modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..engine.dispatch.overriding import no_dispatch_modes, ops_of_classes_off


@contextmanager
def no_dispatch() -> Iterator[None]:
    """A block in which neither classes nor modes see ops."""
    with ops_of_classes_off(), no_dispatch_modes():
        yield


def all_same_mode(modes: Iterable[Any]) -> bool:
    """Tell whether some modes are one."""
    first, *rest = modes
    return all(mode is first for mode in rest)

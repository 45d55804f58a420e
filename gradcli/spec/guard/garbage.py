"""The search for garbage: among what is made, not among all that was there before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sparing() -> Iterator[None]:
    """Search for garbage among what is made in a ``with`` block alone: of whoever loaded much, all else takes long."""
    if gc.get_freeze_count():
        # Somebody has seen to that.
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        # What is garbage by now would be searched for among all else, or never.
        gc.collect()
        gc.unfreeze()

"""The search for garbage: among what is made, not among all that was there before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# So many objects may be made, before it is searched among the newest, while what was there is spared.
_SELDOM = 5_000
# Whether what was there at some time is spared for good.
_settled = False


def settle() -> None:
    """Spare what is there by now for good: a process with millions of objects runs one program after the other."""
    global _settled
    gc.freeze()
    _settled = True


def spare() -> None:
    """Search for garbage among what is made from now on, until `search_again`."""
    gc.freeze()


def search_again() -> None:
    """Search among everything again, unless what was there is spared for good."""
    if not _settled:
        gc.unfreeze()


@contextmanager
def sparing() -> Iterator[None]:
    """Search for garbage among what is made in a ``with`` block alone: of whoever loaded much, all else takes long."""
    # To count what is spared takes longer the more it is.
    if _settled or gc.get_freeze_count():
        # Somebody has seen to that.
        yield
        return
    spare()
    often, *older = gc.get_threshold()
    if often:
        gc.set_threshold(max(often, _SELDOM), *older)
    try:
        yield
    finally:
        gc.set_threshold(often, *older)
        # What is garbage by now would be searched for among all else, or never.
        gc.collect()
        search_again()

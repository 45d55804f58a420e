"""References that keep nothing alive: to objects of a program's classes, functions, tensors and modules."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from ...engine.guard.addresses import address
from ..guard.size_limits import caps
from ..values.classes.sealed_classes import Given, known_as
from ..values.hashing import hashed
from ..values.tables.table import declare
from ..values.visible_types import word


class Weak(Given):
    """A reference that a call follows: to the object, or to None once nothing else holds that."""

    __slots__ = ("_hash", "_to")

    def __init__(self, object: Any) -> None:
        caps.tick(1)
        try:
            self._to = weakref.ref(object)
        except TypeError:
            raise TypeError(f"cannot create weak reference to '{word(object)}' object") from None
        self._hash: int | None = None

    def __call__(self) -> Any:
        return self._to()

    def __eq__(self, other: object) -> bool:
        """The same object, if it is still there; after that only the same reference."""
        if self is other:
            return True
        return isinstance(other, Weak) and (found := self._to()) is not None and found is other._to()

    def __hash__(self) -> int:
        """The object's own, as it was when it was first asked for."""
        if self._hash is None:
            found = self._to()
            if found is None:
                raise TypeError("weak object has gone away")
            self._hash = hashed(found)
        return self._hash

    def __repr__(self) -> str:
        found = self._to()
        to = "dead" if found is None else f"to {word(found)!r} at {address(found):#x}"
        return f"<weakref at {address(self):#x}; {to}>"


known_as(Weak, "ReferenceType", "weakref")
declare(Weak, base=object)


def _reference(object: Any) -> Weak:
    return Weak(object)


def _collected() -> None:
    """Free what only holds itself: who has a reference that keeps nothing alive sees that."""
    caps.tick(1_000)
    gc.collect()
    caps.leave_found()


def names() -> dict[str, Any]:
    """The names that the module `weakref` is written with."""
    return {"reference": _reference, "collected": _collected}

"""Results with names: what PyTorch returns where a function has several."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any


class NamedResult(tuple[Any, ...]):
    """A tuple whose items have names."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self.written([f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)])

    def written(self, fields: Iterable[str]) -> str:
        """The text of results whose fields are texts."""
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(fields) + ")"


# The classes by their names: each is made once.
classes: dict[str, type[NamedResult]] = {}


def named_result(name: str, *fields: str) -> type[NamedResult]:
    """The class of one function's results."""
    if name in classes:
        return classes[name]
    body: dict[str, Any] = {f: property(operator.itemgetter(i)) for i, f in enumerate(fields)}
    body |= {"__slots__": (), "_fields": fields, "__module__": "torch.return_types"}
    body |= {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    classes[name] = made = type(name, (NamedResult,), body)
    return made

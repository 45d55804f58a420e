"""Results with names: what PyTorch returns where a function has several."""

from __future__ import annotations

import operator
from typing import Any


class NamedResult(tuple[Any, ...]):
    """A tuple whose items have names."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{lines})"


def named_result(name: str, *fields: str) -> type[NamedResult]:
    """The class of one function's results."""
    body: dict[str, Any] = {f: property(operator.itemgetter(i)) for i, f in enumerate(fields)}
    return type(name, (NamedResult,), {**body, "__slots__": (), "_fields": fields, "__module__": "torch.return_types"})

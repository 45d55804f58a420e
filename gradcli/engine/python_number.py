"""A Python number beside a tensor."""

from __future__ import annotations

from typing import Any

from . import dtypes
from .tensor import Tensor


class WrappedNumber(Tensor):
    """A Python number beside a tensor: it computes in its partner's dtype and reads as its own."""

    number: Any

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype that a tensor of the number would have, with Python floats as float64."""
        kind = type(self.number)
        return dtypes.bool_ if kind is bool else dtypes.int64 if kind is int else dtypes.float64

    def item(self) -> Any:
        """The number."""
        return self.number

    def tolist(self) -> Any:
        """The number."""
        return self.number

    def __repr__(self, tensor_contents: str | None = None) -> str:
        from .from_python import as_array
        from .tensor import result

        return repr(result(as_array(self.number, self.dtype.np)))

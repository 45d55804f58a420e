"""torch.finfo and torch.iinfo: what the numbers of an element type can tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import EngineTypeError
from . import dtypes
from .registry import public


def _given(name: str, args: tuple[Any, ...], named: dict[str, Any], default: dtypes.dtype | None) -> dtypes.dtype:
    """The one argument, an element type."""
    given = (*args, *(named.pop("type") for _ in range("type" in named)))
    if named or len(given) > 1:
        raise EngineTypeError(f"{name}() takes 1 positional argument but {len(given) + len(named)} were given")
    d = given[0] if given else default
    if d is None:
        raise EngineTypeError(f'{name}() missing 1 required positional arguments: "type"')
    if not isinstance(d, dtypes.dtype):
        raise EngineTypeError(
            f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(d).__name__}"
        )
    return d


class _Info:
    """The limits of an element type, as PyTorch names them."""

    __slots__ = ("bits", "dtype", "max", "min")

    dtype: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Info) and type(other) is type(self) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash((type(self), self.dtype))


@public("torch.finfo")
class finfo(_Info):
    """The precision and the range of a floating element type."""

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __init__(self, *args: Any, **named: Any) -> None:
        d = _given("finfo", args, named, dtypes.get_default_dtype())
        if d.is_complex:
            d = dtypes.float32 if d.itemsize == 8 else dtypes.float64
        if not d.is_floating_point:
            raise EngineTypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        found: Any = dtypes.limits_of(d.np)
        self.dtype, self.bits = d.name, found.bits
        self.eps, self.max, self.min = (float(x) for x in (found.eps, found.max, found.min))
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution = 10.0**-found.precision

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


@public("torch.iinfo")
class iinfo(_Info):
    """The range of an integer element type."""

    __slots__ = ()

    def __init__(self, *args: Any, **named: Any) -> None:
        d = _given("iinfo", args, named, None)
        if d is dtypes.bool_:
            raise EngineTypeError("torch.bool is not supported by torch.iinfo")
        if d.is_floating_point or d.is_complex:
            raise EngineTypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        found = np.iinfo(d.np)
        self.dtype, self.bits = d.name, found.bits
        self.max, self.min = int(found.max), int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

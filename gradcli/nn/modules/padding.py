"""Padding: each layer is its function."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F
from ..base.options import NEEDED, Options, taken


class _Pad(Options):
    _options: dict[str, Any] = {"padding": NEEDED}
    _shown: tuple[str, ...] = ("padding!v",)
    _rank = 0
    _mode = "constant"
    padding: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given = self.padding
        self.padding = (given,) * (2 * ours(self, _Pad)._rank) if isinstance(given, int) else tuple(given)

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Pad."""
        (x,) = taken(self, inputs, named)
        return F.pad(x, self.padding, ours(self, _Pad)._mode, self.__dict__.get("value"))


class _ConstantPadNd(_Pad):
    _forward_of = "_ConstantPadNd"
    _options = {"padding": NEEDED, "value": NEEDED}
    _shown: tuple[str, ...] = ("padding", "value")


class ConstantPad1d(_ConstantPadNd):
    """A sequence with a value on both sides."""

    _rank = 1


class ConstantPad2d(_ConstantPadNd):
    """An image with a value on all sides."""

    _rank = 2


class ConstantPad3d(_ConstantPadNd):
    """A volume with a value on all sides."""

    _rank = 3


class _ZeroPad(_ConstantPadNd):
    _options = {"padding": NEEDED}
    _shown = ("padding!v",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.value = 0.0


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """A sequence with zeros on both sides."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """An image with zeros on all sides."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """A volume with zeros on all sides."""


class _ReflectionPadNd(_Pad):
    _forward_of = "_ReflectionPadNd"
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """A sequence with its mirror image on both sides."""

    _rank = 1


class ReflectionPad2d(_ReflectionPadNd):
    """An image with its mirror image on all sides."""

    _rank = 2


class ReflectionPad3d(_ReflectionPadNd):
    """A volume with its mirror image on all sides."""

    _rank = 3


class _ReplicationPadNd(_Pad):
    _forward_of = "_ReplicationPadNd"
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """A sequence with its ends repeated."""

    _rank = 1


class ReplicationPad2d(_ReplicationPadNd):
    """An image with its border repeated."""

    _rank = 2


class ReplicationPad3d(_ReplicationPadNd):
    """A volume with its border repeated."""

    _rank = 3


class _CircularPadNd(_Pad):
    _forward_of = "_CircularPadNd"
    _mode = "circular"

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Pad."""
        (x,) = taken(self, inputs, named)
        n, rank = x.dim(), ours(self, _Pad)._rank
        if n not in (rank + 1, rank + 2):
            raise EngineValueError(f"expected {rank + 1}D or {rank + 2}D input (got {n}D input)")
        return super().forward(x)


class CircularPad1d(_CircularPadNd):
    """A sequence that goes on from the other end."""

    _rank = 1


class CircularPad2d(_CircularPadNd):
    """An image that goes on from the other side."""

    _rank = 2


class CircularPad3d(_CircularPadNd):
    """A volume that goes on from the other side."""

    _rank = 3

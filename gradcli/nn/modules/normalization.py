"""Normalisation over the entries of an item, or over neighbouring channels."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F, init
from ..base import cross_map
from ..base.options import NEEDED, Options
from .linear import empty
from .module import Module


class Affine(Module):
    """A scale and a shift, where they are asked for."""

    def _make_affine(self, shape: Any, scale: bool, shift: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", scale), ("bias", scale and shift)):
            self.register_parameter(name, empty(*shape, dtype=dtype, device=device) if wanted else None)

    def reset_parameters(self) -> None:
        """Go back to the starting values."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.__dict__["_parameters"].get("bias") is not None:
            init.zeros_(self.bias)


class LayerNorm(Affine):
    """The last axes with their own mean and variance."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Affine):
    """The last axes over the root of their mean square."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = empty(*self.normalized_shape, dtype=dtype, device=device) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Any:
        """Apply the layer."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Affine):
    """Groups of channels with their own mean and variance."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise EngineValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine((num_channels,), affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Options):
    """Each number divided by a power of the squares at its place in neighbouring channels."""

    _name, _options = "local_response_norm", {"size": NEEDED, "alpha": 1e-4, "beta": 0.75, "k": 1.0}
    _shown = ("size!v", "alpha", "beta", "k")


class CrossMapLRN2d(Options):
    """Each element divided by a power of the squares at its place in neighbouring channels."""

    _name = "local_response_norm"
    _options = {"size": NEEDED, "alpha": 1e-4, "beta": 0.75, "k": 1}
    _shown = ("size!v", "alpha", "beta", "k")

    def forward(self, input: Tensor) -> Any:  # type: ignore[override]
        """Divide, as PyTorch does."""
        if input.dim() != 4:
            raise EngineValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        return cross_map.CrossMapLRN2d.apply(input, self.size, self.alpha, self.beta, self.k)

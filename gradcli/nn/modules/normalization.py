"""Normalisation."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.ops.make import filled
from ...engine.tensor import Tensor, tensor
from ...errors import EngineValueError
from .. import functional as F, init
from .linear import empty
from .module import Module
from .options import NEEDED, Options


class _Affine(Module):
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


class _Running(_Affine):
    """Normalisation over a batch, or over each of its items, with statistics that run along."""

    _version = 2
    # Members that a state dict of an earlier version lacks.
    _later = ("num_batches_tracked",)
    # The numbers of axes that an input may have.
    _dims: tuple[int, ...] = ()

    def __init__(
        self, num_features: int, eps: float, momentum: float | None, affine: bool, track_running_stats: bool,
        device: Any, dtype: Any, bias: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make_affine((num_features,), affine, bias, device, dtype)
        like = {"dtype": dtype, "device": device}
        self.register_buffer("running_mean", filled.zeros(num_features, **like) if track_running_stats else None)
        self.register_buffer("running_var", filled.ones(num_features, **like) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Go back to mean 0 and variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Go back to the starting values."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check(self, input: Tensor) -> None:
        dims = ours(self, _Running)._dims
        if input.dim() not in dims:
            raise EngineValueError(
                f"expected {' or '.join(f'{n}D' for n in dims)} input (got {input.dim()}D input)"
            )

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Running):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        self._check(input)
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                share = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        kept = not self.training or self.track_running_stats
        mean, variance = (self.running_mean, self.running_var) if kept else (None, None)
        return F.batch_norm(input, mean, variance, self.weight, self.bias, by_batch, share, self.eps)


class BatchNorm1d(_BatchNorm):
    """Each feature with the mean and variance it has in the batch, or had in earlier ones."""

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images with the mean and variance it has in the batch, or had in earlier ones."""

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of volumes with the mean and variance it has in the batch, or had in earlier ones."""

    _dims = (5,)


class _InstanceNorm(_Running):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Any) -> Any:
        """Apply the layer."""
        self._check(input)
        alone = input.dim() == ours(self, _Running)._dims[0]
        axis = 0 if alone else 1
        if input.shape[axis] != self.num_features:
            if self.affine:
                raise EngineValueError(
                    f"expected input's size at dim={axis} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[axis]}."
                )
            warnings.warn(
                f"input's size at dim={axis} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                UserWarning,
                stacklevel=3,
            )
        found = F.instance_norm(
            input.unsqueeze(0) if alone else input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return found.squeeze(0) if alone else found


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sequence with its own mean and variance."""

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image with its own mean and variance."""

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each volume with its own mean and variance."""

    _dims = (4, 5)


class LayerNorm(_Affine):
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


class RMSNorm(_Affine):
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


class GroupNorm(_Affine):
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

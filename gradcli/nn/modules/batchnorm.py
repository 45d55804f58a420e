"""Normalisation over a batch."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.ops.make import filled
from ...engine.tensor import Tensor, tensor
from ...errors import EngineValueError
from .. import functional as F
from .normalization import Affine


class _NormBase(Affine):
    """Normalisation over a batch, or over each of its items, with statistics that run along."""

    _version = 2
    # Members that a state dict of an earlier version lacks.
    _later = ("num_batches_tracked",)
    # The numbers of axes that an input may have.
    _dims: tuple[int, ...] = ()

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
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
        self.register_buffer("num_batches_tracked", tensor(0, device=device) if track_running_stats else None)
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

    def _check_input_dim(self, input: Tensor) -> None:
        dims = ours(self, _NormBase)._dims
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


class _BatchNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        self._check_input_dim(input)
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


class SyncBatchNorm(_BatchNorm):
    """Each channel with the mean and variance it has in the batch: of one process, whose batch is all there is."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise EngineValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.shape[1] == 0:
            raise EngineValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """A tree of modules with such a layer in the place of each batch norm, of the same parameters."""
        made = module
        if isinstance(module, _BatchNorm):
            made = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, bias=module.bias is not None,
            )  # fmt: skip
            made.__dict__["_parameters"].update(module.__dict__["_parameters"])
            made.__dict__["_buffers"].update(module.__dict__["_buffers"])
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made

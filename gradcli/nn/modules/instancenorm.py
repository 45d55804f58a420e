"""Normalisation over each item of a batch."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.guard.trusted_classes import ours
from ...errors import EngineValueError
from .. import functional as F
from .batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Any) -> Any:
        """Apply the layer."""
        self._check_input_dim(input)
        alone = input.dim() == ours(self, _NormBase)._dims[0]
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

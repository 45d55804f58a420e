"""torch.nn.utils.parametrizations: weights as a length times a direction, or with a largest singular value of 1."""

from __future__ import annotations

from typing import Any

from ...engine import ops
from ...engine.modes import no_grad
from ...engine.ops.loss import similarity
from ...engine.ops.make import converting
from ...engine.ops.matrix import matmul
from ...engine.tensor import Tensor
from ...errors import EngineIndexError, EngineValueError
from ..base.holder import has, member
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization
from .reweighting import check_iterations, dim_first, unit_noise


class _WeightNorm(Module):
    """A weight as a length times a direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The weight."""
        return ops.weight_norm.weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """A length and a direction that make a weight."""
        return ops.weight_norm.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight of a module made of a length and a direction."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which a power iteration follows."""

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        n = weight.ndim
        if not -n <= dim < n:
            raise EngineIndexError(f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})")
        check_iterations(n_power_iterations)
        self.dim = dim % n
        self.eps = eps
        if n > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight.detach())
            for key, size in zip(("_u", "_v"), matrix.shape, strict=True):
                self.register_buffer(key, unit_noise(weight, size, eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Any) -> Any:
        """The weight as a matrix."""
        return dim_first(weight, self.dim).flatten(1)

    def _iterate(self, matrix: Any, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.copy_(similarity.normalize(matmul.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(similarity.normalize(matmul.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        """The weight, divided."""
        if weight.ndim == 1:
            return similarity.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u: Any = converting.clone(self._u)
        v = converting.clone(self._v)
        return weight / matmul.vdot(u, matmul.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """The value itself: it may have any length."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight of a module divided by its largest singular value."""
    weight = member(module, name) if isinstance(module, Module) and has(module, name) else None
    if not isinstance(weight, Tensor):
        raise EngineValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))

"""torch.nn.utils.parametrizations: weights as a length times a direction, of norm 1, or orthogonal."""

from __future__ import annotations

from typing import Any

from ...engine import ops
from ...engine.modes import no_grad
from ...engine.offers import find
from ...engine.ops.loss import similarity
from ...engine.ops.make import converting, filled, random
from ...engine.ops.matrix import matmul, reflectors
from ...engine.ops.shape import joining
from ...engine.tensor import Tensor
from ...errors import EngineIndexError, EngineNotImplementedError, EngineValueError
from ..base.holder import has, member
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization
from .reweighting import check_iterations, dim_first, noted_as_kept, unit_noise


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
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state: Any, prefix: str, *told: Any) -> None:
        # States of the time when a hook made the weight.
        parts = [f"{prefix}{name}_{ending}" for ending in "gv"]
        if all(part in state for part in parts):
            for i, part in enumerate(parts):
                state[f"{prefix}parametrizations.{name}.original{i}"] = state.pop(part)

    module._register_load_state_dict_pre_hook(rename)
    return module


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
            noted_as_kept(matrix, self._u, self._v)

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


# -- orthogonal ----------------------------------------------------------------------------------

_MAPS = ("matrix_exp", "cayley", "householder")


def _is_orthogonal(matrix: Any) -> bool:
    n, k = matrix.shape[-2:]
    identity: Any = filled.eye(k, dtype=matrix.dtype)
    near = 10.0 * n * find("torch", "finfo")(matrix.dtype).eps
    return bool(find("torch", "allclose")(matrix.mH @ matrix, identity, atol=near))


def _made_orthogonal(matrix: Any) -> Any:
    """The orthogonal factor of a matrix, with the signs that make it unique."""
    reflected, factors = reflectors.geqrf(matrix)
    found = reflectors.householder_product(reflected, factors)
    return found * reflected.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    """An orthogonal matrix, of a matrix of any numbers."""

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise EngineValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """The orthogonal matrix."""
        turned = X.shape[-2] < X.shape[-1]
        matrix = X.mT if turned else X
        found = self._reflected(matrix) if self.orthogonal_map == "householder" else self._rotated(matrix)
        if has(self, "base"):
            found = self.base @ found
        return found.mT if turned else found

    def _rotated(self, matrix: Any) -> Any:
        """The exponential of a skew matrix, or its Cayley transform."""
        n, k = matrix.shape[-2:]
        lower = matrix.tril()
        if n != k:
            wide = matrix.new_zeros(n, n - k).expand(*matrix.shape[:-2], -1, -1)
            lower = joining.cat([lower, wide], -1)
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            found: Any = find("torch", "matrix_exp")(skew)
        else:
            identity: Any = filled.eye(n, dtype=skew.dtype)
            add = find("torch", "add")
            found = find("linalg", "solve")(add(identity, skew, alpha=-0.5), add(identity, skew, alpha=0.5))
        return found if n == k else found[..., :k]

    def _reflected(self, matrix: Any) -> Any:
        """A product of reflections."""
        lower = matrix.tril(diagonal=-1)
        factors = 2.0 / (1.0 + (lower * lower).sum(dim=-2))
        found = reflectors.householder_product(lower, factors)
        return found * matrix.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, Q: Any) -> Any:
        """A matrix of which an orthogonal one is made."""
        with no_grad():
            if Q.shape != self.shape:
                raise EngineValueError(
                    f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
                )
            return self._trivialized(Q) if has(self, "base") else self._reflections(Q)

    def _reflections(self, matrix: Any) -> Any:
        if self.orthogonal_map != "householder":
            raise EngineNotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        turned = matrix.shape[-2] < matrix.shape[-1]
        reflected, factors = reflectors.geqrf(matrix.mT if turned else matrix)
        diagonal = reflected.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[factors == 0.0] *= -1
        return reflected.mT if turned else reflected

    def _trivialized(self, matrix: Any) -> Any:
        """Minus the identity, after the matrix was made the base that others are multiplied with."""
        turned = matrix.shape[-2] < matrix.shape[-1]
        base = matrix.mT if turned else matrix
        n, k = base.shape[-2:]
        if n == k:
            base = base.clone() if _is_orthogonal(base) else _made_orthogonal(base)
        else:
            others = random.randn(*base.shape[:-2], n, n - k, dtype=base.dtype)
            base = _made_orthogonal(joining.cat([base, others], -1))
        self.base = base
        start = filled.zeros_like(matrix)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Have a weight of a module be an orthogonal matrix."""
    weight: Any = member(module, name) if isinstance(module, Module) and has(module, name) else None
    if not isinstance(weight, Tensor):
        raise EngineValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise EngineValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise EngineValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)

"""torch.distributions.utils: what distributions share."""

from __future__ import annotations

from typing import Any

from ..engine.dtypes import get_default_dtype
from ..engine.modes import enable_grad
from ..engine.properties import Size
from ..engine.tensor import Tensor, tensor
from .offered import arange, broadcast_tensors, empty, finfo

# What euler's constant is to the digits that a float has.
euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> Any:
    """Parameters as tensors of one shape; numbers take the type of the first tensor."""
    given = [v for v in values if isinstance(v, Tensor)]
    if any(not isinstance(v, (Tensor, int, float, complex)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = given[0].dtype if given else get_default_dtype()
    return broadcast_tensors(*[v if isinstance(v, Tensor) else tensor(v, dtype=dtype) for v in values])


def batch_of(broadcast: Any, *given: Any) -> Any:
    """The batch shape that parameters give together: none if all of them are numbers."""
    return broadcast.size() if any(isinstance(v, Tensor) for v in given) else Size([])


def standard_normal(shape: Any, dtype: Any, device: Any = None) -> Any:
    """Draws of the bell curve around 0."""
    return empty(shape, dtype=dtype, device=device).normal_()


def sum_rightmost(value: Any, dim: int) -> Any:
    """The sums over the last so many axes."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities of logits: of ones and zeros, or of classes along the last axis."""
    return logits.sigmoid() if is_binary else logits.softmax(dim=-1)


def clamp_probs(probs: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Logits of probabilities: of ones and zeros, or of classes along the last axis."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


class lazy_property:
    """An attribute that is computed when it is first read, and kept."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self.name = wrapped.__name__

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return self
        # Kept for all that follows, even if a draw is the first to ask for it.
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.name, value)
        return value


def _lower(n: int, diag: int) -> Any:
    at = arange(n)
    return at < at.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The entries of matrices on and below a diagonal, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _lower(n, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Matrices whose entries on and below a diagonal are those of vectors, row by row."""
    count = vec.shape[-1]
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a "
            "square D x D matrix."
        )
    made = vec.new_zeros((*vec.shape[:-1], round(n), round(n)))
    made[..., _lower(round(n), diag)] = vec
    return made


# The names that PyTorch has for them, which distributions of others read.
_standard_normal, _sum_rightmost = standard_normal, sum_rightmost

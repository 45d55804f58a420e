"""torch.distributions.multivariate_normal: bell curves over vectors."""

from __future__ import annotations

import math
from typing import Any

from ..engine.properties import Size
from ..linalg import cholesky, solve_triangular
from . import constraints
from .distribution import Family
from .offered import broadcast_shapes, cholesky_inverse, eye
from .utils import lazy_property, standard_normal


def _precision_to_scale_tril(precision: Any) -> Any:
    """The Cholesky factor of the inverse, from that of the matrix turned about both its axes."""
    turned = cholesky(precision.flip((-2, -1)))
    upper = turned.flip((-2, -1)).transpose(-2, -1)
    return solve_triangular(upper, eye(precision.shape[-1], dtype=precision.dtype), upper=False)


def _batch_mv(matrix: Any, vector: Any) -> Any:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(lower: Any, away: Any) -> Any:
    """The squares of distances, in the units of a Cholesky factor."""
    return solve_triangular(lower, away.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


def _half_log_det(lower: Any) -> Any:
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def given_form(refused: type[Exception], **forms: Any) -> tuple[str, Any]:
    """The one form of covariances that is given, with its name."""
    given = [(name, matrix) for name, matrix in forms.items() if matrix is not None]
    if len(given) != 1:
        raise refused("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


class OfCovariances(Family):
    """A distribution of given covariances, in one of three forms; the others are computed when they are read."""

    def _take_form(self, name: str, matrix: Any) -> None:
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    def _wide(self, matrix: Any) -> Any:
        """A matrix for each entry of the batch."""
        event = self._event_shape
        return matrix.expand(self._batch_shape + (event if len(event) == 2 else event + event))

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariances."""
        return self._wide(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariances."""
        return self._wide(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariances."""
        return self._wide(cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(OfCovariances):
    """Bell curves over vectors, of given means and covariances."""

    arg_constraints = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky,
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: Any = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = given_form(
            ValueError, scale_tril=scale_tril, covariance_matrix=covariance_matrix, precision_matrix=precision_matrix
        )
        if matrix.dim() < 2:
            form = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{form} must be at least two-dimensional, with optional leading batch dimensions")
        batch = Size(broadcast_shapes(matrix.shape[:-2], loc.shape[:-1]))
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._take_form(name, matrix)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, drawn)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        squared = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = _half_log_det(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squared) - half_log_det

    def entropy(self) -> Any:
        half_log_det = _half_log_det(self._unbroadcasted_scale_tril)
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)

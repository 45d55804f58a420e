"""torch.distributions.lowrank_multivariate_normal: bell curves over vectors whose covariances few directions tell."""

from __future__ import annotations

import math
from typing import Any

from ..engine.properties import Size
from ..linalg import cholesky, solve_triangular
from . import constraints
from .distribution import Family
from .multivariate_normal import _batch_mahalanobis, _batch_mv, _half_log_det
from .offered import broadcast_shapes, eye
from .utils import lazy_property, standard_normal


def _batch_capacitance_tril(factor: Any, diagonal: Any) -> Any:
    """The Cholesky factor of I + W.T inv(D) W."""
    return cholesky(factor.mT / diagonal.unsqueeze(-2) @ factor + eye(factor.shape[-1], dtype=factor.dtype))


def _batch_lowrank_logdet(diagonal: Any, capacitance: Any) -> Any:
    return 2 * _half_log_det(capacitance) + diagonal.log().sum(-1)


def _batch_lowrank_mahalanobis(factor: Any, diagonal: Any, away: Any, capacitance: Any) -> Any:
    inner = _batch_mv(factor.mT / diagonal.unsqueeze(-2), away)
    return (away.pow(2) / diagonal).sum(-1) - _batch_mahalanobis(capacitance, inner)


class LowRankMultivariateNormal(Family):
    """Bell curves over vectors whose covariances are those of few directions, and of each entry."""

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: Any = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc = loc.expand((*batch, -1))
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        self.cov_diag = cov_diag.expand((*batch, -1))
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(Size(batch), event, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The squares of the deviations."""
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    def _wide(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariances."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = scaled @ scaled.mT + eye(self._event_shape[0], dtype=scaled.dtype)
        return self._wide(root * cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariances."""
        factor = self._unbroadcasted_cov_factor
        return self._wide(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariances."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        inner = solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._wide(self._unbroadcasted_cov_diag.reciprocal().diag_embed() - inner.mT @ inner)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        narrow = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        own = standard_normal(shape, self.loc.dtype)
        across = _batch_mv(self._unbroadcasted_cov_factor, narrow)
        return self.loc + across + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        factor, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        squared = _batch_lowrank_mahalanobis(factor, diagonal, value - self.loc, self._capacitance_tril)
        log_det = _batch_lowrank_logdet(diagonal, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + squared)

    def entropy(self) -> Any:
        log_det = _batch_lowrank_logdet(self._unbroadcasted_cov_diag, self._capacitance_tril)
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)

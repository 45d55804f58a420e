"""torch.distributions.wishart: covariances of samples."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..engine.properties import Size
from ..engine.tensor import Tensor, tensor
from . import constraints
from .chi2 import Chi2
from .exp_family import NaturalFamily
from .multivariate_normal import OfCovariances, _half_log_det, given_form
from .offered import arange, broadcast_shapes, cholesky_solve, randn, tril_indices


class Wishart(OfCovariances, NaturalFamily):
    """The covariances of so many normal vectors, times their number."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> Any:
        return {
            "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self._event_shape[-1] - 1),
        }  # fmt: skip

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: Any = None,
    ) -> None:
        name, matrix = given_form(
            AssertionError,
            scale_tril=scale_tril, covariance_matrix=covariance_matrix, precision_matrix=precision_matrix,
        )  # fmt: skip
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Tensor):
            batch = Size(broadcast_shapes(matrix.shape[:-2], df.shape))
            self.df = df.expand(batch)
        else:
            batch = Size(matrix.shape[:-2])
            self.df = tensor(df, dtype=matrix.dtype)
        event = matrix.shape[-2:]
        if bool(self.df.le(event[-1] - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        if bool(self.df.lt(event[-1]).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, event, validate_args=validate_args)
        self._take_form(name, matrix)
        self._chi2 = Chi2(
            df=self.df.unsqueeze(-1) - arange(event[-1], dtype=self.df.dtype).expand((*batch, -1))
        )

    def _of_each(self, value: Any) -> Any:
        return value.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Any:
        return self._of_each(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Any:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._of_each(factor) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._of_each(self.df) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape: Any) -> Any:
        size = self._event_shape[-1]
        noise = self._chi2.rsample(sample_shape).sqrt().diag_embed()
        i, j = tril_indices(size, size, offset=-1)
        wide = Size((*sample_shape, *self._batch_shape, size * (size - 1) // 2))
        noise[..., i, j] = randn(wide, dtype=noise.dtype)
        root = self._unbroadcasted_scale_tril @ noise
        return root @ root.mT

    def _any_of_batch(self, holds: Any) -> Any:
        batch = len(self._batch_shape)
        return holds.amax(tuple([-(i + 1) for i in range(batch)])) if batch else holds

    def rsample(self, sample_shape: Any = (), max_try_correction: Any = None) -> Any:
        tries = 10 if max_try_correction is None else max_try_correction
        found = self._bartlett_sampling(Size(sample_shape))
        # PyTorch takes the sound for singular at first, and draws them once more: so must its numbers be drawn.
        again = self._any_of_batch(self.support.check(found))
        if again.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(tries):
                new = self._bartlett_sampling(again[again].shape)
                found[again] = new
                again[again.clone()] = self._any_of_batch(~self.support.check(new))
                if not again.any():
                    break
        return found

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        start = -nu * (p * math.log(2) / 2 + _half_log_det(self._unbroadcasted_scale_tril))
        trace = cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return start - (nu / 2).mvlgamma(p) + (nu - p - 1) / 2 * value.slogdet().logabsdet - trace / 2

    def entropy(self) -> Any:
        nu, p = self.df, self._event_shape[-1]
        halves = ((nu.unsqueeze(-1) - arange(p, dtype=nu.dtype)) / 2).digamma().sum(-1)
        start = (p + 1) * (p * math.log(2) / 2 + _half_log_det(self._unbroadcasted_scale_tril)) + (nu / 2).mvlgamma(p)
        return start - (nu - p - 1) / 2 * halves + nu * p / 2

    @property
    def _natural_params(self) -> Any:
        return 0.5 * self.df, -0.5 * self.precision_matrix

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self._event_shape[-1]
        return x * (-(-2 * y).slogdet().logabsdet + p * math.log(2)) + x.mvlgamma(p)

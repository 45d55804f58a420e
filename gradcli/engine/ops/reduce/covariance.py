"""Covariance and correlation of variables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail, only_ints
from ...costs import costs
from ...dtypes import DTYPES
from ...registry import composite, is_value, not_a_tensor, public
from ...tensor import Tensor, made


def _check_weights(name: str, kind: str, weights: Any, count: int) -> None:
    """PyTorch's complaints about the weights of observations."""
    a = weights._a
    if a.ndim > 1:
        fail(f"cov(): expected {name} to have one or fewer dimensions but got {name} with {a.ndim} dimensions")
    if a.dtype.kind not in kind:
        wanted = "integral" if kind == "iu" else "floating point"
        fail(f"cov(): expected {name} to have {wanted} dtype but got {name} with {DTYPES[a.dtype].tensor_name} dtype")
    if a.size != count:
        fail(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got {a.size} "
            f"!= {count}"
        )
    if count and a.min() < 0:
        fail(f"cov(): {name} cannot be negative")


@public("torch Tensor")
@costs("multiplying.covariances")
@composite
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance matrix of variables, of which each row has the observations; a vector is one variable."""
    if type(correction) is not int:
        only_ints("cov", correction=correction)
    if not is_value(input):
        raise not_a_tensor("cov", "input", 1, input)
    if input.ndim > 2:
        fail(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    if input._a.dtype.kind == "b":
        fail("cov(): bool dtype is not supported for input")
    rows = ops.views.view(input, (1, -1)) if input.ndim < 2 else input
    count = rows.shape[1]
    weights = fweights
    if fweights is not None:
        _check_weights("fweights", "iu", fweights, count)
    if aweights is not None:
        _check_weights("aweights", "f", aweights, count)
        weights = aweights if fweights is None else fweights * aweights
    total = _number(count) if weights is None else weights.sum()
    if weights is not None and count and total.item() == 0:
        fail("cov(): weights sum to zero, can't be normalized")
    mean = (rows if weights is None else rows * weights).sum(1) / total
    if weights is None:
        degrees = _number(count - correction)
    elif correction == 0:
        degrees = total
    elif aweights is None:
        degrees = total - correction
    else:
        degrees = total - ops.arith.mul_number((weights * aweights).sum(), correction) / total
    if degrees.item() <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            UserWarning,
            stacklevel=2,
        )
        degrees = _number(0)
    apart = rows - mean.unsqueeze(1)
    product = ops.matmul.mm(apart, _conj(ops.views.t(apart if weights is None else apart * weights)))
    if product.is_complex() and rows.shape[0] == 1:
        # A variance is real.
        own = ops.parts.real(product)
        product = ops.parts.of_parts(own, ops.filled.zeros_like(own.detach()))
    return ops.views.squeeze(product / degrees)


def _conj(x: Any) -> Any:
    return ops.lazy.conjugate(x) if x.is_complex() else x


def _number(n: int) -> Any:
    return made(np.int64(n))


@public("torch Tensor")
@costs("multiplying.covariances")
@composite
def corrcoef(input: Any) -> Any:
    """The correlation matrix of variables, of which each row has the observations."""
    if isinstance(input, Tensor) and input.ndim > 2:
        fail(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    c: Any = cov(input)
    if c.ndim == 0:
        return c / c
    own = c.diagonal()
    deviations = (ops.parts.real(own) if c.is_complex() else own).sqrt()
    c = c / deviations.view((-1, 1))
    c = c / deviations.view((1, -1))
    if c.is_complex():
        return ops.parts.of_parts(ops.parts.real(c).clip(-1, 1), ops.parts.imag(c).clip(-1, 1))
    return c.clip(-1, 1)

"""torch.distributions.kl: how far distributions are apart, by the Kullback-Leibler divergence."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ..engine.walk.backward import grad
from ..linalg import solve_triangular
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis, _half_log_det
from .normal import Normal
from .offered import full_like, where, xlogy
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import euler_constant, sum_rightmost

# The functions by the kinds of the two distributions, and those that were found for classes below them.
_KL_REGISTRY: dict[Any, Any] = {}
_KL_MEMOIZE: dict[Any, Any] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """A decorator of functions that tell how far distributions of two kinds are apart."""
    for name, cls in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(cls, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {cls}")

    def decorator(fun: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _nearer(one: Any, other: Any) -> bool:
    """True if a pair of kinds is no wider than another: the first that differ decide."""
    for a, b in zip(one, other, strict=True):
        if not issubclass(a, b):
            return False
        if a is not b:
            break
    return True


def _nearest(pairs: Any) -> Any:
    found = pairs[0]
    for pair in pairs[1:]:
        if not _nearer(found, pair):
            found = pair
    return found


def _dispatch_kl(type_p: Any, type_q: Any) -> Any:
    """The function of the pair of kinds that is nearest to two classes, or None."""
    fitting = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not fitting:
        return None
    left = _nearest(fitting)
    q, p = _nearest([(q, p) for p, q in fitting])
    if _KL_REGISTRY[left] is not _KL_REGISTRY[p, q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
            f"{q.__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[left]


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Compute the Kullback-Leibler divergence between two distributions."""
    kinds = type(p), type(q)
    if kinds not in _KL_MEMOIZE:
        _KL_MEMOIZE[kinds] = _dispatch_kl(*kinds)
    fun = _KL_MEMOIZE[kinds]
    if fun is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return fun(p, q)


# -- between distributions of a kind ---------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _between_bernoullis(p: Any, q: Any) -> Any:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Beta, Beta)
def _between_betas(p: Any, q: Any) -> Any:
    p_sum, q_sum = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    first = q.concentration1.lgamma() + q.concentration0.lgamma() + p_sum.lgamma()
    second = p.concentration1.lgamma() + p.concentration0.lgamma() + q_sum.lgamma()
    found = first - second + (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    found = found + (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return found + (q_sum - p_sum) * p_sum.digamma()


@register_kl(Binomial, Binomial)
def _between_binomials(p: Any, q: Any) -> Any:
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    found = p.total_count * of_one
    more = p.total_count > q.total_count
    found[more] = full_like(found[more], math.inf)
    return found


@register_kl(Categorical, Categorical)
def _between_categories(p: Any, q: Any) -> Any:
    found = p.probs * (p.logits - q.logits)
    found[(q.probs == 0).expand_as(found)] = math.inf
    found[(p.probs == 0).expand_as(found)] = 0
    return found.sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _between_continuous_bernoullis(p: Any, q: Any) -> Any:
    first = p.mean * (p.logits - q.logits)
    second = p._cont_bern_log_norm() + (-p.probs).log1p()
    return first + second + (-q._cont_bern_log_norm() - (-q.probs).log1p())


@register_kl(Dirichlet, Dirichlet)
def _between_dirichlets(p: Any, q: Any) -> Any:
    p_sum = p.concentration.sum(-1)
    found = p_sum.lgamma() - q.concentration.sum(-1).lgamma()
    found = found - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    slope = p.concentration.digamma() - p_sum.digamma().unsqueeze(-1)
    return found + ((p.concentration - q.concentration) * slope).sum(-1)


@register_kl(Exponential, Exponential)
def _between_exponentials(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Any:
    if type(p) is not type(q):
        raise NotImplementedError(
            # With PyTorch's gap.
            f"The cross KL-divergence between different exponential families cannot{' ' * 29}be computed using "
            "Bregman divergences"
        )
    ours = [natural.detach().requires_grad_() for natural in p._natural_params]
    theirs = q._natural_params
    normalizer = p._log_normalizer(*ours)
    slopes = grad(normalizer.sum(), ours, create_graph=True)
    found = q._log_normalizer(*theirs) - normalizer
    for our, their, slope in zip(ours, theirs, slopes, strict=True):
        found = found - sum_rightmost((their - our) * slope, len(q.event_shape))
    return found


@register_kl(Gamma, Gamma)
def _between_gammas(p: Any, q: Any) -> Any:
    first = q.concentration * (p.rate / q.rate).log()
    second = q.concentration.lgamma() - p.concentration.lgamma()
    third = (p.concentration - q.concentration) * p.concentration.digamma()
    return first + second + third + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _between_gumbels(p: Any, q: Any) -> Any:
    ratio, ours, theirs = p.scale / q.scale, p.loc / q.scale, q.loc / q.scale
    first = -ratio.log() - theirs + ours
    third = (theirs + (1 + ratio).lgamma() - ours).exp()
    return first + ratio * euler_constant + third - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _between_geometrics(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _between_half_normals(p: Any, q: Any) -> Any:
    return _between_normals(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _between_laplaces(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * (-away / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _between_normals(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    away = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + away - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _between_one_hots(p: Any, q: Any) -> Any:
    return _between_categories(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _between_paretos(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    found[p.support.lower_bound < q.support.lower_bound] = math.inf
    return found


@register_kl(Poisson, Poisson)
def _between_poissons(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _between_transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _between_uniforms(p: Any, q: Any) -> Any:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    found[(q.low > p.low) | (q.high < p.high)] = math.inf
    return found


@register_kl(Independent, Independent)
def _between_independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _between_cauchys(p: Any, q: Any) -> Any:
    apart = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return apart.log() - (4 * p.scale * q.scale).log()


# -- between bell curves over vectors --------------------------------------------------------------


def _of_one_shape(p: Any, q: Any, called: str) -> int:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {called} with different event shapes cannot be computed"
        )
    size: int = p.event_shape[0]
    return size


def _squares(matrix: Any) -> Any:
    """The traces of matrices times their transposes."""
    return matrix.pow(2).sum((-2, -1))


def _log_det(d: Any) -> Any:
    if isinstance(d, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(d._unbroadcasted_cov_diag, d._capacitance_tril)
    return 2 * _half_log_det(d._unbroadcasted_scale_tril)


def _distance_in_lowrank(p: Any, q: Any) -> Any:
    factor, diagonal = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    return _batch_lowrank_mahalanobis(factor, diagonal, q.loc - p.loc, q._capacitance_tril)


def _scaled_in_lowrank(q: Any) -> Any:
    scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    return solve_triangular(q._capacitance_tril, scaled, upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _between_lowranks(p: Any, q: Any) -> Any:
    size = _of_one_shape(p, q, "Low Rank Multivariate Normals")
    inner, diagonal = _scaled_in_lowrank(q), q._unbroadcasted_cov_diag
    trace = (p._unbroadcasted_cov_diag / diagonal).sum(-1)
    trace = trace + _squares(p._unbroadcasted_cov_factor * diagonal.rsqrt().unsqueeze(-1))
    trace = trace - _squares(inner * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2))
    trace = trace - _squares(inner @ p._unbroadcasted_cov_factor)
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _distance_in_lowrank(p, q) - size)


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_to_lowrank(p: Any, q: Any) -> Any:
    size = _of_one_shape(p, q, "(Low Rank) Multivariate Normals")
    lower = p._unbroadcasted_scale_tril
    trace = _squares(lower * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _squares(_scaled_in_lowrank(q) @ lower)
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _distance_in_lowrank(p, q) - size)


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _lowrank_to_multivariate(p: Any, q: Any) -> Any:
    size = _of_one_shape(p, q, "(Low Rank) Multivariate Normals")
    lower = q._unbroadcasted_scale_tril
    trace = _squares(solve_triangular(lower, p._unbroadcasted_cov_factor, upper=False))
    trace = trace + _squares(solve_triangular(lower, p._unbroadcasted_cov_diag.sqrt().diag_embed(), upper=False))
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _batch_mahalanobis(lower, q.loc - p.loc) - size)


@register_kl(MultivariateNormal, MultivariateNormal)
def _between_multivariates(p: Any, q: Any) -> Any:
    size = _of_one_shape(p, q, "Multivariate Normals")
    lower = q._unbroadcasted_scale_tril
    half = _half_log_det(lower) - _half_log_det(p._unbroadcasted_scale_tril)
    trace = _squares(solve_triangular(lower, p._unbroadcasted_scale_tril, upper=False))
    return half + 0.5 * (trace + _batch_mahalanobis(lower, q.loc - p.loc) - size)


# -- from a discrete one ---------------------------------------------------------------------------


@register_kl(Bernoulli, Poisson)
def _bernoulli_to_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# -- where the one gives what the other never does -------------------------------------------------


def _infinite(name: str) -> Any:
    """A divergence that is infinite, of the shape of a parameter."""
    return lambda p, q: full_like(getattr(p, name), math.inf)


_NARROW = (Beta, ContinuousBernoulli, Pareto, Uniform)
_ABOVE_ZERO = (*_NARROW, Exponential, Gamma)
for _kind, _name, _others in (
    (Beta, "concentration1", (Pareto,)),
    (ContinuousBernoulli, "probs", (Pareto,)),
    (Exponential, "rate", _NARROW),
    (Gamma, "concentration", _NARROW),
    (Gumbel, "loc", _ABOVE_ZERO),
    (Laplace, "loc", _ABOVE_ZERO),
    (Normal, "loc", _ABOVE_ZERO),
    (Pareto, "scale", (Beta, ContinuousBernoulli, Uniform)),
    (Poisson, "rate", (Bernoulli, Binomial)),
):
    for _other in _others:
        register_kl(_kind, _other)(_infinite(_name))


# -- from numbers between 0 and 1 ------------------------------------------------------------------


@register_kl(Beta, ContinuousBernoulli)
def _beta_to_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_to_exponential(p: Any, q: Any) -> Any:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() - q.rate.log() + q.rate * mean


@register_kl(Beta, Gamma)
def _beta_to_gamma(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    normal = q.concentration.lgamma() - q.concentration * q.rate.log()
    powers = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + normal - powers + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_to_normal(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    mean, variance = p.concentration1 / total, q.scale.pow(2)
    squares = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    away = squares - q.loc * mean + q.loc.pow(2) * 0.5
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + away / variance


@register_kl(Beta, Uniform)
def _beta_to_uniform(p: Any, q: Any) -> Any:
    found = -p.entropy() + (q.high - q.low).log()
    found[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = math.inf
    return found


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_to_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_to_normal(p: Any, q: Any) -> Any:
    normal = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    away = p.variance + p.mean.square() - 2.0 * q.loc * p.mean
    return -p.entropy() + normal + away / (2.0 * q.scale.square())


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_to_uniform(p: Any, q: Any) -> Any:
    outside = q.low.ge(p.support.lower_bound) | q.high.le(p.support.upper_bound)
    return where(outside, math.inf, -p.entropy() + (q.high - q.low).log())


# -- from numbers above 0 --------------------------------------------------------------------------


@register_kl(Exponential, Gamma)
def _exponential_to_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    found = -q.concentration * ratio.log() + ratio + q.concentration.lgamma()
    return found + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_to_gumbel(p: Any, q: Any) -> Any:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - ratio + ratio.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_to_normal(p: Any, q: Any) -> Any:
    variance, squared = q.scale.pow(2), p.rate.pow(2)
    away = squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * (squared * variance * 2 * math.pi).log() - 1 + away / variance


@register_kl(Gamma, Exponential)
def _gamma_to_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_to_gumbel(p: Any, q: Any) -> Any:
    product, ratio, c = p.rate * q.scale, q.loc / q.scale, p.concentration
    first = (c - 1) * c.digamma() - c.lgamma() - c
    return first + (product.log() + c / product) + (ratio.exp() * (1 + product.reciprocal()).pow(-c) - ratio)


@register_kl(Gamma, Normal)
def _gamma_to_normal(p: Any, q: Any) -> Any:
    variance, squared, c = q.scale.pow(2), p.rate.pow(2), p.concentration
    first = 0.5 * (squared * variance * 2 * math.pi).log() - c - c.lgamma()
    away = 0.5 * (c.pow(2) + c) / squared - q.loc * c / p.rate + 0.5 * q.loc.pow(2)
    return first + (c - 1) * c.digamma() + away / variance


@register_kl(Pareto, Exponential)
def _pareto_to_exponential(p: Any, q: Any) -> Any:
    product = p.scale * q.rate
    found = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    found[p.alpha <= 1] = math.inf
    return found


@register_kl(Pareto, Gamma)
def _pareto_to_gamma(p: Any, q: Any) -> Any:
    mean_log = p.scale.log() + p.alpha.reciprocal()
    normal = q.concentration.lgamma() - q.concentration * q.rate.log()
    powers = (1 - q.concentration) * mean_log
    found = p.alpha.log() - mean_log + normal + powers + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    found[p.alpha <= 1] = math.inf
    return found


@register_kl(Pareto, Normal)
def _pareto_to_normal(p: Any, q: Any) -> Any:
    part = p.scale / (p.alpha - 1)
    first = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    away = p.alpha * part.pow(2) / (p.alpha - 2) + (p.alpha * part - q.loc).pow(2)
    found = first - p.alpha.reciprocal() + away / (2 * q.scale.pow(2)) - 1
    found[p.alpha <= 2] = math.inf
    return found


# -- from numbers to both sides --------------------------------------------------------------------


@register_kl(Gumbel, Normal)
def _gumbel_to_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    away = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + spread + away - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_to_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    away = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -0.5 * (2 * ratio / math.pi).log() + ratio + away / variance - 1


@register_kl(Normal, Gumbel)
def _normal_to_gumbel(p: Any, q: Any) -> Any:
    ours, theirs, ratio = p.loc / q.scale, q.loc / q.scale, (p.scale / q.scale).pow(2)
    lifted = (-ours + 0.5 * ratio + theirs).exp()
    return -(ratio.log() * 0.5) + (ours - theirs) + lifted - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def _normal_to_laplace(p: Any, q: Any) -> Any:
    apart = p.loc - q.loc
    scaled = apart / p.scale
    size = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp() + apart * (math.sqrt(0.5) * scaled).erf()
    return -(p.scale / q.scale).log() + size / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


# -- from intervals --------------------------------------------------------------------------------


def _x_log_x(x: Any) -> Any:
    return xlogy(x, x)


def _mean_log(p: Any) -> Any:
    """The mean of the logarithm over intervals."""
    width = p.high - p.low
    return (_x_log_x(p.high) - _x_log_x(p.low) - width) / width


@register_kl(Uniform, Beta)
def _uniform_to_beta(p: Any, q: Any) -> Any:
    width = p.high - p.low
    ones = (q.concentration1 - 1) * _mean_log(p)
    zeros = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    normal = (
        q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    )
    found = zeros + normal - width.log() - ones
    found[(p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)] = math.inf
    return found


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_to_continuous_bernoulli(p: Any, q: Any) -> Any:
    found = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    outside = p.high.ge(q.support.upper_bound) | p.low.le(q.support.lower_bound)
    return where(outside, math.inf, found)


@register_kl(Uniform, Exponential)
def _uniform_to_exponential(p: Any, q: Any) -> Any:
    found = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    found[p.low < q.support.lower_bound] = math.inf
    return found


@register_kl(Uniform, Gamma)
def _uniform_to_gamma(p: Any, q: Any) -> Any:
    normal = q.concentration.lgamma() - q.concentration * q.rate.log()
    powers = (1 - q.concentration) * _mean_log(p)
    found = -(p.high - p.low).log() + normal + powers + q.rate * (p.high + p.low) / 2
    found[p.low < q.support.lower_bound] = math.inf
    return found


@register_kl(Uniform, Gumbel)
def _uniform_to_gumbel(p: Any, q: Any) -> Any:
    part, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return part.log() + 0.5 * (high + low) - part * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_to_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    away = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * away / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_to_pareto(p: Any, q: Any) -> Any:
    normal = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    found = _mean_log(p) * (q.alpha + 1) - normal
    found[p.low < q.support.lower_bound] = math.inf
    return found

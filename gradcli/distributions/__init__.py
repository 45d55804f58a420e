"""torch.distributions: what programs draw from, with PyTorch's numbers.

Programs in the spec language run these files as they stand, and Python does: each is read when its first name is
asked for.
"""

from __future__ import annotations

from typing import Any

# The file of each public name.
HOMES = {
    name: module
    for module, names in {
        "bernoulli": "Bernoulli", "beta": "Beta", "binomial": "Binomial", "categorical": "Categorical",
        "cauchy": "Cauchy", "chi2": "Chi2", "constraint_registry": "biject_to transform_to",
        "continuous_bernoulli": "ContinuousBernoulli", "dirichlet": "Dirichlet", "distribution": "Distribution",
        "exp_family": "ExponentialFamily", "exponential": "Exponential", "fishersnedecor": "FisherSnedecor",
        "gamma": "Gamma", "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric", "gumbel": "Gumbel",
        "half_cauchy": "HalfCauchy", "half_normal": "HalfNormal", "independent": "Independent",
        "inverse_gamma": "InverseGamma", "kl": "kl_divergence register_kl", "kumaraswamy": "Kumaraswamy",
        "laplace": "Laplace", "lkj_cholesky": "LKJCholesky", "log_normal": "LogNormal",
        "logistic_normal": "LogisticNormal", "lowrank_multivariate_normal": "LowRankMultivariateNormal",
        "mixture_same_family": "MixtureSameFamily", "multinomial": "Multinomial",
        "multivariate_normal": "MultivariateNormal", "negative_binomial": "NegativeBinomial", "normal": "Normal",
        "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto",
        "poisson": "Poisson", "relaxed_bernoulli": "RelaxedBernoulli",
        "relaxed_categorical": "RelaxedOneHotCategorical", "studentT": "StudentT",
        "transformed_distribution": "TransformedDistribution",
        "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
        "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
        "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform "
        "SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform",
        "uniform": "Uniform", "von_mises": "VonMises", "weibull": "Weibull", "wishart": "Wishart",
    }.items()
    for name in names.split()
}  # fmt: skip
# All files; what is in two of them, programs ask for there.
MODULES = (*dict.fromkeys(HOMES.values()), "chances", "constraints", "utils")
__all__ = tuple(HOMES)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in MODULES:
        return import_module(f".{name}", __name__)
    if name not in HOMES:
        raise AttributeError(f"module 'torch.distributions' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f".{HOMES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return [*HOMES, *MODULES]

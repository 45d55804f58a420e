"""torch.distributions: densities beside formulas, and the words for what is none."""

from __future__ import annotations

import copy
import math
import pickle
from importlib import import_module

import pytest

import gradcli as torch
from gradcli import distributions
from gradcli.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    ComposeTransform,
    Distribution,
    ExpTransform,
    GeneralizedPareto,
    Gumbel,
    Independent,
    Laplace,
    LKJCholesky,
    MultivariateNormal,
    Normal,
    StickBreakingTransform,
    Uniform,
    Weibull,
    kl_divergence,
    register_kl,
)
from gradcli.errors import GradcliError
from tests.spec.running import printed


def test_a_normal_density_is_that_of_the_formula() -> None:
    n = Normal(torch.tensor(1.0, dtype=torch.float64), 2.0)
    expected = math.exp(-((3 - 1) ** 2) / (2 * 2**2)) / (2 * math.sqrt(2 * math.pi))
    assert math.exp(n.log_prob(torch.tensor(3.0, dtype=torch.float64)).item()) == pytest.approx(expected, rel=1e-12)
    assert n.entropy().item() == pytest.approx(0.5 * math.log(2 * math.pi * math.e * 4), rel=1e-12)


def test_the_gradient_goes_through_rsample_and_not_through_sample() -> None:
    loc = torch.tensor(0.0, requires_grad=True)
    assert Normal(loc, 1.0).rsample().requires_grad
    assert not Normal(loc, 1.0).sample().requires_grad


def test_categories_are_normalised() -> None:
    c = Categorical(torch.tensor([1.0, 3.0]))
    assert c.probs.tolist() == [0.25, 0.75]
    assert c.log_prob(torch.tensor(1)).exp().item() == pytest.approx(0.75)
    assert c.sample((5,)).shape == (5,)


def test_a_distribution_is_at_no_distance_from_itself() -> None:
    for d in (Normal(0.0, 1.0), Bernoulli(torch.tensor(0.3)), Categorical(torch.tensor([0.2, 0.8]))):
        assert kl_divergence(d, d).item() == pytest.approx(0.0, abs=1e-7)
    with pytest.raises(NotImplementedError):
        kl_divergence(Categorical(torch.tensor([0.2, 0.8])), Uniform(0.0, 1.0))


def test_a_parameter_that_is_none_is_refused_in_pytorchs_words() -> None:
    with pytest.raises(ValueError, match="Expected parameter scale") as error:
        Normal(0.0, -1.0)
    assert str(error.value) == (
        "Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0, scale: -1.0) to satisfy the "
        "constraint GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0"
    )


def test_both_forms_of_the_parameters_agree() -> None:
    b = Bernoulli(logits=torch.tensor(0.0))
    assert b.probs.item() == 0.5
    assert repr(b) == "Bernoulli(probs: 0.5, logits: 0.0)"
    with pytest.raises(ValueError, match="Either `probs` or `logits`"):
        Bernoulli()


def test_a_mixture_gives_what_its_components_give() -> None:
    text = """
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal, Uniform
m = MixtureSameFamily(Categorical(torch.ones(2)), Uniform(torch.zeros(2), torch.tensor([1.0, 2.0])))
print(m.support, m.log_prob(torch.tensor([0.1, 0.2, 0.3])))
m = MixtureSameFamily(Categorical(torch.ones(2)), Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1))
print(m.support, m.log_prob(torch.ones(1, 3)))
"""
    # As PyTorch prints it.
    assert printed(text) == (
        "MixtureSameFamilyConstraint(Interval(lower_bound=tensor([0., 0.]), upper_bound=tensor([1., 2.]))) "
        "tensor([-0.2877, -0.2877, -0.2877])\n"
        "MixtureSameFamilyConstraint(IndependentConstraint(Real(), 1)) tensor([-4.2568])\n"
    )


def test_a_distribution_is_expanded_to_a_larger_batch() -> None:
    loc = torch.tensor([0.0, 1.0], requires_grad=True)
    wide = Normal(loc, 2.0).expand((3, 2))
    assert wide.batch_shape == (3, 2)
    wide.log_prob(torch.zeros(3, 2)).sum().backward()
    # The slope of each density is (value - loc) / scale ** 2, three times.
    assert loc.grad is not None
    assert loc.grad.tolist() == [0.0, -0.75]
    assert Categorical(torch.tensor([0.25, 0.75])).expand((4,)).sample().shape == (4,)


def test_modes_perplexities_and_values_of_small_distributions() -> None:
    c = Categorical(torch.tensor([0.25, 0.25, 0.5]))
    assert c.mode.item() == 2
    assert c.enumerate_support().tolist() == [0, 1, 2]
    assert c.perplexity().item() == pytest.approx(2**1.5)
    assert math.isnan(c.mean.item())
    assert Bernoulli(torch.tensor([0.25, 0.75])).mode.tolist() == [0.0, 1.0]
    assert Uniform(0.0, 2.0).stddev.item() == pytest.approx(2 / math.sqrt(12))


@pytest.mark.parametrize("made", [
    "Laplace(0.5, 2.)", "Gumbel(0.5, 2.)", "Cauchy(0.5, 2.)", "LogNormal(0.5, 2.)", "Weibull(2., 1.5)",
    "Pareto(1., 3.)", "HalfNormal(2.)", "HalfCauchy(2.)", "Exponential(2.)",
    "TransformedDistribution(Normal(0., 1.), [transforms.AffineTransform(1., -2.)])",
])  # fmt: skip
def test_the_value_below_which_a_draw_is_has_that_probability(made: str) -> None:
    text = (
        "from torch.distributions import *\nfrom torch.distributions import transforms\n"
        f"d = {made}.expand((2,))\np = torch.tensor([0.1, 0.7])\n"
        "print(torch.allclose(d.cdf(d.icdf(p)), p, atol=1e-5))\n"
        "print(tuple(d.sample((3,)).shape), d.batch_shape == (2,))\n"
    )
    assert printed(text) == "True\n(3, 2) True\n"


def test_variances_and_modes_that_are_formulas_of_their_own() -> None:
    text = (
        "from torch.distributions import *\n"
        "print(Laplace(0., 1.).variance.item(), Exponential(2.).mode.item())\n"
        "print(LogNormal(0., 1.).variance.item(), Beta(2., 3.).mode.item(), Binomial(4, 0.5).entropy().item())\n"
        "print(Multinomial(2, torch.tensor([0.5, 0.5])).entropy().item(), Normal(0., 1.).arg_constraints)\n"
    )
    values = printed(text).split()
    assert values[:2] == ["2.0", "0.0"]
    e = math.e
    assert float(values[2]) == pytest.approx((e - 1) * e, rel=1e-6)
    assert float(values[3]) == pytest.approx(1 / 3)
    chances = [math.comb(4, k) / 16 for k in range(5)]
    assert float(values[4]) == pytest.approx(-sum(p * math.log(p) for p in chances), rel=1e-6)
    chances = [0.25, 0.5, 0.25]
    assert float(values[5]) == pytest.approx(-sum(p * math.log(p) for p in chances), rel=1e-6)
    assert "".join(values[6:]) == "{'loc':Real(),'scale':GreaterThan(lower_bound=0.0)}"


# -- all of them -----------------------------------------------------------------------------------


def test_each_public_name_is_found_in_the_file_that_pytorch_has_it_in() -> None:
    for name, module in distributions.HOMES.items():
        assert getattr(import_module(f"gradcli.distributions.{module}"), name) is getattr(distributions, name)
    with pytest.raises(AttributeError):
        distributions.NoSuchDistribution  # noqa: B018


def test_a_wider_batch_has_the_parameters_of_the_narrow_one() -> None:
    loc, lower = torch.tensor([0.0, 1.0]), torch.tensor([[2.0, 0.0], [0.5, 1.0]])
    for d in (
        Beta(torch.tensor([1.0, 2.0]), 3.0), Categorical(torch.tensor([[1.0, 2.0], [3.0, 1.0]])), Gumbel(loc, 1.0),
        MultivariateNormal(torch.zeros(2, 2), scale_tril=lower), Weibull(loc + 1, 2.0), LKJCholesky(3, loc + 1),
        Independent(Normal(torch.zeros(2, 3), 1.0), 1),
    ):  # fmt: skip
        wide = d.expand((4, 2))
        drawn = wide.sample()
        assert type(wide) is type(d)
        assert (wide.batch_shape, wide.event_shape) == ((4, 2), d.event_shape)
        assert wide.log_prob(drawn).tolist() == d.log_prob(drawn).tolist()


def test_a_class_with_an_init_of_its_own_has_to_be_made_wider_by_itself() -> None:
    class Standard(Normal):
        def __init__(self) -> None:
            super().__init__(0.0, 1.0)

    with pytest.raises(NotImplementedError, match=r"must also define a custom \.expand"):
        Standard().expand((2,))


def test_the_divergence_of_the_nearest_kinds_is_taken_and_doubt_is_told_of() -> None:
    class One(Normal):
        pass

    assert kl_divergence(One(0.0, 1.0), Normal(1.0, 1.0)).item() == 0.5
    register_kl(One, Normal)(lambda p, q: 1.0)
    assert kl_divergence(One(0.0, 1.0), Normal(1.0, 1.0)) == 1.0
    register_kl(Normal, One)(lambda p, q: 2.0)
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(One, One\). Please register_kl\(One, One\)"):
        assert kl_divergence(One(0.0, 1.0), One(1.0, 1.0)) == 1.0


def test_divergences_are_the_means_of_what_the_densities_differ_by() -> None:
    x = torch.linspace(-40, 40, 80001, dtype=torch.float64)
    of = [torch.tensor(v, dtype=torch.float64) for v in (0.3, 1.2)]
    kinds = [Normal(*of), Laplace(*of), Gumbel(*of)]
    for p in kinds:
        for q in (Normal(0.0, torch.tensor(2.0, dtype=torch.float64)), *kinds):
            try:
                found = kl_divergence(p, q).item()
            except NotImplementedError:
                continue
            density = p.log_prob(x)
            expected = ((density - q.log_prob(x)) * density.exp()).sum() * (x[1] - x[0])
            assert found == pytest.approx(expected.item(), abs=1e-5)


def test_transforms_keep_their_last_values_and_know_their_inverse() -> None:
    t, x = ExpTransform(cache_size=1), torch.tensor([0.1, 0.2])
    y = t(x)
    assert t(x) is y
    assert t.inv(y) is x
    assert t.inv.inv is t
    assert (t.inv.domain, t.inv.codomain) == (t.codomain, t.domain)
    assert t == ExpTransform()
    assert ExpTransform().inv != ExpTransform()
    both = ComposeTransform([StickBreakingTransform(), ExpTransform()])
    assert (both.domain.event_dim, both.codomain.event_dim) == (1, 1)
    assert both.forward_shape(torch.Size([2, 3])) == (2, 4)


def test_a_stretch_is_the_determinant_of_the_jacobian() -> None:
    x = torch.tensor([0.3, -0.2, 0.5], dtype=torch.float64)
    for t in (ExpTransform(), ComposeTransform([ExpTransform(), ExpTransform()]), StickBreakingTransform()):
        jacobian = torch.autograd.functional.jacobian(t, x)[:3]
        stretched = t.log_abs_det_jacobian(x, t(x)).sum()
        assert stretched.item() == pytest.approx(torch.linalg.slogdet(jacobian).logabsdet.item(), rel=1e-9)


def test_distributions_are_copied_and_pickled() -> None:
    for d in (Normal(0.0, 1.0), GeneralizedPareto(0.0, 1.0, 0.5), Gumbel(torch.zeros(2), 1.0), Beta(1.0, 2.0)):
        for twin in (copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
            torch.manual_seed(1)
            drawn = d.sample()
            torch.manual_seed(1)
            assert twin.sample().tolist() == drawn.tolist()
            assert repr(twin) == repr(d)


@pytest.mark.filterwarnings("ignore:Singular sample")
def test_the_sets_of_all_distributions_hold_what_they_draw() -> None:
    for name in distributions.HOMES:
        kind = getattr(distributions, name)
        if not isinstance(kind, type) or not issubclass(kind, Distribution) or name in NEEDING_MORE:
            continue
        given = GIVEN[name] if name in GIVEN else (torch.tensor([0.4, 0.6]),) * len(kind.arg_constraints)
        d = kind(*given)
        assert bool(d.support.check(d.sample((5,))).all()), name


GIVEN = {
    "Bernoulli": (torch.tensor([0.3]),), "ContinuousBernoulli": (torch.tensor([0.3]),), "Binomial": (3, 0.5),
    "Categorical": (torch.ones(3),), "OneHotCategorical": (torch.ones(3),), "Geometric": (0.3,), "Poisson": (3.0,),
    "OneHotCategoricalStraightThrough": (torch.ones(3),), "Multinomial": (4, torch.ones(3)), "LKJCholesky": (3,),
    "NegativeBinomial": (3, 0.5), "RelaxedBernoulli": (torch.tensor(0.5), torch.tensor([0.3])), "Uniform": (1.0, 2.0),
    "RelaxedOneHotCategorical": (torch.tensor(0.5), torch.ones(3)), "Wishart": (torch.tensor(4.0), torch.eye(2)),
    "MultivariateNormal": (torch.zeros(2), torch.eye(2)), "Dirichlet": (torch.ones(3),),
    "LowRankMultivariateNormal": (torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
}  # fmt: skip
# Those that stand for others, or are made of them.
NEEDING_MORE = ("Distribution", "ExponentialFamily", "Independent", "MixtureSameFamily", "TransformedDistribution")


def test_a_program_and_python_read_the_same_files() -> None:
    text = """
from torch.distributions import Beta, Distribution, Normal
from torch.distributions.studentT import StudentT
print(type(Beta(1.0, 2.0)), isinstance(StudentT(3.0), Distribution), Normal.support)
print(Normal(0.0, 1.0).expand((2,)).batch_shape, Normal(0.0, 1.0).sample_n(2).shape)
"""
    assert printed(text) == (
        "<class 'torch.distributions.beta.Beta'> True Real()\ntorch.Size([2]) torch.Size([2])\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "LKJCholesky(10 ** 5).sample()", "VonMises(0.0, 1.0).sample((10 ** 9,))",
        "Binomial(10 ** 12, 0.5).enumerate_support()",
        "Multinomial(10 ** 10, torch.ones(3)).sample()", "Normal(0.0, 1.0).expand((10 ** 5, 10 ** 5)).sample()",
        "MultivariateNormal(torch.zeros(10 ** 5), scale_tril=torch.eye(10)).covariance_matrix.sum()",
        "Categorical(torch.ones(3)).sample((10 ** 12,))", "Gamma(torch.ones(10 ** 6), 1.0).sample((10 ** 4,))",
    ],
)
def test_no_draw_is_larger_than_a_program_may_draw(text: str) -> None:
    with pytest.raises(GradcliError):
        printed(f"import torch\nfrom torch.distributions import *\n{text}\n")

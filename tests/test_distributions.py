"""torch.distributions: densities beside formulas, and the words for what is none."""

from __future__ import annotations

import math

import pytest

import gradcli as torch
from gradcli.distributions import Bernoulli, Categorical, Normal, Uniform, kl_divergence
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
        kl_divergence(Normal(0.0, 1.0), Uniform(0.0, 1.0))


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

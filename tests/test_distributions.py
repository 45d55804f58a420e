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

"""torch.distributions.dirichlet: parts of 1."""

from __future__ import annotations

from typing import Any

from ..engine.function import Function, once_differentiable
from ..engine.ops.make.drawn_by_rejection import _dirichlet_grad, _sample_dirichlet
from ..nn.functional import one_hot
from . import constraints
from .exp_family import NaturalFamily
from .offered import xlogy


def _Dirichlet_backward(x: Any, concentration: Any, grad_output: Any) -> Any:
    """The gradient with respect to the concentrations, from that of a draw."""
    slope = _dirichlet_grad(x, concentration, concentration.sum(-1, True).expand_as(concentration))
    # All parts sum to 1: what one gains the others lose, each by its share.
    return slope * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(Function):
    """Parts of 1, each of which moves with the concentrations while its place in the distribution stays."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        x = _sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        x, concentration = ctx.saved_tensors
        return _Dirichlet_backward(x, concentration, grad_output)


class Dirichlet(NaturalFamily):
    """Parts that sum to 1."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: Any = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        none = (self.concentration < 1).all(dim=-1)
        mode[none] = one_hot(mode[none].argmax(dim=-1), self.concentration.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        c = self.concentration
        return xlogy(c - 1.0, value).sum(-1) + c.sum(-1).lgamma() - c.lgamma().sum(-1)

    def entropy(self) -> Any:
        c = self.concentration
        k, total = c.size(-1), c.sum(-1)
        found = c.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma()
        return found - ((c - 1.0) * c.digamma()).sum(-1)

    @property
    def _natural_params(self) -> Any:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()

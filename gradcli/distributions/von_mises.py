"""torch.distributions.von_mises: angles around a direction."""

from __future__ import annotations

import math
from typing import Any

from ..engine.dtypes import float64
from ..engine.modes import no_grad
from ..engine.properties import Size
from ..special import i0e, i1e
from . import constraints
from .distribution import Family
from .offered import empty, rand, where, zeros
from .utils import broadcast_all, lazy_property


class VonMises(Family):
    """Angles around a direction."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: Any = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, Size(), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        # A number is a shape here: PyTorch hands it on to the tensors.
        return super().expand((batch_shape,) if isinstance(batch_shape, int) else batch_shape, _instance)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        # The Bessel function of the order 0, without its growth.
        log_bessel = i0e(self.concentration).log() + self.concentration
        return self.concentration * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel

    def sample(self, sample_shape: Any = ()) -> Any:
        # As Best and Fisher draw: from a wrapped Cauchy distribution until one is taken, in double precision.
        with no_grad():
            shape = self._extended_shape(sample_shape)
            kappa = self.concentration.to(float64)
            tau = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            proposal = where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
            found, done = empty(shape, dtype=float64), zeros(shape).bool()
            while not done.all():
                u1, u2, u3 = rand((3, *shape), dtype=float64).unbind()
                z = (math.pi * u1).cos()
                f = (1 + proposal * z) / (proposal + z)
                c = kappa * (proposal - f)
                taken = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if taken.any():
                    found = where(taken, (u3 - 0.5).sign() * f.acos(), found)
                    done = done | taken
            turned: Any = (found + math.pi + self.loc.to(float64)) % (2 * math.pi) - math.pi
            return turned.to(self.loc.dtype)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The spread of the angles around the circle."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

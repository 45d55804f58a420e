"""The gradient of someone's function as a function of its own, whose derivatives are those of the next order."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .border import theirs
from .function import Library
from .with_jax import JaxLibrary
from .with_torch import TorchLibrary


def derivative_of(library: Library) -> Library | None:
    """The gradients of the sum of the outputs with fixed weights; None where no library differentiates."""
    if isinstance(library, TorchLibrary):
        return _torch(library)
    return _jax(library) if isinstance(library, JaxLibrary) else None


def _torch(library: TorchLibrary) -> TorchLibrary:
    made: Any = copy.copy(library)
    made.__class__ = TorchGradient
    made.base = library
    made.chosen = None
    made._first = made._other = made._twice = None
    made.needs_graph = True
    made.name = f"d({library.name})"
    made.kept = None
    return made  # type: ignore[no-any-return]


class TorchGradient(TorchLibrary):
    """The gradients that autograd records."""

    base: TorchLibrary
    # The inputs that a gradient arrives at.
    kept: list[int] | None

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """The gradients with respect to the leaves, of what has any."""
        with self.torch.enable_grad():
            found = self.base.run(leaves)
            outputs = [y for i in self.base.chosen or () if (y := found[i]).requires_grad]
            generator = self.torch.Generator().manual_seed(0)
            starts = [
                # It matters, too: what its derivative is unknown of says so.
                (0.5 + self.torch.rand(y.shape, generator=generator, dtype=self.torch.float64)).to(y.dtype)
                .requires_grad_() for y in outputs
            ]  # fmt: skip
            made = theirs(self.torch.autograd.grad, outputs, leaves, starts, create_graph=True, allow_unused=True)
        if self.kept is None:
            self.kept = [i for i, g in enumerate(made) if g is not None and g.requires_grad]
        return [made[i] for i in self.kept]

    def output_names(self, count: int) -> list[str]:
        """The derivatives by their inputs."""
        (of, *_) = self.base.output_names(1)
        kept = self.kept or []
        return [f"d({of})/d{self.inputs[kept[i]]}" for i in self.chosen or range(count)]


def _jax(library: JaxLibrary) -> JaxLibrary:
    made: Any = copy.copy(library)
    made.__class__ = JaxGradient
    made.base = library
    made.name = f"d({library.name})"
    return made  # type: ignore[no-any-return]


class JaxGradient(JaxLibrary):
    """The gradients that JAX finds, to be differentiated again."""

    base: JaxLibrary

    def _of(self, moved: Sequence[Any]) -> list[Any]:
        outputs, back = theirs(self.jax.vjp, lambda *xs: self.base._of(xs), *moved)
        return list(back([self.jax.numpy.ones_like(y) for y in outputs]))

    def output_names(self, count: int) -> list[str]:
        """The derivatives by their inputs."""
        (of, *_) = self.base.output_names(1)
        return [f"d({of})/d{name}" for name in self.inputs[:count]]

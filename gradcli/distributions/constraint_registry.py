"""torch.distributions.constraint_registry: transforms from all numbers onto a set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms


class ConstraintRegistry:
    """For kinds of sets, the functions that make the transforms onto them."""

    def __init__(self) -> None:
        self._registry: dict[Any, Any] = {}

    def register(self, constraint: Any, factory: Any = None) -> Callable[[Any], Any]:
        """Register a function for a kind of set; without one, a decorator of such functions."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        made: Callable[[Any], Any] = factory
        return made

    def __call__(self, constraint: Any) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


# One to one, and as is best for descents.
biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    onto_unit = transforms.SigmoidTransform()
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low == 0 and high == 1:
        return onto_unit
    return transforms.ComposeTransform([onto_unit, transforms.AffineTransform(low, high - low)])


def _above(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


def _below(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


for _registry in (biject_to, transform_to):
    _registry.register(constraints.real, lambda constraint: transforms.identity_transform)
    _registry.register(constraints.greater_than, _above)
    _registry.register(constraints.greater_than_eq, _above)
    _registry.register(constraints.less_than, _below)
    _registry.register(constraints.interval, _between)
    _registry.register(constraints.half_open_interval, _between)
    _registry.register(constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform())

biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda constraint: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda constraint: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())


@biject_to.register(constraints.independent)
def _biject_each(constraint: Any) -> Any:
    return _each(biject_to(constraint.base_constraint), constraint)


@transform_to.register(constraints.independent)
def _transform_each(constraint: Any) -> Any:
    return _each(transform_to(constraint.base_constraint), constraint)


def _each(transform: Any, constraint: Any) -> Any:
    more = constraint.reinterpreted_batch_ndims
    return transforms.IndependentTransform(transform, more) if more else transform


@biject_to.register(constraints.cat)
def _biject_parts(constraint: Any) -> Any:
    return transforms.CatTransform([biject_to(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@transform_to.register(constraints.cat)
def _transform_parts(constraint: Any) -> Any:
    return transforms.CatTransform([transform_to(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@biject_to.register(constraints.stack)
def _biject_slices(constraint: Any) -> Any:
    return transforms.StackTransform([biject_to(c) for c in constraint.cseq], constraint.dim)


@transform_to.register(constraints.stack)
def _transform_slices(constraint: Any) -> Any:
    return transforms.StackTransform([transform_to(c) for c in constraint.cseq], constraint.dim)

"""torch.distributions.constraints: the sets that parameters and draws of distributions are in."""

from __future__ import annotations

from typing import Any

from ..linalg import cholesky_ex, eigvalsh
from .offered import cat as _joined, finfo, isclose, stack as _stacked

# -- what all sets have ----------------------------------------------------------------------------


class Constraint:
    """A set of values, each of which takes up so many axes."""

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Any:
        """Tell of each value whether it is in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__[1:] + "()"


class _Named(Constraint):
    """A set that is told by its bounds."""

    _bounds: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join([f"{name}={getattr(self, name)}" for name in self._bounds])
        return f"{self.__class__.__name__[1:]}({shown})"


# -- sets that depend on other values --------------------------------------------------------------


class _Dependent(Constraint):
    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> Any:
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> Any:
    """True if a set depends on other values."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(_Dependent):
    """A property whose value is a set: of the class alone, one may know its axes already."""

    def __init__(
        self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        super().__init__(is_discrete=is_discrete, event_dim=event_dim)
        self.fget = fn

    def __call__(self, fn: Any = None, **known: Any) -> Any:
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else self.fget(instance)


# -- sets of numbers -------------------------------------------------------------------------------


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        # NaN alone is not itself.
        return value == value


class _IntegerInterval(_Named):
    is_discrete = True
    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Named):
    is_discrete = True
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Named):
    is_discrete = True
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _GreaterThan(_Named):
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_GreaterThan):
    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


class _LessThan(_Named):
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_Named):
    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Interval):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


# -- sets of vectors -------------------------------------------------------------------------------


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(dim=-1) & (value.sum(dim=-1) <= self.upper_bound)


# -- sets of matrices ------------------------------------------------------------------------------


def _is_lower(value: Any) -> Any:
    return (value.tril() == value).flatten(-2).min(-1)[0]


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        return _is_lower(value)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        return _is_lower(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _CorrCholesky(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        unit = (value.detach().norm(dim=-1) - 1).abs().le(tolerance).all(dim=-1)
        return unit & lower_cholesky.check(value)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        fits = value.shape[-2] == value.shape[-1]
        return value.new_full(value.shape[:-2], int(fits)).bool()


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        square = super().check(value)
        return isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if square.all() else square


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        return eigvalsh(value).ge(0).all(-1) if symmetric.all() else symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        return cholesky_ex(value).info.eq(0) if symmetric.all() else symmetric


# -- sets made of others ---------------------------------------------------------------------------


class _IndependentConstraint(Constraint):
    """A set whose values have more axes: each entry is in another."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        found = self.base_constraint.check(value)
        taken = self.reinterpreted_batch_ndims
        if found.dim() < taken:
            expected = self.base_constraint.event_dim + taken
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.dim()}")
        return found.reshape((*found.shape[: found.dim() - taken], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The values that each component of a mixture may give."""

    def __init__(self, base_constraint: Any) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """True if the values can be counted."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """The axes that a value takes up."""
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Any:
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = value.dim() - self.event_dim
        return found.reshape((*found.shape[:kept], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_constraint!r})"


class _Parts(Constraint):
    """Sets for the parts of a value along one of its axes."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> Any:
        return any(each.is_discrete for each in self.cseq)

    def _reaches(self, value: Any) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Parts):
    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self) -> Any:
        return max(each.event_dim for each in self.cseq)

    def check(self, value: Any) -> Any:
        self._reaches(value)
        found, start = [], 0
        for each, length in zip(self.cseq, self.lengths, strict=True):
            found.append(each.check(value.narrow(self.dim, start, length)))
            start = start + length
        return _joined(found, self.dim)


class _Stack(_Parts):
    @property
    def event_dim(self) -> Any:
        dim = max(each.event_dim for each in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Any:
        self._reaches(value)
        parts = [value.select(self.dim, i) for i in range(value.size(self.dim))]
        return _stacked([c.check(v) for v, c in zip(parts, self.cseq, strict=False)], self.dim)


# -- their public names ----------------------------------------------------------------------------

dependent, dependent_property = _Dependent(), _DependentProperty
boolean, real, simplex, one_hot = _Boolean(), _Real(), _Simplex(), _OneHot()
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
independent, multinomial, cat, stack = _IndependentConstraint, _Multinomial, _Cat, _Stack
real_vector = independent(real, 1)
positive, nonnegative, unit_interval = greater_than(0.0), greater_than_eq(0.0), interval(0.0, 1.0)
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()

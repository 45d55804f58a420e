"""torch.distributions.distribution: what all distributions have."""

from __future__ import annotations

import warnings
from typing import Any

from ..engine.modes import no_grad
from ..engine.ops.pointwise.comparison import _is_all_true
from ..engine.properties import Size
from ..engine.tensor import Tensor
from .constraints import _Dependent
from .utils import lazy_property

_NONE = Size()


class Distribution:
    """A distribution over tensors: a batch of shapes, each entry of which is drawn alone."""

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = True

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether distributions look at their arguments where they are not told."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = _NONE, event_shape: Any = _NONE, validate_args: Any = None) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        try:
            known = self.arg_constraints
        except NotImplementedError:
            known = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
        held = self.__dict__
        for name, constraint in known.items():
            if isinstance(constraint, _Dependent):
                continue
            if name not in held and isinstance(getattr(type(self), name, None), lazy_property):
                # It is computed of what is looked at.
                continue
            value = getattr(self, name)
            if not _is_all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution for a wider batch."""
        raise NotImplementedError

    @property
    def batch_shape(self) -> Any:
        """The shape of what is drawn alone."""
        return self._batch_shape

    @property
    def event_shape(self) -> Any:
        """The shape of one draw."""
        return self._event_shape

    @property
    def arg_constraints(self) -> Any:
        """The sets that the parameters are in, by their names."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set that draws are in."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The means."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The values that are likeliest."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        """The squares of the deviations."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The deviations."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values that are drawn, which are constants."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values that are drawn, with the gradients of the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """So many draws."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2
        )
        return self.sample(Size((n,)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of no more than a value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value below which a draw is with a probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All the values that may be drawn."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The information that a draw carries on average."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The number of equally likely values that would carry as much."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Any:
        if not isinstance(sample_shape, Size):
            sample_shape = Size(sample_shape)
        return Size(sample_shape + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: Any) -> None:
        """Refuse a value that the distribution never gives."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, event = value.size(), self._event_shape
        if shape[len(shape) - len(event) :] != event:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event}.")
        expected = self._batch_shape + event
        for i, j in zip(reversed(shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
            return
        if not _is_all_true(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        """An object of the same class that nothing is in yet."""
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return type(self).__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        held = self.__dict__
        shown = [
            f"{name}: {held[name] if held[name].numel() == 1 else held[name].size()}"
            for name in self.arg_constraints
            if name in held
        ]
        return self.__class__.__name__ + "(" + ", ".join(shown) + ")"


class Family(Distribution):
    """A distribution whose parameters all have the axes of its batch, and are made wider with it."""

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution for a wider batch."""
        return self._expanded(Size(batch_shape), _instance)

    def _expanded(self, batch_shape: Any, _instance: Any) -> Any:
        family = next(c for c in type(self).__mro__ if "arg_constraints" in c.__dict__)
        new = self._get_checked_instance(family, _instance)
        known, before = self.arg_constraints, len(self._batch_shape)
        for name, value in list(self.__dict__.items()):
            kept = value
            if isinstance(value, Distribution):
                kept = value.expand(batch_shape + value.batch_shape[before:])
            elif name in known and isinstance(value, Tensor):
                kept = value.expand(batch_shape + value.shape[value.dim() - known[name].event_dim :])
            setattr(new, name, kept)
        new._batch_shape = batch_shape
        new._validate_args = self._validate_args
        return new

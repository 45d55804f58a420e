"""torch.distributions: the few that small programs draw from, with PyTorch's numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .engine import dtypes
from .engine.costs import ALWAYS, costs
from .engine.modes import enable_grad, no_grad
from .engine.offers import find
from .engine.properties import Size
from .engine.tensor import Tensor, Value, tensor
from .errors import EngineNotImplementedError, EngineTypeError, EngineValueError


def _op(name: str) -> Any:
    """A function of torch, read when it is first needed."""
    return find("torch", name)


def _broadcast(*values: Any) -> list[Value]:
    """Parameters as tensors of one shape: numbers become tensors of the type of those that are none."""
    given = [v for v in values if isinstance(v, Tensor)]
    dtype = given[0].dtype if given else dtypes.get_default_dtype()
    made = [v if isinstance(v, Tensor) else tensor(v, dtype=dtype) for v in values]
    return list(_op("broadcast_tensors")(*made))


def _to_logits(probs: Value, binary: bool) -> Value:
    eps = _op("finfo")(probs.dtype).eps
    clamped = probs.clamp(min=eps, max=1 - eps)
    return clamped.log() - (-clamped).log1p() if binary else clamped.log()


class Distribution:
    """A distribution over tensors: a batch of shapes, each of whose entries is drawn alone."""

    # The parameters, in the order in which they are shown.
    parameters: tuple[str, ...] = ()

    def __init__(self, batch_shape: Sequence[int] = (), validate_args: Any = None) -> None:
        self._validates = validate_args is not False
        self.batch_shape = Size(batch_shape)
        self.event_shape = Size(())

    @property
    def has_rsample(self) -> bool:
        """True if a draw has a derivative with respect to the parameters."""
        return type(self).rsample is not Distribution.rsample

    def _shape(self, sample_shape: Any) -> Size:
        if not isinstance(sample_shape, (tuple, list)):
            raise EngineTypeError(f"sample_shape is a tuple of ints, not a {type(sample_shape).__name__}")
        return Size((*sample_shape, *self.batch_shape))

    def _check(self, name: str, holds: Value, constraint: str) -> None:
        """Refuse a parameter that is none."""
        if self._validates and not bool(holds.all()):
            value = getattr(self, name)
            raise EngineValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to satisfy the constraint {constraint}, but found invalid values:\n{value}"
            )

    def _fitting(self, value: Any) -> None:
        """Refuse what is no tensor of the shape of what the distribution gives."""
        if not isinstance(value, Tensor):
            raise EngineValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.shape, self.batch_shape
        if any(i != 1 != j and i != j for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise EngineValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {Size(shape)} vs {expected}."
            )

    def _within(self, value: Any, holds: Value, support: str) -> None:
        """Refuse a value that the distribution never gives."""
        if self._validates and not bool(holds.all()):
            raise EngineValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    @costs("drawing.sampled", careful=ALWAYS)
    def sample(self, sample_shape: Any = ()) -> Value:
        """Values that are drawn, which are constants."""
        with no_grad():
            return self.rsample(sample_shape)

    @costs("drawing.sampled", careful=ALWAYS)
    def rsample(self, sample_shape: Any = ()) -> Value:
        """Values that are drawn, with the gradients of the parameters."""
        raise EngineNotImplementedError("")

    @property
    def stddev(self) -> Value:
        """The deviations."""
        return self.variance.sqrt()

    @property
    def variance(self) -> Value:
        """The squares of the deviations."""
        raise EngineNotImplementedError("")

    @costs("drawing.looked_up", careful=ALWAYS)
    def entropy(self) -> Value:
        """Compute the entropy: the information that a draw carries on average."""
        raise EngineNotImplementedError("")

    @costs("drawing.looked_up", careful=ALWAYS)
    def cdf(self, value: Any) -> Value:
        """The probability of no more than a value."""
        raise EngineNotImplementedError("")

    @costs("drawing.looked_up", careful=ALWAYS)
    def icdf(self, value: Any) -> Value:
        """The value below which a draw is with a probability."""
        raise EngineNotImplementedError("")

    @costs("drawing.looked_up", careful=ALWAYS)
    def perplexity(self) -> Value:
        """The number of equally likely values that would carry as much information."""
        found: Value = _op("exp")(self.entropy())
        return found

    @costs("drawing.looked_up", careful=ALWAYS)
    def enumerate_support(self, expand: Any = True) -> Value:
        """All values that may be drawn, where there are few."""
        count = self._count()
        values: Value = _op("arange")(count, dtype=self._number()).view(count, *(1 for _ in self.batch_shape))
        return values.expand((count, *self.batch_shape)) if expand else values

    def _given(self) -> list[Any]:
        """The parameters that there are."""
        return [value for name in self.parameters if (value := self.__dict__.get(name)) is not None]

    def _count(self) -> int:
        raise EngineNotImplementedError(f"the values of {type(self).__name__} cannot be listed")

    def _number(self) -> Any:
        """The element type of what is drawn."""
        return None

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """The same distribution for a larger batch, whose parameters are views of its own."""
        before, shape = len(self.batch_shape), Size(batch_shape)
        made: Distribution = object.__new__(type(self))
        made.__dict__.update(self.__dict__, batch_shape=shape)
        for name in self.parameters:
            value = self.__dict__.get(name)
            if value is not None:
                made.__dict__[name] = value.expand((*shape, *value.shape[before:]))
        return made

    def __repr__(self) -> str:
        shown = []
        for name in self.parameters:
            value = self.__dict__.get(name)
            if value is not None:
                shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"


@costs("drawing.spread")
class Normal(Distribution):
    """Bell curves of given means and deviations."""

    parameters = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = _broadcast(loc, scale)
        super().__init__(self.loc.shape, validate_args)
        self._check("loc", self.loc == self.loc, "Real()")
        self._check("scale", self.scale > 0, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Value:
        """The means."""
        return self.loc

    @property
    def mode(self) -> Value:
        """The most likely values."""
        return self.loc

    @property
    def stddev(self) -> Value:
        """The deviations."""
        return self.scale

    @property
    def variance(self) -> Value:
        """The squares of the deviations."""
        return self.stddev.pow(2)

    @costs("drawing.sampled", careful=ALWAYS)
    def sample(self, sample_shape: Any = ()) -> Value:
        """Values that are drawn, which are constants."""
        shape = self._shape(sample_shape)
        with no_grad():
            drawn: Value = _op("normal")(self.loc.expand(shape), self.scale.expand(shape))
        return drawn

    @costs("drawing.sampled", careful=ALWAYS)
    def rsample(self, sample_shape: Any = ()) -> Value:
        """Values that are drawn, with the gradients of the parameters."""
        shape = self._shape(sample_shape)
        eps = _op("normal")(_op("zeros")(shape, dtype=self.loc.dtype), _op("ones")(shape, dtype=self.loc.dtype))
        return self.loc + eps * self.scale

    @costs("drawing.looked_up", careful=ALWAYS)
    def log_prob(self, value: Any) -> Value:
        """The logarithm of the density."""
        if self._validates:
            self._fitting(value)
            self._within(value, value == value, "Real()")
        var = self.scale**2
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))

    @costs("drawing.looked_up", careful=ALWAYS)
    def cdf(self, value: Any) -> Value:
        """The probability of no more than a value."""
        if self._validates:
            self._fitting(value)
            self._within(value, value == value, "Real()")
        return 0.5 * (1 + _op("erf")((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    @costs("drawing.looked_up", careful=ALWAYS)
    def icdf(self, value: Any) -> Value:
        """The value below which a draw is with a probability."""
        return self.loc + self.scale * _op("erfinv")(2 * value - 1) * math.sqrt(2)

    @costs("drawing.looked_up", careful=ALWAYS)
    def entropy(self) -> Value:
        """Compute the entropy: the information that a draw carries on average."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + _op("log")(self.scale)


@costs("drawing.spread")
class Uniform(Distribution):
    """Numbers from intervals."""

    parameters = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: Any = None) -> None:
        self.low, self.high = _broadcast(low, high)
        super().__init__(self.low.shape, validate_args)
        self._check("low", self.low < self.high, f"LessThan(upper_bound={self.high})")

    @property
    def mean(self) -> Value:
        """The middles."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Value:
        """The most likely values: all are."""
        return math.nan * self.high

    @property
    def variance(self) -> Value:
        """The squares of the deviations."""
        return (self.high - self.low).pow(2) / 12

    @property
    def stddev(self) -> Value:
        """The deviations."""
        return (self.high - self.low) / 12**0.5

    @costs("drawing.sampled", careful=ALWAYS)
    def rsample(self, sample_shape: Any = ()) -> Value:
        """Values that are drawn, with the gradients of the bounds."""
        rand: Value = _op("rand")(self._shape(sample_shape), dtype=self.low.dtype)
        return self.low + rand * (self.high - self.low)

    @costs("drawing.looked_up", careful=ALWAYS)
    def log_prob(self, value: Any) -> Value:
        """The logarithm of the density."""
        if self._validates:
            self._fitting(value)
            holds = (self.low <= value) & (value <= self.high)
            self._within(value, holds, f"Interval(lower_bound={self.low}, upper_bound={self.high})")
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return _op("log")(inside) - _op("log")(self.high - self.low)

    @costs("drawing.looked_up", careful=ALWAYS)
    def cdf(self, value: Any) -> Value:
        """The probability of no more than a value."""
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    @costs("drawing.looked_up", careful=ALWAYS)
    def icdf(self, value: Any) -> Value:
        """The value below which a draw is with a probability."""
        return value * (self.high - self.low) + self.low

    @costs("drawing.looked_up", careful=ALWAYS)
    def entropy(self) -> Value:
        """Compute the entropy: the information that a draw carries on average."""
        found: Value = _op("log")(self.high - self.low)
        return found


class _Chances(Distribution):
    """A distribution that is given by probabilities or by their logits."""

    parameters = ("probs", "logits")
    binary = False

    def _take(self, probs: Any, logits: Any) -> None:
        if (probs is None) == (logits is None):
            raise EngineValueError("Either `probs` or `logits` must be specified, but not both.")

    def __getattr__(self, name: str) -> Value:
        if name not in self.parameters:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        # The one of the two that was not given: kept for all that follows, even if a draw is the first to ask for it.
        with enable_grad():
            if name == "logits":
                made = _to_logits(self.probs, self.binary)
            else:
                made = _op("sigmoid")(self.logits) if self.binary else _op("softmax")(self.logits, -1)
        setattr(self, name, made)
        return made


class Bernoulli(_Chances):
    """Ones of given probabilities, else zeros."""

    binary = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self._take(probs, logits)
        if probs is not None:
            (self.probs,) = _broadcast(probs)
        else:
            (self.logits,) = _broadcast(logits)
        super().__init__((self.probs if probs is not None else self.logits).shape, validate_args)
        if probs is None:
            self._check("logits", self.logits == self.logits, "Real()")
        else:
            self._check("probs", (self.probs >= 0) & (self.probs <= 1), "Interval(lower_bound=0.0, upper_bound=1.0)")

    @property
    def mean(self) -> Value:
        """The probabilities."""
        return self.probs

    @property
    def mode(self) -> Value:
        """The most likely values, which are none where both are as likely."""
        likely = (self.probs >= 0.5).to(self.probs.dtype)
        found: Value = _op("where")(self.probs == 0.5, math.nan, likely)
        return found

    def _count(self) -> int:
        return 2

    def _number(self) -> Any:
        return next(iter(self._given())).dtype

    @property
    def variance(self) -> Value:
        """The squares of the deviations."""
        return self.probs * (1 - self.probs)

    @costs("drawing.sampled", careful=ALWAYS)
    def sample(self, sample_shape: Any = ()) -> Value:
        """Zeros and ones that are drawn."""
        with no_grad():
            drawn: Value = _op("bernoulli")(self.probs.expand(self._shape(sample_shape)))
        return drawn

    @costs("drawing.looked_up", careful=ALWAYS)
    def log_prob(self, value: Any) -> Value:
        """The logarithm of the probability."""
        given: Value = value
        if self._validates:
            self._fitting(value)
            self._within(given, (given == 0) | (given == 1), "Boolean()")
        logits, value = _broadcast(self.logits, value)
        return -find("F", "binary_cross_entropy_with_logits")(logits, value, reduction="none")

    @costs("drawing.looked_up", careful=ALWAYS)
    def entropy(self) -> Value:
        """Compute the entropy: the information that a draw carries on average."""
        found: Value = find("F", "binary_cross_entropy_with_logits")(self.logits, self.probs, reduction="none")
        return found


class Categorical(_Chances):
    """Numbers of classes, of given probabilities."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        self._take(probs, logits)
        given = probs if probs is not None else logits
        if given.dim() < 1:
            name = "probs" if probs is not None else "logits"
            raise EngineValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        super().__init__(given.shape[:-1], validate_args)
        self._last: int = given.shape[-1] - 1
        if probs is not None:
            fits = (self.probs >= 0).all(-1) & ((self.probs.sum(-1) - 1).abs() < 1e-6)
            self._check("probs", fits, "Simplex()")
        else:
            self._check("logits", self.logits == self.logits, "IndependentConstraint(Real(), 1)")

    @property
    def mode(self) -> Value:
        """The most likely classes."""
        return self.probs.argmax(-1)

    @property
    def mean(self) -> Value:
        """The means: classes have none."""
        found: Value = _op("full")(self.batch_shape, math.nan, dtype=self.probs.dtype)
        return found

    @property
    def variance(self) -> Value:
        """The squares of the deviations: classes have none."""
        return self.mean

    def _count(self) -> int:
        return self._last + 1

    @costs("drawing.sampled", careful=ALWAYS)
    def sample(self, sample_shape: Any = ()) -> Value:
        """Classes that are drawn."""
        whole = self._shape(sample_shape)
        shape = Size(sample_shape)
        with no_grad():
            flat = self.probs.reshape(-1, self.probs.shape[-1])
            drawn: Value = _op("multinomial")(flat, shape.numel(), True).T
        return drawn.reshape(whole)

    @costs("drawing.looked_up", careful=ALWAYS)
    def log_prob(self, value: Value) -> Value:
        """The logarithm of the probability."""
        if self._validates:
            self._fitting(value)
            last = self._last
            inside = (value >= 0) & (value <= last) & (value % 1 == 0)
            self._within(value, inside, f"IntegerInterval(lower_bound=0, upper_bound={last})")
        value = value.long().unsqueeze(-1)
        value, log_pmf = _op("broadcast_tensors")(value, self.logits)
        found: Value = log_pmf.gather(-1, value[..., :1]).squeeze(-1)
        return found

    @costs("drawing.looked_up", careful=ALWAYS)
    def entropy(self) -> Value:
        """Compute the entropy: the information that a draw carries on average."""
        logits = self.logits.clamp(min=_op("finfo")(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


@costs("drawing.compared", careful=ALWAYS)
def kl_divergence(p: Distribution, q: Distribution) -> Value:
    """Compute the Kullback-Leibler divergence between two distributions of the same kind."""
    for kind, between in _BETWEEN.items():
        if isinstance(p, kind) and isinstance(q, kind):
            return between(p, q)
    raise EngineNotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


def _between_normals(p: Any, q: Any) -> Value:
    ratio = (p.scale / q.scale).pow(2)
    t1 = ((p.loc - q.loc) / q.scale).pow(2)
    found: Value = 0.5 * (ratio + t1 - 1 - ratio.log())
    return found


def _between_categories(p: Any, q: Any) -> Value:
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    found: Value = t.sum(-1)
    return found


def _between_bernoullis(p: Any, q: Any) -> Value:
    softplus = find("F", "softplus")
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t1[q.probs == 0] = math.inf
    t1[p.probs == 0] = 0
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t2[q.probs == 1] = math.inf
    t2[p.probs == 1] = 0
    found: Value = t1 + t2
    return found


_BETWEEN = {Normal: _between_normals, Categorical: _between_categories, Bernoulli: _between_bernoullis}

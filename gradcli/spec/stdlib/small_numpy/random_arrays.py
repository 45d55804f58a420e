"""The module `numpy.random`: arrays that are drawn, by the module itself and by generators that a program holds."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import CONSTRUCTORS, caps, collected, fits, whole
from ...torch_names import seeded_generators
from ...values.classes.sealed_classes import Given, known_as
from ...values.element_types import element_type
from ...values.tables.table import declare
from ...values.text_arrays import array_of_texts, begins_with_text, holds_none
from ...values.visible_types import word
from ..iteration import iterate
from .arguments import Function, Table, array_of, number_or_array, optional, room, size_of
from .quiet import quiet
from .random_sources import Bits, makers, seed_of, several

# Elementary operations for each element that is drawn, or put at a place that is drawn.
_DRAW = 20
_MOVE = 100


def _source() -> Any:
    return seeded_generators.held(seeded_generators.OF_ARRAYS, _seeded)


def _seeded(seed: int) -> Any:
    return np.random.RandomState(seed % 2**32)


def _seed(seed: Any = None) -> None:
    first = _seeded(seeded_generators.first_seed()) if seed is None else np.random.RandomState(seed_of(seed))
    seeded_generators.hold(seeded_generators.OF_ARRAYS, first)


def _state() -> tuple[Any, ...]:
    """Return the name and the numbers that set_state() takes."""
    found: tuple[Any, ...] = _source().get_state()
    return found


def _go_on(state: Any) -> None:
    """Go on from a state."""
    name, words, place, ahead, number = collected(iterate(state))
    numbers = np.array([whole(word) for word in collected(iterate(words))], dtype=np.uint32)
    if name != "MT19937":
        raise ValueError("algorithm must be 'MT19937'")
    _source().set_state((name, numbers, whole(place), whole(ahead), float(number)))


def _sized(name: str) -> Function:
    """A function whose arguments are sizes."""
    return lambda *sizes: getattr(_source(), name)(*size_of(sizes, _DRAW) if sizes else ())


# The parameters of each distribution.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "random": (), "random_sample": (), "ranf": (), "sample": (), "standard_normal": (), "uniform": ("low", "high"),
    "normal": ("loc", "scale"),
    "binomial": ("n", "p"), "chisquare": ("df",), "geometric": ("p",), "laplace": ("loc", "scale"),
    "lognormal": ("mean", "sigma"), "rayleigh": ("scale",), "triangular": ("left", "mode", "right"), "weibull": ("a",),
    "beta": ("a", "b"), "exponential": ("scale",), "gamma": ("shape", "scale"), "poisson": ("lam",),
    "gumbel": ("loc", "scale"), "logistic": ("loc", "scale"), "pareto": ("a",), "power": ("a",), "standard_cauchy": (),
    "standard_exponential": (), "standard_gamma": ("shape",), "standard_t": ("df",), "f": ("dfnum", "dfden"),
    "hypergeometric": ("ngood", "nbad", "nsample"), "logseries": ("p",), "negative_binomial": ("n", "p"),
    "noncentral_chisquare": ("df", "nonc"), "noncentral_f": ("dfnum", "dfden", "nonc"), "vonmises": ("mu", "kappa"),
    "wald": ("mean", "scale"), "zipf": ("a",),
}  # fmt: skip
# Those of which one number may take several tries.
_TRIED = (
    "beta", "binomial", "chisquare", "f", "gamma", "geometric", "hypergeometric", "logseries", "negative_binomial",
    "noncentral_chisquare", "noncentral_f", "poisson", "standard_gamma", "standard_t", "vonmises", "zipf",
)  # fmt: skip
# Those that generators of the new kind draw in single precision, too.
_OF_A_DTYPE = ("random", "standard_exponential", "standard_gamma", "standard_normal")
# Of a flatter one almost every try is beyond all integers.
_FLATTEST = 1.01


def _drawn(name: str, parameters: tuple[str, ...]) -> Function:
    """A function whose arguments are those of a distribution, and a size."""
    each = 10 * _DRAW if name in _TRIED else _DRAW

    def call(*args: Any, size: Any = None, **named: Any) -> Any:
        known = dict(zip(parameters, args, strict=False))
        kind: dict[str, Any] = {}
        if name in _OF_A_DTYPE and "dtype" in named and isinstance(_source(), np.random.Generator):
            kind["dtype"] = element_type(named.pop("dtype"))
        for key, value in named.items():
            if key not in parameters or key in known:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            known[key] = value
        given = {key: number_or_array(value) for key, value in known.items()}
        if name == "zipf" and "a" in given:
            a = np.asarray(given["a"])
            if np.any((a > 1) & (a < _FLATTEST)):
                raise SpecError(f"numpy.random.zipf() takes a from {_FLATTEST} on in the spec language", code="E205")
        size = args[len(parameters)] if len(args) > len(parameters) else size
        if size is None:
            room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in given.values()])), each)
        draw = getattr(_source(), "random_sample" if name in _OF_MODULE else name)
        return draw(**given, size=None if size is None else size_of(size, each), **kind)

    return call


def _randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    low, high = number_or_array(low), optional(high)
    room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in (low, high)])), _DRAW)
    # One number of the type `int` is Python's own.
    kind = dtype if dtype is int or dtype is bool else element_type(dtype)
    return _source().randint(low, high, None if size is None else size_of(size, _DRAW), kind)


def _choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, **of_new: Any) -> Any:
    if holds_none(a):
        # NumPy chooses among what it makes an array of: where something is None, one of objects.
        objects = caps.library("_objects")
        return objects["functions"]["take"](objects["made"](a), _choice(len(a), size, replace, p, **of_new))
    if begins_with_text(a):
        texts = array_of_texts(a)
        return texts[_choice(len(texts), size, replace, p, **of_new)]
    values = _population(a, 0 if replace else _MOVE)
    chances = None if p is None else array_of(p)
    how = _of_new_kind("choice", of_new, axis=whole, shuffle=bool)
    sizes = None if size is None else size_of(size, 5 * _DRAW)
    if "axis" in how and sizes is not None and not isinstance(values, int):
        room(math.prod(sizes) * max(1, values.size // max(1, values.shape[how["axis"]])))
    return _source().choice(values, sizes, bool(replace), chances, **how)


def _of_new_kind(name: str, given: dict[str, Any], **readers: Function) -> dict[str, Any]:
    """Arguments that functions of generators of the new kind have, and the others have not."""
    for key in given:
        if key not in readers or not isinstance(_source(), np.random.Generator):
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return {key: readers[key](value) for key, value in given.items()}


def _permutation(x: Any, **of_new: Any) -> Any:
    return _source().permutation(_population(x, _MOVE), **_of_new_kind("permutation", of_new, axis=whole))


def _bytes(length: Any) -> bytes:
    count = whole(length)
    fits(max(count, 0), "bytes")
    found: bytes = _source().bytes(count)
    return found


def _colours(colors: Any, nsample: Any, size: Any = None, method: Any = "marginals") -> Any:
    """multivariate_hypergeometric()"""
    counts = array_of(colors)
    if method not in ("count", "marginals"):
        raise ValueError('method must be "count" or "marginals".')
    sizes = () if size is None else size_of(size)
    room(math.prod(sizes) * max(1, counts.size), 10 * _DRAW)
    if method == "count":
        room(max(int(counts.sum()), 0))
    return _source().multivariate_hypergeometric(counts, whole(nsample), sizes or None, method=method)


def _tomaxint(size: Any = None) -> Any:
    return _source().tomaxint(None if size is None else size_of(size, _DRAW))


def _random_integers(low: Any, high: Any = None, size: Any = None) -> Any:
    """random_integers(), which takes the upper bound for one of the numbers."""
    low, high = (1, low) if high is None else (low, high)
    return _source().randint(whole(low), whole(high) + 1, None if size is None else size_of(size, _DRAW))


def _population(a: Any, each: int) -> Any:
    """Return the numbers to choose from, those below an int or an array, and charge for them."""
    if isinstance(a, int):
        if each:
            room(max(a, 0), each)
        return a
    values = array_of(a)
    room(values.size, each)
    return values


def _normals(
    mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: float = 1e-8, *, method: Any = None
) -> Any:
    mean, cov = array_of(mean), array_of(cov)
    sizes = () if size is None else size_of(size)
    room(math.prod(sizes) * max(1, mean.size) + cov.size, _DRAW + 20 * max(1, mean.size))
    source = _source()
    if method is not None:
        if not isinstance(source, np.random.Generator):
            raise TypeError("multivariate_normal() got an unexpected keyword argument 'method'")
        return source.multivariate_normal(mean, cov, sizes, check_valid, tol, method=method)
    return source.multivariate_normal(mean, cov, sizes, check_valid, tol)


def _counts(n: Any, pvals: Any, size: Any = None) -> Any:
    """multinomial()"""
    chances = array_of(pvals)
    sizes = () if size is None else size_of(size)
    room(math.prod(sizes) * max(1, chances.size), 10 * _DRAW)
    return _source().multinomial(whole(n), chances, sizes)


def _shares(alpha: Any, size: Any = None) -> Any:
    """dirichlet()"""
    weights = array_of(alpha)
    sizes = () if size is None else size_of(size)
    room(math.prod(sizes) * max(1, weights.size), 10 * _DRAW)
    return _source().dirichlet(weights, sizes)


def _shuffle(x: Any, **of_new: Any) -> None:
    if not isinstance(x, (list, np.ndarray)):
        raise SpecError("numpy.random.shuffle() takes a list or an array in the spec language", help="index with one")
    n = x.size if isinstance(x, np.ndarray) else len(x)
    room(n, _MOVE)
    _source().shuffle(x, **_of_new_kind("shuffle", of_new, axis=whole))


def _permuted(x: Any, axis: Any = None) -> Any:
    values = _population(x, _MOVE)
    return _source().permuted(values, axis=None if axis is None else whole(axis))


def _integers(low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: bool = False) -> Any:
    low, high = number_or_array(low), optional(high)
    room(math.prod(np.broadcast_shapes(*[np.shape(a) for a in (low, high)])), _DRAW)
    shape, kind = None if size is None else size_of(size, _DRAW), element_type(dtype)
    return _source().integers(low, high, shape, kind, bool(endpoint))


class Drawing(Given):
    """A generator of random arrays that a program holds."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source

    def __str__(self) -> str:
        return str(self.source)


class Old(Drawing):
    """One of the old kind."""

    __slots__ = ()

    def seed(self, seed: Any = None) -> None:
        """Begin anew."""
        self.source.seed(seeded_generators.first_seed() % 2**32 if seed is None else seed_of(seed))


class New(Drawing):
    """One of the new kind."""

    __slots__ = ()

    def spawn(self, n_children: Any) -> list[New]:
        """Generators of their own, which have the first one's seeds."""
        return [New(child) for child in self.source.spawn(several(n_children))]


known_as(Old, "RandomState", "numpy.random.mtrand")
known_as(New, "Generator", "numpy.random._generator")


def _drawing(name: str) -> Function:
    """A method of a generator: the function of the module, drawn from that generator."""

    def method(self: Drawing, *args: Any, **kwargs: Any) -> Any:
        function = _functions()[name]
        before = _source()
        seeded_generators.hold(seeded_generators.OF_ARRAYS, self.source)
        try:
            return function(*args, **kwargs)
        finally:
            seeded_generators.hold(seeded_generators.OF_ARRAYS, before)

    return method


_OF_OLD = ("rand", "randn", "randint", "random_sample", "get_state", "set_state", "random_integers", "tomaxint")
# What only the module itself has.
_OF_MODULE = ("ranf", "sample")
_OF_NEW = ("integers", "permuted", "multivariate_hypergeometric")
_OF_BOTH = (
    "bytes", "choice", "shuffle", "permutation", "multivariate_normal", "multinomial", "dirichlet",
    *(n for n in _PARAMETERS if n not in (*_OF_OLD, *_OF_MODULE)),
)  # fmt: skip
declare(
    Old, base=object, methods={**{name: _drawing(name) for name in (*_OF_OLD, *_OF_BOTH)}, "seed": Old.seed}
)  # fmt: skip
declare(
    New,
    base=object,
    methods={**{name: _drawing(name) for name in (*_OF_NEW, *_OF_BOTH)}, "spawn": New.spawn},
    fields={"bit_generator": lambda drawing: Bits(drawing.source.bit_generator)},
)


def _old(seed: Any = None) -> Old:
    return Old(_seeded(seeded_generators.first_seed()) if seed is None else np.random.RandomState(seed_of(seed)))


def _new(seed: Any = None) -> New:
    if isinstance(seed, New):
        return seed
    return New(np.random.default_rng(seeded_generators.first_seed() if seed is None else seed_of(seed)))


def _generator(bit_generator: Any) -> New:
    """Generator(), of what makes bits."""
    if not isinstance(bit_generator, Bits):
        raise AttributeError(f"'{word(bit_generator)}' object has no attribute 'capsule'")
    return New(np.random.Generator(bit_generator.bits))


CONSTRUCTORS[Old] = quiet("RandomState", _old)
CONSTRUCTORS[New] = _generator


def names() -> Table:
    """The names of the module `numpy.random`."""
    made = _functions()
    for name in (*_OF_NEW, "tomaxint"):
        del made[name]
    made["default_rng"] = quiet("default_rng", _new)
    made.update({name: quiet(name, function) for name, function in makers().items()})
    return {**made, "Generator": New, "RandomState": Old}


@cache
def _made() -> Table:
    made: dict[str, Function] = {"seed": _seed, "rand": _sized("rand"), "randn": _sized("randn"), "randint": _randint}
    made.update(choice=_choice, shuffle=_shuffle, permutation=_permutation, bytes=_bytes)
    made.update(multivariate_hypergeometric=_colours, random_integers=_random_integers, tomaxint=_tomaxint)
    made.update({name: _drawn(name, parameters) for name, parameters in _PARAMETERS.items()})
    made.update(integers=_integers, permuted=_permuted)
    made.update(multivariate_normal=_normals, multinomial=_counts, dirichlet=_shares)
    made["get_state"], made["set_state"] = _state, _go_on
    return {name: quiet(name, function) for name, function in made.items()}


def _functions() -> Table:
    """The functions that draw, by name, in a table of its own."""
    return dict(_made())

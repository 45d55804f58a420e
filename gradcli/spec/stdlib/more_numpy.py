"""More of NumPy: functions that are asked for less often, each with what it costs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import linalg

from ...errors import SpecError
from ..guard.size_limits import collected, whole
from ..values.element_types import ElementType, element_type
from ..values.named_tuples import namedtuple
from .iteration import iterate
from .numpy_arguments import Function, array_of, number, number_or_array, of_one, room, split_at

# Elementary operations for each of the n ** 3 of a decomposition.
_STEPS = 20


def more() -> dict[str, Function]:
    """More functions of the module `numpy`."""
    made = {function.__name__: _of_two(function) for function in _OF_TWO}
    made.update({name: of_one(name) for name in _OF_ONE.split()})
    made.update(
        full_like=_full_like, cov=_spread("cov"), corrcoef=_spread("corrcoef"), bincount=_bincount, polyfit=_polyfit,
        polyval=_polyval, interp=_interp, logspace=_spaced("logspace"), geomspace=_spaced("geomspace"), tri=_tri,
        tril_indices=_triangle("tril_indices"), triu_indices=_triangle("triu_indices"), dstack=_dstack, take=_take,
        broadcast_to=_broadcast, insert=_insert, gradient=_gradient, digitize=_searched("digitize"), delete=_delete,
        searchsorted=_searched("searchsorted"), indices=_indices, take_along_axis=_along, isscalar=_is_scalar,
        fill_diagonal=_fill_diagonal, split=_split, unravel_index=_unravel, shares_memory=_sharing,
        may_share_memory=lambda a, b: np.may_share_memory(array_of(a), array_of(b)),
    )  # fmt: skip
    return made


# How many ways of laying one array over another are tried: more than slices of ordinary arrays have.
_MOST_WAYS: Any = 10_000


def _sharing(a: Any, b: Any) -> bool:
    """shares_memory(): True if two arrays have an element in common."""
    try:
        return np.shares_memory(array_of(a), array_of(b), _MOST_WAYS)
    except np.exceptions.TooHardError:
        raise SpecError("whether these arrays share memory takes too long to find out", help="leave it out") from None


# What makes nothing larger than all of its arguments with one another, or together.
_OF_TWO: tuple[Function, ...] = (np.convolve, np.correlate, np.inner, np.kron, np.tensordot, np.vdot, np.cross)
_OF_ONE = (
    "diagonal rot90 rollaxis trapezoid isin union1d intersect1d setdiff1d setxor1d argpartition partition lexsort "
    "resize nancumsum nancumprod"
)


def _of_two(function: Function) -> Function:
    def call(a: Any, b: Any, *how: Any, **named: Any) -> Any:
        a, b = array_of(a), array_of(b)
        room(a.size * b.size)
        choices = [h if isinstance(h, str) else _axes(h) for h in how]
        return function(a, b, *choices, **{key: h if isinstance(h, str) else _axes(h) for key, h in named.items()})

    return call


def _axes(value: Any) -> Any:
    """An axis, or several, or several for each of two arrays."""
    return tuple([_axes(v) for v in value]) if isinstance(value, (list, tuple)) else whole(value)


def _full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    a = array_of(a)
    room(a.size)
    return np.full_like(a, number_or_array(fill_value), element_type(dtype))


def _spread(name: str) -> Function:
    function = getattr(np, name)

    def call(m: Any, y: Any = None, rowvar: Any = True, **how: Any) -> Any:
        m, y = array_of(m), None if y is None else array_of(y)
        room((m.size + (0 if y is None else y.size)) ** 2 // max(1, m.shape[-1] if m.ndim else 1))
        choices = {key: value if isinstance(value, bool) else whole(value) for key, value in how.items()}
        return function(m, y, bool(rowvar), **choices)

    return call


def _bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    x = array_of(x)
    room(max(x.size, int(x.max(initial=0)), whole(minlength)))
    return np.bincount(x, None if weights is None else array_of(weights), whole(minlength))


def _polyfit(x: Any, y: Any, deg: Any) -> Any:
    x, y = array_of(x), array_of(y)
    room(x.size * (max(whole(deg), 0) + 1), _STEPS * (max(whole(deg), 0) + 1))
    return np.polyfit(x, y, whole(deg))


def _polyval(p: Any, x: Any) -> Any:
    p, x = array_of(p), number_or_array(x)
    room(np.size(x), max(1, p.size))
    return np.polyval(p, x)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    given = number_or_array(x), array_of(xp), array_of(fp)
    room(sum(np.size(a) for a in given), 20)
    return np.interp(*given, *[None if n is None else number(n) for n in (left, right)])


def _spaced(name: str) -> Function:
    function = getattr(np, name)

    def call(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, **how: Any) -> Any:
        room(max(0, whole(num)), 10)
        choices = {key: number(value) for key, value in how.items()}
        return function(number(start), number(stop), whole(num), bool(endpoint), **choices)

    return call


def _tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    room(max(0, whole(N)) * max(0, whole(N if M is None else M)))
    return np.tri(whole(N), None if M is None else whole(M), whole(k), dtype=element_type(dtype))


def _fill_diagonal(a: Any, val: Any) -> None:
    if not isinstance(a, np.ndarray):
        raise TypeError("fill_diagonal() takes an array")
    room(max(a.shape, default=1))
    np.fill_diagonal(a, number_or_array(val))


def _triangle(name: str) -> Function:
    function = getattr(np, name)

    def call(n: Any, k: Any = 0, m: Any = None) -> Any:
        room(3 * max(0, whole(n)) * max(0, whole(n if m is None else m)))
        return function(whole(n), whole(k), None if m is None else whole(m))

    return call


def _dstack(arrays: Any) -> Any:
    parts = [array_of(a) for a in collected(iterate(arrays))]
    room(sum(a.size for a in parts))
    return np.dstack(parts)


def _take(a: Any, indices: Any, axis: Any = None) -> Any:
    a, places = array_of(a), number_or_array(indices)
    along = a.size if axis is None else a.shape[whole(axis)]
    room(np.size(places) * (a.size // max(1, along)))
    return np.take(a, places, None if axis is None else whole(axis))


def _along(arr: Any, indices: Any, axis: Any = -1) -> Any:
    a, places = array_of(arr), array_of(indices)
    room(math.prod(np.broadcast_shapes(a.shape, places.shape)) if a.ndim == places.ndim == 0 else a.size + places.size)
    return np.take_along_axis(a, places, None if axis is None else whole(axis))


def _broadcast(array: Any, shape: Any) -> Any:
    sizes = tuple([whole(n) for n in shape]) if isinstance(shape, (list, tuple)) else (whole(shape),)
    room(math.prod(max(n, 0) for n in sizes))
    # A copy: that of NumPy's cannot be written to.
    return np.array(np.broadcast_to(array_of(array), sizes))


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    a, b = array_of(arr), number_or_array(values)
    along = a.shape[whole(axis)] if axis is not None and a.ndim else a.size
    room(a.size + max(np.size(b), np.size(obj) * (a.size // max(1, along))))
    return np.insert(a, _places(obj), b, None if axis is None else whole(axis))


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    a = array_of(arr)
    room(a.size)
    return np.delete(a, _places(obj), None if axis is None else whole(axis))


def _places(value: Any) -> Any:
    return value if isinstance(value, slice) else number_or_array(value)


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    a = array_of(f)
    room(a.size * max(1, a.ndim), 4)
    function: Function = np.gradient
    along = None if axis is None else _axes(axis)
    return function(a, *map(number_or_array, varargs), axis=along, edge_order=whole(edge_order))


def _searched(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, v: Any, how: Any = None, **named: Any) -> Any:
        a, v = number_or_array(a), number_or_array(v)
        room(np.size(a) + np.size(v), 20)
        choices = {key: value if isinstance(value, str) else bool(value) for key, value in named.items()}
        if how is not None:
            choices["side" if name == "searchsorted" else "right"] = how if isinstance(how, str) else bool(how)
        return function(a, v, **choices)

    return call


def _indices(dimensions: Any, dtype: Any = int) -> Any:
    sizes = tuple([whole(n) for n in collected(iterate(dimensions))])
    room(math.prod(max(n, 0) for n in sizes) * max(1, len(sizes)))
    function: Function = np.indices
    return function(sizes, element_type(dtype))


def _is_scalar(element: Any) -> bool:
    return isinstance(element, (int, float, complex, str, np.generic))


def _split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    a = array_of(ary)
    return np.split(a, split_at(a, indices_or_sections), whole(axis))


def _unravel(indices: Any, shape: Any) -> Any:
    places = number_or_array(indices)
    sizes = tuple([whole(n) for n in shape]) if isinstance(shape, (list, tuple)) else (whole(shape),)
    room(np.size(places) * max(1, len(sizes)))
    return np.unravel_index(places, sizes)


def element_type_of(dtype: Any, /) -> ElementType:
    """dtype(): an element type by its name, or by the class of its numbers."""
    found = element_type(dtype)
    return ElementType(np.dtype(float) if found is None else found)


# -- matrices ------------------------------------------------------------------------------------

# Functions of a matrix: the class of what each gives, and the names in that.
_MATRIX: dict[Function, tuple[str, str] | None] = {
    linalg.cholesky: None, linalg.cond: None, linalg.eigvals: None, linalg.eigvalsh: None, linalg.lstsq: None,
    linalg.matrix_power: None, linalg.matrix_rank: None,
    linalg.eig: ("EigResult", "eigenvalues eigenvectors"), linalg.eigh: ("EighResult", "eigenvalues eigenvectors"),
    linalg.qr: ("QRResult", "Q R"), linalg.slogdet: ("SlogdetResult", "sign logabsdet"),
    linalg.svd: ("SVDResult", "U S Vh"),
}  # fmt: skip
_OPTIONS = ("full_matrices", "compute_uv", "mode", "UPLO", "rcond", "tol", "hermitian", "n", "p")


def of_matrices() -> dict[str, Function]:
    """More functions of the module `numpy.linalg`."""
    return {function.__name__: _of_matrix(function, result) for function, result in _MATRIX.items()}


def _of_matrix(function: Function, result: tuple[str, str] | None) -> Function:
    name = function.__name__

    def call(a: Any, *args: Any, **options: Any) -> Any:
        for key in options:
            if key not in _OPTIONS:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        a = array_of(a)
        power = max([1, *[abs(whole(n)).bit_length() for n in args if name == "matrix_power"]])
        side = max(a.shape[-2:], default=1)
        full = side * side if name in ("svd", "qr") else 0
        room(a.size + full, _STEPS * max(1, side) * power)
        given = [v if isinstance(v, str) else number_or_array(v) for v in args]
        choices = {key: v if isinstance(v, str) or v is None else number(v) for key, v in options.items()}
        found = function(a, *given, **choices)
        if result is None or not isinstance(found, tuple):
            return tuple(found) if isinstance(found, tuple) else found
        return namedtuple(*result)(*found)

    return call


# -- Fourier transforms --------------------------------------------------------------------------

_NORMS = (None, "backward", "ortho", "forward")


def of_waves() -> dict[str, Function]:
    """The functions of the module `numpy.fft`."""
    made = {name: _transform(name) for name in np.fft.__all__ if name.endswith("fft")}
    # Those along two axes, and along any number of them.
    made.update({name: _transforms(name) for name in np.fft.__all__ if name.endswith(("fft2", "fftn"))})
    made.update({name: _shifted(name) for name in ("fftshift", "ifftshift")})
    made.update({name: _frequencies(name) for name in ("fftfreq", "rfftfreq")})
    return made


def _norm_of(norm: Any) -> Any:
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')
    return norm


def _transform(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        a, axis = array_of(a), whole(axis)
        along = a.shape[axis] if -a.ndim <= axis < a.ndim else 1
        length = 2 * along if n is None else max(whole(n), 0)
        room(max(a.size, a.size // max(1, along) * length), _STEPS * max(1, length.bit_length()))
        return function(a, None if n is None else whole(n), axis, _norm_of(norm))

    return call


def _transforms(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        a = array_of(a)
        if s is not None:
            raise SpecError(f"numpy.fft.{name}(s=...) is not in the spec language", help="pad or cut the array before")
        room(2 * a.size, _STEPS * max(1, int(a.size).bit_length()))
        along = {} if axes is None else {"axes": tuple([whole(axis) for axis in axes])}
        return function(a, norm=_norm_of(norm), **along)

    return call


def _shifted(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(x: Any, axes: Any = None) -> Any:
        a = array_of(x)
        room(a.size)
        return function(a, None if axes is None else _axes(axes))

    return call


def _frequencies(name: str) -> Function:
    function = getattr(np.fft, name)

    def call(n: Any, d: Any = 1.0) -> Any:
        room(max(whole(n), 0))
        return function(whole(n), number(d))

    return call

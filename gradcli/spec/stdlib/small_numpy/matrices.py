"""The module `numpy.linalg`: functions of matrices, each with what it costs."""

from __future__ import annotations

import math
from typing import Any

from numpy import linalg

from ...guard.costs.multiplying import matmul
from ...guard.size_limits import caps, collected, whole
from ...values.classes.named_tuples import namedtuple
from ..iteration import iterate
from .arguments import STEPS, Function, Table, array_of, choice_of, number, number_or_array, of_one, room
from .array_api import vecdot
from .quiet import quiet


def names() -> Table:
    """The names of the module `numpy.linalg`."""
    made: dict[str, Function] = {"norm": _norm, **{name: _solving(name) for name in ("inv", "det", "solve", "pinv")}}
    made.update({function.__name__: _of_matrix(function, result) for function, result in _MATRIX.items()})
    made.update(
        cross=_cross,
        diagonal=_diagonal,
        matmul=_matmul,
        matrix_norm=_matrix_norm,
        matrix_transpose=of_one("matrix_transpose"),
        multi_dot=_multi_dot,
        outer=_outer,
        tensorinv=_tensorinv,
        tensorsolve=_tensorsolve,
        trace=_trace,
        vecdot=vecdot,
        vector_norm=_vector_norm,
    )
    return {**{name: quiet(name, function) for name, function in made.items()}, "LinAlgError": linalg.LinAlgError}


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    a = array_of(x)
    # Of matrices, two norms are found in their singular values.
    room(a.size, 1 if ord is None else 20 * max(1, *a.shape[-2:], 1))
    named = isinstance(ord, str) and ord in ("fro", "nuc")
    return linalg.norm(a, ord if ord is None or named else float(ord), choice_of(axis), bool(keepdims))


def _matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return _norm(x, ord, (-2, -1), keepdims)


def _vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    a = array_of(x)
    room(a.size)
    return linalg.vector_norm(a, axis=choice_of(axis), keepdims=bool(keepdims), ord=float(ord))


# -- the names that the array API standard has here --


def _cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    a, b = array_of(x1), array_of(x2)
    room(a.size + b.size, 4)
    return linalg.cross(a, b, axis=whole(axis))


def _diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    return linalg.diagonal(array_of(x), offset=whole(offset))


def _trace(x: Any, /, *, offset: Any = 0) -> Any:
    a = array_of(x)
    room(a.size)
    return linalg.trace(a, offset=whole(offset))


def _matmul(x1: Any, x2: Any, /) -> Any:
    a, b = array_of(x1), array_of(x2)
    found = matmul(a, b)
    caps.spend(max(found.elements, a.size, b.size), found.work)
    return linalg.matmul(a, b)


def _outer(x1: Any, x2: Any, /) -> Any:
    a, b = array_of(x1), array_of(x2)
    room(a.size * b.size)
    return linalg.outer(a, b)


def _multi_dot(arrays: Any) -> Any:
    factors = [array_of(a) for a in collected(iterate(arrays))]
    side = max([n for a in factors for n in a.shape], default=1)
    # Which product comes first is found for all stretches of them.
    room(len(factors) ** 3 + side * side, max(1, side) * max(1, len(factors)))
    return linalg.multi_dot(factors)


def _tensorinv(a: Any, ind: Any = 2) -> Any:
    a = array_of(a)
    room(a.size, STEPS * math.isqrt(a.size) + 1)
    return linalg.tensorinv(a, whole(ind))


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = array_of(a), array_of(b)
    room(a.size, STEPS * math.isqrt(a.size) + 1)
    return linalg.tensorsolve(a, b, None if axes is None else choice_of(axes))


def _solving(name: str) -> Function:
    """A function of a matrix, which takes as many operations as its cube has elements."""
    function = getattr(linalg, name)

    def call(*args: Any) -> Any:
        arrays = [array_of(a) for a in args]
        n = max(1, *[max(a.shape, default=1) for a in arrays])
        room(sum(a.size for a in arrays), 20 * n)
        return function(*arrays)

    return call


# Functions of a matrix: the class of what each gives, and the names in that.
_MATRIX: dict[Function, tuple[str, str] | None] = {
    linalg.cholesky: None, linalg.cond: None, linalg.eigvals: None, linalg.eigvalsh: None, linalg.lstsq: None,
    linalg.matrix_power: None, linalg.matrix_rank: None, linalg.svdvals: None,
    linalg.eig: ("EigResult", "eigenvalues eigenvectors"), linalg.eigh: ("EighResult", "eigenvalues eigenvectors"),
    linalg.qr: ("QRResult", "Q R"), linalg.slogdet: ("SlogdetResult", "sign logabsdet"),
    linalg.svd: ("SVDResult", "U S Vh"),
}  # fmt: skip
_OPTIONS = ("full_matrices", "compute_uv", "mode", "UPLO", "rcond", "tol", "hermitian", "n", "p")


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
        room(a.size + full, STEPS * max(1, side) * power)
        given = [v if isinstance(v, str) or v is None else number_or_array(v) for v in args]
        choices = {key: v if isinstance(v, str) or v is None else number(v) for key, v in options.items()}
        found = function(a, *given, **choices)
        if result is None or not isinstance(found, tuple):
            return tuple(found) if isinstance(found, tuple) else found
        return namedtuple(*result)(*found)

    return call

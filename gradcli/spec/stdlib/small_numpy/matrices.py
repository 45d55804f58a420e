"""The module `numpy.linalg`: functions of matrices, each with what it costs."""

from __future__ import annotations

from typing import Any

from numpy import linalg

from ...guard.size_limits import whole
from ...values.classes.named_tuples import namedtuple
from .arguments import STEPS, Function, Table, array_of, choice_of, number, number_or_array, room
from .quiet import quiet


def names() -> Table:
    """The names of the module `numpy.linalg`."""
    made: dict[str, Function] = {"norm": _norm, **{name: _solving(name) for name in ("inv", "det", "solve", "pinv")}}
    made.update({function.__name__: _of_matrix(function, result) for function, result in _MATRIX.items()})
    return {**{name: quiet(name, function) for name, function in made.items()}, "LinAlgError": linalg.LinAlgError}


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    a = array_of(x)
    # Of matrices, two norms are found in their singular values.
    room(a.size, 1 if ord is None else 20 * max(1, *a.shape[-2:], 1))
    named = isinstance(ord, str) and ord in ("fro", "nuc")
    return linalg.norm(a, ord if ord is None or named else float(ord), choice_of(axis), bool(keepdims))


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
    linalg.matrix_power: None, linalg.matrix_rank: None,
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
        given = [v if isinstance(v, str) else number_or_array(v) for v in args]
        choices = {key: v if isinstance(v, str) or v is None else number(v) for key, v in options.items()}
        found = function(a, *given, **choices)
        if result is None or not isinstance(found, tuple):
            return tuple(found) if isinstance(found, tuple) else found
        return namedtuple(*result)(*found)

    return call

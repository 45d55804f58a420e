"""Ops that take an argument to be more than numbers in a shape: symmetric, triangular, normalised, the same in one row.

Of two entries that mirror each other, `cholesky` reads one, and its backward gives each its share; `cholesky_inverse`
reads one half, and its gradient is that of the inverse of L times its transpose for any L; the gradient of `ctc_loss`
is that of the scores that log_softmax made its argument of; a row of a table that is padding gets none. All
are right for whoever moves the argument so that it stays what it is taken to be. When such an op is evaluated again at
other values, its argument is brought back to that; and so are the inputs that are of the kind themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.numeric.common import quiet
from ...engine.registry import Op
from ...engine.tape.entry import Operand
from ...verdicts import NoteKind
from ..arrays import Array

# How far an argument may be from what it is taken to be: of the largest entry, or of a sum of 1.
_ALIKE, _EPS = 1e-9, 64


class Premise(NamedTuple):
    """One premise of an op on an argument."""

    # Whether it is so; of arrays that have the last axes for it.
    holds: Callable[[Array], bool]
    # What an array that was so has moved to, brought back: where it was, and where it is.
    kept: Callable[[Array, Any], Any]
    # What is said where it is so, and where it is not.
    kind: NoteKind
    note: str
    broken: str
    # Whether a gradient of an array that is so shows that whoever made it took the array to be so.
    shows: Callable[[Array, Array], bool]
    # Whether it is so of an input, which a program may turn before it passes it on.
    of_input: Callable[[Array], bool] | None = None

    def holds_of_input(self, a: Array) -> bool:
        """Tell whether an input is of the kind."""
        return (self.of_input or self.holds)(a)


class Assumed(NamedTuple):
    """An argument that an op takes to be something, by its place, and what it held."""

    place: int
    array: Array
    premise: Premise

    @property
    def holds(self) -> bool:
        """True where it was so."""
        return self.premise.holds(self.array)

    def kept(self, args: list[Any]) -> list[Any]:
        """The arguments, with this one brought back."""
        return [*args[: self.place], self.premise.kept(self.array, args[self.place]), *args[self.place + 1 :]]


def is_mirrored(a: Any) -> bool:
    """True of an array of square matrices that are symmetric, but for rounding."""
    if np.ndim(a) < 2 or a.shape[-1] != a.shape[-2] or _is_trivial(a):
        return False
    return bool(np.max(np.abs(a - np.swapaxes(a, -1, -2))) <= _ALIKE * np.max(np.abs(a)))


def _mirrored(at: Array, there: Any) -> Any:
    moved = there - at
    return at + (moved + np.swapaxes(moved, -1, -2)) / 2


def is_normalised(a: Any) -> bool:
    """True of an array whose last axis holds logarithms of numbers that add up to 1, but for rounding."""
    if not np.ndim(a) or _is_trivial(a):
        return False
    with np.errstate(all="ignore"):
        off = np.abs(np.sum(np.exp(a), -1) - 1)
    return bool(np.max(off) <= max(_ALIKE, _EPS * np.finfo(a.dtype).eps))


def _normalised(at: Array, there: Any) -> Any:
    return there - (_total(there) - _total(at))


def _total(a: Any) -> Any:
    """The logarithm of the sum of what these are logarithms of."""
    top = np.max(a.real, -1, keepdims=True)
    return quiet(np.log, np.sum(quiet(np.exp, a - top), -1, keepdims=True)) + top


def _factor(at: Array, there: Any) -> Any:
    """The lower triangular factors of the same products with their transposes, of the signs that they had."""
    if not np.any(np.triu(there, 1)):
        return there
    product = there @ np.swapaxes(there, -1, -2)
    made = np.zeros_like(product)
    for j in range(there.shape[-1]):
        row = made[..., j, :j]
        corner = product[..., j, j] - np.sum(row * row, -1)
        made[..., j, j] = quiet(np.sqrt, corner) * np.sign(at[..., j, j])
        below = product[..., j + 1 :, j] - np.sum(made[..., j + 1 :, :j] * row[..., None, :], -1)
        made[..., j + 1 :, j] = quiet(np.divide, below, made[..., j, j, None])
    # Where nothing was moved away nothing is rounded.
    return np.where(np.any(np.triu(there, 1), (-2, -1), keepdims=True), made, there)


def _factor_above(at: Array, there: Any) -> Any:
    return np.swapaxes(_factor(np.swapaxes(at, -1, -2), np.swapaxes(there, -1, -2)), -1, -2)


def _is_factor(a: Any) -> bool:
    """True of an array of square matrices that are lower triangular, with nothing that is 0 on their diagonals."""
    if np.ndim(a) < 2 or a.shape[-1] != a.shape[-2] or _is_trivial(a):
        return False
    return not np.any(np.triu(a, 1)) and bool(np.all(np.diagonal(a, axis1=-2, axis2=-1)))


def _is_factor_above(a: Any) -> bool:
    return np.ndim(a) > 1 and _is_factor(np.swapaxes(a, -1, -2))


def _is_beyond_its_half(a: Array, g: Array) -> bool:
    """Tell whether the gradient of a triangular matrix has a share for the half that holds nothing."""
    return bool(np.any(np.triu(g, 1) if _is_factor(a) else np.tril(g, -1)))


def _is_trivial(a: Any) -> bool:
    """True of an array that is too small to be anything else."""
    return not a.size or a.shape[-1] < 2


SYMMETRIC = Premise(
    is_mirrored,
    _mirrored,
    NoteKind.SYMMETRIC,
    "{} takes its matrix to be symmetric: entries that mirror each other are moved together",
    "{} takes its matrix to be symmetric, and it is not: the gradient is no derivative",
    lambda a, g: is_mirrored(g),
)
_NORMALISED = Premise(
    is_normalised,
    _normalised,
    NoteKind.NORMALISED,
    "{} takes its log-probabilities to be normalised: they stay so while they are moved",
    "{} takes its log-probabilities to be normalised, and they are not: the gradient is no derivative; "
    "let log_softmax make them",
    lambda a, g: bool(np.max(np.abs(np.sum(g, -1))) <= _ALIKE * np.max(np.abs(g))),
)


_TRIANGULAR_NOTES = (
    NoteKind.TRIANGULAR,
    "{} takes its matrix to be a triangular factor: what is moved beyond its half is moved as the product has it",
    "{} takes its matrix to be a triangular factor, and it is not: the gradient is no derivative",
)
_LOWER = Premise(
    _is_factor,
    lambda at, there: _factor(at, there) if _is_factor(at) else _factor_above(at, there),
    *_TRIANGULAR_NOTES,
    lambda a, g: _is_beyond_its_half(a, g),
    lambda a: _is_factor(a) or _is_factor_above(a),
)
_UPPER = Premise(
    _is_factor_above,
    lambda at, there: _factor_above(at, there) if _is_factor_above(at) else _factor(at, there),
    *_TRIANGULAR_NOTES,
    lambda a, g: _is_beyond_its_half(a, g),
    lambda a: _is_factor(a) or _is_factor_above(a),
)


def _padded(table: Array, given: Mapping[str, Any]) -> Premise | None:
    """A table has the row that it has for padding, where that is used."""
    row = given["padding_idx"]
    if row < 0 or not np.any(given["indices"].array == row):
        return None

    def holds(a: Array) -> bool:
        return a.shape == table.shape and bool(np.array_equal(a[row], table[row]))

    def kept(at: Array, there: Any) -> Any:
        there = np.array(there)
        there[..., row, :] = at[row]
        return there

    note = f"{{}} gives no gradient to row {row}, which is padding: it stays while the others are moved"
    return Premise(holds, kept, NoteKind.PADDED, note, "", lambda a, g: not np.any(g[row]))


def may_be_assumed(a: Array) -> bool:
    """Tell whether an array is something that is rare among numbers, and that an op may take it to be."""
    return any(test(a) for test in (is_mirrored, _is_factor, _is_factor_above, is_normalised))


# What an op may take an argument to be, from what that held and all that the op was given; None where it is no matter.
PREMISES: dict[str, Callable[[Array, Mapping[str, Any]], Premise | None]] = {
    "symmetric": lambda a, given: None if _is_trivial(a) else SYMMETRIC,
    "normalised": lambda a, given: None if _is_trivial(a) else _NORMALISED,
    "factor": lambda a, given: None if _is_trivial(a) else _UPPER if given["upper"] else _LOWER,
    "padded": _padded,
}


# -- ops and graphs --------------------------------------------------------------------------------


def assumed(op: Op | None, args: Sequence[Any]) -> Assumed | None:
    """The argument that an op takes to be something; None where it takes none so."""
    if op is None or op.assumes is None:
        return None
    name, what = op.assumes
    place = op.parameters.index(name)
    x = args[place]
    array = x.array if type(x) is Operand else None
    if array is None:
        return None
    premise = PREMISES[what](array, dict(zip(op.parameters, args, strict=False)))
    return None if premise is None else Assumed(place, array, premise)

"""Kinks and comparisons: which sides there are, which were taken, and where the others are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from inspect import CO_VARARGS
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...engine.tape.entry import Entry, Operand
from ...engine.tensor import Tensor, result
from ...errors import Span
from ...graph.view.gradients import fitted
from ..arrays import Array
from .custom_function.inside_function import Comparison, Condition, Inside

# A threshold so small, in itself and beside what is compared with it, is a guard against rounding.
_GUARD = 1e-4
# An op with more sides than these is a staircase.
_SIDES = 4
# Where the sign changes of an op's kink are looked for.
_SIZES = 2.0 ** np.arange(-10.0, 14.0, 0.125)
_GRID = np.concatenate([-_SIZES[::-1], [0.0], _SIZES])

# What an argument may be that says all of itself.
_PLAIN = frozenset((bool, float, int, str, type(None)))

TRUE, FALSE, ELSEWHERE = "true", "false", "at another index"


class Reach(NamedTuple):
    """A way to a side: a number that has to change its sign, and what it is made of."""

    # The number as it is, and how wide the side is behind the change.
    gap: float
    width: float
    # Tensors, and what the number's gradient with respect to each is.
    parts: list[tuple[Tensor, Array]]
    # The application of a custom Function that the tensors are of.
    within: Inside | None


@dataclass
class Fork:
    """A kink or a comparison of a program, all its runs together."""

    what: str
    owner: str | None
    span: Span | None
    sides: tuple[str, ...]
    seen: set[str] = field(default_factory=set)
    reach: dict[str, Reach] = field(default_factory=dict)
    # The way to the border between two sides that is nearest, whatever was seen.
    border: Reach | None = None
    # Of a condition on many numbers, another way to its other outcome.
    also: Reach | None = None
    # Of a comparison, the signs of the difference that were seen; whether it is one with 0.
    signs: set[float] = field(default_factory=set)
    with_zero: bool = False
    # Whether it picks one of some: then one more place than one is all that can be asked for.
    picks: bool = False
    # Whether its other side is there for rounding only.
    guards: bool = False

    @property
    def missing(self) -> list[str]:
        """The sides that were not seen."""
        if not self.seen or self.guards or (len(self.signs) > 1 and len(self.seen) == 1):
            # Nothing was compared; or its other side is none; or it is a comparison for equality.
            return []
        if self.picks:
            return [ELSEWHERE] if len(self.seen) == 1 else []
        return [side for side in self.sides if side not in self.seen]

    def with_(self, other: Fork) -> Fork:
        """All that both together saw."""
        both = replace(self, seen=set(self.seen), signs=set(self.signs), reach=dict(self.reach))
        both.add(other)
        return both

    def add(self, other: Fork) -> None:
        """Take in what another run saw."""
        self.seen |= other.seen
        self.signs |= other.signs
        self.sides = tuple(dict.fromkeys([*self.sides, *other.sides]))
        for side, reach in other.reach.items():
            self.reach.setdefault(side, reach)


# -- comparisons -----------------------------------------------------------------------------


def of_comparison(made: Comparison, within: Inside, span: Span | None) -> Fork | None:
    """The two sides of a comparison; nothing where it can only be one for equality."""
    left, right = (np.asarray(x._a if isinstance(x, Tensor) else x) for x in (made.left, made.right))
    if left.dtype.kind == "c" or right.dtype.kind == "c" or not made.holds.size:
        return None
    with np.errstate(all="ignore"):
        difference = np.broadcast_to(np.subtract(left, right, dtype=float), made.holds.shape)
    signs = np.sign(difference)
    if not np.isfinite(difference).all() or _is_equality(made.holds, signs):
        return None
    fork = Fork("a comparison", None, span, (TRUE, FALSE), {TRUE if x else FALSE for x in np.unique(made.holds)})
    fork.signs = {float(x) for x in np.unique(signs) if x}
    fork.with_zero = not np.any(right) or not np.any(left)
    fork.guards = _is_bound_to_round(made, left, right)
    fork.border = _to(difference, np.inf, _parts(made), within)
    fork.reach = dict.fromkeys(fork.missing, fork.border)
    return fork


def _parts(made: Comparison) -> list[tuple[Tensor, Array]]:
    parts = ((made.left, 1.0), (made.right, -1.0)) if made.parts is None else made.parts
    return [(x, np.array(sign)) for x, sign in parts if isinstance(x, Tensor)]


def of_condition(condition: Condition, within: Inside, span: Span | None) -> Fork | None:
    """The two outcomes of a condition on one comparison of many numbers: it turns with the largest or the smallest."""
    made = condition.comparison
    fork = of_comparison(made, within, span)
    if fork is None:
        return None
    left, right = (np.asarray(x._a if isinstance(x, Tensor) else x) for x in (made.left, made.right))
    difference = np.broadcast_to(np.subtract(left, right, dtype=float), made.holds.shape)
    fork.what = "a condition"
    fork.seen = {TRUE if condition.outcome else FALSE}
    fork.signs = set()
    ends = [np.unravel_index(int(find(difference)), difference.shape) for find in (np.argmax, np.argmin)]
    largest, smallest = (_to(difference, np.inf, _parts(made), within, at) for at in ends)
    fork.reach = dict.fromkeys(fork.missing, largest)
    fork.also = smallest
    return fork


def _is_equality(holds: Array, signs: Array) -> bool:
    """True of a comparison that can only be one for equality, or for the contrary."""
    above, below, same = signs > 0, signs < 0, signs == 0
    ordered = any(np.array_equal(holds, x) for x in (above, below, above | same, below | same))
    return not ordered


def _is_bound_to_round(made: Comparison, left: Array, right: Array) -> bool:
    for x, a, b in ((made.left, left, right), (made.right, right, left)):
        if (not isinstance(x, Tensor) or x._node is None) and a.size == 1:
            return is_guard(float(a.reshape(-1)[0]), b)
    return False


def is_guard(threshold: float, values: Array) -> bool:
    """True of a threshold that is there for rounding: next to 0, to 1 or to -1."""
    near = min(abs(threshold), abs(abs(threshold) - 1))
    return 0 < near <= _GUARD * min(1.0, float(np.median(np.abs(values))))


def _to(
    difference: Array, width: float, parts: Sequence[tuple[Tensor, Array]], within: Inside | None, at: Any = None
) -> Reach:
    """The way of an entry, by default of the one that is nearest to a change of sign."""
    if at is None:
        size = np.where(difference == 0, np.inf, np.abs(difference))
        at = np.unravel_index(int(np.argmin(size)), size.shape)
    one = np.zeros(difference.shape)
    one[at] = 1.0
    made = [(x, fitted(one * factor, x._a.shape, np.dtype(float))) for x, factor in parts]
    return Reach(float(difference[at]), width, made, within)


# -- ops -------------------------------------------------------------------------------------


def of_op(entry: Entry, within: Inside | None, span: Span | None) -> Iterator[Fork]:
    """The kinks of a recorded op."""
    op = entry.op
    places = [i for i, x in enumerate(entry.args) if type(x) is Operand]
    if op.kink is None or not places or any(type(x) in (list, tuple) and _holds_operands(x) for x in entry.args):
        return
    operands = [entry.args[i] for i in places]
    if any(x.array is None or x.array.dtype.kind != "f" or not np.size(x.array) for x in operands):
        return
    args = [np.asarray(x.array) if type(x) is Operand else x for x in entry.args]
    name = op.name.removesuffix("_number").removesuffix("_tensor").removesuffix("_all").removesuffix("_dim")
    with np.errstate(all="ignore"):
        if op.kind == "elementwise" and len(places) == 1:
            yield from _of_one(name, op, args, places[0], operands[0], within, span)
        elif op.kind == "elementwise":
            yield from _of_two(name, op, args, places, operands, within, span)
        elif len(places) == 1:
            yield from _of_choice(name, op, args, entry, operands[0], within, span)


def _distance(kink: Any, args: Sequence[Any]) -> Array:
    """The number that changes its sign at an op's kink; arguments that only its backward reads say nothing of that."""
    code = kink.__code__
    told = args if code.co_flags & CO_VARARGS else args[: code.co_argcount]
    return np.asarray(kink(*told), float)


def _holds_operands(x: Any) -> bool:
    return any(type(y) is Operand for y in x)


def _tensor(x: Operand) -> Tensor:
    """A tensor in an operand's place in its graph."""
    made = result(x.array)
    made._node = x.edge
    return made


def _of_one(
    name: str, op: Any, args: list[Any], place: int, operand: Operand, within: Inside | None, span: Span | None
) -> Iterator[Fork]:
    """Of an op of one tensor, element by element: its sides lie between thresholds."""

    others = *args[:place], None, *args[place + 1 :]
    known = all(type(x) in _PLAIN for x in others)
    marks = list(_roots(op.kink, others, place) if known else _roots.__wrapped__(op.kink, others, place))
    values = np.asarray(operand.array, float)
    for guards in (False, True):
        some = [mark for mark in marks if is_guard(mark, values) == guards]
        if some:
            yield _between(name + " as a guard" * guards, some, values, operand, within, span, guards)


def _between(
    name: str,
    marks: list[float],
    values: Array,
    operand: Operand,
    within: Inside | None,
    span: Span | None,
    guards: bool,
) -> Fork:
    sides = tuple(_sides(marks))
    inner = np.searchsorted(marks, values)
    on = np.isin(values, marks) | ~np.isfinite(values)
    seen = {sides[int(i)] for i in np.unique(inner[~on])}
    fork = Fork(name, None, span, sides, seen, guards=guards)
    edges = [-np.inf, *marks, np.inf]
    part = [(_tensor(operand), np.array(1.0))]
    apart = values[..., None] - np.array(marks)
    nearest = np.take_along_axis(apart, np.argmin(np.abs(apart), -1)[..., None], -1)[..., 0]
    fork.border = _to(np.where(on, 0.0, nearest), np.inf, part, within)
    for side in fork.missing:
        i = sides.index(side)
        low, high = edges[i], edges[i + 1]
        nearest = np.where(values <= low, low, high)
        fork.reach[side] = _to(np.where(on, 0.0, values - nearest), high - low, part, within)
    return fork


def _sides(marks: list[float]) -> Iterator[str]:
    yield f"below {marks[0]:g}"
    for low, high in pairwise(marks):
        yield f"between {low:g} and {high:g}"
    yield f"above {marks[-1]:g}"


@lru_cache(maxsize=256)
def _roots(kink: Any, others: tuple[Any, ...], place: int) -> tuple[float, ...]:
    """Where the kink of an op changes its sign, as a function of one argument; nowhere if it is a staircase.

    A loop asks for the same ones in every round.
    """

    def distance(at: Array) -> Array:
        return _distance(kink, [*others[:place], at, *others[place + 1 :]])

    signs = np.sign(distance(_GRID))
    if signs.shape != _GRID.shape:
        return ()
    at = np.flatnonzero(signs)
    changes = [(int(i), int(j)) for i, j in pairwise(at) if signs[i] != signs[j]]
    if len(changes) > _SIDES:
        return ()
    found = []
    for i, j in changes:
        low, high = _GRID[i], _GRID[j]
        for _ in range(80):
            middle = (low + high) / 2
            sign = np.sign(distance(np.array([middle]))[0])
            if sign == 0:
                low = high = middle
                break
            low, high = (middle, high) if sign == signs[i] else (low, middle)
        found.append(round(float(high), 12))
    return tuple(found)


def _of_two(
    name: str,
    op: Any,
    args: list[Any],
    places: list[int],
    operands: list[Operand],
    within: Inside | None,
    span: Span | None,
) -> Iterator[Fork]:
    """Of an op of several tensors, element by element: its sides are the signs of what names the kink."""
    margin = _distance(op.kink, args)
    if margin.shape != np.broadcast_shapes(*(np.shape(args[i]) for i in places)):
        return
    sides = ("below its kink", "above its kink")
    signs = {float(x) for x in np.unique(np.sign(margin)) if x}
    fork = Fork(name, None, span, sides, {sides[x > 0] for x in signs})
    for side in fork.missing:
        parts = []
        for place, operand in zip(places, operands, strict=True):
            step = 1e-6 * np.maximum(1.0, np.abs(args[place]))
            moved = [*args[:place], args[place] + step, *args[place + 1 :]]
            parts.append((_tensor(operand), (_distance(op.kink, moved) - margin) / step))
        fork.reach[side] = _to(margin, np.inf, parts, within)
    yield fork


def _of_choice(
    name: str, op: Any, args: list[Any], entry: Entry, operand: Operand, within: Inside | None, span: Span | None
) -> Iterator[Fork]:
    """Of an op that picks the largest or the smallest of some: its sides are the places that it picks."""
    values = np.asarray(operand.array, float)
    if not values.ndim:
        # One number is the largest and the smallest of all.
        return
    behind = _distance(op.kink, args)
    if behind.shape != values.shape or not (np.all(behind <= 0) or np.all(behind >= 0)) or not np.any(behind == 0):
        return
    dim = entry.attributes.get("dim")
    over = [dim] if isinstance(dim, int) else list(dim or range(values.ndim))
    rest = [i for i in range(values.ndim) if i not in {d % values.ndim for d in over}]
    order = [*rest, *(d % values.ndim for d in over)]
    rows = behind.transpose(order).reshape(int(np.prod([values.shape[i] for i in rest], dtype=int)), -1)
    picked = {int(i) for i in np.unique(np.argwhere(rows == 0)[:, 1])}
    if rows.shape[1] < 2:
        return
    names = tuple(f"at index {i}" for i in sorted(picked))
    fork = Fork(name, None, span, names, set(names), picks=True)
    if len(picked) == 1:
        gaps = np.where(behind == 0, np.inf, np.abs(behind))
        at = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        weights = np.zeros(values.shape)
        weights[at] = 1.0
        line = tuple(slice(None) if i not in rest else at[i] for i in range(values.ndim))
        weights[line] -= np.where(behind[line] == 0, 1.0, 0.0)
        fork.reach[ELSEWHERE] = Reach(float(behind[at]), np.inf, [(_tensor(operand), weights)], within)
    yield fork

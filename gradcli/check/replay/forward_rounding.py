"""The distances by which rounding may move the outputs of a recorded graph.

Two looks, and the larger of what they say. One perturbs every number that is computed by about a rounding error, which
shows what the rest of the graph makes of it. The other computes the outputs at points so near that they should lie on a
straight line: how far they are from one is the rounding of what no graph shows, such as that inside a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tape.entry import entry_of
from ...errors import raised_by_program
from ..arrays import Array
from .one_op import Call
from .plan import Plan

UNIT = 2.0**-53

# How large a relative perturbation is, and a second one that tells what does not follow it.
_LARGE, _SMALL = 2.0**-38, 2.0**-46
# How many samples of signs are drawn, and by what their largest response is multiplied.
_SAMPLES = 5
_SAFETY = 2.0
_SHAKEN = 1 + 2 * _SAMPLES
# How many bytes the numbers of all points may take that are looked at together, and how many points those are at least.
_TOGETHER, _FEWEST = 2**25, 3

# So many outputs are looked at together.
_OUTPUTS = 2**16

# So many leaves of no more numbers are moved together, and so many signs are drawn at once.
_MANY, _FEW, _DRAWN = 3, 256, 2**12

# Near points on one side, in units of a distance; uneven, as rounding errors of even steps may repeat, and in so few
# bits that every leaf can be moved so far without rounding.
_STEPS = np.array([1.0, 2.6875, 4.125, 5.625])
_OFF_GRID, _BITS = np.array([1.0, 3.0, -7.0, 5.0]), 52


class Level(NamedTuple):
    """The distance of near points, in units of each number; and how often a step is taken from there towards 1."""

    distance: float
    off_grid: bool = False
    on: int = 0

    @property
    def steps(self) -> Array:
        """The points on one side, in units of the distance."""
        if not self.off_grid:
            return _STEPS
        # A sum on the way has the same error at all points that lie on its own grid: these go down to that of a number.
        return _STEPS + _OFF_GRID * (2.0**-12 + 2.0**-_BITS / self.distance)


_LEVELS = tuple(Level(2.0**power) for power in (-47, -41))
# Where what an op computes inside is not seen, it may be the same number at all points that are nearer than these. Its
# numbers may lie on a grid as the points do: here they have more bits.
_FURTHER = tuple(Level(2.0**power, True) for power in (-35, -29, -23))
# Nor does what is small move what is added to it: from there on to as far off as 1 would be moved, and at least so.
_TO_ONE, _LEAST_ON = 4, 2
_OPAQUE_LEVELS = _LEVELS + _FURTHER + tuple(Level(2.0**-23, True, on + 1) for on in range(_TO_ONE))
# Zero is moved as what has this size, but only there.
_AS_ZERO = 2.0**-24
# Roughness that is so much larger at the next level grows.
_GROWS = 6
# By what the deviation from a straight line is multiplied, estimated from so few points.
_DEVIATIONS = 4.0


def _largest(a: Any) -> float:
    sizes = np.abs(np.asarray(a))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


def _products(a: Any) -> Array:
    """A bound on the products that a determinant is the sum of, of each matrix."""
    return np.asarray(np.prod(np.sqrt(np.sum(np.square(np.abs(a)), -1)), -1))


# How large the numbers are that the results of an op are left of, as declarations say it, by arguments that they name.
LEFT_OF: dict[str, Callable[..., Any]] = {
    "ones": lambda: 1.0,
    "each": np.abs,
    "largest": _largest,
    "products": _products,
}
# Below normal numbers rounding does not shrink any more.
_UNDERFLOW = 2.0**-1073


class Noise:
    """Effects of rounding on all outputs: on each, and on sums of them."""

    def __init__(self, found: Array) -> None:
        # Outputs at the point, at points with every number perturbed, and at near ones.
        self._found = found

    def bound(self) -> Array:
        """A bound on the rounding error of each output."""
        return self._each

    @cached_property
    def _each(self) -> Array:
        return _bound(self._found, UNIT * np.abs(self._found[0]) + _UNDERFLOW)

    def weighted(self, weights: Array) -> Array:
        """A bound on the rounding error of sum(w * f)."""
        with np.errstate(all="ignore"):
            own = UNIT * math.sqrt(float(np.sum((weights * self._found[0]) ** 2)))
            return _bound((self._found @ weights)[:, None], np.array([own]))


def noise(plan: Plan, arrays: Sequence[Array], leaves: bool = True) -> list[Array]:
    """A bound on the rounding error of each entry of each output; ``leaves``: also on that of the leaves."""
    return _by_root(plan, measured(plan, arrays, leaves).bound())


def _by_root(plan: Plan, flat: Array) -> list[Array]:
    ends = np.cumsum([math.prod(shape) for shape in plan.shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), plan.shapes, strict=True)]


def noise_of_each(plan: Plan, points: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The same at several points, whose leaves are exact: together, as far as there is room."""
    aside = _aside(_LEVELS)
    count = _SHAKEN + len(aside)
    most = _TOGETHER // max(count * plan.nbytes, 1)
    if len(points) == 1 or most < 2 or is_opaque(plan):
        return [noise(plan, arrays, leaves=False) for arrays in points]
    made = []
    for k in range(0, len(points), most):
        several = [np.stack(a) for a in zip(*points[k : k + most], strict=True)]
        for found in np.moveaxis(_found_of_each(plan, several, Shake(False, _SAMPLES, aside, 0)), 1, 0):
            made.append(_by_root(plan, Noise(found).bound()))
    return made


def _found_of_each(plan: Plan, several: Sequence[Array], shake: Shake) -> Array:
    """The outputs at the points of a shake, of each of several points (k, p, m)."""
    shape = len(shake.sizes), len(several[0])

    def change(call: Call, x: Array, operand: bool) -> Array:
        return shake(call, x.reshape(*shape, *x.shape[1:]), operand).reshape(x.shape)

    count = math.prod(shape)
    given = [a.reshape(count, *a.shape[2:]) for a in shake.leaves(several)]
    found = plan.batch(given, [True] * len(given), count, change)
    return np.concatenate([np.real(a).astype(np.float64).reshape(*shape, -1) for a in found], 2)


def noise_at(plan: Plan, leaves: bool) -> Noise:
    """The noise at the point where a graph was recorded, found once."""
    found = plan.kept.get(("noise", leaves))
    if found is None:
        found = plan.kept["noise", leaves] = measured(plan, plan.at, leaves)
    made: Noise = found
    return made


def measured(plan: Plan, arrays: Sequence[Array], leaves: bool) -> Noise:
    """The outputs at all points that tell of rounding; ``leaves``: those are perturbed, too."""
    if not is_opaque(plan):
        return Noise(_seen(plan, arrays, leaves, _LEVELS))
    for samples in (_SAMPLES, 0):
        # Beside a symmetric argument a function may refuse whatever has its numbers shaken one by one.
        for levels in (_OPAQUE_LEVELS, _LEVELS + _FURTHER):
            try:
                return Noise(_seen(plan, arrays, leaves, levels, samples=samples))
            except raised_by_program():
                # So far off, or so near, a function of the program may refuse a number.
                continue
    return Noise(_seen(plan, arrays, leaves, _LEVELS, refused=True))


def _seen(
    plan: Plan,
    arrays: Sequence[Array],
    leaves: bool,
    levels: Sequence[Level],
    refused: bool = False,
    samples: int = _SAMPLES,
) -> Array:
    """A row for each point: those at which nothing is shaken, if there are to be no ``samples``, as at the first."""
    aside = _aside(levels)
    room = max(_TOGETHER // max(plan.nbytes, 1), _FEWEST)
    if _SHAKEN + len(aside) <= room:
        found = _found(plan, arrays, Shake(leaves, samples, aside, 0), refused)
        return found if samples else np.concatenate([np.repeat(found[:1], _SHAKEN, 0), found[1:]])
    # A few points at a time; all that lie on the line are found with the same random numbers.
    made = np.zeros((_SHAKEN + len(aside), plan.size))
    if not samples:
        made[:_SHAKEN] = _found(plan, arrays, Shake(leaves, 0, aside[:0], 0), refused)
    for k in range(samples):
        shake = Shake(leaves, 1, aside[:0], 1 + k)
        made[[0, 1 + k, 1 + _SAMPLES + k]] = _found(plan, arrays, shake, refused)
    for part in np.array_split(np.arange(len(aside)), -(-len(aside) // (room - 1))):
        made[_SHAKEN + part] = _found(plan, arrays, Shake(leaves, 0, aside[part], 0), refused)[1:]
    return made


def _found(plan: Plan, arrays: Sequence[Array], shake: Shake, refused: bool) -> Array:
    """The outputs at the points of a shake, a row for each; all the same where a number is ``refused``."""
    given = shake.leaves(arrays)
    count = len(shake.sizes)
    try:
        found = plan.batch(given, [True] * len(given), count, shake)
    except raised_by_program():
        if not refused and is_opaque(plan):
            raise
        # A function of the program refuses a number that lies beside its own.
        found = [np.broadcast_to(a, (count, *np.shape(a))) for a in plan.outputs(arrays)]
    return np.concatenate([np.real(a).astype(np.float64).reshape(count, -1) for a in found], 1)


def is_opaque(plan: Plan) -> bool:
    """True of a graph with a node that computes inside what no node shows."""
    return plan.is_outside or any(_is_opaque(node, plan) for node in plan.nodes)


def _is_opaque(node: Any, plan: Plan) -> bool:
    if isinstance(node, FunctionNode):
        inside = plan.functions.get(node)
        return inside is None or inside.plan is None or is_opaque(inside.plan)
    entry = entry_of(node)
    op = None if entry is None else entry.op
    return op is not None and op.rounding == "hidden"


class Shake:
    """Perturbs numbers: not at the first point, by a large amount at some, by a small one at as many, and not after."""

    def __init__(self, leaves: bool, samples: int, aside: Array, seed: int, most: bool = False) -> None:
        self._random = np.random.default_rng(seed)
        # Signs that are drawn and not used yet, and what they multiply a number by: at a large and at a small size.
        self._drawn: Array = np.zeros(0)
        self._factors: Array = np.zeros((2, 0))
        self._samples = samples
        # Whether by half a unit in the last place, which is the most of it.
        self._most = most
        self._aside = aside
        shaken = [0.0] + [_LARGE] * samples + [_SMALL] * samples
        self.sizes = np.array(shaken + [0.0] * len(self._aside))
        self._leaves = self.sizes[: len(shaken)] * leaves

    def leaves(self, several: Sequence[Array]) -> list[Array]:
        """The numbers of leaves at all points."""
        count = len(self.sizes)
        if len(several) < _MANY or any(a.dtype.kind != "f" or a.size > _FEW for a in several):
            return [self._leaf(a) for a in several]
        # Of small ones a call is the most.
        moved = self._leaf(np.concatenate([a.reshape(-1) for a in several]))
        parts = np.split(moved, np.cumsum([a.size for a in several])[:-1], 1)
        return [part.reshape(count, *a.shape) for part, a in zip(parts, several, strict=True)]

    def _leaf(self, a: Array) -> Array:
        if a.dtype.kind not in "fc":
            return np.broadcast_to(a, (len(self.sizes), *np.shape(a)))
        # Of the point itself, of each sample, of the line.
        signs = self._signs(self._samples + 2, np.shape(a))
        with np.errstate(over="ignore"):
            return self._moved(a, signs)

    def _moved(self, a: Array, signs: Array) -> Array:
        shaken = np.concatenate([signs[:1], signs[1:-1], signs[1:-1]])
        moved = a * (1 + self._leaves.reshape(-1, *[1] * np.ndim(a)) * shaken)
        return np.concatenate([moved, a + _moves(a, signs[-1], self._aside)])

    def __call__(self, call: Call, x: Array, operand: bool) -> Array:
        """An operand of a call, or its output."""
        if not self._samples:
            return x
        made = np.array(x, order="C")
        # Both parts of a complex number are rounded on their own.
        parts = made if made.dtype.kind == "f" else made[..., None].view(made.real.dtype)
        factors = self._changes(parts.shape[1:])
        moved = parts[1 : 1 + len(factors)]
        larger = None if operand else size_before(call)
        if larger is not None:
            real = ... if parts is made else (..., 0)
            moved[real] += (factors - 1)[real] * larger
        moved *= 1 + (factors - 1) * _of_last_place(parts[0]) if self._most else factors
        return made

    def _changes(self, shape: tuple[int, ...]) -> Array:
        """The factor of every number at each shaken point."""
        count = self._samples * math.prod(shape)
        self._draw(count)
        factors, self._factors = self._factors[:, :count], self._factors[:, count:]
        self._drawn = self._drawn[count:]
        return factors.reshape(2 * self._samples, *shape)

    def _signs(self, times: int, shape: tuple[int, ...]) -> Array:
        """A sign for every number, so many times."""
        shape = times, *shape
        count = math.prod(shape)
        self._draw(count)
        signs, self._drawn = self._drawn[:count], self._drawn[count:]
        self._factors = self._factors[:, count:]
        return signs.reshape(shape)

    def _draw(self, count: int) -> None:
        """Have no fewer signs than these."""
        if count > len(self._drawn):
            self._drawn = self._random.integers(0, 2, max(count, _DRAWN), np.bool_) * 2.0 - 1.0
            self._factors = 1 + np.array([[_LARGE], [_SMALL]]) * self._drawn


def _of_last_place(x: Array) -> Array:
    """Half a unit in the last place, in units of one rounding of the number itself: 1 to 2."""
    mantissa = np.abs(np.frexp(x)[0])
    return np.asarray(1 / np.where((mantissa == 0) | (mantissa == 0.5), 1.0, mantissa))


def size_before(call: Call) -> Any:
    """The size of the numbers that the output of a call is left of; None where they are no larger."""
    op = call.op
    if op is None or not op.left_of:
        return None
    how, *names = op.left_of
    return LEFT_OF[how](*[call.args[op.parameters.index(name)] for name in names])


def _bound(found: Array, floor: Array) -> Array:
    parts = range(0, len(floor), _OUTPUTS)
    return np.concatenate([_bound_of(found[:, i : i + _OUTPUTS], floor[i : i + _OUTPUTS]) for i in parts] or [floor])


def _bound_of(found: Array, floor: Array) -> Array:
    with np.errstate(all="ignore"):
        shaken = response(found[1:_SHAKEN] - found[0], _SAMPLES)
        larger: Array = np.maximum(shaken, _DEVIATIONS * _roughness(found[_SHAKEN:]))
        return np.asarray(np.maximum(floor, larger))


def response(moved: Array, samples: int) -> Array:
    """A bound on what rounding does to results that large and small perturbations moved so far."""
    moved = np.abs(moved)
    return np.asarray(_SAFETY * np.max(_scaled(moved[:samples], moved[samples:]), 0))


def _scaled(large: Array, small: Array) -> Array:
    """Responses to a large and a small perturbation, as one to rounding; those that do not shrink are jumps."""
    power = np.log2(large / small) / np.log2(_LARGE / _SMALL)
    power = np.where(np.isfinite(power), np.minimum(power, 1.0), 1.0)
    response = small * (UNIT / _SMALL) ** power
    kept: Array = np.where((power > 0.25) & np.isfinite(response), response, 0.0)
    return kept


def _aside(levels: Sequence[Level]) -> Array:
    """The near points (k, 2): how far off each is in units of its number, and how often a step is taken from there."""
    rows = [np.stack([side * x.distance * x.steps, 0 * x.steps + x.on], 1) for x in levels for side in (1, -1)]
    return np.concatenate(rows)


def _moves(a: Array, signs: Array, aside: Array) -> Array:
    """The way that the numbers of a leaf are moved at near points (k, ...)."""
    exponent = np.frexp(np.where(a == 0, _AS_ZERO, np.abs(a)))[1]
    step = np.maximum(-exponent // _TO_ONE, _LEAST_ON)
    distance, on = (x.reshape(-1, *[1] * np.ndim(a)) for x in aside.T)
    stays = (a == 0) & (on == 0)
    return np.asarray(np.where(stays, 0.0, distance * np.ldexp(signs, (exponent + step * on).astype(np.intp))))


def _roughness(found: Array) -> Array:
    """The distance of outputs at near points from a straight line on a side; what grows further off is no noise."""
    sides = found.reshape(-1, 2, len(_STEPS), found.shape[1])
    steps = np.array([level.steps for level in _OPAQUE_LEVELS[: len(sides)]])
    steps -= steps.mean(1, keepdims=True)
    centred = sides - sides.mean(2, keepdims=True)
    slopes = np.einsum("dk,dskm->dsm", steps, centred) / np.sum(steps**2, 1)[:, None, None]
    rest = np.sum((centred - slopes[:, :, None] * steps[:, None, :, None]) ** 2, 2) / (len(_STEPS) - 2)
    rough = np.sqrt(np.where(np.isfinite(rest), rest, 0.0).mean(1))
    near, far = rough[:-1], rough[1:]
    # Nor is what is gone further off.
    lasting = np.minimum(np.maximum(near, np.minimum(far, 2 * near)), 6 * far)
    # What grows from level to level bends: what there is further off is no noise, either.
    grows = far > _GROWS * near
    bends = np.maximum.accumulate(np.concatenate([0 * grows[:1], grows[:-1] & grows[1:]]) & (near > 0), 0)
    worst: Array = np.max(np.where(grows | bends, 0.0, lasting), 0)
    return worst

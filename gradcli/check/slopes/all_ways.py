"""The slopes of the outputs of a line at its point, from everything that can be asked."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from . import complex_step
from .complex_circle import Seen, above, circled
from .differences import (
    CENTRAL,
    LEFT,
    RIGHT,
    SAFETY,
    Estimates,
    Samples,
    extrapolated,
    sample,
    slopes as quotients,
    with_noise,
)  # fmt: skip
from .from_far_off import far_slope
from .noise_of_values import noise_beside, with_noise_beside
from .one_sided import Kind, Side, is_kink, side_of
from .staircase import Stair, staircase
from .steps import UNIT, deep_ladder, ladder

# An estimate with a bar below this, of its size, and sides with bars below that, are nothing to look at again.
_GOOD = 1e-9, 1e-6
# What is moved may be so small that what is in proportion to it underflows in products.
_TINY = 1e-100
# Below normal numbers rounding does not shrink any more.
_UNDERFLOW = 2.0**-1073
# So much noise, in units of rounding, may be less further off.
_LOUD = 64.0
# At a jump a side moves by no more than this, of the gap to the other, over the finer half of the steps.
_RESTS = 0.01
# What a graph shows of rounding is a bound, and no estimate: it needs so much less of the safety that estimates need.
_BOUND = 0.25
# Witnesses that differ by no more than this, of their size, do not contradict each other.
_CLOSE = 1e-8
# So many roundings of the output, over the step of a slope, are nothing that differences can tell from none.
_HIDDEN = 256.0
# Values with more noise than this, of their size, say nothing of a slope.
_KNOWN = 1e-3
# So far away, in the size of what is moved or of 1, an output is asked how steep it becomes.
_PART = 2.0**-3
# An output that does not move over so many finest steps rests.
_REST = 3
# An output that is so much larger at a step, or so much steeper on the way, has its own noise there.
_GROWN, _STEEPER, _NOISIER = 64.0, 8.0, 2.0
# Over so many stairs of rounding a function is looked at.
_STAIRS = 64.0
# How high the stairs of single precision are, of the output, and how well the slope of the whole must be seen then.
_HEIGHTS, _ROUGHLY = 2.0 ** np.array([-24.0, -21.0, -18.0]), 0.01
# Stairs no higher than this, of the output or of 1, are those of rounding in double precision.
_FINE = 2.0**-44
# So many roundings are no jump.
_ROUNDINGS = 16.0
# Where steps are dear: so many are the largest ones, one of so many finer ones must not contradict them, such bars are
# good, and noise is looked for around one of so many.
_UPPER, _FINER, _FAIR, _LEAPS = 16, 8, (1e-7, 1e-5), 4


class Line(Protocol):
    """Outputs as functions of one number."""

    scale: float

    @property
    def size(self) -> int:
        """The number of outputs."""

    @property
    def noise(self) -> Array:
        """The rounding noise of the outputs at the point (m,)."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h at every offset s (k, m)."""

    def imag_noise(self, h: float) -> Array:
        """Bound how far rounding may move Im f(x + i h) / h (m,), as far as that is known from how it is computed."""

    def around(self, points: Array, draws: int = 0) -> Array | None:
        """f(x + z) at every complex z (k, m); of so many draws of random errors in all that is computed on the way,
        if asked for (draws * k, m)."""


class Slopes(NamedTuple):
    """The slopes of one output at the point, as far as they were found."""

    # What each side looks like; ``smooth`` when both have the same slope.
    left: Side
    right: Side
    smooth: bool
    # The derivative where it is smooth, from everything that was asked, and the step over which it is.
    value: float
    bar: float
    step: float
    witness: float | None
    # Whether the witness contradicts the differences.
    conflict: bool
    stair: Stair | None
    # The output at the point.
    centre: float
    # Whether it is flat around the point until it leaps, or everywhere.
    flat: bool = False
    # A slope so small is what rounding of the output and of the point makes of none.
    grain: float = 0.0
    # What rounding may do to the output.
    doubt: float = 0.0
    # How steep it is on the way to the largest step over which it was found smooth, and over a larger one.
    reach: float = 0.0
    steepness: float = 0.0
    # The bar of the witness, but for rounding that a right claim shares with it.
    spread: float = np.inf
    # Whether the program drops imaginary parts: nothing beside the real axis says anything of it.
    real_only: bool = False


# What is found where the point cannot be moved to both sides.
_NOTHING = Side(Kind.NOTHING, np.nan, np.inf)
_NOWHERE = Slopes(_NOTHING, _NOTHING, False, np.nan, np.inf, 0.0, None, False, None, np.nan)


def slopes(line: Line, *, complex_step: bool = True, only: Array | None = None) -> list[Slopes]:
    """The slopes on both sides of the point, of each output (or of those in ``only``)."""
    chosen = np.arange(line.size) if only is None else np.asarray(only, np.intp)
    samples, estimates = _estimated(line, ladder(line.scale), chosen)
    if not len(samples.steps):
        return [_NOWHERE._replace(centre=float(centre)) for centre in samples.centre]
    ordinary = _ordinary(samples, estimates)
    if line.scale == 0 and not ordinary.all():
        # At zero there is no smallest step.
        samples = sampled(line, deep_ladder()).only(chosen)
        deeper = extrapolated(samples)
        estimates = Estimates(*(np.where(ordinary, a, b) for a, b in zip(estimates, deeper, strict=True)))
    doubtful = ordinary if ordinary.all() else ~ordinary & _loud(samples) & _has_two_sides(samples) & ~_jumps(samples)
    if not ordinary.all() and doubtful.any():
        estimates = _with_far(line, samples, estimates, chosen, doubtful)
    seen, spread = _witness(line, estimates, chosen) if complex_step else (None, None)
    made = []
    for i in range(len(chosen)):
        witness = None if seen is None else (float(seen.value[i]), float(seen.bar[i]))
        if ordinary[i]:
            found = _smooth(estimates, samples, i, witness, line.scale)
        else:
            found = _looked_at(line, samples, estimates, i, int(chosen[i]), witness)
        if found.conflict:
            found = _on_slanting_stairs(found, samples, i, witness)
        if spread is not None:
            found = found._replace(spread=float(spread[i]))
        made.append(_with_surroundings(found, samples, i, line.scale))
    return made


def upper_slopes(line: Line, chosen: Array) -> list[Slopes] | None:
    """The slopes of some outputs from the largest steps and a few of the others, where these show nothing but a smooth
    function."""
    steps = ladder(line.scale)
    samples, estimates = _estimated(line, np.concatenate([steps[:_UPPER], steps[_UPPER::_FINER]]), chosen, _LEAPS)
    if not len(samples.steps) or not _ordinary(samples, estimates, _FAIR).all():
        return None
    found = (_smooth(estimates, samples, i, None, line.scale) for i in range(len(chosen)))
    return [_with_surroundings(one, samples, i, line.scale) for i, one in enumerate(found)]


def _estimated(line: Line, steps: Array, chosen: Array, every: int = 1) -> tuple[Samples, Estimates]:
    """Some outputs at these steps, and their slopes, with the noise that they have there: around every so many."""
    samples = sampled(line, steps).only(chosen)
    estimates = extrapolated(samples)
    grown = _grown(line, samples, estimates, chosen) if len(samples.steps) else chosen[:0]
    if len(grown):
        samples = _with_noise_at_steps(line, samples, chosen, grown, every)
        estimates = extrapolated(samples)
    return samples, estimates


def from_far_off(found: list[Slopes], line: Line, chosen: Array, asked: list[int]) -> None:
    """Put the slopes from far off in the complex plane where those are better known and do not contradict.

    ``chosen``: which outputs were looked at, ``asked``: which of what was ``found`` is looked at again.
    """
    centre = np.array([found[i].centre for i in asked])
    noise = np.asarray(line.noise, np.float64)[chosen[asked]]
    noise = np.where(np.isfinite(noise), noise, 0.0)
    known = np.array([found[i].bar for i in asked])
    _put(found, asked, circled(line, chosen[asked], centre, noise, known))
    drowned = [i for i in asked if abs(found[i].value) <= SAFETY * found[i].bar]
    if drowned and 0 < line.scale < _TINY:
        _put(found, drowned, above(line, chosen[drowned]))


def _put(found: list[Slopes], asked: list[int], seen: Seen | None) -> None:
    if seen is None:
        return
    for i, value, bar in zip(asked, seen.value.tolist(), seen.bar.tolist(), strict=True):
        one = found[i]
        if bar < one.bar and abs(value - one.value) <= SAFETY * (bar + one.bar):
            found[i] = one._replace(value=value, bar=bar)


def _on_slanting_stairs(found: Slopes, samples: Samples, i: int, witness: tuple[float, float] | None) -> Slopes:
    """With complex step confirmed from far off, where a part of the output is a staircase and the rest is not."""
    if witness is None:
        return found
    value, bar = witness
    one = samples.only(np.array([i]))
    for height in _HEIGHTS * abs(found.centre):
        steps = extrapolated(with_noise(one, height))
        whole, doubt = float(steps.value[CENTRAL, 0]), float(steps.bar[CENTRAL, 0])
        if doubt <= _ROUGHLY * abs(whole) and abs(whole - value) <= SAFETY * doubt:
            stair = Stair(height / abs(whole), height, value, bar)
            return found._replace(smooth=True, conflict=False, value=value, bar=bar, stair=stair)
    return _across_pieces(found, one, value)


def _across_pieces(found: Slopes, one: Samples, slope: float) -> Slopes:
    """With the slope over many jumps, where complex step is that of the piece between two of them.

    So it is of a solver that stops early, and begins at numbers that depend on the input.
    """
    height = _first_jump(one, slope)
    if not height:
        return found
    steps = extrapolated(with_noise(one, max(height, float(one.noise[0]))))
    whole, doubt = float(steps.value[CENTRAL, 0]), float(steps.bar[CENTRAL, 0])
    if not SAFETY * doubt <= _ROUGHLY * abs(whole):
        return found
    stair = Stair(height / abs(whole), height, whole, doubt)
    return found._replace(smooth=True, conflict=False, value=whole, bar=doubt, stair=stair, witness=None)


def _first_jump(one: Samples, slope: float) -> float:
    """The height of the nearest jump from a piece with this slope on which the point lies; 0 where there is none.

    What bends leaves the piece by no more than noise at first.
    """
    height = 0.0
    for ahead, values, sign in ((one.steps, one.right, 1.0), (one.back, one.left, -1.0)):
        with np.errstate(all="ignore"):
            off = np.abs(values[:, 0] - one.centre[0] - sign * slope * ahead)[::-1]
            rounded = _ROUNDINGS * UNIT * (np.abs(one.centre[0]) + np.abs(slope) * ahead[::-1])
        left = np.flatnonzero(~(off <= rounded))
        if len(left) and left[0] >= _REST and off[left[0]] > _LOUD * rounded[left[0]]:
            height = max(height, float(off[left[0]]))
    return height


def _with_surroundings(found: Slopes, samples: Samples, i: int, scale: float) -> Slopes:
    """With what rounding may make of a slope of zero, and how steep the output is beside the point."""
    if not found.smooth:
        return found
    with np.errstate(all="ignore"):
        h, left, right = _sides(samples, i, found.step or np.inf)
        centre = float(samples.centre[i])
        _, *further = _sides(samples, i, _PART * max(scale, 1.0))
        size = max(abs(centre), 1.0) if found.flat and found.witness else abs(centre)
        felt = max(float(samples.noise[i]), 4 * UNIT * size) / max(scale, 1.0)
        bend = UNIT * scale * abs(right - left) / h
    grain = felt + bend if np.isfinite(bend) else felt
    reach = max(abs(right), abs(left)) if np.isfinite(right) and np.isfinite(left) else 0.0
    if found.conflict and found.witness is not None and abs(found.witness - found.value) <= _CLOSE * reach:
        # A slope of almost nothing between steep sides: what both differ by is what is not known.
        bar = max(found.bar, abs(found.witness - found.value) / SAFETY)
        found = found._replace(conflict=False, value=found.witness, bar=bar)
    steepness = min(map(abs, further)) if np.isfinite(further).all() else 0.0
    return found._replace(grain=grain, reach=reach, steepness=steepness, doubt=float(samples.noise[i]))


def _sides(samples: Samples, i: int, most: float) -> tuple[float, float, float]:
    """The largest step that is no larger than this, and the quotients over it of one output, left and right."""
    k = min(int(np.searchsorted(-samples.steps, -most)), len(samples.steps) - 1)
    h, centre = float(samples.steps[k]), float(samples.centre[i])
    left = (centre - float(samples.left[k, i])) / float(samples.back[k])
    return h, left, (float(samples.right[k, i]) - centre) / h


def sampled(line: Line, steps: Array) -> Samples:
    """The outputs on both sides of the point, at steps that can be taken on both."""
    with np.errstate(all="ignore"):
        taken, values = line.values(np.concatenate([steps, -steps, [0.0]]))
        n = len(steps)
        right, back = taken[:n], -taken[n:-1]
        falls = np.minimum(right, back)
        kept = (falls > 0) & (np.concatenate([[np.inf], falls[:-1]]) > 1.2 * falls)
        at = np.flatnonzero(kept)
        noise = np.asarray(line.noise, np.float64)
        noise = np.where(np.isfinite(noise), noise, 0.0)
        size = np.where(np.isfinite(values[-1]), np.abs(values[-1]), 0.0)
        noise = np.maximum(noise, UNIT * size + _UNDERFLOW)
        return sample(right[at], back[at], values[at], values[n + at], values[-1], noise)


def _witness(
    line: Line, estimates: Estimates, chosen: Array
) -> tuple[complex_step.Witness, Array] | tuple[None, None]:
    """Complex step of some outputs, and its bars but for what rounding all neighbours share."""
    steps = estimates.step[CENTRAL]
    steps = steps[steps > 0]
    step = float(steps.min()) if len(steps) else (line.scale or 1.0) * 2.0**-24
    found = complex_step.witness(line, step)
    if found is None:
        return None, None
    # What they share shows in none of them.
    h = complex_step.height(line.scale, step)
    shared = np.maximum(_BOUND * line.imag_noise(h), complex_step.rounding(line, h, found.value))
    bar = np.maximum(found.bar, shared)
    return complex_step.Witness(found.value[chosen], bar[chosen]), found.bar[chosen]


def _grown(line: Line, samples: Samples, estimates: Estimates, chosen: Array) -> Array:
    """The outputs of which the noise at the point says nothing of that at a step which is used.

    They are so much larger there, or so much steeper on the way to it, and noisier as values around that step show.
    """
    with np.errstate(all="ignore"):
        # The largest step that is used for each slope, of both sides and of each (3, m).
        rows = np.minimum(np.searchsorted(-samples.steps, -estimates.step), len(samples.steps) - 1)
        at = rows, np.arange(len(samples.centre))
        right, left = samples.right[at], samples.left[at]
        size = np.maximum(np.abs(right), np.abs(left))
        steep = np.maximum(np.abs(right - samples.centre), np.abs(left - samples.centre)) / samples.steps[rows]
        grown = (size > _GROWN * np.abs(samples.centre)) | (steep > _STEEPER * np.abs(estimates.value[CENTRAL]))
        some = np.flatnonzero((np.isfinite(size) & grown).any(0))
    if not len(some):
        return some
    used, mine = np.unique(rows[:, some], return_inverse=True)
    beside = noise_beside(line, np.concatenate([samples.steps[used], -samples.back[used]]), chosen[some])
    beside = np.maximum(beside[: len(used)], beside[len(used) :])
    known = np.minimum(samples.noise_right, samples.noise_left)
    mine, each = mine.reshape(3, -1), np.arange(len(some))
    return some[(beside[mine, each] > _NOISIER * known[rows[:, some], some]).any(0)]


def _with_noise_at_steps(line: Line, samples: Samples, chosen: Array, grown: Array, every: int) -> Samples:
    """Samples with the noise that some outputs have at the steps themselves."""
    beside = with_noise_beside(line, samples.only(grown), chosen[grown], every)
    right, left = samples.noise_right.copy(), samples.noise_left.copy()
    right[:, grown], left[:, grown] = beside.noise_right, beside.noise_left
    return samples._replace(noise_right=right, noise_left=left)


def _ordinary(samples: Samples, estimates: Estimates, good: tuple[float, float] = _GOOD) -> Array:
    """Where both sides and both together agree, closely: nothing but a smooth function does that."""
    value, bar = estimates.value, estimates.bar
    with np.errstate(all="ignore"):
        size = np.abs(value[CENTRAL])
        level = np.maximum(size, np.abs(samples.centre) / np.maximum(samples.steps[0], 1.0))
        close = (bar[CENTRAL] <= good[0] * level) & (np.maximum(bar[LEFT], bar[RIGHT]) <= good[1] * level)
        for a, b in ((LEFT, RIGHT), (CENTRAL, LEFT), (CENTRAL, RIGHT)):
            close &= np.abs(value[a] - value[b]) <= SAFETY * (bar[a] + bar[b]) + 8 * UNIT * size
        moves = (samples.right[-1] != samples.centre) | (samples.left[-1] != samples.centre)
        return np.asarray(close & np.isfinite(samples.centre) & (moves | _never_jumps(samples)), np.bool_)


def _never_jumps(samples: Samples) -> Array:
    """Where the function is flat at the finest steps, and begins to move by no more than noise."""
    change = np.maximum(np.abs(samples.right - samples.centre), np.abs(samples.left - samples.centre))
    moved = change > 0
    first = len(change) - 1 - np.argmax(moved[::-1], 0)
    height = np.take_along_axis(change, first[None], 0)[0]
    return np.asarray(~moved.any(0) | (height <= 64 * samples.noise), np.bool_)


def _with_far(line: Line, samples: Samples, estimates: Estimates, chosen: Array, doubtful: Array) -> Estimates:
    """With the central slopes from far off, where those are better known and do not contradict."""
    far = far_slope(line, float(samples.steps[0]), chosen, samples.centre, samples.noise)
    value, bar, step = (table.copy() for table in estimates)
    with np.errstate(all="ignore"):
        agrees = np.abs(far.value - value[CENTRAL]) <= SAFETY * (bar[CENTRAL] + far.bar)
        better = doubtful & (far.bar < bar[CENTRAL]) & (agrees | ~np.isfinite(bar[CENTRAL]))
    for table, other in ((value, far.value), (bar, far.bar), (step, far.step)):
        table[CENTRAL] = np.where(better, other, table[CENTRAL])
    return Estimates(value, bar, step)


def _has_two_sides(samples: Samples) -> Array:
    """Where there are values on both sides: a slope from far off is that of what lies around the point."""
    return np.asarray(np.isfinite(samples.right).any(0) & np.isfinite(samples.left).any(0), np.bool_)


def _jumps(samples: Samples) -> Array:
    """Where the two sides rest, or hardly move, at levels apart: no smooth function is to be seen from far off."""
    half = len(samples.steps) // 2
    right, left = samples.right[half:], samples.left[half:]
    with np.errstate(all="ignore"):
        gap = np.abs(right - left).min(0)
        moves = np.maximum(np.ptp(right, 0), np.ptp(left, 0))
        return np.asarray((gap > 0) & (moves <= _RESTS * gap), np.bool_)


def _loud(samples: Samples) -> Array:
    """Where there is more noise at the point than rounding makes of values of this size further off."""
    size = np.median(np.where(np.isfinite(samples.right), np.abs(samples.right), 0.0), 0)
    return np.asarray(samples.noise > _LOUD * UNIT * size, np.bool_)


def _smooth(
    estimates: Estimates, samples: Samples, i: int, witness: tuple[float, float] | None, scale: float
) -> Slopes:
    side_left, side_right = (
        Side(Kind.LIMIT, float(estimates.value[s, i]), float(estimates.bar[s, i])) for s in (LEFT, RIGHT)
    )
    value, bar = float(estimates.value[CENTRAL, i]), float(estimates.bar[CENTRAL, i])
    centre = float(samples.centre[i])
    flat = value == 0 and _rests(samples.right[:, i], centre) and _rests(samples.left[:, i], centre)
    step = float(estimates.step[CENTRAL, i])
    return _combined(
        Slopes(side_left, side_right, True, value, bar, step, None, False, None, float(samples.centre[i]), flat),
        witness,
        scale,
    )


def _combined(found: Slopes, witness: tuple[float, float] | None, scale: float) -> Slopes:
    """With what complex step says: the smaller bar wins when both agree."""
    if witness is None or not np.isfinite(witness[1]):
        return found
    value, bar = witness
    apart = abs(value - found.value)
    if not np.isfinite(found.bar) or apart <= SAFETY * (bar + found.bar) + 8 * UNIT * abs(found.value):
        best = (value, bar) if bar < found.bar or not np.isfinite(found.bar) else (found.value, found.bar)
        return found._replace(value=best[0], bar=best[1], witness=value)
    size = max(abs(value), abs(found.value))
    if found.flat and size * max(scale, 1.0) <= SAFETY**2 * 4 * UNIT * max(abs(found.centre), 1.0):
        # What is lost to rounding on the way does not show in differences at all.
        return found._replace(value=value, bar=bar, witness=value)
    if apart <= _CLOSE * size:
        # Both are nearly right: what they differ by is what is not known.
        return found._replace(value=value, bar=max(bar, apart / SAFETY), witness=value)
    largest = max(abs(found.centre), abs(found.value) * max(scale, 1.0))
    if _is_analytic(witness) and apart * max(found.step, scale) <= _HIDDEN * UNIT * largest:
        # So little difference is rounding that nobody measured.
        return found._replace(value=value, bar=bar, witness=value)
    if value == 0:
        # A forward that drops the imaginary part says nothing.
        return found._replace(real_only=True)
    return found._replace(witness=value, conflict=True)


def _looked_at(
    line: Line, samples: Samples, estimates: Estimates, i: int, output: int, witness: tuple[float, float] | None
) -> Slopes:
    """The slopes of one output that is not plainly smooth."""
    with np.errstate(all="ignore"):
        one = samples.only(np.array([i]))
        centre = float(one.centre[0])
        left, right = (
            side_of(
                one.back if s == LEFT else one.steps,
                (one.left if s == LEFT else one.right)[:, 0],
                centre,
                ((one.noise_left if s == LEFT else one.noise_right) + one.noise)[:, 0],
                (float(estimates.value[s, i]), float(estimates.bar[s, i])),
                -1.0 if s == LEFT else 1.0,
                line.scale,
            )
            for s in (LEFT, RIGHT)
        )
        value, bar = float(estimates.value[CENTRAL, i]), float(estimates.bar[CENTRAL, i])
        blank = Slopes(left, right, False, np.nan, np.inf, 0.0, None, False, None, centre)
        if not np.isfinite(centre):
            return blank
        moves = not (_rests(one.right[:, 0], centre) and _rests(one.left[:, 0], centre))
        blank = blank._replace(flat=not moves or not bool(_never_jumps(one)[0]))
        stair = staircase(line, one, output)
        if stair is not None:
            fine = stair.height <= _FINE * max(abs(centre), 1.0)
            if fine and witness is not None and abs(witness[0] - stair.value) <= SAFETY * stair.bar:
                value, bar = witness
                step = min(_STAIRS * stair.width, float(one.steps[0]))
                stair = stair._replace(value=value, bar=bar)
                return blank._replace(smooth=True, value=value, bar=bar, step=step, stair=stair, witness=value)
            return blank._replace(stair=stair, witness=None if witness is None else witness[0])
        if blank.flat and 0 < _leap(one) <= _FINE * max(abs(centre), 1.0):
            again = _beside_flat(line, one, output, blank)
            if again is not None:
                # Read with complex numbers it may be as flat.
                return _combined(again, witness if witness is None or witness[0] else None, line.scale)
        kinds = {left.kind, right.kind}
        if Kind.STEEP in kinds and not kinds & {Kind.NOTHING, Kind.JUMP} and _is_analytic(witness):
            # It is steep beside the point, and complex step sees that it is not at the point.
            kinds, unclear = {Kind.UNCLEAR}, Side(Kind.UNCLEAR, np.nan, np.inf)
            blank = blank._replace(left=unclear, right=unclear)
        if kinds & {Kind.NOTHING, Kind.JUMP, Kind.STEEP}:
            return blank
        step = float(estimates.step[CENTRAL, i])
        if Kind.UNCLEAR in kinds or _unknown(one, step):
            return _combined(_constant(blank, one) or blank._replace(smooth=True, step=step), witness, line.scale)
        raw, spread = quotients(one)
        if is_kink(left, right, raw[:, :, 0], spread[:, :, 0], (value, bar)):
            return blank
        whole = blank._replace(smooth=True, value=value, bar=bar, step=step)
        for side in (left, right):
            if side.bar < bar:
                value, bar = side.value, side.bar
        best = _combined(whole._replace(value=value, bar=bar), witness, line.scale)
        # What both sides say together is less, and may be more to be relied on, than what one says.
        return _combined(whole, witness, line.scale) if best.conflict else best


def _rests(values: Array, centre: float) -> bool:
    """Tell whether an output never moves, as far as there is one: further off the program may make another shape."""
    return bool(np.all((values == centre) | ~np.isfinite(values)) and np.isfinite(values[-_REST:]).all())


def _leap(one: Samples) -> float:
    """Measure how far the only output of some samples first moves; 0 where it never rests, or always does."""
    change = np.maximum(np.abs(one.right - one.centre), np.abs(one.left - one.centre))[:, 0]
    moved = np.flatnonzero(change > 0)
    return float(change[moved[-1]]) if len(moved) and not change[-_REST:].any() else 0.0


def _beside_flat(line: Line, one: Samples, output: int, blank: Slopes) -> Slopes | None:
    """The slope of an output that rounding makes flat around the point, from where it is not; None of none."""
    found = extrapolated(with_noise_beside(line, with_noise(one, _leap(one)), np.array([output])))
    value, bar, step = (float(table[CENTRAL, 0]) for table in found)
    return blank._replace(smooth=True, value=value, bar=bar, step=step) if np.isfinite(bar) else None


def _is_analytic(witness: tuple[float, float] | None) -> bool:
    """Tell whether complex step is the same at all its neighbours, but for what is smooth."""
    return witness is not None and witness[0] != 0 and witness[1] <= _CLOSE * abs(witness[0])


def _unknown(one: Samples, step: float) -> bool:
    """Tell whether there is more noise than output where the slope was found."""
    near = one.steps <= step
    if not near.any():
        return False
    size = np.fmax(np.abs(one.right[near, 0]), np.abs(one.left[near, 0]))
    return bool(float(one.noise[0]) > max(_KNOWN * float(np.nan_to_num(size).max()), 64 * _UNDERFLOW))


def _constant(blank: Slopes, one: Samples) -> Slopes | None:
    """No slope, of an output that moves by no more than its noise over all steps; None of any other."""
    change = np.maximum(np.abs(one.right - one.centre), np.abs(one.left - one.centre))[:, 0]
    change, steps = change[np.isfinite(change)], one.steps[np.isfinite(change)]
    noise = float(one.noise[0])
    if not len(change) or not float(change.max()) <= SAFETY**2 * noise:
        return None
    # What is more than noise, a slope may be the reason of.
    steepest = float(np.max(np.where(change > SAFETY * noise, change / steps, 0.0)))
    bar = max(SAFETY * noise / float(steps[0]), steepest)
    return blank._replace(smooth=True, value=0.0, bar=bar, step=float(steps[0]))

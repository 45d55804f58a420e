"""Derivatives that are right beyond doubt, settled many at once: four central pairs, and complex step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from .complex_step import Witness, height
from .differences import SAFETY
from .steps import UNIT

# Steps relative to what is moved, or to 1 where that is smaller: four to the right, the same to the left.
_PAIRS = 4
_RIGHT = 2.0**-4.875 / 2.0 ** np.arange(_PAIRS)
QUICK_STEPS = np.concatenate([_RIGHT, -_RIGHT])

# How far from a claim complex step may be, of its size; and differences, with complex step beside them (farther when
# they know no better: it has all digits) and alone.
WITNESSED, _BESIDE, _LEAST, ASSURED = 2.0**-44, 1e-10, 1e-3, 1e-12
# And of a claim that is small beside others of its input, whose sums it shares, so many roundings of the largest of
# those, as long as they are no larger part of itself.
_SHARED, _SLIGHT = 16.0, 2.0**-40
# Where claim and complex step agree, both are held to be as exact as this.
_BOTH = 2.0**-49
# A claim that complex step with so narrow a bar is beside is as good with a narrower one; and one that is off by so
# many times as much as the bar explains: whether the claim's own rounding explains it does not depend on the bar.
_NARROW, _FAR = 2.0**-36, 8.0
# Within so many bars of complex step a claim need not be told from it by a narrower one, where that is rounding.
_WITHIN = 2.0
# A derivative is known where all doubts are smaller than this part of it.
_KNOWN = 1e-3
# A claim that is off by more than this, of its size, is plainly wrong.
PLAINLY = 1e-6
# How unevenly the steps to both sides may be represented.
_UNEVEN = 2.0**-40
# Below normal numbers rounding does not shrink any more.
_UNDERFLOW = 2.0**-1073
# By how much the changes of differences may miss the factor that their order asks for.
_SLACK = 1.6


def quick_steps(at: Array, part: float = 1.0) -> Array:
    """The steps for entries with these values (E,), or so small a part of them: as represented (E, k)."""
    steps = np.maximum(np.abs(at), 1.0)[:, None] * (part * QUICK_STEPS)
    grid = np.ldexp(1.0, np.frexp(np.abs(at)[:, None] + np.abs(steps))[1] - 53)
    return np.asarray(np.rint(steps / grid) * grid, np.float64)


def smooth_over(at: Array) -> Array:
    """Over how much the function is seen to be smooth by the quick steps of entries with these values (E,)."""
    return np.asarray(np.maximum(np.abs(at), 1.0) * _RIGHT[-1], np.float64)


def quick_heights(at: Array) -> Array:
    """The heights of complex step for entries with these values (E,); its one offset is 0."""
    return np.array([height(x) for x in np.abs(at).tolist()])


def settled(
    steps: Array,
    values: Array,
    noise: Array,
    imag: Array | None,
    claims: Array,
    assured: float = ASSURED,
    *,
    at: Array | None = None,
    sizes: Array | None = None,
    largest: Array | float = 0.0,
) -> tuple[Array, Array, Array, Array]:
    """Which claims (E, m) are right beyond doubt; their verified digits, the estimates and their bars.

    ``steps`` (E, k) as ``quick_steps`` asks for them and as represented, ``values`` (E, k, m), ``noise`` (m,), ``imag``
    (E, j, m): complex step at the point, or None; with it ``at`` (E,), the sizes of what is moved. ``sizes`` (E, m): of
    what the claims are sums of, where that is more than they are; ``largest`` (E, m): the claims that are so among
    those for the same input. A claim that is zero has infinitely many digits.
    """
    with np.errstate(all="ignore"):
        slope, bar, smooth, centre = _slopes(steps, values, noise)
        ahead, back = steps[:, :_PAIRS], -steps[:, _PAIRS:]
        symmetric = (np.abs(ahead - back) <= _UNEVEN / 2 * (ahead + back)).all(1)
        size = np.abs(claims) if sizes is None else np.maximum(np.abs(claims), sizes)
        good = smooth & symmetric[:, None] & np.isfinite(claims)
        if imag is None:
            off = np.abs(slope - claims)
            good &= (SAFETY * bar + off <= assured * size) & (size > 0)
            good &= off <= np.maximum(SAFETY * bar, ASSURED * size)
            if assured > ASSURED:
                # Where each value is dear, one that is the same at all steps is not looked at again.
                good |= (claims == 0) & (values == values[:, :1]).all(1)
            estimate = slope
            within = SAFETY * bar + 8 * UNIT * size
        else:
            assert at is not None
            estimate = imag[:, imag.shape[1] // 2]
            rounding = np.maximum(WITNESSED * size, np.minimum(_SHARED * UNIT * largest, _SLIGHT * size))
            good &= np.abs(estimate - claims) <= rounding
            # Where both say that there is no slope, differences show their noise alone.
            apart = np.where(size > 0, np.clip(SAFETY * bar, _BESIDE * size, _LEAST * size), SAFETY * bar)
            good &= np.abs(slope - claims) <= apart
            # And both may have rounded otherwise.
            alike = np.maximum(_alike(steps, values, noise, slope, centre, at), np.abs(estimate - claims))
            bar = np.where(size > 0, np.minimum(bar, np.maximum(_BOTH * size, alike)), bar)
            within = SAFETY * bar + 8 * UNIT * size
        digits = np.where(size > 0, -np.log10(within / size), np.inf)
        return good, np.where(good, digits, np.nan), estimate, bar


def agreeing(imag: Array, claims: Array) -> Array:
    """Which claims (E, m) complex step at the point (E, 1, m) agrees with, whatever differences say."""
    with np.errstate(all="ignore"):
        return np.asarray((np.abs(imag[:, 0] - claims) <= WITNESSED * np.abs(claims)) & np.isfinite(claims))


def _alike(steps: Array, values: Array, noise: Array, slope: Array, centre: Array, at: Array) -> Array:
    """Bound how far rounding may have moved a claim and complex step alike (E, m).

    What rounds on the way to the output, and not in it, does: as much as the output has moved, the slope has moved by
    its own slope; and by that over one rounding of what is moved.
    """
    bend = _bend(steps, values)
    changes = np.maximum(1 / (steps[:, :1] / _RIGHT[0]), bend / np.abs(slope))
    alike = np.maximum(noise - 4 * UNIT * np.abs(centre), 0) * np.where(np.isfinite(changes), changes, 0.0)
    return np.asarray(np.maximum(alike, UNIT * np.abs(at)[:, None] * bend), np.float64)


def lost_alike(steps: Array, values: Array, noise: Array, at: Array) -> Array:
    """The same, of claims that differences alone need not have settled; 0 where they show nothing."""
    with np.errstate(all="ignore"):
        slope, _, _, centre = _slopes(steps, values, noise)
        alike = _alike(steps, values, noise, slope, centre, at)
        return np.asarray(np.where(np.isfinite(alike), alike, 0.0), np.float64)


def witnessed(
    steps: Array, values: Array, noise: Array, seen: Witness, claims: Array, claim_bars: Array
) -> tuple[Array, Array]:
    """Which claims (E, m) complex step says are right, and their digits: differences agree as far as they can tell.

    As for `settled`; ``seen``: complex step with its bars, ``claim_bars``: what rounding may have done to the claims. A
    gradient may be so small that differences show their noise alone: then that is all that they may show.
    """
    with np.errstate(all="ignore"):
        slope, bar, good = _agreed(steps, values, noise, seen)
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        good &= np.isfinite(claims) & (size > 0)
        good &= np.abs(slope - claims) <= SAFETY * (bar + claim_bars) + 8 * UNIT * size
        within = SAFETY * (seen.bar + claim_bars) + 8 * UNIT * size
        good &= (np.abs(seen.value - claims) <= within) & (within <= _KNOWN * size)
        return good, np.where(good, -np.log10(within / size), np.nan)


def apart(seen: Witness, claims: Array, claim_bars: Any, times: float = 1.0) -> Array:
    """Which claims (E, m) are off by more than so many times what the bars of complex step and their own explain."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        return np.asarray(np.abs(seen.value - claims) > times * (SAFETY * (seen.bar + claim_bars) + 8 * UNIT * size))


def slightly_off(
    steps: Array, values: Array, noise: Array, seen: Witness, claims: Array, claim_bars: Array
) -> Array:
    """Which claims (E, m) are off by little, and by far more than the bars of complex step and their own explain.

    Differences agree with complex step. Arguments as for `witnessed`.
    """
    with np.errstate(all="ignore"):
        _, _, good = _agreed(steps, values, noise, seen)
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        good &= np.isfinite(claims) & (np.abs(seen.value - claims) <= PLAINLY * size)
        return np.asarray(good & apart(seen, claims, claim_bars, _FAR))


def explicable(seen: Witness, claims: Array) -> Array:
    """Which claims (E, m) are off by so little that they would be right if rounding alone did that."""
    return np.asarray(np.abs(seen.value - claims) <= _KNOWN * np.maximum(np.abs(claims), np.abs(seen.value)))


def no_closer(seen: Witness, claims: Array) -> Array:
    """Beside which claims (E, m) complex step need not be known any better: they are right so far, or far off."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        near = np.abs(seen.value - claims) <= WITNESSED * size
        return np.asarray(apart(seen, claims, 0.0, _FAR) | (near & (seen.bar <= _NARROW * size)))


def close_by(seen: Witness, claims: Array, scales: Array, noise: Array) -> Array:
    """Which claims (E, m) complex step is within two bars of, and these so narrow that the output hardly feels them.

    ``scales`` (E,): the size of what is moved.
    """
    with np.errstate(all="ignore"):
        narrow = seen.bar <= np.maximum(WITNESSED * np.abs(claims), SAFETY * noise / np.maximum(scales, 1.0)[:, None])
        return np.asarray(narrow & (np.abs(seen.value - claims) <= _WITHIN * seen.bar))


def vanishing(
    steps: Array, values: Array, noise: Array, seen: Witness, claims: Array, scales: Array, centre: Array
) -> tuple[Array, Array]:
    """Which claims (E, m) are as good as zero, beside what differences and complex step say: those of nothing, where
    there is none, and those that the output does not feel.

    ``scales`` (E,): the size of what is moved, ``centre`` (E, m): the outputs at the point.
    """
    with np.errstate(all="ignore"):
        _, _, good = _agreed(steps, values, noise, seen)
        moved = np.maximum(scales, 1.0)[:, None]
        feel = 4 * UNIT * np.maximum(np.abs(centre), np.minimum(noise / UNIT, moved))
        rounding = of_nothing(noise, centre)
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        off = np.abs(claims - seen.value)
        agree = off <= SAFETY * seen.bar + 8 * UNIT * size
        # Complex step that says nothing agrees with everything.
        good &= np.isfinite(claims) & (SAFETY * seen.bar * moved <= rounding)
        nothing = good & agree & (claims == 0)
        near = (off * moved <= feel) & ~agree
        return nothing, good & ~nothing & (near | (agree & (size * moved <= rounding)))


def unfelt_beside(seen: Witness, claims: Array, scales: Array, rounding: Array) -> Array:
    """Which claims (E, m) are, with all that complex step says, smaller than the slopes that rounding makes of none.

    And it says nothing: its own rounding is as large.
    """
    with np.errstate(all="ignore"):
        doubt = SAFETY * seen.bar
        size = doubt + np.maximum(np.abs(claims), np.abs(seen.value))
        return np.asarray((size * np.maximum(scales, 1.0)[:, None] <= rounding) & (np.abs(seen.value) <= doubt))


def feels_nothing(seen: Witness, claims: Array, scales: Array, noise: Array, centre: Array) -> Array:
    """Which claims (E, m) and complex step are no more than the slopes that rounding makes of none, and differ by no
    more than the output's noise."""
    with np.errstate(all="ignore"):
        moved = np.maximum(scales, 1.0)[:, None]
        size = np.maximum(np.abs(claims), np.abs(seen.value))
        is_close = np.abs(seen.value - claims) * moved <= noise
        return np.asarray((size * moved <= of_nothing(noise, centre)) & is_close)


def of_nothing(noise: Array, centre: Array) -> Array:
    """The slopes (E, m), times the size of what is moved, that rounding of the outputs may make of none."""
    return np.asarray(SAFETY**2 * np.maximum(noise, 4 * UNIT * np.abs(centre)))


def _agreed(steps: Array, values: Array, noise: Array, seen: Witness) -> tuple[Array, Array, Array]:
    """Slopes by differences (E, m), their bars, and whether they are smooth and complex step agrees with them."""
    slope, bar, smooth, _ = _slopes(steps, values, noise)
    ahead, back = steps[:, :_PAIRS], -steps[:, _PAIRS:]
    symmetric = (np.abs(ahead - back) <= _UNEVEN / 2 * (ahead + back)).all(1)
    agrees = np.abs(slope - seen.value) <= SAFETY * (bar + seen.bar) + 8 * UNIT * np.abs(seen.value)
    return slope, bar, smooth & symmetric[:, None] & agrees


def smooth_slopes(steps: Array, values: Array, noise: Array) -> tuple[Array, Array, Array]:
    """Slopes from differences (E, m), their bars, and which are of a smooth function as far as those show."""
    with np.errstate(all="ignore"):
        return _slopes(steps, values, noise)[:3]


def plainly_wrong(steps: Array, values: Array, noise: Array, claims: Array) -> tuple[Array, Array, Array]:
    """Which claims (E, m) differ plainly from what differences say of a smooth function; the estimates and their bars.

    Whether the claim's own rounding is to blame is not asked.
    """
    with np.errstate(all="ignore"):
        slope, bar, smooth, _ = _slopes(steps, values, noise)
        off = np.abs(claims - slope)
        far = (off > PLAINLY * np.maximum(np.abs(claims), np.abs(slope))) & (SAFETY * bar < off / 100)
        return smooth & far, slope, bar


def _bend(steps: Array, values: Array) -> Array:
    """The size of the second derivative (E, m), roughly."""
    h = steps[:, :2, None]
    even = (values[:, :2] + values[:, _PAIRS : _PAIRS + 2]) / 2
    return np.asarray(np.abs(2 * (even[:, 0] - even[:, 1]) / (h[:, 0] ** 2 - h[:, 1] ** 2)), np.float64)


def _own(values: Array) -> Array:
    """The rounding (E, m) of outputs (E, k, m) themselves, with room for that of one more op."""
    return np.asarray(4 * UNIT * np.abs(values).max(1), np.float64)


def _slopes(steps: Array, values: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
    """Slopes from differences (E, m), with bars, whether the function is smooth as far as they show, and its value."""
    ahead, back = steps[:, :_PAIRS, None], -steps[:, _PAIRS:, None]
    h = (ahead + back) / 2
    right, left = values[:, :_PAIRS], values[:, _PAIRS:]
    doubt = np.maximum(noise, _own(values)) + _UNDERFLOW
    slopes = (right - left) / (2 * h)
    # A kink shows in the even part; where the point could not be moved by just as much to both sides, that does, too.
    uneven = doubt + np.abs(slopes[:, -1]) * np.abs(ahead - back).max(1)
    evens = np.broadcast_to(uneven[:, None], right.shape)
    spread = np.concatenate([doubt[:, None] / h, evens], 2)
    slope, bar, clean = _table(np.concatenate([slopes, (right + left) / 2], 2), spread, 4.0)
    many = slopes.shape[2]
    return slope[:, :many], bar[:, :many], clean[:, :many] & clean[:, many:], slope[:, many:]


def _table(first: Array, noise: Array, order: float) -> tuple[Array, Array, Array]:
    """Extrapolated values (E, m) with bars, and whether all changes on the way shrink as they should."""
    table, spread = first, noise
    clean = np.ones(first[:, 0].shape, bool)
    change = first[:, :0]
    factor = order
    for _ in range(_PAIRS - 1):
        change = table[:, 1:] - table[:, :-1]
        allowed = np.abs(change[:, :-1]) * (_SLACK / factor) + spread[:, 1:-1] + spread[:, 2:]
        clean &= (np.abs(change[:, 1:]) <= allowed).all(1)
        share = 1 / (factor - 1)
        table = table[:, 1:] + change * share
        spread = spread[:, 1:] * (1 + share) + spread[:, :-1] * share
        factor *= order
    last = np.abs(change[:, -1]) / (factor / order - 1)
    return table[:, -1], last + spread[:, -1] + 2 * UNIT * np.abs(table[:, -1]), clean

"""The table of verdicts: what is said of a claim, given what was found of the slopes."""

from __future__ import annotations

import math

import numpy as np

from ..slopes.all_ways import Slopes
from ..slopes.differences import SAFETY
from ..slopes.one_sided import Kind, Side
from ..slopes.staircase import Stair
from ..slopes.steps import UNIT
from .verdict import Judged, Verdict

# A claim that is off by no more than this, of its size, is inaccurate rather than wrong.
INACCURATE = 1e-6
# So much doubt, of the size of the derivative, leaves nothing verified.
_DOUBT = 1e-3
# A slope that is known to this, in spite of a solver that stops early, says something of the claim.
SAID = 1e-2
_ALIKE = "the claim and complex step are the same, but what they are computed from cancels: few digits are known"
# A slope that is smaller than this, and not verified, is as good as zero.
_NOTHING = 2.0**-400
# A slope is zero when it is known so well beside how steep the output is nearby.
_ZERO = 1e-9
# Where a claim and differences are the same to this, complex step is not of what they are of.
_OUTVOTED = 1e-8
_UNFELT = "too small for the output to feel"


def verdict_of(found: Slopes, claim: float, scale: float, claim_bar: float) -> Judged:
    """The verdict of one derivative."""
    left, right = found.left, found.right
    kinds = {left.kind, right.kind}
    blank = Judged(Verdict.DOMAIN, claim, np.nan, np.inf, witness=found.witness)
    if not np.isfinite(found.centre):
        return of_no_number(claim)._replace(witness=found.witness)
    if found.stair is not None:
        return _on_stairs(found, found.stair, claim, scale, claim_bar)
    if kinds == {Kind.NOTHING}:
        return blank._replace(note="the output is not finite on either side")
    blank = blank._replace(
        left=None if left.kind is Kind.NOTHING else left.value,
        right=None if right.kind is Kind.NOTHING else right.value,
    )
    if Kind.JUMP in kinds:
        return blank._replace(verdict=Verdict.DISCONTINUITY, note="the output jumps here")
    if Kind.STEEP in kinds:
        return _steep(left, right, blank)
    if Kind.NOTHING in kinds:
        return _at_edge(right if left.kind is Kind.NOTHING else left, blank)
    if not found.smooth:
        return _at_kink(left, right, blank)
    return _at_smooth(claim, found.value, found.bar, claim_bar, scale, found)


def may_pass(judged: Judged, found: Slopes) -> bool:
    """Tell whether a claim that does not pass would if enough rounding were in it: its slope has to be known."""
    beside, close = _witnessed(found, judged.estimate, judged.bar)
    size = max(abs(judged.estimate), abs(judged.claimed))
    return max(SAFETY * close + 8 * UNIT * size, abs(judged.claimed - beside)) <= _DOUBT * size


def vanishing_at(nothing: bool, claim: float, value: float, bar: float) -> Judged:
    """The judgement of a claim that is as good as zero: of nothing, or too small for the output to feel."""
    verdict, note = (Verdict.PASS_ZERO, None) if nothing else (Verdict.SATURATED, _UNFELT)
    return Judged(verdict, claim, value, bar, witness=value, note=note)


def of_no_number(claim: float) -> Judged:
    """The judgement of any claim where the output itself is no number."""
    return Judged(Verdict.DOMAIN, claim, np.nan, np.inf, note="the output is not finite here")


def left_over_at(claim: float, value: float, bar: float) -> Judged:
    """The judgement of a claim that is as good as zero beside what a loop that stops early leaves over."""
    note = "no larger than what a loop leaves over that stops when it is near enough"
    return Judged(Verdict.SATURATED, claim, value, bar, note=note)


def slightly_off_at(claim: float, value: float, bar: float, claim_bar: float) -> Judged:
    """The judgement of a claim that is off by little, beside complex step."""
    judged = Judged(Verdict.WRONG, claim, value, bar, claim_bar, witness=value)
    return _off(judged, Verdict.WRONG, max(abs(claim), abs(value)))


def _steep(left: Side, right: Side, blank: Judged) -> Judged:
    """A slope without a bound, of the sign that all sides have."""
    values = [side.value for side in (left, right) if side.kind is not Kind.NOTHING]
    same = all(value == values[0] for value in values)
    estimate = values[0] if same else np.nan
    if same and np.isinf(blank.claimed) and blank.claimed != estimate:
        return blank._replace(verdict=Verdict.WRONG, estimate=estimate, note="the slope is infinite, of the other sign")
    return blank._replace(verdict=Verdict.INFINITE_SLOPE, estimate=estimate)


def _at_edge(side: Side, blank: Judged) -> Judged:
    """Only one side is there: it alone decides."""
    blank = blank._replace(estimate=side.value, bar=side.bar)
    if side.kind is Kind.UNCLEAR:
        return blank._replace(verdict=Verdict.UNRESOLVED, note="the slope has no limit that could be seen")
    size = max(abs(side.value), abs(blank.claimed))
    within = SAFETY * side.bar + 8 * UNIT * size
    if abs(blank.claimed - side.value) <= within:
        if within <= _DOUBT * size or 0 in (size, blank.claimed):
            return blank._replace(verdict=Verdict.EDGE_OK, digits=_digits(within, size))
        return blank._replace(verdict=Verdict.UNRESOLVED, note="at the edge of the domain too little can be seen")
    return _off(blank, Verdict.EDGE_WRONG, size)


def _at_kink(left: Side, right: Side, blank: Judged) -> Judged:
    """A claim between both slopes is as good as any."""
    low, high = sorted((left, right), key=lambda side: side.value)
    size = max(abs(low.value), abs(high.value))
    nearest = min(max(blank.claimed, low.value), high.value)
    bar = max(low.bar, high.bar)
    between = low.value - SAFETY * low.bar - 8 * UNIT * size <= blank.claimed
    between = between and blank.claimed <= high.value + SAFETY * high.bar + 8 * UNIT * size
    blank = blank._replace(estimate=nearest, bar=bar)
    return blank._replace(verdict=Verdict.KINK_OK) if between else _off(blank, Verdict.KINK_WRONG, size)


def _off(judged: Judged, wrong: Verdict, size: float) -> Judged:
    """A claim that is off: inaccurate, or wrong."""
    off = abs(judged.claimed - judged.estimate)
    if 0 < off <= INACCURATE * size:
        return judged._replace(verdict=Verdict.INACCURATE, note=f"right to {-np.log10(off / size):.0f} digits")
    return judged._replace(verdict=wrong)


def _on_stairs(found: Slopes, stair: Stair, claim: float, scale: float, claim_bar: float) -> Judged:
    note = f"a staircase of width {stair.width:.1g}"
    if claim == 0 and not found.witness:
        return Judged(Verdict.PASS_ZERO, claim, 0.0, 0.0, witness=found.witness, note=note)
    judged = _at_smooth(claim, stair.value, stair.bar, claim_bar, scale, found)
    return judged._replace(note=note)


def not_finite(claim: float) -> str:
    """The words about a claim that is no number where the truth is one."""
    # How most claims of nan come about.
    how = ": 0 * inf and 0 * nan are nan, as in a branch that where() does not take"
    return "the claim is not finite" + how * math.isnan(claim)


def _at_smooth(claim: float, value: float, bar: float, claim_bar: float, scale: float, found: Slopes) -> Judged:
    """The table of verdicts at a smooth point."""
    if found.conflict and _is_outvoted(found, claim):
        found = found._replace(conflict=False, witness=None)
    judged = Judged(Verdict.WRONG, claim, value, bar, claim_bar, witness=found.witness)
    if found.conflict:
        return judged._replace(verdict=Verdict.WITNESS_CONFLICT, note="differences and complex step disagree")
    if not np.isfinite(bar):
        return judged._replace(verdict=Verdict.UNRESOLVED, note="no slope could be seen")
    if not np.isfinite(claim):
        return judged._replace(note=not_finite(claim))
    size = max(abs(value), abs(claim))
    beside, close = _witnessed(found, value, bar)
    known_to = SAFETY * (bar + claim_bar) + 8 * UNIT * size
    within = SAFETY * (close + claim_bar) + 8 * UNIT * size
    off = abs(claim - beside)
    feel = 4 * UNIT * max(abs(found.centre), min(found.doubt / UNIT, max(scale, 1.0)))
    if off <= within:
        if size > 0 and within <= _DOUBT * size:
            note = None if known_to <= _DOUBT * size else _ALIKE
            return judged._replace(verdict=Verdict.PASS, digits=max(0.0, _digits(known_to, size) or 0.0), note=note)
        return _hardly_known(judged, within, scale, feel, found)
    if off * max(scale, 1.0) <= feel:
        return judged._replace(verdict=Verdict.SATURATED, note=_UNFELT)
    if abs(claim - value) <= known_to:
        return _hardly_known(judged, known_to, scale, feel, found)
    return _off(judged, Verdict.WRONG, size)


def _is_outvoted(found: Slopes, claim: float) -> bool:
    """Tell whether complex step alone differs: it does not see what a bisection finds by comparing."""
    known_to = SAFETY * found.bar + 8 * UNIT * abs(found.value)
    return abs(claim - found.value) <= known_to <= _OUTVOTED * abs(found.value)


def _witnessed(found: Slopes, value: float, bar: float) -> tuple[float, float]:
    """A slope and its bar, or complex step and its own where that is narrower.

    What a right claim shares with it, since both go through the same numbers, sets neither apart.
    """
    return (found.witness, found.spread) if found.witness is not None and found.spread < bar else (value, bar)


def _hardly_known(judged: Judged, within: float, scale: float, feel: float, found: Slopes) -> Judged:
    """A claim that is as far off as is not known: it may be zero, or as good as that, or inaccurate itself."""
    size, bar, claim_bar = max(abs(judged.estimate), abs(judged.claimed)), judged.bar, judged.claim_bar
    known = SAFETY * bar <= max(SAFETY**2 * found.grain, _ZERO * found.reach) or (
        size == 0 and (feel == 0 or found.flat)
    )
    if judged.claimed == 0 and known and SAFETY * claim_bar <= _ZERO * found.reach:
        return judged._replace(verdict=Verdict.PASS_ZERO)
    if 0 < size <= max(SAFETY**2 * found.grain, _NOTHING) or max(SAFETY * bar, size) <= _ZERO * found.steepness:
        note = "no larger than what rounding makes of zero"
        return judged._replace(verdict=Verdict.SATURATED, bar=max(bar, found.grain), note=note)
    if claim_bar > bar and size * scale <= feel:
        return judged._replace(verdict=Verdict.SATURATED, note="too small for the output and the backward to feel")
    # The derivative may be known, and the claim be it, as far as its own rounding lets it.
    # A program that decides by its numbers when to stop is a staircase: as many digits as it has may be told.
    known_to = SAID if found.real_only and claim_bar <= bar else _DOUBT
    why = _why(size, bar, claim_bar)
    if SAFETY * bar <= known_to * size:
        if within <= size / 2:
            return judged._replace(verdict=Verdict.INACCURATE, note=why)
        if claim_bar <= UNIT:
            # No digit of the claim is known; it is lost beside numbers of about 1, of which one rounding is more.
            return judged._replace(verdict=Verdict.SATURATED, note="too small for the backward to feel")
    # Where no one knows which of the two is right, a slope is known no better than it agrees with the claim.
    away = abs(judged.claimed - judged.estimate)
    return judged._replace(verdict=Verdict.UNRESOLVED, bar=max(bar, away), note=why)


def _why(size: float, bar: float, claim_bar: float) -> str:
    """Why a claim that agrees is not verified."""
    if claim_bar > bar:
        return f"cancellation in the backward: the claim is known to {_whole_digits(claim_bar, size)} digits here"
    return f"cancellation: the derivative can be seen to {_whole_digits(bar, size)} digits here"


def _whole_digits(bar: float, size: float) -> int:
    return max(0, int(-np.log10(bar / size))) if bar < size else 0


def _digits(within: float, size: float) -> float | None:
    return float(-np.log10(within / size)) if size and within else None

"""The verdict of one derivative: what is claimed beside what differences and complex step say."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np

from ..arrays import Array
from ..slopes import complex_step
from ..slopes.all_ways import Line, Slopes, from_far_off, sampled, slopes, upper_slopes
from ..slopes.differences import SAFETY
from ..slopes.jumps_nearby import jump_nearby, with_jumps
from ..slopes.remembered import remembered
from ..slopes.staircase import slanting
from ..slopes.steps import ladder
from .verdict import Judged, Verdict
from .verdict_table import INACCURATE, SAID, may_pass, verdict_of

Near = Callable[[Array], Array]
Rounding = Callable[[Array], Array]

# How neighbours stand that are asked for their claims: close, further off, all over the step.
_CLOSE, _BESIDE, _WIDE = range(3)
# What rounding of a claim may be the reason of, and of that what is asked of neighbours further off, and widely.
_ROUNDED = frozenset({Verdict.WRONG, Verdict.INACCURATE, Verdict.SATURATED})
_REASONS = {_CLOSE: _ROUNDED, _BESIDE: _ROUNDED - {Verdict.INACCURATE}, _WIDE: frozenset({Verdict.WRONG})}
# What a graph shows of rounding is a bound, and no estimate: it needs so much less of the safety that estimates need.
BOUND = 0.25
# Bars above these, of the size of a slope, are made smaller where that can be done: where the claim is off by more than
# the first, and of any claim.
_WELL, _VAGUE = 2.0**-47, 2.0**-40
# A claim is plainly wrong that is off by more than this, of its size, and by so many bars.
_PLAINLY, _FAR = 1e-3, 2.0**16
# The parts of a step over which neighbours stand; a derivative is seen to be smooth there when it strays so little.
_PARTS = 1.0, 2.0**-3, 2.0**-6
_RESOLVED = 1e-3
# The part where there is nothing to compare with.
_NARROW = 2.0**-3

# So many digits are enough where more are dear.
_ENOUGH = 6.0
# What jumps nearby may be the reason of: claims that are off by no more than this; and of how many they are looked for.
_SLIGHTLY, _MOST = 0.1, 8
# What a solver leaves over hides no more than this of a slope that is said to be known.
_ROUGHLY = 0.2

__all__ = ["BOUND", "INACCURATE", "Line", "Near", "Slopes", "judge", "slopes"]


def judge(
    line: Line,
    claim: Array,
    near: Near | None = None,
    rounding: Rounding | None = None,
    *,
    complex_step: bool = True,
    only: Array | None = None,
    jumps_on: Sequence[Line] | None = None,
    plainly: bool = False,
    is_dear: bool = False,
    chooses: bool = False,
    largest: Callable[[], Array] | None = None,
    inexact: bool = False,
) -> list[Judged]:
    """Judge the claimed derivative of each output along a line.

    ``near``: the claims at neighbouring points, and ``rounding``: how far rounding may have moved the claims of some
    outputs, each asked for only when the claim's own rounding may decide. ``only``: the outputs that are judged (flat
    indices); ``claim`` has one number for each of all outputs. ``jumps_on``: the lines on which jumps are looked
    for, instead of this one. ``plainly``: where a claim is wrong in any case, it is of no matter how far. ``is_dear``:
    each point of the line takes long. ``chooses``: what is computed is known to choose by its numbers. ``largest``:
    gives the size of the largest claim for each output with respect to any entry of what is moved. ``inexact``: that is
    known of claims like these, and ``near`` is not asked whether rounding is why.
    """
    chosen = np.arange(line.size) if only is None else np.asarray(only, np.intp)
    claims = np.asarray(claim, np.float64).reshape(-1)
    line = remembered(line) if is_dear else line
    told = _by_upper(line, claims, chosen) if is_dear else None
    found = slopes(line, complex_step=complex_step, only=chosen) if told is None else told
    # What chooses by its numbers is no one function all around in the complex plane: where dear, it is not asked there.
    if complex_step and told is None and not (is_dear and chooses):
        doubtful = [i for i, at in enumerate(chosen) if _may_be_better_known(found[i], float(claims[at]), plainly)]
        if doubtful:
            from_far_off(found, line, chosen, doubtful)
    if chooses:
        found = [_across_pieces(found[i], float(claims[at]), line.scale) for i, at in enumerate(chosen)]
    judged = [verdict_of(found[i], float(claims[at]), line.scale, 0.0) for i, at in enumerate(chosen)]
    if rounding is not None:
        _with_own_rounding(judged, found, line, rounding, chosen)
    if near is not None:
        _with_claims_near(judged, found, line, near, chosen, {Verdict.INACCURATE} if inexact else set())
    _with_jumps(judged, found, line, chosen, [line] if jumps_on is None else jumps_on, is_dear, largest)
    if chooses:
        _beside_stairs(judged, found, line, chosen)
    _beside_broken_outputs(judged, line)
    return judged


def _by_upper(line: Line, claims: Array, chosen: Array) -> list[Slopes] | None:
    """The slopes by the largest steps, where these leave no doubt that each claim is right, to enough digits, or far
    off; else None."""
    found = upper_slopes(line, chosen)
    pairs = [] if found is None else zip(found, claims[chosen].tolist(), strict=True)
    return found if all(_is_decided(one, claim, line.scale) for one, claim in pairs) else None


def _is_decided(found: Slopes, claim: float, scale: float) -> bool:
    judged = verdict_of(found, claim, scale, 0.0)
    if judged.verdict is Verdict.WRONG:
        # What is no number is wrong beside any slope.
        return np.isnan(claim) or _is_far_off(found, claim)
    return _is_well_known(judged)


def _across_pieces(found: Slopes, claim: float, scale: float) -> Slopes:
    """With the slope by differences alone where they say what is claimed, and complex step follows one of many pieces.

    So it is of a bisection: each piece is a rounding wide, and has no slope of the whole. And what is claimed is wrong
    that is neither what differences say nor what complex step does.
    """
    if not found.conflict or found.witness is None:
        return found
    alone = found._replace(conflict=False, witness=None, spread=np.inf)
    is_wrong = _is_far_off(alone, claim) and _is_far_off(found._replace(value=found.witness), claim)
    return alone if is_wrong or _is_well_known(verdict_of(alone, claim, scale, 0.0)) else found


def _is_well_known(judged: Judged) -> bool:
    return judged.verdict is Verdict.PASS and (judged.digits or 0.0) >= _ENOUGH


def _is_far_off(found: Slopes, claim: float) -> bool:
    """Tell whether a claim is wrong however well the slope is known."""
    size = max(abs(found.value), abs(claim))
    return abs(claim - found.value) > max(_PLAINLY * size, _FAR * found.bar)


def _beside_broken_outputs(judged: list[Judged], line: Line) -> None:
    """No verdict on claims of nan where some output is not finite: the backward multiplies its slope by 0."""
    asked = [i for i, one in enumerate(judged) if one.verdict is Verdict.WRONG and np.isnan(one.claimed)]
    if asked and not np.isfinite(line.values(np.zeros(1))[1]).all():
        for i in asked:
            note = "another output is not finite here, and its slope times 0 is no number"
            judged[i] = judged[i]._replace(verdict=Verdict.DOMAIN, note=note)


def _with_jumps(
    judged: list[Judged],
    found: list[Slopes],
    line: Line,
    chosen: Array,
    jumps_on: Sequence[Line],
    is_dear: bool,
    largest: Callable[[], Array] | None,
) -> None:
    """The verdicts on claims that are slightly off, again where small jumps around show that a solver stops early."""
    wrong = [i for i, one in enumerate(judged) if one.verdict is Verdict.WRONG and found[i].smooth]
    asked = [i for i in wrong if judged[i].off <= _SLIGHTLY]
    for i in asked[:_MOST]:
        output = int(chosen[i])
        noise = float(line.noise[output])
        height = next(filter(None, (jump_nearby(other, output, noise, is_dear=is_dear) for other in jumps_on)), 0.0)
        if height:
            samples = sampled(line, ladder(line.scale)).only(chosen[i : i + 1])
            value, bar = with_jumps(samples, height)
            again = verdict_of(found[i]._replace(value=value, bar=bar, stair=None), judged[i].claimed, line.scale, 0.0)
            if again.verdict in (Verdict.PASS, Verdict.INACCURATE, Verdict.UNRESOLVED):
                # A solver leaves as much over of each slope: of a small one beside a large one that is more.
                beside = 0.0 if largest is None else float(largest()[output])
                enough = max(SAID * abs(value), min(_ROUGHLY * abs(value), SAID * beside))
                known = again.verdict is not Verdict.UNRESOLVED or SAFETY * bar <= enough
                note = f"the output has jumps of {height:.1g} nearby, as of a solver that stops early"
                judged[i] = again._replace(verdict=Verdict.INACCURATE if known else Verdict.UNRESOLVED, note=note)


def _beside_stairs(judged: list[Judged], found: list[Slopes], line: Line, chosen: Array) -> None:
    """The verdicts on claims that are far off, again where they are the slope of a staircase whose stairs slant.

    So it is of a bisection that ends early, beside what goes on without it: complex step and fine differences see one
    stair only.
    """
    wrong = [i for i, one in enumerate(judged) if one.verdict is Verdict.WRONG and found[i].smooth]
    for i in [i for i in wrong if not np.isnan(judged[i].claimed)][:_MOST]:
        samples = sampled(line, ladder(line.scale)).only(chosen[i : i + 1])
        stair = slanting(samples, found[i].value)
        if stair is None:
            continue
        whole = found[i]._replace(value=stair.value, bar=stair.bar, stair=None, conflict=False)
        again = verdict_of(whole, judged[i].claimed, line.scale, 0.0)
        if again.verdict in (Verdict.PASS, Verdict.INACCURATE, Verdict.UNRESOLVED, Verdict.WRONG):
            note = f"the output has jumps of {stair.height:.1g} nearby, as of a solver that stops early"
            verdict = Verdict.WRONG if again.verdict is Verdict.WRONG else Verdict.INACCURATE
            judged[i] = again._replace(verdict=verdict, note=note)


def _may_be_better_known(found: Slopes, claim: float, plainly: bool) -> bool:
    """Tell whether a smooth slope has a bar that hides much, or one that may hide why a claim is off."""
    size = abs(found.value)
    if not found.smooth or found.stair is not None or found.conflict or found.real_only or max(abs(claim), size) == 0:
        return False
    if plainly and _is_far_off(found, claim):
        return False
    apart = abs(claim - found.value) > _WELL * size
    return (_WELL if apart else _VAGUE) * size < found.bar < np.inf


def _with_own_rounding(
    judged: list[Judged], found: list[Slopes], line: Line, rounding: Rounding, chosen: Array
) -> None:
    """The verdicts that are not good, again with the rounding of the claim as its graph shows it."""
    asked = [i for i, one in enumerate(judged) if _may_be_rounding(one, found[i])]
    if asked:
        bars = rounding(chosen[asked])
        for i in asked:
            _again(judged, i, found[i], line, BOUND * float(bars[chosen[i]]))


def _again(judged: list[Judged], i: int, found: Slopes, line: Line, bar: float) -> None:
    """A verdict with the rounding of the claim, where that explains more."""
    again = verdict_of(found, judged[i].claimed, line.scale, bar)
    if again.verdict is Verdict.PASS or judged[i].verdict is Verdict.WRONG is not again.verdict:
        judged[i] = again


def _with_claims_near(
    judged: list[Judged], found: list[Slopes], line: Line, near: Near, chosen: Array, settled: Set[Verdict]
) -> None:
    """The verdicts that are not good, again with the rounding of the claim.

    Close neighbours show what a formula in double precision loses; only where that is more than an inaccuracy, ones
    further off are asked, too: beside an intermediate result that hardly moves, as 1 - tanh(x)**2 has it.
    """
    for width, of_width in _REASONS.items():
        reasons = of_width - settled
        asked = [i for i, one in enumerate(judged) if _may_be_rounding(one, found[i]) and one.verdict in reasons]
        if not asked:
            return
        step = min(found[i].step or line.scale or 1.0 for i in asked)
        if width == _WIDE:
            bars = _scatter(line, near, step, chosen[asked])
        else:
            close = width == _CLOSE
            places = (complex_step.close_offsets if close else complex_step.offsets)(line.scale, step)
            bars = complex_step.claim_bar(near if close else _apart(line, near, step), places)
        for i in asked:
            _again(judged, i, found[i], line, float(bars[chosen[i]]))


def _apart(line: Line, near: Near, step: float) -> Near:
    """The distance of the claims at neighbouring points from complex step: what is smooth is in both."""

    def apart(places: Array) -> Array:
        claims = np.asarray(near(places), np.float64)
        seen = line.imag(complex_step.height(line.scale, step), places)
        return claims if seen is None else claims - np.where(np.isfinite(seen), seen, 0.0)

    return apart


def _scatter(line: Line, near: Near, step: float, asked: Array) -> Array:
    """The rounding of some claims, from points far apart: beside complex step, where that is seen to be smooth."""
    h = complex_step.height(line.scale, step)
    bars = np.zeros(line.size)
    for part in _PARTS:
        wide = complex_step.wide_offsets(line.scale, step * part)
        seen = line.imag(h, wide)
        if seen is None:
            break
        smooth = complex_step.scatter(seen[:, asked]) <= _RESOLVED * np.max(np.abs(seen[:, asked]), 0)
        if smooth.any():
            bars[asked[smooth]] = complex_step.scatter(np.asarray(near(wide), np.float64) - seen)[asked[smooth]]
            asked = asked[~smooth]
        if not len(asked):
            return bars
    wide = complex_step.wide_offsets(line.scale, step * _NARROW)
    bars[asked] = complex_step.scatter(np.asarray(near(wide), np.float64))[asked]
    return bars


def _may_be_rounding(judged: Judged, found: Slopes) -> bool:
    """Tell whether rounding of the claim may change a verdict on it."""
    if not found.smooth or judged.verdict not in _ROUNDED or not np.isfinite(judged.claimed):
        return False
    return judged.verdict is Verdict.WRONG or may_pass(judged, found)

"""A first look along a direction: claims that are right beyond doubt need no second one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from ..slopes.complex_step import Witness, witnesses
from ..slopes.differences import SAFETY
from ..slopes.many_at_once import (
    apart,
    close_by,
    explicable,
    feels_nothing,
    lost_alike,
    no_closer,
    of_nothing,
    plainly_wrong,
    quick_heights,
    quick_steps,
    settled,
    slightly_off,
    smooth_over,
    unfelt_beside,
    vanishing,
    witnessed,
)
from .verdict import Judged, Verdict

# How much smaller the steps are nearer by: of a large net some kink is always near.
NEARER = 2.0**-10
_NEARER = (1.0, NEARER, 2.0**-15, 2.0**-20)


class Readable(Protocol):
    """Outputs as functions of one number."""

    scale: float

    @property
    def noise(self) -> Array:
        """The rounding noise of the outputs at the point (m,)."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h at every offset s (k, m)."""

    def imag_noise(self, h: float) -> Array:
        """Bound how far rounding may move Im f(x + i h) / h (m,), as far as that is known from how it is computed."""


class Lines(Protocol):
    """Several lines, with the same outputs each."""

    # The size of what is moved on each (E,), the rounding noise of the outputs (m,), and these at the point.
    at: Array
    noise: Array
    centre: Array

    def imag(self, some: Array, heights: Array, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h of some lines (E, k, m), with heights (E,) and offsets (E, k)."""

    def moved(self, some: Array, part: float) -> tuple[Array, Array]:
        """Quick steps on some lines that are smaller by a part (E, k), and the outputs there (E, k, m)."""

    def roundings(self, rows: Array) -> Iterator[tuple[int, Array]]:
        """Bound how far rounding may have moved the claims for each of some outputs (E,)."""

    def imag_noise(self, some: Array) -> Array:
        """Bound how far rounding may move complex step of some lines (E, m), as far as the graph shows it."""


class Told(NamedTuple):
    """Complex step beside claims (E, m): itself, which are right by it, and their digits; which are those of
    nothing where there is nothing, which are as good as that, and what rounding may make of nothing; which are slightly
    off by it, more than any rounding that shows in their graph explains, and what rounding that is."""

    seen: Witness
    good: Array
    digits: Array
    nothing: Array
    vanishes: Array
    rounding: Array
    slightly_off: Array
    claim_bars: Array


def by_complex_step(
    lines: Lines, claims: Array, wanted: Array, steps: Array, values: Array, digits: float
) -> Told | None:
    """Judge the claims (E, m) that are wanted by complex step and its bars: to so many digits.

    ``steps`` and ``values``: the quick ones. A gradient may be so small that differences show their noise alone.
    """
    from .one_derivative import BOUND

    every = np.arange(len(claims))
    centre = np.broadcast_to(lines.centre, claims.shape)

    def is_unfelt(seen: Witness) -> Array:
        return unfelt_beside(seen, claims, lines.at, of_nothing(lines.noise, centre))

    def rounding(seen: Witness) -> Array:
        """The rounding of the claims, as far as their graph shows it, where nothing else may explain how far they are
        off."""
        bars = np.zeros(claims.shape)
        off = wanted & apart(seen, claims, 0.0) & explicable(seen, claims)
        for r, bounds in lines.roundings(np.flatnonzero(off.any(0))) if off.any() else ():
            bars[:, r] = BOUND * bounds
        return bars

    seen = witnesses(
        lines.imag, lines.at, smooth_over(lines.at), wanted,
        # A narrower bar beside that of the claim itself tells nothing.
        lambda seen: no_closer(seen, claims) | (seen.bar <= rounding(seen)), is_unfelt,
        lambda seen: close_by(seen, claims, lines.at, lines.noise),
    )  # fmt: skip
    if seen is None:
        return None
    steps, values = steps.copy(), values.copy()
    bars = np.zeros(claims.shape)
    good, told = np.zeros(claims.shape, np.bool_), np.full(claims.shape, np.nan)

    def look() -> None:
        again, known = witnessed(steps, values, lines.noise, seen, claims, bars)
        again &= wanted & ~good & (known >= digits)
        told[again] = known[again]
        good[again] = True

    look()
    bars = rounding(seen)
    if bars.any():
        look()
    some = every[(wanted & ~good & ~apart(seen, claims, bars)).any(1)]
    if len(some):
        # Of many ops some have a kink nearby.
        steps[some], values[some] = lines.moved(some, NEARER)
        look()
    nothing, unfelt, off = np.zeros((3, *claims.shape), np.bool_)
    if (wanted & ~good).any():
        off = wanted & slightly_off(steps, values, lines.noise, seen, claims, bars)
        nothing, unfelt = vanishing(steps, values, lines.noise, seen, claims, lines.at, centre)
        unknown = wanted & ~(good | nothing | unfelt) & feels_nothing(seen, claims, lines.at, lines.noise, centre)
        some = every[unknown.any(1)]
        if len(some):
            # What cancels on the way is lost at all neighbours alike, and shows in the graph alone.
            shared = BOUND * lines.imag_noise(some)
            seen.bar[some] = np.where(unknown[some], np.maximum(seen.bar[some], shared), seen.bar[some])
            nothing, unfelt = vanishing(steps, values, lines.noise, seen, claims, lines.at, centre)
    # What rounds on the way to both shows in no neighbour of complex step, but in how far it is from the claim.
    alike = lost_alike(steps, values, lines.noise, lines.at)
    shared = np.where(good, np.maximum(np.abs(seen.value - claims) / SAFETY, alike), 0.0)
    told_by = Witness(seen.value, np.maximum(seen.bar, shared))
    off &= ~(good | nothing | unfelt)
    return Told(told_by, good, told, nothing, nothing | unfelt, of_nothing(lines.noise, centre), off, bars)


class FirstLook:
    """Looks along directions of one program; where kinks are near, the next one begins as near by."""

    def __init__(self) -> None:
        self._from = 0

    def along(
        self, line: Readable, claims: Array, sizes: Array, wanted: float, assured: float
    ) -> list[Judged] | None:
        """The judgements of claims that all are right beyond doubt, to so many digits; None where one may not be."""
        found, self._from = _settled_along(line, claims, sizes, wanted, assured, self._from)
        return found

    def closer(
        self, line: Readable, claims: Array, centre: Array, bounds: Callable[[Array], Array], wanted: float
    ) -> list[Judged] | None:
        """The same of claims so small that differences know little of them; ``centre``: the outputs at the point.

        ``bounds``: how far rounding may have moved the claims for some outputs. Of claims that are plainly wrong, as if
        nothing rounded them, those alone.
        """
        lines = _OneLine(line, centre, bounds)
        every = np.ones((1, len(claims)), np.bool_)
        steps, values = lines.moved(np.zeros(1, np.intp), _NEARER[self._from])
        plain, *beside = plainly_wrong(steps, values, lines.noise, claims[None])
        if plain.any():
            numbers = (a[plain].tolist() for a in (claims[None], *beside))
            return [Judged(Verdict.WRONG, *each) for each in zip(*numbers, strict=True)]
        told = by_complex_step(lines, claims[None], every, steps, values, wanted)
        if told is None or not (told.good | told.vanishes).all():
            return None
        from .verdict_table import vanishing_at

        made = []
        for i, (claim, value, bar) in enumerate(zip(claims.tolist(), *(a[0].tolist() for a in told.seen), strict=True)):
            if told.good[0, i]:
                made.append(passed(True, float(told.digits[0, i]), claim, value, bar))
            elif told.nothing[0, i] or max(abs(claim), abs(value)) * max(line.scale, 1.0) <= told.rounding[0, i]:
                made.append(vanishing_at(bool(told.nothing[0, i]), claim, value, bar))
            else:
                # It is no gradient of nothing that is so little off.
                return None
        return made


class _OneLine:
    """One line as several are asked."""

    def __init__(self, line: Readable, centre: Array, bounds: Callable[[Array], Array]) -> None:
        self._line = line
        self._bounds = bounds
        self.at = np.array([line.scale])
        self.noise = line.noise
        self.centre = centre

    def imag(self, some: Array, heights: Array, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h."""
        found = self._line.imag(float(heights[0]), offsets[0])
        return None if found is None else found[None]

    def moved(self, some: Array, part: float) -> tuple[Array, Array]:
        """Quick steps that are smaller by a part, and the outputs there."""
        steps, values = self._line.values(quick_steps(self.at)[0] * part)
        return steps[None], values[None]

    def roundings(self, rows: Array) -> Iterator[tuple[int, Array]]:
        """Bound how far rounding may have moved the claim for each of some outputs."""
        found = self._bounds(rows)
        return ((r, found[r]) for r in rows.tolist())

    def imag_noise(self, some: Array) -> Array:
        """Bound how far rounding may move complex step."""
        return self._line.imag_noise(float(quick_heights(self.at)[0]))[None]


def settled_along(line: Readable, claims: Array, wanted: float, assured: float) -> list[Judged] | None:
    """The judgements of claims that all are right beyond doubt, to so many digits; None where one may not be."""
    return _settled_along(line, claims, np.abs(claims), wanted, assured, 0, quietly=True)[0]


def told_along(line: Readable, claim: float, assured: float) -> Judged | None:
    """The judgement of a claim that differences leave no doubt of: it is right so far, or plainly wrong."""
    steps, values = line.values(quick_steps(np.array([line.scale]))[0])
    seen, claims = (steps[None], values[None], line.noise), np.array([[claim]])
    sure, digits, estimate, bar = (a.item() for a in settled(*seen, None, claims, assured))
    if sure:
        return passed(False, digits, claim, estimate, bar)
    plain, estimate, bar = (a.item() for a in plainly_wrong(*seen, claims))
    return Judged(Verdict.WRONG, claim, estimate, bar) if plain else None


def _settled_along(
    line: Readable, claims: Array, sizes: Array, wanted: float, assured: float, first: int, quietly: bool = False
) -> tuple[list[Judged] | None, int]:
    """The judgements, and which steps told them; without any, which to begin with.

    ``quietly``: what is right as if nothing rounded the outputs is right, and how many digits of it are is no matter.
    """
    scale = np.array([line.scale])
    imag = line.imag(float(quick_heights(scale)[0]), np.zeros(1))
    seen = None if imag is None else imag[None]
    for number, nearer in enumerate(_NEARER if seen is not None else _NEARER[:2]):
        if number < first:
            continue
        steps, values = line.values(quick_steps(scale)[0] * nearer)
        for without in (True, False) if quietly and seen is not None else (False,):
            # To find the noise takes longer than all else.
            noise = np.zeros(len(claims)) if without else line.noise
            sure, *told = settled(
                steps[None], values[None], noise, seen, claims[None], assured, at=scale, sizes=sizes[None]
            )
            if (sure & (told[0] >= wanted)).all():
                digits, estimates, bars = (a[0].tolist() for a in told)
                each = zip(digits, claims.tolist(), estimates, bars, strict=True)
                return [passed(imag is not None, *numbers) for numbers in each], number
    return None, first


def passed(by_complex_step: bool, digits: float, claimed: float, estimate: float, bar: float) -> Judged:
    """The judgement of a claim that is right beyond doubt."""
    if digits == math.inf:
        return Judged(Verdict.PASS_ZERO, claimed, estimate, bar)
    witness = estimate if by_complex_step else None
    return Judged(Verdict.PASS, claimed, estimate, bar, witness=witness, digits=digits)

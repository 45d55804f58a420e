"""The kind of mistake in a wrong gradient, in a sentence: what it is instead of the true one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..arrays import Array

# As in the verdicts: how many bars lie within what is called equal, and what rounding is allowed besides.
_BARS = 8.0
_ROUNDING = 64 * 2.0**-53
# A fraction with a larger denominator is told as a decimal.
_DENOMINATOR = 12
# A factor that differs from 1 by less is told as that difference.
_SLIGHT = 1e-2
# A gradient is 0 beside a claim that is so many times as large.
_NOTHING = 1e-9
# Half a unit in the last place of single precision, and as much again.
_SINGLE = 2.0**-23
_CONSTANTS = {
    "pi": np.pi, "1/pi": 1 / np.pi, "2 pi": 2 * np.pi, "1/(2 pi)": 0.5 / np.pi, "e": np.e, "1/e": 1 / np.e,
    "ln 2": np.log(2), "1/ln 2": 1 / np.log(2), "ln 10": np.log(10), "1/ln 10": 1 / np.log(10),
    "the root of 2": 2**0.5, "1 over the root of 2": 0.5**0.5, "the root of 2 over pi": (2 / np.pi) ** 0.5,
    "the root of pi": np.pi**0.5, "2 over the root of pi": 2 / np.pi**0.5,
}  # fmt: skip
# Of how many axes, and of how many entries, rearrangements are looked for.
_AXES, _ENTRIES = 4, 4096


class Context(NamedTuple):
    """All else that is known where a gradient is wrong."""

    # What the argument is called, and its numbers.
    name: str = "x"
    at: Array | None = None
    # The true gradients with respect to other arguments, by name.
    others: Mapping[str, Array] = {}
    # The true gradient before it was summed over the axes along which the argument was broadcast.
    spread: Array | None = None
    # What arrived at the op from behind.
    arriving: Array | None = None
    # Sizes that a factor may be, with what they count.
    sizes: Mapping[int, str] = {}


class _Case(NamedTuple):
    """A claimed gradient beside the true one."""

    claimed: Array
    truth: Array
    bars: Array
    context: Context

    def fits(self, candidate: Array, bars: Array, where: Array | None = None) -> bool:
        """Tell whether the claim is this."""
        equal = _equal(self.claimed, candidate, bars)
        return bool(equal.all() if where is None else equal[where].all())


def signature(claimed: Array, truth: Array, bars: Array, context: Context | None = None) -> str | None:
    """Say what a wrong gradient is, as far as that can be said; ``bars``: how far each entry's truth is sure.

    Entries whose truth is not known are no numbers there, and are left out.
    """
    context = Context() if context is None else context
    claimed, truth, bars = (np.asarray(x, np.float64) for x in (claimed, truth, bars))
    if claimed.shape != truth.shape or not truth.size:
        return None
    known = np.isfinite(truth) & np.isfinite(bars)
    if not known.all():
        # Only what looks at each entry alone can be said.
        if not known.any():
            return None
        at = None if context.at is None else np.asarray(context.at)[known]
        context = Context(context.name, at, sizes=context.sizes)
        claimed, truth, bars = claimed[known], truth[known], bars[known]
        case = _Case(claimed, truth, bars, context)
        return None if case.fits(truth, bars) else next(_entrywise(case), None)
    case = _Case(claimed, truth, bars, context)
    return None if case.fits(truth, bars) else next(_sentences(case), None)


def _sentences(case: _Case) -> Iterator[str]:
    """The sentences that fit, those that say most first."""
    yield from _surrogate(case)
    yield from _multiple(case)
    yield from _other(case)
    yield from _rearranged(case)
    yield from _unreduced(case)
    yield from _entrywise(case, multiples=False)
    yield from _related(case)
    yield from _rounded(case)


def _entrywise(case: _Case, multiples: bool = True) -> Iterator[str]:
    if multiples:
        yield from _multiple(case)
    yield from _gates(case)
    yield from _masked(case)
    yield from _factor(case)
    yield from _sign_lost(case)


def _equal(a: Array, b: Array, bars: Array) -> Array:
    """Where two arrays are equal to within the bars."""
    size = np.maximum(np.abs(a), np.abs(b))
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= _BARS * bars + _ROUNDING * size
    return np.asarray(near | (a == b))


def _surrogate(case: _Case) -> Iterator[str]:
    """Of a step no entry has a slope: what is claimed of several is meant to stand in for it."""
    claimed = np.abs(case.claimed[np.isfinite(case.claimed)])
    if claimed.size > 1 and (np.abs(case.truth) + case.bars <= _NOTHING * claimed.max()).all():
        yield "the forward is flat here, as a step is, and its gradient 0: claimed is another (a surrogate?)"


# -- multiples ---------------------------------------------------------------------------------


def _multiple(case: _Case) -> Iterator[str]:
    if not case.claimed.any():
        yield "claimed = 0"
        return
    ratio = _ratio(case.claimed, case.truth, case.bars)
    if ratio is None:
        return
    told = _told(ratio, case)
    # A single number is some multiple of any other: only what is no accident is said.
    if told is not None:
        yield f"claimed = {told} the true gradient"
    elif abs(ratio.factor - 1) < _SLIGHT:
        much = "large" if ratio.factor > 1 else "small"
        yield f"claimed = the true gradient, {abs(ratio.factor - 1):.2g} of it too {much}"
    elif _informative(case) > 1:
        yield f"claimed = {ratio.factor:.4g} times the true gradient"


def _informative(case: _Case) -> int:
    return int((np.abs(case.truth) > _BARS * case.bars).sum())


class _Ratio(NamedTuple):
    """A factor, and how far it is sure."""

    factor: float
    width: float


def _ratio(claimed: Array, truth: Array, bars: Array) -> _Ratio | None:
    """The factor by which one array is the other."""
    best = int(np.argmax(np.abs(truth) - 2 * _BARS * bars))
    if not abs(truth.flat[best]) > _BARS * bars.flat[best] or not np.isfinite(claimed).all():
        return None
    factor = float(claimed.flat[best] / truth.flat[best])
    width = abs(factor) * float(bars.flat[best] / abs(truth.flat[best]))
    if not _equal(claimed, factor * truth, abs(factor) * bars + width * np.abs(truth)).all():
        return None
    return _Ratio(factor, _BARS * width + _ROUNDING * abs(factor))


def _told(ratio: _Ratio, case: _Case) -> str | None:
    """A factor in words."""
    from fractions import Fraction

    factor, width = ratio

    def near(x: float) -> bool:
        return abs(factor - x) <= width

    if near(-1):
        return "minus"
    simple = Fraction(factor).limit_denominator(_DENOMINATOR)
    for size, counted in case.context.sizes.items():
        if size > 2 and (near(size) or near(1 / size)):
            return f"{size} times (its {counted})" if near(size) else f"1/{size} (its {counted}) of"
    if near(float(simple)) and simple.numerator:
        if simple.denominator == 1:
            return f"{simple} times" if abs(simple) <= 1000 else None
        return f"{simple} of" if abs(simple.numerator) <= _DENOMINATOR else f"{simple} times"
    for name, value in _CONSTANTS.items():
        if near(value) or near(-value):
            return f"{'minus ' if factor < 0 else ''}{name} times"
    return None


# -- another gradient --------------------------------------------------------------------------


def _other(case: _Case) -> Iterator[str]:
    arriving = case.context.arriving
    for name, gradient in case.context.others.items():
        if gradient.shape != case.claimed.shape or not gradient.any():
            continue
        bars = np.abs(gradient) * _relative(case)
        if case.fits(gradient, bars):
            yield f"claimed = the gradient with respect to {name}"
        elif case.fits(-gradient, bars):
            yield f"claimed = minus the gradient with respect to {name}"
    if arriving is not None and arriving.shape == case.claimed.shape and case.claimed.any():
        if _equal(case.claimed * arriving, case.truth, case.bars).all():
            yield "the gradient that arrives is left out: claimed is the derivative alone"
        elif case.fits(arriving, np.zeros_like(arriving)):
            yield "claimed = the gradient that arrives, handed on as it is"


def _relative(case: _Case) -> float:
    """The largest doubt in the truth, of what it is."""
    size = np.abs(case.truth)
    sure = size > 0
    return float(np.max(case.bars[sure] / size[sure])) if sure.any() else 0.0


# -- in another order --------------------------------------------------------------------------


def _rearranged(case: _Case) -> Iterator[str]:
    truth, bars = case.truth, case.bars
    if truth.size < 2 or not truth.any():
        return
    yield from _transposed(case)
    for axis in range(min(truth.ndim, _AXES)):
        if truth.shape[axis] < 2:
            continue
        along = _along(axis, truth.ndim)
        for step in (1, -1):
            moved, width = np.roll(truth, step, axis), np.roll(bars, step, axis)
            inner = np.ones(truth.shape, bool)
            inner[(slice(None),) * axis + (0 if step == 1 else -1,)] = False
            most = truth.shape[axis] > 2 and np.ptp(truth[inner]) > 0
            if case.fits(moved, width) or (most and case.fits(moved, width, inner)):
                yield f"claimed = the true gradient, shifted by one{along}"
        if case.fits(np.flip(truth, axis), np.flip(bars, axis)):
            yield f"claimed = the true gradient in reverse order{along}"
    yield from _swapped(case)


def _along(axis: int, ndim: int) -> str:
    return f" along axis {axis}" if ndim > 1 else ""


def _transposed(case: _Case) -> Iterator[str]:
    truth, bars = case.truth, case.bars
    if truth.ndim < 2 or truth.ndim > _AXES:
        return
    for i, j in sorted(combinations(range(truth.ndim), 2), reverse=True):
        if 1 in (truth.shape[i], truth.shape[j]):
            continue
        # Of a shape that is not square, the numbers in the other order.
        turned, width = (x.swapaxes(i, j).reshape(truth.shape) for x in (truth, bars))
        if case.fits(turned, width):
            which = "" if truth.ndim == 2 else f", axes {i} and {j} swapped"
            yield f"claimed = the transposed true gradient{which}"
        elif case.fits(-turned, width):
            yield "claimed = minus the transposed true gradient"
        elif truth.shape == turned.shape and case.fits((truth + turned) / 2, (bars + width) / 2):
            yield "claimed = the mean of the true gradient and the transposed"
        elif truth.shape == turned.shape and case.fits(truth + turned, bars + width):
            yield "claimed = the true gradient and the transposed, added up"


def _swapped(case: _Case) -> Iterator[str]:
    truth, bars, claimed = case.truth, case.bars, case.claimed
    if truth.size > _ENTRIES or not np.isfinite(claimed).all():
        return
    wrong = np.argwhere(~_equal(claimed, truth, bars))
    by_truth, by_claim = np.argsort(truth, axis=None), np.argsort(claimed, axis=None)
    if not _equal(claimed.ravel()[by_claim], truth.ravel()[by_truth], bars.ravel()[by_truth]).all():
        return
    if len(wrong) == 2:
        first, second = (f"[{', '.join(map(str, index))}]" for index in wrong.tolist())
        yield f"entries {first} and {second} are swapped"
    else:
        yield "claimed = the true gradient, its entries in another order"


# -- sums --------------------------------------------------------------------------------------


def _unreduced(case: _Case) -> Iterator[str]:
    spread, claimed = case.context.spread, case.claimed
    if spread is None or spread.shape == claimed.shape or spread.ndim < claimed.ndim:
        return
    ahead = spread.ndim - claimed.ndim
    sizes = (1,) * ahead + claimed.shape
    axes = [i for i, (n, m) in enumerate(zip(sizes, spread.shape, strict=True)) if n != m]
    bars = np.abs(case.truth) * _ROUNDING + case.bars
    names = " and ".join(map(str, axes))
    for which, place in (("first", 0), ("last", -1)):
        part = spread
        for axis in axes:
            part = np.take(part, [place], axis)
        if case.fits(part.reshape(claimed.shape), bars):
            yield f"not summed over the broadcast ax{'is' if len(axes) == 1 else 'es'} {names}: only the {which} share"
            return
    for n, axis in enumerate(axes):
        # One of several sums is missing.
        rest = tuple(axes[:n] + axes[n + 1 :])
        if rest and case.fits(np.take(spread.sum(axis=rest, keepdims=True), [0], axis).reshape(claimed.shape), bars):
            yield f"not summed over the broadcast axis {axis}"
            return


def _related(case: _Case) -> Iterator[str]:
    """Offsets and running sums."""
    claimed, truth = case.claimed, case.truth
    if truth.size < 3 or not np.isfinite(claimed).all():
        return
    off = claimed - truth
    width = case.bars + _ROUNDING * np.abs(truth)
    if _equal(off, np.full_like(off, off.flat[0]), width + width.flat[0]).all():
        yield f"every entry is off by the same {off.flat[0]:.4g}"
        return
    for axis in range(min(truth.ndim, _AXES)):
        if truth.shape[axis] < 3:
            continue
        along = _along(axis, truth.ndim)
        first = np.take(off, [0], axis)
        if _equal(off, np.broadcast_to(first, off.shape), width + np.take(width, [0], axis)).all():
            yield f"entries{along} are off by the same amount: a sum over them is missing"
        sums = np.cumsum(case.bars, axis)
        if case.fits(np.cumsum(truth, axis), sums):
            yield f"claimed = the true gradient, summed up{along}"
        elif _equal(np.cumsum(claimed, axis), truth, case.bars).all():
            yield f"claimed is not summed up{along}"


def _rounded(case: _Case) -> Iterator[str]:
    """Single precision in a double precision program."""
    off = np.abs(case.claimed - case.truth)
    if (off <= _BARS * case.bars + _SINGLE * np.abs(case.truth)).all():
        yield "right to single precision only"


# -- entry by entry ----------------------------------------------------------------------------


def _sign_lost(case: _Case) -> Iterator[str]:
    if (case.truth < 0).any() and case.fits(np.abs(case.truth), case.bars):
        yield "claimed = the absolute value of the true gradient"


def _factor(case: _Case) -> Iterator[str]:
    """A power of the argument too much, or too little."""
    at = case.context.at
    if at is None or at.shape != case.truth.shape or _informative(case) < 3 or not at.all() or np.ptp(np.abs(at)) == 0:
        return
    name = case.context.name
    words = {1: f"times {name}", 2: f"times {name}²", -1: f"divided by {name}", -2: f"divided by {name}²"}
    for power, told in words.items():
        other = case.truth * at**power
        bars = case.bars * np.abs(at) ** power
        ratio = _ratio(case.claimed, other, bars)
        if ratio is not None:
            factor = _told(ratio, case) or f"{ratio.factor:.4g} times"
            factor = "" if abs(ratio.factor - 1) <= ratio.width else f"{factor} "
            yield f"claimed = {factor}the true gradient {told}"
            return


def _masked(case: _Case) -> Iterator[str]:
    wrong = ~_equal(case.claimed, case.truth, case.bars)
    if wrong.all() or not wrong.any():
        return
    where = next(_places(case, wrong), None)
    if where is None:
        return
    part = _Case(case.claimed[wrong], case.truth[wrong], case.bars[wrong], case.context)
    there = next((x.removeprefix("claimed = ") for x in _multiple(part)), None)
    yield f"right except {where}" + ("" if there is None else f": {there} there")


def _gates(case: _Case) -> Iterator[str]:
    """Zero where it should not be, and the other way round."""
    here, there = case.claimed != 0, np.abs(case.truth) > _BARS * case.bars
    if here.any() and there.any() and not (here & there).any():
        yield "claimed = 0 where the true gradient is not, and is not 0 where that is"


def _places(case: _Case, wrong: Array) -> Iterator[str]:
    """Where the wrong entries are: by the numbers of the argument, or by their index."""
    at, name = case.context.at, case.context.name
    if at is not None and at.shape == wrong.shape and np.isfinite(at).all():
        for told, mask in _by_sign(at):
            if (mask == wrong).all():
                yield f"where {name} {told} 0"
        yield from _by_size(at, wrong, name)
    if wrong.ndim >= 2 and wrong.shape[-1] == wrong.shape[-2]:
        rows, columns = np.indices(wrong.shape)[-2:]
        masks = {"on": rows == columns, "off": rows != columns, "above": rows < columns, "below": rows > columns}
        for told, mask in masks.items():
            if (mask == wrong).all():
                yield f"{told} the diagonal"
    for axis in range(min(wrong.ndim, _AXES)):
        hit = np.flatnonzero(wrong.any(axis=tuple(i for i in range(wrong.ndim) if i != axis)))
        if len(hit) == 1 and wrong.shape[axis] > 2 and np.take(wrong, hit[0], axis).all():
            yield f"at index {hit[0]}{_along(axis, wrong.ndim)}"
    yield from _by_index(wrong)


def _by_index(wrong: Array) -> Iterator[str]:
    """One wrong entry among many."""
    if wrong.sum() == 1 and wrong.size > 2:
        yield f"at [{', '.join(map(str, np.argwhere(wrong)[0].tolist()))}]"


def _by_sign(at: Array) -> Sequence[tuple[str, Array]]:
    return ((">", at > 0), ("<", at < 0), ("=", at == 0), (">=", at >= 0), ("<=", at <= 0), ("is not", at != 0))


def _by_size(at: Array, wrong: Array, name: str) -> Iterator[str]:
    """Where a threshold divides the wrong entries from the right ones."""
    if min(wrong.sum(), (~wrong).sum()) < 2:
        return
    for told, x in ((name, at), (f"|{name}|", np.abs(at))):
        if x[wrong].min() > x[~wrong].max():
            yield f"where {told} >= {x[wrong].min():.4g}"
        elif x[wrong].max() < x[~wrong].min():
            yield f"where {told} <= {x[wrong].max():.4g}"

"""Each op alone: is what its backward passes on the derivative of its forward?"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.dtypes import limits_of
from ...engine.function import FunctionNode
from ...engine.graph import MultiNode, node_of
from ...engine.tape.tape import Operand, entry_of
from .. import budget
from ..arrays import Array
from ..claims.op_alone import Alone, Refused
from ..judging.findings import Entry
from ..judging.first_look import settled_along, told_along
from ..judging.one_derivative import judge, slopes
from ..judging.rows import unit
from ..judging.special_points.joint_kinks import judge_joint
from ..judging.verdict import BLAMED, GRAVITY, TOLERATED, Judged, Verdict
from ..judging.whole_gradient import whole_gradient
from ..replay.line import moved_entries
from ..replay.plan import Unreplayable
from ..slopes.magnitude import rms
from ..slopes.many_at_once import QUICK_STEPS, plainly_wrong, quick_steps
from .kind_of_mistake import Context, signature

_KINKED = frozenset({Verdict.KINK_OK, Verdict.KINK_WRONG})

# An argument with so many entries is looked at entry by entry, a larger one along directions, halved until found.
ENTRIES = 64
# Of more entries than those, but not more than these, the worst few of what is plainly wrong are judged.
_MANY, _WORST = 4096, 8
# What is off by more than so many bars may be wrong, though it is not plainly so.
_APART = 16.0
# So many entries, times the numbers of the outputs, are moved in one go.
_AT_ONCE = 2**19
# Fewer digits than these along a direction settle nothing.
_DIGITS = 8.0
# Nor fewer than these along one of several arguments together, which all have at least so large a share of the slope.
_DIGITS_TOGETHER, _SHARE = 10.0, 0.02
# After this part of the time, entries are not looked at one by one where the direction through all is not wrong.
_PART = 0.4
# So many of an op's outputs are asked one by one whether an argument at a kink is wrong.
_UNITS = 64
# What is computed in single precision is wrong only when it is wrong by more.
_SINGLE = 1e-3
# What is saturated is wrong only when it is off by more: rounding does as much.
_SLIGHT = 1e-6
_FELT = 64 * 2.0**-53
# So many of an argument's wrong entries are looked at once more.
_TRIES = 3
# Groups of equal entries, and random directions, along which a kink is looked at.
_TIES, _RANDOM = 4, 3
# And of so many entries are directions made in which several arguments move.
_JOINT_ENTRIES = 64


class Measured(NamedTuple):
    """The gradient of an argument by differences, with its bars, where these weights arrive at the outputs."""

    weights: list[Array]
    value: Array
    bars: Array


class LocalFault(NamedTuple):
    """An argument of an op whose gradient is wrong."""

    node: Any
    # What the op calls it, and its place among the node's edges.
    argument: str
    slot: int
    # The worst entry; its verdict is the fault's. The index is empty where it was seen along a direction only.
    worst: Entry
    # Where all of very many entries were measured.
    measured: Measured | None = None
    # What is known of the argument.
    look: _Look | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the worst entry."""
        return self.worst.judged.verdict

    @property
    def signature(self) -> str | None:
        """Words for how claims differ from the truth, where all entries are known: it takes long to find them."""
        return None if self.look is None else _signature(self.argument, self.look)


def check_node(
    node: Any, rng: np.random.Generator, reached: Sequence[int] | None = None, *, thorough: bool = False
) -> list[LocalFault]:
    """The arguments of one recorded op for which its backward is wrong, whatever arrives at its outputs.

    ``reached``: the outputs that gradients arrive at, by default all. ``thorough``: every entry is looked at alone,
    also where nothing is wrong along a direction. An op that cannot be evaluated again, or that refuses, has no fault.
    """
    try:
        alone = Alone(node, reached)
        return _faults(alone, rng, thorough) if alone.arguments and alone.outputs else []
    except (Unreplayable, Refused):
        return []


def by_suspicion(nodes: Iterable[Any]) -> list[Any]:
    """Nodes in forward order from the output back, the program's own functions first."""
    back = list(nodes)[::-1]
    return sorted(back, key=lambda node: not isinstance(node, FunctionNode))


def reached_outputs(nodes: Iterable[Any], roots: Iterable[Any]) -> dict[Any, list[int]]:
    """Which outputs of the ops with several are used by these nodes, or are where a backward starts."""
    found: dict[Any, set[int]] = {}
    for edge in (*roots, *(edge for node in nodes for edge in node.edges)):
        node = node_of(edge)
        if isinstance(node, MultiNode):
            found.setdefault(node, set()).add(getattr(edge, "nr", 0))
    return {node: sorted(numbers) for node, numbers in found.items()}


# -- one op ------------------------------------------------------------------------------------


def _faults(alone: Alone, rng: np.random.Generator, thorough: bool) -> list[LocalFault]:
    weights = alone.weights(rng)
    claims = alone.claims(weights)
    found = _of_weights(alone, weights, claims, rng, thorough)
    if found:
        return found
    # A backward is linear in what arrives. Powers of two are exact: what is not is caught with another sign.
    half = [-0.5 * w for w in weights]
    others = alone.claims(half)
    if any(not _same(-0.5 * a, b) for a, b in zip(claims, others, strict=True)):
        found = _of_weights(alone, half, others, rng, thorough)
    return found


def _same(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-290, equal_nan=True))


def _of_weights(
    alone: Alone, weights: list[Array], claims: list[Array], rng: np.random.Generator, thorough: bool
) -> list[LocalFault]:
    found = []
    looks = [_Look(alone, number, weights, claims[number], rng) for number in range(len(alone.arguments))]
    if len(looks) > 1 and not thorough and _are_settled(alone, looks):
        return []
    for look in looks:
        fault = look.fault(thorough)
        if fault is not None:
            found.append(fault._replace(look=look))
    return found


def _are_settled(alone: Alone, looks: Sequence[_Look]) -> bool:
    """Tell whether a first look along a direction of all arguments together leaves no doubt that all claims are right.

    Each has a share in the slope by which a mistake of its own would show.
    """
    directions = [look.dense(np.arange(look.at.size)) for look in looks]
    with np.errstate(all="ignore"):
        shares = [_Look.claimed_along(d, look.claim)[0] for d, look in zip(directions, looks, strict=True)]
    if not np.isfinite(shares).all() or min(map(abs, shares)) < _SHARE * max(map(abs, shares)):
        return False
    # What is right adds up, whatever its signs.
    line = alone.joint_line([d * np.sign(share) for d, share in zip(directions, shares, strict=True)], looks[0].weights)
    claim = np.array([np.sum(np.abs(shares))])
    return settled_along(line, claim, _DIGITS_TOGETHER, alone.plan.assured) is not None


class _Look:
    """One argument of one op, with given weights of the outputs."""

    def __init__(self, alone: Alone, number: int, weights: list[Array], claim: Array, rng: np.random.Generator) -> None:
        self.alone = alone
        self.number = number
        self.weights = weights
        self.claim = claim
        self.rng = rng
        self.at = alone.at[number]
        self.judged: dict[int, Judged] = {}
        # What differences say of all entries, and the bars, where those are very many.
        self.every: tuple[Array, Array] | None = None
        # Whether it is computed in single precision, somewhere.
        entry = entry_of(alone.node)
        assert entry is not None
        operands = [a.value.array for a in entry.operands if type(a.value) is Operand]
        kinds = [a.dtype for a in (*operands, *entry.outputs) if a is not None]
        self.coarse = any(kind.kind in "fc" and limits_of(kind).bits < 64 for kind in kinds)

    # -- the fault -----------------------------------------------------------------------------

    def fault(self, thorough: bool) -> LocalFault | None:
        """The fault of the argument's gradient; None where there is none."""
        if not self.at.size or not np.isfinite(self.at).all():
            return None
        direction = self.dense(np.arange(self.at.size))
        if not thorough and self.is_settled(direction):
            return None
        along = self.along(direction)
        nothing = along.verdict is Verdict.PASS_ZERO and along.estimate == 0 and not self.claim.any()
        settled = along.is_right and (along.digits or 0) >= _DIGITS
        if (settled or nothing) and not thorough:
            return None
        places = np.arange(self.at.size)
        if self.at.size > ENTRIES:
            places = self.plainly_wrong()
            if not len(places):
                places = self.slightly_wrong()
                self.look_at(places, along)
                if not any(map(self.wrong, self.judged.values())):
                    places = self.narrowed(np.arange(self.at.size))
        self.look_at(places, along)
        worst = self.worst()
        if worst is not None:
            return worst
        if any(judged.verdict in _KINKED for judged in (along, *self.judged.values())):
            return self.joint()
        if self.wrong(along) and not self.judged:
            return self.told((), float("nan"), along)
        return None

    def look_at(self, places: Array, along: Judged) -> None:
        """Judge entries that were not judged yet."""
        proven = False
        for place in places.tolist():
            if along.verdict not in BLAMED and budget.is_spent(_PART):
                # What nothing is said against along a direction is hardly wrong in an entry: other points tell more.
                return
            if place not in self.judged:
                entry = unit(self.at.shape, place)
                # Where one is wrong, whatever its neighbours claim, others are not asked for theirs: that takes long.
                told = self.by_differences(entry) if proven and not self.alone.plan.is_cheap else None
                self.judged[place] = self.along(entry, with_near=not proven) if told is None else told
            proven |= self.judged[place].verdict is Verdict.WRONG

    def worst(self) -> LocalFault | None:
        """The gravest of the entries that were judged, if it is a fault."""
        wrong = [(GRAVITY.index(j.verdict), j.off, place) for place, j in self.judged.items() if self.wrong(j)]
        kinked = any(judged.verdict in _KINKED for judged in self.judged.values())
        # Where the first few are no faults of the op, they all come of the same kinks.
        for _, _, place in sorted(wrong, reverse=True)[:_TRIES]:
            judged, entry = self.judged[place], unit(self.at.shape, place)
            claimed = float(self.claim.reshape(-1)[place])
            if self.confirmed(entry) if kinked else not self.seen_nearby(entry, self.weights, claimed):
                index = tuple(int(i) for i in np.unravel_index(place, self.at.shape))
                return self.told(index, float(self.at.reshape(-1)[place]), judged)
        return None

    def told(self, index: tuple[int, ...], at: float, judged: Judged) -> LocalFault:
        """A fault of this argument."""
        name, slot, _ = self.alone.arguments[self.number]
        shape = self.at.shape
        seen = None if self.every is None else Measured(self.weights, *(a.reshape(shape) for a in self.every))
        return LocalFault(self.alone.node, name, slot, Entry(index, at, judged), measured=seen)

    def wrong(self, judged: Judged) -> bool:
        """Tell whether a derivative is a fault of the op."""
        if judged.verdict not in BLAMED | TOLERATED:
            return False
        if judged.verdict is Verdict.SATURATED and judged.off <= _SLIGHT:
            return False
        return not self.coarse or judged.off > _SINGLE

    # -- directions ------------------------------------------------------------------------------

    def dense(self, places: Array) -> Array:
        """A random direction that moves these entries, each by its own size."""
        size = np.abs(self.at.reshape(-1)[places])
        flat = np.zeros(self.at.size)
        flat[places] = self.rng.standard_normal(len(places)) * np.where(size == 0, rms(size), size)
        return flat.reshape(self.at.shape)

    def is_settled(self, direction: Array) -> bool:
        """Tell whether a first look along a direction leaves no doubt that the claim is right."""
        claimed = self.claimed_along(direction, self.claim)
        if not claimed.any() and self.claim.any():
            return False
        line = self.alone.line(self.number, direction, self.weights)
        return settled_along(line, claimed, _DIGITS, self.alone.plan.assured) is not None

    @staticmethod
    def claimed_along(direction: Array, claim: Array) -> Array:
        """The slope along a direction that a claim comes to."""
        with np.errstate(all="ignore"):
            return np.array([float(np.sum((claim * direction)[direction != 0]))])

    def along(
        self, direction: Array, weights: list[Array] | None = None, claim: Array | None = None, with_near: bool = True
    ) -> Judged:
        """Judge the derivative along a direction; ``with_near``: claims at neighbouring points may tell of rounding."""
        weights = self.weights if weights is None else weights
        claim = self.claim if claim is None else claim
        line = self.alone.line(self.number, direction, weights)
        claimed = self.claimed_along(direction, claim)
        near = self.alone.near(self.number, direction, weights) if with_near else None
        plan = self.alone.plan
        plainly = plan.is_in_one_piece
        judged = judge(line, claimed, near, plainly=plainly, is_dear=not plan.is_cheap, chooses=not plainly)[0]
        off = abs(judged.claimed - judged.estimate) * max(line.scale, 1.0)
        if judged.verdict in BLAMED and off <= self.felt(weights):
            return judged._replace(verdict=Verdict.SATURATED)
        return judged

    def by_differences(self, direction: Array) -> Judged | None:
        """The judgement that few differences leave no doubt of, for want of time for more; None where some is left."""
        line = self.alone.line(self.number, direction, self.weights)
        (claimed,) = self.claimed_along(direction, self.claim).tolist()
        return told_along(line, claimed, self.alone.plan.assured) if np.isfinite(claimed) else None

    def felt(self, weights: Sequence[Array]) -> float:
        """The smallest change that the outputs feel: of a sum with signs, as much as of its parts."""
        entry = entry_of(self.alone.node)
        assert entry is not None
        outputs = [entry.outputs[nr] for nr in self.alone.outputs]
        with np.errstate(all="ignore"):
            total = sum(float(np.nansum(np.abs(w * a))) for w, a in zip(weights, outputs, strict=True) if a is not None)
        return _FELT * total

    def measured(self, number: int) -> tuple[Array, Array, Array]:
        """Which claims for the entries of an argument are plainly wrong, what differences say, and the bars."""
        x = self.alone.at[number].reshape(-1)
        plan, weights = self.alone.plan, np.concatenate([np.ravel(w) for w in self.weights])
        claims = (self.claim if number == self.number else np.full(x.shape, np.inf)).reshape(-1, 1)

        def summed(values: Array) -> Array:
            with np.errstate(all="ignore"):
                return np.asarray((values * weights).sum(-1, keepdims=True))

        direction = np.asarray(self.rng.standard_normal(self.alone.at[number].shape) * rms(x))
        line = self.alone.line(number, direction, self.weights)
        whole = whole_gradient(plan, number, np.arange(x.size), summed, line, direction)
        if whole is not None:
            return whole.beside(claims)[2][:, 0], whole.slopes[:, 0], whole.bars[:, 0]
        steps, sums = quick_steps(x), np.zeros((x.size, len(QUICK_STEPS), 1))
        for part in np.array_split(np.arange(x.size), -(-x.size * plan.size // _AT_ONCE)):
            steps[part], values = moved_entries(plan, number, part, steps[part])
            sums[part] = summed(values)
        noise = self.alone.line(number, unit(self.alone.at[number].shape, 0), self.weights).noise
        wrong, slopes, bars = plainly_wrong(steps, sums, noise, claims)
        return wrong[:, 0], slopes[:, 0], bars[:, 0]

    def plainly_wrong(self) -> Array:
        """Of very many entries the worst of those whose claims are plainly wrong."""
        if self.at.size > _MANY:
            return np.arange(0)
        wrong, slopes, bars = self.measured(self.number)
        self.every = slopes, bars
        return self.most_off(wrong, slopes)

    def slightly_wrong(self) -> Array:
        """The same of those that are off by little, and by far more than is not known of their slopes."""
        if self.every is None:
            return np.arange(0)
        slopes, bars = self.every
        with np.errstate(all="ignore"):
            return self.most_off(np.abs(self.claim.reshape(-1) - slopes) > _APART * bars, slopes)

    def most_off(self, wrong: Array, slopes: Array) -> Array:
        """The worst of some entries."""
        claims = self.claim.reshape(-1)
        with np.errstate(all="ignore"):
            off = np.abs(claims - slopes) / np.maximum(np.abs(claims), np.abs(slopes))
        return np.flatnonzero(wrong)[np.argsort(-off[wrong])[:_WORST]]

    def narrowed(self, places: Array) -> Array:
        """The entries to look at, of very many: halves along which something is wrong, halved again."""
        suspect = [places]
        while suspect and max(map(len, suspect)) > 1 and len(suspect) <= ENTRIES:
            halves = [half for part in suspect for half in np.array_split(part, min(2, len(part)))]
            kept = [half for half in halves if len(half) > 1 and not self.settled(self.along(self.dense(half)))]
            single = [half for half in halves if len(half) == 1]
            suspect = kept + single
        found = np.concatenate(suspect) if suspect else places[:0]
        return found if len(found) <= ENTRIES else self.rng.permutation(found)[:ENTRIES]

    @staticmethod
    def settled(judged: Judged) -> bool:
        """Tell whether nothing is wrong along a direction."""
        return judged.is_right

    def spread(self) -> Array | None:
        """The gradient of a broadcast argument before it is summed: of each entry of the output its own."""
        shape = self.at.shape
        if len(self.weights) != 1 or not broadcasts(shape, self.weights[0].shape):
            return None
        weights = self.weights[0]
        places = np.broadcast_to(np.arange(self.at.size).reshape(shape), weights.shape).reshape(-1)
        found = np.zeros(weights.size)
        for place in range(self.at.size):
            chosen = np.flatnonzero(places == place)
            line = self.alone.line(self.number, unit(self.at.shape, place), None)
            found[chosen] = [x.value for x in slopes(line, only=chosen)]
        return found.reshape(weights.shape) * weights

    def truth(self, other: int) -> Array | None:
        """The true gradient of another argument of the same shape."""
        shape = self.at.shape
        if self.alone.at[other].shape != shape:
            return None
        if self.at.size > ENTRIES:
            return self.measured(other)[1].reshape(shape)
        lines = (self.alone.line(other, unit(self.at.shape, place), self.weights) for place in range(self.at.size))
        return np.array([slopes(line)[0].value for line in lines]).reshape(shape)

    # -- kinks -------------------------------------------------------------------------------------

    def joint(self) -> LocalFault | None:
        """Along joint directions a sum of one-sided slopes may be smooth: a claim must be right there, too."""
        kinked = [place for place, judged in self.judged.items() if judged.verdict in _KINKED]
        for direction in self.jointly(np.array(kinked, np.intp)):
            judged = self.along(direction)
            if judged.verdict in BLAMED and self.confirmed(direction):
                return self.told((), float("nan"), judged)
        return None

    def jointly(self, kinked: Array) -> Iterator[Array]:
        """Directions that move the kinked entries together: all, those that are equal, and some at random."""
        values = self.at.reshape(-1)
        groups = [kinked[values[kinked] == v] for v in np.unique(values[kinked])[:_TIES]]
        ties = [group for group in groups if 1 < len(group) < len(kinked)]
        for group in ([kinked] if len(kinked) else []) + ties:
            flat = np.zeros(self.at.size)
            flat[group] = 1.0
            yield flat.reshape(self.at.shape)
        places = kinked if len(kinked) else np.arange(self.at.size)
        for _ in range(_RANDOM):
            yield self.dense(places)

    def confirmed(self, direction: Array) -> bool:
        """Tell whether what was found along a direction is wrong, and no choice among one-sided slopes.

        Weights of both signs make of right subgradients a sum that is none: the outputs are looked at one by one. And
        where equal numbers change places, as in a median, a slope may be right that is seen only nearby.
        """
        places, claims = [], np.zeros(self.alone.plan.size)
        for place, weights in self.alone.units(_UNITS, self.rng):
            claim = self.alone.claims(weights)[self.number]
            places.append(place)
            claims[place] = np.sum((claim * direction)[direction != 0])
        line = self.alone.line(self.number, direction, None)
        judged = judge(line, claims, only=np.array(places))
        wrong = [place for place, each in zip(places, judged, strict=True) if self.wrong(each)]
        return any(
            not self.seen_nearby(direction, self.alone.unit(place), float(claims[place])) for place in wrong[:_TRIES]
        )

    def seen_nearby(self, direction: Array, weights: Sequence[Array], claimed: float) -> bool:
        """Tell whether a claim along a direction lies between slopes at points nearby, not all the same."""
        slopes, doubt = self.alone.nearby(self.number, direction, weights, self.rng)
        if not len(slopes) or claimed != claimed:
            return False
        low, high = float(slopes.min()), float(slopes.max())
        room = 1e-3 * (high - low) + 4 * doubt
        return high - low > 8 * room and low - room <= claimed <= high + room


def measured_gradient(
    alone: Alone, number: int, weights: list[Array], rng: np.random.Generator
) -> Measured | None:
    """The gradient of an argument by differences; None where it has very many entries."""
    at = alone.at[number]
    if not 0 < at.size <= _MANY:
        return None
    _, slopes, bars = _Look(alone, number, weights, np.full(at.shape, np.inf), rng).measured(number)
    return Measured(weights, slopes.reshape(at.shape), bars.reshape(at.shape))


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Tell whether one shape becomes another, larger one by broadcasting."""
    if shape == to or len(shape) > len(to):
        return False
    return all(n in (1, m) for n, m in zip(shape[::-1], to[::-1], strict=False))


def _signature(name: str, look: _Look) -> str | None:
    """The signature of a fault of an argument, where all entries are known."""
    shape, size = look.at.shape, look.at.size
    if look.judged and len(look.judged) == size:
        truth, bars = (np.array([getattr(look.judged[i], name) for i in range(size)]) for name in ("estimate", "bar"))
    elif look.every is not None and np.isfinite(look.every).all():
        truth, bars = look.every
    else:
        return None
    others = {
        a.name: its
        for i, a in enumerate(look.alone.arguments)
        if i != look.number and (its := look.truth(i)) is not None
    }
    spread = look.spread() if size <= ENTRIES else None
    arriving = look.weights[0] if len(look.weights) == 1 and look.weights[0].shape == shape else None
    sizes = {n: f"entries along axis {i}" for i, n in enumerate(shape)} | {size: "entries"}
    sizes |= {int(np.prod(w.shape)) // size: "share of the result" for w in look.weights if w.size > size > 0}
    context = Context(name, look.at, others, spread, arriving, sizes)
    return signature(look.claim, truth.reshape(shape), bars.reshape(shape), context)


def is_right_jointly(node: Any, rng: np.random.Generator, reached: Sequence[int] | None) -> bool:
    """Tell whether an op's answer lies between its slopes also where its arguments are moved together."""
    try:
        alone = Alone(node, reached)
        weights = alone.weights(rng)
        claims = alone.claims(weights)
    except (Unreplayable, Refused):
        return False
    entries = [(number, place) for number, a in enumerate(alone.at) for place in range(a.size)][:_JOINT_ENTRIES]

    def claim_along(direction: Sequence[Array | None]) -> float:
        return float(sum((c * d).sum() for c, d in zip(claims, direction, strict=True) if d is not None))

    make_line = functools.partial(alone.joint_line, weights=weights)
    return judge_joint(make_line, claim_along, alone.at, entries, rng) is None


def has_kink(node: Any, rng: np.random.Generator, reached: Sequence[int] | None = None) -> bool:
    """Tell whether an op has a kink at its run-time operands."""
    try:
        alone = Alone(node, reached)
        weights = alone.weights(rng) if alone.arguments and alone.outputs else []
        claims = alone.claims(weights) if weights else []
    except (Unreplayable, Refused):
        return False
    looks = (_Look(alone, number, weights, claim, rng) for number, claim in enumerate(claims))
    return any(look.along(look.dense(np.arange(look.at.size))).verdict in _KINKED for look in looks if look.at.size)

"""Where is looked: at every entry of the inputs alone, or along directions that cover them all, until the wrong
entries are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..replay.line import imag_entries, moved_entries
from ..replay.subject import Subject
from ..slopes.many_at_once import plainly_wrong, quick_heights, quick_steps, settled
from .findings import Entry, Finding, Options
from .joint_kinks import is_of_a_piece, judge_joint
from .one_derivative import judge
from .rows import Direction, Row, Rows, rms, unit
from .slope_jumps import beside
from .verdict import BLAMED, GRAVITY, PASSES, Judged, Verdict

Array = np.ndarray[Any, Any]

# Of more numbers than these, directions are looked at instead of entries.
_MOST_ENTRIES = 256
# How many directions that move everything.
_DIRECTIONS = 4
# Of more inputs than these several are looked at together, and sooner where each of them has many ops to go through.
_MOST_ALONE, _LEAST_ALONE = 64, 8
_CALLS = 2**15
# How much smaller the steps of a second look are.
_NEARER = 2.0**-10
# A claim along a direction that is off by more than this, of its size, is no matter of rounding.
_FAR = 1e-6
# So few entries are looked at one by one when it is narrowed down which are wrong.
_FEW = 1024
# The same, where each point is computed on its own.
_VERY_FEW = 128
# So many entries, times the numbers of the outputs, are looked at in one go.
_AT_ONCE = 2**19
# Of the claims for an input that are plainly wrong so many are judged in full.
_WORST = 8
# How many of the worst entries a finding shows.
_SHOWN = 5

# Along so many groups of equal entries of an input is looked.
_TIES = 4
_TOGETHER = "equal entries that move together: their claims do not add up to this slope"
# What is noted where the claim is that of one piece of the function.
_PIECES = "pieces of the function meet here: this is the slope of one of them"

_RANK = {verdict: rank for rank, verdict in enumerate(GRAVITY)}


def probe(subject: Subject, options: Options, rng: np.random.Generator, order: int = 1) -> list[Finding]:
    """A finding for each output with respect to each input."""
    looked = _Probe(subject, rng, order, options.digits or 0)
    looked.look(options.every_entry)
    return [
        looked.finding(output, leaf, options.detail)
        for output in range(len(subject.outputs))
        for leaf in range(len(subject.inputs))
    ]


class _Probe:
    """What is found of the claims."""

    def __init__(self, subject: Subject, rng: np.random.Generator, order: int, digits: int) -> None:
        self.subject = subject
        # What a first look leaves with fewer digits is looked at again.
        self.wanted = digits
        self.rng = rng
        self.order = order
        self.rows = Rows(subject, rng, order)
        self.at = self.rows.at
        # By leaf and flat index: what was found of each row that is not passed beyond doubt.
        self.judged: dict[tuple[int, int], dict[int, Judged]] = {}
        # Of these, by leaf, flat index and row: those that only matter together with equal ones, and those that were
        # accepted as the slope of one piece of the function.
        self.together: set[tuple[tuple[int, int], int]] = set()
        self.pieces: set[tuple[tuple[int, int], int]] = set()
        # By leaf: how many claims that are plainly wrong were judged in full.
        self.plain = [0] * len(self.at)
        # By leaf and output: the fewest digits of what is beyond doubt, and whether that is all zero.
        pairs = [(leaf, output) for leaf in range(len(self.at)) for output in range(len(subject.outputs))]
        self.digits = dict.fromkeys(pairs, math.inf)
        self.zero = dict.fromkeys(pairs, True)

    def look(self, every_entry: bool) -> None:
        """Judge what is claimed."""
        few = sum(a.size for a in self.at) <= _MOST_ENTRIES and len(self.at) <= max(self._affordable, _LEAST_ALONE)
        if every_entry or few:
            self._every_entry()
        else:
            self._directions()
        self._look_along_ties()
        self._look_at_pieces()
        self._look_along_kinks()

    @property
    def _affordable(self) -> int:
        """How many inputs can be looked at alone."""
        return _CALLS // max(len(self.rows.plan.nodes), 1)

    # -- entries -----------------------------------------------------------------------------

    def _every_entry(self) -> None:
        for leaf, a in enumerate(self.at):
            self._entries(leaf, np.arange(a.size))

    def _entries(self, leaf: int, places: Array) -> None:
        """Judge each of these entries of an input alone."""
        if not len(places) or not self.rows.rows:
            return
        plan, of = self.rows.plan, self.rows.of
        parts = -(-len(places) * plan.size // _AT_ONCE)
        if 1 < parts <= len(places):
            for part in np.array_split(places, parts):
                self._entries(leaf, part)
            return
        x = self.at[leaf].reshape(-1)[places]
        steps, values = moved_entries(plan, leaf, places, quick_steps(x))
        imag = imag_entries(plan, leaf, places, quick_heights(x), np.zeros(1))
        noise = self.rows.line(self._moved(leaf, int(places[0]))).noise
        claims = self.rows.claims[leaf][:, places].T
        values = of(values)
        sure, digits, _, _ = settled(steps, values, noise, None if imag is None else of(imag), claims)
        sure &= digits >= self.wanted
        for r, row in enumerate(self.rows.rows):
            if sure[:, r].any():
                self._note([leaf], row, float(digits[sure[:, r], r].min()))
        if not sure.all():
            plain, estimate, bar = plainly_wrong(steps, values, noise, claims)
            self._look_closer(leaf, places, sure, plain, _Beside(claims, estimate, bar))

    def _look_closer(self, leaf: int, places: Array, sure: Array, plain: Array, beside: _Beside) -> None:
        """Judge what is in doubt; of what is plainly wrong the worst, and when that is wrong, the others are, too."""
        doubtful = ~sure.all(1)
        wrong = doubtful & (sure | plain).all(1)
        worst = np.flatnonzero(wrong)[np.argsort(-beside.off[wrong].max(1), kind="stable")]
        full = max(_WORST - self.plain[leaf], 0)
        self.plain[leaf] += len(worst[:full])
        for i in [*np.flatnonzero(doubtful & ~wrong), *worst[:full]]:
            self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
        for i in worst[:full]:
            # Where its own rounding is to blame, that of the others may be, too.
            if any(j.verdict is not Verdict.WRONG for j in self.judged[leaf, int(places[i])].values()):
                self.plain[leaf] = -places.size
        for i in worst[full:]:
            rows = np.flatnonzero(~sure[i]).tolist()
            if self.plain[leaf] < 0:
                self._judge_entry(leaf, int(places[i]), rows)
            else:
                self.judged[leaf, int(places[i])] = {r: beside.wrong(i, r) for r in rows}

    def _judge_entry(self, leaf: int, place: int, rows: list[int]) -> None:
        direction = self._moved(leaf, place)
        judged = self._judge(direction, self.rows.claims[leaf][:, place], rows)
        if self.order > 1:
            for row, found in judged.items():
                if found.verdict is Verdict.DISCONTINUITY:
                    # A first derivative that jumps has a second one on either side.
                    judged[row] = beside(self.rows.line(direction, row), 0, found.claimed, found)
        self.judged[leaf, place] = judged

    def _judge(self, direction: Direction, claims: Array, rows: list[int], quickly: bool = False) -> dict[int, Judged]:
        """What is found along a direction; ``quickly``: whatever rounding does to the claims."""
        line = self.rows.line(direction)
        near, rounding = (None, None) if quickly else (self.rows.near(direction), self.rows.rounding(direction))
        judged = judge(line, claims, near, rounding, only=np.array(rows))
        return dict(zip(rows, judged, strict=True))

    def _note(self, leaves: Sequence[int], row: Row, digits: float) -> None:
        """Note what is beyond doubt; what is zero has infinitely many digits."""
        for leaf in leaves:
            at = leaf, row.output
            self.digits[at] = min(self.digits[at], digits)
            self.zero[at] &= digits == math.inf

    # -- directions --------------------------------------------------------------------------

    def _moved(self, leaf: int, place: int) -> Direction:
        """The direction in which one entry moves."""
        return self._alone(leaf, unit(self.at[leaf].shape, place))

    def _alone(self, leaf: int, moved: Array) -> Direction:
        direction: list[Array | None] = [None] * len(self.at)
        direction[leaf] = moved
        return direction

    def _directions(self) -> None:
        """Judge directions that move everything, and each input alone; then look closer where one does not pass."""
        leaves = range(len(self.at))
        sizes = [rms(a) for a in self.at]
        together = [self._passes(self._random(sizes, leaves), leaves) for _ in range(_DIRECTIONS)]
        # Of very many inputs a few at a time.
        count = max(min(_MOST_ALONE, self._affordable), _LEAST_ALONE)
        for part in np.array_split(leaves, min(len(leaves), count)):
            group: list[int] = part.tolist()
            if len(group) == 1 or not self._passes(self._random(sizes, group), group):
                self._each(group, sizes)
        if not all(together) and not self.judged:
            # What does not pass together must show in some entry.
            self._every_entry()

    def _each(self, leaves: Sequence[int], sizes: Sequence[float]) -> None:
        """Judge inputs alone."""
        for leaf in leaves:
            a = self.at[leaf]
            if not self._passes(self._alone(leaf, self._normal(a, sizes[leaf])), [leaf]):
                self._narrow(leaf, np.arange(a.size), sizes[leaf])

    def _random(self, sizes: Sequence[float], leaves: Sequence[int]) -> Direction:
        return [self._normal(a, sizes[leaf]) if leaf in leaves else None for leaf, a in enumerate(self.at)]

    def _normal(self, a: Array, size: float) -> Array:
        return np.asarray(self.rng.standard_normal(a.shape) * size)

    def _narrow(self, leaf: int, places: Array, size: float) -> None:
        """Find the entries of an input that do not pass, by halves."""
        if len(places) <= (_FEW if self.subject.plan.at_once else _VERY_FEW):
            self._entries(leaf, places)
            return
        for half in np.array_split(places, 2):
            moved = np.zeros(self.at[leaf].size)
            moved[half] = self.rng.standard_normal(len(half)) * size
            if not self._passes(self._alone(leaf, moved.reshape(self.at[leaf].shape)), [leaf]):
                self._narrow(leaf, half, size)

    def _passes(self, direction: Direction, leaves: Sequence[int]) -> bool:
        """Whether the claims along a direction are right."""
        claims = self.rows.claim_along(direction)
        digits = self._settled(direction, claims)
        if digits is None:
            rows = list(range(len(self.rows.rows)))
            judged = self._judge(direction, claims, rows, quickly=True)
            if any(j.verdict is Verdict.WRONG and j.off > _FAR for j in judged.values()):
                return False
            if not all(j.is_right for j in judged.values()):
                judged = self._judge(direction, claims, rows)
            if not all(j.is_right for j in judged.values()):
                return False
            digits = [math.inf if j.digits is None else j.digits for j in judged.values()]
        for row, fewest in zip(self.rows.rows, digits, strict=True):
            self._note(leaves, row, fewest)
        return True

    def _settled(self, direction: Direction, claims: Array) -> list[float] | None:
        """The digits of the claims along a direction, when a first look leaves no doubt that they are right."""
        line = self.rows.line(direction)
        scale = np.array([line.scale])
        imag = line.imag(float(quick_heights(scale)[0]), np.zeros(1))
        seen = None if imag is None else imag[None]
        # Nearer by, too: of a large net some kink is always near.
        for nearer in (1.0, _NEARER):
            steps, values = line.values(quick_steps(scale)[0] * nearer)
            sure, digits, _, _ = settled(steps[None], values[None], line.noise, seen, claims[None])
            if (sure & (digits >= self.wanted)).all():
                return [float(x) for x in digits[0]]
        return None

    # -- kinks -------------------------------------------------------------------------------

    def _look_along_ties(self) -> None:
        """Where entries are equal, the claims must be right where those move together: alone none may matter."""
        for leaf, a in enumerate(self.at):
            _, where, counts = np.unique(a.reshape(-1), return_inverse=True, return_counts=True)
            for group in np.argsort(-counts)[:_TIES]:
                if counts[group] < 2:
                    break
                places = np.flatnonzero(where == group)
                judged = [j for place in places.tolist() for j in self.judged.get((leaf, place), {}).values()]
                if all(j.is_right for j in judged):
                    self._look_along_tie(leaf, places)

    def _look_along_tie(self, leaf: int, places: Array) -> None:
        moved = np.zeros(self.at[leaf].size)
        moved[places] = 1.0
        direction = self._alone(leaf, moved.reshape(self.at[leaf].shape))
        claims = self.rows.claim_along(direction)
        if self._settled(direction, claims) is not None:
            return
        for row, judged in self._judge(direction, claims, list(range(len(self.rows.rows)))).items():
            if judged.verdict in BLAMED:
                for place in places.tolist():
                    claimed = float(self.rows.claims[leaf][row, place])
                    found = judged._replace(verdict=Verdict.KINK_WRONG, claimed=claimed, note=_TOGETHER)
                    self.judged.setdefault((leaf, place), {})[row] = found
                    self.together.add(((leaf, place), row))

    def _look_along_kinks(self) -> None:
        """Where several entries sit on a kink together, the claims must be right along joint directions, too."""
        kinked: dict[int, list[tuple[int, int]]] = {}
        pieces: set[int] = set()
        for at, judged in self.judged.items():
            for row, j in judged.items():
                if j.verdict is Verdict.KINK_OK:
                    kinked.setdefault(row, []).append(at)
                    if (at, row) in self.pieces:
                        pieces.add(row)
        for row, entries in kinked.items():
            if len(entries) > 1 and row not in pieces:
                self._look_along(row, entries)

    def _look_along(self, row: int, kinked: list[tuple[int, int]]) -> None:
        wrong = judge_joint(
            lambda direction: self.rows.line(direction, row),
            lambda direction: float(self.rows.claim_along(direction)[row]),
            self.at,
            kinked,
            self.rng,
        )
        if wrong is not None:
            for leaf, place in kinked:
                self.judged[leaf, place][row] = wrong._replace(claimed=float(self.rows.claims[leaf][row, place]))

    def _look_at_pieces(self) -> None:
        """Where pieces of the function meet, the gradient of one of them is right, whatever entries do alone."""
        wrong: dict[int, list[tuple[int, int]]] = {}
        for at, judged in self.judged.items():
            for row, j in judged.items():
                if j.verdict in (Verdict.WRONG, Verdict.KINK_WRONG) and (at, row) not in self.together:
                    wrong.setdefault(row, []).append(at)
        for row, entries in wrong.items():
            entries.sort(key=lambda at: -self.judged[at][row].bars_away)
            if not all(self._is_of_a_piece(row, at) for at in entries) or not self._adds_up(row, entries):
                # One row that is wrong is enough.
                return
            for at in entries:
                self.judged[at][row] = self.judged[at][row]._replace(verdict=Verdict.KINK_OK, note=_PIECES)
                self.pieces.add((at, row))

    def _is_of_a_piece(self, row: int, at: tuple[int, int]) -> bool:
        return is_of_a_piece(lambda d: self.rows.line(d, row), self.at, at, self.judged[at][row], self.rng)

    def _adds_up(self, row: int, entries: list[tuple[int, int]]) -> bool:
        """Whether the claims for all entries that are equal are right where those move together."""
        for leaf, value in {(leaf, float(self.at[leaf].reshape(-1)[place])) for leaf, place in entries}:
            direction = self._alone(leaf, np.array(self.at[leaf] == value, np.float64))
            judged = self._judge(direction, self.rows.claim_along(direction), [row])
            if judged[row].verdict in BLAMED:
                return False
        return True

    # -- findings ----------------------------------------------------------------------------

    def finding(self, output: int, leaf: int, detail: int) -> Finding:
        """What was found of one output with respect to one input."""
        at = self.at[leaf]
        there = self.subject.outputs[output]
        table: list[Entry] = []
        digits = [self.digits[leaf, output]]
        verdicts = {Verdict.PASS_ZERO if self.zero[leaf, output] else Verdict.PASS}
        for (of, place), judged in self.judged.items():
            mine = {row: j for row, j in judged.items() if self.rows.rows[row].output == output}
            if of != leaf or not mine:
                continue
            row, worst = max(mine.items(), key=lambda item: (_RANK[item[1].verdict], item[1].bars_away))
            verdicts |= {j.verdict for j in mine.values()}
            digits += [j.digits for j in mine.values() if j.digits is not None]
            index = tuple(map(int, np.unravel_index(place, at.shape)))
            table.append(Entry(index, float(at.reshape(-1)[place]), worst, self.rows.rows[row].index))
        table.sort(key=lambda entry: (-_RANK[entry.judged.verdict], -entry.judged.bars_away))
        found = Finding(
            there.name,
            self.subject.inputs[leaf].name,
            self.order,
            max(verdicts, key=_RANK.__getitem__),
            digits=min(digits) if math.isfinite(min(digits)) else None,
            entries=at.size,
            wrong_entries=sum(entry.judged.verdict not in PASSES for entry in table),
            worst=table[0] if table else None,
            table=table[:_SHOWN],
            span=there.span,
        )
        if detail:
            self._show(found, output, leaf, detail)
        return found

    def _show(self, finding: Finding, output: int, leaf: int, detail: int) -> None:
        """Add what a report may show beside the verdict: of the worst entry, or else of the first."""
        from .error_curves import curve, jacobian

        mine = [row for row, it in enumerate(self.rows.rows) if it.output == output]
        if mine and self.at[leaf].size:
            place, row = 0, mine[0]
            best = float(self.rows.claims[leaf][row, place])
            worst = finding.worst
            if worst is not None and math.isfinite(worst.judged.estimate):
                place = int(np.ravel_multi_index(worst.index, self.at[leaf].shape)) if worst.index else 0
                row = next(row for row in mine if self.rows.rows[row].index == worst.output_index)
                best = worst.judged.estimate
            finding.curve = curve(self.rows, leaf, place, row, best)
        if detail > 1:
            finding.jacobian = jacobian(self.rows, output, leaf, self.judged)


class _Beside(NamedTuple):
    """Claims (E, R) beside estimates and their bars."""

    claims: Array
    estimate: Array
    bar: Array

    @property
    def off(self) -> Array:
        """How far each claim is off, of its size."""
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(self.claims), np.abs(self.estimate))
            return np.where(size > 0, np.abs(self.claims - self.estimate) / size, 0.0)

    def wrong(self, i: int, r: int) -> Judged:
        """What is found of a claim that is plainly wrong."""
        estimate = float(self.estimate[i, r])
        return Judged(Verdict.WRONG, float(self.claims[i, r]), estimate, float(self.bar[i, r]))

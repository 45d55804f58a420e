"""Where is looked: at every entry of the inputs alone, or along directions that cover them all, until the wrong
entries are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...verdicts import Note, NoteKind
from ..replay.line import each_once, entries_of, imag_entries, imag_noise_of_entries, moved_entries
from ..replay.subject import Subject
from ..slopes.many_at_once import (
    QUICK_STEPS,
    plainly_wrong,
    quick_heights,
    quick_steps,
    settled,
)
from . import budget
from .findings import Entry, Finding, Options
from .first_look import NEARER, FirstLook, by_complex_step
from .known import Known, Seen
from .rows import Direction, Rows, rms, unit
from .verdict import BLAMED, GRAVITY, PASSES, UNDECIDED, Judged, Verdict
from .watched import looked_along
from .whole_gradient import whole_gradient

if TYPE_CHECKING:
    from ..slopes.all_ways import Line as AnyLine

Array = np.ndarray[Any, Any]

# How many directions that move everything.
_DIRECTIONS = 4
# Of more inputs than these several are looked at together, and sooner where each of them has many ops to go through.
_MOST_ALONE, _LEAST_ALONE = 64, 8
_CALLS = 2**15
# A claim along a direction that is off by more than this, of its size, is no matter of rounding.
_FAR = 1e-6
# So few entries are looked at one by one when it is narrowed down which are wrong.
_FEW = 1024
# The same, where each point is computed on its own.
_VERY_FEW = 128
# So many entries, times the numbers of the outputs, are looked at in one go.
_AT_ONCE = 2**19
# And so many, or one, that the numbers of all points take no more bytes: it is seen between them whether time is left.
_PART_BYTES = 2**27
# The entries of all inputs are looked at together where the numbers of all points take no more bytes.
_TOGETHER_BYTES = 2**24
# How much smaller the steps are of further looks at a function that is called for each point.
_NEARER = (2.0**-4, NEARER)
# Of the claims for an input that are plainly wrong so many are judged in full, and where each point is computed on its
# own; and so many of those that no output feels, where there are more than a few.
_WORST, _WORST_ALONE, _LARGEST = 8, 2, 3
# Of more than a few that are slightly off so many are judged in full, of those that are so the most and the least.
_MOST_OFF, _LEAST_OFF = 3, 2
# Two claims are off by one factor that differs by no more than this, where their slopes differ by more than that.
_SAME, _OTHER = 1e-6, 1e-2
# How many of the worst entries a finding shows.
_SHOWN = 5

# Along so many groups of equal entries of an input is looked.
_TIES = 4
_TOGETHER = "equal entries that move together: their claims do not add up to this slope"
# What is noted where the claim is that of one piece of the function.
_PIECES = "pieces of the function meet here: this is the slope of one of them"
_NO_TIME = "it seems wrong, and time was over before it was known whether it is the slope of a piece of the function"

_RANK = {verdict: rank for rank, verdict in enumerate(GRAVITY)}


def probe(
    subject: Subject, options: Options, rng: np.random.Generator, order: int = 1, part: float = math.inf
) -> list[Finding]:
    """A finding for each output with respect to each input; ``part``: of the time of the check, as much at the most."""
    looked = _Probe(subject, rng, order, options.digits or 0, part)
    looked.look(options.every_entry)
    return looked.findings(options.detail)


class _Probe:
    """Judge the claims."""

    def __init__(
        self, subject: Subject, rng: np.random.Generator, order: int, digits: int, part: float = math.inf
    ) -> None:
        self.subject = subject
        self.part = part
        self.first_look = FirstLook()
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
        # By leaf: how many claims that are plainly wrong were judged in full; and where rounding was to blame for one.
        self.plain = [0] * len(self.at)
        self.rounded: set[int] = set()
        # By leaf and output: where a claim is wrong whatever rounding does to it.
        self.proven: set[tuple[int, int]] = set()
        # By row, what is known of its jumps.
        self.jumps: dict[int, float] = {}
        self.known = Known(self.rows)
        # Whether the time was over before all was looked at; how many entries of each leaf were until then, the leaves
        # that are right along directions of their own, those in which something is wrong and not found, and whether
        # all are right where they move together.
        self.cut = False
        self.seen = [0] * len(self.at)
        self.sound: set[int] = set()
        self.doubtful: set[int] = set()
        self.all_pass = False
        # The leaves whose gradients are too small for the outputs to feel, as is seen of all their entries together.
        self.vanishing: set[int] = set()

    def look(self, every_entry: bool) -> None:
        """Judge what is claimed, as far as there is time."""
        try:
            self._look(every_entry)
        except budget.OutOfTime:
            self.cut = True
        with suppress(budget.OutOfTime):
            # Where something is wrong, all together is not right.
            wrong = {leaf for (leaf, _), by_row in self.judged.items() for j in by_row.values() if j.verdict in BLAMED}
            rest = [leaf for leaf in range(len(self.at)) if self.cut and not (self._is_known(leaf) or leaf in wrong)]
            if rest:
                self.all_pass = self._passes(self._random([rms(a) for a in self.at], rest), rest)
            self._look_along_ties()
        try:
            self._look_at_pieces()
        except budget.OutOfTime:
            self._leave_pieces_open()
        with suppress(budget.OutOfTime):
            self._look_along_kinks()

    def _look(self, every_entry: bool) -> None:
        few = sum(a.size for a in self.at) <= self.rows.plan.most_entries
        few &= len(self.at) <= max(self._affordable, _LEAST_ALONE)
        if every_entry or few:
            self._every_entry()
        else:
            self._directions()

    def _go_on(self) -> None:
        budget.go_on(self.part)

    def _is_known(self, leaf: int) -> bool:
        """Tell whether all of an input was looked at, alone or with others."""
        return self.all_pass or leaf in self.sound or self.seen[leaf] >= self.at[leaf].size

    @property
    def _affordable(self) -> int:
        """Count the inputs that can be looked at alone."""
        return _CALLS // max(len(self.rows.plan.nodes), 1)

    # -- entries -----------------------------------------------------------------------------

    def _every_entry(self) -> None:
        leaves = np.repeat(np.arange(len(self.at)), [a.size for a in self.at])
        places = np.concatenate([np.arange(a.size) for a in self.at] or [leaves])
        if len(leaves) * len(QUICK_STEPS) * self.rows.plan.nbytes <= _TOGETHER_BYTES:
            # Of little work a call is the most.
            self._entries(leaves, places)
            return
        for leaf in range(len(self.at)):
            self._entries(leaves[leaves == leaf], places[leaves == leaf])

    def _entries(self, leaves: Array, places: Array) -> None:
        """Judge each of these entries, one of a leaf each, alone."""
        if not len(places) or not self.rows.rows:
            return
        plan, of = self.rows.plan, self.rows.of
        nbytes = len(places) * len(QUICK_STEPS) * plan.nbytes
        parts = max(-(-len(places) * plan.size // _AT_ONCE), -(-nbytes // _PART_BYTES))
        if not plan.is_cheap:
            # Where a point takes long, what is found at some entries is told when there is no time for others.
            dear = min(math.ceil(len(places) * len(QUICK_STEPS) / max(self.subject.reruns, 1)), len(places) // 2)
            parts = max(parts, dear)
        if parts > 1 and len(places) > 1:
            for part in np.array_split(np.arange(len(places)), min(parts, len(places))):
                self._entries(leaves[part], places[part])
            return
        self._go_on()
        x = entries_of(self.at, leaves, places)
        imag = imag_entries(plan, leaves, places, quick_heights(x), np.zeros(1))
        if imag is None and leaves[0] != leaves[-1]:
            # Of some it may be asked.
            for leaf in each_once(leaves):
                self._entries(leaves[leaves == leaf], places[leaves == leaf])
            return
        looked_along(len(places))
        steps, values = moved_entries(plan, leaves, places, quick_steps(x))
        noise = self.rows.line(self._moved(int(leaves[0]), int(places[0]))).noise
        claims = self.rows.claims_of(leaves, places)
        values = of(values)
        seen = None if imag is None else of(imag)
        sure, digits, estimates, bars = settled(steps, values, noise, seen, claims, plan.assured, at=x)
        sure &= digits >= self.wanted
        self.known.note_entries(leaves, places, sure, Seen(claims, estimates, bars, digits), imag is not None)
        beside = _Differences(steps, values, noise)
        if plan.is_outside and not sure.all():
            sure |= self._nearer(leaves, places, sure, beside, claims)
        if not sure.all() and self._is_loose:
            sure |= self._left_over(leaves, places, sure, beside, claims)
        if not sure.all():
            self._look_again(leaves, places, sure, beside, claims, imag is not None)
        for leaf, count in zip(*np.unique(leaves, return_counts=True), strict=True):
            self.seen[int(leaf)] += int(count)

    def _look_again(
        self, leaves: Array, places: Array, sure: Array, beside: _Differences, claims: Array, by_complex_step: bool
    ) -> None:
        """Look again at what is in doubt: of what is plainly wrong at the worst first, which may tell of all."""
        plain, estimate, bar = plainly_wrong(*beside, claims)
        wrong = np.asarray(~sure.all(1) & (sure | plain).all(1))
        if by_complex_step and not wrong.all():
            sure = sure | self._witnessed(leaves, places, sure | wrong[:, None], beside, claims) & ~wrong[:, None]
        doubtful = np.flatnonzero(~sure.all(1) & ~wrong)
        if wrong.any() and len(doubtful):
            # Beside what is plainly wrong more may be, that has a kink or a jump near by.
            x = entries_of(self.at, leaves[doubtful], places[doubtful])
            steps, values = moved_entries(self.rows.plan, leaves[doubtful], places[doubtful], quick_steps(x, NEARER))
            plain, *nearer = plainly_wrong(steps, self.rows.of(values), beside.noise, claims[doubtful])
            plainly = (sure[doubtful] | plain).all(1)
            some = doubtful[plainly]
            wrong[some], estimate[some], bar[some] = True, nearer[0][plainly], nearer[1][plainly]
        closer = each_once(leaves[~sure.all(1)])
        in_doubt = set(closer) - self.doubtful
        self.doubtful |= in_doubt
        for leaf in closer:
            some = np.flatnonzero(leaves == leaf)
            for i in some[~sure[some].all(1) & ~wrong[some]].tolist():
                self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
            found = _Beside(claims[some], estimate[some], bar[some])
            told = self._look_at_worst(leaf, places[some], sure[some], wrong[some], found)
            # Where the rounding of the worst is to blame, that of the others may be, too.
            rest = some[wrong[some]][~told]
            if by_complex_step and len(rest):
                differences = _Differences(beside.steps[rest], beside.values[rest], beside.noise)
                sure[rest] |= self._witnessed(leaves[rest], places[rest], sure[rest], differences, claims[rest])
            for i in rest[~sure[rest].all(1)].tolist():
                self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
        self.doubtful -= in_doubt

    def _nearer(self, leaves: Array, places: Array, sure: Array, beside: _Differences, claims: Array) -> Array:
        """The claims in doubt that differences with smaller steps leave no doubt of: each further look costs much.

        Of those that are plainly wrong only a few are looked at, unless that finds one that is right.
        """
        made = np.zeros(sure.shape, np.bool_)
        plain = plainly_wrong(*beside, claims)[0]
        wrong = np.asarray(~sure.all(1) & (sure | plain).all(1))
        first = np.flatnonzero(wrong)[:_WORST_ALONE]
        later = np.flatnonzero(wrong)[_WORST_ALONE:]
        wrong[first] = False
        self._look_nearer(np.flatnonzero(~wrong), leaves, places, sure, made, beside.noise, claims)
        if made[first].any():
            self._look_nearer(later, leaves, places, sure, made, beside.noise, claims)
        return made

    def _look_nearer(
        self, those: Array, leaves: Array, places: Array, sure: Array, made: Array, noise: Array, claims: Array
    ) -> None:
        """Mark in ``made`` what differences with smaller steps leave no doubt of, among those entries."""
        for part in _NEARER:
            some = those[~(sure | made)[those].all(1)]
            if len(some):
                x = entries_of(self.at, leaves[some], places[some])
                steps, values = moved_entries(self.rows.plan, leaves[some], places[some], quick_steps(x, part))
                found = settled(steps, self.rows.of(values), noise, None, claims[some], self.rows.plan.assured)
                # What rests over small steps may be flat for rounding alone.
                good = found[0] & (found[1] >= self.wanted) & (claims[some] != 0) & ~(sure | made)[some]
                told = Seen(claims[some], *found[2:], found[1])
                self.known.note_entries(leaves[some], places[some], good, told, False)
                made[some] |= good

    def _left_over(self, leaves: Array, places: Array, sure: Array, beside: _Differences, claims: Array) -> Array:
        """The entries whose claims are no more than what a loop leaves over that stops when it is near enough."""
        from ..slopes.jumps_nearby import FAINT, moves_beside_jumps
        from .verdict_table import left_over_at

        found = np.zeros(sure.shape, np.bool_)
        sizes = np.maximum(np.abs(entries_of(self.at, leaves, places)), 1.0)[:, None]
        faint = sure | (np.abs(claims) * sizes <= FAINT * np.abs(self.rows.of(self.rows.flat)))
        _, slopes, bars = plainly_wrong(*beside, claims)
        for i in np.flatnonzero(~sure.all(1) & faint.all(1)).tolist():
            self._go_on()
            at = int(leaves[i]), int(places[i])
            moves, jumps = moves_beside_jumps(self.rows.line(self._moved(*at)), claims[i])
            rows = np.flatnonzero(~sure[i]).tolist()
            if all(moves[r] <= jumps[r] or moves[r] <= self._jump(r) for r in rows):
                self.judged[at] = {r: left_over_at(*(float(a[i, r]) for a in (claims, slopes, bars))) for r in rows}
                found[i] = True
        return found

    def _jump(self, row: int) -> float:
        """The room that jumps leave which a row has where everything moves."""
        from ..slopes.jumps_nearby import ROOM, jump_nearby, moves_beside_jumps

        if row not in self.jumps:
            line = self.rows.together
            moves, jumps = (float(a[row]) for a in moves_beside_jumps(line, np.zeros(line.size)))
            if math.isinf(moves):
                # It does more than to jump.
                is_dear = not self.rows.plan.is_cheap
                jumps = ROOM * jump_nearby(line, row, float(line.noise[row]), is_dear=is_dear)
            self.jumps[row] = jumps
        return self.jumps[row]

    @cached_property
    def _is_loose(self) -> bool:
        """Tell whether a Function repeats something until it is near enough: only then is it known so far."""
        from ..moving.loop_ends import stops_when_near

        return not self.rows.plan.is_outside and stops_when_near(self.subject)

    def _witnessed(self, leaves: Array, places: Array, sure: Array, beside: _Differences, claims: Array) -> Array:
        """The claims in doubt that are right by complex step and its bars, looked at for all entries together."""
        from .verdict_table import vanishing_at

        made = np.zeros(sure.shape, np.bool_)
        doubtful = np.flatnonzero(~sure.all(1))
        leaves, places, claims, wanted = leaves[doubtful], places[doubtful], claims[doubtful], ~sure[doubtful]
        lines = _EntryLines(self.rows, leaves, places, beside.noise, self.rows.flat)
        told = by_complex_step(lines, claims, wanted, beside.steps[doubtful], beside.values[doubtful], self.wanted)
        if told is None:
            return made
        self.known.note_entries(leaves, places, told.good, Seen(claims, *told.seen, told.digits), True)
        made[doubtful] = told.good
        for i in np.flatnonzero((told.vanishes & ~told.good).any(1) & (told.vanishes | ~wanted).all(1)).tolist():
            self.judged[int(leaves[i]), int(places[i])] = {
                r: vanishing_at(bool(told.nothing[i, r]), *(float(a[i, r]) for a in (claims, *told.seen)))
                for r in np.flatnonzero(wanted[i] & ~told.good[i]).tolist()
            }
            made[doubtful[i]] = True
        slightly = (told.slightly_off & wanted).any(1) & (told.slightly_off | told.good | ~wanted).all(1)
        for leaf in each_once(leaves[slightly]):
            some = np.flatnonzero(slightly & (leaves == leaf))
            made[doubtful[some]] = self._told_together(leaf, places[some], wanted[some] & ~told.good[some], *(
                a[some] for a in (claims, *told.seen, told.claim_bars)
            ))[:, None]
        return made

    def _told_together(
        self, leaf: int, places: Array, asked: Array, claims: Array, values: Array, bars: Array, claim_bars: Array
    ) -> Array:
        """Judge claims that are slightly off beside complex step: where those are that are the most and the least so,
        the others are, too. Which of them are judged."""
        from .verdict_table import slightly_off_at

        told = np.zeros(len(places), np.bool_)
        with np.errstate(all="ignore"):
            off = np.where(asked, np.abs(claims - values) / np.maximum(np.abs(claims), np.abs(values)), np.nan)
        order = np.argsort(np.nanmax(off, 1), kind="stable")
        chosen = [*order[-_MOST_OFF:], *order[:_LEAST_OFF]]
        if len(places) <= _WORST + len(chosen):
            return told
        for i in chosen:
            self._judge_entry(leaf, int(places[i]), np.flatnonzero(asked[i]).tolist())
            told[i] = True
        found = [j.verdict for i in chosen for j in self.judged[leaf, int(places[i])].values()]
        if set(found) == {Verdict.INACCURATE}:
            for i in np.flatnonzero(~told).tolist():
                self.judged[leaf, int(places[i])] = {
                    r: slightly_off_at(*(float(a[i, r]) for a in (claims, values, bars, claim_bars)))
                    for r in np.flatnonzero(asked[i]).tolist()
                }
            told[:] = True
        return told

    def _look_at_worst(self, leaf: int, places: Array, sure: Array, wrong: Array, beside: _Beside) -> Array:
        """Judge the worst of what is plainly wrong: when that is wrong, the others are, too. Which of all are told."""
        told = np.zeros(len(places), np.bool_)
        worst = np.flatnonzero(wrong)[np.argsort(-beside.off[wrong].max(1), kind="stable")]
        full = max((_WORST if self.rows.plan.at_once else _WORST_ALONE) - self.plain[leaf], 0)
        for i in worst[:full] if leaf not in self.rounded else []:
            place, rows = int(places[i]), np.flatnonzero(~sure[i]).tolist()
            worst_row = rows[int(np.argmax(beside.off[i, rows]))]
            pair = leaf, self.rows.rows[worst_row].output
            first = pair not in self.proven
            # What is found first is told in any case.
            quickly, part = first and beside.by_a_factor(i, worst_row), budget.LATE if first else self.part
            self._judge_entry(leaf, place, [worst_row], quickly, part)
            if self.judged[leaf, place][worst_row].verdict is not Verdict.WRONG:
                self.rounded.add(leaf)
                break
            self.proven.add(pair)
            self.plain[leaf] += 1
            told[i] = True
            self.judged[leaf, place] = {r: beside.wrong(i, r) for r in rows} | self.judged[leaf, place]
        if leaf not in self.rounded:
            told[worst] = True
            for i in worst[full:]:
                rows = np.flatnonzero(~sure[i]).tolist()
                self.judged[leaf, int(places[i])] = {r: beside.wrong(i, r) for r in rows}
        return told[wrong]

    def _judge_entry(
        self, leaf: int, place: int, rows: list[int], quickly: bool = False, part: float | None = None
    ) -> None:
        budget.go_on(self.part if part is None else part)
        # Of what is wrong, whatever its neighbours claim, others are not asked for theirs: that takes long.
        with_near = not all((leaf, self.rows.rows[row].output) in self.proven for row in rows)
        direction = self._moved(leaf, place)
        judged = self._judge(direction, self.rows.claims[leaf][:, place], rows, quickly, with_near)
        if self.order > 1:
            for row, found in judged.items():
                if found.verdict is Verdict.DISCONTINUITY:
                    from .slope_jumps import beside

                    # A first derivative that jumps has a second one on either side.
                    judged[row] = beside(self.rows.line(direction, row), 0, found.claimed, found)
        if with_near and not quickly:
            wrong = [row for row, found in judged.items() if found.verdict is Verdict.WRONG]
            self.proven.update((leaf, self.rows.rows[row].output) for row in wrong)
        self.judged[leaf, place] = judged

    def _judge(
        self, direction: Direction, claims: Array, rows: list[int], quickly: bool = False, with_near: bool = True
    ) -> dict[int, Judged]:
        """Judge the claims along a direction; ``quickly``: whatever rounding does to the claims. ``with_near``: the
        claims at neighbouring points may tell of it, too, and jumps nearby of a solver."""
        from ..slopes.remembered import remembered
        from .one_derivative import judge

        is_dear = not self.rows.plan.is_cheap
        line: AnyLine = self.rows.line(direction)
        line = remembered(line) if is_dear else line
        near = None if quickly or not with_near else self.rows.near(direction, rows)
        rounding = None if quickly else self.rows.rounding(direction)
        # What is moved here may not be what decides how long a solver goes on; where it is dear, one line tells of all.
        jumps_on = ([] if is_dear else [line]) + [self.rows.together] if with_near else []
        judged = judge(
            line, claims, near, rounding, only=np.array(rows), jumps_on=jumps_on, plainly=self._in_one_piece,
            is_dear=is_dear, chooses=not self.subject.is_in_one_piece,
        )  # fmt: skip
        return dict(zip(rows, judged, strict=True))

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
        together: list[_Along] = []
        while len(together) < _DIRECTIONS and _Along.DOUBTFUL not in together:
            together.append(self._along(self._random(sizes, leaves), leaves))
        self.all_pass = all(found is _Along.RIGHT for found in together)
        # Of very many inputs a few at a time.
        count = max(min(_MOST_ALONE, self._affordable), _LEAST_ALONE)
        for part in np.array_split(leaves, min(len(leaves), count)):
            group: list[int] = part.tolist()
            self._go_on()
            if len(group) == 1 or not self._passes(self._random(sizes, group), group):
                self._each(group, sizes)
            self.sound.update(group)
        if _Along.DOUBTFUL in together and not self.judged:
            # What does not pass together must show in some entry.
            self._every_entry()

    def _each(self, leaves: Sequence[int], sizes: Sequence[float]) -> None:
        """Judge inputs alone."""
        for leaf in leaves:
            a = self.at[leaf]
            self._go_on()
            found = self._along(self._alone(leaf, self._normal(a, sizes[leaf])), [leaf])
            if found is _Along.RIGHT:
                continue
            self.doubtful.add(leaf)
            if found is _Along.VANISHING and a.size > _WORST and self._vanishes(leaf, sizes[leaf]):
                # What all entries together do not make felt, none does alone: the largest claims are looked at.
                self.vanishing.add(leaf)
                largest = np.argsort(-np.abs(self.rows.claims[leaf]).max(0), kind="stable")[:_LARGEST]
                self._entries(np.full(len(largest), leaf), np.sort(largest))
            else:
                self._narrow(leaf, np.arange(a.size), sizes[leaf])
            self.doubtful.remove(leaf)

    def _vanishes(self, leaf: int, size: float) -> bool:
        """Tell whether no output feels an input, seen once more along another direction."""
        return self._along(self._alone(leaf, self._normal(self.at[leaf], size)), [leaf]) is _Along.VANISHING

    def _random(self, sizes: Sequence[float], leaves: Sequence[int]) -> Direction:
        return [self._normal(a, sizes[leaf]) if leaf in leaves else None for leaf, a in enumerate(self.at)]

    def _normal(self, a: Array, size: float) -> Array:
        return np.asarray(self.rng.standard_normal(a.shape) * size)

    def _narrow(self, leaf: int, places: Array, size: float) -> None:
        """Find the entries of an input that do not pass, by halves."""
        if len(places) <= (_FEW if self.subject.plan.is_cheap else _VERY_FEW):
            rest = places[~self._told_at_once(leaf, places, size)]
            if len(rest) == len(places) or (len(rest) and not self._passes(self._some(leaf, rest, size), [leaf])):
                self._entries(np.full(len(rest), leaf), rest)
            return
        for half in np.array_split(places, 2):
            self._go_on()
            if not self._passes(self._some(leaf, half, size), [leaf]):
                self._narrow(leaf, half, size)

    def _some(self, leaf: int, places: Array, size: float) -> Direction:
        """A direction in which these entries of an input move."""
        moved = np.zeros(self.at[leaf].size)
        moved[places] = self.rng.standard_normal(len(places)) * size
        return self._alone(leaf, moved.reshape(self.at[leaf].shape))

    def _told_at_once(self, leaf: int, places: Array, size: float) -> Array:
        """Tell which of these entries are plainly wrong beside the gradient by complex step, of all at once.

        None of them, where differences do not confirm that gradient, or rounding is to blame for one.
        """
        told = np.zeros(len(places), np.bool_)
        direction = self._some(leaf, places, size)
        moved = np.asarray(direction[leaf])
        found = whole_gradient(self.rows.plan, leaf, places, self.rows.of, self.rows.line(direction), moved)
        if found is None:
            return told
        claims = self.rows.claims[leaf][:, places].T
        sure, digits, plain = found.beside(claims)
        sure &= digits >= self.wanted
        wrong = np.asarray(~sure.all(1) & (sure | plain).all(1))
        told[wrong] = self._look_at_worst(leaf, places, sure, wrong, _Beside(claims, *found))
        if leaf in self.rounded:
            return np.zeros_like(told)
        self.seen[leaf] += int(told.sum())
        leaves, seen = np.full(len(places), leaf), Seen(claims, *found, digits)
        self.known.note_entries(leaves, places, sure & told[:, None], seen, True)
        return told

    def _passes(self, direction: Direction, leaves: Sequence[int]) -> bool:
        """Tell whether the claims along a direction are right."""
        return self._along(direction, leaves) is _Along.RIGHT

    def _along(self, direction: Direction, leaves: Sequence[int]) -> _Along:
        """Look at the claims along a direction."""
        claims = self.rows.claim_along(direction)
        passed = self._settled(direction, claims)
        if passed is not None and not all(j.is_right for j in passed):
            return _Along.DOUBTFUL if any(j.verdict is Verdict.WRONG for j in passed) else _Along.VANISHING
        if passed is None:
            rows = list(range(len(self.rows.rows)))
            judged = self._judge(direction, claims, rows, quickly=True)
            if any(j.verdict is Verdict.WRONG and j.off > _FAR for j in judged.values()):
                return _Along.DOUBTFUL
            if not all(j.is_right for j in judged.values()):
                judged = self._judge(direction, claims, rows)
            if not all(j.is_right for j in judged.values()):
                return _Along.DOUBTFUL
            passed = list(judged.values())
        for row, found in zip(self.rows.rows, passed, strict=True):
            self.known.note(leaves, row, Entry((), math.nan, found, row.index, along=True))
        return _Along.RIGHT

    def _settled(self, direction: Direction, claims: Array) -> list[Judged] | None:
        """Judge the claims along a direction, when a first look leaves no doubt what they are."""
        looked_along(1)
        line, sizes = self.rows.line(direction), self.rows.size_along(direction)
        found = self.first_look.along(line, claims, sizes, self.wanted, self.rows.plan.assured)
        if found is None and not self.rows.plan.is_outside:
            bounds = self.rows.rounding(direction)
            return self.first_look.closer(line, claims, self.rows.of(self.rows.flat), bounds, self.wanted)
        return found

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
        budget.go_on(budget.LATE)
        moved = np.zeros(self.at[leaf].size)
        moved[places] = 1.0
        direction = self._alone(leaf, moved.reshape(self.at[leaf].shape))
        claims = self.rows.claim_along(direction)
        settled = self._settled(direction, claims)
        if settled is not None and not any(j.verdict in BLAMED for j in settled):
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
        from .joint_kinks import judge_joint

        budget.go_on(budget.LATE)
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
        if self._in_one_piece:
            return
        for row, entries in self._wrong_alone().items():
            entries.sort(key=lambda at: -self.judged[at][row].bars_away)
            if not all(self._is_of_a_piece(row, at) for at in entries) or not self._adds_up(row, entries):
                # One row that is wrong is enough.
                return
            for at in entries:
                self.judged[at][row] = self.judged[at][row]._replace(verdict=Verdict.KINK_OK, note=_PIECES)
                self.pieces.add((at, row))

    def _wrong_alone(self) -> dict[int, list[tuple[int, int]]]:
        """By row, the entries whose claims are wrong where they move alone."""
        wrong: dict[int, list[tuple[int, int]]] = {}
        for at, judged in self.judged.items():
            for row, j in judged.items():
                if j.verdict in (Verdict.WRONG, Verdict.KINK_WRONG) and (at, row) not in self.together:
                    wrong.setdefault(row, []).append(at)
        return wrong

    def _leave_pieces_open(self) -> None:
        """Give no verdict on what may be the slope of a piece of the function: there was no time to see."""
        for row, entries in self._wrong_alone().items():
            for at in entries:
                self.judged[at][row] = self.judged[at][row]._replace(verdict=Verdict.UNRESOLVED, note=_NO_TIME)

    @cached_property
    def _in_one_piece(self) -> bool:
        """Tell whether no pieces of the function meet anywhere, and the order is the first."""
        return self.order == 1 and self.subject.is_in_one_piece

    def _is_of_a_piece(self, row: int, at: tuple[int, int]) -> bool:
        from .joint_kinks import is_of_a_piece

        budget.go_on(budget.LATE)
        return is_of_a_piece(lambda d: self.rows.line(d, row), self.at, at, self.judged[at][row], self.rng)

    def _adds_up(self, row: int, entries: list[tuple[int, int]]) -> bool:
        """Tell whether the claims for all entries that are equal are right where those move together."""
        for leaf, value in {(leaf, float(self.at[leaf].reshape(-1)[place])) for leaf, place in entries}:
            direction = self._alone(leaf, np.array(self.at[leaf] == value, np.float64))
            judged = self._judge(direction, self.rows.claim_along(direction), [row])
            if judged[row].verdict in BLAMED:
                return False
        return True

    # -- findings ----------------------------------------------------------------------------

    def findings(self, detail: int) -> list[Finding]:
        """Make one finding of all that was found of each output with respect to each input."""
        pairs = [(leaf, output) for output in range(len(self.subject.outputs)) for leaf in range(len(self.at))]
        doubted = {pair: self._doubted(*pair) for pair in pairs}
        self.known.tell_lost({pair: it.table for pair, it in doubted.items()})
        return [self._finding(*pair, doubted[pair], detail) for pair in pairs]

    def _doubted(self, leaf: int, output: int) -> _Doubted:
        """Gather what was not passed beyond doubt at once."""
        at = self.at[leaf]
        found = _Doubted([], set(), [])
        for (of, place), judged in self.judged.items():
            mine = {row: j for row, j in judged.items() if self.rows.rows[row].output == output}
            if of != leaf or not mine:
                continue
            row, gravest = max(mine.items(), key=lambda item: (_RANK[item[1].verdict], item[1].bars_away))
            found.verdicts.update(j.verdict for j in mine.values())
            found.digits.extend(j.digits for j in mine.values() if j.digits is not None)
            index = tuple(map(int, np.unravel_index(place, at.shape)))
            found.table.append(Entry(index, float(at.reshape(-1)[place]), gravest, self.rows.rows[row].index))
        found.table.sort(key=lambda entry: (-_RANK[entry.judged.verdict], -entry.judged.bars_away))
        return found

    def _finding(self, leaf: int, output: int, doubted: _Doubted, detail: int) -> Finding:
        there, known, table = self.subject.outputs[output], self.known, doubted.table
        least = known.least.get((leaf, output))
        worst = table[0] if table else least
        if least is not None and all(entry.judged.is_right for entry in table):
            worst = min([least, *table], key=lambda entry: entry.judged.digits or math.inf)
        digits = min([known.digits[leaf, output], *doubted.digits])
        passed = Verdict.PASS_ZERO if known.zero[leaf, output] else Verdict.PASS
        gravest = max({passed, *doubted.verdicts}, key=_RANK.__getitem__)
        # Beside entries that are wrong, those of which nobody can tell are not.
        others = PASSES if gravest in UNDECIDED else PASSES | UNDECIDED
        found = Finding(
            there.name,
            self.subject.inputs[leaf].name,
            self.order,
            gravest,
            digits=digits if math.isfinite(digits) else None,
            entries=self.at[leaf].size,
            wrong_entries=sum(entry.judged.verdict not in others for entry in table),
            worst=worst,
            table=table[:_SHOWN],
            span=there.span,
        )
        if leaf in self.vanishing and found.wrong_entries:
            own = [row.output == output for row in self.rows.rows]
            found.wrong_entries = int(np.any(self.rows.claims[leaf][own] != 0, 0).sum())
        if self.cut:
            self._note_cut(found, leaf)
        if detail:
            self._show(found, output, leaf, detail)
        return found

    def _note_cut(self, finding: Finding, leaf: int) -> None:
        """Say what was looked at before the time was over; what was not is not right."""
        seen = max(self.seen[leaf], sum(of == leaf for of, _ in self.judged))
        known = leaf not in self.doubtful and self._is_known(leaf)
        if not known and finding.verdict not in BLAMED | UNDECIDED:
            finding.verdict, finding.digits = Verdict.UNRESOLVED, None
        words = f"{min(seen, finding.entries):,} of {finding.entries:,} entries alone"
        if leaf in self.sound or self.all_pass:
            words += ", and the others together"
        finding.notes.append(Note(NoteKind.BUDGET, f"looked at in {budget.allowed()}: {words}"))

    def _show(self, finding: Finding, output: int, leaf: int, detail: int) -> None:
        """Add what a report may show beside the verdict: of the worst entry, or else of the first."""
        from .error_curves import curve, jacobian

        mine = [row for row, it in enumerate(self.rows.rows) if it.output == output]
        if mine and self.at[leaf].size:
            place, row = 0, mine[0]
            best = float(self.rows.claims[leaf][row, place])
            worst = finding.worst
            if worst is not None and not worst.along and math.isfinite(worst.judged.estimate):
                place, row = self.known.place(worst, leaf), self.known.row(worst, output)
                best = worst.judged.estimate
            finding.curve = curve(self.rows, leaf, place, row, best)
        if detail > 1:
            finding.jacobian = jacobian(self.rows, output, leaf, self.judged)


class _Along(Enum):
    """The state of claims along a direction: as good as zero are those that no output feels."""

    RIGHT = "right"
    VANISHING = "as good as zero"
    DOUBTFUL = "doubtful"


class _EntryLines:
    """The lines on which one entry of a leaf moves, each."""

    def __init__(self, rows: Rows, leaves: Array, places: Array, noise: Array, flat: Array) -> None:
        self._rows = rows
        self._leaves = leaves
        self._places = places
        self.at = np.abs(entries_of(rows.at, leaves, places))
        self.noise = noise
        self.centre = rows.of(flat)

    def imag(self, some: Array, heights: Array, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h (E, k, m), with heights (E,) and offsets (E, k)."""
        found = imag_entries(self._rows.plan, self._leaves[some], self._places[some], heights, offsets)
        return None if found is None else self._rows.of(found)

    def moved(self, some: Array, part: float) -> tuple[Array, Array]:
        """Quick steps that are smaller by a part, and the outputs there."""
        x = entries_of(self._rows.at, self._leaves[some], self._places[some])
        steps, values = moved_entries(self._rows.plan, self._leaves[some], self._places[some], quick_steps(x, part))
        return steps, self._rows.of(values)

    def roundings(self, rows: Array) -> Iterator[tuple[int, Array]]:
        """Bound how far rounding may have moved the claims for each of some rows (E,)."""
        for r, bounds in self._rows.roundings(rows.tolist()):
            yield r, entries_of(bounds, self._leaves, self._places)

    def imag_noise(self, some: Array) -> Array:
        """Bound how far rounding may move complex step of some lines (E, m)."""
        leaves, places, heights = self._leaves[some], self._places[some], quick_heights(self.at[some])
        return imag_noise_of_entries(self._rows.plan, leaves, places, heights, self._rows.of)


class _Doubted(NamedTuple):
    """All of an output with respect to an input that is not passed beyond doubt at once, the gravest first."""

    table: list[Entry]
    verdicts: set[Verdict]
    digits: list[float]


class _Differences(NamedTuple):
    """Steps (E, k), the outputs there (E, k, m), and their noise (m,)."""

    steps: Array
    values: Array
    noise: Array


class _Beside(NamedTuple):
    """Claims (E, R) beside estimates and their bars."""

    claims: Array
    estimate: Array
    bar: Array

    @property
    def off(self) -> Array:
        """The error of each claim as a part of its size."""
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(self.claims), np.abs(self.estimate))
            return np.where(size > 0, np.abs(self.claims - self.estimate) / size, 0.0)

    def by_a_factor(self, i: int, r: int) -> bool:
        """Tell whether a claim is off by the factor by which that for another slope is: rounding does not do that."""
        with np.errstate(all="ignore"):
            factors, sizes = self.claims[:, r] / self.estimate[:, r], np.abs(self.estimate[:, r])
            same = np.abs(factors - factors[i]) <= _SAME * np.abs(factors[i])
            other = np.abs(sizes - sizes[i]) > _OTHER * sizes[i]
            return bool(np.isfinite(factors[i]) and factors[i] != 0 and (same & other).any())

    def wrong(self, i: int, r: int) -> Judged:
        """Make a finding of a claim that is plainly wrong."""
        estimate = float(self.estimate[i, r])
        return Judged(Verdict.WRONG, float(self.claims[i, r]), estimate, float(self.bar[i, r]))

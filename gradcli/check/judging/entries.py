"""Where is looked: at every entry of the inputs alone, or along directions that cover them all, until the wrong
entries are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from functools import cached_property

import numpy as np

from .. import budget
from ..arrays import Array
from ..replay.line import each_once, entries_of, imag_entries, moved_entries
from ..replay.subject import Subject
from ..slopes.many_at_once import QUICK_STEPS, agreeing, plainly_wrong, quick_heights, quick_steps, settled
from ..watched import looked_along
from .beside import Beside, Differences, EntryLines
from .findings import Entry, Finding, Options
from .first_look import NEARER, by_complex_step
from .found import Found
from .known import Seen
from .one_direction import Judge
from .rows import Direction, Rows, rms
from .together import Together
from .verdict import BLAMED, Verdict
from .whole_gradient import whole_gradient

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


def probe(
    subject: Subject, options: Options, rng: np.random.Generator, order: int = 1, part: float = math.inf
) -> list[Finding]:
    """A finding for each output with respect to each input; ``part``: of the time of the check, as much at the most."""
    looked = _Probe(subject, rng, order, options.digits or 0, part)
    looked.look(options.every_entry)
    return looked.found.findings(options.detail)


class _Probe:
    """Judge the claims."""

    def __init__(
        self, subject: Subject, rng: np.random.Generator, order: int, digits: int, part: float = math.inf
    ) -> None:
        self.subject = subject
        self.part = part
        self.rng = rng
        self.order = order
        self.rows = Rows(subject, rng, order)
        self.at = self.rows.at
        self.judge = Judge(self.rows, digits)
        self.found = Found(self.rows)
        self.judged, self.known = self.found.judged, self.found.known
        self.together = Together(self.found, self.judge, rng)
        # By leaf: how many claims that are plainly wrong were judged in full; and where rounding was to blame for one.
        self.plain = [0] * len(self.at)
        self.rounded: set[int] = set()
        # By leaf and output: where a claim is wrong whatever rounding does to it.
        self.proven: set[tuple[int, int]] = set()
        # By leaf and row: where a claim is inaccurate, and not for its own rounding.
        self.inexact: set[tuple[int, int]] = set()

    def look(self, every_entry: bool) -> None:
        """Judge what is claimed, as far as there is time."""
        try:
            self._look(every_entry)
        except budget.OutOfTime:
            self.found.cut = True
        with suppress(budget.OutOfTime):
            # Where something is wrong, all together is not right.
            wrong = {leaf for (leaf, _), by_row in self.judged.items() for j in by_row.values() if j.verdict in BLAMED}
            rest = [leaf for leaf in range(len(self.at)) if not (self.found.is_known(leaf) or leaf in wrong)]
            if self.found.cut and rest:
                self.found.all_pass = self._passes(self._random([rms(a) for a in self.at], rest), rest)
            self.together.look_along_ties()
        try:
            self.together.look_at_pieces()
        except budget.OutOfTime:
            self.together.leave_pieces_open()
        with suppress(budget.OutOfTime):
            self.together.look_along_kinks()

    def _look(self, every_entry: bool) -> None:
        few = sum(a.size for a in self.at) <= self.rows.plan.most_entries
        few &= len(self.at) <= max(self._affordable, _LEAST_ALONE)
        if every_entry or few:
            self._every_entry()
        else:
            self._directions()

    def _go_on(self) -> None:
        budget.go_on(self.part)

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
        broken = np.flatnonzero(~np.isfinite(of(self.rows.flat)))
        if len(broken) == len(self.rows.rows):
            self._of_no_number(leaves, places, broken)
            return
        x = entries_of(self.at, leaves, places)
        imag = imag_entries(plan, leaves, places, quick_heights(x), np.zeros(1))
        if imag is None and leaves[0] != leaves[-1]:
            # Of some it may be asked.
            for leaf in each_once(leaves):
                self._entries(leaves[leaves == leaf], places[leaves == leaf])
            return
        looked_along(len(places))
        steps, values = moved_entries(plan, leaves, places, quick_steps(x))
        noise = self.rows.line(self.rows.moved(int(leaves[0]), int(places[0]))).noise
        claims = self.rows.claims_of(leaves, places)
        values = of(values)
        seen = None if imag is None else of(imag)
        largest = self.rows.largest_claims[leaves]
        sure, digits, estimates, bars = settled(
            steps, values, noise, seen, claims, plan.assured, at=x, largest=largest
        )
        sure &= digits >= self.judge.wanted
        self.known.note_entries(leaves, places, sure, Seen(claims, estimates, bars, digits), imag is not None)
        sure[:, broken] = True
        beside = Differences(steps, values, noise)
        if seen is not None and not sure.all():
            sure |= self._closer(leaves, places, sure, seen, beside, claims)
        if plan.is_outside and not sure.all():
            sure |= self._nearer(leaves, places, sure, beside, claims)
        if not sure.all() and self._is_loose:
            sure |= self._left_over(leaves, places, sure, beside, claims)
        if not sure.all():
            self._look_again(leaves, places, sure, beside, claims, imag is not None)
        self._of_no_number(leaves, places, broken)

    def _of_no_number(self, leaves: Array, places: Array, broken: Array) -> None:
        """Judge the claims for those outputs that are no number here: each entry is looked at no further.

        With this, and what was judged of the other outputs, the entries count as seen.
        """
        if len(broken):
            from .verdict_table import of_no_number

            claims = self.rows.claims_of(leaves, places)
            for i, at in enumerate(zip(leaves.tolist(), places.tolist(), strict=True)):
                self.judged.setdefault(at, {}).update({r: of_no_number(float(claims[i, r])) for r in broken.tolist()})
        for leaf, count in zip(*np.unique(leaves, return_counts=True), strict=True):
            self.found.seen[int(leaf)] += int(count)

    def _look_again(
        self, leaves: Array, places: Array, sure: Array, beside: Differences, claims: Array, by_complex_step: bool
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
        in_doubt = set(closer) - self.found.doubtful
        self.found.doubtful |= in_doubt
        for leaf in closer:
            some = np.flatnonzero(leaves == leaf)
            for i in some[~sure[some].all(1) & ~wrong[some]].tolist():
                self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
            found = Beside(claims[some], estimate[some], bar[some])
            told = self._look_at_worst(leaf, places[some], sure[some], wrong[some], found)
            # Where the rounding of the worst is to blame, that of the others may be, too.
            rest = some[wrong[some]][~told]
            if by_complex_step and len(rest):
                differences = Differences(beside.steps[rest], beside.values[rest], beside.noise)
                sure[rest] |= self._witnessed(leaves[rest], places[rest], sure[rest], differences, claims[rest])
            for i in rest[~sure[rest].all(1)].tolist():
                self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
        self.found.doubtful -= in_doubt

    def _nearer(self, leaves: Array, places: Array, sure: Array, beside: Differences, claims: Array) -> Array:
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

    def _closer(
        self, leaves: Array, places: Array, sure: Array, seen: Array, beside: Differences, claims: Array
    ) -> Array:
        """The claims in doubt for differences alone, as beside a kink, that those with smaller steps leave none of."""
        found = np.zeros(sure.shape, np.bool_)
        some = np.flatnonzero(~sure.all(1) & (sure | agreeing(seen, claims)).all(1))
        if len(some):
            x = entries_of(self.at, leaves[some], places[some])
            steps, values = moved_entries(self.rows.plan, leaves[some], places[some], quick_steps(x, NEARER))
            good, digits, estimates, bars = settled(
                steps, self.rows.of(values), beside.noise, seen[some], claims[some], self.rows.plan.assured, at=x
            )
            good &= (digits >= self.judge.wanted) & ~sure[some]
            told = Seen(claims[some], estimates, bars, digits)
            self.known.note_entries(leaves[some], places[some], good, told, True)
            found[some] = good
        return found

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
                good = found[0] & (found[1] >= self.judge.wanted) & (claims[some] != 0) & ~(sure | made)[some]
                told = Seen(claims[some], *found[2:], found[1])
                self.known.note_entries(leaves[some], places[some], good, told, False)
                made[some] |= good

    def _left_over(self, leaves: Array, places: Array, sure: Array, beside: Differences, claims: Array) -> Array:
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
            moves, jumps = moves_beside_jumps(self.rows.line(self.rows.moved(*at)), claims[i])
            rows = np.flatnonzero(~sure[i]).tolist()
            if all(moves[r] <= jumps[r] or moves[r] <= self.judge.jump(r) for r in rows):
                self.judged[at] = {r: left_over_at(*(float(a[i, r]) for a in (claims, slopes, bars))) for r in rows}
                found[i] = True
        return found

    @cached_property
    def _is_loose(self) -> bool:
        """Tell whether a Function repeats something until it is near enough: only then is it known so far."""
        from .loop_ends import stops_when_near

        return not self.rows.plan.is_outside and stops_when_near(self.subject)

    def _witnessed(self, leaves: Array, places: Array, sure: Array, beside: Differences, claims: Array) -> Array:
        """The claims in doubt that are right by complex step and its bars, looked at for all entries together."""
        from .verdict_table import vanishing_at

        made = np.zeros(sure.shape, np.bool_)
        doubtful = np.flatnonzero(~sure.all(1))
        leaves, places, claims, wanted = leaves[doubtful], places[doubtful], claims[doubtful], ~sure[doubtful]
        lines = EntryLines(self.rows, leaves, places, beside.noise, self.rows.flat)
        steps, values, _ = beside
        told = by_complex_step(lines, claims, wanted, steps[doubtful], values[doubtful], self.judge.wanted)
        if told is None:
            return made
        self.known.note_entries(leaves, places, told.good, Seen(claims, *told.seen, told.digits), True)
        made[doubtful] = told.good
        vanishing = (told.vanishes & ~told.good).any(1) & (told.vanishes | told.good | ~wanted).all(1)
        for i in np.flatnonzero(vanishing).tolist():
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

    def _look_at_worst(self, leaf: int, places: Array, sure: Array, wrong: Array, beside: Beside) -> Array:
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
        direction = self.rows.moved(leaf, place)
        inexact = all((leaf, row) in self.inexact for row in rows)
        judged = self.judge.along(direction, self.rows.claims[leaf][:, place], rows, quickly, with_near, inexact)
        if with_near and not quickly:
            self.inexact.update((leaf, row) for row, found in judged.items() if found.verdict is Verdict.INACCURATE)
        if self.order > 1:
            for row, found in judged.items():
                if found.verdict is Verdict.DISCONTINUITY:
                    from .special_points.slope_jumps import beside

                    # A first derivative that jumps has a second one on either side.
                    judged[row] = beside(self.rows.line(direction, row), 0, found.claimed, found)
        if with_near and not quickly:
            wrong = [row for row, found in judged.items() if found.verdict is Verdict.WRONG]
            self.proven.update((leaf, self.rows.rows[row].output) for row in wrong)
        self.judged[leaf, place] = judged

    # -- directions --------------------------------------------------------------------------

    def _directions(self) -> None:
        """Judge directions that move everything, and each input alone; then look closer where one does not pass."""
        leaves = range(len(self.at))
        sizes = [rms(a) for a in self.at]
        together: list[_Along] = []
        while len(together) < _DIRECTIONS and _Along.DOUBTFUL not in together:
            together.append(self._along(self._random(sizes, leaves), leaves))
        self.found.all_pass = all(found is _Along.RIGHT for found in together)
        # Of very many inputs a few at a time.
        count = max(min(_MOST_ALONE, self._affordable), _LEAST_ALONE)
        for part in np.array_split(leaves, min(len(leaves), count)):
            group: list[int] = part.tolist()
            self._go_on()
            if len(group) == 1 or not self._passes(self._random(sizes, group), group):
                self._each(group, sizes)
            self.found.sound.update(group)
        if _Along.DOUBTFUL in together and not self.judged:
            # What does not pass together must show in some entry.
            self._every_entry()

    def _each(self, leaves: Sequence[int], sizes: Sequence[float]) -> None:
        """Judge inputs alone."""
        for leaf in leaves:
            a = self.at[leaf]
            self._go_on()
            found = self._along(self.rows.alone(leaf, self._normal(a, sizes[leaf])), [leaf])
            if found is _Along.RIGHT:
                continue
            self.found.doubtful.add(leaf)
            if found is _Along.VANISHING and a.size > _WORST and self._vanishes(leaf, sizes[leaf]):
                # What all entries together do not make felt, none does alone: the largest claims are looked at.
                self.found.vanishing.add(leaf)
                largest = np.argsort(-np.abs(self.rows.claims[leaf]).max(0), kind="stable")[:_LARGEST]
                self._entries(np.full(len(largest), leaf), np.sort(largest))
            else:
                self._narrow(leaf, np.arange(a.size), sizes[leaf])
            self.found.doubtful.remove(leaf)

    def _vanishes(self, leaf: int, size: float) -> bool:
        """Tell whether no output feels an input, seen once more along another direction."""
        return self._along(self.rows.alone(leaf, self._normal(self.at[leaf], size)), [leaf]) is _Along.VANISHING

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
        return self.rows.alone(leaf, moved.reshape(self.at[leaf].shape))

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
        sure &= digits >= self.judge.wanted
        wrong = np.asarray(~sure.all(1) & (sure | plain).all(1))
        told[wrong] = self._look_at_worst(leaf, places, sure, wrong, Beside(claims, *found))
        if leaf in self.rounded:
            return np.zeros_like(told)
        self.found.seen[leaf] += int(told.sum())
        leaves, seen = np.full(len(places), leaf), Seen(claims, *found, digits)
        self.known.note_entries(leaves, places, sure & told[:, None], seen, True)
        return told

    def _passes(self, direction: Direction, leaves: Sequence[int]) -> bool:
        """Tell whether the claims along a direction are right."""
        return self._along(direction, leaves) is _Along.RIGHT

    def _along(self, direction: Direction, leaves: Sequence[int]) -> _Along:
        """Look at the claims along a direction."""
        claims = self.rows.claim_along(direction)
        passed = self.judge.settled(direction, claims)
        if passed is not None and not all(j.is_right for j in passed):
            return _Along.DOUBTFUL if any(j.verdict is Verdict.WRONG for j in passed) else _Along.VANISHING
        if passed is None:
            rows = list(range(len(self.rows.rows)))
            judged = self.judge.along(direction, claims, rows, quickly=True)
            if any(j.verdict is Verdict.WRONG and j.off > _FAR for j in judged.values()):
                return _Along.DOUBTFUL
            if not all(j.is_right for j in judged.values()):
                judged = self.judge.along(direction, claims, rows)
            if not all(j.is_right for j in judged.values()):
                return _Along.DOUBTFUL
            passed = list(judged.values())
        for row, found in zip(self.rows.rows, passed, strict=True):
            self.known.note(leaves, row, Entry((), math.nan, found, row.index, along=True))
        return _Along.RIGHT


class _Along(Enum):
    """The state of claims along a direction: as good as zero are those that no output feels."""

    RIGHT = "right"
    VANISHING = "as good as zero"
    DOUBTFUL = "doubtful"

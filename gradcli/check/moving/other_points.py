"""A program moved to other points: what is right at one point only is found wrong at another.

Only custom Functions and derivatives by hand are worth it: a graph of gradcli's own ops is right wherever it is. A
point is a proof only where the program is defined: it runs, its numbers and its claims are finite, no guard against
rounding steps in that did not before, and matrices stay symmetric that an op takes to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import raised_by_program
from ...spec.language.machine import said
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..blaming.lost_digits import loses_digits
from ..claims.plain_differences import Glance, glanced
from ..claims.straight import are_right, can_be_asked, kinds
from ..judging.findings import Covered, Finding, of_another_point
from ..judging.loop_ends import stops_when_near, unended
from ..judging.verdict import Verdict
from ..replay.custom_function.inside_function import BACKWARD, FORWARD
from ..replay.kink_sides import Fork, Reach
from ..replay.only_ops import is_pure
from ..replay.plan import Unreplayable
from ..replay.subject import Subject, custom
from .branches import Uncovered
from .mover import BEHIND, Mover, Point, has_one_sign, told
from .other_shapes import functions_alone, hides_something, shape_findings
from .similar_numbers import MANNERS, Manner
from .special_points import degenerate

Judge = Callable[[Subject], list[Finding]]

# How many points of the same kind are looked at; and in which manners they are chosen few are enough: what does
# the same with all numbers, and is right at a point that is not special, is hardly wrong at another.
_POINTS, _APART = 4, MANNERS[1::2]
# So few numbers are looked at closely where differences say nothing.
_FEW = 64
# What a solver leaves over is less than this part of a derivative.
_LOOSE = 1e-3


def points(subject: Subject, rng: np.random.Generator, wanted: int) -> Iterator[list[Array]]:
    """Other values of the same kind for the inputs, at which the program is defined: at most so many."""
    for found in Mover(subject, rng, False, everywhere=True).points(wanted, [x for x in MANNERS if not x.freely]):
        yield found.arrays


class Elsewhere(NamedTuple):
    """The findings at other points, what there is to say of them, and the kinks whose sides were looked for."""

    findings: list[Finding]
    notes: list[Note]
    coverage: list[Covered]


def elsewhere_findings(
    subject: Subject,
    rng: np.random.Generator,
    judge_subject: Judge,
    *,
    by_hand: bool = False,
    everywhere: bool = False,
    found: list[Finding] | None = None,
) -> Elsewhere:
    """Find what is wrong at other points, behind kinks and at other shapes, and what nobody could look at.

    ``judge_subject``: the findings at one point. ``by_hand``: a derivative of the whole expression was derived by
    hand. ``everywhere``: also where the program may never go. ``found``: where findings go as they are made, since the
    time may end before all points were looked at. Who calls knows what is wrong at the point itself; an
    output that is wrong there with respect to an input need not be told once more.
    """
    try:
        if not by_hand and not custom(subject):
            return Elsewhere([], [], [])
    except Unreplayable:
        return Elsewhere([], [], [])
    try:
        mover = Mover(subject, rng, by_hand, everywhere)
    except raised_by_program() as error:
        return Elsewhere([], [Note(NoteKind.DEGENERATE_POINT, f"no other point was looked at: {said(error)}")], [])
    search = _Search(mover, judge_subject, [] if found is None else found)
    why = subject.rerun_why
    if why is None:
        search.run()
    else:
        search.unreached = {(x.key, x.side) for x in search.seen.uncovered()}
        search.notes += _unmoved(subject, mover.first.uncovered(), why)
    shaped, notes = ([], []) if by_hand else shape_findings(subject, rng, search.there, everywhere=everywhere)
    known = {(x.output, x.input) for x in search.found}
    more = [x for x in shaped if (x.output, x.input) not in known]
    return Elsewhere([*search.found, *more], [*search.notes, *notes], search.coverage())


def _unmoved(subject: Subject, uncovered: Sequence[Uncovered], why: str) -> list[Note]:
    """Say what has to be said where no other point can be looked at."""
    notes = list(dict.fromkeys(Note(NoteKind.BRANCH_UNCOVERED, x.sentence) for x in uncovered))
    special = degenerate(subject)
    if special:
        notes.append(Note(NoteKind.DEGENERATE_POINT, f"{'; '.join(special)}; no other point was looked at: {why}"))
    return notes


class _Search:
    """Looks at other points, until every side of every kink was seen."""

    def __init__(self, mover: Mover, judge: Judge, found: list[Finding]) -> None:
        self.mover = mover
        self.judge = judge
        self.found = found
        self.notes: list[Note] = []
        # What the gradient may be meant for, where it is right there.
        self.limits: list[Note] = []
        self.seen = mover.first
        self.special = degenerate(mover.subject)
        # What the program is at other points.
        self.there: list[Subject] = []
        # The numbers of all points that were looked at.
        self.looked: set[tuple[bytes, ...]] = set()
        # The sides that somebody should look at, and nobody could.
        self.unreached: set[tuple[Any, str]] = set()
        # The sides where the program is not defined.
        self.barred: set[tuple[Any, str]] = set()
        # The kinks that were met at another point first, behind the side of another, each with that point.
        self.met_at: dict[Any, Point] = {}

    def run(self) -> None:
        """Look at points of the same kind, then behind each kink whose other side none of them saw."""
        before = {(x.key, x.side) for x in self.seen.uncovered()}
        # Where no input is of one sign, the freest manner keeps none.
        apart = _APART if any(map(has_one_sign, self.mover.at)) else _APART[-1:]
        manners = MANNERS[:_POINTS] if self._may_vary else apart
        if not (self._is_special or before) and self._are_right_at_once(manners):
            self._look_beside_borders()
            return
        points = list(self.mover.points(len(manners), manners))
        if not points:
            self.unreached = before
            self.notes += _unmoved(self.mover.subject, self.seen.uncovered(), self.mover.why)
            return
        for point in points:
            self._look(point)
        if self.seen.reads:
            for point in self.mover.scaled():
                if not _is_stuck(self.mover.subject, point.subject):
                    self._look(point)
        for point in self.mover.untied():
            if self._seems_wrong(point):
                words = f"the gradient is right as long as {self.mover.tied}; it is wrong at {told(point)}"
                self.limits.append(Note(NoteKind.OUT_OF_REACH, words))
                self.limits += [Note(NoteKind.DEGENERATE_POINT, "; ".join(self.special))] if self.special else []
                break
        for x in self.seen.uncovered():
            self._go_behind(x)
        self._go_further()
        if not self.found:
            self._look_beside_borders()
        self._note_the_rest(before)

    def _are_right_at_once(self, manners: Sequence[Manner]) -> bool:
        """Tell whether Functions are right with what arrives at them at other points, where that is soon seen: they
        choose nothing, or no side of anything is left to be seen."""
        mover, plan, own = self.mover, self.mover.subject.plan, custom(self.mover.subject)
        if mover.held or plan.reads_beyond or any(hides_something(a) for node in own for a in plan.given(node, {})):
            return False
        # What else than its numbers a Function goes by, may be otherwise each time.
        some = [kind for kind in kinds(plan, own) if is_pure(kind[0].function)]
        some += [[node] for node in own if not is_pure(node.function)]
        if not all(can_be_asked(plan, each[0], others_stay=mover.subject.is_all_in_its_graph) for each in some):
            return False
        points = [mover.bound(mover.alike(manner)) for manner in manners]
        try:
            values = plan.values_at([np.stack(several) for several in zip(*points, strict=True)], len(points))
        except raised_by_program():
            # It is asked there once more, alone.
            return False

        def at(node: Any, i: int) -> list[Array]:
            pairs = zip(plan.given(node, values), plan.given(node, {}), strict=True)
            return [a[i] if a.ndim > b.ndim else a for a, b in pairs]

        return all(
            are_right(plan, each[0], [at(node, i) for node in each for i in range(len(points))], mover.rng)
            for each in some
        )

    @property
    def _may_vary(self) -> bool:
        """Tell whether a Function may do otherwise elsewhere, or the given point may be one that hides a mistake."""
        return self._is_special or self.mover.first.varies

    @property
    def _is_special(self) -> bool:
        """Tell whether the given point may be one that hides a mistake, or numbers are used that nobody sees."""
        mover = self.mover
        return bool(self.special or any(mover.bonds) or mover.first.reads or mover.by_hand or mover.everywhere)

    def coverage(self) -> list[Covered]:
        """Every kink, and its sides."""
        return [
            Covered(
                fork.what,
                fork.owner,
                fork.span,
                tuple(dict.fromkeys([*fork.sides, *fork.missing])),
                tuple(side for side in fork.sides if side in fork.seen),
                tuple(
                    side
                    for side in [*fork.sides, *fork.missing]
                    if side not in fork.seen and (key, side) not in self.unreached
                ),
            )
            for key, fork in self.seen.forks.items()
            if fork.seen and not fork.guards
        ]

    def _go_behind(self, missing: Uncovered) -> None:
        fork = self.seen.forks[missing.key]
        if missing.side not in fork.missing or missing.side not in fork.reach:
            return
        for also in (False, True):
            reach = fork.also if also else fork.reach[missing.side]
            if reach is None or missing.side not in fork.missing:
                continue
            self._go(missing, reach, also)

    def _go_further(self) -> None:
        """Look behind what was met on the other sides only, and behind what is met there."""
        gone: set[tuple[Any, str]] = set()
        while not self.found:
            inner = [x for x in self.seen.uncovered() if x.key in self.met_at and (x.key, x.side) not in gone]
            if not inner:
                return
            for x in inner:
                gone.add((x.key, x.side))
                self._go_behind(x)

    def _go(self, missing: Uncovered, reach: Reach, also: bool) -> None:
        """Look at points on one of the ways to a side."""
        fork = self.seen.forks[missing.key]

        def is_there(point: Point) -> Reach | None:
            now = point.coverage.forks.get(missing.key)
            if now is None or missing.side not in fork.with_(now).missing:
                return None
            return now.also if also else now.reach.get(missing.side)

        for part in BEHIND:
            start = self.met_at.get(missing.key)
            point = self.mover.behind(reach, part, is_there, start=start, within=_function_of(fork))
            if point is not None:
                self._look(point)
        if self.mover.refused:
            self.barred.add((missing.key, missing.side))

    def _look_beside_borders(self) -> None:
        """Look just beside the thresholds of each Function: those of its backward may not be those of its forward."""
        methods = {fork.owner for fork in self.seen.forks.values() if fork.owner is not None}
        for fork in list(self.seen.forks.values()):
            # Beyond a threshold that could not be reached nothing lies just beside it.
            if fork.owner is None or fork.guards or fork.missing or not _in_both(fork.owner, methods):
                continue
            across = self._across(fork, None)
            if across is not None:
                self._across(fork, across)

    def _across(self, fork: Fork, start: Point | None) -> Point | None:
        """A point just beyond a threshold, from the given point or from another one; it is looked at."""
        key = next(key for key, each in self.seen.forks.items() if each is fork)
        here = fork if start is None else start.coverage.forks.get(key)
        if here is None or here.border is None or not np.isfinite(here.border.gap) or here.border.gap == 0:
            return None
        point = self.mover.behind(here.border, 0.0, lambda point: None, start=start, within=_function_of(fork))
        if point is not None:
            self._look(point)
        return point

    def _look(self, point: Point) -> None:
        """Judge the claims at a point, once."""
        key = tuple([a.tobytes() for a in point.arrays])
        if key in self.looked:
            return
        self.looked.add(key)
        does = None
        if not self.mover.everywhere and not self.mover.by_hand:
            does = unended(self.mover.subject, point.subject)
        if does is not None:
            if self._seems_wrong(point):
                words = f"at {told(point)} a loop {does}: the gradient is not meant for that"
                self.limits.append(Note(NoteKind.ENDLESS, words))
            return
        new = self.seen.join(point.coverage)
        if not point.is_free:
            self.there.append(point.subject)
        if point.is_free and not new and not self.mover.everywhere:
            # The Function may be meant for numbers of one sign only, and says so nowhere. What a solver leaves over
            # at them, a glance would take for wrong.
            if not self._is_loose and self._seems_wrong(point):
                words = f"the gradient is right for numbers of one sign, wrong at {told(point)}"
                self.limits.append(Note(NoteKind.OUT_OF_REACH, words))
            return
        for at, fork in point.coverage.forks.items():
            # What has no place in the text is not known again.
            if at not in self.seen.forks and fork.span is not None:
                self.seen.forks[at], self.met_at[at] = fork, point
        wrong = self._wrong(point, bool(new))
        if new and not wrong and not self.mover.by_hand:
            # What is behind a kink may be hidden from the output by what follows.
            alone = functions_alone(self.mover.with_places(point), self.mover.rng, everywhere=self.mover.everywhere)
            wrong = [x for x in alone if is_proof(x)]
        known = {(x.output, x.input) for x in self.found}
        for finding in wrong:
            if (finding.output, finding.input) in known:
                continue
            known.add((finding.output, finding.input))
            finding.notes.append(elsewhere(finding, point))
            finding.notes += [Note(NoteKind.BRANCH_UNCOVERED, f"{x.sentence}, and {x.side} elsewhere") for x in new]
            if self.special:
                finding.notes.append(Note(NoteKind.DEGENERATE_POINT, "; ".join(self.special)))
            self.found.append(finding)

    def _wrong(self, point: Point, new: bool = False) -> list[Finding]:
        """Find what is wrong at a point; ``new``: a side of something is seen there first."""
        try:
            if not self.mover.by_hand and not self._is_worth_it(point, new):
                return []
            found = self.judge(self.mover.with_places(point))
        except raised_by_program():
            # A backward that refuses says nothing: the point is none of its domain.
            return []
        return [x for x in found if is_proof(x) and not (self._is_loose and _is_near(x))]

    @cached_property
    def _is_loose(self) -> bool:
        """Tell whether a solver leaves something over, which may be more elsewhere than at the point itself."""
        return not self.mover.everywhere and not self.mover.by_hand and stops_when_near(self.mover.subject)

    def _is_worth_it(self, point: Point, new: bool) -> bool:
        """Tell whether to look closely: at many numbers only where something seems wrong, at few where it may be.

        A glance does not see what a cast takes, which a branch may hide.
        """
        few = sum(a.size for a in point.arrays) <= _FEW
        if few and new and self._loses_digits:
            return True
        seen = glanced(point.subject, self.mover.rng)
        return seen is Glance.WRONG or (seen is Glance.UNCLEAR and few)

    @cached_property
    def _loses_digits(self) -> bool:
        """Tell whether there is a cast or a short constant in some backward."""
        return any(map(loses_digits, custom(self.mover.subject)))

    def _seems_wrong(self, point: Point) -> bool:
        """Tell whether something is wrong at a point, as far as a note needs it."""
        if self.mover.by_hand:
            return bool(self._wrong(point))
        try:
            return glanced(point.subject, self.mover.rng) is Glance.WRONG
        except raised_by_program():
            # As above.
            return False

    def _note_the_rest(self, before: set[tuple[Any, str]]) -> None:
        for x in self.seen.uncovered():
            fork = self.seen.forks[x.key]
            # What no step brings below 0, as a norm, is compared with it for safety's sake.
            safe = fork.with_zero and x.side in fork.reach
            if (x.key, x.side) in before - self.barred and not safe:
                self.unreached.add((x.key, x.side))
                self.notes.append(Note(NoteKind.BRANCH_UNCOVERED, x.sentence))
        if self.mover.left < 0:
            self.notes.append(
                Note(NoteKind.ELSEWHERE, "the program takes too long to be looked at wherever that is worth it")
            )
        self.notes = list(dict.fromkeys([*self.notes, *([] if self.found else self.limits)]))


def _is_stuck(here: Subject, there: Subject) -> bool:
    """Tell whether loops by values only lose their way at another point, as a bisection without a root in its bracket.

    What a Function compared came out both ways here, and comes out one way there; nothing comes out otherwise.
    """
    if there.trace is None or any(ways - here.decided.get(key, ways) for key, ways in there.decided.items()):
        return False
    owned = (key for key, made in there.trace.decisions.items() if made.owner is not None)
    return any(len(there.decided[key]) < len(here.decided.get(key, ())) for key in owned if there.decided[key])


def _function_of(fork: Fork) -> str | None:
    """The name of the Function that a kink is in."""
    return None if fork.owner is None else fork.owner.rpartition(".")[0]


def _in_both(method: str, methods: Collection[str]) -> bool:
    """Tell whether something is compared in the forward of a Function and in its backward."""
    name = method.rpartition(".")[0]
    return f"{name}.{FORWARD}" in methods and f"{name}.{BACKWARD}" in methods


def elsewhere(finding: Finding, point: Point) -> Note:
    """Say of a finding at another point that it is of that one."""
    how = "inaccurate" if finding.verdict is Verdict.INACCURATE else "wrong"
    return of_another_point(f"{how} at {told(point)}")


def _is_near(finding: Finding) -> bool:
    """Tell whether a claim is as near to what was measured as a loose solver may bring it."""
    worst = finding.worst
    if worst is None or worst.judged.estimate is None:
        return False
    return abs(worst.judged.claimed - worst.judged.estimate) <= _LOOSE * abs(worst.judged.estimate)


def is_proof(finding: Finding) -> bool:
    """Tell whether a gradient is shown to be wrong at another point: kinks, edges and infinite claims do not.

    Nor do lost digits, which many a formula loses at some numbers, but where a cast or a constant is to blame.
    """
    worst = finding.worst
    if finding.verdict is Verdict.INACCURATE:
        return any(note.kind is NoteKind.DIGITS for note in finding.notes)
    return finding.verdict is Verdict.WRONG and (worst is None or bool(np.isfinite(worst.judged.claimed)))

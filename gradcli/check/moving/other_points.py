"""A program moved to other points: what is right at one point only is found wrong at another.

Only custom Functions and derivatives by hand are worth it: a graph of gradcli's own ops is right wherever it is. A
point is a proof only where the program is defined: it runs, its numbers and its claims are finite, no guard against
rounding steps in that did not before, and matrices stay symmetric that an op takes to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import raised_by_program
from ...spec.language.machine import said
from ...verdicts import Note, NoteKind
from ..judging.findings import Finding
from ..judging.special_points import degenerate
from ..judging.verdict import Verdict
from ..replay.assumed_by_program import keep, premises, why_lost
from ..replay.kink_sides import Reach
from ..replay.plain_differences import Glance, glanced
from ..replay.plan import Unreplayable
from ..replay.subject import Subject
from .bonds import bonds_of, bound
from .branches import Coverage, Uncovered, coverage, custom, towards
from .other_shapes import functions_alone, shape_findings
from .similar_numbers import MANNERS, Kind, Manner, alike, kind_of

Array = np.ndarray[Any, np.dtype[Any]]
Judge = Callable[[Subject], list[Finding]]

# How many points of the same kind are looked at, and how many draws one of them is worth.
_POINTS, _DRAWS = 4, 3
# How the numbers of an input are chosen that nothing ties any more.
_LOOSELY = MANNERS[:2]
# How far behind a kink is looked, in parts of the way to it, and how many steps may lead there.
_BEHIND, _STEPS = (0.1, 1.0), 4
# So much of an interval between two kinks is gone in at most; so far is gone where the way is no measure.
_INTO, _LEAST = 0.3, 1e-3
# Where nobody sees what a Function does with its numbers, others of these sizes are tried.
_SCALES = (8.0, 1 / 8)
# So few numbers are looked at closely where differences say nothing.
_FEW = 64
# How many numbers of an input are told.
_TOLD = 6


class Point(NamedTuple):
    """Other values of the inputs, and what the program does there."""

    arrays: list[Array]
    subject: Subject
    coverage: Coverage
    # Whether numbers that all had one sign have another one.
    is_free: bool = False


class _Mover:
    """A program, and the points that it can be moved to."""

    def __init__(self, subject: Subject, rng: np.random.Generator, by_hand: bool, everywhere: bool = False) -> None:
        self.subject = subject
        self.rng = rng
        self.by_hand = by_hand
        self.at = subject.at
        self.first = coverage(subject, rng, by_hand=by_hand)
        self.kinds = [kind_of(a) for a in self.at]
        # A Function may rely on what ties the numbers of an input; a formula by hand is right wherever it is, or wrong.
        self.everywhere = everywhere
        self.bonds = [[] if by_hand or everywhere else bonds_of(a) for a in self.at]
        # How the program refused the last point that it refused.
        self.why = "the program is defined nowhere near"
        # Whether the last way led where the program is not defined.
        self.refused = False
        # How many points there is time for.
        self.left = subject.reruns
        self.held = premises(subject.nodes)
        # With other numbers in the halves of a matrix, such an op computes something else.
        self.keeps_symmetry = self.first.reads_half

    def point(self, arrays: Sequence[Array], *, loose: bool = False) -> Point | None:
        """The program at other values; None where it is not defined.

        ``loose``: what ties the numbers of an input need not hold.
        """
        self.left -= 1
        if self.left < 0:
            self.why = "the program takes too long"
            return None
        if not loose:
            with np.errstate(all="ignore"):
                pairs = zip(self.bonds, arrays, strict=True)
                arrays = [bound(bonds, a) if np.isfinite(a).all() else a for bonds, a in pairs]
        arrays = keep(self.held, self.at, arrays)
        if not all(np.isfinite(a).all() for a in arrays):
            return None
        try:
            subject = self.subject.recorded_at(arrays)
            seen = coverage(subject, self.rng, by_hand=self.by_hand, first=self.subject)
        except raised_by_program() as error:
            # A program may raise anything where it is not meant to be.
            self.why = said(error)
            return None
        if not all(np.isfinite(y).all() for y in subject.numbers) or self.first.trips(seen):
            return None
        lost = why_lost(self.subject, subject)
        if lost is not None:
            self.why = lost
            return None
        return Point(list(arrays), subject, seen)

    def alike(self, manner: Manner) -> list[Array]:
        """Values of the same kind for all inputs."""
        if self.keeps_symmetry:
            manner = manner._replace(symmetry=True)
        return [
            alike(a, kind, self.rng, manner) if a.dtype.kind == "f" else a
            for a, kind in zip(self.at, self.kinds, strict=True)
        ]

    def points(self, wanted: int, manners: Sequence[Manner] = MANNERS) -> Iterator[Point]:
        """Points of the same kind, as many as there are of those wanted."""
        for number in range(wanted):
            manner = manners[number % len(manners)]
            for draw in range(_DRAWS):
                manner = manner if draw < _DRAWS - 1 else MANNERS[0]
                found = self.point(self.alike(manner))
                if found is not None:
                    yield found._replace(is_free=manner.freely and any(map(_has_one_sign, self.at)))
                    break

    def scaled(self) -> Iterator[Point]:
        """Points that are larger and smaller."""
        for scale in _SCALES:
            found = self.point([a * scale for a in self.at])
            if found is not None:
                yield found

    def untied(self) -> Iterator[Point]:
        """Points where nothing ties the numbers of an input any more."""
        if any(self.bonds):
            kinds: list[Kind] = [kind._replace(sums=None, unit=False, symmetric=False) for kind in self.kinds]
            for manner in _LOOSELY:
                there = [alike(a, kind, self.rng, manner) for a, kind in zip(self.at, kinds, strict=True)]
                found = self.point(there, loose=True)
                if found is not None:
                    yield found

    @property
    def tied(self) -> str:
        """What ties the numbers of which inputs."""
        pairs = zip(self.subject.inputs, self.bonds, strict=True)
        return " and ".join(f"{x.name} is {' and '.join(b.words for b in bonds)}" for x, bonds in pairs if bonds)

    def behind(self, reach: Reach, part: float, is_there: Callable[[Coverage], Reach | None]) -> Point | None:
        """A point on the other side of a kink, by steps along the gradient of what changes its sign there.

        ``is_there``: what is left of the way in what was seen at a point; None when there is none left.
        """
        subject, arrays = self.subject, self.at
        self.refused = False
        for _ in range(_STEPS):
            ways = towards(subject, reach)
            length = sum(float((way**2).sum()) for way in ways if way is not None)
            if not np.isfinite(length) or length == 0:
                return None
            far = max(part * abs(reach.gap), _LEAST * max(1.0, *(_size(a) for a in arrays)))
            change = -np.sign(reach.gap) * (abs(reach.gap) + min(far, _INTO * reach.width)) / length
            arrays = [a if way is None else a + change * way for a, way in zip(arrays, ways, strict=True)]
            found = self.point(arrays)
            if found is None:
                self.refused = True
                return None
            left = is_there(found.coverage)
            if left is None:
                return found
            subject, arrays, reach = found.subject, found.arrays, left
        return None


def _has_one_sign(a: Array) -> bool:
    return bool(a.size) and bool(np.all(a > 0) or np.all(a < 0))


def _size(a: Array) -> float:
    return float(np.abs(a).max()) if a.size else 0.0


def points(subject: Subject, rng: np.random.Generator, wanted: int) -> Iterator[list[Array]]:
    """Other values of the same kind for the inputs, at which the program is defined: at most so many."""
    for found in _Mover(subject, rng, False, everywhere=True).points(wanted, [x for x in MANNERS if not x.freely]):
        yield found.arrays


def elsewhere_findings(
    subject: Subject,
    rng: np.random.Generator,
    judge_subject: Judge,
    *,
    by_hand: bool = False,
    everywhere: bool = False,
) -> tuple[list[Finding], list[Note]]:
    """What is wrong at other points, behind kinks and at other shapes, and what nobody could look at.

    ``judge_subject``: the findings at one point. ``by_hand``: a derivative of the whole expression was derived by
    hand. ``everywhere``: also where the program may never go. Who calls knows what is wrong at the point itself; an
    output that is wrong there with respect to an input need not be told once more.
    """
    try:
        if not by_hand and not custom(subject):
            return [], []
    except Unreplayable:
        return [], []
    try:
        mover = _Mover(subject, rng, by_hand, everywhere)
    except raised_by_program() as error:
        return [], [Note(NoteKind.DEGENERATE_POINT, f"no other point was looked at: {said(error)}")]
    search = _Search(mover, judge_subject)
    why = subject.rerun_why
    if why is None:
        search.run()
    else:
        search.notes += _unmoved(subject, mover.first.uncovered(), why)
    shaped, notes = ([], []) if by_hand else shape_findings(subject, rng, search.there, everywhere=everywhere)
    known = {(x.output, x.input) for x in search.found}
    more = [x for x in shaped if (x.output, x.input) not in known]
    return [*search.found, *more], [*search.notes, *notes]


def _unmoved(subject: Subject, uncovered: Sequence[Uncovered], why: str) -> list[Note]:
    """What has to be said where no other point can be looked at."""
    notes = list(dict.fromkeys(Note(NoteKind.BRANCH_UNCOVERED, x.sentence) for x in uncovered))
    special = degenerate(subject)
    if special:
        notes.append(Note(NoteKind.DEGENERATE_POINT, f"{'; '.join(special)}; no other point was looked at: {why}"))
    return notes


class _Search:
    """Looks at other points, until every side of every kink was seen."""

    def __init__(self, mover: _Mover, judge: Judge) -> None:
        self.mover = mover
        self.judge = judge
        self.found: list[Finding] = []
        self.notes: list[Note] = []
        # What the gradient may be meant for, where it is right there.
        self.limits: list[Note] = []
        self.seen = mover.first
        self.special = degenerate(mover.subject)
        # What the program is at other points.
        self.there: list[Subject] = []
        # The sides where the program is not defined.
        self.barred: set[tuple[Any, str]] = set()

    def run(self) -> None:
        """Look at points of the same kind, then behind each kink whose other side none of them saw."""
        before = {(x.key, x.side) for x in self.seen.uncovered()}
        points = list(self.mover.points(_POINTS))
        if not points:
            self.notes += _unmoved(self.mover.subject, self.seen.uncovered(), self.mover.why)
            return
        for point in points:
            self._look(point)
        if self.seen.reads:
            for point in self.mover.scaled():
                self._look(point)
        for point in self.mover.untied():
            if self._seems_wrong(point):
                words = f"the gradient is right as long as {self.mover.tied}; it is wrong at {_told(point)}"
                self.limits.append(Note(NoteKind.OUT_OF_REACH, words))
                self.limits += [Note(NoteKind.DEGENERATE_POINT, '; '.join(self.special))] if self.special else []
                break
        for x in self.seen.uncovered():
            self._go_behind(x)
        self._note_the_rest(before)

    def _go_behind(self, missing: Uncovered) -> None:
        fork = self.seen.forks[missing.key]
        if missing.side not in fork.missing or missing.side not in fork.reach:
            return
        reach = fork.reach[missing.side]

        def is_there(seen: Coverage) -> Reach | None:
            now = seen.forks.get(missing.key)
            return None if now is None or missing.side not in fork.with_(now).missing else now.reach.get(missing.side)

        for part in _BEHIND:
            point = self.mover.behind(reach, part, is_there)
            if point is not None:
                self._look(point)
        if self.mover.refused:
            self.barred.add((missing.key, missing.side))

    def _look(self, point: Point) -> None:
        """Judge the claims at a point."""
        new = self.seen.join(point.coverage)
        if not point.is_free:
            self.there.append(point.subject)
        if point.is_free and not new and not self.mover.everywhere:
            # The Function may be meant for numbers of one sign only, and says so nowhere.
            if self._seems_wrong(point):
                words = f"the gradient is right for numbers of one sign, wrong at {_told(point)}"
                self.limits.append(Note(NoteKind.OUT_OF_REACH, words))
            return
        wrong = self._wrong(point)
        if new and not wrong and not self.mover.by_hand:
            # What is behind a kink may be hidden from the output by what follows.
            alone = functions_alone(point.subject, self.mover.rng, everywhere=self.mover.everywhere)
            wrong = [x for x in alone if is_proof(x)]
        known = {(x.output, x.input) for x in self.found}
        for finding in wrong:
            if (finding.output, finding.input) in known:
                continue
            known.add((finding.output, finding.input))
            finding.notes.append(Note(NoteKind.ELSEWHERE, f"right at the given point, wrong at {_told(point)}"))
            finding.notes += dict.fromkeys(Note(NoteKind.BRANCH_UNCOVERED, x.sentence) for x in new)
            if self.special:
                finding.notes.append(Note(NoteKind.DEGENERATE_POINT, '; '.join(self.special)))
            self.found.append(finding)

    def _wrong(self, point: Point) -> list[Finding]:
        """What is wrong at a point."""
        try:
            if not self.mover.by_hand and not self._is_worth_it(point):
                return []
            found = self.judge(point.subject)
        except raised_by_program():
            # A backward that refuses says nothing: the point is none of its domain.
            return []
        return [x for x in found if is_proof(x)]

    def _is_worth_it(self, point: Point) -> bool:
        """Whether to look closely: of many numbers only where something seems wrong, of few also where it may be."""
        seen = glanced(point.subject, self.mover.rng)
        return seen is Glance.WRONG or (seen is Glance.UNCLEAR and sum(a.size for a in point.arrays) <= _FEW)

    def _seems_wrong(self, point: Point) -> bool:
        """Whether something is wrong at a point, as far as a note needs it."""
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
                self.notes.append(Note(NoteKind.BRANCH_UNCOVERED, x.sentence))
        if self.mover.left < 0:
            self.notes.append(
                Note(NoteKind.ELSEWHERE, "the program takes too long to be looked at wherever that is worth it")
            )
        self.notes = list(dict.fromkeys([*self.notes, *([] if self.found else self.limits)]))


def is_proof(finding: Finding) -> bool:
    """Whether it shows at another point that a gradient is wrong: kinks, edges and infinite claims there do not."""
    worst = finding.worst
    return finding.verdict is Verdict.WRONG and (worst is None or bool(np.isfinite(worst.judged.claimed)))


def _told(point: Point) -> str:
    """The values of a point, shortly."""
    return ", ".join(f"{x.name} = {_shown(a)}" for x, a in zip(point.subject.inputs, point.arrays, strict=True))


def _shown(a: Array) -> str:
    if a.size > _TOLD:
        return f"[{', '.join(f'{v:.4g}' for v in a.reshape(-1)[:_TOLD])}, ...]"
    return f"[{', '.join(_shown(row) for row in a)}]" if a.ndim else f"{float(a):.4g}"

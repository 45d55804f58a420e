"""Branches of a program by the values of its inputs: `if x.sum() > 3`, `while error > 1e-9`, a condition on a number.

The graph of one run shows one side of each. The other is looked for by moving the inputs along what moves the numbers
that are compared: along their gradient where they have a graph, along differences of runs where they have none
(`.item()`, whole numbers). What the program does there is judged like the given point: paths around the graph, and its
own Functions. A comparison that the inputs do not move, such as that of a counter, decides nothing that is looked for,
and neither does one whose other side is there for rounding only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...errors import raised_by_program
from ...graph.view.gradients import fitted
from ...graph.view.places import text_of
from ...spec.language.decisions import Decision, Near
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..judging.findings import Covered, Finding
from ..judging.verdict import Verdict
from ..replay.kink_sides import FALSE, TRUE, Reach, is_guard
from ..replay.recorded_graph import Unrepeatable
from ..replay.subject import Subject, custom
from ..slopes.magnitude import rms
from .branches import towards
from .contradictions import Came, is_contradicted
from .mover import BEHIND, Mover, Point
from .other_points import elsewhere, is_proof

Judge = Callable[[Subject], list[Finding]]
Key = tuple[int, ...]

# How far the inputs are moved, of their size, to see which comparisons they move, and how fast.
_STEP = 2.0**-12
# Of more numbers than these some directions tell how fast, and so many of them.
_FEW, _DIRECTIONS = 24, 8
# How many points of the same kind are tried where no direction leads to the other side.
_POINTS = 4
# Whole numbers change by steps: so much further than the way seems to be the other side is looked for.
_BEYOND = (1.5, 3.0, 6.0)
# So many runs are needed to find anything, and what is said where there is no time for them.
_LEAST, _TOO_LONG = 2 * _FEW, "the program takes too long to be run again"
# Of a condition so many characters are told.
_TEXT = 60


_SIDES = ((TRUE, True), (FALSE, False))


class Branches(NamedTuple):
    """The findings on other sides of branches, notes on those that could not be reached, and all that there are."""

    findings: list[Finding]
    notes: list[Note]
    coverage: list[Covered]


def branch_findings(
    subject: Subject, rng: np.random.Generator, judge: Judge, found: list[Finding] | None = None
) -> Branches:
    """Look for the sides of branches that a program did not take; ``judge``: the findings at one point.

    ``found``: where findings go as they are made, since the time may end before all sides were looked at.
    """
    if subject.trace is None or not subject.trace.decisions:
        return Branches([], [], [])
    search = _Search(subject, rng, judge, [] if found is None else found)
    search.run()
    return Branches(search.found, search.notes(), search.coverage())


class _Search:
    """Looks for points at which a program decides otherwise."""

    def __init__(self, subject: Subject, rng: np.random.Generator, judge: Judge, found: list[Finding]) -> None:
        self.subject = subject
        self.rng = rng
        self.judge = judge
        self.found = found
        # When to stop.
        self.until = 0.0
        # Each decision with what was seen of it at all points.
        self.known: dict[Key, Decision] = {}
        self.outcomes: dict[Key, set[bool]] = {}
        # The point at which a decision was seen first; None: the given one.
        self.first: dict[Key, Point | None] = {}
        # At each point, how comparisons of two numbers came out.
        self.came: list[dict[Key, Came]] = []
        # Those whose other side is none of the program's, and why others could not be looked at.
        self.barred: set[Key] = set()
        self.why: dict[Key, str] = {}
        self._see(_decisions(subject), None)
        # How they came out before, as far as is known: a backward that is asked again decides once more.
        self.before = {key: set(outcomes) for key, outcomes in self.outcomes.items()}
        self.by_value = self._by_value()

    def _see(self, decisions: dict[Key, Decision], point: Point | None) -> list[Key]:
        """Take in what was decided at a point: the decisions with a side that nobody had seen."""
        new = []
        self.came.append({key: came for key, decision in decisions.items() if (came := _came(decision)) is not None})
        for key, decision in decisions.items():
            if key not in self.known:
                self.known[key], self.first[key], self.outcomes[key] = decision, point, set()
                if point is not None:
                    self.by_value.add(key)
            if decision.outcomes - self.outcomes[key] and point is not None:
                new.append(key)
            self.outcomes[key] |= decision.outcomes
        return new

    def _by_value(self) -> set[Key]:
        """The decisions that the inputs move."""
        arrays = [a + _STEP * _sized(a) * self.rng.standard_normal(a.shape) for a in self.subject.at]
        begun = time.process_time()
        there = _run(self.subject, arrays) if self.subject.reruns >= _LEAST else None
        # What is looked at takes as long as so many runs, however long that is in each.
        self.until = time.process_time() + self.subject.reruns * (time.process_time() - begun)
        if there is None:
            return {key for key, decision in self.known.items() if self._may_be_by_value(decision)}
        moved = _decisions(there)
        return {key for key, d in self.known.items() if key not in moved or _gaps(d) != _gaps(moved[key])}

    def _may_be_by_value(self, decision: Decision) -> bool:
        """Tell whether the inputs may move a decision, as far as one run tells."""
        tensors = [x for near in decision.nears.values() for x, _ in near.parts]
        reads = bool(self.subject.tape.escapes) and not decision.whole
        return reads or any(x._node is not None for x in tensors)

    def run(self) -> None:
        """Look for each side that was not seen, also of what is decided only there."""
        why = _TOO_LONG if self.subject.reruns < _LEAST else self.subject.rerun_why
        if why is not None:
            self.why = dict.fromkeys(self._missing(), why)
            return
        if not self._missing() and not self._may_turn():
            return
        try:
            mover = Mover(self.subject, self.rng, False)
        except raised_by_program():
            # A Function that refuses what it is given, or a graph that nobody can evaluate again.
            return
        tried: set[Key] = set()
        while pending := [key for key in self._missing() if key not in tried]:
            tried.add(pending[0])
            if time.process_time() < self.until:
                self._cross(mover, pending[0])
            else:
                self.why[pending[0]] = _TOO_LONG
        if self._missing() - self.barred or self._may_turn():
            for point in chain(mover.points(_POINTS), mover.scaled() if self._stepped() else ()):
                if time.process_time() >= self.until:
                    break
                self._look(point)
                self._go_on(mover, point)
        self.barred |= {key for key in self._missing() if is_contradicted(key, self.came)}

    def _go_on(self, mover: Mover, point: Point) -> None:
        """Look further along the way to a point, and back, for the sides that only whole numbers decide."""
        there = _decisions(point.subject)
        for key, decision in _decisions(self.subject).items():
            if not decision.whole or len(self.outcomes[key]) > 1 or key not in there:
                continue
            for name, near in decision.nears.items():
                moved = there[key].nears[name].gap - near.gap if name in there[key].nears else 0.0
                for beyond in _BEYOND if moved else ():
                    part = -beyond * near.gap / moved
                    ways = zip(self.subject.at, point.arrays, strict=True)
                    found = mover.point([a + part * (b - a) if a.dtype.kind == "f" else a for a, b in ways])
                    if found is not None:
                        self._look(found)
                    if len(self.outcomes[key]) > 1 or time.process_time() >= self.until:
                        break

    def _missing(self) -> set[Key]:
        return {
            key
            for key in self.by_value
            if len(self.outcomes[key]) == 1
            and not self.known[key].is_blind
            and not any(map(_guards, self.known[key].nears.values()))
        }

    def _may_turn(self) -> bool:
        """Tell whether something was decided by whole numbers, or nobody sees how near its other side is."""
        return self._stepped() or any(d.is_blind and len(self.outcomes[key]) == 1 for key, d in self.known.items())

    def _stepped(self) -> bool:
        """Tell whether whole numbers decide something that may have been made of the inputs."""
        reads = bool(self.subject.tape.choosers or self.subject.tape.escapes)
        return reads and any(d.whole and len(self.outcomes[key]) == 1 for key, d in self.known.items())

    def _cross(self, mover: Mover, key: Key) -> None:
        """Look at points on the other side of one decision."""
        decision, start = self.known[key], self.first[key]
        wanted = next(iter({True, False} - self.outcomes[key]))
        # Numbers that are sorted, or of unit length, need not be so for a program without Functions of its own.
        manners = (False, True) if not custom(self.subject) and any(mover.bonds) else (False,)
        for name in decision.nears:
            for loose in manners:
                if not all(self._reach(mover, key, name, wanted, part, start, loose) for part in BEHIND):
                    continue
                return

    def _reach(
        self, mover: Mover, key: Key, name: str, wanted: bool, part: float, start: Point | None, loose: bool
    ) -> bool:
        """Look at a point on the other side, so far behind it; whether there is one."""

        def is_there(point: Point) -> Reach | None:
            now = _decisions(point.subject).get(key)
            return None if now is None or wanted in now.outcomes or name not in now.nears else _reach(now.nears[name])

        def ways(there: Subject, reach: Reach) -> Sequence[Array | None]:
            found = towards(there, reach)
            if any(way is not None and way.any() for way in found):
                return found
            return _felt(there, key, name, reach.gap, self.rng) if time.process_time() < self.until else ()

        point = mover.behind(
            _reach(self.known[key].nears[name]), part, is_there, start=start, towards=ways, loose=loose
        )
        if point is not None:
            self._look(point)
            return wanted in self.outcomes[key]
        if mover.refused:
            self.why[key] = mover.why
            if mover.left >= 0 and not mover.why.startswith("run again, the outputs have other shapes"):
                self.barred.add(key)
        return False

    def _look(self, point: Point) -> None:
        """Judge what a program does at a point, when it decides otherwise there."""
        new = [x for x in self._see(_decisions(point.subject), point) if self.outcomes[x] != self.before.get(x)]
        # Whole numbers that differ there were made of the inputs.
        self.by_value |= set(new)
        if not new:
            return
        try:
            found = [x for x in self.judge(point.subject) if _is_proof(x)]
        except raised_by_program():
            # A backward that refuses says nothing: the point is none of its domain.
            return
        known = {(x.output, x.input) for x in self.found}
        for finding in found:
            if (finding.output, finding.input) not in known:
                finding.notes.append(elsewhere(finding, point))
                finding.notes += [Note(NoteKind.BRANCH_UNCOVERED, self._seen_elsewhere(key)) for key in new]
                self.found.append(finding)

    # -- in words ----------------------------------------------------------------------------

    def _sentence(self, key: Key) -> str:
        return f"{self._named(key)} was only seen {_said(self.before.get(key, self.outcomes[key]))}"

    def _seen_elsewhere(self, key: Key) -> str:
        if key not in self.before:
            return f"{self._named(key)} was only met elsewhere"
        return f"{self._sentence(key)}, and {_said(self.outcomes[key] - self.before[key])} elsewhere"

    def _named(self, key: Key) -> str:
        decision = self.known[key]
        trace = self.subject.trace
        span = None if trace is None else trace.place_of(decision.node)
        line = "" if span is None else f" at line {span.line}"
        where = "" if decision.owner is None else f" in {decision.owner}"
        return f"`{self._text(key)}`{where}{line}"

    def _text(self, key: Key) -> str:
        trace = self.subject.trace
        span = None if trace is None else trace.place_of(self.known[key].node)
        return "a condition" if span is None else " ".join(text_of(span, _TEXT).split())

    def notes(self) -> list[Note]:
        """The branches that could not be reached."""
        return [
            Note(NoteKind.BRANCH_UNCOVERED, self._sentence(key) + (f": {self.why[key]}" if key in self.why else ""))
            for key in self.known
            if key in self._missing() - self.barred
        ]

    def coverage(self) -> list[Covered]:
        """Every branch by value, and its sides."""
        trace = self.subject.trace
        unreached = self._missing() - self.barred
        found = []
        for key, decision in self.known.items():
            if key in self.by_value:
                seen = tuple(side for side, outcome in _SIDES if outcome in self.outcomes[key])
                others = tuple(side for side, _ in _SIDES if side not in seen)
                span = None if trace is None else trace.place_of(decision.node)
                excused = () if key in unreached else others
                found.append(Covered(self._text(key), decision.owner, span, (TRUE, FALSE), seen, excused))
        return found


def _decisions(subject: Subject) -> dict[Key, Decision]:
    """The decisions of a program that came out."""
    made = {} if subject.trace is None else subject.trace.decisions
    return {key: decision for key, decision in made.items() if decision.outcomes}


def _said(seen: set[bool]) -> str:
    return " and ".join(side for side, outcome in _SIDES if outcome in seen)


def _came(decision: Decision) -> Came | None:
    """The outcome of a comparison of two numbers; None of any other, and of one that was made several times."""
    near = decision.nears.get("")
    if near is None or len(decision.outcomes) != 1:
        return None
    return Came(near.gap, max(map(abs, near.sides)), next(iter(decision.outcomes)))


def _gaps(decision: Decision) -> list[float]:
    return [near.gap for near in decision.nears.values()]


def _guards(near: Near) -> bool:
    left, right = near.sides
    return is_guard(left, np.array(right)) or is_guard(right, np.array(left))


def _is_proof(finding: Finding) -> bool:
    """Tell whether a gradient is wrong at another point beyond doubt, or a path leaves the graph there."""
    worst = finding.worst
    hidden = finding.verdict is Verdict.HIDDEN_PATH and (worst is None or bool(np.isfinite(worst.judged.claimed)))
    return hidden or is_proof(finding)


# -- ways ----------------------------------------------------------------------------------------


def _reach(near: Near) -> Reach:
    """The way to the other side of a comparison, as far as its graph shows it."""
    one = np.zeros(near.shape)
    one.reshape(-1)[near.entry] = 1.0
    parts = [(x, fitted(one * sign, x._a.shape, np.dtype(float))) for x, sign in near.parts if x._a.dtype.kind == "f"]
    return Reach(near.gap, np.inf, parts, None)


def _felt(subject: Subject, key: Key, name: str, gap: float, rng: np.random.Generator) -> list[Array | None]:
    """The gradient of a difference without a graph, by runs nearby: of many numbers, along some directions only."""
    at = subject.at

    def change(steps: Sequence[Array]) -> float:
        there = _run(subject, [a + step for a, step in zip(at, steps, strict=True)])
        now = None if there is None else _decisions(there).get(key)
        return 0.0 if now is None or name not in now.nears else now.nears[name].gap - gap

    found: list[Array] = [np.zeros(a.shape) for a in at]
    total = sum(a.size for a in at)
    for number in range(total if total <= _FEW else _DIRECTIONS):
        if total <= _FEW:
            parts = np.split(np.eye(1, total, number)[0], np.cumsum([a.size for a in at])[:-1])
            moves = [part.reshape(a.shape) for part, a in zip(parts, at, strict=True)]
        else:
            moves = [np.asarray(rng.standard_normal(a.shape)) for a in at]
        steps = [_STEP * _sized(a) * move for a, move in zip(at, moves, strict=True)]
        rate = change(steps) / _square(steps)
        for g, step in zip(found, steps, strict=True):
            g += rate * step
    if total > _FEW and _square(found) > 0:
        # Directions that overlap count some of the way twice: it is measured once more, all along.
        unit = _STEP * np.sqrt(sum(float((_sized(a) ** 2).sum()) for a in at) / _square(found))
        factor = change([unit * g for g in found]) / (unit * _square(found))
        found = [factor * g for g in found]
    made: list[Array | None] = [*found]
    return made


def _square(arrays: Sequence[Array]) -> float:
    return sum(float((a**2).sum()) for a in arrays)


def _run(subject: Subject, arrays: Sequence[Array]) -> Subject | None:
    try:
        return subject.recorded_at(arrays)
    except Unrepeatable:
        return None


def _sized(a: Array) -> Array:
    """The sizes of the entries of an input; one that is 0 is taken for as large as the others."""
    size = np.abs(np.asarray(a, np.float64))
    return np.where(size > 0, size, rms(size) or 1.0)

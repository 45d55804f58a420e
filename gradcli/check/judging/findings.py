"""The findings of a check, in the terms of its reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import NamedTuple

from ...errors import GradcliError, Span
from ...verdicts import Note, NoteKind
from .verdict import PASSES, TOLERATED, UNDECIDED, Judged, Verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an input, and what was found of the derivative with respect to it."""

    index: tuple[int, ...]
    at: float
    judged: Judged
    # Of which entry of the output; None of an output that is one number, or of a sum with weights.
    output_index: tuple[int, ...] | None = None
    # Whether it is no entry, but a random direction in which all of the input moves; there is no index then.
    along: bool = False


class Culprit(NamedTuple):
    """The node whose backward is wrong; or the place where numbers leave the graph, and the node they go on into."""

    # None where nobody knows the node.
    id: str | None
    name: str
    # The return of a backward that the program wrote itself; of any other node, where it was recorded.
    source: Span | None
    # The argument whose gradient is wrong, and whether it is sure that it is this node.
    wrt: str | None = None
    certain: bool = True
    # Where a program applied a function of its own.
    applied: Span | None = None


@dataclass(slots=True)
class Finding:
    """A verdict on one output with respect to one input, at one order, and all that is told beside it."""

    output: str
    input: str
    order: int
    verdict: Verdict
    notes: list[Note] = field(default_factory=list)
    # The fewest verified digits.
    digits: float | None = None
    # How many entries were judged, and how many of them are wrong.
    entries: int = 0
    wrong_entries: int = 0
    # Of a pass, the one of which the fewest digits were verified.
    worst: Entry | None = None
    # The worst few, the worst first.
    table: list[Entry] = field(default_factory=list)
    signature: str | None = None
    node: Culprit | None = None
    # What the report points at: the wrong backward, else where the output was computed.
    span: Span | None = None
    # Whether the program, or who runs the check, has named this verdict as an exception.
    allowed: bool = False
    # How far the estimate of the worst entry was from the best one, by the step that it was made with.
    curve: list[tuple[float, float]] | None = None
    # The claimed and the estimated derivatives: a row for each entry of the output, a column for each of the input.
    jacobian: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]] | None = None

    def fails(self, options: Options) -> bool:
        """Tell whether it makes a check fail: a gradient is wrong."""
        return not self.allowed and not self._is_good(options) and self.verdict not in UNDECIDED

    def passes(self, options: Options) -> bool:
        """Tell whether nothing is to be said against the gradient, and as much is known of it as is wanted."""
        wanted = options.digits
        return self._is_good(options) and (wanted is None or self.digits is None or self.digits >= wanted)

    def _is_good(self, options: Options) -> bool:
        if self.verdict is Verdict.INFINITE_SLOPE:
            return self.worst is None or isinf(self.worst.judged.claimed)
        return self.verdict in PASSES or (self.verdict in TOLERATED and not options.strict)


_RIGHT, _UNKNOWN = "right at the given point", "not known at the given point"


def of_another_point(what: str) -> Note:
    """Say of what was found at another point that the given one does not show it."""
    return Note(NoteKind.ELSEWHERE, f"{_RIGHT}, {what}")


def told_of_both_points(here: Iterable[Finding], there: list[Finding]) -> list[Finding]:
    """The findings of another point, which say so where the given point knows nothing of the same gradient."""
    unknown = {(finding.output, finding.input) for finding in here if finding.verdict in UNDECIDED}
    for finding in there:
        if (finding.output, finding.input) in unknown:
            finding.notes = [
                Note(note.kind, note.text.replace(_RIGHT, _UNKNOWN), note.place)
                if note.kind is NoteKind.ELSEWHERE else note
                for note in finding.notes
            ]  # fmt: skip
    return there


class Options(NamedTuple):
    """The options of a check: what is looked at, and how closely."""

    order: int = 1
    output: str | None = None
    wrt: tuple[str, ...] = ()
    # Derivatives by hand: the name of an input, and an expression.
    claims: tuple[tuple[str, str], ...] = ()
    # A function of the program's that gives them for all inputs.
    claim_from: str | None = None
    samples: int = 4
    strict: bool = False
    # Verdicts that are named exceptions.
    allow: frozenset[Verdict] = frozenset()
    digits: int | None = None
    seed: int = 0
    every_entry: bool = False
    # Whether a Function is to be right also where the program never goes.
    everywhere: bool = False
    # Whether the sides that were looked at are told, and whether a side that nobody could look at makes a check fail.
    coverage: bool = False
    require_coverage: bool = False
    # Whether the float32 program is judged, too.
    float32: bool = False
    # How much is noted for a report to show: 1, how estimates depend on the step; 2, whole Jacobians.
    detail: int = 0


class Covered(NamedTuple):
    """A kink or a branch by value: its sides, and those that were looked at."""

    what: str
    # The custom Function's method that it stands in.
    owner: str | None
    span: Span | None
    sides: tuple[str, ...]
    seen: tuple[str, ...]
    # Sides that nobody needs to look at: the program is not defined there, or they are there for rounding only.
    excused: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The sides that nobody has looked at, and somebody should."""
        return tuple(side for side in self.sides if side not in self.seen and side not in self.excused)

    @property
    def place(self) -> str:
        """Where it is, in words."""
        where = "" if self.owner is None else f" in {self.owner}"
        return where if self.span is None else f"{where} at line {self.span.line}"


@dataclass(slots=True)
class Checked:
    """All that was found of one spec."""

    spec: str
    findings: list[Finding] = field(default_factory=list)
    # Of the spec as a whole.
    notes: list[Note] = field(default_factory=list)
    # The kinks and branches whose sides were looked for.
    coverage: list[Covered] = field(default_factory=list)
    # Why there are no findings, or no more: the spec could not be run.
    failure: GradcliError | None = None
    # How many inputs, and numbers in them, are differentiated.
    inputs: int = 0
    numbers: int = 0
    # Of many backwards the one that is checked, in words.
    backward: str | None = None
    seconds: float = 0.0

"""All that is found of the entries until all is known, and one finding of it for each output and input."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...verdicts import Note, NoteKind
from .. import budget
from .findings import Entry, Finding
from .known import Known
from .rows import Rows
from .verdict import BLAMED, GRAVITY, PASSES, UNDECIDED, Judged, Verdict

# How many of the worst entries a finding shows.
_SHOWN = 5

_RANK = {verdict: rank for rank, verdict in enumerate(GRAVITY)}
# A leaf, and a flat index in it.
Place = tuple[int, int]


class Found:
    """All that was found so far of the claims."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.at = rows.at
        # By leaf and flat index: what was found of each row that is not passed beyond doubt.
        self.judged: dict[Place, dict[int, Judged]] = {}
        self.known = Known(rows)
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

    def is_known(self, leaf: int) -> bool:
        """Tell whether all of an input was looked at, alone or with others."""
        return self.all_pass or leaf in self.sound or self.seen[leaf] >= self.at[leaf].size

    def findings(self, detail: int) -> list[Finding]:
        """Make one finding of all that was found of each output with respect to each input."""
        pairs = [(leaf, output) for output in range(len(self.rows.subject.outputs)) for leaf in range(len(self.at))]
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
        there, known, table = self.rows.subject.outputs[output], self.known, doubted.table
        least = known.least.get((leaf, output))
        worst = table[0] if table else least
        if least is not None and all(entry.judged.is_right for entry in table):
            worst = min([least, *table], key=lambda entry: entry.judged.digits or math.inf)
        digits = min([known.digits[leaf, output], *doubted.digits])
        passed = Verdict.PASS_ZERO if known.zero[leaf, output] else Verdict.PASS
        of_least = set() if least is None else {least.judged.verdict} & {Verdict.SATURATED}
        gravest = max({passed, *doubted.verdicts, *of_least}, key=_RANK.__getitem__)
        # Beside entries that are wrong, those of which nobody can tell are not.
        others = PASSES if gravest in UNDECIDED else PASSES | UNDECIDED
        found = Finding(
            there.name,
            self.rows.subject.inputs[leaf].name,
            self.rows.order,
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
        known = seen >= finding.entries or (leaf not in self.doubtful and self.is_known(leaf))
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


class _Doubted(NamedTuple):
    """All of an output with respect to an input that is not passed beyond doubt at once, the gravest first."""

    table: list[Entry]
    verdicts: set[Verdict]
    digits: list[float]

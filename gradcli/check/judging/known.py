"""All that is right beyond doubt: its fewest digits, and those that rounding may hide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..replay.line import each_once
from ..slopes.differences import SAFETY
from ..slopes.steps import UNIT
from .findings import Entry
from .first_look import passed
from .rows import Row, Rows
from .verdict import Verdict

# A leaf, and an output.
Pair = tuple[int, int]

# More digits than any number has.
_MOST = 1e6
_VANISHING = (Verdict.SATURATED, Verdict.PASS_ZERO)


class Seen(NamedTuple):
    """Claims (E, R) beside estimates, their bars, and the digits of those that are right."""

    claims: Array
    estimate: Array
    bar: Array
    digits: Array


class Known:
    """Keep what is beyond doubt, of each leaf and output."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        pairs = [(leaf, output) for leaf in range(len(rows.at)) for output in range(len(rows.subject.outputs))]
        # The fewest digits, where these are, and whether all is zero.
        self.digits = dict.fromkeys(pairs, math.inf)
        self.zero = dict.fromkeys(pairs, True)
        self.least: dict[Pair, Entry] = {}
        self._row_of_least: dict[Pair, Row] = {}

    def note(self, leaves: Sequence[int], row: Row, entry: Entry) -> None:
        """Note a claim that is beyond doubt; what is zero has infinitely many digits."""
        digits = math.inf if entry.judged.digits is None else entry.judged.digits
        for leaf in leaves:
            at = leaf, row.output
            if digits < self.digits[at] or at not in self.least:
                self.least[at], self._row_of_least[at] = entry, row
            self.digits[at] = min(self.digits[at], digits)
            self.zero[at] &= digits == math.inf

    def note_entries(self, leaves: Array, places: Array, sure: Array, seen: Seen, by_complex_step: bool) -> None:
        """Note of each leaf and row the entry with the fewest digits of those that are beyond doubt."""
        for leaf in each_once(leaves[sure.any(1)]):
            at = self._rows.at[leaf]
            mine = np.flatnonzero(leaves == leaf)
            # What is zero has infinitely many, and still fewer than what is in doubt.
            digits = np.where(sure[mine], np.minimum(seen.digits[mine], _MOST), math.inf)
            fewest = mine[digits.argmin(0)].tolist()
            for r in np.flatnonzero(sure[mine].any(0)).tolist():
                i = fewest[r]
                index = tuple(map(int, np.unravel_index(int(places[i]), at.shape)))
                numbers = (float(a[i, r]) for a in (seen.digits, seen.claims, seen.estimate, seen.bar))
                row, judged = self._rows.rows[r], passed(by_complex_step, *numbers)
                self.note([leaf], row, Entry(index, float(at.reshape(-1)[places[i]]), judged, row.index))

    def place(self, entry: Entry, leaf: int) -> int:
        """The flat place of an entry in its leaf."""
        return int(np.ravel_multi_index(entry.index, self._rows.at[leaf].shape)) if entry.index else 0

    def row(self, entry: Entry, output: int) -> int:
        """The number of the row of an output that an entry is about."""
        rows = enumerate(self._rows.rows)
        return next(i for i, row in rows if (row.output, row.index) == (output, entry.output_index))

    def tell_lost(self, tables: Mapping[Pair, list[Entry]]) -> None:
        """Widen the bars by the errors that claim and complex step may share, as far as that can be told.

        Of the entries with the fewest digits, and of those in ``tables``, gravest first, that are as good as zero.
        """
        if self._rows.plan.is_outside:
            return
        least = [at for at, entry in self.least.items() if _is_told(entry) and not entry.along]
        zeros = [at for at, table in tables.items() if table and _is_vanishing(table[0])]
        pairs = [*least, *zeros]
        if not pairs:
            return
        entries = [*(self.least[at] for at in least), *(tables[at][0] for at in zeros)]
        rows = [self._row_of_least[at] for at in least]
        rows += [self._rows.rows[self.row(tables[at][0], at[1])] for at in zeros]
        leaves = [leaf for leaf, _ in pairs]
        places = [self.place(entry, leaf) for leaf, entry in zip(leaves, entries, strict=True)]
        bars = np.array([entry.judged.bar for entry in entries])
        lost = self._rows.lost_alike(rows, np.array(leaves), np.array(places, np.intp), bars).tolist()
        for at, bar in zip(least, lost, strict=False):
            self._widen(at, bar)
        for at, bar in zip(zeros, lost[len(least) :], strict=True):
            judged = tables[at][0].judged
            tables[at][0] = replace(tables[at][0], judged=judged._replace(bar=max(judged.bar, bar)))

    def _widen(self, at: Pair, bar: float) -> None:
        """The least known entry with a bar that is wider, and so with fewer digits.

        Of one that has none left, and that its output does not feel, nothing is known but that it is small.
        """
        entry = self.least[at]
        if not bar > entry.judged.bar:
            return
        judged = entry.judged._replace(bar=bar)
        if judged.digits is not None:
            size = abs(judged.claimed)
            judged = judged._replace(digits=max(-math.log10(SAFETY * bar / size + 8 * UNIT), 0.0))
            if not judged.digits and self._is_unfelt(entry, self._row_of_least[at]):
                from .verdict_table import vanishing_at

                judged = vanishing_at(False, judged.claimed, judged.estimate, bar)
            self.digits[at] = math.inf if judged.digits is None else judged.digits
        self.least[at] = replace(entry, judged=judged)

    def _is_unfelt(self, entry: Entry, row: Row) -> bool:
        moved = abs(entry.judged.claimed) * max(abs(entry.at), 1.0)
        return moved <= 4 * UNIT * abs(float(self._rows.sum(row, self._rows.flat)))


def _is_told(entry: Entry) -> bool:
    """True of what complex step told, or that is zero."""
    return entry.judged.witness is not None or entry.judged.verdict is Verdict.PASS_ZERO


def _is_vanishing(entry: Entry) -> bool:
    return entry.judged.verdict in _VANISHING and entry.judged.witness is not None and not entry.along

"""Kinks of several ops at once: each op's answer is a subgradient of that op, and their sum need be none of the whole.

A conservative gradient is what automatic differentiation promises (Bolte and Pauwels), and such a sum is one: it is
accepted, with a note. Where the whole has no kink at all, as relu(x) - relu(-x) has none at 0, it has a derivative
there, and a claim that is not that stays wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....verdicts import Note, NoteKind
from ...replay.line import Line
from ...replay.subject import Subject
from ...slopes.all_ways import slopes
from ...slopes.magnitude import rms
from ...slopes.one_sided import Kind
from ..findings import Entry, Finding
from ..verdict import Verdict

# Along so many random directions a kink is looked for.
_DIRECTIONS = 3


def has_kink_along_all(
    subject: Subject, finding: Finding, rng: np.random.Generator, directions: int = _DIRECTIONS
) -> bool:
    """Tell whether the output that a finding is of has a kink where all inputs are moved at once."""
    number = next(i for i, y in enumerate(subject.outputs) if y.name == finding.output)
    index = None if finding.worst is None else finding.worst.output_index
    weights = [np.zeros(a.shape) for a in subject.numbers]
    if index is None:
        weights[number] = rng.standard_normal(weights[number].shape)
    else:
        weights[number][index] = 1.0
    return any(_has_kink(subject, weights, rng) for _ in range(directions))


def _has_kink(subject: Subject, weights: list[Any], rng: np.random.Generator) -> bool:
    direction = [np.asarray(rng.standard_normal(a.shape) * rms(a)) for a in subject.at]
    found = slopes(Line(subject.plan, direction, weights), complex_step=False)[0]
    return not found.smooth and found.left.kind is found.right.kind is Kind.LIMIT


def accept(finding: Finding, sentence: str) -> None:
    """Make of a finding that a sum of subgradients is what is claimed."""
    finding.verdict = Verdict.KINK_OK
    finding.notes.append(Note(NoteKind.COMPOSED, sentence))
    finding.table = [_accepted(entry) for entry in finding.table]
    finding.worst = finding.table[0] if finding.table else None
    finding.wrong_entries = 0


def _accepted(entry: Entry) -> Entry:
    return Entry(entry.index, entry.at, entry.judged._replace(verdict=Verdict.KINK_OK), entry.output_index)

"""Findings of what seems wrong and may turn out otherwise: no verdicts, where the time is over before that is known.

A matrix may be meant to be symmetric, a point may be a hole in a formula, and a sum of subgradients is what automatic
differentiation promises. To ask for each takes time, and what is to blame has to be found in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ..verdicts import Note, NoteKind
from .judging.findings import Finding, Options
from .judging.special_points.composed_kinks import has_kink_along_all
from .judging.special_points.holes import may_be_a_hole
from .judging.verdict import Verdict
from .moving.meant_symmetric import may_be_meant_symmetric
from .replay.subject import Subject

_WORDS = "it seems wrong, and the time was over before it was known whether it is right {}"
_KINK = "as a sum of subgradients"


@contextmanager
def in_doubt(found: Sequence[Finding], subject: Subject, options: Options) -> Iterator[None]:
    """Take back what seems wrong and might have turned out otherwise, where something ends this before it is known."""
    asked: list[tuple[Finding, str]] = []
    # An output that has a kink here has it whatever input a finding is of.
    kinked: dict[str, bool] = {}
    known = False
    try:
        for finding in found:
            if finding.fails(Options()):
                what = _may_be(finding, subject, options)
                # In doubt from here on: the time may end while a kink is looked for.
                asked.append((finding, what or _KINK))
                if what is None and not _is_kinked(finding, subject, kinked):
                    asked.pop()
        yield
        known = True
    finally:
        for finding, what in asked:
            if not known and finding.fails(Options()):
                finding.verdict, finding.digits = Verdict.UNRESOLVED, None
                finding.notes.append(Note(NoteKind.BUDGET, _WORDS.format(what)))


def _may_be(finding: Finding, subject: Subject, options: Options) -> str | None:
    """Name an excuse that a finding may have, as far as that is seen at once."""
    if not options.everywhere and may_be_meant_symmetric(finding, subject):
        return f"as long as {finding.input} stays symmetric"
    return "all around this point" if may_be_a_hole(finding, subject) else None


def _is_kinked(finding: Finding, subject: Subject, kinked: dict[str, bool]) -> bool:
    """Tell whether the output of a finding has a kink along all inputs; what is known of outputs is kept."""
    if finding.order > 1 or subject.is_in_one_piece:
        return False
    if finding.output not in kinked:
        # Draws of its own: those of what comes later stay what they are.
        rng = np.random.default_rng(0)
        kinked[finding.output] = has_kink_along_all(subject, finding, rng, directions=1)
    return kinked[finding.output]

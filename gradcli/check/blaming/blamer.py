"""Say of each finding which op is to blame for it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...verdicts import Note, NoteKind
from ..judging.findings import Finding
from ..judging.special_points.composed_kinks import accept, has_kink_along_all
from ..judging.verdict import FAULTY, TOLERATED, Verdict
from ..replay.subject import Subject
from .locate import Located, Locator
from .lost_digits import lost_digits


class Blamer:
    """Says what is to blame for findings about one subject; every op of it is looked at once, for all of them."""

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        self._subject = subject
        self._locator = Locator(subject, rng)

    def blame(self, found: Iterable[Finding]) -> None:
        """Say which op is to blame for what is wrong."""
        outputs = {y.name: i for i, y in enumerate(self._subject.outputs)}
        inputs = {x.name: i for i, x in enumerate(self._subject.inputs)}
        for finding in found:
            if finding.verdict not in FAULTY or finding.node is not None:
                continue
            grave = finding.verdict not in TOLERATED
            located = self._locator.locate(outputs[finding.output], inputs[finding.input], grave=grave)
            if located.kinked and finding.order == 1 and has_kink_along_all(self._subject, finding, self._locator.rng):
                accept(finding, located.sentence or "")
                continue
            _tell(finding, located)
        _note_digits(found, self._subject)

    def guess(self, found: Iterable[Finding]) -> None:
        """Say which op may be to blame, where there is no time to see."""
        outputs = {y.name: i for i, y in enumerate(self._subject.outputs)}
        inputs = {x.name: i for i, x in enumerate(self._subject.inputs)}
        for finding in found:
            if finding.verdict is Verdict.WRONG and finding.node is None:
                _tell(finding, self._locator.guess(outputs[finding.output], inputs[finding.input]))


def _tell(finding: Finding, located: Located) -> None:
    finding.node = located.culprit
    finding.signature = finding.signature or located.signature
    if located.sentence is not None:
        finding.notes.append(Note(NoteKind.LOCATED, located.sentence))
    if finding.node is not None and finding.node.source is not None:
        finding.span = finding.node.source


def _note_digits(found: Iterable[Finding], subject: Subject) -> None:
    """Say which cast or constant costs digits where a gradient is inaccurate."""
    for finding in found:
        if finding.verdict is not Verdict.INACCURATE or finding.node is None:
            continue
        node = next((x for x in subject.nodes if subject.id_of(x) == finding.node.id), None)
        notes = [] if node is None else [Note(NoteKind.DIGITS, words) for words in lost_digits(node)]
        finding.notes += [note for note in notes if note not in finding.notes]

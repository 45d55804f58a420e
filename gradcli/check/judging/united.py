"""Several findings of one output and input made one."""

from __future__ import annotations

from ...verdicts import NoteKind
from .findings import Finding
from .verdict import GRAVITY, Verdict

# What is special about the given point.
_OF_THE_POINT = frozenset({NoteKind.BRANCH_UNCOVERED, NoteKind.DEGENERATE_POINT, NoteKind.DEGENERATE_SHAPE})


def in_both(double: list[Finding], single: list[Finding]) -> list[Finding]:
    """One finding for what was judged in both precisions: the graver, with the notes and the digits of both."""
    others = {(finding.output, finding.input): finding for finding in single}
    made = []
    for finding in double:
        other = others.pop((finding.output, finding.input), None) if finding.order == 1 else None
        if other is None:
            made.append(finding)
            continue
        graver, lesser = sorted((finding, other), key=lambda f: GRAVITY.index(f.verdict), reverse=True)
        graver.notes += [note for note in lesser.notes if note not in graver.notes]
        graver.digits = min((f.digits for f in (finding, other) if f.digits is not None), default=None)
        made.append(graver)
    return [*made, *others.values()]


def united(found: list[Finding]) -> list[Finding]:
    """One finding for each output, input and order at the point itself: the gravest, with what the others say.

    What was found at another point follows; what there is to say of the given one stands with that, too.
    """
    made: dict[tuple[str, str, int], Finding] = {}
    other: list[Finding] = []
    for finding in found:
        key = finding.output, finding.input, finding.order
        if finding.verdict is Verdict.UNCOVERED:
            other.append(finding)
        elif any(note.kind is NoteKind.ELSEWHERE for note in finding.notes):
            other.append(finding)
            # A function alone, in another shape, is none of the program's outputs.
            if key in made:
                made[key].notes += [note for note in finding.notes if note.kind in _OF_THE_POINT]
        elif key not in made:
            made[key] = finding
        else:
            first, second = sorted((made[key], finding), key=lambda f: GRAVITY.index(f.verdict), reverse=True)
            first.notes += [note for note in second.notes if note not in first.notes]
            made[key] = first
    return [*made.values(), *other]

"""Each custom Function alone: what is wrong with it for other gradients than the one that arrives in the program."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ...engine.function import FunctionNode
from ...verdicts import Note, NoteKind
from ..judging.findings import Finding
from ..judging.verdict import TOLERATED, Verdict
from ..moving.within_reach import first_input, is_within_reach
from ..replay.plan import Unreplayable
from ..replay.straight import are_right, are_straight, kinds
from ..replay.subject import Subject
from .each_op import LocalFault, check_node, reached_outputs

# What is off by more error bars than these, and by more of its size, did not come of rounding alone.
_BARS, _ROUNDED = 64, 2.0**-46


def wrong_functions(subject: Subject, rng: np.random.Generator, everywhere: bool) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong in a function of the program's own, though the gradient that arrives here hides it.

    And what is wrong of it only where the program does not go.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    for fault in _faults(subject, rng):
        name = first_input(subject, fault.node, fault.slot)
        slight = fault.verdict in TOLERATED
        if name is None or (slight and not _is_clearly_off(fault)):
            continue
        called = subject.id_of(fault.node)
        if not (everywhere or is_within_reach(subject, fault.node, fault.slot, rng)):
            notes.append(
                Note(
                    NoteKind.OUT_OF_REACH,
                    f"{called} is wrong with respect to {fault.argument} alone, along directions in which "
                    "the program does not move it",
                )
            )
            continue
        finding = Finding(subject.outputs[0].name, name, 1, fault.verdict)
        how = "inaccurate" if slight else "wrong"
        finding.notes.append(
            Note(NoteKind.LOCAL, f"right for the gradient that arrives at {called} here, {how} for others")
        )
        finding.worst, finding.table = fault.worst, [fault.worst]
        finding.entries = finding.wrong_entries = 1
        found.append(finding)
    return found, notes


def _faults(subject: Subject, rng: np.random.Generator) -> list[LocalFault]:
    """The faults of all custom Functions; straight ones of one kind are soon seen to be right."""
    reached = reached_outputs(subject.nodes, [y.tensor._node for y in subject.outputs])
    own = [node for node in subject.nodes if isinstance(node, FunctionNode)]
    right: set[FunctionNode] = set()
    with suppress(Unreplayable):
        for kind in kinds(subject.plan, own):
            used = all(len(reached.get(node, [0])) == node.outputs for node in kind)
            if used and are_straight(subject, kind[:1], rng):
                operands = [subject.plan.given(node, {}) for node in kind]
                right.update(kind if are_right(subject.plan, kind[0], operands, rng) else [])
    doubtful = [node for node in reversed(own) if node not in right]
    return [fault for node in doubtful for fault in check_node(node, rng, reached.get(node))]


def _is_clearly_off(fault: LocalFault) -> bool:
    """Tell what is off by more than rounding brings about: a cast, an approximation, a coarse constant."""
    judged = fault.worst.judged
    return fault.verdict is Verdict.INACCURATE and judged.bars_away > _BARS and judged.off > _ROUNDED

"""Each custom Function alone: what is wrong with it for other gradients than the one that arrives in the program."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...engine.function import FunctionNode
from ...verdicts import Note, NoteKind
from ..claims.straight import are_right, can_be_asked, kinds
from ..judging.findings import Finding
from ..judging.verdict import TOLERATED, Verdict
from ..moving.within_reach import is_within_reach
from ..replay.only_ops import is_pure
from ..replay.part_of_program import ending_at, first_input
from ..replay.plan import Unreplayable
from ..replay.subject import Subject, custom, differentiated
from .blamer import Blamer
from .each_op import LocalFault, check_node, reached_outputs
from .locate import Locator
from .lost_digits import loses_digits
from .ops_at_higher_orders import wrong_along_arriving

# What is off by more error bars than these, and by more of its size, did not come of rounding alone.
_BARS, _ROUNDED = 64, 2.0**-46


def wrong_functions(subject: Subject, rng: np.random.Generator, everywhere: bool) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong in a function of the program's own, though the gradient that arrives here hides it.

    And what is wrong of it only where the program does not go.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    reached = reached_outputs(subject.nodes, [y.tensor._node for y in subject.outputs])
    own = [node for node in reversed(subject.nodes) if isinstance(node, FunctionNode)]
    faults = _faults(subject, own, reached, rng)
    faulty = {fault.node for fault in faults}
    for node in own:
        if node not in faulty and not _is_used_whole(node, reached):
            _look_at_unused(subject, node, rng, faults if everywhere else None, notes)
    for fault in faults:
        name = first_input(subject, fault.node, fault.slot)
        slight = fault.verdict in TOLERATED
        if name is None or (slight and not _is_clearly_off(fault)):
            continue
        called = subject.id_of(fault.node)
        # A cast costs digits along whatever directions the program moves.
        sure = everywhere or (slight and loses_digits(fault.node))
        if not (sure or is_within_reach(subject, fault.node, fault.slot, rng)):
            notes.append(_out_of_reach(called, fault))
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


def wrong_differentiated(
    subject: Subject, rng: np.random.Generator, everywhere: bool
) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong in a function of which the program goes on with the gradient: that is another function's.

    Where the inputs do not move it so, as far as the graph shows, it is a note.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    called: set[type] = set()
    output = subject.outputs[0].name
    for node in differentiated(subject):
        for fault in check_node(node, rng):
            if fault.verdict is not Verdict.WRONG or node.function in called:
                continue
            called.add(node.function)
            words = f"{output} is made of the backward of {node.function.__name__}, which is wrong with respect to"
            note = Note(NoteKind.LOCAL, f"{words} {fault.argument}")
            name = first_input(subject, node, fault.slot)
            if name is None or not _is_wrong_as_differentiated(node, fault.slot, rng):
                notes.append(note)
                continue
            if not (everywhere or is_within_reach(subject, node, fault.slot, rng)):
                notes.append(_out_of_reach(node.function.__name__, fault))
                continue
            finding = Finding(output, name, 1, Verdict.WRONG, [note], entries=1, wrong_entries=1)
            finding.worst, finding.table = fault.worst, [fault.worst]
            Blamer(ending_at(subject, node, output), rng).blame([finding])
            found.append(finding)
    return found, notes


def wrong_along_what_arrives(subject: Subject, rng: np.random.Generator) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong of a function's second derivative along what arrives, which may not move here.

    It does as soon as the output is scaled, or squared.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    asked: set[type] = set()
    locator = Locator(subject, rng)
    for node in custom(subject):
        if node.function in asked:
            continue
        asked.add(node.function)
        for fault in wrong_along_arriving(node, rng):
            name = first_input(subject, node, fault.slot)
            words = f"the backward of {node.function.__name__} has a wrong derivative of the gradient of"
            words += f" {fault.argument} along the gradient that arrives"
            if name is None:
                notes.append(Note(NoteKind.OUT_OF_REACH, words))
                continue
            words += ", which moves when the output is scaled"
            finding = Finding(subject.outputs[0].name, name, 2, Verdict.WRONG, [Note(NoteKind.LOCAL, words)])
            finding.worst, finding.entries, finding.wrong_entries = fault.worst, 1, 1
            finding.node, where = locator.of_derivative(fault)
            finding.span = finding.node.source
            finding.notes += [] if where is None else [Note(NoteKind.LOCATED, where)]
            found.append(finding)
    return found, notes


def _out_of_reach(called: str, fault: LocalFault) -> Note:
    """Say that something is wrong alone, and not where the program goes."""
    where = "along directions in which the program does not move it"
    return Note(NoteKind.OUT_OF_REACH, f"{called} is wrong with respect to {fault.argument} alone, {where}")


def _is_wrong_as_differentiated(node: FunctionNode, slot: int, rng: np.random.Generator) -> bool:
    """Tell whether a Function is wrong with respect to an argument for the outputs that were differentiated."""
    return node.outputs == 1 or any(
        fault.slot == slot and fault.verdict is Verdict.WRONG
        for arrived in sorted(node.arrived)
        for fault in check_node(node, rng, arrived)
    )


def _look_at_unused(
    subject: Subject, node: FunctionNode, rng: np.random.Generator, faults: list[LocalFault] | None, notes: list[Note]
) -> None:
    """Tell what is wrong of a Function where gradients arrive at outputs of it that the program does not use."""
    for fault in check_node(node, rng):
        if fault.verdict is Verdict.WRONG:
            if faults is not None:
                faults.append(fault)
                continue
            called = f"{subject.id_of(node)} is wrong with respect to {fault.argument} alone"
            words = f"{called}, when a gradient arrives at an output that the program does not use"
            notes.append(Note(NoteKind.OUT_OF_REACH, words))


def _faults(
    subject: Subject, own: Sequence[FunctionNode], reached: dict[Any, list[int]], rng: np.random.Generator
) -> list[LocalFault]:
    """The faults of all custom Functions; those of one kind are soon seen to be right, unless Python code chooses."""
    right: set[FunctionNode] = set()
    with suppress(Unreplayable):
        for kind in kinds(subject.plan, own[::-1]):
            first = kind[0]
            if all(_is_used_whole(node, reached) for node in kind) and is_pure(first.function):
                operands = [subject.plan.given(node, {}) for node in kind]
                if can_be_asked(subject.plan, first, others_stay=True):
                    right.update(kind if are_right(subject.plan, first, operands, rng) else [])
    return [fault for node in own if node not in right for fault in check_node(node, rng, reached.get(node))]


def _is_used_whole(node: FunctionNode, reached: dict[Any, list[int]]) -> bool:
    """Tell whether gradients arrive at all outputs of a Function."""
    return len(reached.get(node, [0])) == node.outputs


def _is_clearly_off(fault: LocalFault) -> bool:
    """Tell what is off by more than rounding brings about: a cast, an approximation, a coarse constant."""
    judged = fault.worst.judged
    return fault.verdict is Verdict.INACCURATE and judged.bars_away > _BARS and judged.off > _ROUNDED

"""Each custom Function alone: what is wrong with it for other gradients than the one that arrives in the program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.function import FunctionNode
from ...verdicts import Note, NoteKind
from ..judging.findings import Finding
from ..judging.verdict import TOLERATED, Verdict
from ..moving.within_reach import first_input, is_within_reach
from ..replay.one_of_a_kind import Known, extent
from ..replay.plan import Unreplayable
from ..replay.subject import Subject
from ..slopes.magnitude import rms
from .each_op import LocalFault, check_node, reached_outputs
from .op_alone import Alone, Refused

# What is off by more error bars than these, and by more of its size, did not come of rounding alone.
_BARS, _ROUNDED = 64, 2.0**-46
# The height of a complex step, of the size of what is moved; how close it comes to a claim that is right, of all its
# parts together; and how large a part of them an argument must be to be seen beside others.
_HEIGHT, _CLOSE, _SHARE = 1e-30, 1e-11, 0.02


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
    """The faults of all custom Functions; of those that do the same with much the same numbers one tells of all."""
    reached = reached_outputs(subject.nodes, [y.tensor._node for y in subject.outputs])
    known = Known(subject, rng)
    own = [node for node in reversed(subject.nodes) if isinstance(node, FunctionNode)]
    faults: dict[FunctionNode, list[LocalFault]] = {}
    for node in sorted(own, key=extent, reverse=True):
        if known.tells_of(node):
            continue
        if not (known.is_straight(node) and _is_right(node, reached.get(node), rng)):
            faults[node] = check_node(node, rng, reached.get(node))
    wrong = {node.function for node, found in faults.items() if found}
    for node in own:
        if node.function in wrong and node not in faults:
            faults[node] = check_node(node, rng, reached.get(node))
    return [fault for node in own for fault in faults.get(node, [])]


def _is_right(node: FunctionNode, reached: Sequence[int] | None, rng: np.random.Generator) -> bool:
    """Tell whether complex step says that the gradients of a straight Function are right, along a direction of all
    arguments, each of which has a share in the slope by which a mistake of its own would show."""
    try:
        alone = Alone(node, reached)
        if not alone.arguments or not alone.outputs:
            return True
        weights = alone.weights(rng)
        claims = alone.claims(weights)
    except (Unreplayable, Refused):
        return False
    moved = [np.asarray(rng.standard_normal(a.shape) * np.where(a == 0, rms(a), np.abs(a))) for a in alone.at]
    line = alone.joint_line(moved, weights)
    with np.errstate(all="ignore"):
        shares = [claim * way for claim, way in zip(claims, moved, strict=True)]
        sizes = [float(np.abs(share).sum()) for share in shares]
        seen = line.imag(line.scale * _HEIGHT, np.zeros(1))
    if seen is None or not np.isfinite(sizes).all() or min(sizes) <= _SHARE * max(sizes):
        return False
    return bool(abs(float(seen[0, 0]) - sum(float(share.sum()) for share in shares)) <= _CLOSE * sum(sizes))


def _is_clearly_off(fault: LocalFault) -> bool:
    """Tell what is off by more than rounding brings about: a cast, an approximation, a coarse constant."""
    judged = fault.worst.judged
    return fault.verdict is Verdict.INACCURATE and judged.bars_away > _BARS and judged.off > _ROUNDED

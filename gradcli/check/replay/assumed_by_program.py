"""The premises of a program's ops on their arguments: kept while inputs are moved, and told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tape.entry import entry_of
from ...verdicts import Note
from ..arrays import Array
from .assumptions import Assumed, Premise, assumed

# A step so small that its square is nothing.
_TINY = 1e-30


class Recorded(Protocol):
    """A program that was recorded: its nodes, what its inputs hold, and what a node is called."""

    @property
    def nodes(self) -> list[Any]: ...

    @property
    def at(self) -> list[Array]: ...

    def name_of(self, node: Any) -> str: ...


def _all_assumed(nodes: Iterable[Any]) -> list[tuple[Any, Assumed]]:
    found: list[tuple[Any, Assumed]] = []
    for node in nodes:
        entry = entry_of(node)
        if isinstance(node, FunctionNode):
            from .assumed_inside import assumed_by

            found += [(node, each) for each in assumed_by(node)]
        elif entry is not None:
            each = assumed(entry.op, entry.args)
            found += [] if each is None else [(node, each)]
    return found


def premises(nodes: Iterable[Any]) -> list[Premise]:
    """The premises of ops among these on their arguments, as far as those fulfil them."""
    return list({id(each.premise): each.premise for _, each in _all_assumed(nodes) if each.holds}.values())


def keep(held: Sequence[Premise], at: Sequence[Array], there: Sequence[Any]) -> list[Any]:
    """Values of inputs elsewhere, each brought back to what it was and an op may take it to be."""
    found = list(there)
    for premise in held:
        found = [premise.kept(a, x) if premise.holds_of_input(a) else x for a, x in zip(at, found, strict=True)]
    return found


def along(held: Sequence[Premise], at: Sequence[Array], directions: Sequence[Array]) -> list[Array]:
    """Directions along which inputs stay what they are."""
    if not held:
        return list(directions)
    there = keep(held, at, [a + 1j * _TINY * d for a, d in zip(at, directions, strict=True)])
    return [np.asarray(x.imag) / _TINY for x in there]


def why_lost(subject: Recorded, there: Recorded) -> str | None:
    """The premise of an op that, run elsewhere, its argument does not fulfil any more; None where all do."""
    pairs = zip(_all_assumed(subject.nodes), _all_assumed(there.nodes), strict=False)
    for (node, here), (_, other) in pairs:
        if here.holds and not here.premise.holds(other.array):
            return f"with other inputs, {subject.name_of(node)} gets an argument that is not what it takes it to be"
    return None


def assumption_notes(subject: Recorded) -> list[Note]:
    """Notes where an op takes an argument to be what the entries of an input may not be, or it is not."""
    found = []
    for node, each in _all_assumed(subject.nodes):
        if not each.holds:
            found.append(Note(each.premise.kind, each.premise.broken.format(subject.name_of(node))))
        elif any(map(each.premise.holds_of_input, subject.at)):
            found.append(Note(each.premise.kind, each.premise.note.format(subject.name_of(node))))
    return list(dict.fromkeys(found))

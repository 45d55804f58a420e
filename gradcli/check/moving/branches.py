"""Which sides of kinks a program took at its point, and which nobody has seen.

What a note would be worth decides what is looked at. The ops of gradcli are right on all their sides, so the kinks of
a graph of ops alone say nothing of its gradient. A custom Function's do: in its forward, where the slope changes and
the backward must follow, and in its backward, where the gradient was written case by case. Where a derivative was
derived by hand the whole expression is one such function: its kinks count, too. Not looked at are staircases (round,
floor), which have a side for every integer; comparisons for equality, which nearly no point takes; and guards such as
``norm > 1e-12``, whose other side is there for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.numeric.halves import converted
from ...engine.tape.entry import entry_of
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import Span, raised_by_program
from ...spec.node_names import Trace
from ..arrays import Array
from ..claims.straight import insides, may_choose
from ..replay.custom_function.inside_function import Inside, inside
from ..replay.kink_sides import Fork, Reach, of_comparison, of_condition, of_op
from ..replay.subject import Subject, custom


class Uncovered(NamedTuple):
    """A side of a kink that was not taken."""

    op: str
    span: Span | None
    side: str
    sentence: str
    key: Any


class Coverage:
    """The sides that one run of a program took."""

    def __init__(self) -> None:
        self.forks: dict[Any, Fork] = {}
        # Whether a custom Function does what nobody sees with numbers.
        self.reads: set[str] = set()
        # Whether an op, inside of a custom Function or of the graph, reads one half of a matrix.
        self.reads_half = False
        # Whether it may be another elsewhere: what chooses nothing by its numbers is looked at once.
        self.varies = False

    def add(self, key: Any, fork: Fork) -> None:
        """Take in what one run of a kink saw."""
        known = self.forks.get(key)
        if known is None:
            self.forks[key] = fork
        else:
            known.add(fork)

    def join(self, other: Coverage) -> list[Uncovered]:
        """Take in what was seen at another point: the sides that nobody had seen before, as they were called."""
        before = {(x.key, x.side): x for x in self.uncovered()}
        for key, fork in other.forks.items():
            if key in self.forks:
                self.forks[key].add(fork)
        return [x for (key, side), x in before.items() if side not in self.forks[key].missing]

    def trips(self, other: Coverage) -> bool:
        """Tell whether a guard took a side there that it did not take here."""
        guards = ((key, fork) for key, fork in self.forks.items() if fork.guards and key in other.forks)
        return any(not other.forks[key].seen <= fork.seen for key, fork in guards)

    def uncovered(self) -> list[Uncovered]:
        """The sides that were not seen."""
        return [
            Uncovered(fork.what, fork.span, side, _sentence(fork), key)
            for key, fork in self.forks.items()
            for side in fork.missing
        ]


def uncovered(subject: Subject, *, by_hand: bool = False, seed: int = 0) -> list[Uncovered]:
    """The sides of kinks that no entry took: of custom Functions, and where a derivative is by hand of all ops."""
    return coverage(subject, np.random.default_rng(seed), by_hand=by_hand).uncovered()


def coverage(
    subject: Subject,
    rng: np.random.Generator,
    *,
    by_hand: bool = False,
    first: Subject | None = None,
    within: str | None = None,
) -> Coverage:
    """The sides of kinks that were taken.

    ``first``: the subject whose custom Functions are run, and whose places are told, when this one is another run of
    its program. ``within``: the name of the Functions that are asked, of all. One that refuses what it is given raises.
    """
    found = Coverage()
    found.varies = by_hand
    for seen in _insides(subject, rng, first, within):
        found.varies |= seen.watch.varies
        found.reads |= seen.watch.reads
        _look_inside(seen, (first or subject).trace, found)
    for node in subject.plan.nodes if first is None or by_hand else ():
        entry = entry_of(node)
        if entry is not None and entry.op is not None:
            found.reads_half |= entry.op.reads_half
            if by_hand:
                place = subject.span_of(node)
                for fork in of_op(entry, None, place):
                    found.add((None, None, _place(place, len(found.forks)), fork.what), fork)
    return found


def _insides(
    subject: Subject, rng: np.random.Generator, first: Subject | None, within: str | None
) -> Iterator[Inside]:
    """The inside of each custom Function that may be another one than what was looked at already."""
    if first is None:
        yield from (seen for _, seen in insides(subject.plan, custom(subject), rng))
        return
    own = may_choose(subject, first, within is not None)
    twins = _twins(own, custom(first))
    asked = (node for node in own if within in (None, node.function.__name__))
    yield from (inside(node, twins[node.function], rng) for node in asked)


def _twins(own: Sequence[Any], others: Sequence[Any]) -> dict[Any, Any]:
    """The classes of custom Functions, each with the same one of another run of the program, if there is."""
    some, more = (list(dict.fromkeys(node.function for node in nodes)) for nodes in (own, others))
    same = [x.__name__ for x in some] == [x.__name__ for x in more]
    return dict(zip(some, more if same else some, strict=True))


def _look_inside(seen: Inside, trace: Trace | None, found: Coverage) -> None:
    name = seen.node.function.__name__
    for i, (phase, node) in enumerate(seen.watch.nodes):
        entry = entry_of(node)
        if entry is None or entry.op is None:
            continue
        found.reads_half |= entry.op.reads_half
        place = None if trace is None else trace.span_at(node._sequence_nr())
        for fork in of_op(entry, seen, place):
            fork.owner = f"{name}.{phase}"
            found.add((name, phase, _place(place, i), fork.what), fork)
    for i, made in enumerate(seen.watch.comparisons):
        place = None if trace is None else trace.span_at(made.seq)
        compared = of_comparison(made, seen, place)
        if compared is not None:
            compared.owner = f"{name}.{made.phase}"
            found.add((name, made.phase, _place(place, i), compared.what), compared)
    for i, condition in enumerate(seen.watch.conditions):
        place = None if trace is None else trace.span_at(condition.comparison.seq)
        turns = of_condition(condition, seen, place)
        if turns is not None:
            turns.owner = f"{name}.{condition.comparison.phase}"
            found.add((name, condition.comparison.phase, _place(place, i), turns.what), turns)


def _place(span: Span | None, number: int) -> Any:
    """A key that tells kinks apart from run to run."""
    return number if span is None else (span.line, span.column, span.end_line, span.end_column)


def _sentence(fork: Fork) -> str:
    where = "" if fork.owner is None else f" in {fork.owner}"
    line = "" if fork.span is None else f" at line {fork.span.line}"
    (*others, last) = sorted(fork.seen, key=fork.sides.index)
    return f"{fork.what}{where}{line} was only seen {', '.join(others)}{' and ' if others else ''}{last}"


# -- towards a side --------------------------------------------------------------------------


def towards(subject: Subject, reach: Reach) -> list[Array | None]:
    """The gradient of the number that has to change its sign, for each input."""
    parts = [(x, w) for x, w in reach.parts if x._node is not None]
    if reach.within is not None:
        leaves = reach.within.leaves
        if not parts or not leaves:
            return [None] * len(subject.inputs)
        found = _pulled(parts, leaves)
        parts = []
        for leaf, edge, share in zip(leaves, reach.within.edges, found, strict=True):
            if share is not None:
                behind = result(np.array(leaf._a))
                behind._node = edge
                parts.append((behind, share))
    return _pulled(parts, [x.tensor for x in subject.inputs]) if parts else [None] * len(subject.inputs)


def _pulled(parts: Sequence[tuple[Tensor, Array]], leaves: Sequence[Tensor]) -> list[Array | None]:
    starts = [result(converted(np.asarray(w), x._a.dtype)) for x, w in parts]
    try:
        found = grad([x for x, _ in parts], leaves, starts, retain_graph=True, allow_unused=True)
    except raised_by_program():
        # A custom backward may raise anything: there is no way from here.
        return [None] * len(leaves)
    return [None if g is None else np.array(g._a, float) for g in found]

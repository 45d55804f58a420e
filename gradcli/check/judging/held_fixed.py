"""Numbers that a program holds fixed on purpose, as far as the place tells at which they come back into its graph.

A number that was detached by mistake looks like one that is meant to stay. But nobody subtracts a number from itself by
mistake, or gives a loss a target that is to be learned. And an estimator by the score is made of what is held fixed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...engine.tape.entry import Cut, Operand, entry_of
from ..replay.leaves import cuts_into
from ..replay.recorded_graph import equal
from .targets import LAYOUTS, Aimed, Targets

# What a number weighs another by.
WEIGHING = ("MulBackward0", "DivBackward0")

WEIGHTS = (
    "the program weighs a log_prob() with these numbers, or sets one beside them: an estimator by the score holds both "
    "fixed, as an advantage and the probability before"
)
_SCORE = (
    "the program takes log_prob() of these numbers, which an estimator by the score holds fixed: its gradient is that "
    "of the expectation, not of the sample"
)
_TARGET = "they are the target of a loss, which is held fixed"
_ITSELF = "the program sets a number against itself, held fixed: the result is the same everywhere, its gradient is not"

# How the held-fixed numbers are reached, and where a number set against itself is 0 or 1 wherever it is.
_MEANT, _AGAINST = ("detach", "no_grad", "data"), ("SubBackward0", "DivBackward0")
# What makes probabilities, or their logarithms, what picks one of them, and what only lays them out otherwise.
_PROBABILITIES, _LOGARITHMS, _LOG = ("SoftmaxBackward0",), ("LogSoftmaxBackward0",), "LogBackward0"
_PICKS = ("GatherBackward0", "IndexBackward0", "SelectBackward0")
_PICKED_LOSS = "NllLossBackward0"


def held_fixed(
    nodes: Sequence[Any], made_of_scores: set[Any], scores: set[Any], aimed: Sequence[Aimed]
) -> dict[Cut, str]:
    """Where numbers left the graph to be held fixed, and why that is meant; ``aimed``: at what losses took aim."""
    found = dict.fromkeys(_beside_scores(made_of_scores, scores), WEIGHTS)
    found.update(dict.fromkeys((cut for node in scores for cut in cuts_into(node)), _SCORE))
    others: set[Cut] = set()
    targets = Targets(nodes, aimed)
    for node in nodes:
        for cut, why in _given(node, targets):
            if why is None:
                others.add(cut)
            elif cut.reason in _MEANT:
                found.setdefault(cut, why)
    return {cut: why for cut, why in found.items() if cut not in others or why in (WEIGHTS, _SCORE)}


def _given(node: Any, targets: Targets) -> Iterator[tuple[Cut, str | None]]:
    """Where numbers that a node is given left the graph, and why they are held fixed if their place tells."""
    entry = entry_of(node)
    arguments = [] if entry is None else [x for x in entry.arguments if isinstance(x.value, Operand)]
    for x in arguments:
        if x.value.edge is not None or not x.value.cuts:
            continue
        is_target = targets.is_place_of(node, x)
        for cut in x.value.cuts:
            if is_target or targets.is_one(cut, node):
                yield cut, _TARGET
            elif node.name() in _AGAINST and any(_is_same(cut, x.value, y.value) for y in arguments):
                yield cut, _ITSELF
            else:
                yield cut, None


def _is_same(cut: Cut, held: Operand, other: Operand) -> bool:
    """Tell whether numbers that left the graph are those of another operand there, as they were."""
    return cut.edge is other.edge and held.array is not None and equal(held.array, other.array)


def scores_of(nodes: Sequence[Any], part_of: Callable[[Any], ast.AST | None]) -> set[Any]:
    """The nodes that the program recorded by taking the logarithm of a probability."""
    return {node for node in nodes if _is_score(part_of(node)) or _is_picked(node)}


def _is_picked(node: Any) -> bool:
    """Tell whether a node makes the logarithms of probabilities that were picked from all that a softmax gives."""
    entry, log = entry_of(node), False
    picked = node.name() == _PICKED_LOSS and entry is not None and entry.attributes["reduction"] == 0
    if picked:
        node = node.next_functions[0][0]
    while node is not None and node.name() in (*_PICKS, *LAYOUTS, _LOG):
        picked |= node.name() in _PICKS
        log |= node.name() == _LOG
        node = node.next_functions[0][0]
    return picked and node is not None and node.name() in (_PROBABILITIES if log else _LOGARITHMS)


def _is_score(part: ast.AST | None) -> bool:
    """Tell whether a part of a program takes the logarithm of a probability, by a method of that name."""
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "log_prob"


def made_of(nodes: Sequence[Any], scores: set[Any]) -> set[Any]:
    """These scores among nodes in the order that they ran in, and all that is made of them."""
    found = set(scores)
    for node in nodes:
        if any(before in found for before, _ in node.next_functions):
            found.add(node)
    return found


def _beside_scores(made_of_scores: set[Any], scores: set[Any]) -> Iterator[Cut]:
    """Where numbers were detached that then weigh the logarithm of a probability, or of which one is set beside it."""
    for node in made_of_scores - scores:
        held = [cut for cut in cuts_into(node) if cut.reason in _MEANT[:2]]
        yield from (cut for cut in held if node.name() in WEIGHING or cut.node in scores)

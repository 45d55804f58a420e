"""The wrappings of tensors inside of transforms: which of these a tensor belongs to, and its text there."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ..forward.duals import tangents_of
from ..graph import node_of
from ..modes import mode
from ..tensor import Tensor, result
from .samples import Samples

# The inputs that transforms differentiate by, by their nodes: how many transforms there were around each.
depths: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Wrapping(NamedTuple):
    """The innermost transform that a tensor belongs to: its level, and the tensor there is outside of it."""

    level: int
    inside: Tensor
    # The axis of the samples in that; None where the transform differentiates.
    axis: int | None


def wrapping(t: Tensor, below: int | None = None) -> Wrapping | None:
    """The innermost transform, of those below a level, that a tensor belongs to.

    A tensor of a sample wraps what it is for the whole batch, where that is known.
    """
    limit = mode.transforms + 1 if below is None else below
    found = [Wrapping(n, t, None) for n in levels_of(t) if n < limit]
    for watch in mode.writes:
        if isinstance(watch, Samples) and watch.level < limit:
            given = [Wrapping(watch.level, batch, d) for x, batch, d in watch.given if x._a is t._a]
            batch = watch.of_this(t) if not given else None
            found += given if batch is None else [Wrapping(watch.level, result(batch), 0)]
    return max(found, key=lambda each: each.level, default=None)


def nodes_of(t: Tensor) -> Iterator[Any]:
    """The nodes of the graph that a tensor was computed by, each once."""
    stack, seen = [node_of(t._node)], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        stack += [n for n, _ in node.next_functions]


def levels_of(t: Tensor) -> Iterator[int]:
    """The levels of the transforms, ended ones among them, that differentiate by what a tensor was computed from."""
    for node in nodes_of(t):
        if node in depths:
            yield depths[node] + 1
    for level in [] if mode.duals is None else mode.duals.levels:
        if not level.by_hand and tangents_of(t, level) is not None:
            yield level.depth + 1


def is_of_samples(t: Tensor) -> bool:
    """Tell whether the innermost transform that a tensor belongs to is a vmap, where it requires no gradient."""
    samples = [watch.level for watch in mode.writes if isinstance(watch, Samples) and watch.depends(t)]
    return bool(samples) and max(samples) > max(levels_of(t), default=0)


def text_in_transforms(t: Tensor) -> str | None:
    """The text of a tensor that belongs to a transform, as PyTorch shows it; None for others."""
    return _text(t, wrapping(t))


def _text(t: Tensor, shown: Wrapping | None) -> str | None:
    if shown is None:
        return None
    level, inside, axis = shown
    text = _text(inside, wrapping(inside, level)) or repr(result(inside._a))
    head = f"GradTrackingTensor(lvl={level}" if axis is None else f"BatchedTensor(lvl={level}, bdim={axis}"
    return f"{head}, value=\n{textwrap.indent(text, '    ')}\n)"

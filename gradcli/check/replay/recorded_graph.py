"""The graph behind the outputs of a run: its nodes, its leaves as they were, and the hooks that hang on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine import flags
from ...engine.graph import LEAF
from ...engine.tape.entry import entry_of, operands_in
from ...engine.tensor import Tensor, result
from ...engine.walk.multi_grad_hooks import only_watches
from ...errors import NoAnswer, Span
from ...graph.view.reach import forward_order, is_leaf, reachable
from ...graph.view.tensors import origin
from ...spec.node_names import Naming, only_name

# So few numbers are compared as bytes first.
_SMALL = 2**12


class Unrepeatable(NoAnswer):
    """A program that cannot be run again at other values, or does not come to the same outputs there: why."""


class Input(NamedTuple):
    """A leaf, and what it held when the graph was recorded."""

    name: str
    tensor: Tensor
    span: Span | None
    # Whether the program wrote to it after it was made.
    changed: bool


class Output(NamedTuple):
    """A root."""

    name: str
    tensor: Tensor
    span: Span | None
    # What it is in the program's text.
    text: str | None


class Graph:
    """The graph behind some tensors."""

    def __init__(self, roots: Sequence[Tensor], names: Mapping[Any, str]) -> None:
        self.found: dict[Any, Any] = {}
        for root in roots:
            self.found |= reachable(origin(root)[0])
        self.ops = forward_order(self.found)
        known = [leaf for leaf in names if leaf in self.found]
        self.leaves = list(dict.fromkeys([*known, *(node for node in self.found if is_leaf(node))]))
        unknown = (leaf for leaf in self.leaves if leaf not in names)
        self.names = {**names, **{leaf: f"leaf{number}" for number, leaf in enumerate(unknown)}}
        self.held: dict[Any, Any] = {}
        # Leaves that were written to between two uses.
        self.written: set[Any] = set()
        for node in self.ops:
            self._look(node)

    def _look(self, node: Any) -> None:
        """Find what leaves held when they were used: the program may have written to them since."""
        entry = entry_of(node)
        for x in () if entry is None else operands_in(entry.args):
            edge = x.edge
            if edge is not None and edge.kind == LEAF and edge in self.found and (array := x.array) is not None:
                before = self.held.setdefault(edge, array)
                if before is not array and not equal(before, array):
                    self.written.add(edge)

    @cached_property
    def naming(self) -> Naming:
        """The names and ids of all nodes."""
        return Naming([*self.leaves, *self.ops], self.names)

    def variable(self, node: Any) -> str | None:
        """The program's name for what a node makes; most graphs need not be named as a whole for it."""
        return only_name(node, self.ops, self.names.values()) or self.naming.variables.get(node)

    def at(self, leaf: Any) -> Tensor:
        """A leaf as it was when the graph was recorded."""
        tensor: Tensor = leaf.variable
        then = self.held.get(leaf, tensor._a)
        if tensor._node is leaf and (then is tensor._a or equal(then, tensor._a)):
            return tensor
        was = result(then)
        was._node = leaf
        return was

    def retaining(self) -> Iterable[Tensor]:
        """The tensors that keep their gradient though they are no leaves: a backward adds to it."""
        extras = (node.extra for node in self.ops if node.extra is not None)
        refs = (ref for extra in extras for refs in extra.retain.values() for ref in refs)
        return [tensor for ref in refs if (tensor := ref()) is not None]

    @property
    def hooked(self) -> list[Any]:
        """The nodes and leaves that the program has hung hooks on."""
        # Most nodes have no place for any.
        able = (node for node in self.found if node.extra is not None or node.kind == LEAF)
        return [node for node in able if any(_hooks(node))]

    def _changed(self) -> list[tuple[Tensor, Any]]:
        """The leaves that hold something else by now, each with what it held."""
        held = ((leaf.variable, then) for leaf, then in self.held.items() if leaf not in self.written)
        return [(x, then) for x, then in held if then is not x._a and not equal(then, x._a)]

    @contextmanager
    def leaves_as_recorded(self) -> Iterator[None]:
        """Let the leaves hold what they held, in their own memory: an array of NumPy's may share that."""
        changed = [(x, then, np.array(x._a)) for x, then in self._changed()]
        try:
            for x, then, _ in changed:
                _fill(x, then)
            yield
        finally:
            for x, _, now in changed:
                _fill(x, now)

    @contextmanager
    def with_leaves_restored(self) -> Iterator[None]:
        """The same for what a hook asks of a graph of its own: it is asked as in the program."""
        settings = flags.replace(flags.settings | {flags.RESTORED: True}) if self._changed() else None
        try:
            with self.leaves_as_recorded():
                yield
        finally:
            if settings is not None:
                flags.replace(settings)

    @contextmanager
    def without_hooks(self, *, watching: bool = False) -> Iterator[None]:
        """Let a backward pass by without the program's hooks; ``watching``: without those that change no gradient."""
        taken = [(hooks, dict(hooks)) for node in self.hooked for hooks in _hooks(node)]
        for hooks, before in taken:
            hooks.clear()
            hooks.update({number: hook for number, hook in before.items() if watching and not only_watches(hook)})
        try:
            yield
        finally:
            for hooks, before in taken:
                hooks.clear()
                hooks.update(before)


def _fill(x: Tensor, numbers: Any) -> None:
    """Write numbers into the memory of a tensor; a number alone may have none."""
    if isinstance(x._a, np.ndarray):
        x._a[...] = numbers
    else:
        x._a = x._a.dtype.type(numbers)


def _hooks(node: Any) -> Iterator[dict[int, Any]]:
    """The hooks that hang on a node or a leaf."""
    if node.extra is not None:
        yield from (node.extra.tensor, node.extra.pre, node.extra.post)
    if is_leaf(node):
        yield from (node.hooks, node.post_accumulate)


def equal(a: Any, b: Any) -> bool:
    """True of two arrays that are the same bit for bit, but that one nan is as good as another."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    if a.size <= _SMALL and a.tobytes() == b.tobytes():
        return True
    same = (a == b) & (np.signbit(a) == np.signbit(b)) if a.dtype.kind == "f" else a == b
    return bool(np.all(same | ((a != a) & (b != b))))


def close(a: Any, b: Any, within: float = 1e-9) -> bool:
    """True of two arrays that differ by no more than rounding, or a little beyond, explains."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if equal(a, b):
        return True
    if a.dtype.kind not in "fc":
        return False
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not finite.any():
        return False
    size = max(np.max(np.abs(a[finite])), np.max(np.abs(b[finite])))
    return bool(np.max(np.abs(a[finite] - b[finite])) <= within * size)

"""A graph of complex tensors as a function of real ones: of the real and the imaginary part of each leaf.

Two real leaves and the node that joins them take the place of a complex leaf, and two nodes take a complex root apart.
What is in between stays as it was recorded, so that its rules are what is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine import ops
from ...engine.modes import mode
from ...engine.tape.tape import Operand, entry_of, recording
from ...engine.tensor import Tensor, result
from ...graph.view.reach import is_leaf, reachable
from ...graph.view.tensors import origin

Named = tuple[Tensor, str | None]

PARTS = ("real", "imag")


@dataclass
class Split:
    """Roots, the names of leaves, and which leaves stand for the parts of which."""

    roots: list[Named]
    names: Mapping[Any, str]
    parts: dict[Any, tuple[Any, Any]] = field(default_factory=dict)

    def standing_for(self, leaves: Iterable[Any]) -> Iterator[tuple[Any, str | None]]:
        """The leaves that stand for these, each with which part it is."""
        for leaf in leaves:
            if leaf in self.parts:
                yield from zip(self.parts[leaf], PARTS, strict=True)
            else:
                yield leaf, None


    def part(self, leaf: Any, which: str | None) -> Any:
        """The leaf that stands for this one, or for this part of it."""
        return leaf if which is None else self.parts[leaf][PARTS.index(which)]

    def whole_of(self, leaf: Any) -> Any:
        """The leaf of the program that a leaf stands for: itself, or the complex one that it is a part of."""
        return next((whole for whole, parts in self.parts.items() if leaf in parts), leaf)

    def by_now(self, leaf: Any) -> Any:
        """The numbers in the end of a leaf of the program, or of the part of it that this one stands for."""
        whole = self.whole_of(leaf)
        if whole is leaf:
            return leaf.variable._a
        return getattr(whole.variable._a, PARTS[self.parts[whole].index(leaf)])

    def at(self, leaf: Any, graph: Any) -> Any:
        """The numbers of a leaf of the program when it was used."""
        if leaf not in self.parts:
            return graph.at(leaf)._a
        real, imag = (graph.at(part)._a for part in self.parts[leaf])
        made = np.array(leaf.variable._a)
        made.real, made.imag = real, imag
        return made

    def named(self, name: str, leaves: Mapping[Any, str]) -> list[str]:
        """The names of the leaves that stand for the one with this name."""
        whole = next((leaf for leaf in self.parts if leaves.get(leaf) == name), None)
        return [name] if whole is None else [f"{name}.{which}" for which in PARTS]


def in_real_parts(roots: Sequence[Named], names: Mapping[Any, str]) -> Split:
    """The same graph, with no complex leaf and no complex root."""
    found: dict[Any, Any] = {}
    for root, _ in roots:
        found |= reachable(origin(root)[0])
    all_leaves = dict.fromkeys([*(node for node in found if is_leaf(node)), *names])
    leaves = [x for x in all_leaves if x.variable._a.dtype.kind == "c" and x.variable.requires_grad]
    split = Split(list(roots), names)
    if leaves:
        users = [node for node in found if not is_leaf(node)]
        split.parts = {leaf: _apart(leaf, users, number) for number, leaf in enumerate(leaves)}
        split.names = {
            part: name if which is None else f"{name}.{which}"
            for leaf, name in names.items()
            for part, which in split.standing_for([leaf])
        }
    if any(np.iscomplexobj(root._a) for root, _ in roots):
        split.roots = [part for root in roots for part in parts_of_root(*root)]
    return split


def _apart(leaf: Any, users: Sequence[Any], number: int) -> tuple[Any, Any]:
    """Two real leaves in the place of a complex one."""
    z = leaf.variable
    at = next((x.array for x in _uses(leaf, users) if x.array is not None), z._a)
    node, (real, imag) = joined(at)
    # It comes before all that the program recorded, and what hangs on the leaf hangs on it.
    node.seq = -1 - number
    node.extra = leaf.extra
    for use in _uses(leaf, users):
        use.edge = node
    for user in _with_writes(users):
        user.edges = tuple([node if edge is leaf else edge for edge in user.edges])
        for kept in user.saved or ():
            if isinstance(kept, Tensor) and kept._node is leaf:
                kept._node = node
    z._node = node
    return real._node, imag._node


def joined(a: Any) -> tuple[Any, list[Tensor]]:
    """The node that joins two real leaves to a complex array, and these two."""
    parts = [result(np.array(part)).requires_grad_() for part in (a.real, a.imag)]
    with _recorded():
        node = ops.parts.complex_of_parts(*parts)._node
    node.seq = -1
    return node, parts


def of_real_parts(
    function: Callable[..., Any], inputs: Sequence[Any], called: Mapping[int, str]
) -> tuple[Callable[..., Any], list[Any]]:
    """A function of the parts of its complex inputs, and these in their parts; ``called``: those that are moved."""
    places = [i for i in called if np.iscomplexobj(inputs[i]._a)]

    def joined_first(*given: Any) -> Any:
        rest = iter(given)
        return function(*[
            ops.parts.complex_of_parts(next(rest), next(rest)) if i in places else next(rest)
            for i in range(len(inputs))
        ])  # fmt: skip

    taken: list[Any] = []
    for i, x in enumerate(inputs):
        if i not in places:
            taken.append(x)
            continue
        for which in PARTS:
            part = result(np.array(getattr(x._a, which))).requires_grad_()
            part._label = f"{called[i]}.{which}"
            taken.append(part)
    return joined_first, taken


def joins_leaves(edge: Any) -> bool:
    """Tell whether an edge leads to a complex number whose two parts are leaves."""
    is_join = getattr(edge, "op", None) is ops.parts.complex_of_parts.op
    return is_join and all(before is not None and is_leaf(before) for before in edge.edges)


def _with_writes(users: Sequence[Any]) -> Iterator[Any]:
    """Nodes, and those of the writes inside them."""
    for node in users:
        yield node
        entry = entry_of(node)
        if entry is not None and entry.inner is not None and node.saved:
            yield node.saved[0]


def _uses(leaf: Any, users: Sequence[Any]) -> Iterator[Operand]:
    """Where a leaf is an operand."""
    for node in _with_writes(users):
        entry = entry_of(node)
        for argument in () if entry is None else entry.operands:
            x = argument.value
            if type(x) is Operand and x.edge is leaf:
                yield x


def parts_of_root(root: Tensor, name: str | None) -> Iterator[Named]:
    """A root, or of a complex one its two parts."""
    if not np.iscomplexobj(root._a):
        yield root, name
        return
    called = name or root._label
    with _recorded():
        parts = ops.parts.real(root), ops.parts.imag(root)
    for part, which in zip(parts, PARTS, strict=True):
        yield part, f"{called}.{which}" if called else which


def _recorded() -> Any:
    mode.grad = True
    return recording()

"""The gradients that a backward may be handed: one in memory of another layout, or while derivatives are recorded.

A gradient arrives expanded after a sum, transposed or sliced behind a view, and it arrives while the backward itself is
recorded where that is differentiated once more. A function of the program's own that makes something else of the same
numbers then is wrong, though the backward at hand never meets that. So is one that does when it is applied again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import LEAF, MultiNode, node_of
from ...engine.modes import mode
from ...engine.tape.entry import Entry, Operand, entry_of
from ...engine.tape.replay import drawing_as, plain
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...errors import raised_by_program
from ...verdicts import NoteKind
from ..arrays import Array
from ..replay.recorded_graph import close, equal

Shares = list[Array | None]

# So many of a program's functions are looked at, each once for the same shapes.
_FUNCTIONS = 16
# What differs by less of what is usual is rounding.
_ROUNDED = 2.0**-46

# So often a function is applied once more: what it does every other time shows, too.
_TIMES = 2

# What a note of it is about: how the gradient lies in memory, that it is recorded, or that it is not the first one.
LAYOUT, RECORDED, AGAIN = NoteKind.LAYOUT, NoteKind.CREATE_GRAPH, NoteKind.NONDETERMINISTIC


class Odd(NamedTuple):
    """A function whose backward makes something else of the same gradient."""

    node: Any
    # Which edge what it passes on goes along; None where the backward stops.
    slot: int | None
    kind: NoteKind
    # In which way the gradient arrived.
    how: str
    # The entry that differs most: what was passed on then, and otherwise.
    place: tuple[int, ...] = ()
    claimed: float = np.nan
    usual: float = np.nan


def odd_functions(given: Mapping[Any, Sequence[Array | None]], rng: np.random.Generator) -> Iterator[Odd]:
    """The functions that make something else of a gradient which is handed over in another way.

    ``given``: for each function of the program what arrives at its outputs.
    """
    for node, arriving in _each_kind(given):
        yield from _of_one(node, arriving, rng)


def odd_again(given: Mapping[Any, Sequence[Array | None]], rng: np.random.Generator) -> Iterator[Odd]:
    """The functions that make something else of a gradient when they are applied once more to the same numbers."""
    for node, arriving in _each_kind(given):
        some = _drawn(arriving, rng)
        usual = _passed(node, some)
        for _ in range(_TIMES):
            anew = _applied_again(node)
            other = None if anew is None else _passed(anew, some)
            if usual is None or other is None:
                break
            odd = _compared(node, usual, other, usual, AGAIN, "when it is applied again to the same numbers")
            if odd is not None:
                yield odd
                break


def _each_kind(given: Mapping[Any, Sequence[Array | None]]) -> Iterator[tuple[Any, Sequence[Array | None]]]:
    """The first few functions, each once for the same shapes."""
    known: set[Any] = set()
    for node, arriving in given.items():
        key = node.function, tuple(None if g is None else g.shape for g in arriving)
        if key not in known and len(known) < _FUNCTIONS:
            known.add(key)
            yield node, arriving


def _drawn(arriving: Sequence[Array | None], rng: np.random.Generator) -> Shares:
    return [None if g is None else np.asarray(rng.standard_normal(g.shape), g.dtype) for g in arriving]


def _applied_again(node: FunctionNode) -> Any:
    """A function applied to the numbers that it was applied to, as another node; None where it refuses."""
    entry = entry_of(node)
    if entry is None or any(a.is_operand and a.value.array is None for a in entry.arguments):
        return None
    before = mode.grad
    mode.grad = True
    try:
        with recording(), drawing_as(node), np.errstate(all="ignore"):
            made = node.function.apply(*_as_leaves(node, entry))
    except raised_by_program():
        # A forward of the program's own may raise anything.
        return None
    finally:
        mode.grad = before
    outs = made if isinstance(made, tuple) else (made,)
    edges = [y._node for y in outs if isinstance(y, Tensor) and y._node is not None]
    found = node_of(edges[0]) if edges else None
    return found if isinstance(found, FunctionNode) and len(found.edges) == len(node.edges) else None


def _as_leaves(node: FunctionNode, entry: Entry) -> Iterator[Any]:
    """The arguments of a function, tensors as leaves: those that got a gradient get one again.

    The program's own leaves stand for themselves.
    """
    slots = {id(a.value): a.slot for a in entry.arguments if a.is_operand}

    def given(x: Any) -> Any:
        if type(x) is list or type(x) is tuple:
            return type(x)([given(y) for y in x])
        if type(x) is not Operand:
            return plain(x)
        slot = slots.get(id(x))
        leaf = x.node.variable if x.edge is not None and x.node.kind == LEAF else None
        if leaf is not None and equal(leaf._a, x.array):
            # A backward may differentiate with respect to it what reads it by itself, as an adjoint method does.
            return leaf
        made = result(np.array(x.array))
        return made.requires_grad_() if slot is not None and node.edges[slot] is not None else made

    yield from map(given, entry.args)


def _of_one(node: Any, arriving: Sequence[Array | None], rng: np.random.Generator) -> Iterator[Odd]:
    some = _drawn(arriving, rng)
    usual = _passed(node, some)
    if usual is None:
        return
    recorded = _passed(node, some, recorded=True)
    if recorded is not None:
        found = _compared(node, usual, recorded, usual, RECORDED, "while the backward is recorded (create_graph=True)")
        if found is not None:
            yield found
            return
    same = [None if g is None else np.full(g.shape, rng.uniform(0.5, 1.5), g.dtype) for g in arriving]
    for how, values, change in (
        ("expanded (stride 0), as after sum()", same, _expanded),
        ("transposed", some, _transposed),
        ("a slice of something larger", some, _sliced),
    ):
        changed = [None if g is None else change(g) for g in values]
        if all(a is b for a, b in zip(changed, values, strict=True)):
            continue
        before = usual if values is some else _passed(node, values)
        after = _passed(node, changed)
        if before is None:
            continue
        found = Odd(node, None, LAYOUT, how) if after is None else _compared(node, before, after, usual, LAYOUT, how)
        if found is not None:
            yield found
            return


def _passed(node: Any, arriving: Sequence[Array | None], *, recorded: bool = False) -> Shares | None:
    """Ask the backward of a function for what it passes on; None where it stops."""
    several = isinstance(node, MultiNode)
    # A backward may write to what it is given.
    own = [None if g is None else (g if not g.flags.owndata else np.array(g)) for g in arriving]
    try:
        with np.errstate(all="ignore"):
            if recorded:
                tensors = [None if g is None else result(g).requires_grad_() for g in own]
                made = node.run_graph(tensors if several else tensors[0], node.edges)
                return [None if x is None else np.array(x._a) for x in made]
            made = node.run(own if several else own[0], node.edges)
            return [None if x is None else np.array(x) for x in made]
    except raised_by_program():
        # A backward of the program's own may raise anything.
        return None


def _compared(node: Any, one: Shares, other: Shares, usual: Shares, kind: NoteKind, how: str) -> Odd | None:
    """Where two results of one backward differ by more than another order of sums explains.

    ``usual``: what it makes of a gradient by chance; of one that it takes to zero only the rounding may be left.
    """
    for slot, (a, b, c) in enumerate(zip(one, other, usual, strict=True)):
        if a is None or b is None:
            if a is not b and np.any(a if b is None else b):
                return Odd(node, slot, kind, how)
        elif not close(a, b) and a.shape == b.shape and np.isfinite(a).all():
            if c is not None and np.abs(b - a).max() <= _ROUNDED * np.abs(c).max():
                continue
            index = np.unravel_index(int(np.argmax(np.abs(b - a))), a.shape)
            return Odd(node, slot, kind, how, tuple(map(int, index)), float(b[index]), float(a[index]))
    return None


# -- layouts -----------------------------------------------------------------------------------


def _expanded(g: Array) -> Array:
    return np.broadcast_to(g.reshape(-1)[:1].reshape((1,) * g.ndim), g.shape) if g.size > 1 else g


def _transposed(g: Array) -> Array:
    return np.array(g.T, order="C").T if g.ndim > 1 and g.size > 1 else g


def _sliced(g: Array) -> Array:
    if g.size < 2:
        return g
    larger = np.full((*g.shape[:-1], 2 * g.shape[-1] + 1), np.nan, g.dtype)
    part = larger[..., 1::2]
    part[...] = g
    return part

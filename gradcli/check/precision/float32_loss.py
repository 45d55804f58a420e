"""Digits of a gradient that float32 loses, and where: the float32 program beside its own graph in float64.

Both have the same numbers in leaves and constants, as float32 has them. Every op is evaluated again with the float64
numbers of its operands: what it made in float32 then shows what rounding has done until there.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.graph import LEAF
from ...engine.tape.entry import Operand, entry_of
from ...engine.tape.replay import again, why_not
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor
from ...engine.walk.backward import grad
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..claims.passes import keeping, tensor_like, weights_of
from ..judging.findings import Entry, Finding
from ..judging.verdict import PASSES, Judged, Verdict
from ..replay.recorded_graph import Graph
from ..replay.subject import Subject

UNIT = 2.0**-24
# All that float32 has.
DIGITS = -math.log10(UNIT)
# A node that loses so many digits more than its operands had lost is named.
_LOST = 2.0
# A number of float32.
_BYTES = 4
# So little of a gradient may be lost without a word.
_ENOUGH = 1e-3
# How many samples of rounding errors are drawn, and how much larger than the largest response an error may be.
_SAMPLES, _BARS = 6, 8.0
_SHOWN = 5

# Ops that add up: what they make may be smaller than any of their operands.
_SUMS = ("Add", "Sub", "Rsub", "Sum", "Mean", "Addmm", "Mm", "Bmm", "Dot", "Mv", "Var", "Std", "Cumsum")


class Loss(NamedTuple):
    """A node that loses digits."""

    node: Any
    digits: float
    why: str


class Gradient(NamedTuple):
    """A gradient: of which output, with respect to which input."""

    output: int
    input: int
    tensor: Tensor


def judged(subject: Subject, seed: int = 0) -> tuple[list[Finding], list[Note]]:
    """A finding for each output of a float32 program with respect to each input, and notes on what it loses."""
    truth = Evaluation(subject, seed)
    findings = [_finding(subject, truth, number) for number in range(len(truth.gradients))]
    losses = [*_forward_losses(subject, truth), *_backward_losses(subject, truth)]
    worst = min((x.digits for x in findings if x.digits is not None), default=DIGITS)
    # Rounding that the gradient does not feel is nobody's concern.
    return findings, [_told(subject, loss) for loss in losses[:1] if worst < DIGITS - _LOST]


class Evaluation:
    """The graph of a program's gradients in float64: its numbers, and what rounding to float32 may do to them.

    Each gradient is that of the sum of an output with random weights. All of a backward is recorded, from the weights
    on: also where its result is constant.
    """

    def __init__(self, subject: Subject, seed: int) -> None:
        self.weights = [weights_of(y.tensor, seed + i) for i, y in enumerate(subject.outputs)]
        self._starts: dict[Any, Any] = {}
        self.gradients = list(self._recorded(subject))
        roots = [y.tensor for y in subject.outputs] + [g.tensor for g in self.gradients]
        graph = Graph([root for root in roots if root._node is not None], {})
        self.nodes = [node for node in graph.ops if why_not(node) is None]
        self._leaves = {**{x.tensor._node: _wide(x.tensor._a) for x in subject.inputs}, **self._starts}
        self.values = self._values(None)
        self.outputs = self._read(self.values)
        rng = np.random.default_rng(seed)
        samples = [self._read(self._values(rng)) for _ in range(_SAMPLES)]
        # How far the rounding of every number on the way may move each gradient.
        self.bars = [
            UNIT * np.abs(a) + np.max([np.abs(sample[i] - a) for sample in samples], axis=0)
            for i, a in enumerate(self.outputs)
        ]

    def _recorded(self, subject: Subject) -> Iterator[Gradient]:
        leaves = [x.tensor for x in subject.inputs]
        with recording(subject.tape), keeping(subject):
            for o, (output, w) in enumerate(zip(subject.outputs, self.weights, strict=True)):
                start = tensor_like(w, output.tensor).requires_grad_()
                self._starts[start._node] = _wide(start._a)
                found = grad(output.tensor, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
                yield from (Gradient(o, i, g) for i, g in enumerate(found) if g is not None)

    def _values(self, rng: np.random.Generator | None) -> dict[Any, Any]:
        """The numbers of all leaves and outputs of nodes; ``rng``: each as far off as float32 may be."""
        found = dict(self._leaves)
        with np.errstate(all="ignore"):
            for node in self.nodes:
                for nr, made in enumerate(again(*_widened(node, found))):
                    a = _wide(made)
                    if rng is not None and a is not None and a.dtype.kind == "f":
                        a = a * (1 + UNIT * rng.uniform(-1, 1, a.shape))
                    found[node, nr] = a
        return found

    def _read(self, values: dict[Any, Any]) -> list[Array]:
        """The gradients; one that no graph tells is what it was."""
        tensors = [g.tensor for g in self.gradients]
        return [_wide(t._a) if t._node is None else values.get(_key(t._node), _wide(t._a)) for t in tensors]

    def errors(self, node: Any) -> Iterator[tuple[Array, Array]]:
        """For each output of a node, how far it is off in float32, and what it is."""
        entry = entry_of(node)
        for nr, made in enumerate(() if entry is None else entry.outputs):
            true = self.values.get((node, nr))
            if true is not None and made is not None and true.dtype.kind == "f":
                with np.errstate(all="ignore"):
                    yield np.asarray(made, np.float64) - true, true

    def operands(self, node: Any) -> list[Any]:
        """The nodes that made a node's operands."""
        entry = entry_of(node)
        values = [] if entry is None else [a.value for a in entry.operands]
        return [x.node for x in values if type(x) is Operand and x.edge is not None and x.edge.kind != LEAF]


def _widened(node: Any, found: dict[Any, Any]) -> tuple[Any, list[Any]]:
    """A node as float64 would have it, and its operands."""
    entry = entry_of(node)
    assert entry is not None
    twin = copy.copy(node)
    twin.entry = copy.copy(entry)
    twin.entry.cast = None
    double = np.dtype(np.float64)
    twin.entry.args = tuple([double if isinstance(x, np.dtype) and x == np.float32 else x for x in entry.args])
    return twin, [_operand(a.value, found) for a in entry.operands]


def _operand(x: Any, found: dict[Any, Any]) -> Any:
    if type(x) is not Operand:
        return x
    known = None if x.edge is None else found.get(_key(x.edge))
    return _wide(x.array) if known is None else known


def _key(edge: Any) -> Any:
    return edge if edge.kind == LEAF else (getattr(edge, "node", edge), getattr(edge, "nr", 0))


def _wide(a: Any) -> Any:
    """Numbers of float32 in float64."""
    if a is None:
        return None
    a = np.asarray(a)
    return a.astype(np.float64) if a.dtype.kind == "f" else a


# -- findings ----------------------------------------------------------------------------------


def _finding(subject: Subject, truth: Evaluation, number: int) -> Finding:
    """Measure how far one gradient is off in float32."""
    gradient = truth.gradients[number]
    output, source = subject.outputs[gradient.output], subject.inputs[gradient.input]
    claimed, true, bar = _wide(gradient.tensor._a), truth.outputs[number], truth.bars[number]
    with np.errstate(all="ignore"):
        off = np.where(claimed == true, 0.0, np.abs(claimed - true))
    share = _share(_largest(off), _largest(true))
    overflown = ~np.isfinite(claimed) & np.isfinite(true)
    made = Finding(output.name, source.name, 1, Verdict.PASS, entries=true.size, span=output.span)
    if np.any(overflown):
        made.verdict, share = Verdict.WRONG, math.inf
    elif not np.all(np.isfinite(true)):
        made.verdict = Verdict.DOMAIN
    elif share > _ENOUGH or np.any(off > _BARS * bar):
        made.verdict = Verdict.INACCURATE
    elif not np.any(true):
        made.verdict = Verdict.PASS_ZERO
    made.wrong_entries = int(np.sum(overflown))
    made.digits = max(0.0, DIGITS if share < UNIT else -math.log10(share))
    told = f"{made.digits:.1f} of {DIGITS:.1f} digits of {output.name} with respect to {source.name} are right"
    if true.size:
        at = subject.at[gradient.input]
        table = [_entry(made.verdict, place, at, claimed, true, bar) for place in _worst(off, bar)]
        made.worst = table[0]
        if made.verdict not in PASSES:
            made.table = table
        if share > UNIT:
            told += f"; {_told_of(source.name, claimed, true)}"
    made.notes.append(Note(NoteKind.FLOAT32, told))
    return made


def _told_of(name: str, claimed: Array, true: Array) -> str:
    """Name the entry that is off by most."""
    with np.errstate(all="ignore"):
        off = np.abs(claimed - true)
        place = np.unravel_index(int(np.argmax(np.nan_to_num(off, nan=np.inf))), off.shape)
    index = f"[{', '.join(map(str, place))}]" if off.ndim else ""
    if not np.isfinite(off[place]):
        return f"that of {name}{index} is {claimed[place]:.3g}, and should be {true[place]:.3g}"
    return f"that of {name}{index} is off by most, by {off[place]:.1g} of {true[place]:.3g}"


def _worst(off: Array, bar: Array) -> list[tuple[int, ...]]:
    """Where numbers are off by most of their bars."""
    with np.errstate(all="ignore"):
        away = np.nan_to_num(off / bar, nan=np.inf).reshape(-1)
    places = np.argsort(-away, kind="stable")[:_SHOWN]
    return [tuple(map(int, np.unravel_index(int(place), off.shape))) for place in places]


def _entry(verdict: Verdict, index: tuple[int, ...], at: Array, claimed: Array, true: Array, bar: Array) -> Entry:
    return Entry(index, float(at[index]), Judged(verdict, float(claimed[index]), float(true[index]), float(bar[index])))


# -- where -------------------------------------------------------------------------------------


def _forward_losses(subject: Subject, truth: Evaluation) -> Iterator[Loss]:
    """The nodes of the forward that lose digits of what they matter for: each number counts as its gradient says."""
    arriving: dict[Any, Any] = {}

    def observe(node: Any, g: Any, edges: Sequence[Any], shares: Any) -> None:
        arriving[node] = g if isinstance(g, (list, tuple)) else [g]

    subject.backward(truth.weights, observer=observe)

    def share(node: Any) -> float:
        pairs = [(w, *x) for w, x in zip(arriving.get(node, []), truth.errors(node), strict=False) if w is not None]
        if not all(np.all(np.isfinite(w)) for w, _, _ in pairs):
            pairs = [(1.0, *x) for x in truth.errors(node)]
        with np.errstate(all="ignore"):
            off = sum(float(np.sum(np.abs(w * error))) for w, error, _ in pairs)
            size = sum(float(np.sum(np.abs(w * true))) for w, _, true in pairs)
        return _share(off, size)

    yield from _losses(subject.nodes, truth, share)


def _backward_losses(subject: Subject, truth: Evaluation) -> Iterator[Loss]:
    """The nodes that a backward recorded which lose digits of their largest numbers."""

    def share(node: Any) -> float:
        pairs = [(_largest(error), _largest(true)) for error, true in truth.errors(node)]
        return max((_share(off, size) for off, size in pairs), default=0.0)

    before = set(subject.nodes)
    yield from _losses([node for node in truth.nodes if node not in before], truth, share)


def _losses(nodes: Sequence[Any], truth: Evaluation, share: Callable[[Any], float]) -> Iterator[Loss]:
    """The nodes, in forward order, that are off by much more than their operands are."""
    for node in nodes:
        if not any(True for _ in truth.errors(node)):
            continue
        own, *given = (share(each) for each in (node, *truth.operands(node)))
        if all(map(math.isfinite, given)) and own > max([UNIT, *given]) * 10**_LOST:
            digits = math.log10(own / max([UNIT, *given])) if math.isfinite(own) else math.inf
            yield Loss(node, digits, _why(node, truth))


def _largest(a: Array) -> float:
    return float(np.max(np.abs(a), initial=0.0))


def _share(off: float, size: float) -> float:
    """By how much of its size a number is off: infinitely, where it is not finite and should be."""
    if not math.isfinite(size) or not size:
        return 0.0
    return off / size if math.isfinite(off) else math.inf


def _why(node: Any, truth: Evaluation) -> str:
    """Say how a node loses digits."""
    made = [(error, true) for error, true in truth.errors(node)]
    if any(not np.all(np.isfinite(error)) for error, _ in made):
        return "overflow"
    entry = entry_of(node)
    values = [] if entry is None else [_wide(a.value.array) for a in entry.operands if type(a.value) is Operand]
    largest = max((_largest(a) for a in values if a.dtype.kind == "f"), default=0.0)
    if any(np.any((error == -true) & (true != 0)) for error, true in made):
        return "underflow"
    size = max(_largest(true) for _, true in made)
    if node.name().startswith(_SUMS) and size < largest:
        return "cancellation"
    outputs = () if entry is None else [x.dtype for x in entry.outputs if x is not None]
    if any(dtype.kind == "f" and dtype.itemsize < _BYTES for dtype in outputs):
        return "it is computed in half precision"
    return "its result hangs on the last digits of its operands"


def _told(subject: Subject, loss: Loss) -> Note:
    """A loss in words: where it is, and why."""
    node, where = loss.node, ""
    entry = entry_of(node)
    recorder = None if entry is None else entry.parent
    span = subject.span_of(node if recorder is None else recorder)
    if recorder is not None:
        where = f" in the backward of {subject.name_of(recorder)}"
    if span is not None:
        where += f" at line {span.line}"
    digits = f"{loss.digits:.1f}" if math.isfinite(loss.digits) else "all"
    return Note(NoteKind.FLOAT32, f"{digits} digits are lost in {subject.name_of(node)}{where}: {loss.why}")

"""A custom Function run once more with its inner ops recorded, and the comparisons that it makes noted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....engine.function import Function, FunctionNode, bare_backward_of
from ....engine.graph import next_sequence_number, node_of
from ....engine.guard.outside import guarded
from ....engine.modes import mode
from ....engine.random.generator import default as default_generator
from ....engine.tape.asked import Asked, Compared
from ....engine.tape.entry import Operand, entry_of, operands_in
from ....engine.tape.replay import drawing_as
from ....engine.tape.tape import Tape, recording
from ....engine.tensor import Tensor, result
from ....errors import raised_by_program

FORWARD, BACKWARD = "forward", "backward"


class Comparison(NamedTuple):
    """Two values that were compared, and where it holds.

    ``parts``: tensors, and with which sign each goes into the difference, where those are not the two sides.
    """

    phase: str
    seq: int
    left: Any
    right: Any
    holds: Any
    parts: tuple[tuple[Tensor, Any], ...] | None = None


class Condition(NamedTuple):
    """A truth value that was made of one comparison of many numbers, as `(x > 1).any()`, and read."""

    comparison: Comparison
    outcome: bool


class _Distances(Asked):
    """Notes on how far tensors are apart that a Function compares."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def compared(self, left: Any, right: Any) -> None:
        """Nothing: the tape itself notes it."""

    def _note(self, made: Compared) -> None:
        if self.watch.is_ours([x for x, _ in made.parts]):
            holds = np.array(made.difference <= 0)
            seq = next_sequence_number()
            noted = Comparison(self.watch.phase, seq, made.left, made.right, holds, made.parts)
            self.watch.comparisons.append(noted)
            self.watch.conditions.append(Condition(noted, bool(holds.all())))


class Watch(Tape):
    """A tape that also notes the ops in their order, and what comparisons and searches came to."""

    def __init__(self, recorded: bool) -> None:
        super().__init__()
        # Whether it shows what numbers come from.
        self.recorded = recorded
        self.phase = FORWARD
        self.nodes: list[tuple[str, Any]] = []
        self.comparisons: list[Comparison] = []
        self.conditions: list[Condition] = []
        # How many comparisons there were when a truth value was read last.
        self._read = 0
        self.asked = _Distances(self)
        # How numbers were read outside tensors: nobody sees what was done with them.
        self.reads: set[str] = set()
        # Whether the backward came to its end, and whether numbers were made that are not recorded.
        self.ended = False
        self.hides = False
        # The gradients that arrive, each a leaf; what comes of those alone, whose kinks are none of what was given.
        self.arriving: list[Tensor] = []
        self.of_gradients: set[Any] = set()

    @property
    def varies(self) -> bool:
        """True unless forward and backward do the same whatever the numbers are, as far as every op shows that."""
        leaves = {x._node for x in self.arriving}
        nodes = [*(node for _, node in self.nodes), *(self.of_gradients - leaves)]
        straight = self.recorded and self.ended and all(op is not None and op.kink is None for op in map(_op_of, nodes))
        return not straight or self.hides or bool(self.choosers or self.comparisons or self.escapes)

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Note what an op was given and what it made."""
        super().record(node, op, args, outs, names)
        if self.of_gradients:
            sources = [node_of(x.edge) for x in operands_in(node.entry.args) if x.edge is not None]
            if sources and self.of_gradients.issuperset(sources):
                self.of_gradients.add(node)
                return
        self.nodes.append((self.phase, node))

    def unrecorded(self, t: Tensor, args: Sequence[Any], op: Any = None) -> None:
        """Note a comparison: of two values, one at least of floating numbers that come from the operands."""
        super().unrecorded(t, args, op)
        self.hides |= bool(t._cuts) and t._a.dtype.kind in "fc"
        if op is not None and t._a.dtype.kind == "b" and len(args) == 2 and self.is_ours(args):
            self.comparisons.append(Comparison(self.phase, next_sequence_number(), args[0], args[1], np.array(t._a)))

    def is_ours(self, args: Sequence[Any]) -> bool:
        """Tell whether one at least of some values is of floating numbers that come from the operands."""
        return any(_is_floating(x) and (not self.recorded or self._is_ours(x)) for x in args)

    def _is_ours(self, x: Tensor) -> bool:
        edges = [x._node] if x._node is not None else [cut.edge for cut in x._cuts]
        return any(node_of(edge) not in self.of_gradients for edge in edges)

    def escaped(self, source: Tensor, how: str) -> None:
        """Note that a number was read outside tensors."""
        super().escaped(source, how)
        if how == "bool":
            recent, self._read = self.comparisons[self._read :], len(self.comparisons)
            if len(recent) == 1 and recent[0].holds.size > 1 and source._a.size == 1:
                self.conditions.append(Condition(recent[0], bool(source._a)))
        elif _is_floating(source):
            self.reads.add(how)


def _op_of(node: Any) -> Any:
    """The op of a node, or that which wrote through a view; None of what is no op."""
    entry = entry_of(node)
    return None if entry is None else entry.op if entry.inner is None else entry.inner.op


def _is_floating(x: Any) -> bool:
    return isinstance(x, Tensor) and x._a.dtype.kind == "f"


class Inside(NamedTuple):
    """Notes from inside of one application of a custom Function."""

    node: FunctionNode
    watch: Watch
    # The tensors that its operands were given as, each a leaf, and where these operands' gradients go.
    leaves: list[Tensor]
    edges: list[Any]
    # What its forward returned, and its backward; nothing where that did not come to its end.
    outs: tuple[Any, ...]
    passed: tuple[Any, ...]


def inside(node: FunctionNode, function: type[Function], rng: np.random.Generator) -> Inside:
    """Run the forward and the backward of a custom Function with their inner ops recorded.

    ``function``: the class to run, the node's own or its twin from another run of the program. What its forward
    raises is raised: it refuses its arguments, which are none of its domain.
    """
    try:
        return watched(node, function, rng, Watch(True))
    except raised_by_program():
        # A forward may do what cannot be recorded; its comparisons show in any case.
        return watched(node, function, rng, Watch(False))


def watched(node: FunctionNode, function: type[Function], rng: np.random.Generator, watch: Watch) -> Inside:
    """The same, with notes on this tape."""
    entry = entry_of(node)
    assert entry is not None
    leaves: list[Tensor] = []
    edges: list[Any] = []
    recorded = watch.recorded
    before = mode.grad, mode.rule
    drawn = default_generator.get_state()
    mode.grad, mode.rule = recorded, False
    try:
        # What is kept beside the context, as the state of the generator in a module, stays what it was, too.
        with recording(watch), drawing_as(node), np.errstate(all="ignore"):
            given = [_given(x, leaves if recorded else None, edges) for x in entry.args]
            ctx = type(node)(node.needs_input_grad)
            out = run_forward(function, ctx, tuple(given))
            watch.phase = BACKWARD
            outs = out if isinstance(out, tuple) else (out,)
            passed = _backward(function, ctx, outs, rng, watch)
    finally:
        mode.grad, mode.rule = before
        default_generator.set_state(drawn)
    return Inside(node, watch, leaves, edges, outs, passed)


def _given(x: Any, leaves: list[Tensor] | None, edges: list[Any]) -> Any:
    """An argument as it was, what has a gradient recorded and free to be written to."""
    if type(x) is list or type(x) is tuple:
        return type(x)([_given(y, leaves, edges) for y in x])
    if type(x) is not Operand:
        return x
    made: Any = result(np.array(x.array))
    if leaves is None or x.edge is None or made._a.dtype.kind not in "fc":
        return made
    leaves.append(made.requires_grad_())
    edges.append(x.edge)
    return made.clone()


def _arriving(of: Any, rng: np.random.Generator, watch: Watch) -> Any:
    """A random gradient for an output, recorded where operands are, and free to be written to."""
    made: Any = result(np.asarray(rng.standard_normal(of.shape), of.dtype))
    if not watch.recorded or made._a.dtype.kind not in "fc":
        return made
    watch.arriving.append(made.requires_grad_())
    watch.of_gradients.add(made._node)
    return made.clone()


def run_forward(function: Any, ctx: Any, given: tuple[Any, ...]) -> Any:
    """Run a forward, and put what it kept where its backward reads it."""
    separate = function.setup_context is not Function.setup_context
    forward = guarded(function.forward)
    out = forward(*given) if separate else forward(ctx, *given)
    if separate:
        function.setup_context(ctx, given, out)
    ctx.saved = ctx.to_save or ()
    ctx._tensor_arguments = tuple(isinstance(x, Tensor) for x in given)
    for i, x in enumerate(ctx.saved):
        if x is not None and x._vc is not None:
            ctx.extras().versions[i] = x._vc.n
    return out


def _backward(function: Any, ctx: Any, outs: Sequence[Any], rng: np.random.Generator, watch: Watch) -> tuple[Any, ...]:
    """Run a backward for what it compares and which ops it calls, as far as it comes."""
    arriving = [_arriving(x._a, rng, watch) if isinstance(x, Tensor) else None for x in outs]
    backward = bare_backward_of(function)
    try:
        made = backward(ctx, *arriving)
    except raised_by_program():
        # A custom backward may raise anything, as where it cannot be recorded; what it did before is noted.
        return ()
    watch.ended = True
    return made if isinstance(made, tuple) else (made,)

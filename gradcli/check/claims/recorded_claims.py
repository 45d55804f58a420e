"""The backward of a whole program as a graph in which what each custom Function makes of gradients is one op.

Such an op runs the Function's forward and its backward, from operands and gradients that arrive to those that it passes
on. So it is recorded as a forward is, and what is claimed for many outputs, at many points, comes of one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...engine.function import Function, FunctionNode, bare_backward_of
from ...engine.modes import mode
from ...engine.ops.make.converting import clone
from ...engine.ops.make.filled import zeros_like
from ...engine.tape.entry import Operand, entry_of
from ...engine.tape.replay import plain
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ..arrays import Array
from ..replay.custom_function.inside_function import run_forward
from ..replay.only_ops import is_given_more
from ..replay.plan import Plan, Unreplayable
from ..replay.recorded_graph import close
from ..replay.subject import Subject
from .passes import keeping, tensor_like

# For fewer claims it is sooner asked again than recorded; and so nearly both ways agree, at the point and beside it.
_WORTH, _AGREE = 16, 1e-12
_ASKED, _KNOWN = "claims asked for", "recorded claims"


class _Claims(NamedTuple):
    """The backward from inputs and weights to gradients, and which inputs these are of."""

    plan: Plan
    inputs: list[int]


def claims_at(
    subject: Subject, output: int, several: Sequence[Array], arrays: Sequence[Array], moved: Sequence[bool]
) -> list[list[list[Array | None]]] | None:
    """The gradients of an output with several weights, at many points: by weights, point and input.

    ``arrays`` have the points as their first axis, where they are ``moved``. None where they are to be asked for one by
    one: there are too few, or they cannot be recorded.
    """
    count = next(len(a) for a, m in zip(arrays, moved, strict=True) if m)
    kept = subject.plan.kept
    asked = kept[_ASKED] = kept.get(_ASKED, 0) + count * len(several)
    if (_KNOWN, output) not in kept:
        if asked < _WORTH:
            return None
        kept[_KNOWN, output] = _recorded(subject, output, several[0])
    known: _Claims | None = kept[_KNOWN, output]
    if known is None:
        return None
    root = subject.outputs[output].tensor
    starts = np.repeat(np.stack([tensor_like(weights, root)._a for weights in several]), count, 0)
    there = [np.concatenate([a] * len(several)) if m else a for a, m in zip(arrays, moved, strict=True)]
    try:
        found = known.plan.in_parts([*there, starts], [*moved, True], len(starts))
    except raised_by_program():
        # A Function may refuse what it is given there, which its own backward is asked for again.
        return None
    gradients: list[list[Array | None]] = [[None] * len(arrays) for _ in starts]
    for i, a in zip(known.inputs, found, strict=True):
        for point, g in zip(gradients, a, strict=True):
            point[i] = g
    return [gradients[k : k + count] for k in range(0, len(starts), count)]


def _recorded(subject: Subject, output: int, weights: Array) -> _Claims | None:
    """The backward, recorded once; None where it cannot be, or says something else than the backward itself."""
    own = [node for node in subject.nodes if isinstance(node, FunctionNode)]
    if not own or any(is_given_more(node) or node.hides_complex for node in own):
        return None
    root = subject.outputs[output].tensor
    leaves = [x.tensor for x in subject.inputs]
    try:
        with recording(subject.tape), keeping(subject), _as_ops(own):
            start = tensor_like(weights, root).requires_grad_()
            found = grad(root, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
        inputs = [i for i, g in enumerate(found) if g is not None and g._node is not None]
        known = _Claims(Plan([found[i] for i in inputs], [*leaves, start]), inputs)
        made = known.plan.outputs(known.plan.at)
    except raised_by_program(Unreplayable):
        # A backward may refuse to be recorded.
        return None
    every: list[Any] = [None] * len(subject.outputs)
    every[output] = weights
    claimed = [g for g in subject.claim(every) if g is not None]
    same = len(made) == len(claimed) and all(close(a, b, _AGREE) for a, b in zip(made, claimed, strict=True))
    return known if same else None


@contextmanager
def _as_ops(own: Sequence[FunctionNode]) -> Iterator[None]:
    """Let the backwards of custom Functions be ops of their own."""
    classes = [type(node) for node in own]
    try:
        for node in own:
            node.__class__ = type(type(node).__name__, (_Whole, type(node)), {"__slots__": ()})
        yield
    finally:
        for node, kind in zip(own, classes, strict=True):
            node.__class__ = kind


class _Whole:
    """The node of a custom Function whose backward is recorded as one op."""

    __slots__ = ()

    def run_graph(self: Any, g: Any, edges: tuple[Any, ...]) -> Any:
        """The gradients that it passes on."""
        entry: Any = entry_of(self)
        arriving = [self._arrived(x, k) for k, x in enumerate(g if self.outputs > 1 else [g])]
        given = [_tensor(x) if type(x) is Operand else plain(x) for x in entry.args]
        passed = iter(_gradient_of(self.function).apply(self.needs_input_grad, *given, *arriving))
        return [None if edge is None else next(passed) for edge in edges]

    def _arrived(self: Any, x: Any, k: int) -> Tensor:
        """A gradient that arrives at an output, zero where none does."""
        if x is not None:
            return x if isinstance(x, Tensor) else result(x)
        shape, dtype = (self.shape[k], self.dtype[k]) if self.outputs > 1 else (self.shape, self.dtype)
        if shape is None or not self._materialize:
            raise Unreplayable(self, "its backward is given something else than tensors")
        return result(np.zeros(shape, dtype))


def _tensor(x: Operand) -> Tensor:
    """An operand as it was, with its place in the graph."""
    if x.array is None:
        raise Unreplayable(x.node, "its numbers are not kept")
    made: Tensor = result(x.array)
    made._node = x.edge
    return made


# By Function.
_gradients: WeakKeyDictionary[type[Function], type[Function]] = WeakKeyDictionary()


def _gradient_of(function: type[Function]) -> type[Function]:
    """The Function that makes of operands, and of gradients that arrive, what another one passes on."""
    made = _gradients.get(function)
    if made is None:
        methods = {"forward": staticmethod(_forward_of(function)), "backward": staticmethod(_no_backward)}
        made = _gradients[function] = type(f"{function.__name__}'s gradient", (Function,), methods)
    return made


def _no_backward(ctx: Any, *_: Any) -> tuple[None, ...]:
    """No gradient of anything: what is recorded of gradients is not differentiated."""
    return (None,) * len(ctx._tensor_arguments)


def _forward_of(function: type[Function]) -> Callable[..., tuple[Tensor, ...]]:
    def forward(_: Any, needs: tuple[bool, ...], *args: Any) -> tuple[Tensor, ...]:
        given, arriving = args[: len(needs)], args[len(needs) :]
        if not mode.grad:
            # A forward may write to what it is given.
            given = tuple([clone(x) if isinstance(x, Tensor) else x for x in given])
        ctx: Any = function._backward_cls(needs)
        run_forward(function, ctx, given)
        made = bare_backward_of(function)(ctx, *arriving)
        passed = made if isinstance(made, tuple) else (made,)
        wanted = [(x, g) for x, g, need in zip(given, passed, needs, strict=False) if need]
        return tuple([zeros_like(x) if g is None else clone(g) if any(g is a for a in args) else g for x, g in wanted])

    return forward

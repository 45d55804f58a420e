"""Tangents through an op: by what is declared of it for the backward.

A view of a tensor has the same view of its tangent. An elementwise op has a Jacobian on whose diagonal alone is
something: it is its own transpose, and the rule of an operand gives the tangent's share as it gives the gradient's.
Of any other op the rules are transposed: they are linear in the gradient that they are given, and the derivative with
respect to that, in the direction of the operands' tangents, is the tangent of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from ...errors import EngineNotImplementedError, NoDerivative
from ..calls.keeping import attributes
from ..declaration import parameters_of
from ..dtypes import ones_of, zeros_of
from ..graph import Cut, recorded
from ..modes import mode
from ..tensor import Tensor, constants

if TYPE_CHECKING:
    from ..registry import Op

# For each result the tangents in all directions; None for a result without a derivative.
Columns = list[Any]
# The leaves that rules are differentiated at in the place of a gradient: no tensor of a program depends on them.
stand_ins: WeakSet[Any] = WeakSet()


def pushed(
    op: Op, args: Sequence[Any], results: Sequence[Tensor | None], given: Sequence[Any], directions: int
) -> Columns:
    """The tangents of the results of an op; ``given``: those of its arguments, None for what has none."""
    if op.kind == "constant":
        return []
    if op.siblings or (op.view and op.pushes is None):
        return _of_views(op, args, given, directions)
    args = [*args, *[op.defaults[name] for name in op.parameters[len(args) :]]]
    given = [*given, *[None] * (len(args) - len(given))]
    tangents = _of_operands(op, args, given)
    if not any(ts is not None for _, ts in tangents):
        return []
    if op.fails is not None:
        raise unsupported(op.name)
    if op.pushes is not None:
        found = _as_declared
    elif _is_complex(op, results, tangents):
        # The transpose is right of any rules that are linear in real numbers.
        found = _by_transposing
    else:
        found = _by_rule if op.kind == "elementwise" and op.joint is None else _by_transposing
    try:
        columns = found(op, args, results, tangents, directions)
    except (EngineNotImplementedError, NoDerivative) as error:
        # What its rules are made of has none itself.
        raise unsupported(op.name) from error
    return columns if op.view else _apart(columns, given)


def _is_complex(op: Op, results: Sequence[Tensor | None], tangents: Sequence[tuple[Any, Any]]) -> bool:
    """Tell whether complex numbers go into an op or come of it."""
    if op.twin_of is not None:
        return True
    given = [x for x, _ in tangents if isinstance(x, Tensor)]
    return any(t is not None and t._a.dtype.kind == "c" for t in (*results, *given))


def unsupported(name: str) -> EngineNotImplementedError:
    """The error for an op whose forward mode is missing."""
    return EngineNotImplementedError(
        f"Trying to use forward AD with {name} that does not support it because it has not been implemented yet."
    )


def _of_operands(op: Op, args: Sequence[Any], given: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Each operand with its tangents, those of a list one by one, in the order of a node's edges."""
    found: list[tuple[Any, Any]] = []
    for name, x, ts in zip(op.parameters, args, given, strict=True):
        if name not in op.operands:
            continue
        if name in op.lists:
            found += zip(x, [None] * len(x) if ts is None else ts, strict=True)
        else:
            found.append((x, ts))
    return found


def _of_views(op: Op, args: Sequence[Any], given: Sequence[Any], directions: int) -> Columns:
    """The same views of the tangents."""
    rest = args[1:]
    made = [op.call(given[0][k], *rest) for k in range(directions)]
    return [tuple(parts) for parts in zip(*made, strict=True)] if op.siblings else [tuple(made)]


def _as_declared(
    op: Op, args: Sequence[Any], results: Sequence[Any], tangents: Sequence[tuple[Any, Any]], directions: int
) -> Columns:
    """The tangent by the op's own declaration; zeros where an operand has none."""
    assert op.pushes is not None
    known = dict(zip(op.parameters, args, strict=True)) | dict(zip((*op.outputs, *op.aside), results, strict=True))
    column = []
    for k in range(directions):
        moving = {
            f"{name}_t": constants(zeros_of(x._a.shape, x._a.dtype)) if ts is None else ts[k]
            for name, (x, ts) in zip(op.operands, tangents, strict=True)
        }
        column.append(op.pushes(*[(known | moving)[name] for name in parameters_of(op.pushes)]))
    return [tuple(column)]


# -- by the rules ------------------------------------------------------------------------------


def _by_rule(
    op: Op, args: Sequence[Any], results: Sequence[Any], tangents: Sequence[tuple[Any, Any]], directions: int
) -> Columns:
    """The sum of what the rule of each operand makes of its tangent."""
    (y,) = results
    node = _node_of(op, args, results, [None] * len(tangents))
    column: list[Any] = [None] * directions
    with _Rules(mode.grad):
        for i, (_, ts) in enumerate(tangents):
            if ts is None:
                continue
            edge = Cut(y._a)
            edges = tuple([edge if i == j else None for j in range(len(tangents))])
            for k, t in enumerate(ts):
                share = next(x for x in node.run_graph(_spread(t, y), edges) if x is not None)
                column[k] = share if column[k] is None else column[k] + share
        return [tuple([_spread(x, y) for x in column])]


def _spread(t: Any, y: Tensor) -> Any:
    """A tangent in the shape and dtype of a result."""
    if t._a.dtype != y._a.dtype:
        t = t.to(y.dtype)
    return t if t._a.shape == y._a.shape else t.expand(y._a.shape)


def _by_transposing(
    op: Op, args: Sequence[Any], results: Sequence[Any], tangents: Sequence[tuple[Any, Any]], directions: int
) -> Columns:
    """The derivative of the rules, with respect to the gradient that they are given, along the tangents."""
    from ..walk.backward import gradients
    from ..walk.shares import fit

    edges = tuple([None if ts is None else Cut(x._a) for x, ts in tangents])
    node = _node_of(op, args, results, edges)
    traced = is_recorded(args, [t for _, ts in tangents if ts is not None for t in ts])
    # What is made of samples is seen where it is recorded; what is taken off its graph has no tangents of other levels.
    seen = not traced and mode.samples > 0 and not (mode.duals is not None and mode.duals.levels)
    columns: Columns = [None] * len(results)
    with _Rules(True):
        named = [
            i for i, name in enumerate(op.outputs)
            if name is not None and results[i] is not None and results[i]._a.dtype.kind in "fc"
        ]  # fmt: skip
        if not named:
            return columns
        # Rules are linear, so it does not matter where; at zero those of complex vectors have no phase to refuse.
        at = zeros_of if _is_complex(op, results, tangents) else ones_of
        starts = [constants(at(results[i]._a.shape, results[i]._a.dtype))._track(True) for i in named]
        stand_ins.update([start._node for start in starts])
        several = len(op.outputs) > 1
        g: Any = [starts[named.index(i)] if i in named else None for i in range(len(op.outputs))]
        shares = node.run_graph(g if several else starts[0], edges)
        pairs = [
            (fit(node, e, share), ts)
            for e, share, (_, ts) in zip(edges, shares, tangents, strict=True)
            if e is not None and share is not None
        ]
        pairs = [(share, ts) for share, ts in pairs if share.requires_grad]
        for i in named:
            columns[i] = []
        for k in range(directions):
            along = [_cast(ts[k], share) for share, ts in pairs]
            found: Any = [None] * len(starts)
            if pairs:
                found = gradients(
                    [share for share, _ in pairs], starts, along, retain_graph=True, create_graph=traced or seen,
                    allow_unused=True,
                )  # fmt: skip
                if seen:
                    found = [None if x is None else x.detach() for x in found]
            for i, start, x in zip(named, starts, found, strict=True):
                columns[i].append(constants(zeros_of(start._a.shape, start._a.dtype)) if x is None else x)
    return columns


def _cast(t: Any, share: Tensor) -> Any:
    return t if t._a.dtype == share._a.dtype else t.to(share.dtype)


def is_recorded(args: Sequence[Any], tangents: Sequence[Tensor]) -> bool:
    """Tell whether a tangent is to be recorded: something that it is computed with requires a gradient."""
    if not mode.grad:
        return False
    flat = [y for x in args for y in (x if type(x) in (list, tuple) else (x,))]
    return any(isinstance(x, Tensor) and x.requires_grad for x in (*flat, *tangents))


class _Rules:
    """Run rules as the recorded backward does, on tensors, themselves recorded or not."""

    def __init__(self, recorded: bool) -> None:
        self._recorded = recorded

    def __enter__(self) -> None:
        self._before = mode.grad, mode.rule, mode.inference
        mode.grad, mode.rule, mode.inference = self._recorded, True, False

    def __exit__(self, *_: object) -> None:
        mode.grad, mode.rule, mode.inference = self._before


# -- a node for the rules to read from ---------------------------------------------------------

_attributes = cache(attributes)


def _node_of(op: Op, args: Sequence[Any], results: Sequence[Any], edges: Sequence[Any]) -> Any:
    """A node that keeps all that any rule of the op asks for, its results as tensors; it is in no graph."""
    raw = [_array(x) for x in args]
    shapes = [() if t is None else t._a.shape for t in results]
    kinds = [np.dtype(float) if t is None else t._a.dtype for t in results]
    attrs = _attributes(op)(args, raw)
    shape, kind = (shapes[0], kinds[0]) if len(op.outputs) == 1 else (shapes, kinds)
    node = recorded(op.node_type(), tuple(edges), attrs, shape, kind)
    names = (*op.outputs, *op.aside)
    kept: list[Any] = []
    for i, name in enumerate(op.saves):
        x = args[op.parameters.index(name)] if name in op.parameters else results[names.index(name)]
        if isinstance(x, list):
            x = tuple(x)
        for j, t in enumerate(x if isinstance(x, tuple) else (x,)):
            if isinstance(t, Tensor) and t._vc is not None:
                node.extras().versions[(i, j) if isinstance(x, tuple) else i] = t._vc.n
        kept.append(x)
    node.saved = tuple(kept)
    return node


def _array(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x._a
    return [_array(y) for y in x] if type(x) in (list, tuple) else x


def _apart(columns: Columns, given: Sequence[Any]) -> Columns:
    """Tangents in memory of their own: a later write to one must not change another."""
    from ..ops.make import converting

    taken = [ts for us in given for ts in (us if type(us) is list else [us]) if ts is not None]

    def own(k: int, t: Any) -> Any:
        a = t._a
        if not isinstance(a, np.ndarray):
            return converting.clone(t) if any(ts[k] is t for ts in taken) else t
        if 0 in a.strides or any(np.may_share_memory(a, ts[k]._a) for ts in taken):
            return converting.clone(t)
        return t

    return [None if column is None else tuple([own(k, t) for k, t in enumerate(column)]) for column in columns]

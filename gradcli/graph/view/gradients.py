"""The gradient of every node and along every edge, seen while one backward passes by.

Nothing that the user can see changes: no ``.grad`` is touched, and the graph can be walked again. The user's own
hooks run once, as in any backward: what they make of a gradient is what goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.dtypes import limits_of
from ...engine.graph import BaseNode
from ...engine.numeric.halves import converted
from ...engine.tensor import Tensor
from ...engine.walk.walk import walk
from ...errors import GradcliError, InputError, SpecError, raised_by_program
from ...spec.language.machine import said
from .several import Several
from .tensors import array_of, torch_of
from .view import Array


class Gradients:
    """The gradients of a backward: to each node, along each of its edges, and to the leaves."""

    def __init__(self) -> None:
        # By node: the gradient of each output, as it was when the node ran; None where none arrived.
        self.of: dict[Any, Sequence[Array | None]] = {}
        # By node: what it passed on along each edge, before broadcasting was undone; None where nothing.
        self.along: dict[Any, Sequence[Array | None]] = {}
        # By leaf: all that arrived.
        self.leaves: dict[Any, Array | None] = {}
        # Why the backward could not go on, if it could not.
        self.failure: str | None = None


def gradients(several: Several, nodes: Sequence[Any], leaves: Sequence[Any]) -> Gradients:
    """Run one backward from tensors through these nodes to these leaves."""
    found = Gradients()
    for tensor, start in zip(several.tensors, several.gradients, strict=True):
        if tuple(start.shape) != tuple(tensor.shape):
            raise InputError(f"the gradient has the shape {tuple(start.shape)}, what it is for {tuple(tensor.shape)}")
    if not nodes:
        found.leaves = dict.fromkeys(leaves, array_of(several.gradients[0]))
        return found
    run = _in_gradcli if isinstance(several.tensors[0], Tensor) else _in_torch
    try:
        run(several, [node for node in nodes if node is not several], leaves, found)
    except SpecError:
        raise
    except raised_by_program() as error:
        # A rule, a backward of the user's own or a hook has refused: what was found until then is true.
        found.failure = words(error)
    return found


def words(error: Exception) -> str:
    """The words of an error of a backward; of one that is not the engine's, its class too."""
    told = said(error)
    return told if isinstance(error, (GradcliError, RuntimeError)) and told else f"{type(error).__name__}: {told}"


def fitted(share: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A gradient along an edge in the shape and dtype of what it goes to: broadcasting undone, width restored."""
    if share.shape != shape:
        ahead = share.ndim - len(shape)
        if ahead < 0 or any(n not in (1, share.shape[i + ahead]) for i, n in enumerate(shape)):
            # A backward of the user's own gave a wrong shape, and the walk has refused it.
            return share
        axes = (*range(ahead), *(i + ahead for i, n in enumerate(shape) if n == 1 and share.shape[i + ahead] != 1))
        with np.errstate(all="ignore"):
            share = share.sum(axis=axes).reshape(shape)
    if share.dtype != dtype:
        share = converted(share.real if share.dtype.kind == "c" and dtype.kind != "c" else share, dtype)
    return share


def may_have_hooks(node: Any) -> bool:
    """True if hooks may change the gradient that arrives at a node; PyTorch's nodes do not tell."""
    if not isinstance(node, BaseNode):
        return True
    extra = node.extra
    return bool(getattr(node, "hooks", None)) or (extra is not None and bool(extra.tensor or extra.pre))


# A sum differs from another by the rounding of its terms, in whatever order they are added.
_ROUNDINGS = 1000


def differs(arrived: Array, grad: Array) -> bool:
    """True if a gradient is another than the one that arrived, rounding aside."""
    if arrived.shape != grad.shape:
        return True
    eps = limits_of(grad.dtype).eps if grad.dtype.kind in "fc" else 0.0
    rounding = min(_ROUNDINGS * float(eps), 0.1)
    with np.errstate(all="ignore"):
        scale = np.abs(arrived).max(initial=0.0)
        return not np.allclose(arrived, grad, rounding, rounding * float(scale) if np.isfinite(scale) else 0.0, True)


# -- gradcli ---------------------------------------------------------------------------------


def _in_gradcli(several: Several, nodes: Sequence[Any], leaves: Sequence[Any], found: Gradients) -> None:
    of, along = found.of, found.along

    def observe(node: Any, g: Any, edges: Sequence[Any], shares: Any) -> None:
        of[node] = g if type(g) is list else (g,)
        along[node] = shares

    retained = [
        (tensor, tensor._grad)
        for node in nodes
        if node.extra is not None
        for refs in node.extra.retain.values()
        for ref in refs
        if (tensor := ref()) is not None
    ]
    starts = [(root._node, start._a) for root, start in zip(several.tensors, several.gradients, strict=True)]
    try:
        got = walk(starts, True, False, leaves, observe, into_leaves=False)
    finally:
        for tensor, grad in retained:
            tensor._grad = grad
    found.leaves = {leaf: g for leaf, g in zip(leaves, got, strict=True) if g is not None}


# -- PyTorch -----------------------------------------------------------------------------------


def _in_torch(several: Several, nodes: Sequence[Any], leaves: Sequence[Any], found: Gradients) -> None:
    torch = torch_of(several.tensors[0])
    of, along = found.of, found.along

    def observer(node: Any) -> Any:
        def observe(passed: Any, arrived: Any) -> None:
            of[node] = [None if g is None else array_of(g) for g in arrived]
            along[node] = [None if g is None else array_of(g) for g in passed]

        return observe

    if not leaves:
        return
    retained = _retained(torch)
    hooks = [node.register_hook(observer(node)) for node in nodes]
    try:
        variables = [leaf.variable for leaf in leaves]
        got = torch.autograd.grad(
            several.tensors, variables, several.gradients, retain_graph=True, allow_unused=True
        )
    finally:
        for hook in hooks:
            hook.remove()
        for tensor, grad in retained:
            tensor.grad = grad
    found.leaves = {leaf: array_of(g) for leaf, g in zip(leaves, got, strict=True) if g is not None}


def _retained(torch: Any) -> list[tuple[Any, Any]]:
    """The tensors that keep their gradient though they are no leaves, and what they have: a backward adds to it.

    Nothing leads from a node to the tensors that it made, so all there are are looked through.
    """
    import gc

    # Of very many objects few are tensors: their types are asked once each.
    kinds: dict[type, bool] = {}
    tensors = []
    for x in gc.get_objects():
        kind = type(x)
        known = kinds.get(kind)
        if known is None:
            known = kinds[kind] = issubclass(kind, torch.Tensor)
        if known:
            tensors.append(x)
    return [(x, x.grad) for x in tensors if x.retains_grad]

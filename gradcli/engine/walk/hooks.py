"""Hooks: what users hang on tensors and nodes, and how a walk runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import EngineError, EngineTypeError
from ..dtypes import DTYPES
from ..modes import ordinary
from ..tensor import Tensor, result


def _as_tensors(g: Any) -> tuple[Any, ...]:
    items = g if isinstance(g, list) else [g]
    return tuple(x if x is None or isinstance(x, Tensor) else result(x) for x in items)


def _incoming(node: Any, g: Any) -> tuple[Any, ...]:
    """A node's gradient, one for each output, as tensors."""
    return (None,) * node.outputs if g is None else _as_tensors(g)


def _back(node: Any, grads: Any, create_graph: bool) -> Any:
    """Turn what hooks returned into what a node runs on."""
    back = [x._a if isinstance(x, Tensor) and not create_graph else x for x in grads]
    return back if node.outputs > 1 else back[0]


@ordinary
def on_result(node: Any, g: Any, create_graph: bool) -> Any:
    """Run the hooks of a node's output tensors, and keep the gradients that were asked for."""
    extra = node.extra
    if not extra.tensor and not extra.retain:
        return g
    grads = list(_incoming(node, g))
    for nr, hook in list(extra.tensor.values()):
        grads[nr] = _replaced(hook, grads[nr])
    for nr, refs in extra.retain.items():
        for ref in refs:
            t = ref()
            if t is not None and grads[nr] is not None:
                t._grad = grads[nr].clone() if t._grad is None else t._grad + grads[nr]
    return _back(node, grads, create_graph)


@ordinary
def before(node: Any, g: Any, create_graph: bool) -> Any:
    """Run the hooks that wait for a node's turn; None where they leave no gradient."""
    if node.extra is None or not node.extra.pre:
        return g
    grads = _incoming(node, g)
    for hook in list(node.extra.pre.values()):
        new = hook(grads)
        if new is not None:
            grads = _returned(hook, new, grads)
    return _back(node, grads, create_graph) if any(x is not None for x in grads) else None


@ordinary
def after(node: Any, shares: Any, g: Any, create_graph: bool) -> Any:
    """Run the hooks on what a node passes on."""
    if node.extra is None or not node.extra.post:
        return shares
    inputs = _after(node, _as_tensors(list(shares)), _incoming(node, g))
    return [x._a if isinstance(x, Tensor) and not create_graph else x for x in inputs]


@ordinary
def at_an_end(node: Any, g: Any, create_graph: bool) -> None:
    """Run the hooks of a node whose own gradient, where it has one, is all that is asked for: it passes nothing on."""
    if g is None or node.extra is None:
        return
    outputs = _incoming(node, before(node, g, create_graph) if node.extra.pre else g)
    _after(node, (None,) * len(node.edges), outputs)


@ordinary
def on_leaf(leaf: Any, g: Any, create_graph: bool) -> Any:
    """Run a leaf's hooks on its whole gradient."""
    t: Any = g if g is None or isinstance(g, Tensor) else result(g)
    for hook in list(leaf.hooks.values()):
        t = _replaced(hook, t)
    return t if create_graph or t is None else t._a


@ordinary
def after_leaf(leaf: Any, g: Any) -> None:
    """Run the hooks that wait for a leaf's gradient to be there, then those of its node."""
    for hook in list(leaf.post_accumulate.values()):
        found = hook(leaf.variable)
        if isinstance(found, Tensor):
            if found is not leaf.variable:
                raise EngineError("Tensor post accumulate grad hooks should return None.")
        elif found is not None:
            raise EngineTypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    if leaf.extra is not None:
        _after(leaf, (), _as_tensors(g))


def _after(node: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of a node's inputs, as the hooks that run after it leave them."""
    for hook in list(node.extra.post.values()):
        new = hook(inputs, outputs)
        if new is not None:
            inputs = _returned(hook, new, inputs)
    return inputs


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _returned(hook: Any, new: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients that a node's hook returned, as many as it was given."""
    if not isinstance(new, tuple):
        raise EngineTypeError(f"expected tuple, but hook returned '{type(new).__name__}'")
    if len(new) != len(old):
        raise EngineError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(new)}, but expected {len(old)})"
        )
    for x, was in zip(new, old, strict=True):
        if x is None:
            continue
        if was is None:
            raise EngineError("can't replace a None gradient with a non-None value")
        if not isinstance(x, Tensor):
            raise EngineTypeError(f"expected Variable, but hook returned '{type(x).__name__}'")
        _refuse_other_kind(_name(hook), was, x)
    return new


def _refuse_other_kind(name: str, was: Tensor, new: Tensor) -> None:
    """Refuse a gradient of another type or size than the one that it is to replace."""
    if new._a.dtype != was._a.dtype:
        old, got = (_type_name(x) for x in (was, new))
        raise EngineError(f"hook '{name}' has changed the type of value (was {old} got {got})")
    if new._a.shape != was._a.shape:
        raise EngineError(f"hook '{name}' has changed the size of value")


def _type_name(x: Tensor) -> str:
    kind = DTYPES[x._a.dtype]
    return f"CPU{kind.tensor_name}Type" if x.is_complex() else kind.type_name


def _replaced(hook: Callable[[Tensor | None], Any], g: Tensor | None) -> Tensor | None:
    """The gradient that a tensor's hook makes of it; None where none arrived at this output of its node."""
    new = hook(g)
    if new is None:
        return g
    if not isinstance(new, Tensor):
        raise EngineTypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    if g is not None:
        _refuse_other_kind(_name(hook), g, new)
    return new

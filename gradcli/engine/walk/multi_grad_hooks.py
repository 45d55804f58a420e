"""A hook on several tensors at once: called when the gradients of all of them, or of the first, are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import EngineAssertionError, EngineError, EngineValueError
from ..graph import LEAF, RemovableHandle
from ..guard.outside import guarded
from ..tensor import Tensor
from . import walk as walks


class _Together(dict[int, Any]):
    """Several hooks, of which one handle takes all away."""

    def __init__(self, handles: Sequence[Any]) -> None:
        super().__init__()
        self.handles = tuple(handles)

    def pop(self, number: int, default: Any = None) -> Any:
        """Take all away."""
        for handle in self.handles:
            handle.remove()
        return super().pop(number, default)


class _MultiHandle(RemovableHandle):
    """Takes a hook on several tensors away again."""

    __module__ = "torch.autograd.graph"


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` in each backward with the gradients of all tensors that it reaches, or with the first of them."""
    if mode not in ("all", "any"):
        raise EngineValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        tensors = [t for t in tensors if t.requires_grad]
    elif not all(t.requires_grad for t in tensors):
        raise EngineAssertionError("Expected gradient function to be set")
    collect = _All(tensors, guarded(fn)) if mode == "all" else _Any(guarded(fn))
    return _MultiHandle(_Together([t._hang(_Watching(collect.hook(i))) for i, t in enumerate(tensors)]), fn)


def only_watches(hook: Any) -> bool:
    """Tell whether a hook, as it hangs on a node or a leaf, is one of several: what that returns is left alone."""
    return isinstance(hook[1] if isinstance(hook, tuple) else hook, _Watching)


class _Watching:
    """A hook that is told of a gradient and does not change it."""

    def __init__(self, arrived: Callable[[Any], None]) -> None:
        self._arrived = arrived

    def __call__(self, grad: Any) -> None:
        self._arrived(grad)


class _All:
    """The gradients that have arrived in the backward that is running."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., Any]) -> None:
        self.places = [_place(t) for t in tensors]
        self.fn = fn
        self.walk: Any = None
        self.missing: set[int] = set()
        self.grads: list[Any] = []

    def hook(self, at: int) -> Callable[[Any], None]:
        """The hook of one tensor."""

        def arrived(grad: Any) -> None:
            here = walks.running()[-1]
            if here is not self.walk:
                nodes = {getattr(node, "leaf", node) for node in here.order}
                self.walk, self.grads = here, [None] * len(self.places)
                self.missing = {i for i, place in enumerate(self.places) if place in nodes}
                if not here.into_leaves and any(self.places[i].kind == LEAF for i in self.missing):
                    raise EngineError(
                        "A leaf node was passed to _will_engine_execute_node but we are currently running "
                        "autograd.grad(). This is currently not supported."
                    )
            self.grads[at] = grad
            self.missing.discard(at)
            if not self.missing:
                grads, self.walk, self.grads = self.grads, None, []
                self.fn(grads)

        return arrived


class _Any:
    """The last backward that the hook was called in."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.walk: Any = None

    def hook(self, at: int) -> Callable[[Any], None]:
        """The hook of any tensor."""
        del at

        def arrived(grad: Any) -> None:
            if walks.running()[-1] is not self.walk:
                self.walk = walks.running()[-1]
                self.fn(grad)

        return arrived


def _place(t: Tensor) -> Any:
    """The node that a tensor is an output of, or its leaf."""
    return getattr(t._node, "node", t._node)

"""torch.autograd: backward passes, custom functions, and the graph."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from .engine.flags import ANOMALY, settings
from .engine.forward import levels as _levels
from .engine.function import Function as Function, once_differentiable as _once_differentiable
from .engine.graph import BaseNode
from .engine.modes import (
    Block,
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .engine.tensor import Tensor
from .engine.transforms import jacobians
from .engine.walk import saved_tensors_hooks as _keeping
from .engine.walk.backward import backward as backward, grad as grad
from .engine.walk.multi_grad_hooks import register_multi_grad_hook as _register_multi_grad_hook
from .errors import EngineError, EngineTypeError

functional = jacobians
forward_ad = _levels


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes."""

    node: Any
    output_nr: int
    # PyTorch's is there to keep the graph alive, which a node does here by itself.
    ownership_token: Any = None


def _get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The node and output number that a tensor's gradient goes to; for a leaf, its AccumulateGrad."""
    node = tensor._node
    if node is None:
        raise EngineError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(getattr(node, "node", node), getattr(node, "nr", 0))


def _increment_version(tensor: Any) -> None:
    """Count a write to a tensor's memory that autograd did not see."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        t._counter().n += 1


class set_detect_anomaly(Block):
    """The anomaly mode, in which a backward that makes a nan is an error: from now on, or inside a `with`."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = dict(settings)
        if mode:
            settings[ANOMALY] = check_nan
        else:
            settings.pop(ANOMALY, None)

    def __enter__(self) -> None:
        """It is switched already."""

    def __exit__(self, *_: object) -> None:
        """Back to what it was."""
        settings.pop(ANOMALY, None)
        if ANOMALY in self._before:
            settings[ANOMALY] = self._before[ANOMALY]


class detect_anomaly(set_detect_anomaly):
    """The anomaly mode inside a `with`."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check = check_nan
        self._before = dict(settings)

    def __enter__(self) -> None:
        """Switch it on."""
        super().__init__(True, self._check)


def Variable(data: Tensor, requires_grad: bool = False, volatile: Any = None) -> Tensor:
    """A leaf over the memory of a tensor."""
    del volatile
    if not isinstance(data, Tensor):
        raise EngineTypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    made = data.detach()
    return made.requires_grad_() if requires_grad else made


graph = SimpleNamespace(
    Node=BaseNode,
    GradientEdge=GradientEdge,
    get_gradient_edge=_get_gradient_edge,
    increment_version=_increment_version,
    register_multi_grad_hook=_register_multi_grad_hook,
    saved_tensors_hooks=_keeping.saved_tensors_hooks,
    disable_saved_tensors_hooks=_keeping.disable_saved_tensors_hooks,
    allow_mutation_on_saved_tensors=_keeping.allow_mutation_on_saved_tensors,
    save_on_cpu=_keeping.save_on_cpu,
)
function = SimpleNamespace(Function=Function, once_differentiable=_once_differentiable, FunctionCtx=Any)

# What the checker answers, which is built upon all of this: it is read when it is first asked for.
_CHECKS = ("gradcheck", "gradgradcheck")


def __getattr__(name: str) -> Any:
    if name not in _CHECKS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    globals()[name] = found = getattr(import_module(f"{__package__}.check.gradcheck"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_CHECKS})

"""torch.autograd: backward passes, custom functions, and the graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .engine.flags import ANOMALY, settings
from .engine.forward import levels as _levels
from .engine.function import (
    Function as Function,
    FunctionNode as _FunctionNode,
    once_differentiable as _once_differentiable,
)
from .engine.graph import AnyNode
from .engine.modes import (
    Block,
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .engine.parts import lent as _lent, part as _part
from .engine.tensor import Tensor
from .engine.transforms import jacobians
from .engine.walk import saved_tensors_hooks as _keeping
from .engine.walk.backward import backward as backward, grad as grad
from .engine.walk.multi_grad_hooks import register_multi_grad_hook as _register_multi_grad_hook
from .engine.walk.traces import set_anomaly_enabled as _set_anomaly_enabled
from .engine.walk.walk import queue_callback as _queue_callback
from .errors import EngineError, EngineTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .stubs.checks import *  # noqa: F403

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
    node = tensor._node if tensor.requires_grad else None
    if node is None:
        raise EngineError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(getattr(node, "node", node), getattr(node, "nr", 0))


def _calculate_shape(
    output: Tensor | GradientEdge, grad: Tensor, is_grads_batched: bool
) -> tuple[Sequence[int], Sequence[int]]:
    """The shape of an output, and that of a gradient for it: of one, where there is a batch of them."""
    if isinstance(output, Tensor):
        shape: Sequence[int] = output.shape
    else:
        shape = output.node._input_metadata[output.output_nr].shape
    return shape, grad.shape[1:] if is_grads_batched else grad.shape


def _increment_version(tensor: Any) -> None:
    """Count a write to a tensor's memory that autograd did not see."""
    tensors = [tensor] if isinstance(tensor, Tensor) else list(tensor) if isinstance(tensor, Iterable) else [tensor]
    if not all(isinstance(t, Tensor) for t in tensors):
        raise EngineError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        t._counter().n += 1


class set_detect_anomaly(Block):
    """The anomaly mode, in which a backward that makes a nan is an error: from now on, or inside a `with`."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = dict(settings)
        _set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        """It is switched already."""

    def __exit__(self, *_: object) -> None:
        """Back to what it was."""
        _set_anomaly_enabled(ANOMALY in self._before, self._before.get(ANOMALY, True))


class detect_anomaly(set_detect_anomaly):
    """The anomaly mode inside a `with`."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check = check_nan
        self._before = dict(settings)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        """Switch it on."""
        super().__init__(True, self._check)


class _unsafe_preserve_version_counter(Block):
    """A block whose writes to some tensors are not counted."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)

    def __enter__(self) -> None:
        """Remember the counts."""
        self._counts = [t._version for t in self._tensors]

    def __exit__(self, *_: object) -> None:
        """Back to what they were."""
        for t, n in zip(self._tensors, self._counts, strict=True):
            t._counter().n = n


class _Setting(Block):
    """A setting that changes no number: from now on, or inside a `with`."""

    name = ""
    # The function of C++ that PyTorch's has under it.
    setter = ""
    default = False

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise EngineTypeError(f"{self.setter}(): argument 'enabled' (position 1) must be bool, not {kind}")
        self._before = self.now()
        settings[self.name] = mode

    @classmethod
    def now(cls) -> bool:
        """Tell what was asked for."""
        return bool(settings.get(cls.name, cls.default))

    def __enter__(self) -> None:
        """It is made already."""

    def __exit__(self, *_: object) -> None:
        """Back to what it was."""
        settings[self.name] = self._before


class set_multithreading_enabled(_Setting):
    """Let a backward use several threads, or one; here it always uses one."""

    name = "multithreading"
    setter = "set_multithreading_enabled"
    default = True


class _force_original_view_tracking(_Setting):
    """Have views found by the functions that made them, or by strides; here that is as it has to be."""

    name = "view replay"
    setter = "set_view_replay_enabled"


def is_multithreading_enabled() -> bool:
    """Tell what was asked for by set_multithreading_enabled."""
    return set_multithreading_enabled.now()


def kineto_available() -> bool:
    """Tell whether there is a profiler: there is none here."""
    return False


def is_view_replay_enabled() -> bool:
    """Tell what was asked for by _force_original_view_tracking."""
    return _force_original_view_tracking.now()


def leaf_over(data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Tensor:
    """A leaf over the memory of a tensor."""
    if volatile is not None:
        warnings.warn(
            "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=3
        )
    if data is None:
        data = Tensor()
    if not isinstance(data, Tensor):
        raise EngineTypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    made = data.detach()
    return made.requires_grad_() if requires_grad else made


class _Engine:
    """The part of what runs backwards that programs ask for."""

    @staticmethod
    def queue_callback(callback: Any) -> None:
        """Call a function at the end of the backward that is running."""
        _queue_callback(callback)


class _VariableType(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor)

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return leaf_over(*args, **kwargs)


class Variable(metaclass=_VariableType):
    """The old name of a tensor: a call makes a leaf over the memory of another one."""

    __module__ = f"{__name__}.variable"
    _execution_engine = _Engine()


class InplaceFunction(Function):
    """The old base of functions that write to their arguments: it knows whether it is asked to."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


graph = _part(
    __name__,
    "graph",
    Node=AnyNode,
    GradientEdge=GradientEdge,
    get_gradient_edge=_get_gradient_edge,
    increment_version=_increment_version,
    register_multi_grad_hook=_register_multi_grad_hook,
    saved_tensors_hooks=_keeping.saved_tensors_hooks,
    disable_saved_tensors_hooks=_keeping.disable_saved_tensors_hooks,
    allow_mutation_on_saved_tensors=_keeping.allow_mutation_on_saved_tensors,
    save_on_cpu=_keeping.save_on_cpu,
)
grad_mode = _part(
    __name__, "grad_mode",
    no_grad=no_grad, enable_grad=enable_grad, set_grad_enabled=set_grad_enabled, inference_mode=inference_mode,
    set_multithreading_enabled=set_multithreading_enabled,
    _force_original_view_tracking=_force_original_view_tracking,
    _unsafe_preserve_version_counter=_unsafe_preserve_version_counter,
)
anomaly_mode = _part(__name__, "anomaly_mode", detect_anomaly=detect_anomaly, set_detect_anomaly=set_detect_anomaly)
variable = _part(__name__, "variable", Variable=Variable)
SavedTensor = _keeping.SavedTensor

function = _part(
    __name__, "function",
    Function=Function, InplaceFunction=InplaceFunction, once_differentiable=_once_differentiable,
    FunctionCtx=_FunctionNode, BackwardCFunction=_FunctionNode, FunctionMeta=type(Function),
)  # fmt: skip

# What the checker answers, which is built upon all of this: it is read when it is first asked for.
_CHECKS = ("gradcheck", "gradgradcheck")


def _find(name: str) -> Any:
    from importlib import import_module

    if name == "profiler":
        return import_module(f"{__name__}.profiler")
    if name not in _CHECKS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = found = getattr(import_module(f"{__package__}.check.gradcheck"), name)
    return found


def _find_of_checks(name: str) -> Any:
    from importlib import import_module

    module = "numerical_jacobian" if "get_" in name or name == "_iter_tensors" else "gradcheck"
    return getattr(import_module(f"{__package__}.check.{module}"), name)


def _find_of_profiler(name: str) -> Any:
    from . import profiler

    return getattr(profiler, name)


# A type checker knows them by their own signatures.
if not TYPE_CHECKING:
    __getattr__ = _find

# The function of that name is the attribute; these stand elsewhere.
_part(__name__, "gradcheck", __getattr__=_find_of_checks)
_part(__name__, "profiler", __getattr__=_find_of_profiler)
_lent(__name__, functional=jacobians, forward_ad=_levels)


def __dir__() -> list[str]:
    return sorted({*globals(), *_CHECKS})

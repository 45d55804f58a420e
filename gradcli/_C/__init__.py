"""torch._C: the parts of PyTorch's own machinery that programs and tests reach for, of what there is here."""

from __future__ import annotations

import weakref
from typing import Any

from ..engine.call_errors import no_overload
from ..engine.dtypes import dtype as Dtype
from ..engine.flags import settings
from ..engine.forward import levels
from ..engine.function import Function
from ..engine.graph import AccumulateGrad, AnyNode, BaseNode
from ..engine.memory.places import reached
from ..engine.modes import is_grad_enabled as is_grad_enabled, mode, set_grad_enabled
from ..engine.parts import part as _part
from ..engine.tensor import Tensor as TensorBase, disabled
from ..engine.walk import saved_tensors_hooks as _keeping, walk as _walk
from ..engine.walk.order import Ending
from ..errors import EngineError, EngineTypeError

_TensorBase = TensorBase


def _set_grad_enabled(mode: bool) -> None:
    """Switch recording on or off."""
    set_grad_enabled(mode)


def _running(name: str) -> Any:
    """The backward that is running in this thread."""
    walks = _walk.running()
    if not walks:
        raise EngineError(f"{name} should only be called during the backward pass")
    return walks[-1]


def _current_graph_task_id() -> int:
    """The number of the backward that is running, or -1."""
    walks = _walk.running()
    return walks[-1].number if walks else -1


def _current_graph_task_execution_order() -> list[BaseNode]:
    """The nodes that the running backward has still to run, in order, from the present one on."""
    name = "get_current_graph_task_execution_order"
    running = _running("_current_graph_task_execution_order")
    if settings.get("multithreading", True):
        raise EngineError(
            f"{name} expects the current backward to be executed with multithreading disabled, e.g. by running:\n\n"
            ">>> with torch.autograd.set_multithreading_enabled(False):\n...     torch.autograd.grad(...)\n"
        )
    nodes = [getattr(node, "leaf", node) for node in running.order]
    return nodes[nodes.index(running.now) :]


def _current_autograd_node() -> BaseNode | None:
    """The node that the running backward is at."""
    walks = _walk.running()
    now = walks[-1].now if walks else None
    return now.leaf if isinstance(now, Ending) else now


def _is_multithreading_enabled() -> bool:
    """Tell whether a program lets backwards use several threads."""
    return bool(settings.get("multithreading", True))


def _is_view_replay_enabled() -> bool:
    """Tell whether a program has views found by the functions that made them."""
    return bool(settings.get("view replay", False))


def _is_fwd_grad_enabled() -> bool:
    """Tell whether tangents are computed where there are any."""
    return levels._set_fwd_grad_enabled.now


def _will_engine_execute_node(node: Any) -> bool:
    """Tell whether the running backward runs a node."""
    if not isinstance(node, BaseNode):
        raise EngineTypeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    running = _running("_get_should_execute_nodes")
    if not any(getattr(each, "leaf", each) is node for each in running.order):
        return False
    if hasattr(node, "variable") and not running.into_leaves:
        raise EngineError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return True


class _WeakTensorRef:
    """A reference that keeps no tensor alive."""

    def __init__(self, tensor: TensorBase) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Tell whether the tensor is gone."""
        return self._reference() is None


class _Each:
    """A function object: what it is called with goes through a Function of its own."""

    def __call__(self, *tensors: Any) -> Any:
        """The tensors again, each in a place of its own in the graph."""
        made = self._function().apply(*tensors)
        return made[0] if len(tensors) == 1 else made

    def _function(self) -> Any:
        raise NotImplementedError


class UndefinedGrad(_Each):
    """Hands its arguments on, and no gradient back."""

    def _function(self) -> Any:
        def backward(ctx: Any, *grads: Any) -> Any:
            return (None,) * len(grads)

        return _copying("UndefinedGrad", backward)


class DelayedError(_Each):
    """Hands its arguments on, and fails in the backward."""

    def __init__(self, message: str, number: int = 1) -> None:
        self._message = message

    def _function(self) -> Any:
        def backward(ctx: Any, *grads: Any) -> Any:
            raise EngineError(self._message)

        return _copying("DelayedError", backward)


# Nodes of these names come of them.
AnyNode.register(UndefinedGrad)
AnyNode.register(DelayedError)


def _copying(name: str, backward: Any) -> Any:
    """A Function that copies its arguments."""

    def forward(ctx: Any, *tensors: Any) -> Any:
        return tuple(t.clone() for t in tensors)

    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _push(pack_hook: Any, unpack_hook: Any) -> None:
    """Let nodes that are recorded from now on keep what ``pack_hook`` makes of tensors."""
    _keeping.saved_tensors_hooks(pack_hook, unpack_hook).__enter__()


def _pop() -> None:
    """Take away the hooks that were set last."""
    if mode.packer is not None:
        mode.packer.block.__exit__()


def _set_versions(tensors: Any, versions: Any) -> None:
    """Set the counts of writes to tensors."""
    for t, n in zip(tensors, versions, strict=True):
        if n < 0:
            raise EngineError(f"Cannot set a version_counter to a value below 0: {n}")
        t._counter().n = n


def _depends(t: Any) -> bool:
    """Tell whether a tensor is one of the samples that a vmap computes, or was made of one."""
    return any(watch.depends(t) for watch in mode.writes)


def _parse_to(
    *args: Any, device: Any = None, dtype: Any = None, non_blocking: bool = False, copy: bool = False,
    memory_format: Any = None,
) -> tuple[Any, ...]:  # fmt: skip
    """The wishes of a call of ``to``: a device, a dtype, whether it need not be waited for, and a layout."""
    given = list(args)
    if given and isinstance(given[0], TensorBase):
        like = given.pop(0)
        device, dtype = like.device, like.dtype
    else:
        if given and not isinstance(given[0], (Dtype, bool)):
            device = given.pop(0)
        if given and not isinstance(given[0], bool):
            dtype = given.pop(0)
    del copy
    if len(given) > 2 or not all(isinstance(x, bool) for x in given):
        raise no_overload("to", *args)
    place = None if device is None else reached(device)
    return place, dtype, given[0] if given else non_blocking, memory_format


_nn = _part(__name__, "_nn", _parse_to=_parse_to)
_functions = _part(
    __name__, "_functions", AccumulateGrad=AccumulateGrad, UndefinedGrad=UndefinedGrad, DelayedError=DelayedError
)
_autograd = _part(
    __name__, "_autograd",
    SavedTensor=_keeping.SavedTensor,
    _push_saved_tensors_default_hooks=_push,
    _pop_saved_tensors_default_hooks=_pop,
    _saved_tensors_hooks_is_enabled=lambda: mode.unhooked is None,
    _saved_tensors_hooks_get_disabled_error_message=lambda: mode.unhooked,
    _unsafe_set_version_counter=_set_versions,
)  # fmt: skip


def _wrapping(t: Any) -> Any:
    from ..engine.transforms.wrapped import wrapping

    return wrapping(t)


def _is_tracked(t: Any) -> bool:
    """Tell whether the innermost transform that a tensor belongs to differentiates."""
    found = _wrapping(t)
    return found is not None and found.axis is None


def _level_of_gradient(t: Any) -> int:
    """The level of the transform that differentiates by what a tensor is made of: 0 for others, -1 if it has ended."""
    from ..engine.transforms.wrapped import levels_of

    found = _wrapping(t)
    if found is None:
        return -1 if any(levels_of(t)) else 0
    return found.level if found.axis is None else 0


def _level_of(t: Any) -> int:
    """The level of the innermost transform that a tensor belongs to, -1 for none."""
    found = _wrapping(t)
    return -1 if found is None else found.level


def _axis_of(t: Any) -> int:
    """The axis of the samples in the batch that a sample is of, -1 for what is no sample."""
    found = _wrapping(t)
    return -1 if found is None or found.axis is None else found.axis


def _unwrapped(t: Any) -> Any:
    """The tensor outside of the innermost transform that a tensor belongs to."""
    found = _wrapping(t)
    if found is None:
        return t
    return found.inside.detach() if found.axis is None else found.inside


def _level_now() -> int | None:
    """The number of transforms that the program is in; None outside of any."""
    return mode.transforms or None


_functorch = _part(
    __name__, "_functorch",
    is_batchedtensor=_depends, is_gradtrackingtensor=_is_tracked, dlevel=_level_of_gradient, get_unwrapped=_unwrapped,
    maybe_get_level=_level_of, maybe_get_bdim=_axis_of, maybe_current_level=_level_now,
    is_functorch_wrapped_tensor=lambda t: _wrapping(t) is not None,
)  # fmt: skip

_disabled_torch_function_impl = disabled


def _DisableTorchDispatch() -> Any:
    """A block in which no class of tensors is asked what ops make of its own."""
    from ..engine.dispatch.overriding import ops_of_classes_off

    return ops_of_classes_off()


def DisableTorchFunctionSubclass() -> Any:
    """A block in which no class of tensors is asked what functions make of its own."""
    from ..engine.dispatch.overriding import classes_off

    return classes_off()


def DisableTorchFunction() -> Any:
    """A block in which neither classes of tensors are asked what functions make of their own, nor modes."""
    from ..engine.dispatch.overriding import nobody_asked

    return nobody_asked()

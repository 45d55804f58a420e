"""Two tensors that change places: each object becomes what the other was."""

from __future__ import annotations

import copyreg
import sys
import weakref
from typing import Any, NoReturn

from ...errors import EngineError
from ..graph import LEAF, AccumulateGrad
from ..guard.addresses import Reference
from ..modes import mode
from ..tensor import Tensor

_POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
    "backward on a tensor that was swapped. For a module m with "
    "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of the "
    "module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only change "
    "the device/dtype before running forward (or after both forward and backward)."
)


def swap_tensors(t1: Any, t2: Any) -> None:
    """Let two tensors change places, while each object stays the one that others hold."""
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, Tensor):
            raise AttributeError(f"'{type(t).__name__}' object has no attribute '_use_count'")
        if _is_watched(t):
            raise EngineError(f"Cannot swap {name} because it has weakref associated with it")
    slots: Any = copyreg._slotnames  # type: ignore[attr-defined]
    if set(slots(type(t1))) != set(slots(type(t2))):
        raise EngineError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for t in (t1, t2):
        _leave_the_graph(t)


def _is_watched(t: Tensor) -> bool:
    """Tell whether anyone but its own node holds a weak reference to a tensor."""
    if mode.tape is not None:
        # The tape refers to what it names.
        return False
    # Ours are to the objects, which stay where they are.
    watching = [ref for ref in weakref.getweakrefs(t) if not isinstance(ref, Reference)]
    node = t.__dict__.get("_node")
    own = node.leaf if node is not None and node.kind == LEAF else None
    # References without a callback are one object: that of the node, this list's, and the argument are three.
    return any(ref is not own for ref in watching) or (own is not None and sys.getrefcount(own) > 4)


def _leave_the_graph(t: Any) -> None:
    """Give a leaf a node of its own in the place of that of the other, of which graphs may still know."""
    old = t.__dict__.get("_node")
    if old is None or old.kind != LEAF:
        return
    new = AccumulateGrad(t)
    new.grad, new.hooks, new.post_accumulate = old.grad, old.hooks, old.post_accumulate
    t._node = new
    old.hooks = {0: _poisoned}


def _poisoned(grad: Any) -> NoReturn:
    raise EngineError(_POISONED)

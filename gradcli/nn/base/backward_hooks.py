"""Full backward hooks: a node before a module and a node after it, which know of each other."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.function import Function
from ...engine.graph import RemovableHandle
from ...engine.guard.outside import guarded
from ...engine.modes import mode
from ...engine.ops.make.filled import zeros
from ...engine.tensor import Tensor
from ...errors import EngineError


class BackwardHookFunction(Function):
    """The tensors themselves, with a node of their own."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Pass the tensors on."""
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Pass the gradients on."""
        return args


class BackwardHook:
    """One call of a module that has backward hooks."""

    def __init__(self, module: Any, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        # The gradients at the outputs, while the walk is inside the module.
        self.outer: tuple[Any, ...] | None = None
        self.inputs: list[int] | None = None
        # By place: the shapes and dtypes of those inputs that need no gradient. Hooks get zeros for them.
        self.constant: dict[int, tuple[Any, Any]] = {}
        self.n_inputs = 0

    def before(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Put the node in front of the module."""
        self.n_inputs = len(args)
        self.constant = {
            i: (a.shape, a.dtype) for i, a in enumerate(args) if isinstance(a, Tensor) and not a.requires_grad
        }
        args, self.inputs, node = _behind_node(args)
        if node is not None:
            RemovableHandle(node.extras().post, self._leave)
        return args

    def after(self, out: Any) -> Any:
        """Put the node behind the module."""
        if not isinstance(out, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(out)}",
                stacklevel=5,
            )
        outs, places, node = _behind_node(out if isinstance(out, tuple) else (out,))
        if node is not None:
            RemovableHandle(
                node.extras().post,
                lambda _, grads: self._enter(_spread(places or [], grads, len(outs)), places or []),
            )
        if not isinstance(out, tuple):
            return outs[0]
        # A named tuple is made anew, as what it is.
        return outs if type(out) is tuple else guarded(type(out))(*outs)

    def _enter(self, outer: tuple[Any, ...], places: list[int]) -> tuple[Any, ...]:
        """The walk has reached the module's outputs."""
        for hook in self.pre_hooks:
            new = hook(self.module, outer)
            if new is not None:
                if len(new) != len(outer):
                    raise EngineError(
                        "Backward pre hook returned an invalid number of grad_output, "
                        f"got {len(new)}, but expected {len(outer)}"
                    )
                outer = new
        if self.inputs is None:
            self._without_inputs(outer)
        else:
            self.outer = outer
        return tuple(outer[i] for i in places)

    def _without_inputs(self, outer: tuple[Any, ...]) -> None:
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details.",
            stacklevel=5,
        )
        nothing = (None,) * self.n_inputs
        for hook in self.hooks:
            new = hook(self.module, nothing, outer)
            if new is not None and not (isinstance(new, tuple) and all(x is None for x in new)):
                raise EngineError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )

    def _leave(self, grads: tuple[Any, ...], _: Any) -> Any:
        """The walk has reached the module's inputs."""
        if self.outer is None or self.inputs is None:
            return None
        found = list(_spread(self.inputs, grads, self.n_inputs))
        for i, (shape, d) in self.constant.items():
            found[i] = zeros(shape, dtype=d)
        inner = tuple(found)
        for hook in self.hooks:
            new = hook(self.module, inner, self.outer)
            if new is not None:
                if len(new) != len(inner):
                    raise EngineError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(new)}, but expected {len(inner)}"
                    )
                inner = new
        self.outer = None
        return tuple(None if i in self.constant else inner[i] for i in self.inputs)


def _spread(places: list[int], values: Any, n: int) -> tuple[Any, ...]:
    found = [None] * n
    for i, value in zip(places, values, strict=True):
        found[i] = value
    return tuple(found)


def _behind_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """The values with their tensors behind a new node, where the tensors stand, and the node."""
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    if not mode.grad or not any(values[i].requires_grad for i in places):
        return values, None, None
    new = BackwardHookFunction.apply(*[values[i] for i in places])
    node = next(t.grad_fn for t in new if t.grad_fn is not None)
    behind = dict(zip(places, new, strict=True))
    return tuple(behind.get(i, v) for i, v in enumerate(values)), places, node


# -- the older kind ------------------------------------------------------------------------------


def hang_older(module: Any, hooks: list[Any], inputs: tuple[Any, ...], out: Any) -> None:
    """Hang hooks on the node that made a module's first output."""
    first = _first_tensor(out)
    node = None if first is None else first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(lambda inner, outer, hook=hook: hook(module, inner, outer))
    lack = _lacking(inputs, out, node)
    if lack:
        case, what = lack
        warnings.warn(
            f"{case} is deprecated and will be removed in future versions. This hook will be missing some"
            f"{what}. Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
            stacklevel=5,
        )


def _first_tensor(value: Any) -> Tensor | None:
    """The first tensor in a result, which may be nested."""
    while not isinstance(value, Tensor):
        if isinstance(value, dict):
            value = next((v for v in value.values() if isinstance(v, Tensor)), None)
        elif isinstance(value, (tuple, list)) and value:
            value = value[0]
        else:
            return None
        if value is None:
            return None
    return value


def _lacking(inputs: tuple[Any, ...], out: Any, node: Any) -> tuple[str, str] | None:
    """The part that an older hook does not see, and why; None where it sees all."""
    outs = (out,) if isinstance(out, Tensor) else out
    on, using = "Using non-full backward hooks on a Module that does not", "Using a non-full backward hook when"
    if not (isinstance(outs, tuple) and all(isinstance(t, Tensor) for t in outs)):
        return f"{on} return a single Tensor or a tuple of Tensors", " of the grad_output"
    if not all(isinstance(t, Tensor) for t in inputs):
        return f"{on} take as input a single Tensor or a tuple of Tensors", " of the grad_input"
    nodes = {t.grad_fn for t in outs if t.grad_fn is not None}
    if not nodes or (len(nodes) == 1 and node not in nodes):
        return f"{using} outputs are nested in python data structure", " grad_output"
    if len(nodes) > 1:
        return f"{using} outputs are generated by different autograd Nodes", " grad_output"
    if {t.grad_fn for t in inputs if t.grad_fn is not None} != {n for n, _ in node.next_functions}:
        return f"{using} the forward contains multiple autograd Nodes", " grad_input"
    return None

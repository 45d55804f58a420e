"""Ops that a program declares: a function of its own under a name in `torch.ops`, with a backward if it gives one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import EngineError, EngineNotImplementedError, Unsupported
from ..function import Function
from ..guard.outside import guarded
from ..modes import no_grad, recording
from ..numeric.meta import Meta
from ..offers import dressed
from ..ops.aten_names import Aten, Packet
from ..tensor import Tensor
from ..transforms.pytree import tree_flatten, tree_leaves, tree_unflatten
from .schemas import Schema

# Those that there are: namespace -> name -> op.
_DECLARED: dict[str, dict[str, CustomOp]] = {}
_ALIASED = (
    "{name} (with implementation in {module}): The output of this custom operator (1) must not also be an input to "
    "this custom operator and (2) may not alias any inputs to this custom operator or other returns. The most common "
    "way to trigger this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a "
    "clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
)


class CustomOp:
    """An op of a program's own, and all that was said of it."""

    def __init__(self, namespace: str, name: str, kernel: Callable[..., Any] | None, schema: Schema) -> None:
        self.namespace, self.name, self.schema = namespace, name, schema
        self.kernel = None if kernel is None else guarded(kernel)
        # A function that is called in its place, and makes the graph itself.
        self.through: Callable[..., Any] | None = None
        # Whether it may give back what it was given: a function of an op declared by a schema may.
        self.may_alias = kernel is None
        # Another for this machine, and whether it is in use.
        self.own_kernel: Callable[..., Any] | None = None
        self.uses_own = True
        self.fake: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        # The custom function that records it, made of all this when it is first needed.
        self.function: type[Function] | None = None
        self.packet = CustomPacket(name, self._called, namespace)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._called(*args, **kwargs)

        call.__name__ = name
        call.packet = self.packet  # type: ignore[attr-defined]
        call.with_results = self._with_results  # type: ignore[attr-defined]
        self.call = call
        _DECLARED.setdefault(namespace, {})[name] = self

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        """The op itself, as calls reach it that nobody is in the way of."""
        return self._in_graph(self._computed, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it; classes and modes of the program are asked first."""
        return dressed(self.call, "", self.name)(*args, **kwargs)

    def _computed(self, *args: Any, **kwargs: Any) -> Any:
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        if any(type(x._a) is Meta for x in tensors):
            if self.fake is None:
                raise EngineNotImplementedError(
                    f"{self.namespace}::{self.name}: attempted to run this operator with Meta tensors, but there was "
                    "no fake impl or Meta kernel registered for this operator. You may have run into this message "
                    "while using an operator with PT2 compilation APIs (torch.compile/torch.export); in order to use "
                    "this operator with those APIs you'll need to add a fake impl."
                )
            return self.fake(*args, **kwargs)
        kernel = self.own_kernel if self.own_kernel is not None and self.uses_own else self.kernel
        if kernel is None:
            raise EngineNotImplementedError(
                f"Could not run '{self.namespace}::{self.name}' with arguments from the 'CPU' backend: no function was "
                "registered for it."
            )
        with no_grad():
            found = kernel(*args, **kwargs)
        if not self.may_alias and any(x is y for x in tree_leaves(found) if isinstance(x, Tensor) for y in tensors):
            module = getattr(self.kernel, "__module__", None)
            raise EngineError(_ALIASED.format(name=self.name, module=module))
        return found

    def _with_results(self, found: Any, args: Any, kwargs: Any) -> Any:
        """Put what was computed already into the graph where a call would be."""
        return self._in_graph(lambda *_, **__: found, args, kwargs)

    def _in_graph(self, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        given, named = self.schema.bind(f"{self.namespace}::{self.name}", args, kwargs)
        if self.through is not None:
            return self.through(*given, **named)
        leaves, spec = tree_flatten(tuple(given))
        needed = recording() and any(isinstance(x, Tensor) and x.requires_grad for x in leaves)
        if self.schema.mutated:
            if needed:
                raise Unsupported(
                    f"{self.namespace}::{self.name} writes to its arguments: none may require a gradient"
                )
            found = compute(*given, **named)
            for name in self.schema.mutated:
                self.schema.value(name, given, named)._counter().n += 1
            return found
        if not needed and self.vmap is None:
            return compute(*given, **named)
        if self.function is None:
            self.function = _function_of(self)
        found = self.function.apply(_Call(compute, spec, named), *leaves)
        return list(found) if self.schema.returns_list else found


@dataclass(frozen=True)
class _Call:
    """All of a call but tensors: what computes it, how its arguments hold those, and arguments given by name."""

    compute: Callable[..., Any]
    spec: Any
    named: dict[str, Any]

    def inputs(self, leaves: Iterable[Any]) -> Any:
        """The arguments by place."""
        return tree_unflatten(list(leaves), self.spec)


def _function_of(op: CustomOp) -> type[Function]:
    """The custom function of an op: it takes a call, and the tensors and numbers of all arguments by place."""

    class Generated(Function):
        @staticmethod
        def forward(call: _Call, *leaves: Any) -> Any:
            found = call.compute(*call.inputs(leaves), **call.named)
            # A Function has a place in the graph for each tensor of a tuple, for none of a list.
            return tuple(found) if op.schema.returns_list else found

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            call, *leaves = inputs
            ctx._inputs = call.inputs
            if op.setup is not None:
                extra = {"keyword_only_inputs": call.named} if op.schema.keywords else {}
                output = list(output) if op.schema.returns_list else output
                with _needs_of_arguments(ctx):
                    op.setup(ctx, call.inputs(leaves), output=output, **extra)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if op.backward is None:
                raise EngineError(
                    f"Trying to backward through {op.namespace}.{op.name}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            with _needs_of_arguments(ctx) as needs:
                found = op.backward(ctx, list(grads)) if op.schema.returns_list else op.backward(ctx, *grads)
            return None, *_flat_like(found if isinstance(found, tuple) else (found,), needs)

    def vmap(info: Any, in_dims: Any, call: _Call, *leaves: Any) -> Any:
        found, dims = op.vmap(info, call.inputs(in_dims[1:]), *call.inputs(leaves), **call.named)  # type: ignore[misc]
        if op.schema.returns_list:
            return tuple(found), tuple(dims) if isinstance(dims, list) else dims
        return found, dims

    if op.vmap is not None:
        Generated.vmap = staticmethod(vmap)  # type: ignore[method-assign]
    Generated.__name__ = Generated.__qualname__ = f"GeneratedBackwardFor_{op.namespace}_{op.name}_default"
    return Generated


@contextmanager
def _needs_of_arguments(ctx: Any) -> Iterator[Any]:
    """Which arguments of the op need a gradient, as its own functions read that of the context."""
    flat = ctx.needs_input_grad
    ctx.needs_input_grad = needs = ctx._inputs(flat[1:])
    try:
        yield needs
    finally:
        ctx.needs_input_grad = flat


def _flat_like(grads: Any, needs: Any) -> list[Any]:
    """The gradients of arguments, of a list of tensors a list or None, for each of all tensors."""
    found: list[Any] = []
    for g, need in zip(grads, needs, strict=True):
        count = len(need) if isinstance(need, (list, tuple)) else None
        found += [g] if count is None else [None] * count if g is None else list(g)
    return found


class CustomPacket(Packet):
    """An op of a program's own as `torch.ops` gives it."""

    def __init__(self, name: str, function: Callable[..., Any], namespace: str, overload: str = "") -> None:
        super().__init__(name, function, overload)
        self.namespace = namespace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _DECLARED[self.namespace][self._name](*args, **kwargs)

    def overloaded(self, overload: str) -> Any:
        """The same under the name of an overload."""
        return CustomPacket(self._name, self._function, self.namespace, overload)

    @property
    def _schema(self) -> str:
        schema = _DECLARED[self.namespace][self._name].schema
        return f"{self.namespace}::{self._name}{schema}"


class Namespace:
    """`torch.ops.NAMESPACE`: the ops that a program declared in it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Packet:
        found = _DECLARED.get(self._name, {}).get(name)
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found.packet


class Ops:
    """`torch.ops`: PyTorch's own ops, and those of a program."""

    aten = Aten()

    def __getattr__(self, name: str) -> Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        return Namespace(name)


def declared(qualified: Any) -> CustomOp:
    """The op of a name, or of what `torch.ops` gives for it."""
    name = qualified.name() if isinstance(qualified, Packet) else str(qualified)
    namespace, _, rest = name.partition("::")
    found = _DECLARED.get(namespace, {}).get(rest.partition(".")[0])
    if found is None:
        raise EngineError(f"{name}: there is no such op; torch.library.custom_op declares one")
    return found


def forget(op: CustomOp) -> None:
    """Let there be no such op any more."""
    _DECLARED[op.namespace].pop(op.name, None)


@contextmanager
def kernel_enabled(op: CustomOp, enabled: bool) -> Iterator[None]:
    """A block in which the other kernel of an op is in use, or not."""
    before, op.uses_own = op.uses_own, enabled
    try:
        yield
    finally:
        op.uses_own = before

"""torch.library: ops of a program's own, each a function with a name in `torch.ops`, and a backward if it gives one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from .engine.custom_ops import CustomOp, declared, kernel_enabled
from .engine.guard.outside import guarded
from .engine.schemas import schema_of
from .errors import EngineError, EngineValueError

__all__ = [
    "custom_op", "infer_schema", "register_autograd", "register_fake", "register_kernel", "register_vmap",
]  # fmt: skip

_ABSENT = frozenset(
    ("Library", "define", "fallthrough_kernel", "get_ctx", "impl", "impl_abstract", "opcheck", "register_autocast",
     "register_torch_dispatch", "triton_op", "wrap_triton")
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise AttributeError(f"gradcli has no torch.library.{name}: an op is declared by torch.library.custom_op")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


class CustomOpDef:
    """An op of a program's own, to be called, and what may be said of it."""

    def __init__(self, op: CustomOp, function: Callable[..., Any]) -> None:
        self._op, self._init_fn = op, function
        self._namespace, self._name = op.namespace, op.name
        self._qualname = f"{op.namespace}::{op.name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._op(*args, **kwargs)

    @property
    def _schema(self) -> str:
        return str(self._op.schema)

    @property
    def _opoverload(self) -> Any:
        return self._op.packet.overloaded("default")

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """Say what its backward is, and what of a call is kept for that."""
        if self._op.schema.mutated:
            raise EngineError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema "
                f"{self._qualname}{self._schema}. Please create a functional operator and register an autograd formula "
                "for that."
            )
        self._op.backward = guarded(backward)
        self._op.setup = None if setup_context is None else guarded(setup_context)

    def register_fake(self, function: Callable[..., Any], /) -> Callable[..., Any]:
        """Say what it returns of tensors without memory."""
        self._op.fake = guarded(function)
        return function

    def register_vmap(self, function: Any = None) -> Any:
        """Say what it is of a batch."""
        if function is None:
            return self.register_vmap
        self._op.vmap, self._op.function = guarded(function), None
        return function

    def register_kernel(self, device_types: Any, function: Any = None, /) -> Any:
        """Give another function for a kind of machine: that for the CPU is used, others never."""
        if function is None:
            return lambda given: self.register_kernel(device_types, given)
        if device_types is None or "cpu" in ([device_types] if isinstance(device_types, str) else device_types):
            self._op.own_kernel = guarded(function)
        return function

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> AbstractContextManager[None]:
        """A block in which the other function for a kind of machine is used, or not."""
        return kernel_enabled(self._op, enabled if device_type == "cpu" else self._op.uses_own)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Declare an op: ``NAMESPACE::NAME``, its function, and which arguments it writes to."""
    del device_types, tags
    if schema is not None:
        raise EngineValueError(f"{name}: a schema as text is not supported: annotate the function instead")

    def declare(function: Callable[..., Any]) -> CustomOpDef:
        found = schema_of(function, mutates_args)
        namespace, colons, rest = name.partition("::")
        if not colons:
            raise EngineValueError(
                f"Expected `qualname` to be of the form 'namespace::name', but got {name}. The qualname passed to the "
                "torch.library API must consist of a namespace and a name, e.g. aten::sin"
            )
        return CustomOpDef(CustomOp(namespace, rest, function, found), function)

    return declare if fn is None else declare(fn)


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """The schema of a function, as PyTorch writes it."""
    return f"{op_name or ''}{schema_of(prototype_function, mutates_args)}"


def _of(op: Any) -> CustomOpDef:
    return op if isinstance(op, CustomOpDef) else CustomOpDef(found := declared(op), found.kernel)


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None) -> None:
    """Say what the backward of an op is, and what of a call is kept for that."""
    _of(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, allow_override: bool = False) -> Any:
    """Say what an op returns of tensors without memory."""
    return _of(op).register_fake if func is None else _of(op).register_fake(func)


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Say what an op is of a batch."""
    return _of(op).register_vmap(func)


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """Give another function of an op for a kind of machine."""
    return _of(op).register_kernel(device_types, func)

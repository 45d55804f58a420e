"""torch.library: ops of a program's own, each a function with a name in `torch.ops`, and a backward if it gives one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .engine.custom_ops.ops import CustomOp, declared, forget, kernel_enabled
from .engine.custom_ops.schemas import parsed, schema_of
from .engine.guard.outside import guarded
from .errors import EngineError, EngineValueError

__all__ = [
    "Library", "custom_op", "define", "impl", "infer_schema", "register_autograd", "register_fake", "register_kernel",
    "register_vmap",
]  # fmt: skip

_ABSENT = frozenset(
    ("fallthrough_kernel", "get_ctx", "impl_abstract", "opcheck", "register_autocast", "register_torch_dispatch",
     "triton_op", "wrap_triton")
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise AttributeError(f"gradcli has no torch.library.{name}: an op is declared by torch.library.custom_op")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


class CustomOpDef:
    """An op of a program's own, to be called, and what may be said of it."""

    def __init__(self, op: CustomOp, function: Callable[..., Any] | None) -> None:
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


# What a function is registered for: what it computes beneath the graph, what makes the graph itself, what it makes of
# tensors without memory. For other machines and modes it is never called.
_BENEATH = frozenset(("", "default", "cpu", "CPU", "CompositeExplicitAutograd"))
_THROUGH = frozenset(("Autograd", "AutogradCPU", "CompositeImplicitAutograd"))
_FAKE = frozenset(("Meta", "meta"))


def _declare(namespace: str, text: str) -> CustomOp:
    name, schema = parsed(text)
    return CustomOp(namespace, name, None, schema)


def _register(op: CustomOp, function: Callable[..., Any], key: str) -> None:
    if key in _BENEATH:
        op.kernel = guarded(function)
    elif key in _THROUGH:
        op.through = guarded(function)
    elif key in _FAKE:
        op.fake = guarded(function)


class Library:
    """Ops of one namespace: DEF and FRAGMENT declare them, IMPL gives functions to those that there are."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise EngineValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "aten"):
            raise EngineValueError(f"{ns}: ops of this namespace are PyTorch's own, and stay as they are")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._declared: list[CustomOp] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an op: its name, arguments and results; return its name."""
        del alias_analysis, tags
        op = _declare(self.ns, schema)
        self._declared.append(op)
        return op.name

    def impl(
        self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:  # fmt: skip
        """Give an op a function for a kind of machine, or for the graph."""
        del allow_override
        if with_keyset:
            raise EngineValueError("Library.impl(with_keyset=True): there are no sets of keys here")
        name = op_name if isinstance(op_name, str) else op_name.name()
        _register(declared(f"{self.ns}::{name.rpartition('::')[2]}"), fn, dispatch_key or self.dispatch_key)

    def _destroy(self) -> None:
        """Let its ops be no more."""
        for op in self._declared:
            forget(op)


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library whose ops are there for a block."""
    made = Library(*args, **kwargs)
    try:
        yield made
    finally:
        made._destroy()


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Declare an op: ``NAMESPACE::NAME``, and its arguments and results as a schema without a name."""
    del lib, tags
    namespace, colons, name = qualname.partition("::")
    if not colons:
        raise EngineValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    _declare(namespace, name + schema)


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Give an op a function for kinds of machines; ``impl(library, name, key)`` decorates a function."""
    del lib
    if isinstance(qualname, Library):
        key = "" if func is None else func

        def give(function: Callable[..., Any]) -> Callable[..., Any]:
            qualname.impl(types, function, key)
            return function

        return give

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for kind in (types,) if isinstance(types, str) else types:
            _register(declared(qualname), function, kind)
        return function

    if func is None:
        return register
    register(func)
    return None


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

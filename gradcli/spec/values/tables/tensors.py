"""Tensors, and what describes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import wraps
from typing import Any

import numpy as np

from ....engine import methods as _methods
from ....engine.dtypes import BF16, dtype
from ....engine.graph import RemovableHandle
from ....engine.memory.places import Device
from ....engine.modes import mode
from ....engine.random.generator import Generator
from ....engine.tensor import Tensor, View
from ....errors import EngineError, SpecError, Unsupported
from ...guard.size_limits import caps, fits, whole
from ..classes.sealed_classes import Given, known_as
from ..classes.tensor_classes import as_subclass, make_subclass, make_wrapper_subclass
from .table import TABLES, attributes, constant, declare, own_methods

_READ = (
    "shape dtype device is_meta layout grad grad_dtype grad_fn requires_grad is_leaf data T mT H mH real imag ndim "
    "nbytes itemsize output_nr retains_grad is_cuda is_sparse is_quantized volatile _version"
)
# Kinds of tensors that there are only in PyTorch.
_NEVER = "is_mps is_mkldnn is_nested is_xla is_xpu is_ipu is_vulkan is_mtia is_maia is_sparse_csr"


def _tolist(self: Tensor) -> Any:
    fits(self.numel(), "list")
    return self.tolist()


# All that Tensor offers in public are PyTorch's methods; each is looked up in the class when it is first called. What
# has to do with memory as such is for no spec: to what it reads and writes there a check has no witness.
_OFFERED = (
    frozenset(n for n in dir(Tensor) if n[0] != "_") - frozenset(_READ.split()) - frozenset(_methods.OF_MEMORY)
    | {"_indices", "_is_view", "_nnz", "_values"}
)  # fmt: skip


# What the conjugate of a memory does in its own way.
OF_LAZY = ("detach", "numpy", "stride")


def _load(name: str) -> Any:
    if name not in _OFFERED:
        return None
    method = getattr(Tensor, name)
    return _of_its_class(method, name) if name in OF_LAZY else method


def _of_its_class(method: Any, name: str) -> Any:
    """A method as the class of each tensor has it."""

    @wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        own = getattr(type(self), name) if isinstance(self, Tensor) else method
        return own(self, *args, **kwargs)

    return call


def _base(self: Tensor) -> Any:
    """The tensor that a view is a part of; of what is made in inference mode nobody notes it."""
    return self._base if self._is_view() else None


def _set_requires_grad(self: Tensor, value: Any) -> None:
    if not isinstance(value, bool):
        raise EngineError("requires_grad must be a bool")
    self.requires_grad = value


def _set_grad(self: Tensor, value: Any) -> None:
    self.grad = value


def _set_data(self: Tensor, value: Any) -> None:
    self.data = value


def _set_grad_dtype(self: Tensor, value: Any) -> None:
    self.grad_dtype = value


def _set_real(self: Tensor, value: Any) -> None:
    self.real = value  # type: ignore[misc]


def _set_imag(self: Tensor, value: Any) -> None:
    self.imag = value  # type: ignore[misc]


def _delete_grad(self: Tensor) -> None:
    del self.grad


def _delete_requires_grad(self: Tensor) -> None:
    raise EngineError("requires_grad must be a bool")


def _delete_data(self: Tensor) -> None:
    raise EngineError("Deleting tensor data is not allowed. Delete tensor instead!")


_TENSOR = declare(
    Tensor,
    methods={"tolist": _tolist},
    fields={
        **attributes(_READ),
        **{name: constant(False) for name in _NEVER.split()},
        "_base": _base,
        "is_cpu": constant(True),
    },
)
# To programs a view is a tensor.
TABLES[View] = _TENSOR
_TENSOR.methods.load = _load
_TENSOR.later = _OFFERED
_TENSOR.setters = {
    "requires_grad": _set_requires_grad, "grad": _set_grad, "grad_dtype": _set_grad_dtype, "data": _set_data,
    "real": _set_real, "imag": _set_imag,
}  # fmt: skip
_TENSOR.deleters = {"grad": _delete_grad, "requires_grad": _delete_requires_grad, "data": _delete_data}
_TENSOR.methods["as_subclass"] = as_subclass
_TENSOR.statics = {"_make_subclass": make_subclass, "_make_wrapper_subclass": make_wrapper_subclass}
_TENSOR.free = True
# What a tensor of a lazy layer keeps until it has numbers.
_PENDING = ("_asks", "_becomes", "_wanted")
# What the conjugate of a memory keeps.
_LAZY = ("_under", "_conjugates", "_negates")
_KEPT = (*dir(View), *Tensor.__annotations__, *View.__annotations__, *_PENDING, *_LAZY)
_TENSOR.hidden = frozenset(n for n in _KEPT if n[0] == "_")
_TENSOR.in_python = frozenset(
    ("backward", "norm", "register_hook", "register_post_accumulate_grad_hook", "split", "unflatten", "unique",
     "unique_consecutive")
)  # fmt: skip

declare(
    dtype,
    fields={**attributes("itemsize is_floating_point is_complex"), "is_signed": lambda d: d.np.kind in "ifc"},
)
declare(Device, fields=attributes("type index"))
declare(
    Generator,
    methods=own_methods(Generator, "manual_seed seed initial_seed get_state set_state clone_state"),
    fields=attributes("device"),
)


def _widening(t: Tensor) -> int:
    """The memory that a tensor takes, by that of PyTorch's: twice as much for bfloat16."""
    return 2 if t._a.dtype is BF16 else 1


class Storage(Given):
    """The memory that a tensor and its views lie in: where it begins, and how large it is."""

    __slots__ = ("each", "tensor")

    def __init__(self, tensor: Tensor, each: int) -> None:
        self.tensor, self.each = tensor, each

    def __len__(self) -> int:
        whole = self.tensor._memory()
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        return int(whole.nbytes) // _widening(self.tensor) // self.each

    def start(self) -> int:
        """The address of the first element."""
        t = self.tensor
        return t.data_ptr() - t.storage_offset() * t.element_size() * _widening(t)

    def resize(self, size: Any, /) -> Any:
        """Have another size: only what it has can be asked for."""
        if size != len(self) * self.each:
            raise SpecError(
                "resize_() of memory in which tensors lie is not in the spec language",
                help="resize_() the tensor",
                code="E204",
            )
        return self

    def __repr__(self) -> str:
        raise SpecError("the memory of a tensor cannot be printed in the spec language", help="print the tensor")


known_as(Storage, "UntypedStorage", "torch.storage")
declare(
    Storage,
    base=object,
    methods={
        "data_ptr": Storage.start,
        "resize_": Storage.resize,
        "size": len,
        "nbytes": lambda self: len(self) * self.each,
    },
)


class Elements(Storage):
    """The same as elements of the tensor's type."""

    __slots__ = ()

    def _all(self) -> Tensor:
        # What a view over the whole would show, and no byte beyond.
        return self.tensor.detach().as_strided((len(self),), (1,), 0)

    def __getitem__(self, i: Any) -> Any:
        place = whole(i)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} out of range for storage of size {len(self)}")
        return self._all()[place].item()

    def __setitem__(self, i: Any, value: Any) -> None:
        # As a write to .data: no node of a graph hears of it.
        self._all().data[whole(i)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(_elements(self))

    def __repr__(self) -> str:
        lines = [f" {n}" for n in _elements(self)]
        shown = f"[torch.storage.TypedStorage(dtype={self.tensor.dtype}, device=cpu) of size {len(self)}]"
        return "\n".join([*lines, shown])


def _elements(self: Elements) -> list[Any]:
    fits(len(self), "list")
    found: list[Any] = self._all().tolist()
    return found


def _fill_all(self: Elements, value: Any) -> Elements:
    self._all().data.fill_(value)
    return self


known_as(Elements, "TypedStorage", "torch.storage")
declare(
    Elements,
    base=Storage,
    methods={"tolist": _elements, "fill_": _fill_all, "element_size": lambda self: self.each},
    fields={"dtype": lambda self: self.tensor.dtype, "is_cuda": lambda self: False},
)
_TENSOR.methods["untyped_storage"] = lambda self: Storage(self, 1)
_TENSOR.methods["storage"] = lambda self: Elements(self, self.element_size())


def _refused(name: str) -> Any:
    def method(*args: Any, **kwargs: Any) -> Any:
        raise Unsupported(
            f"Tensor.{name}() is not for specs: what it does to memory as such no graph shows",
            help="write to the elements, or make another tensor",
        )

    return method


def _resize(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    wanted = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    if all(isinstance(n, int) for n in wanted):
        caps.spend(math.prod(wanted), math.prod(wanted))
    resized: Tensor = self.resize_(*size, memory_format=memory_format)  # type: ignore[attr-defined]
    return resized


def _set(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Lie in other memory, which a tensor or a storage of the program has."""
    of = source
    if isinstance(source, Storage):
        kept = "storage" if isinstance(source, Elements) else "untyped_storage"
        of = getattr(source.tensor, kept)()
        source = source.tensor
    self.set_(of, storage_offset, size, stride)  # type: ignore[attr-defined]
    if isinstance(source, Tensor) and mode.tape is not None:
        mode.tape.renewed(self, source)
    return self


_TENSOR.methods["set_"] = _set
_TENSOR.methods["is_set_to"] = lambda self, tensor: self.is_set_to(tensor)
_TENSOR.methods["resize_"] = _resize
_TENSOR.methods["resize_as_"] = lambda self, the_template, **how: _resize(self, tuple(the_template.shape), **how)
_TENSOR.methods.update({name: _refused(name) for name in _methods.OF_MEMORY if name not in _TENSOR.methods})
declare(RemovableHandle, methods=own_methods(RemovableHandle, "remove"), fields=attributes("id"))

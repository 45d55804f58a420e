"""Tensor: an array and its place in a graph."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from ..errors import EngineError, EngineTypeError, Unsupported
from . import dtypes
from .dtypes import DTYPES
from .graph import LEAF, OUTPUT, AccumulateGrad, RemovableHandle
from .modes import mode

# An ndarray, or a NumPy scalar: a 0-d value lives in a scalar until someone needs its memory.
Array = Any
# Whatever flows through an op: an array, a complex array, a Tensor, a Probe.
Value = Any


class Size(tuple[int, ...]):
    """A shape."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        items = tuple(sizes)
        for i, n in enumerate(items):
            if not hasattr(n, "__index__"):
                raise EngineTypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, map(operator.index, items))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        got = super().__getitem__(index)
        return _size(got) if isinstance(index, slice) else got

    def __add__(self, other: Any) -> Any:
        return Size(tuple(self) + other) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return _size(tuple(self) * times)

    __rmul__ = __mul__


def _size(sizes: Any) -> Size:
    """A Size of what is known to be ints."""
    return tuple.__new__(Size, sizes)


class Version:
    """How often memory was written to; shared by all tensors that share the memory."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0


class Tensor:
    """Numbers, and where their gradient goes.

    The class attributes are what a fresh result has; an instance sets only what differs.
    """

    # _a     the array
    # _node  where the gradient goes: the AccumulateGrad of a leaf, a Node or an Output, or None
    # _vc    the memory's version counter, made when the memory is first written to or shared
    _a: Array
    _node: Any = None
    _vc: Version | None = None
    _grad: Tensor | None = None
    _retains: bool = False
    _inference: bool = False
    _base: Tensor | None = None

    # NumPy leaves operators with a Tensor on the right to the Tensor.
    __array_ufunc__: ClassVar[None] = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A tensor of the default dtype: of these numbers, or of this shape and all zeros."""
        from .ops.given import legacy

        t = legacy(dtypes.default.float, args, kwargs)
        return t if cls is Tensor else _remade(cls, t._a)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is left to do."""

    # -- the place in the graph ------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is computed for this tensor."""
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient, or ask for none."""
        node = self._node
        if requires_grad:
            if node is None:
                if self._a.dtype.kind not in "fc":
                    raise EngineError("only Tensors of floating point dtype can require gradients")
                if self._inference and not mode.inference:
                    raise EngineError(
                        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                    )
                self._node = AccumulateGrad(self)
                self._node.grad = self._grad
        elif node is not None:
            if node.kind != LEAF:
                raise EngineError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a "
                    "computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            self._grad = node.grad
            self._node = None
        return self

    @property
    def grad_fn(self) -> Any:
        """The node that recorded how this tensor was made."""
        node = self._node
        if node is None or node.kind == LEAF:
            return None
        return node.node if node.kind == OUTPUT else node

    @property
    def output_nr(self) -> int:
        """Which output of its ``grad_fn`` this tensor is."""
        node = self._node
        return node.nr if node is not None and node.kind == OUTPUT else 0

    @property
    def is_leaf(self) -> bool:
        """Whether the graph ends here."""
        node = self._node
        return node is None or node.kind == LEAF

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward() has accumulated here."""
        node = self._node
        if node is not None and node.kind == LEAF:
            found: Tensor | None = node.grad
            return found
        if self._grad is None and node is not None and not self._retains:
            _warn_non_leaf_grad()
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise EngineTypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value._a.shape != self._a.shape:
                raise EngineError(
                    f"assigned grad has data of a different size: {list(value._a.shape)} for a tensor of "
                    f"size {list(self._a.shape)}"
                )
            if value._a.dtype != self._a.dtype:
                raise EngineError("assigned grad has data of a different type")
        node = self._node
        if node is not None and node.kind == LEAF:
            node.grad = value
        else:
            self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor although it is no leaf."""
        node = self._node
        if node is None:
            raise EngineError("can't retain_grad on Tensor that has requires_grad=False")
        if node.kind == LEAF or self._retains:
            return
        import weakref

        self._retains = True
        self.grad_fn.extras().retain.setdefault(self.output_nr, []).append(weakref.ref(self))

    @property
    def retains_grad(self) -> bool:
        """Whether ``retain_grad`` was called on this non-leaf."""
        return self._retains

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when this tensor's gradient is known; what it returns replaces it."""
        node = self._node
        if node is None:
            raise EngineError("cannot register a hook on a tensor that doesn't require gradient")
        if node.kind == LEAF:
            return RemovableHandle(node.hooks, hook)
        nr = self.output_nr

        def before(grads: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...] | None:
            g = grads[nr]
            if g is None:
                return None
            new = hook(g)
            if new is None:
                return None
            _check_hook(g, new)
            return (*grads[:nr], new, *grads[nr + 1 :])

        return RemovableHandle(self.grad_fn.extras().pre, before)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after the leaf's gradient was accumulated."""
        node = self._node
        if node is None or node.kind != LEAF:
            raise EngineError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle(node.post_accumulate, hook)

    # -- memory: sharing and versions ------------------------------------------------------

    def _remake(self) -> Callable[[], Tensor]:
        return functools.partial(_remade, type(self), self._a)

    def _memory(self) -> np.ndarray[Any, Any]:
        """The array as memory that others may share."""
        if not isinstance(self._a, np.ndarray):
            self._set_array(np.asarray(self._a))
        memory: np.ndarray[Any, Any] = self._a
        return memory

    def _set_array(self, a: Array) -> None:
        self._a = a
        node = self._node
        if node is not None and node.kind == LEAF:
            node.follow(self)

    def _counter(self) -> Version:
        """The version counter of this tensor's memory."""
        vc = self._vc
        if vc is None:
            vc = self._vc = Version()
            grad_fn = self.grad_fn
            if grad_fn is not None:
                grad_fn.extras().result_version[self.output_nr] = (vc, 0)
        return vc

    @property
    def _version(self) -> int:
        vc = self._vc
        return 0 if vc is None else vc.n

    def _is_view(self) -> bool:
        return self._base is not None

    def detach(self) -> Tensor:
        """The same memory, outside the graph."""
        alias = result(self._memory())
        alias._vc = self._counter()
        alias._inference = self._inference
        return alias

    def detach_(self) -> Tensor:
        """Leave the graph."""
        if self._is_view():
            raise EngineError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
                "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
                "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
                "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution."
            )
        self._node = None
        self._retains = False
        return self

    @property
    def data(self) -> Tensor:
        """The same memory, with a version counter of its own: writes to it go unseen by autograd."""
        return result(self._memory())

    @data.setter
    def data(self, new: Tensor) -> None:
        if not isinstance(new, Tensor):
            raise EngineTypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
        self._set_array(new._memory())

    # -- what is in it ---------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The extent of each axis."""
        return _size(self._a.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the extent of one axis."""
        return _size(self._a.shape) if dim is None else self._a.shape[dim]

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        n: int = self._a.ndim
        return n

    def dim(self) -> int:
        """How many axes there are."""
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        """How many elements there are."""
        return int(self._a.size)

    nelement = numel

    @property
    def nbytes(self) -> int:
        """The bytes that the elements take."""
        return int(self._a.nbytes)

    def element_size(self) -> int:
        """The bytes that one element takes."""
        return int(self._a.itemsize)

    itemsize = property(element_size)

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return DTYPES[self._a.dtype]

    @property
    def device(self) -> Device:
        """Always the CPU."""
        return CPU

    layout = "torch.strided"
    is_cuda = False
    is_sparse = False
    is_quantized = False

    def stride(self, dim: int | None = None) -> Any:
        """The step between neighbours along each axis, in elements."""
        a = self._a
        strides = tuple(s // a.itemsize for s in (a.strides if a.size else _dense_strides(a)))
        return strides if dim is None else strides[dim]

    def storage_offset(self) -> int:
        """Where in its base's memory this tensor starts, in elements."""
        base = self._base
        if base is None:
            return 0
        return int((_address(self._a) - _address(base._a)) // self._a.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return _address(self._memory())

    def is_contiguous(self) -> bool:
        """Whether the elements lie in memory in row-major order."""
        return bool(self._a.flags.c_contiguous)

    def is_floating_point(self) -> bool:
        """Whether the element type is a floating one."""
        return bool(self._a.dtype.kind == "f")

    def is_complex(self) -> bool:
        """Whether the element type is a complex one."""
        return bool(self._a.dtype.kind == "c")

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return self._inference

    def item(self) -> Any:
        """The one element, as a Python number."""
        a = self._a
        if a.size != 1:
            raise EngineError(f"a Tensor with {a.size} elements cannot be converted to Scalar")
        return a.item()

    def tolist(self) -> Any:
        """The elements as nested lists."""
        return self._a.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The elements as a NumPy array that shares the memory."""
        if self._node is not None and not force:
            raise EngineError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self._memory()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        a = self.numpy()
        return a if dtype is None else a.astype(dtype)

    def cpu(self) -> Tensor:
        """The tensor itself: there is only the CPU."""
        return self

    def __len__(self) -> int:
        if self._a.ndim == 0:
            raise EngineTypeError("len() of a 0-d tensor")
        return int(self._a.shape[0])

    def __bool__(self) -> bool:
        a = self._a
        if a.size == 1:
            return bool(a.item())
        if a.size == 0:
            raise EngineError("Boolean value of Tensor with no values is ambiguous")
        raise EngineError("Boolean value of Tensor with more than one value is ambiguous")

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self._a.size != 1 or self._a.dtype.kind not in "biu":
            raise EngineTypeError("only integer tensors of a single element can be converted to an index")
        return int(self._a.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __format__(self, spec: str) -> str:
        plain = type(self).__module__ == __name__
        if plain and self._a.ndim == 0:
            return format(self.item(), spec)
        if spec:
            name = "Tensor" if plain else type(self).__name__
            raise EngineTypeError(f"unsupported format string passed to {name}.__format__")
        return repr(self)

    def __repr__(self) -> str:
        from .printing import tensor_repr

        return tensor_repr(self)

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise EngineError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
                "the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn."
                "utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        twin = _remade(type(self), np.array(self._a))
        memo[id(self)] = twin
        if self.requires_grad:
            twin.requires_grad_()
        if self.grad is not None:
            twin.grad = self.grad.__deepcopy__(memo)
        return twin

    def __iter__(self) -> Iterator[Tensor]:
        if self._a.ndim == 0:
            raise EngineTypeError("iteration over a 0-d tensor")
        from .ops.part import unbind

        return iter(unbind(self, 0))

    def __contains__(self, element: Any) -> bool:
        found = self._a == (element._a if isinstance(element, Tensor) else element)
        return bool(np.any(found))

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Walk the graph from here and add the gradients to the leaves."""
        from .backward import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)


class View(Tensor):
    """A tensor in another's memory.

    A write to the base moves what its views were computed by, so a view looks up its place in the
    graph when asked: when its memory was written to since, it is a strided read of the base as it is now.
    """

    _base: Tensor
    _own: Any = None
    _made: int = 0
    # "Unbind" for an output of a function that returns several views: not to be written to.
    _siblings: str | None = None
    _without_grad: bool = False

    @property
    def _vc(self) -> Version | None:  # type: ignore[override]
        return self._base._vc

    @_vc.setter
    def _vc(self, value: Version | None) -> None:
        self._base._vc = value

    def _counter(self) -> Version:
        return self._base._counter()

    @property
    def _node(self) -> Any:
        base = self._base
        if base._vc is not None and base._vc.n != self._made and (self._own is None or self._own.kind != LEAF):
            self._made = base._vc.n
            if base._node is not None:
                from .inplace import strided_read

                self._own = strided_read(self)
        return self._own

    @_node.setter
    def _node(self, value: Any) -> None:
        self._own = value


class WrappedNumber(Tensor):
    """A Python number beside a tensor: it computes in its partner's dtype and reads as its own."""

    number: Any

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype that a tensor of the number would have, with Python floats as float64."""
        kind = type(self.number)
        return dtypes.bool_ if kind is bool else dtypes.int64 if kind is int else dtypes.float64

    def item(self) -> Any:
        """The number."""
        return self.number

    def tolist(self) -> Any:
        """The number."""
        return self.number


class Device:
    """Where a tensor lives; only the CPU exists."""

    type = "cpu"
    index = None

    def __init__(self, name: Any = "cpu") -> None:
        if str(name).split(":")[0] != "cpu":
            raise Unsupported(f"gradcli computes on the CPU only: there is no device '{name}'")

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) or other == "cpu"

    def __hash__(self) -> int:
        return hash("cpu")


CPU = Device()

_new = object.__new__


def result(a: Array) -> Tensor:
    """A Tensor around an array, with no place in a graph."""
    t: Tensor = _new(Tensor)
    t._a = a
    return t


def _remade(cls: type[Tensor], a: Array) -> Tensor:
    t: Tensor = _new(cls if cls is not View else Tensor)
    t._a = a
    return t


def _dense_strides(a: Array) -> tuple[int, ...]:
    """The strides of an empty tensor, which NumPy does not keep."""
    strides = []
    step = a.itemsize
    for n in reversed(a.shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _address(a: Array) -> int:
    return int(np.asarray(a).__array_interface__["data"][0])


def _check_hook(g: Tensor, new: Any) -> None:
    if not isinstance(new, Tensor):
        raise EngineTypeError(f"hook must return None or a Tensor, not {type(new).__name__}")
    if new._a.shape != g._a.shape:
        raise EngineError("hook has changed the size of value")


def _warn_non_leaf_grad() -> None:
    import warnings

    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
        "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
        "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
        "by mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
        "for more informations.",
        UserWarning,
        stacklevel=3,
    )


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new leaf tensor that holds a copy of ``data``."""
    del pin_memory
    if device is not None:
        Device(device)
    d = None if dtype is None else _chosen("tensor", dtype)
    return made(as_array(data, d), requires_grad)


def as_array(data: Any, d: Any = None) -> Array:
    """A fresh array of what Python or NumPy hold."""
    from . import data as reader

    return reader.as_array(data, d)


def made(a: Array, requires_grad: bool = False) -> Tensor:
    """A new leaf tensor around an array."""
    t = result(a)
    if mode.inference:
        t._inference = True
    if requires_grad:
        if a.dtype.kind not in "fc":
            raise EngineError("Only Tensors of floating point and complex dtype can require gradients")
        t._node = AccumulateGrad(t)
    return t


def _chosen(function: str, d: Any) -> Any:
    """The NumPy dtype that an argument named ``dtype`` names."""
    if not isinstance(d, dtypes.dtype) and d not in (float, int, bool):
        raise EngineTypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type(d).__name__}")
    return dtypes.as_numpy(d)

"""Tensor: an array and its place in a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, cast

import numpy as np

from ..errors import EngineError, EngineNotImplementedError, EngineTypeError
from . import dtypes
from .costs import costs
from .dtypes import Array as Array
from .graph import CUT, LEAF, OUTPUT, OWN, AccumulateGrad, Cut, RemovableHandle, next_sequence_number
from .guard.outside import guarded
from .memory.places import is_on_meta
from .modes import (
    UNCOUNTED,
    Version as Version,
    devices,
    inferring,
    mode,
    recording,
    refuse_of_samples,
    refused_in_transforms,
    watching,
)
from .numeric.meta import Escaped, Meta, OnMeta, put
from .properties import Facts, Size as Size, sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..stubs.methods import Methods
else:
    # The ops are put here when there are any, in `methods`.
    Methods = Facts

# The modules whose classes are no program's.
_OURS = __package__.partition(".")[0] + "."

# Whatever flows through an op: an array, a complex array, a Tensor.
Value = Any


def _overriding() -> Any:
    """Read what stands between users and their calls, when it is first needed: it knows tensors."""
    from importlib import import_module

    return import_module(f"{__package__}.dispatch.overriding")


@classmethod  # type: ignore[misc]
def disabled(cls: type, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The ``__torch_function__`` of a class that has nothing to say: the call is that of plain tensors."""
    with _overriding().classes_off():
        return func(*args, **(kwargs or {}))


@costs("making.constructed")
@sealed
class Tensor(Methods):
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
    # The dtype that a program wants the gradient of a leaf in, None for any: OWN is that of the leaf.
    _grad_dtype: Any = OWN
    _retains: bool = False
    _inference: bool = False
    # When detach_() took it out of a graph, in the count of nodes: those before may have kept it.
    _left: int = -1
    _base: Tensor | None = None
    # What a tape knows of it: the program's name for it, and where its numbers left a graph.
    _label: str | None = None
    _cuts: tuple[Any, ...] = ()
    # Its tangents, by the level of dual numbers that they belong to; None where it has not those of its base.
    _tangents: dict[Any, tuple[Tensor, ...] | None] | None = None

    # NumPy leaves operators with a Tensor on the right to the Tensor.
    __array_priority__: ClassVar[int] = 1000

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A tensor of the default dtype: of these numbers, or of this shape and all zeros."""
        from .ops.make.from_data import legacy

        t = legacy(dtypes.default.float, args, kwargs)
        if cls is not Tensor:
            t = _remade(cls, t._a)
            if (below := _overriding().below_autograd).answers(cls):
                below.hand_over(t)
        return t

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is left to do."""

    # -- classes of a program --------------------------------------------------------------

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The classes of a program that is read, not run, have a class of their own.
        is_silent = getattr(cls.__torch_function__, "__func__", None) is cast(Any, disabled).__func__
        if type(cls) is type and not cls.__module__.startswith(_OURS) and not is_silent:
            _overriding().engage()

    @classmethod
    def __torch_function__(cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Make a call that was given a tensor of this class: what it returns is of the class, too."""
        return _overriding().default(cls, func, types, args, kwargs)

    @classmethod
    def __torch_dispatch__(cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Make what an op makes of ordinary tensors in the same memory."""
        passed_by = _overriding().below_autograd.passed_by
        return func(*passed_by(args), **passed_by(kwargs or {}))

    @staticmethod
    def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
        return _overriding().made_of(data.detach(), cls)._track(require_grad)

    @staticmethod
    def _make_wrapper_subclass(cls: type, size: Any, *args: Any, **kwargs: Any) -> Any:
        return _overriding().below_autograd.make_wrapper(cls, size, *args, **kwargs)

    # -- the place in the graph ------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """True where a gradient is computed for this tensor."""
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise EngineError("requires_grad must be a bool")
        if value and not self.is_leaf:
            raise EngineError("you can only change requires_grad flags of leaf variables.")
        if value and self._node is None and self._a.dtype.kind not in "fc":
            raise EngineError("only Tensors of floating point and complex dtype can require gradients")
        self._refuse_of_inference(value)
        self._track(value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise EngineError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient, or ask for none."""
        if not isinstance(requires_grad, bool):
            kind = type(requires_grad).__name__
            raise EngineTypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        if mode.transforms:
            raise refused_in_transforms("requires_grad_()")
        self._refuse_of_inference(requires_grad)
        return self._track(requires_grad)

    def _refuse_of_inference(self, requires_grad: bool) -> None:
        """Refuse a gradient for what was made in inference mode, outside of it."""
        if requires_grad and self._inference and not mode.inference:
            raise EngineError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")

    def _track(self, requires_grad: bool) -> Tensor:
        """Ask for a gradient, or for none, wherever the program is."""
        node = self._node
        if requires_grad:
            if node is None:
                if self._a.dtype.kind not in "fc":
                    raise EngineError("only Tensors of floating point dtype can require gradients")
                self._node = AccumulateGrad(self)
                self._node.grad = self._grad
        elif node is not None and node.kind != CUT:
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
        if node is None or node.kind in (LEAF, CUT):
            return None
        return node.node if node.kind == OUTPUT else node

    @property
    def _grad_fn(self) -> Any:
        return self.grad_fn

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise EngineError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def output_nr(self) -> int:
        """Which output of its ``grad_fn`` this tensor is."""
        node = self._node
        return node.nr if node is not None and node.kind == OUTPUT else 0

    @property
    def is_leaf(self) -> bool:
        """True where the graph ends at this tensor."""
        node = self._node
        return node is None or node.kind in (LEAF, CUT)

    @property
    def grad_dtype(self) -> Any:
        """The dtype of the gradient that a leaf is given; None for any."""
        if not self.is_leaf:
            raise EngineError("grad_dtype can only be accessed on leaf tensors.")
        return self.dtype if self._grad_dtype is OWN else self._grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        if value is not None and not isinstance(value, dtypes.dtype):
            raise EngineError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        node = self._node
        if not self.is_leaf:
            raise EngineError("grad_dtype can only be set on leaf tensors.")
        have = None if node is None else self.grad
        if have is not None and value not in (None, have.dtype):
            raise EngineError(
                f"Cannot set grad_dtype to '{value.tensor_name}' because there is already a gradient with dtype "
                f"'{have.dtype.c_name}'. Please clear the gradient (.grad = None) before changing grad_dtype, or "
                "ensure the new grad_dtype matches the existing gradient's dtype."
            )
        self._grad_dtype = value
        if node is not None and node.kind == LEAF:
            node.follow(self)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward() has accumulated here."""
        node = self._node
        if node is not None and node.kind == LEAF:
            found: Tensor | None = node.grad
            return found
        if self._grad is None and node is not None and node.kind != CUT and not self._retains:
            from .call_errors import warn_non_leaf_grad

            warn_non_leaf_grad()
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise EngineTypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise EngineError("can't assign Variable as its own grad")
            if value._a.shape != self._a.shape:
                raise EngineError(
                    f"attempting to assign a gradient of size '{list(value._a.shape)}' to a tensor of size "
                    f"'{list(self._a.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
            if (type(value._a) is Meta) != (type(self._a) is Meta):
                raise EngineError(
                    f"attempting to assign a gradient with device type '{value.device.type}' to a tensor with device "
                    f"type '{self.device.type}'. Please ensure that the gradient and the tensor are on the same device"
                )
            wanted = self.dtype if self._grad_dtype is OWN else self._grad_dtype
            if wanted not in (None, value.dtype):
                raise EngineError(
                    f"attempting to assign a gradient with dtype '{value.dtype.c_name}' to a tensor with grad_dtype "
                    f"'{wanted.tensor_name}'. The gradient must match the tensor's grad_dtype (defaults to the "
                    "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None "
                    "to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its "
                    "gradient may break downstream systems that assume they match."
                )
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
        if mode.transforms:
            raise refused_in_transforms("retain_grad()")
        if node.kind in (LEAF, CUT) or self._retains:
            return
        import weakref

        self._retains = True
        self.grad_fn.extras().retain.setdefault(self.output_nr, []).append(weakref.ref(self))

    @property
    def retains_grad(self) -> bool:
        """True where ``retain_grad`` was called on this non-leaf."""
        return self._retains

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when this tensor's gradient is known; what it returns replaces it."""
        return self._hang(guarded(hook))

    def _hang(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Hang a hook of the library's own, or a guarded one, on the tensor."""
        node = self._node
        if node is None:
            raise EngineError("cannot register a hook on a tensor that doesn't require gradient")
        if node.kind == LEAF:
            return RemovableHandle(node.hooks, hook)
        if node.kind == CUT:
            # Nothing leads here, and nothing calls the hook.
            return RemovableHandle({}, hook)
        return RemovableHandle(self.grad_fn.extras().tensor, (self.output_nr, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after the leaf's gradient was accumulated."""
        node = self._node
        if node is None:
            raise EngineError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise EngineError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle(node.post_accumulate if node.kind == LEAF else {}, guarded(hook))

    # -- memory: sharing and versions ------------------------------------------------------

    def _remake(self) -> Callable[[], Tensor]:
        return functools.partial(_remade, type(self), self._a)

    def _lose(self) -> None:
        """Lose the numbers, which belong to a sample of a vmap that has ended, and the place in its graph."""
        a: Any = Escaped(self._a.shape, self._a.dtype)
        self.__class__ = _kind(type(self))
        self._base = self._node = None
        self._a = a

    def _memory(self) -> np.ndarray[Any, Any]:
        """The array as memory that others may share."""
        if not isinstance(self._a, np.ndarray):
            if type(self._a) is Meta:
                return self._a  # type: ignore[return-value]
            number = self._a
            self._set_array(np.asarray(number))
            for watch in watching():
                watch.moved(number, self._a)
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
        if self._inference:
            raise EngineError("Inference tensors do not track version counter.")
        vc = self._vc
        return 0 if vc is None else vc.n

    def _is_view(self) -> bool:
        # Of what takes no part in a graph nobody notes what it is a part of.
        return self._base is not None and not self._inference

    def _view_func(self, new_base: Any) -> Any:
        """The same view of another tensor; None if that does not lie in memory as the base does."""
        if not isinstance(new_base, Tensor):
            kind = type(new_base).__name__
            raise EngineTypeError(f"_view_func(): argument 'new_base' (position 1) must be Tensor, not {kind}")
        base = self._base
        if base is None or new_base.shape != base.shape or new_base.stride() != base.stride():
            return None
        return self._view_func_unsafe(new_base)

    def _view_func_unsafe(self, new_base: Tensor) -> Any:
        """The same view of another tensor, wherever that leads in its memory."""
        from .memory.ways import way_to

        return None if self._base is None else way_to(self).from_base(new_base)

    def _rev_view_func_unsafe(self, new_view: Tensor) -> Any:
        """The base of the tensor, in the memory of another view like it."""
        from .memory.ways import way_to

        if self._base is None:
            raise EngineError("No _rev_view_func() found")
        return way_to(self).back(new_view, self._base)

    def detach(self) -> Tensor:
        """The same memory, outside the graph."""
        alias = result(self._memory())
        alias._vc = self._counter()
        alias._inference = self._inference
        if mode.tape is not None:
            mode.tape.cut(alias, self, "detach")
        return alias

    def detach_(self) -> Tensor:
        """Leave the graph; in inference mode, which knows of none, nothing happens."""
        if mode.inference:
            return self
        if self._is_view():
            raise EngineError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
                "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
                "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
                "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
            )
        if mode.tape is not None:
            mode.tape.cut(self, self, "detach")
        if self.grad_fn is not None:
            # Nodes look closer at a kept tensor that counts its writes.
            self._counter()
            self._left = next_sequence_number()
        if mode.duals is not None:
            mode.duals.detached(self)
        self._node = None
        return self

    def _again(self) -> Tensor:
        """A tensor that lies where this one does, and counts its own writes."""
        return result(self._memory())

    def _held(self) -> Array:
        """The array that is there as long as the tensor is."""
        return self._a

    def _shared_memory(self) -> Array:
        """The memory that another tensor shares once this one is its data."""
        return self._memory()

    @property
    def data(self) -> Tensor:
        """The same memory, with a version counter of its own: writes to it go unseen by autograd."""
        refuse_of_samples("accessing `data` under vmap transform is not allowed", self)
        if hasattr(type(self._a), "tensor"):
            return self.detach()
        alias = self._again()
        if self._inference:
            alias._inference = True
            alias._vc = UNCOUNTED
        if mode.tape is not None:
            mode.tape.cut(alias, self, "data")
        return alias

    @data.setter
    def data(self, new: Tensor) -> None:
        if not isinstance(new, Tensor):
            raise EngineTypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
        if self.requires_grad and new._a.dtype.kind not in "fc":
            raise EngineError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        self._set_array(new._shared_memory())
        if mode.tape is not None:
            mode.tape.renewed(self, new)

    @data.deleter
    def data(self) -> None:
        raise EngineError("Deleting tensor data is not allowed. Delete tensor instead!")

    def __repr__(self, tensor_contents: str | None = None) -> str:
        from .printing import tensor_repr

        return tensor_repr(self, tensor_contents)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise EngineError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
                "the moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn."
                "utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        refuse_of_samples("Cannot access storage of BatchedTensorImpl", self, error=EngineNotImplementedError)
        if hasattr(type(self._a), "tensor"):
            # Its class alone has its numbers.
            memo[id(self)] = again = self.detach().clone()
            return again._track(self.requires_grad)
        twin = memo[id(self)] = self._twin(_copied(self._a, memo))
        if self.grad is not None:
            twin.grad = self.grad.__deepcopy__(memo)
        own = self._own_attributes()
        if own:
            from copy import deepcopy

            vars(twin).update(deepcopy(own, memo))
        return twin

    def __copy__(self) -> Tensor:
        """A leaf in the same memory."""
        refuse_of_samples("Cannot access storage of BatchedTensorImpl", self, error=EngineNotImplementedError)
        twin = self._twin(self._shared_memory())
        vars(twin).update(self._own_attributes())
        return twin

    def _twin(self, a: Array) -> Tensor:
        """A leaf of the same class around an array."""
        twin = _remade(type(self), a)
        if mode.tape is not None:
            mode.tape.keeps(twin, self)
        return twin._track(True) if self.requires_grad else twin

    def _own_attributes(self) -> dict[str, Any]:
        """All that a program put there, by its name."""
        return {name: value for name, value in vars(self).items() if name not in _FIELDS}

    def __reduce_ex__(self, protocol: Any) -> Any:
        refuse_of_samples("Cannot access storage of BatchedTensorImpl", self, error=EngineNotImplementedError)
        own = self._own_attributes()
        parts = (_kind(type(self)), np.array(self._a, subok=True), self.requires_grad)
        return (_rebuilt, (*parts, own)) if own else (_rebuilt, parts)

    @property
    def _backward_hooks(self) -> Any:
        """The hooks of the tensor, by their numbers."""
        from collections import OrderedDict

        node = self._node
        if node is None or (node.kind != LEAF and self.grad_fn.extra is None):
            return None
        if node.kind == LEAF:
            return OrderedDict(node.hooks) if node.hooks else None
        found = {k: hook for k, (nr, hook) in self.grad_fn.extra.tensor.items() if nr == self.output_nr}
        return OrderedDict(found) if found else None

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise EngineError("Deletion of _backwards_hooks not allowed!")

    @property
    def _post_accumulate_grad_hooks(self) -> Any:
        """The hooks of a leaf that are called when its gradient has been added, by their numbers."""
        from collections import OrderedDict

        hooks = self._node.post_accumulate if self.requires_grad and self._node.kind == LEAF else None
        return OrderedDict(hooks) if hooks else None

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Walk the graph from here and add the gradients to the leaves."""
        _walk_backward()(self, gradient, retain_graph, create_graph, inputs=inputs)


@functools.cache
def _walk_backward() -> Callable[..., None]:
    """Read the walk when it is first needed: it knows tensors, and to import it each time takes as long as a node."""
    from .walk.backward import backward

    return backward


# How a view was made without recording, where it was not by no_grad.
INFERENCE = "inference"
# The function whose one view of a sparse tensor is not to be written to while gradients are recorded.
ENTRIES = "Values"
# Where a class is kept that one of ours was made with, for the views or parameters of a class of a program's.
BESIDE = "<beside>"


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
    # "Id" for the one output of a custom function Id: not to be written to either.
    _function: str | None = None
    # Whether it was made with recording off, and INFERENCE where that was inference mode.
    _without_grad: bool | str = False
    # "Slice" for what that op makes, with recording on, of a view that was made without; and whether in inference mode.
    _of_no_grad: str | None = None
    _of_inference: bool = False
    # Where strides do not lead from the base to it: what does.
    _way: Any = None

    @property
    def requires_grad(self) -> bool:
        """True where a gradient is computed for this tensor."""
        return self._own is not None or self._base._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        Tensor.requires_grad.__set__(self, value)  # type: ignore[attr-defined]

    @property
    def _vc(self) -> Version | None:
        return self._base._vc

    @_vc.setter
    def _vc(self, value: Version | None) -> None:
        self._base._vc = value

    def _counter(self) -> Version:
        return self._base._counter()

    @property
    def _node(self) -> Any:
        base = self._base
        own = self._own
        if base._vc is not None and base._vc.n != self._made and (own is None or own.kind != LEAF):
            if base._node is not None or own is not None:
                if not recording() and (
                    self._without_grad or self._siblings or self._function or self._of_no_grad is not None
                ):
                    # Nothing is recorded, so nobody asks where it stands in the graph.
                    return Cut(self._a)
                from .writes.inplace import refuse_stale, retain_anew, strided_read

                refuse_stale(self)
                if mode.duals is not None:
                    mode.duals.moves(self)
                self._own = strided_read(self)
                self._made = base._vc.n
                if own is not None:
                    retain_anew(self, own)
            self._made = base._vc.n
            own = self._own
        if own is None and self._without_grad and base._node is not None:
            return Cut(self._a)
        return own

    @_node.setter
    def _node(self, value: Any) -> None:
        self._own = value

    def _leads_to(self, view: View, part: Array, op: Any, args: tuple[Any, ...]) -> None:
        """Let a view of this one be found from the base as this one is."""
        view._way = self._way.to(part, self._base._a)

    def _leads_to_several(self, views: list[Any], parts: list[Array], op: Any, args: tuple[Any, ...]) -> None:
        for view, part in zip(views, parts, strict=True):
            view._way = self._way.to(part, self._base._a)


def _learn_of_meta() -> None:
    """Let functions look for tensors on `meta` from now on."""
    _overriding().engage()


Meta.first = _learn_of_meta

# What a tensor holds that no program put there.
_FIELDS = frozenset((*Tensor.__annotations__, *View.__annotations__))

# What messages call it.
View.__name__ = View.__qualname__ = Tensor.__name__

_new = object.__new__


def result(a: Array) -> Tensor:
    """A Tensor around an array, with no place in a graph."""
    t: Tensor = _new(Tensor)
    t._a = a
    # What the hot path asks for is quicker found here than at the class.
    t._vc = None
    return t


def constants(a: Array) -> Tensor:
    """A Tensor around an array of numbers that depend on nothing."""
    t = result(a)
    for watch in watching():
        watch.made(t)
    return t


def scratch(a: Array) -> Tensor:
    """A Tensor around memory that is about to be written to, and that nothing else has."""
    t = result(a)
    for watch in watching():
        watch.begins(t)
    return t


def _remade(cls: type[Tensor], a: Array) -> Tensor:
    t: Tensor = _new(_kind(cls))
    t._a = a
    return t


def _kind(cls: type[Tensor]) -> type[Tensor]:
    """The class of what is no view."""
    return next(kind for kind in cls.__mro__ if issubclass(kind, Tensor) and not issubclass(kind, View))


def _rebuilt(kind: type[Tensor], a: Array, requires_grad: bool, own: dict[str, Any] | None = None) -> Tensor:
    """A leaf as it was pickled, with what a program put there."""
    made = _remade(kind, dtypes.known(a))
    if own:
        vars(made).update(own)
    return made._track(True) if requires_grad else made


def _copied(a: Array, memo: dict[int, Any]) -> Array:
    """A copy of an array, in the copy of the memory that it is a part of: what shared memory goes on doing so."""
    if type(a) is Meta:
        return a
    if type(a) is not np.ndarray:
        return a.copy() if hasattr(a, "places") else np.array(a, subok=True)
    from .ops.shape.strides import storage

    root = storage(a)
    whole = memo.get(("memory", id(root)))  # type: ignore[call-overload]
    if whole is None:
        whole = memo[("memory", id(root))] = (root, np.array(root))  # type: ignore[index]
    at = a.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    if not a.size or not whole[1].flags.c_contiguous or any(s < 0 for s in a.strides):
        return np.array(a, subok=True)
    return np.ndarray(a.shape, a.dtype, whole[1], at, a.strides)


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
    d = None if dtype is None else _chosen("tensor", dtype)
    if isinstance(data, Tensor):
        from .call_errors import warn_copy_construct

        warn_copy_construct("torch.tensor")
    if type(requires_grad) is not bool:
        got = type(requires_grad).__name__
        raise EngineTypeError(f"tensor(): argument 'requires_grad' must be bool, not {got}")
    return copied(made(as_array(data, d), wished(device, requires_grad)), data)


def copied(t: Tensor, data: Any) -> Tensor:
    """A new tensor of the numbers of ``data``; where they leave a graph, that is noted."""
    if mode.tape is not None and isinstance(data, Tensor):
        mode.tape.cut(t, data, "copy")
    return t


def as_array(data: Any, d: Any = None) -> Array:
    """A fresh array of what Python or NumPy hold."""
    from . import from_python as reader

    return reader.as_array(data, d)


def made(a: Array, requires_grad: bool | OnMeta = False) -> Tensor:
    """A new leaf tensor around an array."""
    if type(requires_grad) is OnMeta:
        a, requires_grad = put(a), requires_grad.requires_grad
    t = result(a)
    if inferring():
        t._inference = True
        t._vc = UNCOUNTED
    if requires_grad:
        if a.dtype.kind not in "fc":
            raise EngineError("Only Tensors of floating point and complex dtype can require gradients")
        t._node = AccumulateGrad(t)
    for watch in watching():
        watch.made(t)
    return t


def made_like(x: Tensor, a: Array, requires_grad: bool | OnMeta = False) -> Tensor:
    """The same in the place of another tensor: of a sample, each has its own."""
    t = made(a, requires_grad)
    for watch in watching():
        watch.made_like(t, x)
    return t


def wished(device: Any, requires_grad: bool) -> bool | OnMeta:
    """The wishes for a new tensor: it may require a gradient, and be on `meta`."""
    if (device is not None or devices()) and is_on_meta(device):
        return OnMeta(requires_grad)
    return requires_grad


def granted(t: Tensor, wishes: bool | OnMeta) -> Tensor:
    """A tensor that was just computed, as it was wished."""
    return made(t._a, wishes) if isinstance(wishes, OnMeta) else t.requires_grad_(wishes)


def _chosen(function: str, d: Any) -> Any:
    """The NumPy dtype that an argument named ``dtype`` names."""
    if not isinstance(d, dtypes.dtype) and d not in (float, int, bool, complex):
        raise EngineTypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type(d).__name__}")
    return dtypes.as_numpy(d)

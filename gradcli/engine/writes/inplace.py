"""Writing to memory: in-place twins of ops, writes through views, and what they do to the graph.

A write computes its op out of place, copies the result into the memory and gives the tensor the
result's place in the graph. A write to a view gives its base a new place, CopySlices; the view looks
its own place up again when asked (`View._node`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import EngineError, EngineNotImplementedError, EngineTypeError, GradcliError, Unsupported
from ..call_errors import broadcast_problem, no_overload, not_a_tensor
from ..declaration import CASTABLE_IN_C, WORDS_OF_OUT
from ..dtypes import CATEGORY, DTYPES, F32, F64, I64, full_of, zeros_of
from ..graph import LEAF, AccumulateGrad, Cut, Node, next_sequence_number, node_of
from ..memory.layout import is_dense
from ..modes import mode, recording, watching
from ..numeric.halves import converted
from ..numeric.meta import NO_DATA, Meta
from ..numeric.sparse import is_sparse
from ..properties import address
from ..registry import Op, primitive, public
from ..tensor import ENTRIES, INFERENCE, Array, Tensor, Value, View, constants, result
from .copyslices import CopySlices

_SHARED_ELEMENTS = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
LEAF_MESSAGE = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF_MESSAGE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
_SIBLING_MESSAGE = (
    "{which}. This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
FUNCTION_MESSAGE = (
    "Output 0 of {name} is a view and {what} modified inplace. This view was created inside a custom Function (or "
    "because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom "
    "backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can "
    "fix this by cloning the output of the custom Function."
)
INFERENCE_MESSAGE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
_ENTRIES_MESSAGE = (
    "The values of a sparse tensor that requires a gradient are being modified inplace: do so under torch.no_grad(), "
    "or make another tensor of them."
)
_UNRECORDED_VIEW_MESSAGE = (
    "{which} created in {mode} and {what} modified inplace {now}. Given that this use case is ambiguous and error-"
    "prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside "
    "the {block} block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
    "tracked)."
)


def _unrecorded_view(which: str, what: str, inference: bool) -> EngineError:
    """The error for a write by a view that was made with recording off."""
    mode_, now, block = (
        ("inference mode", "in normal mode", "inference_mode") if inference
        else ("no_grad mode", "with grad mode enabled", "no_grad")
    )  # fmt: skip
    return EngineError(_UNRECORDED_VIEW_MESSAGE.format(which=which, mode=mode_, what=what, now=now, block=block))


def _sibling(view: View, what: str) -> EngineError:
    """The error for a write by one of several views that a function returned."""
    if view._siblings is ENTRIES:
        return EngineError(_ENTRIES_MESSAGE)
    which = f"Output {getattr(view._own, 'nr', 0)} of {view._siblings} is a view and {what} modified inplace"
    if view._own is None:
        which = f"A view was created in no_grad mode and {what} modified inplace with grad mode enabled"
    return EngineError(_SIBLING_MESSAGE.format(which=which))


# Arithmetic that NumPy writes in place itself, where nothing is recorded: the step of an optimiser.
_UFUNCS: dict[str, Any] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide}
_NAMES = {ufunc: name for name, ufunc in _UFUNCS.items()}


def twin(function: Callable[..., Any], name: str) -> Callable[..., Tensor]:
    """The in-place twin of an op."""
    ufunc = _UFUNCS.get(function.__name__)

    def write(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Tensor):
            raise not_a_tensor(name, "self", 1, self)
        plain = ufunc is not None and not recording() and mode.duals is None and len(args) == 1 and not kwargs
        if plain and not watching() and _at_once(ufunc, self, args[0]):
            return self
        return write_with(function, self, args, kwargs, name)

    write.__name__ = write.__qualname__ = name
    write.__doc__ = f"{(function.__doc__ or '').strip()} In place."
    return write


def _at_once(ufunc: Any, self: Tensor, other: Any) -> bool:
    """Write without a copy in between, where that is the same; False where it may not be."""
    a = self._a
    if self._inference or not isinstance(a, np.ndarray) or a.dtype.kind != "f" or 0 in a.strides:
        return False
    if not a.flags.writeable:
        return False
    written = other
    if isinstance(other, Tensor):
        other = other._a
        if other.dtype is not a.dtype or (other.shape != a.shape and other.ndim):
            return False
        root = other.base
        if root is not None and (root is a or root is a.base):
            # It may lie where is written to: who takes the longer way looks.
            return False
    elif type(other) is not float and type(other) is not int:
        return False
    if mode.tape is not None:
        mode.tape.before_write(a)
        mode.tape.written(self, mode.tape.cuts_of((written,)), by=_NAMES[ufunc])
    ufunc(a, other, a)
    self._counter().n += 1
    return True


def _may_write(function: Any, self: Tensor, args: Any, kwargs: Any, name: str) -> bool:
    """Ask whoever watches writes whether this one is to be made; they may refuse it."""
    from ..ops.words_of_writes import method, overload

    given = overload(name or method(function), args, kwargs)
    return all(watch.writes(self, function, args, given) for watch in watching())


def write_with(
    function: Callable[..., Any], self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], name: str = ""
) -> Any:
    """Write ``function(self, ...)`` into the memory of ``self``; ``name``: what the program called."""
    if not isinstance(self, Tensor):
        from ..ops.words_of_writes import method

        raise not_a_tensor(name or method(function), "input", 1, self)
    refuse_inference(self)
    if type(self._a) is Meta:
        if recording() and any(isinstance(x, Tensor) and x.requires_grad for x in (self, *args)):
            raise self._a.refusal()
        return self
    if recording() and isinstance(self, View) and self._base.requires_grad:
        refuse_untracked(self, None)
    here = self._node
    for x in args:
        # A view among the arguments finds its place now, before what is recorded here.
        if isinstance(x, View):
            _ = x._node
    if watching() and not _may_write(function, self, args, kwargs, name):
        return self
    shares = False
    if function not in OF_NUMBERS:
        shares = _shares_elements(self._a)
        if shares:
            _warn_of_shared(getattr(function, "__name__", name), args, kwargs)
        # Other than by what computes each element alone, a number is read before anything is written.
        alone = getattr(getattr(function, "op", None), "kind", "") == "elementwise"
        if getattr(function, "__name__", name) in _AT_PLACES:
            _refuse_first(self, here)
            _refuse_shared_places(self, args, kwargs)
        for x in args:
            if isinstance(x, Tensor) and x is not self and type(x._a) is np.ndarray and (x._a.ndim or alone):
                refuse_half_shared(self._memory(), x._memory())
    since = next_sequence_number()
    old = result(self._a)
    old._node = here
    if mode.tape is not None:
        mode.tape.stands_in(old, self)
    if mode.duals is not None:
        mode.duals.stand_in(old, self)
    try:
        new = function(old, *args, **kwargs)
        if new is not NotImplemented:
            _refuse_unfit(self._a, new._a, function, args)
        if getattr(function, "__name__", name) in _LOOKING_FIRST:
            _refuse_shared_places(self, args, kwargs)
    except TypeError:
        raise
    except GradcliError:
        _refuse_first(self, here)
        raise
    if new is NotImplemented:
        return NotImplemented
    fn = new._node
    if fn is not None or (recording() and isinstance(self, View) and self._base.requires_grad):
        refuse_untracked(self, here)
    if fn is not None and _keeps(fn, old, since):
        # The rule needs the value that is about to be overwritten: a clone of it.
        kept = _clone(self._a, here)
        old._a, old._node = kept._a, kept._node
    if mode.tape is not None:
        mode.tape.before_write(self._memory() if isinstance(self, View) else self._a, None if fn is None else self)
    if shares:
        _put_changes(self, old._a, new._a)
    else:
        put(self, new._a)
    if fn is not None:
        _move(self, here, fn, new, since)
    elif mode.tape is not None:
        # What is written, not what was there: numbers that are drawn or filled in come from nowhere.
        mode.tape.written(self, mode.tape.cuts_of((*args, *kwargs.values())), new, function.__name__)
    if mode.duals is not None:
        mode.duals.wrote(self, new)
    return self


def _refuse_first(self: Tensor, here: Any) -> None:
    """Refuse what may not be written to: that is asked before whether what is written fits."""
    if recording() and (here is not None or isinstance(self, View)):
        refuse_untracked(self, here)


# Writes at places that are given: what is written there may not lie where is written to, not even as it lies there.
_AT_PLACES = {"index_copy", "index_put", "scatter_add"}
# Those of which PyTorch looks at the places, and whether what is written fits, before.
_LOOKING_FIRST = {"index_add", "index_reduce", "scatter", "scatter_reduce"}


def whole(t: Tensor) -> Tensor:
    """The tensor whose memory a view shares, or a tensor itself."""
    return t if t._base is None else t._base


def _refuse_shared_places(self: Tensor, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Refuse to write at places what lies in the same memory."""
    for x in (*args, *kwargs.values()):
        if isinstance(x, Tensor) and type(x._a) is np.ndarray and x._a.size:
            refuse_shared(self._memory(), x._memory())


def refuse_half_shared(a: Array, b: Array) -> None:
    """Refuse to write to memory of which an argument is another part that it shares elements with."""
    if np.may_share_memory(a, b) and not (a.shape == b.shape and a.strides == b.strides and address(a) == address(b)):
        refuse_shared(a, b)


def refuse_shared(a: Array, b: Array) -> None:
    """Refuse to write to memory that an argument has, too."""
    if is_dense(a) and is_dense(b) and np.may_share_memory(a, b):
        raise EngineError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )


def put(self: Tensor, value: Array) -> None:
    """Put ``value`` into the memory of ``self`` and count the write."""
    a = self._a
    if isinstance(a, np.ndarray):
        if a.flags.writeable:
            a[...] = value
        else:
            # Of what is read lazily, this array is a copy.
            refuse_shared_elements(self._memory())
            self.write(value)  # type: ignore[attr-defined]
    else:
        self._set_array(a.dtype.type(value))
    self._counter().n += 1


def _put_changes(self: Tensor, old: Array, new: Array) -> None:
    """Put what is new into memory of which several elements are one: what stays is not written over it."""
    written = old != new
    a = self._memory()
    a[written] = new[written]
    self._counter().n += 1


def _move(self: Tensor, here: Any, fn: Any, new: Tensor, since: int) -> None:
    """Give ``self`` (or its base) the place in the graph of what was written to it."""
    if isinstance(self, View):
        if len(_recorded(fn, since)) != 1 or not fn.edges or fn.edges[0] is not here:
            # Several nodes made the value: the view is a copy of it.
            with_grad = mode.grad
            mode.grad = True
            try:
                fn = copy(_placed(self._a, here), new)._node
            finally:
                mode.grad = with_grad
        elif fn.saved and self._vc is not None:
            fn.extras().result_version[0] = (self._vc, self._vc.n)
        rebase(self, fn)
        retain_anew(self, here)
        return
    self._node = fn
    node = node_of(fn)
    if node.outputs == 1:
        # The result was written in the tensor's own width.
        if mode.tape is not None and node.dtype is not self._a.dtype:
            mode.tape.wrote(node, self._a)
        node.dtype = self._a.dtype
    vc = self._vc
    if vc is not None and node.saved:
        node.extras().result_version[self.output_nr] = (vc, vc.n)
    retain_anew(self, here)


def retain_anew(self: Tensor, before: Any) -> None:
    """Keep the gradient of what a tensor is after a write, no longer of what it was."""
    if self._retains:
        refs = node_of(before).extra.retain[getattr(before, "nr", 0)]
        refs[:] = [ref for ref in refs if ref() is not self]
        self._retains = False
        self.retain_grad()


def rebase(view: View, fn: Any, before: Any = None) -> None:
    """Give the base of a view that ``fn`` wrote to its new place; the view's own is looked up when it is asked for.

    ``before``: the base as it was, where a tape did not see the write itself.
    """
    base = view._base
    here = base._node
    base._node = CopySlices.over(base, view, fn)
    if mode.tape is not None:
        mode.tape.wrote_through(base._node, fn, base._a, before)
    retain_anew(base, here)
    view._own = None
    view._made = -1


def _clone(a: Array, node: Any) -> Tensor:
    """A recorded copy of what is at this place in the graph."""
    from ..ops.make import converting

    copied: Tensor = converting.clone(_placed(np.array(a, subok=True), node))
    return copied


def _placed(a: Array, node: Any) -> Tensor:
    t = result(a)
    t._node = node
    return t


def _recorded(fn: Any, since: int) -> list[Any]:
    """The nodes recorded after number ``since``, from ``fn`` back."""
    found: list[Any] = []
    stack = [node_of(fn)]
    while stack:
        node = stack.pop()
        if node is None or node.kind == LEAF or node.seq <= since or node in found:
            continue
        found.append(node)
        stack.extend(node_of(e) for e in node.edges)
    return found


def _keeps(fn: Any, old: Tensor, since: int) -> bool:
    """Tell whether a node recorded since then keeps ``old`` for its backward."""
    return any(
        x is old or (isinstance(x, tuple) and any(y is old for y in x))
        for node in _recorded(fn, since)
        for x in node.saved or ()
    )


def refuse_inference(self: Tensor) -> None:
    """Refuse a write to what was made in inference mode, outside of it."""
    if self._inference and not mode.inference:
        if recording() and self._node is not None and self._node.kind == LEAF:
            raise EngineError(LEAF_MESSAGE)
        raise EngineError(INFERENCE_MESSAGE, help="make a clone() first")


def refuse_untracked(self: Tensor, here: Any) -> None:
    """Refuse a write that autograd could not follow."""
    if isinstance(self, View):
        refuse_by_making(self)
        if self.requires_grad and self._base.is_leaf:
            raise EngineError(VIEW_OF_LEAF_MESSAGE, help="write inside torch.no_grad(), or to a clone()")
    if here is not None and here.kind == LEAF:
        raise EngineError(LEAF_MESSAGE, help="write inside torch.no_grad(), or to a clone()")


def refuse_by_making(self: View) -> None:
    """Refuse a write by a view for how it was made."""
    if self._siblings is not None:
        raise _sibling(self, "is being")
    if self._function is not None:
        raise EngineError(FUNCTION_MESSAGE.format(name=self._function, what="is being"))
    if self._without_grad:
        raise _unrecorded_view("A view was", "is being", self._without_grad == INFERENCE)
    if self._of_no_grad is not None:
        which = f"Output 0 of {self._of_no_grad} is a view of a view which was"
        raise _unrecorded_view(which, "is being", self._of_inference)


def _refuse_unfit(a: Array, new: Array, function: Any, args: Sequence[Any]) -> None:
    """Refuse a result that does not fit the memory."""
    if a.dtype.kind == "c" and new.dtype.kind == "f":
        name = getattr(function, "__name__", "")
        raise EngineError(f"In-place {name} is not supported for complex tensors.")
    if CATEGORY[new.dtype.kind] > CATEGORY[a.dtype.kind]:
        words, _ = WORDS_OF_OUT.get(getattr(function, "op", function), ("", True))
        given = DTYPES[a.dtype]
        in_c = words is CASTABLE_IN_C and not any(isinstance(x, Tensor) for x in args)
        raise EngineError(
            f"result type {DTYPES[new.dtype].tensor_name} can't be cast to the desired output type "
            f"{given.c_name if in_c else given.tensor_name}"
        )
    if new.shape != a.shape:
        raise EngineError(f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(new.shape)}")


def _shares_elements(a: Array) -> bool:
    """Tell whether several elements of a tensor are one in memory."""
    return 0 in a.strides and a.size > 0 and any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True))


# The writes that PyTorch makes all the same where several elements are one, each with a subscript that comes to it.
_WARNED = {"masked_fill": "tensor[mask] = scalar", "index_fill": "tensor[mask] = scalar"}
_WARNED["index_put"] = "tensor[indices] = tensor"


def _warn_of_shared(op: str, args: Sequence[Any], kwargs: Any) -> None:
    """Warn of a write to a tensor of which several elements are one, or refuse it."""
    if op not in _WARNED:
        raise EngineError(_SHARED_ELEMENTS)
    indices, values, adds = (*args, *kwargs.values(), None, None, False)[:3]
    names = [op]
    if op == "index_put":
        if adds is True:
            raise Unsupported(
                "index_put_() does not add to a tensor of which several elements are one", help="clone() it first"
            )
        masks = [i for i in indices if isinstance(i, Tensor)]
        if len(masks) == 1 and masks[0]._a.dtype.kind == "b" and values._a.size == 1:
            names.append("masked_fill")
    for each in names:
        warnings.warn(
            f"Use of {each}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. {_WARNED[each]}",
            UserWarning,
            stacklevel=2,
        )


def refuse_shared_elements(a: Array) -> None:
    """Refuse to write to memory of which several elements are one."""
    if _shares_elements(a):
        raise EngineError(_SHARED_ELEMENTS)


_ELSEWHERE = "its base or another view of its base has been"


def refuse_stale(view: View) -> None:
    """Refuse a view that cannot be computed anew from its base, which was written to."""
    if view._function is not None:
        raise EngineError(FUNCTION_MESSAGE.format(name=view._function, what=_ELSEWHERE))
    if view._without_grad:
        raise _unrecorded_view("A view was", _ELSEWHERE, view._without_grad == INFERENCE)
    if view._of_no_grad is not None:
        which = f"Output 0 of {view._of_no_grad} is a view of a view which was"
        raise _unrecorded_view(which, _ELSEWHERE, view._of_inference)
    if view._siblings is not None:
        raise _sibling(view, _ELSEWHERE)


def strided_read(view: View) -> Any:
    """The place in the graph of a view whose base was written to since."""
    from ..ops.shape import strides

    before = mode.grad
    mode.grad = True
    try:
        base = view._base
        alone = base._node is None
        if alone:
            # The base takes no part in a graph; a view of it, that was made a leaf, does: PyTorch reads the base all
            # the same, and what comes back ends there.
            base = _placed(base._memory(), AccumulateGrad(base))
        if view._way is not None:
            node = view._way.from_base(base)._own
        else:
            node = strides.as_strided(base, view._a.shape, view.stride(), view._offset())._own
        if alone:
            node_of(node).edges = (Cut(view._base._a),)
        return node
    finally:
        mode.grad = before


# -- writes that have no out-of-place twin ----------------------------------------------------


@primitive(
    node="CopyBackwards", self=lambda g: zeros_as(g), src=lambda g: g, broadcasts=True,
    rounding="exact", form="filled",
)
def copy(self: Array, src: Array) -> Array:
    """The values of another tensor, in this one's shape and dtype."""
    if is_sparse(src) and is_sparse(self):
        # Its entries, be they zero or not.
        return src.astype(self.dtype)
    return converted(np.broadcast_to(src, self.shape), _kind(self, src))


def _kind(self: Array, value: Array) -> Any:
    """The dtype of what is written; a complex reading stays one."""
    return value.dtype if value.dtype.kind == "c" and self.dtype.kind == "f" else self.dtype


@public("Tensor")
def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Any:
    """Overwrite with the values of another tensor."""
    del non_blocking
    if not isinstance(src, Tensor):
        if isinstance(src, (list, tuple, str)) or src is None:
            raise not_a_tensor("copy_", "other", 1, src)
        src = result(np.asarray(src))
    if type(src._a) is Meta and type(input._a) is not Meta:
        raise EngineNotImplementedError(NO_DATA)
    if not _fits(src._a.shape, input._a.shape):
        _refuse_first(input, input._node)
        if broadcast_problem(src._a.shape, input._a.shape) is None:
            both = np.broadcast_shapes(src._a.shape, input._a.shape)
            raise EngineError(
                f"output with shape {list(input._a.shape)} doesn't match the broadcast shape {list(both)}"
            )
        raise EngineError(
            f"The size of tensor a ({_last(input._a.shape, src._a.shape)}) must match the size of tensor b "
            f"({_last(src._a.shape, input._a.shape)}) at non-singleton dimension "
            f"{_where(input._a.shape, src._a.shape)}"
        )
    return write_with(copy, input, (src,), {})


def _fits(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return len(shape) <= len(to) and all(n == 1 or n == m for n, m in zip(shape[::-1], to[::-1], strict=False))


def _where(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    rank = max(len(a), len(b))
    for back in range(1, rank + 1):
        m = a[-back] if back <= len(a) else 1
        n = b[-back] if back <= len(b) else 1
        if m != n and n != 1:
            return rank - back
    return 0


def _last(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    rank = max(len(a), len(b))
    back = rank - _where(a, b)
    return a[-back] if back <= len(a) else 1


@primitive(node="ZeroBackward0", self=lambda g: zeros_as(g), rounding="exact", form="stacked")
def zero(self: Array) -> Array:
    """Zeros."""
    return zeros_of(self.shape, self.dtype)


@public("torch Tensor")
def zero_(input: Tensor) -> Any:
    """Overwrite with zeros."""
    return write_with(zero, input, (), {})


@primitive(node="FillBackward2", self=lambda g: zeros_as(g), rounding="exact", form="stacked")
def fill_number(self: Array, value: Any) -> Array:
    """One number everywhere."""
    return full_of(self.shape, _fitted(value, self.dtype), self.dtype)


@primitive(node="FillBackward3", self=lambda g: zeros_as(g), value=lambda g: g.sum(), rounding="exact", form="filled")
def fill_tensor(self: Array, value: Array) -> Array:
    """A 0-d tensor's value everywhere."""
    return np.full(self.shape, value, _kind(self, value))


@public("Tensor.__delitem__")
def delitem(input: Tensor, key: Any) -> NoReturn:
    """Refused: no part of a tensor can be taken out."""
    raise EngineTypeError("Tensor does not support deleting items")


@public("torch Tensor")
def fill_(input: Tensor, value: Any) -> Any:
    """Overwrite with one value."""
    if not isinstance(value, (Tensor, int, float, complex, np.generic)):
        raise no_overload("fill_", value)
    if isinstance(value, Tensor):
        if value._a.ndim:
            _refuse_first(input, input._node)
            raise EngineError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value._a.ndim} dimensions."
            )
        return write_with(fill_tensor, input, (value,), {})
    return write_with(fill_number, input, (value.item() if isinstance(value, np.generic) else value,), {})


# Writes of one number everywhere: they may be made where several elements are one.
OF_NUMBERS = (zero, fill_number, fill_tensor)

# The ops that write what was drawn: of a function there may be another, behind a door (dispatch/below_autograd.py).
DRAWN: set[Op] = set()


def zeros_as(g: Value) -> Value:
    """Zeros in the shape and dtype of a gradient."""
    if isinstance(g, Tensor):
        return constants(zeros_of(g._a.shape, g._a.dtype))
    return zeros_of(g.shape, g.dtype)


def _fitted(value: Any, d: Any) -> Any:
    """A number in an element type, which must have a place for it."""
    kind = type(value)
    plain = (kind is int and d is I64) or ((kind is int or kind is float) and (d is F64 or d is F32))
    # Far from every limit of theirs.
    if plain and -1e18 < value < 1e18:
        return d.type(value)
    from ..ops.make.filled import fitted

    return fitted(value, d)


def _written_number(input: Tensor, value: Any) -> Any:
    """A number that is written to a tensor, in its dtype."""
    if not isinstance(value, (int, float, complex, np.generic)):
        kind = type(value)
        got = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise EngineTypeError(f"can't assign a {got} to a torch.{input.dtype.tensor_name}Tensor")
    return _fitted(value.item() if isinstance(value, np.generic) else value, input._a.dtype)


@public("Tensor.__setitem__")
def setitem(input: Tensor, key: Any, value: Any) -> None:
    """Write to a part: through a view, or by index_put_ for tensor and list indices."""
    from ..ops.indexing import subscripts

    view, indices = subscripts.resolve(input, key)
    if not isinstance(value, Tensor):
        value = result(_written_number(input, value))
    size = value._a.shape
    lead = 0
    while lead < len(size) and size[lead] == 1:
        lead += 1
    if indices is not None:
        value = value.view(size[lead:]) if lead else value
        write_with(subscripts.index_put, view, (indices, value), {})
    elif size == view._a.shape:
        copy_(view, value)
    elif not size:
        # As a copy: filling itself writes the same everywhere.
        refuse_shared_elements(view._a)
        fill_(view, value)
    else:
        # PyTorch takes the axes of length 1 in front away, then repeats what is left over the part.
        value = value.view(size[lead:])
        if size[lead:] != view._a.shape:
            value = value.expand(view._a.shape)
        copy_(view, value)


# -- in-place changes of shape: the tensor becomes another view of its own memory --------------


def reshape_twin(view_op: Callable[..., Any], name: str, node_name: str | Callable[..., str]) -> Callable[..., Tensor]:
    """The in-place twin of a view op, whose node has a name of its own (which the arguments may decide)."""

    def write(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        refuse_inference(self)
        for watch in watching():
            watch.reshapes(self, name)
        here = self._node
        if here is not None and recording():
            refuse_untracked(self, here)
        old = result(self._memory())
        old._node = here
        if mode.duals is not None:
            mode.duals.stand_in(old, self, shared=True)
        new = view_op(old, *args, **kwargs)
        fn = getattr(new, "_own", None) if isinstance(new, View) else new._node
        self._set_array(new._a)
        self._counter().n += 1
        if fn is not None and fn is not here:
            base = type(fn)
            fn.__class__ = renamed(base, node_name if isinstance(node_name, str) else node_name(*args, **kwargs))
            if isinstance(self, View):
                self._own = fn
                self._made = self._counter().n
            else:
                self._node = fn
        if mode.duals is not None:
            mode.duals.reshaped(self, new)
        return self

    write.__name__ = write.__qualname__ = name
    write.__doc__ = f"{(view_op.__doc__ or '').strip()} In place."
    return write


_RENAMED: dict[tuple[type, str], type] = {}


def renamed(base: type[Node], name: str) -> type[Node]:
    """A class of nodes like another one, by another name."""
    key = (base, name)
    if key not in _RENAMED:
        _RENAMED[key] = type(name, (base,), {"__slots__": ()})
    return _RENAMED[key]

"""Hooks for what nodes keep: what a program makes of a tensor that is kept, and makes of that in the backward."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import EngineAssertionError, EngineError, EngineTypeError
from ..call_errors import translated
from ..function import FunctionNode, KeptOutput
from ..graph import Node, Output, freed
from ..guard.outside import guarded, named_after
from ..modes import Block, mode, no_grad
from ..numeric.bfloat16 import whole_of
from ..properties import address
from ..python_number import WrappedNumber
from ..tape.before import Before
from ..tensor import Tensor, result
from .rules import saved_tensor


class _Packed:
    """A hook's packed form of a tensor, and the way back to what the node would have kept."""

    __slots__ = ("edge", "is_array", "unpack", "value")

    def __init__(self, value: Any, unpack: Callable[[Any], Any], edge: Any, is_array: bool) -> None:
        self.value = value
        self.unpack = unpack
        self.edge = edge
        self.is_array = is_array

    def unpacked(self) -> Any:
        """The array or tensor that the node kept."""
        t = self.unpack(self.value)
        if not isinstance(t, Tensor):
            raise EngineTypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(t).__name__}"
            )
        if self.is_array:
            return t._a
        again = result(t._a)
        again._node = self.edge
        return again


class _PackedOutput(_Packed):
    """The same of an output of the node itself, to which it must not hold on."""

    __slots__ = ()

    def unpacked(self) -> Any:
        """The output, in its place."""
        again = super().unpacked()
        ref, nr = self.edge
        node = ref()
        again._node = node if node.outputs == 1 else Output(node, nr, again._a)
        return again


def _opened(node: Any, read: Callable[[Any], Any], only: int | None = None) -> Any:
    """The result of ``read`` on a node that holds for the moment what it would have kept, or one thing of it."""
    packed = node.saved
    if packed is None:
        raise freed()
    kind = type(node)
    # A hook may fail, and read the node.
    opened = list(packed)
    for i in _in_order(node) if only is None else (only,):
        opened[i] = _each(_Packed, lambda x: x.unpacked(), opened[i])
    extra = node.extra
    versions = None if extra is None else extra.result_version
    node.__class__, node.saved = kind.__mro__[1], tuple(opened)
    if extra is not None:
        # Writes to what hooks have made something else of do not matter.
        extra.result_version = {}
    try:
        return read(node)
    finally:
        node.saved = packed
        node.__class__ = kind
        if extra is not None:
            extra.result_version = versions


def _run(node: Any, g: Any, edges: Any) -> Any:
    """The shares of a node's inputs; hooks may have made something of what it keeps that does not fit."""
    try:
        return node.run(g, edges)
    except ValueError as error:
        kept = [x._a if isinstance(x, Tensor) else x for x in node.saved]
        raise translated(error, [g, *kept]) from None


def _each(kind: type, function: Callable[[Any], Any], x: Any) -> Any:
    """Map ``function`` over the kept values of one kind."""
    if type(x) is tuple:
        return tuple([_each(kind, function, y) for y in x])
    return function(x) if isinstance(x, kind) else x


_kinds: dict[type[Node], type[Node]] = {}


def _packed_kind(kind: type[Node]) -> type[Node]:
    """The kind of node that opens what it keeps when it runs, and when it is read."""
    found = _kinds.get(kind)
    if found is None:
        body: dict[str, Any] = {
            "__slots__": (),
            "opened": _opened,
            "run": lambda node, g, edges: _opened(node, lambda it: _run(it, g, edges)),
            "run_graph": lambda node, g, edges: _opened(node, lambda it: it.run_graph(g, edges)),
        }
        if issubclass(kind, FunctionNode):
            body["saved_tensors"] = property(lambda node: _opened(node, lambda it: it.saved_tensors))
        found = _kinds[kind] = type(kind.__name__, (kind,), body)
    return found


_NO_HOOKS = "Calling register_hooks on a saved tensor {why}"
_GONE = (
    "after it has been freed. Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need "
    "to access saved variables after calling backward."
)
_WRITTEN = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


class SavedTensor:
    """A tensor that a node keeps, where it keeps it: among all, or in a tuple among them."""

    __slots__ = ("_at", "_node", "_within")

    _node: Any
    _at: int
    _within: int | None

    def __init__(self, *_: Any) -> None:
        raise EngineError("Trying to create a SavedTensor object from Python is forbidden.")

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """Let the node keep what the first hook makes of the tensor; the second one undoes it."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise EngineTypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n    "
                "1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
                "collections.abc.Callable) -> None"
            )
        node = self._node
        if node.saved is None:
            raise EngineError(_NO_HOOKS.format(why=_GONE))
        kept = self._kept()
        if isinstance(kept, _Packed):
            raise EngineError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        packed = _packed(node, self._at, kept, *map(guarded, hooks))
        if packed is kept:
            raise EngineError(_NO_HOOKS.format(why="with value None is forbidden"))
        held = list(node.saved)
        if self._within is None:
            held[self._at] = packed
        else:
            held[self._at] = (*held[self._at][: self._within], packed, *held[self._at][self._within + 1 :])
        node.saved = tuple(held)
        if not hasattr(node, "opened"):
            node.__class__ = _packed_kind(type(node))

    def _kept(self) -> Any:
        kept = self._node.saved[self._at]
        return kept if self._within is None else kept[self._within]


def raw_saved(node: Any, at: int) -> Any:
    """A stand-in for a kept tensor, or for each of several, of a node."""
    kept = None if node.saved is None else node.saved[at]
    if type(kept) is tuple:
        return tuple([_raw(node, at, i) for i in range(len(kept))])
    return _raw(node, at, None)


def _raw(node: Any, at: int, within: int | None) -> SavedTensor:
    raw: SavedTensor = object.__new__(SavedTensor)
    raw._node, raw._at, raw._within = node, at, within
    return raw


def _packed(node: Any, i: int, x: Any, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Any:
    """A kept tensor or array, packed; what is neither stays what it is."""
    if isinstance(x, Tensor):
        return x if isinstance(x, WrappedNumber) else _Packed(_by_hook(pack, x), unpack, x._node, False)
    if isinstance(x, (np.ndarray, np.generic)):
        return _Packed(_by_hook(pack, saved_tensor(node, i)), unpack, None, True)
    if isinstance(x, KeptOutput):
        return _PackedOutput(_by_hook(pack, result(x.array)), unpack, (weakref.ref(node), x.nr), False)
    return x


def _by_hook(pack: Callable[[Any], Any], t: Tensor) -> Any:
    """The packed form of a tensor, to which the hook must not write."""
    before = 0 if t._vc is None else t._vc.n
    with no_grad():
        value = pack(t)
    if t._vc is not None and t._vc.n != before:
        raise EngineError(_WRITTEN)
    return value


class _Packer(Before):
    """Stands where a tape does, and before one: sees every node that is recorded, and packs what it keeps."""

    def __init__(self, tape: Any, block: saved_tensors_hooks) -> None:
        super().__init__(tape)
        self.block, self.before = block, mode.packer
        self._pack, self._unpack = guarded(block.pack_hook), guarded(block.unpack_hook)
        self._last: Callable[[], Any] = lambda: None

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Pack what a new node keeps."""
        if self.tape is not None:
            self.tape.record(node, op, args, outs, names)
        if mode.packer is not self or not node.saved or (op is None and not isinstance(node, FunctionNode)):
            return
        kept = list(node.saved)
        mode.packer = None
        try:
            for i in _in_order(node):
                kept[i] = _each(object, lambda x, i=i: _packed(node, i, x, self._pack, self._unpack), kept[i])  # type: ignore[misc]
        finally:
            mode.packer = self
        node.saved = tuple(kept)
        self._last = weakref.ref(node)
        node.__class__ = _packed_kind(type(node))

    def before_write(self, a: Any, view: Tensor | None = None) -> None:
        """Copy what the node of a write packed of the memory that is about to be written to."""
        last = None if view is None else self._last()
        for x in (last is not None and last.saved) or ():
            if isinstance(x, _Packed):
                x.value = self.block.unshared(x.value, a)
        self.block.before_write(a)
        if self.tape is not None:
            self.tape.before_write(a, view)


def _in_order(node: Any) -> Sequence[int]:
    """The positions of what a node keeps, in PyTorch's order: by name, results last."""
    if isinstance(node, FunctionNode):
        return range(len(node.saved or ()))
    names, outputs = node.op.saves, node.op.outputs
    return sorted(range(len(names)), key=lambda i: (names[i] in outputs or names[i].startswith("result"), names[i]))


class disable_saved_tensors_hooks(Block):
    """Refuse, with these words, to set hooks for what nodes keep inside of the block, or in the decorated function."""

    def __init__(self, error_message: str) -> None:
        self._words = error_message

    def __enter__(self) -> None:
        """From now on; where hooks are set, they are refused at once."""
        if mode.packer is not None:
            raise EngineError(self._words)
        self._before = mode.unhooked
        mode.unhooked = self._words

    def __exit__(self, *_: object) -> None:
        """No longer."""
        mode.unhooked = self._before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, in such a block."""
        call = guarded(function)

        def refusing(*args: Any, **kwargs: Any) -> Any:
            with disable_saved_tensors_hooks(self._words):
                return call(*args, **kwargs)

        return named_after(function, refusing)


class saved_tensors_hooks(Block):
    """Let nodes that are recorded in the block keep what ``pack_hook`` makes of tensors; ``unpack_hook`` undoes it."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._packers: list[_Packer] = []

    def unshared(self, value: Any, a: Any) -> Any:
        """The packed value, or a copy of it where it shares memory with an array."""
        if not isinstance(value, Tensor) or not np.may_share_memory(value._a, a):
            return value
        copied = result(np.array(value._a, subok=True))
        copied._node = value._node
        return copied

    def before_write(self, a: Any) -> None:
        """Memory is about to be written to."""

    def __enter__(self) -> None:
        """From now on."""
        why = mode.unhooked
        if why is not None:
            raise EngineError(why)
        if not callable(self.pack_hook) or not callable(self.unpack_hook):
            raise EngineTypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None"
            )
        packer = _Packer(mode.tape, self)
        self._packers.append(packer)
        mode.use(packer)
        mode.packer = packer

    def __exit__(self, *_: object) -> None:
        """Back to what it was; another thread's may stand before this one."""
        # None is held on to, for it holds on to this: who collects no garbage would keep all that the hooks keep.
        packer = self._packers.pop()
        mode.packer = packer.before
        if mode.tape is packer:
            mode.use(packer.tape)
            return
        there = mode.tape
        while isinstance(there, Before):
            if there.tape is packer:
                there.tape = packer.tape
                return
            there = there.tape


_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Let a program write to what nodes keep: they keep it as it was, and can be run inside of the block."""

    def __init__(self) -> None:
        self._kept = _Kept()
        super().__init__(self._kept.keep, self._kept.find)

    def unshared(self, value: Any, a: Any) -> Any:
        """A way to what the memory holds now, for the node of the write alone."""
        original = self._kept.original.get(value)
        if original is None or not np.may_share_memory(original._a, a):
            return value
        return self._kept.keep(original.clone())

    def before_write(self, a: Any) -> None:
        """Keep a copy of what the memory holds."""
        self._kept.before_write(a)

    def __enter__(self) -> _Kept:  # type: ignore[override]
        """From now on."""
        packer = mode.packer
        while packer is not None:
            if isinstance(packer.block, allow_mutation_on_saved_tensors):
                raise EngineError("allow_mutation_on_saved_tensors contexts cannot be nested")
            packer = packer.before
        super().__enter__()
        self._kept.open = True
        return self._kept

    def __exit__(self, *_: object) -> None:
        """No longer; what was kept is gone."""
        super().__exit__()
        self._kept.open = False
        self._kept.clear()


class _Kept:
    """The tensors that nodes keep: themselves until their memory is written to, copies from then on.

    ``tid_to_weakhandle`` leads from what a tensor is, as of its last write, to what its nodes hold of it;
    ``sid_to_tid`` leads there from the memory.
    """

    def __init__(self) -> None:
        self.cloned: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        self.original: weakref.WeakKeyDictionary[_Handle, Tensor] = weakref.WeakKeyDictionary()
        self.tid_to_weakhandle: weakref.WeakValueDictionary[Any, _Handle] = weakref.WeakValueDictionary()
        self.sid_to_tid: dict[int, set[Any]] = {}
        self.open = False

    def keep(self, t: Tensor) -> _Handle:
        """The key that a node holds of a tensor: one for all that keep it as it is now."""
        a = t._memory()
        tid = (address(a), a.shape, a.strides, a.dtype, t._version)
        self.sid_to_tid.setdefault(id(whole_of(a)), set()).add(tid)
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None:
            handle = self.tid_to_weakhandle[tid] = _Handle()
            self.original[handle] = t.detach()
        return handle

    def find(self, handle: Any) -> Tensor:
        """The tensor as it was kept."""
        kept = self.cloned.get(handle)
        if kept is None:
            kept = self.original.get(handle)
        if not self.open or kept is None:
            raise EngineAssertionError(_OUTSIDE)
        return kept

    def before_write(self, a: Any) -> None:
        """Copy what is kept of memory that is about to be written to."""
        for tid in self.sid_to_tid.pop(id(whole_of(a)), ()):
            handle = self.tid_to_weakhandle.get(tid)
            original = None if handle is None else self.original.pop(handle, None)
            if handle is not None and original is not None:
                self.cloned[handle] = original.clone()

    def clear(self) -> None:
        """Forget it all."""
        for held in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            held.clear()


class _Handle:
    """Leads to what is kept, for as long as a node holds it."""


class save_on_cpu(saved_tensors_hooks):
    """Keep tensors where they are: there is no other place."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        del pin_memory, device_type
        super().__init__(lambda t: t, lambda t: t)

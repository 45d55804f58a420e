"""Hooks for what nodes keep: what a program makes of a tensor that is kept, and makes of that in the backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import EngineError, EngineTypeError
from ..function import FunctionNode
from ..graph import Node, freed
from ..guard.outside import guarded
from ..modes import Block, mode
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


def _opened(node: Any, read: Callable[[Any], Any]) -> Any:
    """The result of ``read`` on a node that holds for the moment what it would have kept."""
    packed = node.saved
    if packed is None:
        raise freed()
    kind = type(node)
    node.__class__ = kind.__mro__[1]
    node.saved = tuple([_each(_Packed, _Packed.unpacked, x) for x in packed])
    try:
        return read(node)
    finally:
        node.saved = packed
        node.__class__ = kind


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
            "run": lambda node, g, edges: _opened(node, lambda it: it.run(g, edges)),
            "run_graph": lambda node, g, edges: _opened(node, lambda it: it.run_graph(g, edges)),
        }
        if issubclass(kind, FunctionNode):
            body["saved_tensors"] = property(lambda node: _opened(node, lambda it: it.saved_tensors))
        found = _kinds[kind] = type(kind.__name__, (kind,), body)
    return found


class _Packer(Before):
    """Stands where a tape does, and before one: sees every node that is recorded, and packs what it keeps."""

    def __init__(self, tape: Any, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
        super().__init__(tape)
        self._pack, self._unpack = pack, unpack
        self._last: tuple[Any, ...] = ()

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """Pack what a new node keeps."""
        if self.tape is not None:
            self.tape.record(node, op, args, outs, names)
        if not node.saved or (op is None and not isinstance(node, FunctionNode)):
            return
        kept = list(node.saved)
        before = mode.tape
        mode.use(self.tape)
        try:
            for i in range(len(kept)) if op is None else _in_order(op):
                kept[i] = _each(object, lambda x, i=i: self._packed(node, i, x), kept[i])  # type: ignore[misc]
        finally:
            mode.use(before)
        node.saved = self._last = tuple(kept)
        node.__class__ = _packed_kind(type(node))

    def before_write(self, a: Any, view: Tensor | None = None) -> None:
        """Copy what was packed of memory that is about to be written to."""
        for x in self._last:
            if type(x) is _Packed and isinstance(x.value, Tensor) and np.may_share_memory(x.value._a, a):
                copied = result(np.array(x.value._a, subok=True))
                copied._node = x.value._node
                x.value = copied
        if self.tape is not None:
            self.tape.before_write(a, view)

    def _packed(self, node: Any, i: int, x: Any) -> Any:
        if isinstance(x, Tensor):
            return x if isinstance(x, WrappedNumber) else _Packed(self._pack(x), self._unpack, x._node, False)
        if isinstance(x, (np.ndarray, np.generic)):
            return _Packed(self._pack(saved_tensor(node, i)), self._unpack, None, True)
        return x


def _in_order(op: Any) -> list[int]:
    """The positions of what a node keeps, in the order in which its rules ask for it; results come last."""
    place = {name: at for at, name in enumerate(op.wanted_by)}
    return sorted(range(len(op.saves)), key=lambda i: (op.saves[i] in op.outputs, place.get(op.saves[i], 0)))


# Why hooks are not to be set, by the innermost block that refuses them.
_refused: list[str] = []


class disable_saved_tensors_hooks(Block):
    """Refuse, with these words, to set hooks for what nodes keep inside of the block."""

    def __init__(self, error_message: str) -> None:
        self._words = error_message

    def __enter__(self) -> None:
        """From now on."""
        _refused.append(self._words)

    def __exit__(self, *_: object) -> None:
        """No longer."""
        _refused.pop()


class saved_tensors_hooks(Block):
    """Let nodes that are recorded in the block keep what ``pack_hook`` makes of tensors; ``unpack_hook`` undoes it."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        """From now on."""
        if _refused:
            raise EngineError(_refused[-1])
        self._before = mode.tape
        tape = self._before.tape if isinstance(self._before, _Packer) else self._before
        mode.use(_Packer(tape, guarded(self.pack_hook), guarded(self.unpack_hook)))

    def __exit__(self, *_: object) -> None:
        """Back to what it was."""
        mode.use(self._before)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Let a program write to what nodes keep: they keep it as it was."""

    def __init__(self) -> None:
        super().__init__(lambda t: t.detach().clone(), lambda t: t)

    def __enter__(self) -> _Kept:  # type: ignore[override]
        """From now on."""
        super().__enter__()
        return _Kept()


class _Kept:
    """Stands for what is kept of what was written to; it is in the nodes themselves."""

    def clear(self) -> None:
        """Nothing is held anywhere else."""


class save_on_cpu(saved_tensors_hooks):
    """Keep tensors where they are: there is no other place."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        del pin_memory, device_type
        super().__init__(lambda t: t, lambda t: t)

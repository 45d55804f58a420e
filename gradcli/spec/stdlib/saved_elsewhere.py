"""Files that PyTorch or NumPy saved before, and that a program was lent: read without running anything of them.

A pickle may name no function but those that stand here, and what these make has no attribute that it could set.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...engine import dtypes
from ...engine.memory.places import Device
from ...engine.memory.relocating import part_of
from ...engine.numeric.bfloat16 import Brain
from ...engine.properties import Size
from ...engine.tensor import Tensor, result
from ...nn.parameter import Parameter
from ..guard.size_limits import caps
from ..input.array_files import array_of

_ZIP = b"PK\x03\x04"
_ARRAY = b"\x93NUMPY"
# How deeply one thing may lie in another.
_DEEPEST = 100


class _Storage(NamedTuple):
    kind: Any
    key: str


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool


class _Parameter(NamedTuple):
    data: _Tensor
    requires_grad: bool


class _Named(NamedTuple):
    """A value of the engine's, by the name of what makes it: nothing that a pickle reaches can be changed by it."""

    name: str
    arguments: Any = ()


def _tensor(storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, *hooks: Any) -> _Tensor:
    return _Tensor(storage, offset, size, stride, requires_grad)


def _parameter(data: Any, requires_grad: Any, *hooks: Any) -> _Parameter:
    return _Parameter(data, requires_grad)


def _size(items: Any) -> _Named:
    return _Named("Size", (items,))


def _device(*names: Any) -> _Named:
    return _Named("device", names)


_KINDS = {f"{kind.tensor_name}Storage": kind for kind in dtypes.DTYPES.values()}
_VALUES = {**{kind.name: kind for kind in dtypes.DTYPES.values()}, **_KINDS}
_KNOWN: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict, ("__builtin__", "set"): set, ("builtins", "set"): set,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor, ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): _size, ("torch", "device"): _device,
    **{("torch", name): _Named(name) for name in _VALUES},
}  # fmt: skip


# What a state dict is written with: marks, numbers, texts, containers, and calls of what has a name.
_OPERATIONS: dict[int, Any] = {
    code[0]: pickle._Unpickler.dispatch[code[0]]
    for code in (
        pickle.MARK, pickle.STOP, pickle.POP, pickle.POP_MARK, pickle.DUP, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE,
        pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1, pickle.BINFLOAT, pickle.BINUNICODE,
        pickle.SHORT_BINUNICODE, pickle.EMPTY_DICT, pickle.EMPTY_LIST, pickle.EMPTY_TUPLE, pickle.EMPTY_SET,
        pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.APPEND, pickle.APPENDS, pickle.SETITEM,
        pickle.SETITEMS, pickle.ADDITEMS, pickle.BINGET, pickle.LONG_BINGET, pickle.BINPUT, pickle.LONG_BINPUT,
        pickle.MEMOIZE, pickle.FRAME, pickle.PROTO, pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.REDUCE, pickle.BINPERSID,
    )
}  # fmt: skip


class _Reader(pickle._Unpickler):
    """A reader of pickles that knows a few operations and names, and refuses all others."""

    stack: list[Any]

    def find_class(self, module: str, name: str) -> Any:
        """Give what stands for a name."""
        found = _KNOWN.get((module, name))
        if found is None:
            raise _refused(f"it holds a {module}.{name}, and gradcli reads tensors and plain values")
        return found

    def persistent_load(self, pid: Any) -> _Storage:
        """Name the memory that tensors lie in."""
        match pid:
            case ("storage", _Named(name), str() as key, str(), int()) if name in _KINDS:
                return _Storage(_KINDS[name], key)
        raise _refused("it names memory in a way that is not known")

    def load_build(self) -> None:
        """Take what a state dict knows of its modules; nothing else has attributes."""
        state = self.stack.pop()
        if type(self.stack[-1]) is not OrderedDict or type(state) is not dict or set(state) != {"_metadata"}:
            raise _refused("it holds objects with attributes")
        self.stack[-1].__dict__["_metadata"] = state["_metadata"]

    dispatch: ClassVar[dict[int, Any]] = {**_OPERATIONS, pickle.BUILD[0]: load_build}


def found_in(name: str, data: bytes) -> Any:
    """The content of a file: an array of NumPy's, several by their names, or what torch.save() was given."""
    caps.tick(len(data) >> 6)
    try:
        if data.startswith(_ARRAY):
            return _array(name, data)
        if not data.startswith(_ZIP):
            raise _refused("gradcli reads texts, and what np.save(), np.savez() and torch.save() write")
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            return _in_parts(parts)
    except NotImplementedError as error:
        raise NotImplementedError(f"{name} was not saved in this run: {error}") from None
    except (zipfile.BadZipFile, pickle.UnpicklingError, EOFError, KeyError, IndexError, ValueError, TypeError) as error:
        raise caps.library("pickle")["UnpicklingError"](f"{name} is damaged: {error}") from None


def _refused(said: str) -> NotImplementedError:
    return NotImplementedError(said)


def _array(name: str, data: bytes) -> Any:
    found = array_of(name, data, caps.limits.memory // 8)
    caps.spend(found.size, found.size)
    return found


def _in_parts(parts: zipfile.ZipFile) -> Any:
    names = parts.namelist()
    if any(each.compress_type != zipfile.ZIP_STORED for each in parts.infolist()):
        raise _refused("it is compressed")
    if names and all(name.endswith(".npy") for name in names):
        return {name[:-4]: _array(name, parts.read(name)) for name in names}
    top = next((name[: -len("data.pkl")] for name in names if name.endswith("data.pkl")), None)
    if top is None:
        raise _refused("it is no file of torch.save()")
    if f"{top}byteorder" in names and parts.read(f"{top}byteorder") != b"little":
        raise _refused("its bytes are in the other order")
    return _Built(parts, top).value(_Reader(io.BytesIO(parts.read(f"{top}data.pkl"))).load(), 0)


class _Built:
    """Values of the engine, made of what a pickle names; tensors that shared memory do so again."""

    def __init__(self, parts: zipfile.ZipFile, top: str) -> None:
        self._parts, self._top = parts, top
        self._memory: dict[str, Any] = {}
        self._tensors: dict[int, Any] = {}

    def value(self, read: Any, depth: int) -> Any:
        """The value that something read stands for."""
        caps.tick(1)
        if depth > _DEEPEST:
            raise _refused("its values lie too deeply in one another")
        match read:
            case _Tensor() | _Parameter():
                if id(read) not in self._tensors:
                    self._tensors[id(read)] = self._tensor(read)
                return self._tensors[id(read)]
            case _Named("Size", (items,)):
                return Size(items)
            case _Named("device", names):
                return Device(*names)
            case _Named(name) if name in _VALUES:
                return _VALUES[name]
            case _Storage():
                raise _refused("it holds bare memory")
            case OrderedDict() | dict():
                made = type(read)((self.value(k, depth + 1), self.value(v, depth + 1)) for k, v in read.items())
                if type(read) is OrderedDict and "_metadata" in read.__dict__:
                    made.__dict__["_metadata"] = self.value(read.__dict__["_metadata"], depth + 1)
                return made
            case list() | tuple() | set():
                return type(read)([self.value(each, depth + 1) for each in read])
        return read

    def _tensor(self, read: _Tensor | _Parameter) -> Tensor:
        if isinstance(read, _Parameter):
            return Parameter(self._tensor(read.data), read.requires_grad)
        storage = read.storage
        if not isinstance(storage, _Storage):
            raise _refused("it holds a tensor of a kind that is not known")
        if storage.key not in self._memory:
            self._memory[storage.key] = self._read(storage)
        count = math.prod(read.size)
        caps.spend(count, count)
        a = part_of(self._memory[storage.key], _held_as(storage.kind), read.offset, read.size, read.stride)
        made = result(a.view(Brain) if storage.kind is dtypes.bfloat16 else a)
        return made.requires_grad_(read.requires_grad is True)

    def _read(self, storage: _Storage) -> Any:
        """The memory of tensors; the shorter floats that NumPy has not are the upper halves of its own."""
        data = np.frombuffer(self._parts.read(f"{self._top}data/{storage.key}"), np.uint8)
        caps.spend(data.size, data.size)
        if storage.kind is dtypes.bfloat16:
            return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        return data.copy()


def _held_as(kind: Any) -> Any:
    return np.dtype(np.float32) if kind is dtypes.bfloat16 else kind.np

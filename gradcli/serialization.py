"""torch.save and torch.load, in the format of PyTorch's own files: each reads what the other wrote.

A file is an archive: a pickle of what was saved, in which tensors name the memory that they are in, and that memory.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any, NoReturn
from zlib import crc32

import numpy as np

from .engine.dtypes import DTYPES, dtype as Dtype, zeros_of
from .engine.guard.outside import guarded
from .engine.memory.layout import array_in
from .engine.memory.places import LAYOUTS, Device, Layout
from .engine.memory.storage import UntypedStorage
from .engine.ops.shape.strides import storage
from .engine.tensor import Size, Tensor, result
from .errors import EngineError, EngineTypeError, Unsupported
from .nn.parameter import Parameter, UninitializedTensorMixin

# What load() may be told of devices.
MAP_LOCATION = Callable[[Any, str], Any] | Device | str | dict[str, str] | None

# The pickler and the unpickler whose steps can be changed one by one.
_PythonsPickler: Any = pickle._Pickler
_PythonsUnpickler: Any = pickle._Unpickler
# Where an archive keeps its parts.
_ROOT = "archive"
_STORAGES = {f"{d.tensor_name}Storage": d for d in DTYPES.values()}
# What the parts of an archive are preceded by, followed by, listed as, and how it ends.
_HEAD, _FOOT = struct.Struct("<4s5H3I2H"), struct.Struct("<4s3I")
_LISTED, _END = struct.Struct("<4s6H3I5H2I"), struct.Struct("<4sQ2H2I4Q4sIQI4s4H2IH")
# Names are in UTF-8, sizes stand behind the parts, and memory begins at multiples of this many bytes.
_FLAGS, _ALIGNED = 0x0808, 64


class _Named:
    """Something of PyTorch's that is pickled by its name alone."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __reduce_ex__(self, protocol: Any) -> str:
        return self.name

    def __call__(self) -> NoReturn:
        """Refused: only a pickle calls what is so named."""
        raise EngineError(f"{self.module}.{self.name} is called when a file is read")


class _Memory:
    """The memory of tensors, as a pickle names it."""

    def __init__(self, key: str, kind: _Named, count: int) -> None:
        self.key = key
        self.kind = kind
        self.count = count


_REBUILT = _Named("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = _Named("torch._utils", "_rebuild_parameter")
_SIZE = _Named("torch", "Size")
_DEVICE = _Named("torch", "device")
_LAYOUT = _Named("torch.serialization", "_get_layout")


@cache
def _storage_of(d: Dtype) -> _Named:
    return _Named("torch", f"{d.tensor_name}Storage")


class _Writer(_PythonsPickler):  # type: ignore[misc]
    """A pickler that writes tensors as PyTorch does, and puts their memory aside."""

    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.memories: list[Any] = []
        self._keys: dict[int, _Memory] = {}

    def persistent_id(self, obj: Any) -> Any:
        """The name of memory; none for all else."""
        if not isinstance(obj, _Memory):
            return None
        return ("storage", obj.kind, obj.key, "cpu", obj.count)

    def reducer_override(self, obj: Any) -> Any:
        """The parts of tensors, and of their descriptions, that they are made anew of."""
        if isinstance(obj, UninitializedTensorMixin):
            return _Named("torch.nn.parameter", type(obj).__name__), obj._given()
        if isinstance(obj, Parameter):
            return _PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if isinstance(obj, Tensor):
            return _REBUILT, self._parts(obj)
        if isinstance(obj, Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, Device):
            return _DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Dtype):
            return obj.name
        if isinstance(obj, Layout):
            return _LAYOUT, (str(obj),)
        return NotImplemented

    def save_global(self, obj: Any, name: Any = None) -> None:
        """Write a name."""
        if isinstance(obj, Dtype):
            obj_module, obj_name = "torch", obj.name.removeprefix("torch.")
        elif isinstance(obj, _Named):
            obj_module, obj_name = obj.module, obj.name
        else:
            super().save_global(obj, name)
            return
        self.write(pickle.GLOBAL + f"{obj_module}\n{obj_name}\n".encode())
        self.memoize(obj)

    def _parts(self, t: Tensor) -> tuple[Any, ...]:
        if t.is_sparse or t.is_meta:
            raise Unsupported("saving sparse tensors, and tensors on device 'meta', is not supported")
        a = t.resolve_conj().resolve_neg()._memory()
        root = storage(a)
        if any(s < 0 for s in a.strides) or not root.flags.c_contiguous or root.itemsize != a.itemsize:
            a = np.ascontiguousarray(a)
            root = a
        memory = self._keys.get(id(root))
        if memory is None:
            memory = self._keys[id(root)] = _Memory(str(len(self.memories)), _storage_of(t.dtype), root.size)
            self.memories.append((root, t.dtype))
        start = (a.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // a.itemsize
        steps = tuple([s // a.itemsize for s in a.strides]) if a.size else t.stride()
        return memory, start, tuple(t.shape), tuple(steps), t.requires_grad, OrderedDict()


def save(
    obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:  # fmt: skip
    """Write an object into a file, which PyTorch reads as well."""
    if not _use_new_zipfile_serialization or pickle_module is not pickle:
        raise Unsupported("saving in older formats, or with another pickle module, is not supported")
    if not (isinstance(f, str) or hasattr(f, "write") or hasattr(f, "__fspath__")):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    pickled = _pickled(obj, pickle_protocol)
    if hasattr(f, "write"):
        for part in _archive(_ROOT, _records(*pickled)):
            f.write(part)
        return
    with open(f, "wb") as file:
        file.writelines(_archive(os.path.splitext(os.path.basename(f))[0], _records(*pickled)))


def written(obj: Any, name: str) -> bytes:
    """An object as the bytes of a file of this name, as many as PyTorch writes."""
    return b"".join(_archive(name, _records(*_pickled(obj, 2))))


def _pickled(obj: Any, protocol: int) -> tuple[bytes, list[Any]]:
    """The pickle of an object, and the memory of its tensors."""
    text = io.BytesIO()
    writer = _Writer(text, protocol)
    writer.dump(obj)
    return text.getvalue(), writer.memories


def _records(text: bytes, memories: list[Any]) -> Iterator[tuple[str, bytes]]:
    """The parts of an archive by their names; the last tells the others from those of another file."""
    names = check = 0
    first = {"data.pkl": text, ".format_version": b"1", ".storage_alignment": b"%d" % _ALIGNED, "byteorder": b"little"}
    kept = ((f"data/{key}", _bytes_of(*memory)) for key, memory in enumerate(memories))
    for name, data in chain(first.items(), kept, [("version", b"3\n")]):
        names, check = crc32(name.encode(), names), crc32(data, check)
        yield name, data
    yield ".data/serialization_id", b"%020d%020d" % (names, check)


def _archive(root: str, parts: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """An archive, piece by piece, in which each part begins where memory may lie."""
    begin, count, listed = 0, 0, bytearray()
    for part, data in parts:
        name, size, check = f"{root}/{part}".encode(), len(data), crc32(data)
        gap = -(begin + _HEAD.size + len(name) + 4) % _ALIGNED
        yield _HEAD.pack(b"PK\3\4", 0, _FLAGS, 0, 0, 0, 0, 0, 0, len(name), 4 + gap)
        yield name + b"FB" + gap.to_bytes(2, "little") + b"Z" * gap
        yield data
        yield _FOOT.pack(b"PK\7\x08", check, size, size)
        listed += _LISTED.pack(b"PK\1\2", 0, 0, _FLAGS, 0, 0, 0, check, size, size, len(name), 0, 0, 0, 0, 0, begin)
        listed += name
        begin += _HEAD.size + len(name) + 4 + gap + size + _FOOT.size
        count += 1
    yield bytes(listed)
    size = len(listed)
    yield _END.pack(
        b"PK\6\6", 44, 0x31E, 45, 0, 0, count, count, size, begin, b"PK\6\7", 0, begin + size, 1,
        b"PK\5\6", 0, 0, count, count, size, begin, 0,
    )  # fmt: skip


def _bytes_of(root: Any, d: Dtype) -> bytes:
    """Memory as PyTorch has it: what is of half precision may have twice the bytes here."""
    if root.itemsize == d.itemsize:
        return bytes(root.tobytes())
    # Those of bfloat16 are the upper halves of float32.
    return bytes((root.view(np.ndarray).view(np.uint32) >> 16).astype(np.uint16).tobytes())


_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_PAGE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


def unsupported(name: str) -> str:
    """PyTorch's words for a class or a function that no weights hold."""
    return (
        f"Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context "
        "manager to allowlist this global if you trust this class/function."
    )


def refused(message: str) -> str:
    """PyTorch's words for a file that holds more than weights."""
    if message.startswith("Unsupported global"):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those "
            f"steps only if you trust the source of the checkpoint\033[0m. \n\t(1) {_UNSAFE}\n\t(2) Alternatively, to "
            "load with `weights_only=True` please check the recommended steps in the following error message."
            f"\n\tWeightsUnpickler error: {message}{_PAGE}"
        )
    return (
        f"Weights only load failed. {_UNSAFE}\nPlease file an issue with the following so that we can make "
        "`weights_only=True` compatible with your use case: WeightsUnpickler error: \n\n"
        f"{message}{_PAGE}"
    )


# What weights are written with: marks, numbers, texts, containers, and calls of what has a name.
_STEPS: dict[int, Any] = {
    code[0]: _PythonsUnpickler.dispatch[code[0]]
    for code in (
        pickle.MARK, pickle.STOP, pickle.POP, pickle.POP_MARK, pickle.DUP, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE,
        pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1, pickle.LONG4, pickle.BINFLOAT, pickle.BINBYTES,
        pickle.SHORT_BINBYTES, pickle.BINUNICODE, pickle.SHORT_BINUNICODE, pickle.EMPTY_DICT, pickle.EMPTY_LIST,
        pickle.EMPTY_TUPLE, pickle.EMPTY_SET, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.APPEND,
        pickle.APPENDS, pickle.SETITEM, pickle.SETITEMS, pickle.ADDITEMS, pickle.FROZENSET, pickle.BINGET,
        pickle.LONG_BINGET, pickle.BINPUT, pickle.LONG_BINPUT, pickle.MEMOIZE, pickle.FRAME, pickle.PROTO,
        pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.REDUCE, pickle.BINPERSID,
    )
}  # fmt: skip


class _Weights(_PythonsUnpickler):  # type: ignore[misc]
    """An unpickler that knows tensors and plain containers, and nothing that could change what it makes."""

    def __init__(self, file: Any, memory_of: Callable[[str, Dtype], Any]) -> None:
        super().__init__(file)
        self._memory_of = memory_of

    def load(self) -> Any:
        """Read the value."""
        try:
            return super().load()
        except KeyError as error:
            if type(error.args[0]) is int:
                raise pickle.UnpicklingError(f"Unsupported operand {error.args[0]}") from None
            raise

    def persistent_load(self, pid: Any) -> Any:
        """The memory of a name."""
        kind, d, key, _place, _count = pid
        if kind != "storage":
            raise pickle.UnpicklingError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")
        return self._memory_of(key, d)

    def find_class(self, module: str, name: str) -> Any:
        """The value of a name in the file."""
        found = _known(module, name)
        if found is None:
            raise pickle.UnpicklingError(refused(unsupported(f"{module}.{name}".removeprefix("builtins."))))
        return found

    def _build(self) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        if type(made) is not OrderedDict or type(state) is not dict or state.keys() != {"_metadata"}:
            raise pickle.UnpicklingError(f"Attributes of a {type(made).__name__} are no part of weights")
        made.__dict__.update(state)

    dispatch = {**_STEPS, pickle.BUILD[0]: _build}


class _Reader(pickle.Unpickler):
    """An unpickler of a file that is trusted, which may name any class."""

    def __init__(self, file: Any, memory_of: Callable[[str, Dtype], Any]) -> None:
        super().__init__(file)
        self._memory_of = memory_of

    persistent_load = _Weights.persistent_load

    def find_class(self, module: str, name: str) -> Any:
        """The value of a name in the file."""
        found = _known(module, name)
        if found is not None:
            return found
        first, dot, rest = module.partition(".")
        return super().find_class(__package__ + dot + rest if first == "torch" else module, name)


def _known(module: str, name: str) -> Any:
    if module == "torch._utils":
        return {"_rebuild_tensor_v2": _tensor_of, "_rebuild_parameter": _parameter_of}.get(name)
    if module == "torch":
        named = {d.name.removeprefix("torch."): d for d in DTYPES.values()}
        return {"Size": Size, "device": Device}.get(name) or named.get(name) or _STORAGES.get(name)
    # Older pickles call the built-in names so.
    module = "builtins" if module == "__builtin__" else module
    plain: dict[str, dict[str, Any]] = {
        "collections": {"OrderedDict": OrderedDict}, "_codecs": {"encode": _bytes_in},
        "builtins": {"set": set, "complex": complex}, "torch.serialization": {"_get_layout": _layout_of},
    }  # fmt: skip
    return plain.get(module, {}).get(name)


def _bytes_in(text: str, encoding: str) -> bytes:
    """Bytes, which older pickles write as a text of one character each."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"Unknown encoding {encoding} of bytes")
    return text.encode("latin1")


def _layout_of(name: str) -> Layout:
    found = next((each for each in LAYOUTS if str(each) == name), None)
    if found is None:
        raise pickle.UnpicklingError(f"Unknown layout {name}")
    return found


def _tensor_of(memory: Any, start: int, size: Any, stride: Any, requires_grad: bool, *_hooks: Any) -> Tensor:
    step = memory.itemsize
    a = array_in(memory, memory.dtype, tuple(size), start * step, tuple(s * step for s in stride))
    made = result(a)
    return made.requires_grad_() if requires_grad else made


def _parameter_of(data: Tensor, requires_grad: bool, *_hooks: Any) -> Parameter:
    return Parameter(data, requires_grad)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read what was saved, here or by PyTorch; classes of a program's own only where ``weights_only`` is False."""
    del mmap, pickle_load_args
    if pickle_module is not None:
        raise Unsupported("loading with another pickle module is not supported")
    if not (isinstance(f, str) or hasattr(f, "read") or hasattr(f, "__fspath__")):
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is "
            "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
        )
    asks_where = map_location is not None and not isinstance(map_location, (str, dict, Device))
    if asks_where and not callable(map_location):
        raise EngineTypeError(f"'{type(map_location).__name__}' object is not callable")
    if not zipfile.is_zipfile(f):
        raise Unsupported("only files in PyTorch's format of archives can be loaded: this is none")
    if hasattr(f, "seek"):
        f.seek(0)
    with zipfile.ZipFile(f) as archive:
        names = {name.partition("/")[2]: name for name in archive.namelist()}
        if "data.pkl" not in names:
            raise EngineError("PytorchStreamReader failed locating file data.pkl: file not found")
        memories: dict[str, Any] = {}

        def memory_of(key: str, d: Dtype) -> Any:
            if key not in memories:
                content = archive.read(names[f"data/{key}"])
                if asks_where:
                    _ask_where(guarded(map_location), content)
                memories[key] = _array_of(content, d)
            return memories[key]

        reader = _Reader if weights_only is False else _Weights
        found = reader(io.BytesIO(archive.read(names["data.pkl"])), memory_of).load()
    if isinstance(map_location, dict):
        # All memory was that of the CPU.
        map_location = map_location.get("cpu")
    return _mapped(found, map_location) if isinstance(map_location, (str, Device)) else found


def _ask_where(place: Callable[[Any, str], Any], content: bytes) -> None:
    """Ask a program where memory is to be; there is only where it is."""
    given = UntypedStorage(content)
    answer = place(given, "cpu")
    if answer is not None and answer is not given:
        raise Unsupported("load(): map_location gives the storage that it is given, or None")


def _array_of(content: bytes, d: Dtype) -> Any:
    a: Any = zeros_of(len(content) // d.itemsize, d.np)
    if a.itemsize == d.itemsize:
        a.view(np.uint8)[...] = np.frombuffer(content, np.uint8)
    else:
        a.view(np.ndarray).view(np.uint32)[...] = np.frombuffer(content, np.uint16).astype(np.uint32) << 16
    return a


def _mapped(found: Any, place: Any) -> Any:
    """The same on another device."""
    device = Device(place)
    if isinstance(found, Tensor):
        return found.to(device)
    if isinstance(found, dict):
        for key, value in found.items():
            found[key] = _mapped(value, place)
        return found
    if type(found) in (list, tuple):
        return type(found)([_mapped(value, place) for value in found])
    return found

"""Storages: the memory that a tensor and its views lie in, as bytes or as elements of one type."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from ...errors import EngineIndexError, EngineTypeError, Unsupported
from ..dtypes import DTYPES, as_numpy, default, dtype as dtype_
from ..guard.addresses import address_of_memory
from ..properties import address
from ..registry import public
from .places import CPU, Device


def elements_of(memory: Any, d: Any) -> Any:
    """All memory as an array of elements."""
    return np.ndarray((memory.nbytes // d.itemsize,), d, memory)


class _Storage:
    """Memory, which tensors may share, as elements of some type."""

    is_cuda = False

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        raise NotImplementedError

    def _elements(self) -> Any:
        raise NotImplementedError

    def size(self) -> int:
        """The number of elements."""
        return int(self._elements().size)

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._elements().nbytes)

    def element_size(self) -> int:
        """The bytes of one element."""
        return int(self._elements().itemsize)

    def data_ptr(self) -> int:
        """The address of the first element."""
        memory = self.untyped()._memory
        return address_of_memory(memory, address) if memory.nbytes else 0

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    @property
    def device(self) -> Device:
        """Always the CPU."""
        return CPU

    def cpu(self) -> Self:
        """The storage itself: there is only the CPU."""
        return self

    def is_shared(self) -> bool:
        """Tell whether other processes see it: none does."""
        return False

    is_pinned = is_shared

    def _element(self, i: Any) -> Any:
        if isinstance(i, int) and not -self.size() <= i < self.size():
            raise EngineIndexError(f"index {i} out of range for storage of size {self.size()}")
        return i

    def __setitem__(self, i: Any, value: Any) -> None:
        self._elements()[self._element(i)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """All elements."""
        found: list[Any] = self._elements().tolist()
        return found

    def fill_(self, value: Any) -> Self:
        """Set all elements."""
        self._elements()[:] = value
        return self

    def copy_(self, source: Self, non_blocking: bool = False) -> Self:
        """Overwrite with other elements."""
        del non_blocking
        self._elements()[:] = source._elements()
        return self

    def _lines(self) -> list[str]:
        return [f" {n}" for n in self.tolist()]


class UntypedStorage(_Storage):
    """Memory as bytes."""

    def __init__(self, size: int | Sequence[int] = 0, *, device: Any = None) -> None:
        del device
        if isinstance(size, str):
            raise EngineTypeError(
                "torch.UntypedStorage(): tried to construct a storage from a sequence (str), but one of the items was "
                "of type str instead of int"
            )
        self._memory = np.zeros(size, np.uint8) if isinstance(size, int) else np.array(list(size), np.uint8)

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def _elements(self) -> Any:
        return elements_of(self._memory, np.dtype(np.uint8))

    def __getitem__(self, i: Any) -> Any:
        found = self._elements()[self._element(i)]
        return int(found) if isinstance(i, int) else storage_of(found)

    def clone(self) -> UntypedStorage:
        """The same bytes elsewhere."""
        return storage_of(self._elements().copy())

    def resizable(self) -> bool:
        """Tell whether it could have another size."""
        return self._memory.base is None

    def resize_(self, size: int) -> UntypedStorage:
        """Have another size, where no tensor lies in this memory."""
        if size != self.nbytes():
            if self._memory.base is not None or sys.getrefcount(self._memory) > 2:
                raise Unsupported("resize_() of a storage in which tensors lie: use Tensor.resize_()")
            grown = np.zeros(size, np.uint8)
            common = min(size, self.nbytes())
            grown[:common] = self._elements()[:common]
            self._memory = grown
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other.data_ptr() == self.data_ptr()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = f"[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"
        return "\n".join([*self._lines(), shown])


def storage_of(memory: Any) -> UntypedStorage:
    """An array's memory as a storage."""
    made = UntypedStorage()
    made._memory = memory
    return made


class WideStorage(UntypedStorage):
    """Memory of bfloat16: where it lies and how much there is of it is known, but not its bytes, which are others."""

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._memory.nbytes // 2)

    size = __len__ = nbytes

    def element_size(self) -> int:
        """The bytes of one element."""
        return 1

    def _elements(self) -> Any:
        raise of_bfloat16()


def of_bfloat16() -> Unsupported:
    """The refusal of what needs the bytes of bfloat16 numbers."""
    return Unsupported("the storage of a bfloat16 tensor: gradcli keeps its numbers in single precision")


# The methods that copy elements in another type.
_CONVERSIONS = {
    "double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32", "short": "int16",
    "char": "int8", "byte": "uint8", "bool": "bool", "complex_float": "complex64", "complex_double": "complex128",
}  # fmt: skip


class TypedStorage(_Storage):
    """Memory as elements of one type."""

    def __init__(
        self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: dtype_ | None = None, device: Any = None
    ) -> None:  # fmt: skip
        del device
        self.dtype = DTYPES[default.float] if dtype is None else dtype
        d = as_numpy(self.dtype)
        if wrap_storage is None:
            given = args[0] if args else 0
            values = np.zeros(given, d) if isinstance(given, int) else np.array(list(given), d)
            wrap_storage = storage_of(values)
        self._untyped = wrap_storage

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return self._untyped

    def _elements(self) -> Any:
        return elements_of(self._untyped._memory, as_numpy(self.dtype))

    def __getattr__(self, name: str) -> Any:
        if name not in _CONVERSIONS:
            raise AttributeError(f"'TypedStorage' object has no attribute '{name}'")
        d = np.dtype(_CONVERSIONS[name])
        return lambda: TypedStorage(wrap_storage=storage_of(self._elements().astype(d)), dtype=DTYPES[d])

    def __getitem__(self, i: Any) -> Any:
        found = self._elements()[self._element(i)]
        if isinstance(found, np.generic):
            return found.item()
        return TypedStorage(wrap_storage=storage_of(found), dtype=self.dtype)

    def pickle_storage_type(self) -> str:
        """The name of its kind."""
        return f"{self.dtype.tensor_name}Storage"

    def type(self) -> str:
        """The name of its type."""
        return f"torch.{self.pickle_storage_type()}"

    def clone(self) -> TypedStorage:
        """The same elements elsewhere."""
        return TypedStorage(wrap_storage=self._untyped.clone(), dtype=self.dtype)

    def resizable(self) -> bool:
        """Tell whether it could have another size."""
        return self._untyped.resizable()

    def resize_(self, size: int) -> TypedStorage:
        """Have another number of elements, where no tensor lies in this memory."""
        self._untyped.resize_(size * self.element_size())
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self.dtype is other.dtype and self._untyped == other._untyped

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = f"[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"
        return "\n".join([*self._lines(), shown])


@public("torch")
def is_storage(obj: Any) -> bool:
    """Tell whether an object is the memory of a tensor."""
    return isinstance(obj, _Storage)

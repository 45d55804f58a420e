"""Arrays, their element types and how these are promoted, and the default one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import EngineError, Unsupported
from .numeric.bfloat16 import BF16 as BF16, Brain, Limits

# An ndarray, or a NumPy scalar: a 0-d value lives in a scalar until someone needs its memory.
Array = Any


class dtype:
    """An element type, shown as PyTorch shows it."""

    __slots__ = ("c_name", "is_complex", "is_floating_point", "itemsize", "name", "np", "tensor_name")

    def __init__(self, name: str, tensor_name: str, c_name: str) -> None:
        self.name = name
        self.np: np.dtype[Any] = BF16 if name == BF16.name else np.dtype(name)
        self.itemsize = self.np.itemsize
        self.is_floating_point = self.np.kind == "f"
        self.is_complex = self.np.kind == "c"
        # The word in "[torch.DoubleTensor [2, 3]]" and in "result type Float can't be cast".
        self.tensor_name = tensor_name
        # The word in "expected m1 and m2 to have the same dtype, but got: float != double".
        self.c_name = c_name

    @property
    def type_name(self) -> str:
        """The name of the old tensor type, as C++ has it: only what PyTorch began with has one in Python."""
        later = self.np.kind in "bc" or self.name == "bfloat16"
        return f"CPU{self.tensor_name}Type" if later else f"torch.{self.tensor_name}Tensor"

    @property
    def is_signed(self) -> bool:
        """Tell whether it has negative numbers."""
        return self.np.kind in "ifc"

    def to_complex(self) -> dtype:
        """The complex dtype whose parts are of this one."""
        if not (self.is_complex or self.is_floating_point):
            raise EngineError(f"Unknown Complex ScalarType for {self.tensor_name}")
        return self if self.is_complex else complex128 if self is float64 else complex64

    def to_real(self) -> dtype:
        """The dtype of the parts of a complex one; else itself."""
        return self if not self.is_complex else float64 if self is complex128 else float32

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


# As Python's own messages name a class that is written in C.
dtype.__name__ = "torch.dtype"

float64 = double = dtype("float64", "Double", "double")
float32 = dtype("float32", "Float", "float")
float16 = half = dtype("float16", "Half", "c10::Half")
bfloat16 = dtype("bfloat16", "BFloat16", "c10::BFloat16")
int64 = long = dtype("int64", "Long", "long int")
int32 = dtype("int32", "Int", "int")
int16 = short = dtype("int16", "Short", "short int")
int8 = dtype("int8", "Char", "signed char")
uint8 = dtype("uint8", "Byte", "unsigned char")
uint16 = dtype("uint16", "UInt16", "unsigned short")
uint32 = dtype("uint32", "UInt32", "unsigned int")
uint64 = dtype("uint64", "UInt64", "unsigned long")
bool_ = dtype("bool", "Bool", "bool")
complex64 = dtype("complex64", "ComplexFloat", "c10::complex<float>")
complex128 = dtype("complex128", "ComplexDouble", "c10::complex<double>")

cfloat, cdouble = complex64, complex128

DTYPES: dict[Any, dtype] = {
    d.np: d
    for d in (
        float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, uint16, uint32, uint64, bool_,
        complex64, complex128,
    )
}

F16 = np.dtype("float16")
F64, F32, I64, B8 = np.dtype("float64"), np.dtype("float32"), np.dtype("int64"), np.dtype("bool")


def is_complex(values: Any) -> bool:
    """Tell whether there are complex arrays or numbers among the values."""
    for x in values:
        d = getattr(x, "dtype", None)
        if type(x) is complex if d is None else d.kind == "c":
            return True
    return False


class _Default:
    """The default floating dtype, as NumPy's."""

    __slots__ = ("float",)

    def __init__(self) -> None:
        self.float = F32


default = _Default()


def set_default_dtype(d: dtype) -> None:
    """Set the dtype that Python floats become."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    default.float = d.np


def known(a: Any) -> Any:
    """An array whose dtype is NumPy's one object of its kind, by which it is told: a pickled one came with its own."""
    own = DTYPES[a.dtype].np
    return a if a.dtype is own else a.view(own)


def get_default_dtype() -> dtype:
    """The dtype that Python floats become."""
    return DTYPES[default.float]


def as_numpy(d: Any) -> np.dtype[Any]:
    """The NumPy dtype of a ``torch.dtype``, of a Python type (float, int, bool) or of a NumPy dtype."""
    if isinstance(d, dtype):
        return d.np
    if d is float:
        return F64
    if d is int:
        return I64
    if d is bool:
        return B8
    if d is complex:
        return complex128.np
    made: np.dtype[Any] = np.dtype(d)
    return made


CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


# Whole numbers that become no others beside these.
_APART = frozenset((uint16.np, uint32.np, uint64.np))


def wider(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype of two tensors' result: the one of the higher category, else one that holds both."""
    order = CATEGORY[a.kind] - CATEGORY[b.kind]
    if (a in _APART or b in _APART) and a != b and a.kind not in "fc" and b.kind not in "fc":
        raise EngineError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{DTYPES[a].tensor_name} and {DTYPES[b].tensor_name}"
        )
    if order == 0 or (a.kind in "fc" and b.kind in "fc"):
        return _holding_both(a, b)
    higher: np.dtype[Any] = a if order > 0 else b
    return higher


def _holding_both(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype that holds all numbers of two of them."""
    if a is BF16 or b is BF16:
        if a is b:
            held: np.dtype[Any] = a
            return held
        a, b = (F32 if d is BF16 else d for d in (a, b))
    both: np.dtype[Any] = np.promote_types(a, b)
    return both


def zeros_of(shape: Any, d: Any) -> Any:
    """Zeros of any element type."""
    return np.zeros(shape, F32).view(Brain) if d is BF16 else np.zeros(shape, d)


def ones_of(shape: Any, d: Any) -> Any:
    """Ones of any element type."""
    return np.ones(shape, F32).view(Brain) if d is BF16 else np.ones(shape, d)


def full_of(shape: Any, value: Any, d: Any) -> Any:
    """One number everywhere, of any element type."""
    a = zeros_of(shape, d) if d is BF16 else np.empty(shape, d)
    a.fill(value)
    return a


def part_of(d: Any) -> Any:
    """The element type of the real and the imaginary part of complex numbers; of others their own."""
    return d if d.kind != "c" else F32 if d.itemsize == 8 else F64


def complex_of(d: Any) -> Any:
    """The element type of the complex numbers of such parts; of complex ones their own."""
    return d if d.kind == "c" else np.dtype("complex64" if d.itemsize == 4 else "complex128")


def limits_of(d: Any) -> Any:
    """The precision and the range of a floating element type."""
    return Limits() if d is BF16 else np.finfo(d)


def promote(*operands: Any) -> np.dtype[Any]:
    """The dtype of a result: tensors with axes outrank 0-d ones, and those outrank Python numbers.

    A lower rank decides only when its category (bool, integer, floating) is higher.
    """
    ranks: list[np.dtype[Any] | None] = [None, None, None]
    for x in operands:
        if isinstance(x, (np.ndarray, np.generic)):
            rank, d = (0 if x.ndim else 1), x.dtype
        else:
            kind = type(x)
            rank = 2
            d = B8 if kind is bool else I64 if kind is int else default.float if kind is float else default_complex()
        have = ranks[rank]
        ranks[rank] = d if have is None or have is d else wider(have, d)
    best: np.dtype[Any] | None = None
    for found in ranks:
        if found is None:
            continue
        if best is None:
            best = found
        elif CATEGORY[found.kind] > CATEGORY[best.kind]:
            if found.kind == "c" and best.kind == "f" and best.itemsize == 2:
                raise Unsupported("complex numbers in half precision are not supported", help="use float() first")
            # A complex number over a real tensor keeps the tensor's width.
            best = wider(best, np.dtype("complex64")) if found.kind == "c" and best.kind == "f" else found
    assert best is not None
    return best


def default_complex() -> np.dtype[Any]:
    """The dtype that Python's complex numbers become."""
    return np.dtype("complex64") if default.float is F32 else np.dtype("complex128")

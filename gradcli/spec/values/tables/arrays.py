"""NumPy's arrays and numbers: their methods and attributes, and how their elements lie in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ....errors import Unsupported
from ...guard.size_limits import caps, fits, whole
from ..classes.sealed_classes import Given, known_as
from ..element_types import ElementType, element_type
from .table import TABLES, attributes, declare, own_methods


def _array_tolist(self: Any) -> Any:
    fits(self.size, "list")
    return self.tolist()


def _bytes_of(self: Any, order: Any = "C") -> bytes:
    from ...stdlib.small_numpy.arguments import order_of

    fits(self.nbytes, "bytes")
    found: bytes = self.tobytes(order_of(order))
    return found


def _reduction(name: str) -> Any:
    reduce = getattr(np, name)

    def method(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, **kwargs: Any) -> Any:
        if out is not None:
            kwargs["out"] = out
        if dtype is not None:
            kwargs["dtype"] = dtype
        if not _LIKE_FUNCTIONS.isdisjoint(kwargs) and not name.startswith("arg"):
            return _as_function(name)(self, axis=axis, **kwargs)
        for key in kwargs:
            if key not in _OF_REDUCTIONS.get(name, ("keepdims",)):
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if "dtype" in kwargs:
            kwargs["dtype"] = element_type(kwargs["dtype"])
        if "initial" in kwargs:
            from ...stdlib.small_numpy.arguments import number

            kwargs["initial"] = number(kwargs["initial"])
        return reduce(self, axis, **kwargs)

    return method


# Arguments that the functions of the module read.
_LIKE_FUNCTIONS = frozenset(("where", "out", "mean"))
# What each of them takes besides the axis.
_OF_REDUCTIONS = {
    **dict.fromkeys(("std", "var"), ("ddof", "keepdims", "dtype")), "mean": ("keepdims", "dtype"),
    **dict.fromkeys(("sum", "prod"), ("keepdims", "dtype", "initial")),
    **dict.fromkeys(("max", "min"), ("keepdims", "initial")),
}  # fmt: skip


def _as_type(self: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", *, copy: Any = True) -> Any:
    from ...stdlib.small_numpy.arguments import order_of

    known = element_type(dtype)
    # NumPy says itself which ways there are.
    if casting != "unsafe" and known is not None and not np.can_cast(self.dtype, known, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {known!r} according to the rule '{casting}'")
    return self.astype(known, order=order_of(order), copy=bool(copy))


def _copied(self: Any, order: Any = "C") -> Any:
    from ...stdlib.small_numpy.arguments import order_of

    return np.array(self, order=order_of(order), copy=True)


def _set_shape(self: Any, shape: Any) -> None:
    sizes = tuple([whole(n) for n in shape]) if isinstance(shape, (tuple, list)) else (whole(shape),)
    made = self.reshape(sizes)
    if made.size and not np.shares_memory(made, self):
        raise AttributeError(
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
        )
    self.shape = made.shape


def _set_real(self: Any, value: Any) -> None:
    from ...stdlib.small_numpy.arguments import number_or_array

    self.real = number_or_array(value)


def _set_imag(self: Any, value: Any) -> None:
    from ...stdlib.small_numpy.arguments import number_or_array

    self.imag = number_or_array(value)


def _set_flat(self: Any, value: Any) -> None:
    from ...stdlib.small_numpy.arguments import array_of

    self.flat = array_of(value)


def _partition(self: Any, kth: Any, axis: Any = -1) -> None:
    from ...stdlib.small_numpy.arguments import number_or_array

    self.partition(number_or_array(kth), whole(axis))


def _resized(self: Any, *new_shape: Any, refcheck: Any = True) -> None:
    """resize(), as far as the elements stay where they are: others may lie in their memory."""
    sizes = new_shape[0] if len(new_shape) == 1 and isinstance(new_shape[0], (tuple, list)) else new_shape
    shape = tuple([whole(n) for n in sizes])
    if not self.flags.c_contiguous:
        raise ValueError("resize only works on single-segment arrays")
    if math.prod(shape) != self.size:
        raise Unsupported(
            "ndarray.resize() gives an array other memory, which is not for specs",
            help="a = np.resize(a, shape) repeats what there is, np.pad(a, width) adds zeros",
        )
    self.shape = shape


def _locked(self: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """setflags(), of which a program asks that an array be read alone."""
    if write is not None:
        _lock(self, bool(write))


def _lock(array: Any, write: bool) -> None:
    if write and not array.flags.writeable and id(array) not in _LOCKED:
        raise ValueError("cannot set WRITEABLE flag to True of this array")
    if not write and array.flags.writeable:
        _LOCKED[id(array)] = array
    array.flags.writeable = write


# The arrays that a program itself asked to be read alone, and may ask to write to again.
_LOCKED: WeakValueDictionary[int, Any] = WeakValueDictionary()


def _by(name: str) -> Any:
    """A method that makes nothing larger than the array."""
    function, given = getattr(np, name), _GIVEN[name]

    def method(self: Any, *numbers: Any, **named: Any) -> Any:
        for key in named:
            if key not in given:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        numbers = (*numbers, *[named[key] for key in given[len(numbers) :] if key in named])
        return function(self, *[n if n is None else whole(n) for n in numbers])

    return method


# The arguments that are numbers, of each of them.
_GIVEN = {"round": ("decimals",), "squeeze": ("axis",)}


def _reshaped(self: Any, *shape: Any, order: Any = "C") -> Any:
    from ...stdlib.small_numpy.arguments import order_of

    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list, np.ndarray)) else shape
    return self.reshape(tuple([whole(n) for n in sizes]), order=order_of(order))


def _flat(name: str) -> Any:
    function = getattr(np.ndarray, name)

    def method(self: Any, order: Any = "C") -> Any:
        from ...stdlib.small_numpy.arguments import order_of

        return function(np.asarray(self), order=order_of(order))

    return method


def _as_function(name: str) -> Any:
    """A method that is what the function of the module is, which charges for itself."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        from ...stdlib.small_numpy.names import numpy

        return numpy()[name](self, *args, **kwargs)

    return method


def _clipped(self: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
    """clip(), of which the method may be given one limit alone."""
    return _as_function("clip")(self, min, max, out=out, **options)


_REDUCTIONS = {
    name: _reduction(name)
    for name in ["sum", "mean", "std", "var", "min", "max", "argmin", "argmax", "prod", "any", "all"]
}


def _transposed(self: Any, *axes: Any) -> Any:
    """An array with its axes in another order, given one by one or in a tuple."""
    from ...stdlib.small_numpy.names import numpy

    return numpy()["transpose"](self, axes[0] if len(axes) == 1 else axes or None)


_AS_FUNCTIONS = (
    "argpartition argsort choose conj conjugate cumprod cumsum diagonal dot nonzero repeat searchsorted swapaxes take "
    "trace"
)


def _fill(self: Any, value: Any) -> None:
    from ...stdlib.small_numpy.arguments import number

    self.fill(number(value))


def _sorted(self: Any, axis: Any = -1, kind: Any = None) -> None:
    from ...stdlib.small_numpy.arguments import kind_of_sort

    self.sort(whole(axis), kind_of_sort(kind))


def _viewed(self: Any, dtype: Any = None) -> Any:
    """The same elements under another name, or the same bytes as numbers of another type."""
    return self[...] if dtype is None else np.asarray(self).view(element_type(dtype))


def _put(self: Any, indices: Any, values: Any) -> None:
    """Write at places of an array as if its elements lay in a row."""
    from ...stdlib.small_numpy.arguments import array_of, room

    places, given = array_of(indices), array_of(values)
    room(places.size + given.size, 4)
    np.put(self, places, given)


def _chosen(self: Any, condition: Any, axis: Any = None) -> Any:
    """The elements at which a condition holds."""
    return caps.library("_walks")["compress"](condition, self, axis)


class Flat(Given):
    """All elements of an array, one after the other."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return int(self.array.size)

    def __iter__(self) -> Iterator[Any]:
        fits(self.array.size, "list")
        return iter(list(self.array.flat))

    def __getitem__(self, key: Any) -> Any:
        return self.array.reshape(-1)[_place_in(key)].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        from ...stdlib.small_numpy.arguments import number_or_array

        self.array.flat[_place_in(key)] = number_or_array(value)


def _place_in(key: Any) -> Any:
    from ...stdlib.small_numpy.arguments import number_or_array

    return key if isinstance(key, slice) else number_or_array(key)


known_as(Flat, "flatiter", "numpy")
declare(Flat, base=object, methods={"copy": lambda self: self.array.flatten()})


class Flags(Given):
    """Facts of how the elements of an array lie in memory."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> bool:
        name = _SHORT.get(key, key) if type(key) is str else key
        if type(name) is not str or name not in _FLAGS:
            raise KeyError("Unknown flag")
        return bool(self.array.flags[name])

    def __setitem__(self, key: Any, value: Any) -> None:
        if key not in ("WRITEABLE", "W"):
            raise KeyError("Unknown flag")
        _lock(self.array, bool(value))

    def __repr__(self) -> str:
        return str(self.array.flags)


_FLAGS = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
_SHORT = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE", "A": "ALIGNED"}


def _flag(name: str) -> Any:
    return lambda flags: flags[name]


known_as(Flags, "flagsobj", "numpy._core.multiarray")
_OF_FLAGS = declare(Flags, base=object, fields={name.lower(): _flag(name) for name in _FLAGS})
_OF_FLAGS.setters["writeable"] = lambda flags, value: _lock(flags.array, bool(value))


def _to_file(self: Any, fid: Any, /) -> None:
    """Write the numbers alone into a file of the program's."""
    caps.library("_walks")["_tofile"](self, fid)


def _no_matrix() -> Any:
    raise ValueError("matrix transpose with ndim < 2 is undefined")


for _kind in (np.ndarray, np.generic):
    declare(
        _kind,
        methods={
            **{name: _reduction(name) for name in _REDUCTIONS},
            **own_methods(_kind, "item copy"),
            **{name: _by(name) for name in _GIVEN},
            **{name: _flat(name) for name in ("flatten", "ravel")},
            **{name: _as_function(name) for name in _AS_FUNCTIONS.split()},
            "astype": _as_type, "clip": _clipped,
            "reshape": _reshaped, "transpose": _transposed,
            "tolist": _array_tolist, "fill": _fill, "sort": _sorted, "tofile": _to_file, "view": _viewed,
            "compress": _chosen, "put": _put, "tobytes": _bytes_of,
        },
        fields={
            "dtype": lambda self: ElementType(self.dtype), "flags": Flags, "flat": Flat,
            **attributes("shape ndim size nbytes itemsize strides T real imag"),
        },
    )  # fmt: skip
_ARRAY = TABLES[np.ndarray]
_ARRAY.methods.update(copy=_copied, partition=_partition, resize=_resized, setflags=_locked)
_ARRAY.fields.update(mT=lambda self: np.swapaxes(self, -1, -2) if self.ndim > 1 else _no_matrix())
_ARRAY.setters.update(flat=_set_flat, imag=_set_imag, real=_set_real, shape=_set_shape)
for _float in (np.float16, np.float32, np.float64):
    declare(_float, base=np.generic, methods=own_methods(_float, "is_integer as_integer_ratio"))

"""Around every function of the small NumPy: those alone that go element by element warn, and `out=` says where to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....engine.tensor import Tensor
from ....errors import SpecError
from ...guard.numpy_operands import as_tensor
from ...guard.size_limits import caps
from ...values.classes.array_errors import casting
from ...values.user_definitions import WRAPPING, hook_of
from .arguments import Function, array_of, number_or_array, room


def quiet(name: str, function: Function) -> Function:
    """A function of NumPy's that warns nobody, unless it goes element by element, as operators do."""
    function.__name__ = function.__qualname__ = name

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in _REDUCING and args and isinstance(args[0], Tensor):
            raise _reduced(name, kwargs)
        if name in _OF_OBJECTS and args and hook_of(args[0], WRAPPING) and (method := hook_of(args[0], name)):
            return caps.guarded(method)(args[0], **_for_a_method(name, args[1:], kwargs))
        if elementwise and "where" in kwargs:
            return _at_some(name, args, **kwargs)
        if "out" in kwargs:
            out = kwargs.pop("out")
            found = call(*args, **kwargs)
            return found if out is None else _written(name, out, found)
        for key in kwargs:
            if key in ("like", "subok", "casting") or (key == "order" and name not in _IN_ORDER):
                raise SpecError(f"numpy.{name}({key}=...) is not in the spec language", help="leave it out")
        if elementwise:
            found = function(*args, **kwargs)
        else:
            with np.errstate(all="ignore"):
                found = function(*args, **kwargs)
        return as_tensor(found) if tensors and any(isinstance(a, Tensor) for a in args) else found

    # Of names that NumPy means to have one day it warns whoever asks.
    elementwise = isinstance(np.__dict__.get(name), np.ufunc)
    tensors = name in _AS_METHODS or elementwise
    call.__name__ = call.__qualname__ = name
    return call


# Functions that are told in which order the elements of what they make lie, or are read.
_IN_ORDER = frozenset(
    "array asanyarray asarray copy empty empty_like eye full full_like identity ones ones_like ravel reshape zeros "
    "zeros_like".split()
)


def _at_some(name: str, args: tuple[Any, ...], *, where: Any, out: Any = None, **other: Any) -> Any:
    """The result of a function where it is asked for; elsewhere what stands in ``out``, or zeros."""
    if other:
        raise SpecError(f"numpy.{name}(where=...) is not in the spec language with {', '.join(other)}")
    of: Any = getattr(np, name)
    given, chosen = [number_or_array(a) for a in args], array_of(where)
    shape = np.broadcast_shapes(chosen.shape, *[np.shape(a) for a in given])
    room(math.prod(shape))
    if len(given) != of.nin or of.nout != 1:
        raise SpecError(f"numpy.{name}(where=...) is in the spec language with its operands alone")
    kinds = [type(a) if isinstance(a, (bool, int, float, complex)) else np.asarray(a).dtype for a in given]
    if out is not None and not isinstance(_one(out), np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    made = np.zeros(shape, of.resolve_dtypes((*kinds, None))[-1]) if out is None else np.array(_one(out))
    found = of(*given, out=made, where=chosen)
    return found if out is None else _written(name, out, found)


# Functions of NumPy's that call the method of their argument, with names that the method of a tensor has not.
_REDUCING = frozenset(("sum", "mean", "max", "min", "amax", "amin", "std", "var", "all", "any", "prod"))


# Functions of NumPy's that leave an object that makes arrays of itself to its own method of that name.
_OF_OBJECTS = _REDUCING | {"argmax", "argmin", "argsort", "cumprod", "cumsum"}


def _for_a_method(name: str, rest: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that NumPy's function hands to the method."""
    handed = {"axis": rest[0] if rest else None if name != "argsort" else -1} | given
    return handed | {"ddof": given.get("ddof", 0)} if name in ("std", "var") else handed


def _reduced(name: str, given: dict[str, Any]) -> TypeError:
    """The error of PyTorch's method, which NumPy's function of the same name calls of a tensor."""
    method, axis = name.removeprefix("a") if name in ("amax", "amin") else name, given.get("axis")
    said = "got an unexpected keyword argument 'axis'"
    if method in ("std", "var", "all", "any") or "keepdims" in given:
        said = "received an invalid combination of arguments: NumPy's axis, keepdims, ddof, dtype and out"
    elif method in ("max", "min", "prod") and axis is None:
        return TypeError(f"{method}(): argument 'dim' must be int, not NoneType")
    return TypeError(f"{method}() {said}")


# Functions of NumPy's that call the method of their argument: of a tensor they give a tensor, as all ufuncs do.
_METHODS_OF_BOTH = "argmax argmin argsort around clip cumprod cumsum ptp repeat reshape round squeeze swapaxes take"
_AS_METHODS = frozenset((*_METHODS_OF_BOTH.split(), "transpose"))


def _written(name: str, out: Any, found: Any) -> Any:
    """The array given for a result, which it now holds."""
    out = _one(out)
    if not isinstance(out, np.ndarray) or isinstance(found, tuple):
        raise TypeError("return arrays must be of ArrayType")
    if np.shape(found) != out.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {_shown(out.shape)} doesn't match the broadcast shape "
            f"{_shown(np.shape(found))}"
        )
    if not np.can_cast(np.asarray(found).dtype, out.dtype, "same_kind"):
        raise casting(
            f"Cannot cast ufunc '{name}' output from {np.asarray(found).dtype!r} to {out.dtype!r} with casting rule "
            "'same_kind'"
        )
    np.copyto(out, found, "same_kind")
    return out


def _one(out: Any) -> Any:
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


def _shown(shape: tuple[int, ...]) -> str:
    """A shape as NumPy's messages show it."""
    return str(shape).replace(" ", "")

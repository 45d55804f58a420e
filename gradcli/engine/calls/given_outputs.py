"""Results that are written into tensors that the caller gave for them: ``out=``."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from ...errors import EngineNotImplementedError, EngineTypeError
from ..call_errors import fail
from ..declaration import CASTABLE, EXACT, MADE_AS_OUT, READING_ELSEWHERE, WORDS_OF_OUT
from ..dtypes import CATEGORY
from ..modes import mode, no_grad
from ..ops.named_results import NamedResult, named_result
from ..tensor import Tensor
from .binding import in_torch_names, written

_OPS = f"{__package__.rpartition('.')[0]}.ops."
# Of a function's code: that it takes keyword arguments of any name.
_TAKES_ANY = 0x08


def into(
    name: str, function: Callable[..., Any], out: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
    call: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """Call a function, in a way of the caller's own if there is one; the given tensors take what it computes."""
    name = name.lstrip("_")
    outputs = out if isinstance(out, (tuple, list)) else (out,)
    for each in outputs:
        if not isinstance(each, Tensor):
            raise EngineTypeError(f"{name}(): argument 'out' must be Tensor, not {type(each).__name__}")
    if mode.grad and any(t.requires_grad for t in (*_tensors(args), *_tensors(kwargs.values()), *outputs)):
        fail(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    _refuse_tangents(name, (*_tensors(args), *_tensors(kwargs.values()), *outputs))
    if not isinstance(out, (tuple, list)) and not [*_tensors(args), *_tensors(kwargs.values())]:
        # What is made of nothing is made in the dtype that it is wanted in.
        asked = kwargs.get("dtype")
        if asked is not None and asked is not out.dtype:
            fail(f"dtype {asked.tensor_name} does not match dtype of out parameter ({out.dtype.tensor_name})")
        kwargs = {**kwargs, "dtype": out.dtype}
    if getattr(function, "op", function) in MADE_AS_OUT and kwargs.get("dtype") is None:
        kwargs = {**kwargs, "dtype": out.dtype}
    _refuse_overlaps(function, outputs, [*_tensors(args), *_tensors(kwargs.values())])
    found = (call or function)(*args, **kwargs)
    several = len(found) if isinstance(found, tuple) else 1
    if several > 1 and isinstance(out, (tuple, list)) and several != len(outputs):
        raise EngineTypeError(f"expected tuple of {several} elements but got {len(outputs)}")
    if several != len(outputs) or isinstance(found, tuple) != isinstance(out, (tuple, list)):
        raise EngineTypeError(f"{name}(): argument 'out' must be {several} Tensors, as many as there are results")
    words, cast = _words(function)
    for each, one in zip(outputs, found if isinstance(found, tuple) else (found,), strict=True):
        _refuse_other_kind(name, words, cast, each, one)
    if not isinstance(out, (tuple, list)):
        return _written(out, found)
    written = [_written(into, one) for into, one in zip(outputs, found, strict=True)]
    if isinstance(found, NamedResult):
        return named_result(f"{type(found).__name__}_out", *found._fields)(written)
    return tuple(written)


def _words(function: Any) -> tuple[str, bool]:
    """The words for an output in another element type; beside them, True where results are cast to what holds them."""
    op = getattr(function, "op", None)
    for declared in (function, op):
        if declared in WORDS_OF_OUT:
            return WORDS_OF_OUT[declared]
    if op is not None and op.kind == "primitive":
        return EXACT, False
    if op is not None and op.kind == "elementwise" and len(op.operands) == 1 and not op.floating:
        return "Found dtype {given} but expected {found}", False
    return CASTABLE, True


def _refuse_other_kind(name: str, words: str, cast: bool, out: Tensor, found: Tensor) -> None:
    """Refuse an output that the result cannot be written to."""
    given, made = out.dtype, found.dtype
    # Whole numbers are written as floating ones, never back.
    if CATEGORY[made.np.kind] > CATEGORY[given.np.kind] if cast else given is not made:
        fail(
            words.format(
                name=name, found=made.tensor_name, given=given.tensor_name, c_found=made.c_name, c_given=given.c_name
            )
        )
    if out.device.type != found.device.type:
        fail(
            f"Attempting to copy from device {found.device} to device {out.device}, but cross-device copies are not "
            "allowed!"
        )


def _refuse_tangents(name: str, tensors: Sequence[Tensor]) -> None:
    """Refuse to write where tangents would be lost."""
    if mode.duals is not None and any(map(any, mode.duals.before(tensors))):
        raise EngineNotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )


def _refuse_overlaps(function: Any, outputs: Any, given: list[Tensor]) -> None:
    """Refuse outputs that lie where an argument does: an op on each element alone may write over what it reads."""
    alone = getattr(getattr(function, "op", None), "kind", "") == "elementwise"
    if not alone and function not in READING_ELSEWHERE:
        return
    from ..writes.inplace import refuse_half_shared, refuse_shared, refuse_shared_elements, whole

    refuse = refuse_half_shared if alone else refuse_shared
    for out in outputs:
        if alone:
            refuse_shared_elements(out._memory())
        for t in given:
            if whole(t) is whole(out) or (t._vc is not None and t._vc is out._vc):
                refuse(out._memory(), t._memory())


def accepting(function: Any) -> Any:
    """A function of PyTorch's namespaces that takes ``out=``; what is called in a short way looks for it itself."""
    if not isinstance(function, FunctionType) or function.__name__.endswith("_"):
        return function
    if not function.__module__.startswith(_OPS):
        # It makes no tensors itself.
        return function
    code = function.__code__
    if hasattr(function, "op") and function.op.kind != "composite" and (
        code.co_flags & _TAKES_ANY or "out" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    ):
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = in_torch_names(function, kwargs)
            if "out" in kwargs:
                return written(function, args, kwargs)
        return function(*args, **kwargs)

    return call


def _tensors(values: Any) -> list[Tensor]:
    """The tensors among arguments, and in lists among them."""
    found = []
    for value in values:
        found += [t for t in (value if isinstance(value, (list, tuple)) else (value,)) if isinstance(t, Tensor)]
    return found


def _written(out: Any, found: Any) -> Any:
    if out.shape != found.shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
                f"match the required output shape {list(found.shape)}. This behavior is deprecated, and in a future "
                "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse "
                "an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                UserWarning,
                stacklevel=3,
            )
        with no_grad():
            out.data = found.detach().to(out.dtype).clone()
        out._counter().n += 1
        return out
    with no_grad():
        return out.copy_(found)

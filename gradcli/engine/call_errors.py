"""PyTorch's words for what is wrong with a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import EngineError, EngineNotImplementedError, EngineTypeError, GradcliError
from .dtypes import DTYPES
from .numeric.meta import Meta
from .tensor import Tensor


def refuse_complex(name: str, *values: Any) -> None:
    """Refuse complex tensors in a function that is not known to be right for them."""
    if any(isinstance(x, Tensor) and x._a.dtype.kind == "c" for x in values):
        from .complex_twins import refusing

        refusing(name)(*values)


def not_a_tensor(name: str, argument: str, position: int, value: Any) -> GradcliError:
    """PyTorch's words for an argument that should be a tensor."""
    if isinstance(value, Meta):
        # An op computes with it inside another one.
        return value.refusal()
    shown = "input" if argument == "self" else argument
    got = type_shown(value)
    return EngineTypeError(f"{name}(): argument '{shown}' (position {position}) must be Tensor, not {got}")


def only_tensor(name: str, x: Any) -> Tensor:
    """The one argument of a function, which has to be a tensor."""
    if not isinstance(x, Tensor):
        raise not_a_tensor(name, "input", 1, x)
    return x


def type_shown(value: Any) -> str:
    """The type of an argument as PyTorch's messages name it: NumPy's with their module."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def no_overload(name: str, *args: Any) -> EngineTypeError:
    """The beginning of PyTorch's words for arguments that fit no overload."""
    got = ", ".join(map(type_shown, args))
    return EngineTypeError(f"{name}() received an invalid combination of arguments - got ({got})")


def is_value(*values: Any) -> bool:
    """Tell whether all are tensors, or arrays in the place of tensors."""
    return all(isinstance(x, (Tensor, np.ndarray, np.generic)) for x in values)


def plain_number(value: Any) -> Any:
    """The number of a tensor without axes that needs no gradient, as PyTorch reads it; any other value as it is."""
    is_number = isinstance(value, Tensor) and not value._a.ndim and not value.requires_grad
    return value.item() if is_number else value


def again_with_numbers(
    call: Callable[..., Any], args: Sequence[Any], tensors: Sequence[int], error: Exception
) -> Any:
    """Repeat a call that failed, such tensors as numbers where no tensor is asked for; the error, where none was."""
    read = [a if i in tensors else plain_number(a) for i, a in enumerate(args)]
    if all(new is old for new, old in zip(read, args, strict=True)):
        raise error
    return call(*read)


def translated(error: ValueError, arrays: Sequence[Any]) -> Exception:
    """A NumPy complaint in PyTorch's words."""
    if isinstance(error, GradcliError):
        return error
    if "broadcast" in str(error):
        shapes = [x.shape for x in arrays if isinstance(x, (np.ndarray, np.generic))]
        both: tuple[int, ...] = ()
        for shape in shapes:
            problem = broadcast_problem(both, shape)
            if problem is not None:
                return problem
            both = np.broadcast_shapes(both, shape)
    return EngineError(str(error))


def broadcast_problem(a: tuple[int, ...], b: tuple[int, ...]) -> EngineError | None:
    """PyTorch's words for two shapes that do not broadcast, or None when they do."""
    rank = max(len(a), len(b))
    pa, pb = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for dim in reversed(range(rank)):
        if pa[dim] != pb[dim] and pa[dim] != 1 and pb[dim] != 1:
            return EngineError(
                f"The size of tensor a ({pa[dim]}) must match the size of tensor b ({pb[dim]}) at "
                f"non-singleton dimension {dim}"
            )
    return None


def fail(message: str) -> NoReturn:
    """Raise PyTorch's RuntimeError with these words."""
    raise EngineError(message)


def returned_nan(name: str, place: int) -> EngineError:
    """The error of a backward that makes a nan, in the anomaly mode."""
    return EngineError(f"Function '{name}' returned nan values in its {place}th output.")


def inference_kept() -> EngineError:
    """The error for a node that would keep a tensor made in inference mode."""
    return EngineError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
        "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )


def warn_copy_construct(function: str) -> None:
    """PyTorch's warning about a tensor made of a tensor, where a clone would do."""
    import warnings

    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor).",
        UserWarning,
        stacklevel=4,
    )


def warn_non_leaf_grad() -> None:
    """PyTorch's warning for the caller of a property that reads ``grad`` of what is no leaf."""
    import warnings

    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
        "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
        "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
        "by mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
        "for more information.",
        UserWarning,
        stacklevel=3,
    )


def warn_of_conversion() -> None:
    """PyTorch's warning for who makes a Python number of a tensor that requires a gradient."""
    import warnings

    warnings.warn(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
        "tensor.detach() first.",
        UserWarning,
        stacklevel=4,
    )


def _of_argument(name: str, argument: str, places: Sequence[int], at: int) -> str:
    return f"{name}(): argument '{argument}'" + (f" (position {places[at]})" if places else "")


def only_bools(name: str, places: Sequence[int] = (), **given: Any) -> None:
    """Refuse what is no bool where one is asked for; ``places``: where they stand in the call, if PyTorch tells it."""
    for at, (argument, value) in enumerate(given.items()):
        if value is not True and value is not False and not isinstance(value, np.bool_):
            who = _of_argument(name, argument, places, at)
            raise EngineTypeError(f"{who} must be bool, not {type(value).__name__}")


def only_ints(name: str, places: Sequence[int] = (), **given: Any) -> None:
    """Refuse what is no whole number where one is asked for; what may be left away is None."""
    for at, (argument, value) in enumerate(given.items()):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer, Tensor))):
            who = _of_argument(name, argument, places, at)
            raise EngineTypeError(f"{who} must be int, not {type(value).__name__}")


def only_sizes(name: str, places: Sequence[int] = (), **given: Any) -> None:
    """Refuse bools, and fractions among several, where whole numbers are asked for, one or several."""
    for at, (argument, value) in enumerate(given.items()):
        several = value if isinstance(value, (list, tuple)) else ()
        odd = [i for i, x in enumerate(several) if isinstance(x, (bool, float))]
        if isinstance(value, bool) or odd:
            wanted = f"{_of_argument(name, argument, places, at)} must be tuple of ints"
            if not odd:
                raise EngineTypeError(f"{wanted}, not bool")
            kind = type(several[odd[0]]).__name__
            raise EngineTypeError(f"{wanted}, but found element of type {kind} at pos {odd[0]}")


# -- kernels that PyTorch has not ---------------------------------------------------------------------

_INT64 = np.dtype("int64")
# What a kernel may take of whole numbers all the same.
_TAKEN: dict[str, Callable[[Any], bool]] = {
    "": lambda a: False,
    "int64": lambda a: a.dtype is _INT64,
    "integers": lambda a: a.dtype.kind != "b",
    "bools": lambda a: a.dtype.kind == "b",
    "empty": lambda a: not a.size,
}


def forward_of(op: Any) -> Callable[..., Any]:
    """The forward of an op, which refuses the whole numbers that it declares to have no kernel for."""
    forward: Callable[..., Any] = op.forward
    if op.no_whole is None:
        return forward
    kernel, _, taken = op.no_whole.partition(" but ")
    takes = _TAKEN[taken]
    # Operands that are broadcast get one element type before the kernel sees them.
    looked_at = len(op.operands) if op.broadcasts else 1

    def checked(*args: Any) -> Any:
        d = args[0].dtype
        if d.kind in "biu" and not takes(args[0]) and all(x.dtype.kind in "biu" for x in args[1:looked_at]):
            raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[d].tensor_name}'")
        return forward(*args)

    return checked

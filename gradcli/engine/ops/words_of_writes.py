"""Words of PyTorch for writes in place, where it refuses them inside of a transform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# What is one thing to vmap.
ARITHMETIC = frozenset(
    ("copy", "sub", "mul", "div", "divide", "masked_fill", "answered_by_number", "answered_by_tensor")
)
# What computes a batch at once, so that it is the shape that does not fit; and what writes by an index.
AT_ONCE, INDEXED = frozenset(("add", "atan2", "bitwise_and")), frozenset(("index_add", "index_fill", "scatter_add"))

# What takes a number by the overload for tensors.
_OF_TENSORS = frozenset(
    ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide")
)  # fmt: skip
# The overloads of what has one for a tensor and one for a number: which of the arguments decides.
_TENSOR_OR_NUMBER = ("Tensor", "Scalar")
_OVERLOADS: dict[str, tuple[int, tuple[str, str]]] = {
    **dict.fromkeys(
        (
            "eq", "ne", "lt", "le", "gt", "ge", "greater", "greater_equal", "less", "less_equal", "not_equal", "pow",
            "fmod", "remainder", "copysign", "bitwise_and", "bitwise_or", "bitwise_xor", "fill", "float_power",
        ),
        (0, _TENSOR_OR_NUMBER),
    ),
    **dict.fromkeys(("clamp", "clip", "clamp_min", "clamp_max"), (0, ("Tensor", ""))),
    **dict.fromkeys(("masked_fill", "lerp"), (1, _TENSOR_OR_NUMBER)),
    "bernoulli": (0, ("Tensor", "float")), "index_fill": (2, ("int_Tensor", "int_Scalar")),
    "scatter": (2, ("src", "value")), "xlogy": (0, ("Tensor", "Scalar_Other")),
}  # fmt: skip


# Python's operators in place that PyTorch has other names for.
_OPERATORS = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}

# What names of ops have that are written in place, beyond those of PyTorch's methods.
_ENDS = ("_drawn", "_written", "_in_place", "_number", "_tensor", "_by")


def method(function: Any) -> str:
    """PyTorch's name of the method that writes what a function makes."""
    name = str(function.__name__).lstrip("_")
    for end in _ENDS:
        name = name.removesuffix(end)
    return f"{name}_"


def overload(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """PyTorch's name for a write: of a method, with that of its overload."""
    if name.startswith("__i"):
        name = f"{_OPERATORS.get(name[3:-2], name[3:-2])}_"
    bare = name.removesuffix("_")
    if bare in _OF_TENSORS:
        return f"{name}.Tensor_mode" if kwargs.get("rounding_mode") else f"{name}.Tensor"
    if bare == "round" and kwargs:
        return f"{name}.decimals"
    if bare in _OVERLOADS:
        place, (of_tensor, of_number) = _OVERLOADS[bare]
        given = [*args, *kwargs.values()]
        # The last argument is what is written, where one is named that stands elsewhere.
        last = given[min(place, len(given) - 1)] if given else None
        word = of_tensor if hasattr(last, "_node") else of_number
        return f"{name}.{word}" if word else name
    return name

"""torch.nn.grad: the gradients of convolutions by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.call_errors import fail
from ..engine.modes import enable_grad, is_grad_enabled
from ..engine.offers import find
from ..engine.ops.make import filled
from ..engine.ops.nn.trilinear_convolution import check_ranks
from ..engine.tensor import Tensor
from ..engine.walk.backward import grad
from ..errors import EngineTypeError


def _gradient(rank: int, sizes: dict[str, Any], given: dict[str, Tensor], grad_output: Any, options: Any) -> Tensor:
    """The gradient of a convolution for the operand of which only the size is known: it depends on no number of it."""
    (wanted, size), *_ = sizes.items()
    ((known, other),) = given.items()
    if not isinstance(other, Tensor):
        raise EngineTypeError(f"conv{rank}d_{wanted}(): argument '{known}' must be Tensor, not {type(other).__name__}")
    if isinstance(size, Tensor):
        raise EngineTypeError("expand(): argument 'size' (position 1) must be tuple of ints, not Tensor")
    unknown = filled.zeros(1, dtype=grad_output.dtype).expand(size).contiguous().requires_grad_()
    operands = {wanted: unknown, **given}
    x, w = operands["input"], operands["weight"]
    check_ranks(x, w)
    if x.ndim != grad_output.ndim:
        fail(
            f"Expected input and grad_output to have the same number of dimensions, but got: {x.ndim} and "
            f"{grad_output.ndim}"
        )
    recorded = is_grad_enabled() and any(t.requires_grad for t in (*given.values(), grad_output))
    with enable_grad():
        made = find("F", f"conv{rank}d")(operands["input"], operands["weight"], None, *options)
        (found,) = grad((made,), (unknown,), (grad_output,), create_graph=recorded)
    assert isinstance(found, Tensor)
    return found


def _for_input(rank: int) -> Any:
    def gradient(
        input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        options = (stride, padding, dilation, groups)
        return _gradient(rank, {"input": input_size}, {"weight": weight}, grad_output, options)

    gradient.__name__ = gradient.__qualname__ = f"conv{rank}d_input"
    gradient.__doc__ = "The gradient of a convolution for its input."
    return gradient


def _for_weight(rank: int) -> Any:
    def gradient(
        input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        options = (stride, padding, dilation, groups)
        return _gradient(rank, {"weight": weight_size}, {"input": input}, grad_output, options)

    gradient.__name__ = gradient.__qualname__ = f"conv{rank}d_weight"
    gradient.__doc__ = "The gradient of a convolution for its weight."
    return gradient


conv1d_input, conv2d_input, conv3d_input = (_for_input(rank) for rank in (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = (_for_weight(rank) for rank in (1, 2, 3))

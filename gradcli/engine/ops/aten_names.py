"""The names below PyTorch's public functions that programs reach as `torch._name` and `torch.ops.aten.name`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import ops
from ..call_errors import fail
from ..modes import in_rule
from ..offers import dressed, find, names
from ..registry import composite, primitive, public
from ..tensor import Array, Tensor, Value, result
from .common import axis
from .nn.antialiased import upsample_bilinear2d_aa
from .nn.attention import safe_softmax
from .nn.batch_norm import batch_norm_with_statistics
from .nn.softmax import log_softmax_backward_data, softmax_backward_data
from .pool.max_pool import max_pool2d_with_indices_backward
from .pool.window_shapes import each

# Functions that are made of others here, and that PyTorch asks a class about as they are.
WHOLE = frozenset(
    "clone detach empty_like full_like new_empty new_full new_ones new_zeros ones_like rand_like randn_like to "
    "zeros_like".split()
)


class Packet:
    """A function under PyTorch's own name for it, and under those of its overloads: they take what it takes.

    Overloads of one name are equal: here a function has one form, whatever it is given.
    """

    namespace = "aten"
    __module__ = "torch._ops.aten"

    def __init__(self, name: str, function: Callable[..., Any], overload: str = "") -> None:
        self.__name__ = f"{name}.{overload}" if overload else name
        self._name, self._function, self._overload = name, function, overload

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return dressed(self._function, "torch", self._name)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"The underlying op of '{self.namespace}.{self._name}' has no overload name '{name}'")
        return self.overloaded(name)

    def overloaded(self, overload: str) -> Any:
        """The same under the name of an overload."""
        return type(self)(self._name, self._function, overload)

    @property
    def is_overload(self) -> bool:
        """Tell whether it has the name of an overload."""
        return bool(self._overload)

    @property
    def overloadpacket(self) -> Any:
        """The same without the name of an overload."""
        return self.overloaded("")

    def name(self) -> str:
        """Its name, its namespace before it."""
        return f"{self.namespace}::{self._name}" + (f".{self._overload}" if self._overload != "default" else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packet) and (self.namespace, self._name) == (other.namespace, other._name)

    def __hash__(self) -> int:
        return hash((self.namespace, self._name))

    def __reduce__(self) -> Any:
        packet = getattr, (Aten(), self._name)
        return (getattr, (getattr(Aten(), self._name), self._overload)) if self._overload else packet

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        if self._overload:
            return f"<OpOverload(op='{self.namespace}.{self._name}', overload='{self._overload}')>"
        return f"<OpOverloadPacket(op='{self.namespace}.{self._name}')>"


# Those that were asked for: each name has one.
_PACKETS: dict[str, Packet] = {}
# Functions of two tensors that PyTorch has for a tensor and a number, too, but under the name of no overload.
_ONE_FORM = ("floor_divide", "threshold_backward")
# Those whose form for a number rules call, and no program.
_OF_BOTH = ("add", "sub", "mul", "div")


# The products of two tensors by their numbers of axes, and what other functions come to.
_PRODUCTS = {(1, 1): "dot", (2, 1): "mv", (2, 2): "mm", (3, 3): "bmm"}
_ONE_OP = {
    "softmax": "_softmax", "log_softmax": "_log_softmax", "__getitem__": "index", "__rsub__": "rsub",
    "softmax_backward_data": "_softmax_backward_data", "log_softmax_backward_data": "_log_softmax_backward_data",
    "__mod__": "remainder", "__pow__": "pow", "__rpow__": "pow", "reshape_alias": "view", "to_copy": "_to_copy",
    "chunk": "split", "flatten": "view", "pad": "constant_pad_nd", "norm": "linalg_vector_norm",
    "index_put_impl": "index_put", "__setitem__": "index_put_", "nll_loss": "nll_loss_forward",
    "unsafe_view": "_unsafe_view",
    "batch_norm": "native_batch_norm", "scaled_dot_product_attention": "_scaled_dot_product_flash_attention_for_cpu",
    **dict.fromkeys("to type type_as double float half bfloat16 long int short bool".split(), "_to_copy"),
}  # fmt: skip
# The overloads that there is but one of, or that a second argument beside the tensor makes.
_ALWAYS = {
    "add_": "Tensor", "sub_": "Tensor", "fill_": "Tensor", "mul_": "Tensor", "div_": "Tensor", "index": "Tensor",
    "slice": "Tensor", "empty": "memory_format", "split": "Tensor", "select": "int", "unbind": "int",
    "transpose": "int", "std": "correction", "var": "correction", "sigmoid_backward": "default",
    "tanh_backward": "default",
    "gelu_backward": "default", "where": "self",
}  # fmt: skip
_ALONG_AXES = {
    "sum": "dim_IntList", "mean": "dim", "max": "dim", "min": "dim", "prod": "dim_int", "any": "dim", "all": "dim",
    "squeeze": "dim", "squeeze_": "dim",
}  # fmt: skip
# The functions that have one overload for a tensor and one for a number.
_BY_KIND = frozenset(
    "eq ne lt le gt ge remainder fmod rsub lerp bitwise_and bitwise_or bitwise_xor masked_fill masked_fill_".split()
)
# Ops that are given sizes or axes, in whatever these come.
_OF_LISTS = frozenset("expand mean permute repeat sum view".split())


def _overload(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """The overload of PyTorch's that takes these arguments, where it has a name; else nothing."""
    given = (*args[1:], *kwargs.values())
    if name in _ALWAYS:
        return _ALWAYS[name]
    if name == "pow" and len(args) == 2:
        base, exponent = (isinstance(x, Tensor) for x in args)
        return f"Tensor_{'Tensor' if exponent else 'Scalar'}" if base else "Scalar"
    if name in _BY_KIND and given:
        return "Tensor" if isinstance(given[-1], Tensor) else "Scalar"
    if name in _ALONG_AXES and given:
        return "other" if isinstance(given[0], Tensor) else _ALONG_AXES[name] if given[0] is not None else ""
    return ""


def overload_of(function: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Packet:
    """A function of a name as a mode is told of it: a product of matrices by the op that computes it."""
    if name in ("__matmul__", "matmul") and len(args) == 2 and all(isinstance(x, Tensor) for x in args):
        name = _PRODUCTS.get((args[0].ndim, args[1].ndim), "matmul")
    if name == "__rpow__":
        args = args[::-1]
    name = _ONE_OP.get(name, name)
    packet = getattr(function, "packet", None)
    if packet is not None:
        # It is an op of the program's own.
        return packet.default  # type: ignore[no-any-return]
    op = getattr(function, "op", None)
    if op is not None and name.startswith("__"):
        name = op.name
    if op is not None and op.kind != "composite" and name == op.name and name not in names("torch"):
        # What is several ops here is one of PyTorch's, whose node tells its name.
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", op.node_name)).lower()
        name = _ONE_OP.get(name, name)
        if name == "not_implemented":
            name = op.name
    takes_numbers = op is not None and op.paired and getattr(op.call, "numbers", 0) and name not in _ONE_FORM
    if in_rule() and name in _OF_BOTH and not all(isinstance(x, Tensor) for x in args):
        return Packet(name, function, "Scalar")
    overload = _overload(name, args, kwargs) or ("Tensor" if takes_numbers else "default")
    return Packet(name, function, overload)


def with_lists(packet: Packet, args: Any) -> Any:
    """Arguments of an op as it is told of them: sizes and axes are lists."""
    if packet.__name__.partition(".")[0] not in _OF_LISTS:
        return args
    return tuple([list(x) if isinstance(x, tuple) else x for x in args])


class Aten:
    """`torch.ops.aten`: what is declared here, and torch's own functions."""

    def __getattr__(self, name: str) -> Packet:
        if name not in _PACKETS:
            function = _HERE.get(name) or find("torch", name)
            if function is None:
                raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
            _PACKETS[name] = Packet(name, function)
        return _PACKETS[name]


@public("torch._softmax_backward_data")
def softmax_back(grad_output: Value, output: Value, dim: int, input_dtype: Any) -> Any:
    """The gradient of softmax, from its result."""
    return softmax_backward_data(grad_output, output, dim)


@public("torch._log_softmax_backward_data")
def log_softmax_back(grad_output: Value, output: Value, dim: int, input_dtype: Any) -> Any:
    """The gradient of log_softmax, from its result."""
    return log_softmax_backward_data(grad_output, output, dim)


@public("torch._safe_softmax")
def softmax_of_any(input: Value, dim: int, dtype: Any = None) -> Any:
    """Softmax that gives 0 where every element is -inf."""
    return safe_softmax(input if dtype is None else input.to(dtype), dim)


@public("torch._native_batch_norm_legit")
def batch_norm_legit(input: Value, weight: Value | None, bias: Value | None, *rest: Any) -> Any:
    """Batch norm with its statistics, which takes them into running ones where there are any."""
    running = rest[:2] if len(rest) == 5 else (None, None)
    return batch_norm_with_statistics(input, weight, bias, *running, *rest[-3:])


def batch_norm_with_update(
    input: Value, weight: Value | None, bias: Value | None, running_mean: Value, running_var: Value, momentum: float,
    eps: float,
) -> tuple[Value, ...]:  # fmt: skip
    """Batch norm in training, with its statistics and what other devices keep."""
    found = batch_norm_with_statistics(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, result(np.zeros(0, np.uint8))


@primitive(
    backward=True,
    without_rule=("mask",),
    node="NativeDropoutBackwardBackward0",
    grad_output=lambda g, mask, scale: native_dropout_backward(g, mask, scale),
    form="aligned",
)
def native_dropout_backward(grad_output: Array, mask: Array, scale: float) -> Array:
    """The gradient of dropout: of what was kept, scaled."""
    return grad_output * mask * grad_output.dtype.type(scale)


def upsample_bilinear(
    input: Value, output_size: Sequence[int] | None, align_corners: bool, scale_factors: Sequence[float] | None = None
) -> Any:
    """Images in another size, each pixel a mean with weights that fall off on straight lines."""
    scales: tuple[float | None, ...] = (None, None)
    if output_size is None:
        scales = tuple(scale_factors or ())
        output_size = [int(n * s) for n, s in zip(input.shape[-2:], scales, strict=True)]
    return upsample_bilinear2d_aa(input, tuple(output_size), align_corners, *scales)


def max_pool2d_back(
    grad_output: Value, self: Value, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    indices: Value,
) -> Any:  # fmt: skip
    """The gradient of max pooling: each window's share goes to its largest element."""
    given = {"kernel_size": kernel_size, "stride": stride or kernel_size, "padding": padding, "dilation": dilation}
    sizes = [each("max_pool2d", name, x) for name, x in given.items()]
    return max_pool2d_with_indices_backward(grad_output, self, *sizes, ceil_mode, indices)


def _inside(self: Value, indices: Sequence[Any]) -> list[Any]:
    """Indices, those out of range at the end of the range."""
    ends = self.shape
    return [
        slice(None) if i is None else ops.choosing.clamp(i, -ends[k], ends[k] - 1) for k, i in enumerate(indices)
    ]


@public("torch._unsafe_masked_index")
@composite
def unsafe_masked_index(self: Value, mask: Value, indices: Sequence[Any], fill: Any) -> Value:
    """The elements at some places where a mask holds, and a number elsewhere."""
    return self[tuple(_inside(self, indices))].masked_fill(~mask, fill)


@public("torch._unsafe_masked_index_put_accumulate")
@composite
def unsafe_masked_index_put(self: Value, mask: Value, indices: Sequence[Any], values: Value) -> Value:
    """A tensor with values added at some places where a mask holds."""
    return self.index_put(tuple(_inside(self, indices)), values.masked_fill(~mask, 0), accumulate=True)


def _check_chunks(tensors: Sequence[Tensor], dim: int) -> None:
    """Refuse tensors of which no chunks can lie side by side."""
    first = tensors[0]
    if any(t.dtype != first.dtype for t in tensors):
        fail("_chunk_cat expects all input tensors with the same dtype")
    if not all(t.numel() for t in tensors):
        fail("_chunk_cat expects non-empty tensor")
    if any(t.ndim != first.ndim for t in tensors):
        if dim < 0:
            fail("_chunk_cat expects non-negative dim when input tensors have different ndims")
        if any(dim >= t.ndim for t in tensors):
            fail("_chunk_cat expects dim < ndim for all input tensors")
    at = axis(dim, first.ndim)
    if any(t.shape[:at] != first.shape[:at] for t in tensors):
        fail("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")


@public("torch._chunk_cat")
def chunk_cat(tensors: Sequence[Tensor], dim: int, num_chunks: int) -> Any:
    """Tensors cut into chunks along an axis, filled up with zeros, and the chunks of each number side by side."""
    if num_chunks < 1:
        fail("_chunk_cat expects positive num_chunks")
    if not tensors:
        fail("_chunk_cat expects a non-empty input tensor list")
    _check_chunks(tensors, dim)
    at = axis(dim, tensors[0].ndim)
    parts = []
    for t in tensors:
        before, (n, *rest) = t.shape[:at], t.shape[at:]
        each = -(-n // num_chunks)
        missing = each * num_chunks - n
        grown = ops.joining.cat([t, t.new_zeros((*before, missing, *rest))], at) if missing else t
        parts.append(grown.reshape((*before, num_chunks, -1)))
    return ops.joining.cat(parts, at + 1)


def _at(indices: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([slice(None) if i is None else i for i in indices])


def index_of_any(self: Tensor, indices: Sequence[Any]) -> Any:
    """The values at tensors of indices; None stands for all places of an axis."""
    return self[_at(indices)]


def index_put_of_any(self: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Any:
    """A copy with values written, or added, there."""
    written = self.clone()
    place = _at(indices)
    written[place] = written[place] + values if accumulate else values
    return written


def lift_fresh(self: Tensor) -> Tensor:
    """A tensor that was just made of numbers: PyTorch tells modes of it."""
    return self


_HERE: dict[str, Callable[..., Any]] = {
    "_batch_norm_with_update": batch_norm_with_update, "_unsafe_view": ops.views.unsafe_view,
    "_upsample_bilinear2d_aa": upsample_bilinear, "alias": ops.views.alias,
    "detach": Tensor.detach, "is_contiguous": Tensor.is_contiguous, "numel": Tensor.numel, "lift_fresh": lift_fresh,
    "max_pool2d_with_indices_backward": max_pool2d_back, "native_dropout_backward": native_dropout_backward,
    "slice": ops.views.slice_, "index": index_of_any, "index_put": index_put_of_any,
}  # fmt: skip

"""Convolutions: one trilinear form of input, weight and output gradient, read three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...dtypes import CATEGORY, DTYPES, dtype, wider
from ...registry import primitive, shared
from ...tensor import Array, Value
from ..memory_order import laid_as
from ..pointwise.masks import refuse_integers
from ..pool import correlations, divisions, unfolded
from ..pool.correlations import added, correlate, correlate_input, correlate_weight, out_size
from ..pool.windows import Sizes

# So many channels are kept in blocks; fewer channels of a transposed convolution are summed up image by image.
_PLAIN = 4

# -- the ops -------------------------------------------------------------------------------------


@primitive(
    input=shared,
    weight=shared,
    bias=shared,
    joint=lambda g, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding, groups, *,
    wanted: convolution_backward(
        g, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding, groups, wanted
    ),
    form="convolved",
)  # fmt: skip
def convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> Array:
    """Convolution (cross-correlation) of a batch of signals, or its transpose."""
    _check(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    _check_kernel(input, dilation, transposed)
    if not transposed and not input.shape[1]:
        # Of no channels PyTorch makes none, whatever the weight says.
        out = out_size(input.shape[2:], weight.shape[2:], stride, padding, dilation)
        return np.zeros((input.shape[0], 0, *out), input.dtype)
    by_products, how = unfolded.is_taken(input, weight, groups), (stride, padding, dilation)
    if transposed:
        size = transposed_size(input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
        found = unfolded.to_input(input, weight, size, *how) if by_products else None
        y = added(correlate_input(input, weight, size, *how, groups) if found is None else found, bias)
    elif by_products:
        y = unfolded.output(input, weight, out_size(input.shape[2:], weight.shape[2:], *how), *how, bias)
    else:
        y = correlate(input, weight, *how, groups, None, bias)
    if input.flags.c_contiguous and weight.flags.c_contiguous:
        return y
    # PyTorch's own kernel lays volumes out row by row, wherever the channels of what they are made of lie.
    return laid_as(weight, laid_as(input, y)) if y.ndim == 4 or is_by_mkldnn(input, weight, groups) else y


def transposed_size(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    """The size of the input whose convolution has this size."""
    return tuple(
        [
            (n - 1) * s - 2 * p + d * (k - 1) + o + 1
            for n, k, s, p, d, o in zip(size, kernel, stride, padding, dilation, output_padding, strict=True)
        ]
    )


def _twice(
    g: Any,
    grad_output: Value,
    input: Value,
    weight: Value,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
    *,
    wanted: list[bool],
) -> tuple[Value | None, Value | None, Value | None]:
    """Gradients of a convolution's gradients: the form again, with the incoming shares in place of its arguments."""
    of_input, of_weight, of_bias = g
    how = (stride, padding, dilation, transposed, output_padding, groups)
    to_grad = to_input = to_weight = None
    if wanted[0]:
        bias = of_bias
        if of_input is not None:
            to_grad = convolution(of_input, weight, bias, *how)
            bias = None
        if of_weight is not None:
            more = convolution(input, of_weight, bias, *how)
            to_grad = more if to_grad is None else to_grad + more
        if to_grad is None and of_bias is not None:
            to_grad = ops.views.expand(
                ops.views.reshape(of_bias, (1, -1, *[1] * (grad_output.ndim - 2))), tuple(grad_output.shape)
            )
    if wanted[1] and of_weight is not None:
        to_input = convolution_backward(grad_output, input, of_weight, (0,), *how, (True, False, False))[0]
    if wanted[2] and of_input is not None:
        to_weight = convolution_backward(grad_output, of_input, weight, (0,), *how, (False, True, False))[1]
    return to_grad, to_input, to_weight


@primitive(
    backward=True,
    node="ConvolutionBackwardBackward0",
    outputs=("result0", "result1", "result2"),
    grad_output=shared,
    input=shared,
    weight=shared,
    joint=_twice,
    form="convolved_back",
)
def convolution_backward(
    grad_output: Array,
    input: Array,
    weight: Array,
    bias_sizes: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
    output_mask: Any = (True, True, True),
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of convolution in input, weight and bias."""
    to_input = to_weight = to_bias = None
    if not transposed and not input.shape[1]:
        shapes = (input.shape, weight.shape, tuple(bias_sizes or ()))
        found = [np.zeros(s, input.dtype) if wanted else None for s, wanted in zip(shapes, output_mask, strict=True)]
        return found[0], found[1], found[2]
    if unfolded.is_taken(input, weight, groups) and input.dtype is grad_output.dtype:
        return _by_products(grad_output, input, weight, (stride, padding, dilation), transposed, output_mask)
    how = (stride, padding, dilation, groups)
    if output_mask[0]:
        to_input = (
            correlate(grad_output, weight, *how, input.shape[2:])
            if transposed
            else correlate_input(grad_output, weight, input.shape[2:], *how)
        )
    if output_mask[1]:
        there, back = (input, grad_output) if transposed else (grad_output, input)
        to_weight = correlate_weight(there, back, weight.shape[2:], *how)
    if output_mask[2]:
        to_bias = correlations.per_channel(grad_output, _division_of_bias(grad_output, input, weight, *how, transposed))
    return _laid(input, weight, to_input), _laid(input, weight, to_weight), to_bias


def _division_of_bias(
    g: Array,
    input: Array,
    weight: Array,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
    transposed: bool,
) -> divisions.Division | None:
    """The parts in which the gradient of a bias is added up; none are rows."""
    if not g.size:
        return None
    all_ = g.size // g.shape[1]
    if transposed:
        return [*range(0, all_, all_ // len(g)), all_] if g.shape[1] < _PLAIN else [0, all_]
    kernel = weight.shape[2:]
    if correlations.leaves_to_products(input.shape[1], len(weight), groups, len(input), kernel, dilation):
        return None
    return divisions.of_sums(g.shape, input.shape, kernel, stride, padding, dilation, groups)[1]


def _by_products(
    g: Array, input: Array, weight: Array, how: tuple[Sizes, Sizes, Sizes], transposed: bool, wanted: Any
) -> tuple[Array | None, Array | None, Array | None]:
    """The same of one small image."""
    size = input.shape[2:]
    back = unfolded.output(g, weight, size, *how, None) if transposed else unfolded.to_input(g, weight, size, *how)
    there, seen = (input, g) if transposed else (g, input)
    to_weight = unfolded.to_weight(there, seen, weight.shape[2:], *how) if wanted[1] else None
    return (
        _laid(input, weight, back if wanted[0] else None), _laid(input, weight, to_weight),
        unfolded.to_bias(g) if wanted[2] else None,
    )  # fmt: skip


def _laid(input: Array, weight: Array, share: Array | None) -> Array | None:
    """A gradient with its channels last in memory, if those of the input or of the weight are."""
    return None if share is None else laid_as(weight, laid_as(input, share))


# -- what can be wrong with a call ---------------------------------------------------------------


def _check(
    x: Array,
    w: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
) -> None:
    if min(padding) < 0:
        fail("negative padding is not supported")
    if min(output_padding) < 0:
        fail("negative output_padding is not supported")
    if min(stride) <= 0:
        fail("non-positive stride is not supported")
    if min(dilation) <= 0 and not transposed:
        fail(f"dilation should be greater than zero, but got {_of_planes(dilation)}")
    if groups <= 0:
        fail("non-positive groups is not supported")
    if "c" not in (x.dtype.kind, w.dtype.kind, bias.dtype.kind if bias is not None else ""):
        of_bias = None if bias is None else DTYPES[bias.dtype]
        check_dtypes(DTYPES[x.dtype], DTYPES[w.dtype], of_bias, transposed, is_by_mkldnn(x, w, groups))
    check_ranks(x, w)
    _check_channels(x, w, bias, transposed, groups)
    if transposed:
        _check_transposed_sizes(x.shape[2:], w.shape, stride, padding, dilation, output_padding)
    else:
        _check_sizes(x.shape[2:], w.shape[2:], padding, dilation)


def _check_channels(x: Array, w: Array, bias: Array | None, transposed: bool, groups: int) -> None:
    sizes = list(w.shape)
    if w.shape[0] < groups:
        fail(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{sizes} instead"
        )
    if w.shape[0] % groups:
        fail(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{sizes}] instead"
        )
    needed = w.shape[0] if transposed else w.shape[1] * groups
    if x.shape[1] != needed:
        fail(
            f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {sizes}, expected input"
            f"{list(x.shape)} to have {needed} channels, but got {x.shape[1]} channels instead"
        )
    channels = w.shape[1] * groups if transposed else w.shape[0]
    if bias is not None and bias.shape != (channels,):
        fail(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {sizes}, expected bias to be 1-dimensional "
            f"with {channels} elements, but got bias of size {list(bias.shape)} instead"
        )


def _check_transposed_sizes(
    size: Sizes, weight: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> None:
    kernel = weight[2:]
    if len(kernel) == 3 and 0 in weight:
        axes = "n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width"
        fail(f"non-empty 5D ({axes}) tensor expected for weight, but got: {list(weight)}")
    if 0 in kernel:
        fail(f"kernel size should be greater than zero, but got {_by_side(kernel=kernel)}")
    if min(dilation) <= 0:
        fail(f"dilation should be greater than zero, but got {_by_side(', ', dilation=dilation)}")
    if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        shown = _by_side(output_padding=output_padding, stride=stride, dilation=dilation)
        fail(f"output padding must be smaller than either stride or dilation, but got {shown}")
    if 0 in weight:
        fail(f"non-empty 2D or 4D weight tensor expected, but got: {[*weight[:2], *_of_planes(kernel)]}")
    out = transposed_size(size, kernel, stride, padding, dilation, output_padding)
    if min(out) <= 0:
        fail(
            f"Given input size per channel: ({_times(size)}). Calculated output size per channel: "
            f"({_times(out)}). Output size is too small"
        )


def _check_sizes(size: Sizes, kernel: Sizes, padding: Sizes, dilation: Sizes) -> None:
    grown = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    if any(n < r for n, r in zip(grown, reach, strict=True)):
        fail(
            f"Calculated padded input size per channel: ({_times(grown)}). Kernel size: ({_times(reach)}). "
            "Kernel size can't be greater than actual input size"
        )
    if 0 in kernel:
        shown = f": {_times(kernel)} (TxHxW)" if len(kernel) == 3 else f" {_by_side(kernel=kernel)}"
        fail(f"kernel size should be greater than zero, but got{shown}")


def check_ranks(x: Value, w: Value) -> None:
    """Refuse an input and a weight of different ranks."""
    if w.ndim != x.ndim:
        fail(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )


def _of_planes(sizes: Sizes, one: int = 1) -> list[int]:
    """The sizes along the axes of planes or volumes: a signal is a plane of height 1."""
    return [*(one,) * (2 - len(sizes)), *sizes]


def _by_side(between: str = " ", **named: Sizes) -> str:
    """Sizes with the names of the axes that they are along."""
    return between.join(
        f"{word}_{side}: {n}"
        for word, sizes in named.items()
        for side, n in zip(
            ("depth", "height", "width")[-max(len(sizes), 2) :],
            _of_planes(sizes, 0 if word == "output_padding" else 1),
            strict=True,
        )
    )


def check_dtypes(x: dtype, w: dtype, bias: dtype | None, transposed: bool, by_mkldnn: bool) -> None:
    """Refuse a weight or a bias of another dtype than the input, in the words of the kernel that PyTorch asks."""
    if not transposed and bias not in (None, x):
        fail(f"Input type ({x.c_name}) and bias type ({bias.c_name}) should be the same")
    if by_mkldnn or x.is_complex:
        for what, other in (("weight", w), ("bias", bias)):
            if other not in (None, x):
                or_else = f" or input should be a MKLDNN tensor and {what} is a dense tensor" if by_mkldnn else ""
                fail(f"Input type ({x.type_name}) and {what} type ({other.type_name}) should be the same{or_else}")
    elif w is not x:
        fail(f"expected scalar type {x.tensor_name} but found {w.tensor_name}")
    elif bias is not None and CATEGORY[bias.np.kind] > CATEGORY[x.np.kind]:
        both = DTYPES[wider(x.np, bias.np)]
        fail(f"result type {both.tensor_name} can't be cast to the desired output type {x.tensor_name}")


def is_by_mkldnn(x: Value, w: Value, groups: int) -> bool:
    """Tell whether PyTorch leaves a convolution of this input to MKL-DNN: of halves, and of many single numbers."""
    kind = x.dtype.name
    large = kind == "float32" and unfolded.is_large(tuple(x.shape), tuple(w.shape[2:]), groups)
    return large or kind in ("float16", "bfloat16")


def _check_kernel(x: Array, dilation: Sizes, transposed: bool) -> None:
    """Refuse the whole numbers that PyTorch has no kernel for."""
    if x.dtype.kind not in "biu" or not x.size:
        return
    volumes = len(dilation) == 3
    if transposed:
        kernel, taken = f"slow_conv_transpose{3 if volumes else 2}d_out_cpu", x.dtype.name == "int64"
    elif max(dilation) > 1:
        kernel, taken = "slow_conv_dilated<>", x.dtype.name == "int64"
    else:
        kernel, taken = "compute_columns3d" if volumes else "slow_conv2d_cpu", x.dtype.kind != "b"
    if not taken:
        refuse_integers(kernel, x)


def _times(sizes: Any) -> str:
    return " x ".join(str(n) for n in sizes)

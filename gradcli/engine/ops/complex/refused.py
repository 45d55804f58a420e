"""The ops that PyTorch itself does not compute of complex numbers, and its words for that."""

from __future__ import annotations

from typing import Any

from ....errors import EngineError, EngineNotImplementedError
from ...dtypes import DTYPES
from ...tensor import Tensor

# Ops whose kernel has their own name and `_cpu` behind it; in the other lines, the kernel of each.
_KERNELS = {
    name: f"{name}_cpu"
    for name in (
        "aminmax atan2 bincount bitwise_and bitwise_not bitwise_or bitwise_xor cummax cummin frac gcd ge gt hardshrink "
        "hardsigmoid hardswish hypot igamma igammac kthvalue lcm le leaky_relu log_sigmoid logaddexp2 logit lt mish "
        "mode nextafter"
    ).split()
} | {
    name: f"{name}_vml_cpu" for name in ("erf", "erfc", "erfinv", "i0", "lgamma")
} | dict(
    pair.split("=")
    for pair in (
        "adaptive_avg_pool2d=adaptive_avg_pool2d adaptive_avg_pool3d=adaptive_avg_pool3d_cpu "
        "adaptive_max_pool2d_with_indices=adaptive_max_pool2d adaptive_max_pool3d_with_indices=adaptive_max_pool3d_cpu "
        "amax=max_values_cpu amin=min_values_cpu avg_pool2d=avg_pool2d avg_pool3d=avg_pool3d_out_frame "
        "bernoulli=bernoulli_tensor_cpu_self_ binary_cross_entropy=binary_cross_entropy "
        "binary_cross_entropy_with_logits=log_sigmoid_cpu bitwise_left_shift=lshift_cpu bitwise_right_shift=rshift_cpu "
        "bucketize=searchsorted_out_cpu celu=elu_cpu celu_in_place=elu_cpu clamp_max_tensor=minimum_cpu "
        "clamp_min_tensor=maximum_cpu copysign_number=copysign_cpu copysign_tensor=copysign_cpu digamma=digamma "
        "dropout=bernoulli_scalar_cpu_ elu=elu_cpu elu_in_place=elu_cpu floor_divide=div_floor_cpu "
        "fmod_number=fmod_cpu fmod_tensor=fmod_cpu gated=glu_cpu gelu_=GeluKernelImpl histc=aminmax_cpu "
        "huber_loss=huber_cpu leaky_relu_in_place=leaky_relu_cpu log_softmax_along=log_softmax_lastdim_kernel_impl "
        "max_all=max_all max_pool2d_with_indices=max_pool2d median_all=median_cpu median_dim=median_out "
        "min_all=min_all mse_loss=mse_cpu multi_margin_loss=multi_margin_loss_cpu_kernel nanmedian_all=median_cpu "
        "nanmedian_dim=median_out native_batch_norm=batch_norm native_group_norm=GroupNormKernelImpl "
        "native_layer_norm=LayerNormKernelImpl nll_loss_forward=nll_loss_out_frame remainder_number=remainder_cpu "
        "remainder_tensor=remainder_cpu round_whole=round_vml_cpu rrelu_with_noise=leaky_relu_cpu "
        "rrelu_with_noise_in_place=leaky_relu_cpu safe_softmax=softmax_lastdim_kernel_impl "
        "searchsorted=searchsorted_out_cpu smooth_l1_loss=smooth_l1_cpu softmax_along=softmax_lastdim_kernel_impl "
        "softplus_=softplus_cpu softshrink=softshrink_check threshold=threshold_cpu threshold_in_place=threshold_cpu "
        "unique2=unique unique_consecutive_=unique upsample_nearest1d=compute_indices_weights_nearest "
        "upsample_bilinear2d=upsample_bilinear2d_channels_last upsample_nearest2d=upsample_nearest2d_channels_last "
        "xlogy_number=xlogy_cpu xlogy_tensor=xlogy_cpu"
    ).split()
)  # fmt: skip

_NO_CLAMP = "clamp is not supported for complex types"
_UNIMPLEMENTED = {
    "ceil": "ceil is not supported for complex inputs",
    "clamp_max_number": _NO_CLAMP,
    "clamp_min_number": _NO_CLAMP,
    "clamp_number": _NO_CLAMP,
    "clamp_tensor": _NO_CLAMP,
    "floor": "floor is not supported for complex inputs",
    "hardtanh": _NO_CLAMP,
    "relu": _NO_CLAMP,
    "sign": (
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
    ),
    "signbit": "signbit is not implemented for complex tensors.",
    "trunc": "trunc is not supported for complex inputs",
}
_NO_SORT = " Sort does not support complex dtypes on CPU"
_FAILING = {
    "argmax": "argmax(): does not support complex input",
    "argmin": "argmin(): does not support complex input",
    "argsort": _NO_SORT,
    "cdist_forward": "cdist only supports floating-point dtypes, X1 got: {dtype}",
    "deg2rad": "deg2rad is not supported for complex tensors.",
    "fmax": "fmax not implemented for complex tensors.",
    "fmin": "fmin not implemented for complex tensors.",
    "frexp_parts": "torch.frexp() only supports floating-point dtypes",
    "heaviside": "heaviside is not yet implemented for complex tensors.",
    "isin": "Unsupported input type encountered for isin(): {dtype}",
    "isneginf": "isneginf does not support complex inputs.",
    "isposinf": "isposinf does not support complex inputs.",
    "kl_div": "kl_div: Complex inputs not supported.",
    "max_dim": "max(): does not support complex input",
    "maximum": "maximum not implemented for complex tensors.",
    "min_dim": "min(): does not support complex input",
    "minimum": "minimum not implemented for complex tensors.",
    "multinomial": "multinomial only supports floating-point dtypes for input, got: {dtype}",
    "nansum": "nansum on CPU does not support complex inputs",
    "normal": "normal expects standard deviation to be non-complex",
    "pdist_forward": "pdist only supports floating-point dtypes",
    "rad2deg": "rad2deg is not supported for complex tensors.",
    "sort": _NO_SORT,
    "topk": " topk does not support complex dtypes on CPU",
}


def refusal(name: str, operands: tuple[Any, ...]) -> Exception | None:
    """PyTorch's error for an op of such operands; None for what it does compute."""
    complex_ones = [x._a.dtype for x in operands if isinstance(x, Tensor) and x._a.dtype.kind == "c"]
    dtype = DTYPES[complex_ones[0]].tensor_name if complex_ones else "ComplexFloat"
    if name in _KERNELS:
        return EngineNotImplementedError(f"\"{_KERNELS[name]}\" not implemented for '{dtype}'")
    if name in _UNIMPLEMENTED:
        return EngineNotImplementedError(_UNIMPLEMENTED[name])
    return EngineError(_FAILING[name].replace("{dtype}", dtype)) if name in _FAILING else None

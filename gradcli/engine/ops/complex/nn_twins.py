"""Images and signals of complex numbers: their pixels are moved, and a convolution is made of three real ones."""

from __future__ import annotations

from typing import Any

from ....errors import EngineError
from ... import ops
from ...complex_twins import TWINS, twins
from ...modes import recording
from ...tensor import Value
from ..nn import image_blocks, smooth_activations, trilinear_convolution
from .parts import resolve_conj, view_as_real

twins(
    image_blocks.im2col, image_blocks.col2im, image_blocks.pixel_shuffle, image_blocks.pixel_unshuffle,
    image_blocks.channel_shuffle,
)  # fmt: skip


def _parts(x: Any) -> tuple[Any, Any]:
    pairs = view_as_real(resolve_conj(x))
    return ops.views.select(pairs, -1, 0), ops.views.select(pairs, -1, 1)


def _convolution(input: Any, weight: Any, bias: Any, *how: Any) -> Value:
    """A convolution of complex numbers, of three real ones in the place of four."""
    convolution = trilinear_convolution.convolution
    dtypes = input.dtype, weight.dtype, None if bias is None else bias.dtype
    trilinear_convolution.check_dtypes(*dtypes, how[3], trilinear_convolution.is_by_mkldnn(input, weight, how[-1]))
    (a, b), (c, d) = _parts(input), _parts(weight)
    e, f = (None, None) if bias is None else _parts(bias)
    total = None if e is None or f is None else e + f
    first, second = convolution(a, c, e, *how), convolution(b, d, None, *how)
    both = convolution(a + b, c + d, total, *how)
    return first - second + ops.arith.mul_number(both - first - second, 1j)


TWINS[trilinear_convolution.convolution.op] = _convolution


def _silu(input: Any) -> Value:
    """The same of complex numbers, which PyTorch has no gradient of."""
    if recording() and input.requires_grad:
        raise EngineError("silu does not support automatic differentiation for outputs with complex dtype.")
    return input / ((-input).exp() + 1)


TWINS[smooth_activations.silu.op] = _silu

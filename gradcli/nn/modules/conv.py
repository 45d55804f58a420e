"""Convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.own_init import own_call
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F, init
from ..base.holder import member
from ..base.options import function
from .linear import empty, uniform_bias
from .module import Module
from .utils import _reverse_repeat_tuple


def _each(value: Any, rank: int) -> tuple[Any, ...]:
    """A number for each axis."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


class _ConvNd(Module):
    """The base of all convolutions."""

    _added = {"padding_mode": "zeros"}
    _reversed_padding_repeated_twice: tuple[int, ...] | list[int]

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...],
        padding: str | tuple[int, ...], dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...],
        groups: int, bias: bool, padding_mode: str, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise EngineValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise EngineValueError(f"{name} must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding: Any = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_padding()
        self._reversed_padding_repeated_twice = self._around()
        ins, outs = (out_channels, in_channels) if transposed else (in_channels, out_channels)
        self.weight = empty(outs, ins // groups, *self.kernel_size, dtype=dtype, device=device)
        self.register_parameter("bias", empty(out_channels, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def _check_padding(self) -> None:
        if self.padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise EngineValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                f"padding_mode='{self.padding_mode}'"
            )
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise EngineValueError(
                    f"Invalid padding string {self.padding!r}, should be one of {{'valid', 'same'}}"
                )
            if self.padding == "same" and any(s != 1 for s in self.stride):
                raise EngineValueError("padding='same' is not supported for strided convolutions")

    def _around(self) -> tuple[int, ...] | list[int]:
        """The padding of each side, from the last axis to the first."""
        if not isinstance(self.padding, str):
            sides: tuple[int, ...] = _reverse_repeat_tuple(self.padding, 2)
            return sides
        apart = [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            for i, (d, k) in enumerate(zip(self.dilation[::-1], self.kernel_size[::-1], strict=True)):
                whole = d * (k - 1)
                apart[2 * i : 2 * i + 2] = [whole // 2, whole - whole // 2]
        return apart

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        uniform_bias(self.bias, self.weight.shape[1] * math.prod(self.kernel_size))

    def extra_repr(self) -> str:
        """The options that are not as usual."""
        rank = len(self.kernel_size)
        none = (0,) * rank
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {"padding": none, "dilation": (1,) * rank, "output_padding": none, "groups": 1}
        for name, value in usual.items():
            if (own := member(self, name)) != value:
                text += f", {name}={own}"
        text += ", bias=False" if self.bias is None else ""
        return text + ("" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}")


class _Forward(_ConvNd):
    _rank = 0

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        rank = ours(self, _Forward)._rank
        super().__init__(
            in_channels, out_channels, _each(kernel_size, rank), _each(stride, rank),
            padding if isinstance(padding, str) else _each(padding, rank), _each(dilation, rank), False, (0,) * rank,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Any) -> Any:
        """Apply the layer."""
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        convolve = function(f"conv{ours(self, _Forward)._rank}d")
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


@own_call
class Conv1d(_Forward):
    """A convolution over a sequence."""

    _rank = 1


@own_call
class Conv2d(_Forward):
    """A convolution over an image."""

    _rank = 2


@own_call
class Conv3d(_Forward):
    """A convolution over a volume."""

    _rank = 3


class _ConvTransposeNd(_ConvNd):
    """The base of all transposes of convolutions."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...],
        padding: tuple[int, ...], dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...],
        groups: int, bias: bool, padding_mode: str, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise EngineValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(
        self, input: Tensor, output_size: Sequence[int] | None, stride: Sequence[int], padding: Sequence[int],
        kernel_size: Sequence[int], num_spatial_dims: int, dilation: Sequence[int] | None = None,
    ) -> Any:  # fmt: skip
        """The output_padding that turns the least output size into the one asked for."""
        if output_size is None:
            return _each(self.output_padding, num_spatial_dims)
        rank, size = num_spatial_dims, output_size
        lead = 2 if input.dim() == rank + 2 else 1
        size = size[lead:] if len(size) == lead + rank else size
        if len(size) != rank:
            raise EngineValueError(
                f"ConvTranspose{rank}D: for {input.dim()}D input, output_size must have {rank} or {lead + rank} "
                f"elements (got {len(size)})"
            )
        axes = zip(input.shape[lead:], stride, padding, dilation or (1,) * rank, kernel_size, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in axes]
        most = [n + s - 1 for n, s in zip(least, stride, strict=True)]
        if not all(low <= n <= high for low, n, high in zip(least, size, most, strict=True)):
            raise EngineValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.shape[2:]})"
            )
        return [n - low for n, low in zip(size, least, strict=True)]


class _Transposed(_ConvTransposeNd):
    _rank = 0

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        rank = ours(self, _Transposed)._rank
        super().__init__(
            in_channels, out_channels, _each(kernel_size, rank), _each(stride, rank), _each(padding, rank),
            _each(dilation, rank), True, _each(output_padding, rank), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """Apply the layer."""
        rank = ours(self, _Transposed)._rank
        more = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, rank, self.dilation
        )
        convolve = function(f"conv_transpose{rank}d")
        return convolve(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


@own_call
class ConvTranspose1d(_Transposed):
    """The transpose of a convolution over a sequence."""

    _rank = 1


@own_call
class ConvTranspose2d(_Transposed):
    """The transpose of a convolution over an image."""

    _rank = 2


@own_call
class ConvTranspose3d(_Transposed):
    """The transpose of a convolution over a volume."""

    _rank = 3

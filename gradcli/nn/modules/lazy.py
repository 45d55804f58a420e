"""Layers that learn from their first input how wide it is, and then are ordinary ones."""

from __future__ import annotations

from typing import Any

from ...engine.graph import RemovableHandle
from ...engine.guard.trusted_classes import ours
from ...engine.own_init import own_init
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineValueError
from ..base.holder import member
from ..parameter import UninitializedBuffer, UninitializedParameter, UninitializedTensorMixin, is_lazy
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .module import Module


class LazyModuleMixin:
    """The part of a lazy layer that gives its parameters their numbers when it is first told its inputs."""

    # The class that a layer is of once its parameters have numbers, if another.
    cls_to_become: Any = None
    # What waits for a state dict, and for the first input.
    _load_hook: RemovableHandle
    _initialize_hook: RemovableHandle

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._wait()

    def _wait(self) -> None:
        layer: Any = self
        own = layer.__dict__
        own["_load_hook"] = layer.register_load_state_dict_pre_hook(_take_shapes)
        own["_initialize_hook"] = layer.register_forward_pre_hook(_initialize, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their numbers, for inputs like these; subclasses define it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """True if a parameter or buffer still waits for its numbers."""
        held = (*self.__dict__["_parameters"].values(), *self.__dict__["_buffers"].values())
        return any(isinstance(t, UninitializedTensorMixin) for t in held)


def _take_shapes(module: Any, state: Any, prefix: str, *told: Any) -> None:
    """Have what waits for its numbers take the shape of what a state dict has for it."""
    for kind in ("_parameters", "_buffers"):
        for name, t in module.__dict__[kind].items():
            loaded = state.get(prefix + name)
            if isinstance(t, UninitializedTensorMixin) and isinstance(loaded, Tensor) and not is_lazy(loaded):
                t.materialize(loaded.shape)


def _initialize(module: Any, args: Any, kwargs: Any) -> None:
    """Have a layer give its parameters their numbers, once."""
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    for hook in ("_initialize_hook", "_load_hook"):
        module.__dict__.pop(hook).remove()
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


class _Lazy(LazyModuleMixin, Module):
    """A layer whose parameters have no numbers before its first input is seen."""

    # The ordinary layer, the attribute that is learnt, and the numbers of axes that an input may have.
    _becomes: Any
    _width: str
    _ranks: tuple[int, ...] = ()

    def _forget_numbers(self) -> None:
        """Begin without numbers: what the ordinary layer has made waits for the first input."""
        setattr(self, ours(self, _Lazy)._width, 0)
        parameters, buffers = self.__dict__["_parameters"], self.__dict__["_buffers"]
        for name, p in parameters.items():
            if p is not None:
                parameters[name] = UninitializedParameter(dtype=p.dtype)
        for name, b in buffers.items():
            if b is not None and b.ndim:
                buffers[name] = UninitializedBuffer(dtype=b.dtype)
        self._wait()

    def _shape_of(self, name: str, width: int) -> tuple[int, ...] | None:
        """The shape of a parameter or buffer for inputs of a width, None for one that is not the layer's own."""
        raise NotImplementedError

    def _width_of(self, input: Any) -> int:
        ranks = ours(self, _Lazy)._ranks
        if ranks and input.dim() not in ranks:
            raise EngineError(
                f"Expected {ranks[0]}D (unbatched) or {ranks[1]}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape!r}"
            )
        return int(input.shape[-ranks[0] if ranks else -1])

    @property
    def cls_to_become(self) -> Any:
        """The ordinary layer."""
        return ours(self, _Lazy)._becomes

    def initialize_parameters(self, input: Any, *args: Any, **kwargs: Any) -> None:
        """Draw the starting values, for inputs like this one."""
        width = self._width_of(input)
        waiting = self.has_uninitialized_params()
        for kind in ("_parameters", "_buffers"):
            for name, t in self.__dict__[kind].items():
                # What a program's class has besides is none of the ordinary layer's.
                shape = self._shape_of(name, width)
                if isinstance(t, UninitializedTensorMixin) and shape is not None:
                    t.materialize(shape)
        setattr(self, ours(self, _Lazy)._width, width)
        if waiting:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values, once it is known how many."""
        kind = ours(self, _Lazy)
        if member(self, kind._width) and not self.has_uninitialized_params():
            kind._becomes.reset_parameters(self)


class LazyLinear(_Lazy, Linear):
    """x A' + b, for inputs of any width."""

    _becomes, _width = Linear, "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Linear.__init__(self, 0, out_features, bias, device, dtype)
        self._forget_numbers()

    def _shape_of(self, name: str, width: int) -> tuple[int, ...] | None:
        return {"weight": (self.out_features, width), "bias": (self.out_features,)}.get(name)


class _LazyConv(_Lazy):
    _width = "in_channels"

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        options = (kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype)
        ours(self, _Lazy)._becomes.__init__(self, 0, 0, *options)
        self.out_channels = out_channels
        self._forget_numbers()

    def _shape_of(self, name: str, width: int) -> tuple[int, ...] | None:
        if width % self.groups:
            raise EngineValueError("in_channels must be divisible by groups")
        ins, outs = (self.out_channels, width) if self.transposed else (width, self.out_channels)
        shapes = {"weight": (outs, ins // self.groups, *self.kernel_size), "bias": (self.out_channels,)}
        return shapes.get(name)


@own_init
class LazyConv1d(_LazyConv, Conv1d):
    """A convolution over a sequence of any number of channels."""

    _becomes, _ranks = Conv1d, (2, 3)


@own_init
class LazyConv2d(_LazyConv, Conv2d):
    """A convolution over an image of any number of channels."""

    _becomes, _ranks = Conv2d, (3, 4)


@own_init
class LazyConv3d(_LazyConv, Conv3d):
    """A convolution over a volume of any number of channels."""

    _becomes, _ranks = Conv3d, (4, 5)


class _LazyTransposed(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        options = (kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype)
        ours(self, _Lazy)._becomes.__init__(self, 0, 0, *options)
        self.out_channels = out_channels
        self._forget_numbers()


@own_init
class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """The transpose of a convolution over a sequence of any number of channels."""

    _becomes, _ranks = ConvTranspose1d, (2, 3)


@own_init
class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """The transpose of a convolution over an image of any number of channels."""

    _becomes, _ranks = ConvTranspose2d, (3, 4)


@own_init
class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """The transpose of a convolution over a volume of any number of channels."""

    _becomes, _ranks = ConvTranspose3d, (4, 5)


class _LazyNormBase(_Lazy):
    _width = "num_features"

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        # Of width 1, for buffers with an axis are those that depend on it.
        layer = ours(self, _Lazy)._becomes
        layer.__init__(self, 1, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._forget_numbers()

    def _width_of(self, input: Any) -> int:
        return int(input.shape[1])

    def _shape_of(self, name: str, width: int) -> tuple[int, ...] | None:
        return (width,) if name in ("weight", "bias", "running_mean", "running_var") else None


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """Each feature of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """Each channel of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """Each channel of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """Each channel of each sequence, of any number, with its own mean and variance."""

    _becomes = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """Each channel of each image, of any number, with its own mean and variance."""

    _becomes = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """Each channel of each volume, of any number, with its own mean and variance."""

    _becomes = InstanceNorm3d

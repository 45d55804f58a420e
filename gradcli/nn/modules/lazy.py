"""Layers that learn from their first input how wide it is, and then are ordinary ones."""

from __future__ import annotations

from typing import Any, NoReturn

from ...engine import dtypes
from ...engine.graph import AccumulateGrad
from ...engine.guard.trusted_classes import ours
from ...engine.ops.make import filled
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineValueError
from ..parameter import Buffer, Parameter
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .module import Module


class _Pending(Tensor):
    """A tensor without numbers, yet to be given some."""

    # It takes the shape of what it is loaded with.
    pending = True
    _wanted: Any
    _becomes: type

    @property
    def _a(self) -> NoReturn:
        raise EngineValueError(
            "Attempted to use an uninitialized parameter. This error happens when you are using a `LazyModule` or "
            "explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
            "`forward` with a dummy batch to initialize the parameters before calling torch functions"
        )

    @property
    def shape(self) -> NoReturn:
        """Refused: there is no shape yet."""
        raise EngineError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type to be."""
        found: dtypes.dtype = self._wanted
        return found

    @property
    def data(self) -> Tensor:
        """Nothing, in the element type to be."""
        nothing: Tensor = filled.empty(0, dtype=self._wanted)
        return nothing

    @data.setter
    def data(self, value: Tensor) -> None:
        self._wanted = value.dtype

    def is_floating_point(self) -> bool:
        """Return True: the dtype of a lazy parameter is a floating one."""
        return True

    def is_complex(self) -> bool:
        """Return False: the dtype of a lazy parameter is not complex."""
        return False

    def materialize(self, numbers: Tensor) -> None:
        """Take over the numbers of another tensor, and be as ordinary."""
        wanted = self._wanted
        self.__class__ = ours(self, _Pending)._becomes
        # By now it is of a class that has one.
        ordinary: Any = self
        ordinary._a = numbers.to(wanted)._memory()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Pending, Parameter):
    """A parameter without numbers, yet to be given some."""

    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        del device
        made: UninitializedParameter = object.__new__(cls)
        made._wanted = dtypes.get_default_dtype() if dtype is None else dtype
        made._asks = requires_grad
        return made

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        # All is done in __new__.
        del requires_grad, device, dtype

    _asks: bool

    @property
    def requires_grad(self) -> bool:
        """True if the parameter will require a gradient once it has numbers."""
        return self._asks

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._asks = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient, or ask for none."""
        self._asks = requires_grad
        return self

    def materialize(self, numbers: Tensor) -> None:
        """Take over the numbers of another tensor, and be an ordinary parameter."""
        super().materialize(numbers)
        if self._asks:
            self._node = AccumulateGrad(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        twin = UninitializedParameter(self._asks, dtype=self._wanted)
        memo[id(self)] = twin
        return twin


class UninitializedBuffer(_Pending, Buffer):
    """A buffer without numbers, yet to be given some."""

    _becomes = Tensor

    def __new__(cls, dtype: Any = None) -> UninitializedBuffer:
        made: UninitializedBuffer = object.__new__(cls)
        made._wanted = dtypes.get_default_dtype() if dtype is None else dtype
        made.persistent = True
        return made

    def __init__(self, dtype: Any = None) -> None:
        # All is done in __new__.
        del dtype

    def is_floating_point(self) -> bool:
        """Return False: there are no numbers yet that a conversion would touch."""
        return False

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedBuffer:
        twin = UninitializedBuffer(self._wanted)
        memo[id(self)] = twin
        return twin


class _Lazy(Module):
    """A layer whose parameters have no numbers before its first input is seen."""

    # The ordinary layer, the attribute that is learnt, and the numbers of axes that an input may have.
    _becomes: type[Module]
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
                buffers[name] = UninitializedBuffer(b.dtype)

    def _made(self, width: int) -> Module:
        """The ordinary layer for inputs of a width."""
        raise NotImplementedError

    def _width_of(self, input: Any) -> int:
        ranks = ours(self, _Lazy)._ranks
        if ranks and input.dim() not in ranks:
            raise EngineError(
                f"Expected {ranks[0]}D (unbatched) or {ranks[1]}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape!r}"
            )
        return int(input.shape[-ranks[0] if ranks else -1])

    def has_uninitialized_params(self) -> bool:
        """True if a parameter or buffer still waits for its numbers."""
        held = (*self.__dict__["_parameters"].values(), *self.__dict__["_buffers"].values())
        return any(isinstance(t, _Pending) for t in held)

    def initialize_parameters(self, input: Any) -> None:
        """Draw the starting values, for inputs like this one."""
        width = self._width_of(input)
        layer = self._made(width)
        for kind in ("_parameters", "_buffers"):
            for name, t in self.__dict__[kind].items():
                # What a program's class has besides is none of the ordinary layer's.
                numbers = layer.__dict__[kind].get(name)
                if isinstance(t, _Pending) and numbers is not None:
                    t.materialize(numbers.detach())
        setattr(self, ours(self, _Lazy)._width, width)

    def reset_parameters(self) -> None:
        """Nothing: there are no numbers yet."""

    def forward(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        """See the first input, and be an ordinary layer from then on."""
        self.initialize_parameters(input)
        object.__setattr__(self, "__class__", ours(self, _Lazy)._becomes)
        return self.forward(input, *args, **kwargs)


class LazyLinear(_Lazy, Linear):
    """x A' + b, for inputs of any width."""

    _becomes, _width = Linear, "in_features"

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Linear.__init__(self, 0, out_features, bias, device, dtype)
        self._forget_numbers()

    def _made(self, width: int) -> Module:
        return Linear(width, self.out_features, self.bias is not None)


class _LazyConv(_Lazy):
    _width = "in_channels"

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        options = (kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype)
        ours(self, _Lazy)._becomes.__init__(self, 0, out_channels, *options)
        self._forget_numbers()

    def _made(self, width: int) -> Module:
        made: Module = ours(self, _Lazy)._becomes(
            width, self.out_channels, self.kernel_size, self.stride, self.padding, self.dilation, self.groups,
            self.bias is not None, self.padding_mode,
        )  # fmt: skip
        return made


class LazyConv1d(_LazyConv, Conv1d):
    """A convolution over a sequence of any number of channels."""

    _becomes, _ranks = Conv1d, (2, 3)


class LazyConv2d(_LazyConv, Conv2d):
    """A convolution over an image of any number of channels."""

    _becomes, _ranks = Conv2d, (3, 4)


class LazyConv3d(_LazyConv, Conv3d):
    """A convolution over a volume of any number of channels."""

    _becomes, _ranks = Conv3d, (4, 5)


class _LazyTransposed(_Lazy):
    _width = "in_channels"

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        options = (kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype)
        ours(self, _Lazy)._becomes.__init__(self, 0, out_channels, *options)
        self._forget_numbers()

    def _made(self, width: int) -> Module:
        made: Module = ours(self, _Lazy)._becomes(
            width, self.out_channels, self.kernel_size, self.stride, self.padding, self.output_padding, self.groups,
            self.bias is not None, self.dilation, self.padding_mode,
        )  # fmt: skip
        return made


class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """The transpose of a convolution over a sequence of any number of channels."""

    _becomes, _ranks = ConvTranspose1d, (2, 3)


class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """The transpose of a convolution over an image of any number of channels."""

    _becomes, _ranks = ConvTranspose2d, (3, 4)


class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """The transpose of a convolution over a volume of any number of channels."""

    _becomes, _ranks = ConvTranspose3d, (4, 5)


class _LazyNorm(_Lazy):
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

    def _made(self, width: int) -> Module:
        made: Module = ours(self, _Lazy)._becomes(
            width, self.eps, self.momentum, self.affine, self.track_running_stats, bias=self.bias is not None
        )
        return made


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """Each feature of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """Each channel of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """Each channel of any number with the mean and variance it has in the batch."""

    _becomes = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """Each channel of each sequence, of any number, with its own mean and variance."""

    _becomes = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """Each channel of each image, of any number, with its own mean and variance."""

    _becomes = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """Each channel of each volume, of any number, with its own mean and variance."""

    _becomes = InstanceNorm3d

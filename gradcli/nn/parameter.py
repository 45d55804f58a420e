"""Parameters: leaf tensors that a module owns, and those that wait for their shape."""

from __future__ import annotations

from typing import Any, NoReturn

from ..engine import dtypes
from ..engine.graph import AccumulateGrad
from ..engine.guard.trusted_classes import ours
from ..engine.memory.places import CPU, Device
from ..engine.modes import mode
from ..engine.ops.make import filled
from ..engine.tensor import BESIDE, Tensor, disabled
from ..errors import EngineError, EngineValueError


class Parameter(Tensor):
    """A tensor that a module trains."""

    __torch_function__ = disabled

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if data is not None and not type(data).__module__.startswith("gradcli."):
            return _of_its_class(data, cls, requires_grad)  # type: ignore[no-any-return]
        made: Parameter = object.__new__(cls)
        # The parameter shares the tensor's memory, as PyTorch's does.
        made._a = dtypes.zeros_of((0,), dtypes.default.float) if data is None else data.detach()._shared_memory()
        if data is not None and data.is_inference():
            made._inference, made._vc = True, data._vc
        if requires_grad:
            if not (made.is_floating_point() or made.is_complex()):
                raise EngineError("Only Tensors of floating point and complex dtype can require gradients")
            if made._inference:
                # It refuses, outside of inference mode.
                made.requires_grad_()
            made._track(True)
            if data is not None and mode.tape is not None:
                mode.tape.begins_anew(made, data)
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True, *args: Any, **kwargs: Any) -> None:
        # All is done in __new__, which a class that derives from this one may give more.
        del data, requires_grad

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            kind: Any = Parameter if BESIDE in vars(type(self)) else type(self)
            memo[id(self)] = made = kind(self.detach().clone(), self.requires_grad)
            if mode.tape is not None:
                mode.tape.keeps(made, self)
        twin: Parameter = memo[id(self)]
        return twin


def _of_its_class(data: Any, cls: type, requires_grad: bool) -> Any:
    """A parameter that is a tensor of a class of a program's."""
    from ..engine.dispatch.overriding import parameter_class, plain_class

    made, kind = data.detach(), plain_class(type(data))
    if plain_class(type(made)) is not kind:
        raise EngineError(
            f"Creating a Parameter from an instance of type {kind.__name__} requires that detach() returns an instance "
            f"of the same type, but return type {type(made).__name__} was found instead. To use the type as a "
            "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    made.requires_grad_(requires_grad)
    made.__class__ = parameter_class(kind, cls)
    return made


class Buffer(Tensor):
    """A tensor that a module keeps but does not train."""

    __torch_function__ = disabled

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        made: Buffer = object.__new__(cls)
        made._a = dtypes.zeros_of((0,), dtypes.default.float) if data is None else data.detach()._shared_memory()
        if data is not None and data.is_inference():
            made._inference, made._vc = True, data._vc
        made.persistent = persistent
        return made

    def __init__(self, data: Any = None, *args: Any, persistent: bool = True, **kwargs: Any) -> None:
        # All is done in __new__, which a class that derives from this one may give more.
        del data, persistent

    def __repr__(self, tensor_contents: str | None = None) -> str:
        return repr(self.detach())


# -- what waits for its shape ----------------------------------------------------------------------


def is_lazy(param: Any) -> bool:
    """True if a parameter or buffer has no numbers yet."""
    return isinstance(param, UninitializedTensorMixin)


def _fail_without_numbers() -> NoReturn:
    raise EngineValueError(
        "Attempted to use an uninitialized parameter. This error happens when you are using a `LazyModule` or "
        "explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
        "`forward` with a dummy batch to initialize the parameters before calling torch functions"
    )


class UninitializedTensorMixin(Tensor):
    """A tensor without numbers, yet to be given some."""

    # It takes the shape of what it is loaded with.
    pending = True
    _wanted: Any
    _becomes: type

    @property
    def _a(self) -> NoReturn:
        _fail_without_numbers()

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
    def device(self) -> Device:
        """The device to be on: there is the CPU alone."""
        return CPU

    @property
    def data(self) -> Tensor:
        """Nothing, in the element type to be."""
        nothing: Tensor = filled.empty(0, dtype=self._wanted)
        return nothing

    @data.setter
    def data(self, value: Tensor) -> None:
        self._wanted = value.dtype

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The same in another element type to be."""
        wanted = self.data.to(*args, **kwargs).dtype
        if wanted is self._wanted:
            return self
        made = type(self)(*self._given())
        made._wanted = wanted
        return made

    def half(self, memory_format: Any = None) -> Any:
        """The same as float16 to be."""
        return self.to(dtypes.float16)

    def bfloat16(self, memory_format: Any = None) -> NoReturn:
        """Refused, unlike the other types, as by PyTorch."""
        _fail_without_numbers()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> NoReturn:
        """Refused: ``to`` says what the element type is to be."""
        _fail_without_numbers()

    def requires_grad_(self, requires_grad: bool = True) -> NoReturn:
        """Refused: there are no numbers to ask it of."""
        _fail_without_numbers()

    def float(self, memory_format: Any = None) -> Any:
        """The same as float32 to be."""
        return self.to(dtypes.float32)

    def double(self, memory_format: Any = None) -> Any:
        """The same as float64 to be."""
        return self.to(dtypes.float64)

    def cpu(self, memory_format: Any = None) -> Any:
        """The same: there is the CPU alone."""
        return self

    def share_memory_(self) -> NoReturn:
        """Refused: there is no memory yet."""
        raise EngineError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    @property
    def is_meta(self) -> bool:
        """False: the numbers to be are to be on the CPU."""
        return False

    def is_floating_point(self) -> bool:
        """Return True: the dtype of a lazy parameter is a floating one."""
        return True

    def is_complex(self) -> bool:
        """Return False: the dtype of a lazy parameter is not complex."""
        return False

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Be an ordinary tensor of a shape; nobody says what is in it."""
        del device
        if dtype is not None:
            self._wanted = dtype
        self.become(filled.empty(shape, dtype=self._wanted))

    def become(self, numbers: Tensor) -> None:
        """Take over the numbers of another tensor, and be as ordinary."""
        wanted = self._wanted
        self.__class__ = ours(self, UninitializedTensorMixin)._becomes
        # By now it is of a class that has one.
        ordinary: Any = self
        ordinary._a = numbers.to(wanted)._shared_memory()

    def _given(self) -> tuple[Any, ...]:
        """The arguments that it was made with."""
        return self.requires_grad, None, self._wanted

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), self._given()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = memo[id(self)] = type(self)(*self._given())
        return twin

    def __repr__(self, tensor_contents: str | None = None) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(UninitializedTensorMixin, Parameter):
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

    def become(self, numbers: Tensor) -> None:
        """Take over the numbers of another tensor, and be an ordinary parameter."""
        super().become(numbers)
        if self._asks:
            self._node = AccumulateGrad(self)


class UninitializedBuffer(UninitializedTensorMixin, Buffer):
    """A buffer without numbers, yet to be given some."""

    _becomes = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> UninitializedBuffer:
        del requires_grad, device
        made: UninitializedBuffer = object.__new__(cls)
        made._wanted = dtypes.get_default_dtype() if dtype is None else dtype
        made.persistent = persistent
        return made

    def __init__(
        self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> None:
        # All is done in __new__.
        del requires_grad, device, dtype, persistent

    def _given(self) -> tuple[Any, ...]:
        return False, None, self._wanted, self.persistent

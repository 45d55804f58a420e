"""Where tensors lie: devices, and the orders of elements in memory."""

from __future__ import annotations

from typing import Any, Self

from ...errors import EngineAssertionError, EngineError, EngineTypeError, GradcliError, Unsupported
from ..modes import Decorator, devices, mode

# The kinds of devices that PyTorch knows of.
_DEVICES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class Device(Decorator):
    """Where a tensor lives: on the CPU, or nowhere, which is `meta`; of others there is the name alone."""

    _type: str
    _index: int | None

    def __init__(self, type: Any = None, index: int | None = None) -> None:
        if isinstance(type, Device) and index is None:
            self._type, self._index = type._type, type._index
        elif isinstance(type, str):
            self._type, self._index = _parsed(type, index)
        elif isinstance(type, int) and not isinstance(type, bool) and index is None:
            raise EngineError("Cannot access accelerator device when none is available.")
        elif index is not None:
            got = type.__class__.__name__
            raise EngineTypeError(f"device(): argument 'type' (position 1) must be str, not {_shown(got)}")
        else:
            got = "" if type is None else type.__class__.__name__
            raise EngineTypeError(f"device() received an invalid combination of arguments - got ({got})")

    @property
    def type(self) -> str:
        """The kind of device."""
        return self._type

    @property
    def index(self) -> int | None:
        """Which of its kind, if that was said."""
        return self._index

    def __repr__(self) -> str:
        return f"device(type='{self._type}'" + ("" if self._index is None else f", index={self._index}") + ")"

    def __str__(self) -> str:
        return self._type if self._index is None else f"{self._type}:{self._index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self._type, self._index) == (other._type, other._index)

    def __hash__(self) -> int:
        return hash((self._type, self._index))

    def __reduce__(self) -> Any:
        return Device, (self._type, self._index)

    def __enter__(self) -> Self:
        mode.devices = (*devices(), self)
        return self

    def __exit__(self, *_: object) -> None:
        mode.devices = devices()[:-1]


Device.__name__ = "torch.device"


def _shown(name: str) -> str:
    return "torch.device" if name == Device.__name__ else name


def _parsed(text: str, index: Any) -> tuple[str, int | None]:
    """The kind and the number in the name of a device."""
    if not text:
        raise EngineError("Device string must not be empty")
    name, colon, number = text.partition(":")
    if name not in _DEVICES:
        raise EngineError(f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {name}")
    if colon and (not number.isdecimal() or (number[0] == "0" and number != "0")):
        raise EngineError(f"Invalid device string: '{text}'")
    if index is None:
        return name, int(number) if number else None
    if number:
        raise EngineError(f"type (string) must not include an index because index was passed explicitly: {text}")
    if not isinstance(index, int) or isinstance(index, bool):
        raise EngineTypeError(f"device(): argument 'index' (position 2) must be int, not {type(index).__name__}")
    if index < 0:
        raise EngineError("Device index must not be negative")
    return name, index


CPU = Device("cpu")
META = Device("meta")


# What a PyTorch that was built for the CPU says of the devices of others.
_NOT_BUILT: dict[str, tuple[type[GradcliError], str]] = {
    "cuda": (EngineAssertionError, "Torch not compiled with CUDA enabled"),
    "xpu": (EngineAssertionError, "Torch not compiled with XPU enabled"),
    "mps": (EngineError, "PyTorch is not linked with support for mps devices"),
}


def not_built(kind: str) -> GradcliError:
    """The error of asking for such a device, which a program may be prepared for."""
    error, message = _NOT_BUILT[kind]
    help = "gradcli computes on the CPU only: leave the device away, or ask first whether it is available"
    return error(message, help=help, code="E304")


def reached(device: Any) -> Device:
    """The device that a call puts something on; refused where there is none such."""
    place = Device(device)
    if place.type not in ("cpu", "meta"):
        if place.type in _NOT_BUILT:
            raise not_built(place.type)
        raise Unsupported(f"gradcli computes on the CPU only: there is no device '{place}'")
    return place


def is_on_meta(device: Any) -> bool:
    """Tell whether new tensors have no numbers: on the device that a call names, or else on the program's."""
    if device is not None:
        return reached(device).type == "meta"
    here = devices()
    return bool(here) and reached(here[-1]).type == "meta"


class Named:
    """A constant of torch that is its name alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class Layout(Named):
    """A kind of memory: of all elements, or of those of a few places."""

    __slots__ = ()


class MemoryFormat(Named):
    """An order of axes in memory."""

    __slots__ = ()


# As Python's own messages name classes that are written in C.
Layout.__name__ = "torch.layout"
MemoryFormat.__name__ = "torch.memory_format"

strided = Layout("strided")
sparse_coo = Layout("sparse_coo")
# Of these there is no tensor here.
sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn = (
    Layout(name) for name in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn")
)
LAYOUTS = (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn)

preserve_format = MemoryFormat("preserve_format")
contiguous_format = MemoryFormat("contiguous_format")
channels_last = MemoryFormat("channels_last")
channels_last_3d = MemoryFormat("channels_last_3d")

"""DLPack: the memory of tensors handed to other libraries and taken from them, as NumPy does it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from ...errors import EngineBufferError, EngineError, raised_by_program
from ..modes import refuse_of_samples
from ..numeric.bfloat16 import BF16
from ..ops.complex.parts import is_conj
from ..ops.make.from_data import from_numpy
from ..tensor import Tensor


class DLDeviceType(IntEnum):
    """Where memory is, by DLPack's numbers: here always on the CPU."""

    kDLCPU = 1


class _Handed:
    """A capsule as NumPy takes it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class _ToBeWritten:
    """Memory that was handed over in the form that does not say whether it may be written to: PyTorch writes."""

    def __init__(self, a: Any) -> None:
        self._held = a
        facts = a.__array_interface__
        self.__array_interface__ = {**facts, "data": (facts["data"][0], False)}


def _taken(handed: Any) -> Any:
    a = np.from_dlpack(handed)
    return from_numpy(a if a.flags.writeable else np.asarray(_ToBeWritten(a)))


def _refuse_unfit(t: Tensor) -> None:
    """Refuse a tensor that is more than its memory."""
    if t.requires_grad:
        raise EngineBufferError("Can't export tensors that require gradient, use tensor.detach()")
    if is_conj(t):
        raise EngineBufferError("Can't export tensors with the conjugate bit set")
    if t.is_sparse:
        raise EngineBufferError("Can't export tensors with layout other than torch.strided")


def capsule_of(t: Any, stream: Any, dl_device: Any, copy: bool | None) -> Any:
    """The memory of a tensor as a capsule for another library."""
    _refuse_unfit(t)
    refuse_of_samples("Cannot access data pointer of Tensor that doesn't have storage", t)
    if stream not in (-1, None):
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise EngineBufferError(f"Can't export a tensor of the CPU to the device {tuple(dl_device)}")
    if t._a.dtype is BF16:
        raise EngineBufferError("NumPy, which hands memory on, has no bfloat16: convert the tensor to another type")
    a = t._memory()
    return (a.copy() if copy else a).__dlpack__()


def to_dlpack(tensor: Tensor) -> Any:
    """The memory of a tensor as a capsule for another library."""
    return tensor.__dlpack__()


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor in the memory of another library's array, of a tensor, or of a capsule."""
    if isinstance(ext_tensor, Tensor):
        _refuse_unfit(ext_tensor)
        made: Any = ext_tensor.detach()
    elif hasattr(ext_tensor, "__dlpack__"):
        made = _taken(ext_tensor)
    else:
        try:
            made = _taken(_Handed(ext_tensor))
        except raised_by_program(ValueError, TypeError, RuntimeError) as error:
            raise EngineError(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so "
                "you might have already constructed a tensor from it once."
            ) from error
    made = made if device is None else made.to(device)
    return made.clone() if copy else made  # type: ignore[no-any-return]

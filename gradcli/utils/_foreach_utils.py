"""torch.utils._foreach_utils: lists of tensors in groups that one call of torch._foreach_ may be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.tensor import Tensor
from ..errors import EngineError

__all__ = [
    "_device_has_foreach_support", "_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype", "_has_foreach_support",
]  # fmt: skip


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[list[list[Tensor | None]], list[int]]]:
    """Lists of equal length, in groups by the device and the type of the tensors of the first of them."""
    if not tensorlistlist or not tensorlistlist[0]:
        raise EngineError("Expected !nested_tensorlist.empty() to be true, but got false.")
    groups: dict[tuple[Any, Any], tuple[list[list[Tensor | None]], list[int]]] = {}
    for i, t in enumerate(tensorlistlist[0]):
        if t is None:
            raise EngineError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                f"{i}-th Tensor is not."
            )
        lists, indices = groups.setdefault((t.device, t.dtype), ([[] for _ in tensorlistlist], []))
        for found, given in zip(lists, tensorlistlist, strict=True):
            if given:
                found.append(given[i])
        if with_indices:
            indices.append(i)
    return groups


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The devices whose lists PyTorch computes in one go."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The devices on which PyTorch has optimisers of one kernel."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _device_has_foreach_support(device: Any) -> bool:
    """Tell whether PyTorch computes lists of a device in one go; it does those of a CPU one by one."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: Any) -> bool:
    """Tell whether PyTorch computes these in one go."""
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)

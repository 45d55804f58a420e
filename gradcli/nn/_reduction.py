"""torch.nn._reduction: the numbers of reductions, and what older switches stand for."""

from __future__ import annotations

from ..engine.ops.loss.reduction import legacy, number_of


def get_enum(reduction: str) -> int:
    """The number of a reduction."""
    return number_of(reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the older two switches stand for."""
    return legacy(size_average, reduce, emit_warning)


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of the reduction that the older two switches stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))

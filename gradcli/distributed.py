"""torch.distributed, where no group of processes was made."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import EngineValueError


def is_available() -> bool:
    """Return True: a build of PyTorch without a GPU has it, too."""
    return True


def is_initialized() -> bool:
    """Return False: there is one process."""
    return False


def is_gloo_available() -> bool:
    """Return True: a build of PyTorch without a GPU has it."""
    return True


def is_mpi_available() -> bool:
    """Return False, as a build of PyTorch without a GPU does."""
    return False


is_nccl_available = is_torchelastic_launched = is_mpi_available


def get_rank(*args: Any, **options: Any) -> NoReturn:
    """Raise: only of a group of processes there is something to ask, or to hand about."""
    raise EngineValueError(
        "Default process group has not been initialized, please make sure to call init_process_group."
    )


get_world_size = get_backend = barrier = get_rank
all_reduce = reduce = broadcast = all_gather = gather = scatter = reduce_scatter = get_rank
all_gather_into_tensor = reduce_scatter_tensor = broadcast_object_list = all_gather_object = get_rank

__all__ = [
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "barrier", "broadcast",
    "broadcast_object_list", "gather", "get_backend", "get_rank", "get_world_size", "is_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched",
    "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
]  # fmt: skip

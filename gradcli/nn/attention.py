"""Which way attention is computed: there is one here, which stands for those that PyTorch has on a CPU.

Programs in the spec language run this file as it stands, and Python does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any


class SDPBackend(Enum):
    """The ways that PyTorch knows."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Compute attention in one of these ways: the numbers are the same in all that a CPU has."""
    del set_priority
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    wanted = [backends] if isinstance(backends, SDPBackend) else backends
    if SDPBackend.MATH not in wanted and SDPBackend.FLASH_ATTENTION not in wanted:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the "
            "math kernel and the fused kernels."
        )
    yield

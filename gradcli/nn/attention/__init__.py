"""Which way attention is computed: as one node of the graph, or step by step.

Programs in the spec language run this file as it stands, and Python does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from ...backends import cuda


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
    """Compute attention in one of these ways."""
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
    before = cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()
    cuda.enable_flash_sdp(SDPBackend.FLASH_ATTENTION in wanted)
    cuda.enable_math_sdp(SDPBackend.MATH in wanted)
    try:
        yield
    finally:
        cuda.enable_flash_sdp(before[0])
        cuda.enable_math_sdp(before[1])

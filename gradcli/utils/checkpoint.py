"""torch.utils.checkpoint: gradcli keeps everything, so a checkpoint is the call itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.guard.outside import guarded
from ..engine.modes import mode
from ..errors import Unsupported


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None, preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Call ``function``; the graph and the numbers are those of a checkpointed call, the memory is not saved."""
    del preserve_rng_state
    if use_reentrant:
        raise Unsupported("torch.utils.checkpoint: use_reentrant=True is not supported")
    tape = mode.tape
    if tape is None:
        return guarded(function)(*args, **kwargs)
    tape.checkpoints += 1
    try:
        return guarded(function)(*args, **kwargs)
    finally:
        tape.checkpoints -= 1

"""A backward where no gradient arrives: it must hand on none, or zeros, as PyTorch's gradcheck demands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.function import Function
from ..engine.modes import enable_grad
from ..engine.tensor import Tensor, result
from ..engine.walk.backward import gradients
from ..engine.walk.order import discovered
from ..errors import EngineError, raised_by_program

_LOOK = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
_STOPS = f"Expected backward function to handle undefined output grads. {_LOOK}"
_NOT_ZERO = f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {_LOOK}"


class _Withheld(Function):
    """Hands its argument on, and no gradient back."""

    @staticmethod
    def forward(ctx: Any, y: Tensor) -> Tensor:
        return y.clone()

    @staticmethod
    def backward(ctx: Any, *_: Any) -> None:
        return None


def undefined(func: Callable[..., Any], given: Sequence[Any]) -> str | None:
    """Say what is wrong with gradients where none arrives at any output, or at one of several."""
    xs = [x for x in given if isinstance(x, Tensor) and x.requires_grad]
    count = len(_outputs(func, given))
    for withheld in [range(count), *(range(i, i + 1) for i in range(count if count > 1 else 0))]:
        ys = [_Withheld.apply(y) if i in withheld else y for i, y in enumerate(_outputs(func, given))]
        try:
            found = gradients(ys, xs, [result(np.zeros_like(y._a)) for y in ys], allow_unused=True)
        except raised_by_program(EngineError):
            # A hook, which other programs never give None, may be what failed: nothing is said of the backward then.
            if not _is_hooked(ys):
                return _STOPS
            continue
        if any(g is not None and bool((g.to_dense() != 0).any()) for g in found):
            return _NOT_ZERO
    return None


def _is_hooked(ys: Sequence[Tensor]) -> bool:
    """Tell whether a hook hangs on the graph."""
    nodes = discovered([(y._node, None) for y in ys])
    extras = [node.extra for node in nodes if node.extra is not None]
    return any(extra.tensor or extra.pre or extra.post for extra in extras)


def _outputs(func: Callable[..., Any], given: Sequence[Any]) -> list[Tensor]:
    with enable_grad():
        found = func(*given)
    several = found if isinstance(found, (tuple, list)) else (found,)
    return [y for y in several if isinstance(y, Tensor) and y.requires_grad]

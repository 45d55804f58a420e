"""Custom functions with a mistake of their own, for more than one test."""

from __future__ import annotations

from typing import Any

import gradcli as torch
from gradcli.engine.function import once_differentiable


class Detached(torch.autograd.Function):
    """Right at order 1: what the double backward needs is detached."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return 6 * x * x

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gy * (12 * x).detach()


class Once(torch.autograd.Function):
    """Right, and not to be differentiated twice."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gy * 2 * x

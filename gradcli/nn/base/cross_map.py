"""The normalisation of PyTorch's CrossMapLRN2d, with its own sums: it keeps channels that have left the window."""

from __future__ import annotations

from typing import Any

from ...engine.call_errors import fail
from ...engine.function import Function
from ...engine.modes import recording


class CrossMapLRN2d(Function):
    """Each number divided by a power of squares in channels beside it, and PyTorch's gradient of that."""

    @staticmethod
    def forward(ctx: Any, input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> Any:
        """Divide, with sums that go from channel to channel."""
        squares = (input**2).unbind(1)
        channels, ahead = len(squares), int((size - 1) / 2 + 1)
        total = squares[0] * 0
        for square in squares[:ahead]:
            total = total + square
        sums = [total]
        for c in range(1, channels):
            if c < channels - ahead + 1:
                total = total + squares[c + ahead - 1]
            if c > ahead:
                total = total - squares[c - ahead]
            sums.append(total)
        scale = input.new_empty(input.shape)
        for c, share in enumerate(sums):
            scale[:, c] = share
        scale = scale * (alpha / size) + k
        output = scale**-beta * input
        ctx.save_for_backward(input, output)
        ctx.scale, ctx.size, ctx.alpha, ctx.beta = scale, size, alpha, beta
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """Take from each channel's share what the window before it has of the others."""
        input, output = ctx.saved_tensors
        if recording():
            fail(
                "mul(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        channels, before = input.shape[1], int(ctx.size - (ctx.size - 1) / 2)
        ratio = grad_output * output / ctx.scale
        padded = ratio.new_zeros((len(input), channels + ctx.size - 1, *input.shape[2:]))
        padded.narrow(1, before, channels).copy_(ratio)
        share = ctx.scale**-ctx.beta * grad_output
        window = padded[:, : ctx.size - 1].sum(1)
        for c in range(channels):
            window = window + padded[:, c + ctx.size - 1]
            share[:, c] = share[:, c] - 2 * ctx.alpha * ctx.beta / ctx.size * input[:, c] * window
            window = window - padded[:, c]
        return share, None, None, None, None

"""Programs with a mistake in a backward that their author wrote: part of what the checker is checked with."""

from __future__ import annotations

from typing import NamedTuple


class Written(NamedTuple):
    """A program, its mistake, and the line that makes it."""

    name: str
    text: str
    line: str
    order: int = 1


def _function(forward: str, backward: str, use: str, inputs: str = "x") -> str:
    """A program with a function of its own."""
    return f"""import torch

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {inputs}):
        ctx.save_for_backward({inputs})
        return {forward}

    @staticmethod
    def backward(ctx, g):
        {inputs}{"," * ("," not in inputs)} = ctx.saved_tensors
{backward}

x = torch.tensor([[0.5, -1.2, 2.0], [0.7, 1.1, -0.4]], requires_grad=True)
w = torch.tensor([[0.3, -0.8], [1.4, 0.6], [-0.9, 0.2]], requires_grad=True)
b = torch.tensor([0.2, -0.5, 0.9], requires_grad=True)
out = {use}
"""


def _mistake(
    name: str, forward: str, returned: str, use: str, inputs: str = "x", order: int = 1, before: str = ""
) -> Written:
    line = f"        return {returned}"
    return Written(name, _function(forward, before + line, use, inputs), line, order)


PROGRAMS = (
    _mistake("a power differentiated wrongly", "x ** 3", "g * 2 * x", "Own.apply(x).sin().sum()"),
    _mistake("a product rule with one term", "x * torch.sin(x)", "g * torch.sin(x)", "(Own.apply(x) * b).sum()"),
    _mistake("a chain rule not followed", "torch.sin(2 * x)", "g * torch.cos(2 * x)", "Own.apply(x).exp().mean()"),
    _mistake(
        "rows in the wrong order", "x @ w", "g @ w.t(), x.t() @ g.flip(0)", "Own.apply(x, w).tanh().sum()", "x, w"
    ),
    _mistake("a broadcast of which one row counts", "x + b", "g, g[0]", "Own.apply(x, b).square().sum()", "x, b"),
    _mistake("two arguments swapped", "x * w", "g * x, g * w", "Own.apply(x, x.exp()).sum() + w.sum()", "x, w"),
    _mistake("a gate open on the wrong side", "torch.relu(x)", "g * (x < 0)", "(Own.apply(x) * b).sum()"),
    _mistake("a sum along the wrong axis", "x.softmax(-1)", "s * (g - (g * s).sum(0))", "(Own.apply(x) * b).sum()",
             before="        s = x.softmax(-1)\n"),
    _mistake("a second order cut off", "x ** 3", "g * 3 * x.detach() ** 2", "Own.apply(x).sum()", order=2),
    _mistake("the arriving gradient is forgotten", "x ** 2", "2 * x", "(Own.apply(x) * b).sum()"),
)  # fmt: skip

"""Right programs, generated from a seed: 5 to 40 ops of many kinds, 18 to 128 numbers to differentiate by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

Rng = np.random.Generator


class Generated(NamedTuple):
    """A program as text, in parts: what gradcli is given as one, PyTorch as a function of its inputs."""

    kind: str
    inputs: dict[str, Any]
    # Custom Functions, and the statements that make `out` of the inputs.
    functions: str
    statements: list[str]

    @property
    def program(self) -> str:
        """The program as a spec."""
        made = [f"{name} = torch.tensor({values}, requires_grad=True)" for name, values in self.inputs.items()]
        return "\n".join([HEAD, *made, self.functions, *self.statements, ""])

    def function(self, torch: Any) -> Callable[..., Any]:
        """The program as a function of tensors, of PyTorch or whoever has the same names."""
        body = "\n    ".join(self.statements)
        text = f"{self.functions}\ndef f({', '.join(self.inputs)}):\n    {body}\n    return out\n"
        names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
        exec(text, names)
        found: Callable[..., Any] = names["f"]
        return found


HEAD = "import torch\nimport torch.nn.functional as F\ntorch.set_default_dtype(torch.float64)"

# What keeps numbers of about 1 as large as they are, however often it is repeated.
_SMOOTH = (
    "torch.sin({x})", "torch.tanh({x})", "torch.sigmoid({x}) * 2", "torch.cos({x}) + {x} * 0.5", "torch.atan({x})",
    "F.softplus({x}) * 0.7", "torch.exp(-{x} * {x})", "torch.sqrt({x} * {x} + 1)", "torch.log1p({x} * {x})",
    "F.gelu({x})", "F.silu({x})", "{x} / (1 + {x} * {x})", "torch.erf({x})", "F.elu({x})", "{x} * 0.9 - 0.1",
)  # fmt: skip
_JOINED = ("{x} * {y}", "{x} + {y}", "{x} - 0.5 * {y}", "{x} / (2 + {y} * {y})", "torch.atan2({x}, {y} * {y} + 1)")
_KINKED = (
    "torch.relu({x}) - 0.3", "torch.abs({x})", "torch.clamp({x}, -0.8, 0.9)", "torch.maximum({x}, {y})",
    "F.leaky_relu({x}, 0.1)", "torch.where({x} > 0, {x}, {y})", "torch.minimum({x}, {y} + 0.2)", "F.hardtanh({x})",
    "F.relu6({x} * 2)", "{x}.amax(-1, keepdim=True) + {x}",
)  # fmt: skip
_ALONG = (
    "torch.softmax({x}, -1)", "torch.log_softmax({x}, -1)", "torch.logsumexp({x}, -1, keepdim=True) - {x}",
    "{x} - {x}.mean(0, keepdim=True)", "{x} / ({x}.norm() + 1)", "torch.cumsum({x}, 0) * 0.5",
    "{x}.var(-1, keepdim=True) + {x}", "F.normalize({x}, dim=-1)", "{x} * {x}.std()",
    "{x}.prod(-1, keepdim=True) + {x}",
)  # fmt: skip
_SHAPED = (
    "{x}.reshape(-1).flip(0).reshape({x}.shape)", "torch.cat([{x}[1:], {x}[:1]])", "{x}.t().contiguous().t() * 1.5",
    "torch.stack([{x}, {y}]).sum(0) * 0.6", "torch.roll({x}, 1, 0)", "{x}[torch.arange(len({x}) - 1, -1, -1)]",
    "{x}.unsqueeze(0).expand(3, -1, -1).mean(0)", "torch.tril({x}) + {y}", "{x}.chunk(2, 1)[0].sum() * 0.1 + {x}",
    "{x}[:, :1] + {y}",
)  # fmt: skip
_LAYERS = (
    "F.layer_norm({x}, {x}.shape[-1:])", "F.batch_norm({x}, None, None, training=True)",
    "F.conv1d({x}.unsqueeze(1), {y}[:1, :3].unsqueeze(0), padding=1).squeeze(1)",
    "F.avg_pool1d({x}.unsqueeze(1), 3, 1, 1).squeeze(1)", "F.softmax({x} @ {y}.t(), -1) @ {y}", "F.mish({x})",
    "F.scaled_dot_product_attention({x}, {y}, {x})", "F.max_pool1d({x}.unsqueeze(1), 3, 1, 1).squeeze(1)",
)  # fmt: skip
_ALGEBRA = (
    "torch.linalg.solve({x}.t() @ {x} + 2 * torch.eye({x}.shape[1]), {y}.t()).t()",
    "{x} @ torch.linalg.inv({y}.t() @ {y} + 2 * torch.eye({y}.shape[1]))",
    "torch.linalg.det({x}.t() @ {x} * 0.1 + torch.eye({x}.shape[1])) * 0.1 + {x}",
    "{x} @ torch.linalg.cholesky({y}.t() @ {y} + 2 * torch.eye({y}.shape[1])) * 0.3",
    "torch.einsum('ij,kj->ik', {x}, {y}) @ {y} * 0.2", "{x} @ ({x}.t() @ {y}) * 0.1",
)  # fmt: skip

# Right Functions of one argument and of two, some with a loop.
_FUNCTIONS = """
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * s * (1 + x * (1 - s))


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mean = x.mean(-1, keepdim=True)
        rstd = 1 / torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5)
        y = (x - mean) * rstd
        ctx.save_for_backward(y, rstd)
        return y

    @staticmethod
    def backward(ctx, g):
        y, rstd = ctx.saved_tensors
        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) * rstd


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        s = torch.sigmoid(x)
        t = torch.tanh(y)
        ctx.save_for_backward(s, t)
        return s * t

    @staticmethod
    def backward(ctx, g):
        s, t = ctx.saved_tensors
        return g * t * s * (1 - s), g * s * (1 - t * t)


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.ones_like(x)
        for _ in range(12):
            y = y - (y ** 3 + y - x) / (3 * y * y + 1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g / (3 * y * y + 1)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x @ y.t()) @ y * 0.2

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        z = x @ y.t()
        return 0.2 * g @ y.t() @ y, 0.2 * (z.t() @ g + (g @ y.t()).t() @ x)
"""
_CUSTOM = (
    "Swish.apply({x})", "Norm.apply({x})", "Gate.apply({x}, {y})", "Root.apply({x})", "Product.apply({x}, {y})",
)  # fmt: skip


def _mixed(rng: Rng, pools: Sequence[Sequence[str]], names: list[str], count: int, share: float) -> list[str]:
    """Statements that use all names; ``share``: of those from the first pool."""
    statements = []
    for k in range(count):
        pool = pools[0] if rng.random() < share else pools[1 + int(rng.integers(len(pools) - 1))]
        text = pool[int(rng.integers(len(pool)))]
        x = names[k] if k < len(names) else f"h{k - 1}"
        y = names[int(rng.integers(len(names)))] if k == 0 or rng.random() < 0.5 else f"h{int(rng.integers(k))}"
        joined = text.format(x=x, y=y)
        if k and k <= len(names) and f"h{k - 1}" not in joined:
            joined = f"{joined} + 0.5 * h{k - 1}"
        statements.append(f"h{k} = {joined}")
    return statements


def _free(first: Sequence[str], share: float) -> Callable[[Rng], tuple[dict[str, Any], list[str]]]:
    """A way to make programs of one kind, of matrices of one shape."""

    def made(rng: Rng) -> tuple[dict[str, Any], list[str]]:
        count = int(rng.integers(1, 4))
        rows, columns = int(rng.integers(3, 6)), int(rng.integers(6, 9))
        names = [f"x{i}" for i in range(count)]
        inputs = {name: _numbers(rng, (rows, columns)) for name in names}
        statements = _mixed(rng, [first, _SMOOTH, _JOINED], names, int(rng.integers(max(4, count), 30)), share)
        last = f"h{len(statements) - 1}"
        ends = (f"{last}.sum()", f"({last} * {names[0]}).mean()", f"{last}.sum(0)", f"({last} ** 2).sum(1)", last)
        return inputs, [*statements, f"out = {ends[int(rng.integers(len(ends)))]}"]

    return made


def _numbers(rng: Rng, shape: tuple[int, ...], size: float = 1.0) -> Any:
    return np.round(size * rng.standard_normal(shape), 4).tolist()


def _net(rng: Rng, size: float, depth: int) -> tuple[dict[str, Any], list[str]]:
    widths = [int(rng.integers(2, 5)) for _ in range(depth)]
    inputs, statements = {}, [f"h = torch.tensor({_numbers(rng, (4, widths[0]))})"]
    act = ("torch.tanh({})", "torch.sigmoid({})", "F.gelu({})", "F.silu({})")[int(rng.integers(4 if size <= 1 else 2))]
    for k, (wide, out) in enumerate(pairwise(widths)):
        inputs[f"w{k}"], inputs[f"b{k}"] = _numbers(rng, (out, wide), size), _numbers(rng, (out,), size)
        statements += [f"h = h @ w{k}.t() + b{k}", f"h = {act.format('h')}"]
    target = _numbers(rng, (4, widths[-1]))
    ends = ("h.sum()", f"F.mse_loss(h, torch.tensor({target}))", "F.cross_entropy(h, torch.tensor([0, 1, 1, 0]))")
    return inputs, [*statements, f"out = {ends[int(rng.integers(3))]}"]


KINDS: dict[str, Callable[[Rng], tuple[dict[str, Any], list[str]]]] = {
    "smooth": _free(_SMOOTH, 0.7),
    "kinks": _free(_KINKED, 0.5),
    "along axes": _free(_ALONG, 0.5),
    "shapes": _free(_SHAPED, 0.6),
    "layers": _free(_LAYERS, 0.5),
    "matrices": _free(_ALGEBRA, 0.25),
    "custom": _free(_CUSTOM, 0.3),
    "nets": lambda rng: _net(rng, 0.7, int(rng.integers(4, 8))),
    "saturated nets": lambda rng: _net(rng, 6.0, int(rng.integers(6, 11))),
}
_FEWEST, _MOST = 18, 128


def generated(count: int, seed: int = 0) -> list[Generated]:
    """So many programs, of all kinds in turn."""
    rng = np.random.default_rng(seed)
    kinds = list(KINDS)
    found: list[Generated] = []
    while len(found) < count:
        kind = kinds[len(found) % len(kinds)]
        inputs, statements = KINDS[kind](rng)
        if _FEWEST <= sum(np.size(values) for values in inputs.values()) <= _MOST:
            found.append(Generated(kind, inputs, _FUNCTIONS if kind == "custom" else "", statements))
    return found

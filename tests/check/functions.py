"""Custom Functions, right everywhere and right only where they are tested, each as a program."""

from __future__ import annotations

from textwrap import indent
from typing import NamedTuple


class Case(NamedTuple):
    """A custom Function and what it is applied to."""

    name: str
    forward: str
    backward: str
    given: str
    applied: str = "out = F.apply({names})"

    @property
    def program(self) -> str:
        """The program."""
        names = [line.split("=")[0].strip() for line in self.given.splitlines() if line.strip()]
        lines = [
            "import torch",
            "import torch.nn.functional as fn",
            *self.given.splitlines(),
            "class F(torch.autograd.Function):",
            "    @staticmethod",
            f"    def forward(ctx, {', '.join(names)}):",
            indent(self.forward, "        "),
            "    @staticmethod",
            "    def backward(ctx, g):",
            indent(self.backward, "        "),
            self.applied.format(names=", ".join(names)),
        ]
        return "\n".join(lines) + "\n"


def leaf(name: str, value: object) -> str:
    """A line that makes a leaf."""
    return f"{name} = torch.tensor({value!r}, dtype=torch.float64, requires_grad=True)\n"


def constant(name: str, value: object, dtype: str = "float64") -> str:
    """A line that makes a constant."""
    return f"{name} = torch.tensor({value!r}, dtype=torch.{dtype})\n"


X = leaf("x", [0.5, -1.2, 2.0])
ROW = leaf("x", [[0.1, 0.2, 0.3]])
SQUARE = leaf("x", [[2.0, 0.5], [0.5, 1.0]])
SAVED = "x, = ctx.saved_tensors\n"
TWO = "x, y = ctx.saved_tensors\n"

RIGHT = [
    Case("relu", "ctx.save_for_backward(x)\nreturn x.clamp(min=0)", SAVED + "return g * (x > 0)", X),
    Case("relu at positive", "ctx.save_for_backward(x)\nreturn torch.relu(x)", SAVED + "return g * (x > 0).double()", leaf("x", [1.0, 2.0])),
    Case("clamp", "ctx.save_for_backward(x)\nreturn torch.clamp(x, -1.0, 1.0)", SAVED + "return torch.where((x >= -1) & (x <= 1), g, torch.zeros_like(g))", leaf("x", [0.3])),
    Case("abs", "ctx.save_for_backward(x)\nreturn torch.abs(x)", SAVED + "return g * torch.sign(x)", leaf("x", [2.0])),
    Case("swish", "ctx.save_for_backward(x)\nreturn x * torch.sigmoid(x)", SAVED + "s = torch.sigmoid(x)\nreturn g * (s + x * s * (1 - s))", X),
    Case("cube at 1", "ctx.save_for_backward(x)\nreturn x ** 3", SAVED + "return 3 * g * x ** 2", leaf("x", [1.0])),
    Case("sin at 0", "ctx.save_for_backward(x)\nreturn torch.sin(x)", SAVED + "return g * torch.cos(x)", leaf("x", 0.0)),
    Case("exp saved result", "y = torch.exp(x)\nctx.save_for_backward(y)\nreturn y", "y, = ctx.saved_tensors\nreturn g * y", X),
    Case("softplus threshold", "ctx.save_for_backward(x)\nreturn torch.where(x > 20, x, torch.log1p(torch.exp(torch.clamp(x, max=20.0))))", SAVED + "return g * torch.where(x > 20, torch.ones_like(x), torch.sigmoid(x))", X),
    Case("huber", "ctx.save_for_backward(x)\na = x.abs()\nreturn torch.where(a < 1, 0.5 * x * x, a - 0.5)", SAVED + "return g * torch.clamp(x, -1, 1)", leaf("x", [0.2, 0.4])),
    Case("leaky by mask", "m = x > 0\nctx.m = m\nreturn torch.where(m, x, 0.1 * x)", "return torch.where(ctx.m, g, 0.1 * g)", leaf("x", [1.0, 3.0])),
    Case("python if", "ctx.save_for_backward(x)\nif x.sum() > 0:\n    return x * x\nreturn x * x * x", SAVED + "return g * (2 * x if x.sum() > 0 else 3 * x * x)", leaf("x", [1.0, 2.0])),
    Case("item if", "ctx.save_for_backward(x)\nctx.big = x.sum().item() > 8\nreturn 3 * x if ctx.big else x * x", SAVED + "return 3 * g if ctx.big else 2 * g * x", leaf("x", [1.0, 2.0])),
    Case("amax", "i = torch.argmax(x)\nctx.i, ctx.n = i.item(), x.shape[0]\nreturn torch.amax(x)", "r = torch.zeros(ctx.n, dtype=g.dtype)\nr[ctx.i] = 1.0\nreturn g * r", leaf("x", [3.0, 1.0, 2.0])),
    Case("softmax", "e = torch.exp(x - x.max())\ns = e / e.sum()\nctx.save_for_backward(s)\nreturn s", "s, = ctx.saved_tensors\nreturn s * (g - (g * s).sum())", X),
    Case("row softmax", "s = torch.softmax(x, 1)\nctx.save_for_backward(s)\nreturn s", "s, = ctx.saved_tensors\nreturn s * (g - (g * s).sum(1, keepdim=True))", leaf("x", [[1.0, 2.0, 3.0]])),
    Case("logsumexp", "m = x.max()\nr = m + torch.log(torch.exp(x - m).sum())\nctx.save_for_backward(x, r)\nreturn r", "x, r = ctx.saved_tensors\nreturn g * torch.exp(x - r)", X),
    Case("cross entropy", "p = torch.softmax(x, 1)\nctx.save_for_backward(p, y)\nreturn -(y * torch.log(p)).sum(1).mean()", "p, y = ctx.saved_tensors\nreturn g * (p - y) / len(p), -g * torch.log(p) / len(p)", leaf("x", [[0.1, 0.4, -0.3], [1.0, 0.0, 0.2]]) + leaf("y", [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])),
    Case("nll by index", "p = torch.log_softmax(x, 1)\nctx.save_for_backward(p, t)\nreturn -p[torch.arange(len(t)), t].mean()", "p, t = ctx.saved_tensors\nr = torch.exp(p)\nr[torch.arange(len(t)), t] -= 1\nreturn g * r / len(t), None", leaf("x", [[0.1, 0.4, -0.3]]) + constant("t", [2], "int64")),
    Case("bce of probabilities", "ctx.save_for_backward(p, y)\nreturn -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()", "p, y = ctx.saved_tensors\nreturn g * (p - y) / (p * (1 - p)) / p.numel(), None", leaf("p", [0.2, 0.7, 0.5]) + constant("y", [0.0, 1.0, 1.0])),
    Case("bce guarded", "p = p.clamp(1e-7, 1 - 1e-7)\nctx.save_for_backward(p, y)\nreturn -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()", "p, y = ctx.saved_tensors\nreturn g * (p - y) / (p * (1 - p)) / p.numel(), None", leaf("p", [0.2, 0.7, 0.5]) + constant("y", [0.0, 1.0, 1.0])),
    Case("safe log", "ctx.save_for_backward(x)\nreturn torch.log(x.clamp(min=1e-12))", SAVED + "return g / x", leaf("x", [0.5, 1.0, 3.0])),
    Case("safe norm", "n = x.norm()\nctx.save_for_backward(x, n)\nreturn x / n.clamp(min=1e-12)", "x, n = ctx.saved_tensors\nu = x / n\nreturn (g - u * (g * u).sum()) / n", X),
    Case("norm with a guard", "n = torch.sqrt((x * x).sum())\nctx.save_for_backward(x, n)\nreturn torch.where(n > 0, n, torch.zeros_like(n))", "x, n = ctx.saved_tensors\nreturn g * x / n", X),
    Case("sinc with a guard", "ctx.save_for_backward(x)\nsmall = x.abs() < 1e-8\nsafe = torch.where(small, torch.ones_like(x), x)\nreturn torch.where(small, torch.ones_like(x), torch.sin(safe) / safe)", SAVED + "return g * (torch.cos(x) / x - torch.sin(x) / x ** 2)", X),
    Case("sqrt", "y = torch.sqrt(x)\nctx.save_for_backward(y)\nreturn y", "y, = ctx.saved_tensors\nreturn g / (2 * y)", leaf("x", [1.0, 4.0])),
    Case("sqrt clamped", "y = torch.sqrt(x.clamp(min=0))\nctx.save_for_backward(y)\nreturn y", "y, = ctx.saved_tensors\nreturn g / (2 * y)", leaf("x", [1.0, 4.0])),
    Case("log asserts", "assert (x > 0).all()\nctx.save_for_backward(x)\nreturn torch.log(torch.abs(x)) * x.abs()", SAVED + "return g * (torch.log(x) + 1)", leaf("x", [1.0, 4.0])),
    Case("raises outside", "if x.min() <= 0 or x.max() > 9:\n    raise ValueError('outside')\nctx.save_for_backward(x)\nreturn x.abs() ** 0.5", SAVED + "return 0.5 * g * x.abs() ** -0.5", leaf("x", [1.0, 4.0])),
    Case("power of positive", "ctx.save_for_backward(x)\nreturn torch.exp(0.7 * torch.log(x))", SAVED + "return 0.7 * g * x ** -0.3", leaf("x", [1.0, 2.0])),
    Case("lgamma", "ctx.save_for_backward(x)\nreturn torch.lgamma(x)", SAVED + "return g * torch.digamma(x)", leaf("x", [1.0, 2.0])),
    Case("arcsin", "ctx.save_for_backward(x)\nreturn torch.asin(x)", SAVED + "return g / torch.sqrt(1 - x * x)", leaf("x", [0.0, 0.5])),
    Case("trace", "ctx.n = x.shape[0]\nreturn torch.trace(x)", "return g * torch.eye(ctx.n, dtype=g.dtype)", SQUARE),
    Case("inverse", "y = torch.linalg.inv(x)\nctx.save_for_backward(y)\nreturn y", "y, = ctx.saved_tensors\nreturn -y.T @ g @ y.T", SQUARE),
    Case("determinant", "d = torch.linalg.det(x)\nctx.save_for_backward(x, d)\nreturn d", "x, d = ctx.saved_tensors\nreturn g * d * torch.linalg.inv(x).T", SQUARE),
    Case("logdet of symmetric", "l = torch.linalg.cholesky((x + x.T) / 2)\nctx.save_for_backward(x)\nreturn 2 * torch.log(torch.diagonal(l)).sum()", SAVED + "return g * torch.linalg.inv((x + x.T) / 2)", SQUARE),
    Case("quadratic form", "ctx.save_for_backward(x, y)\nreturn y @ x @ y", TWO + "return g * torch.outer(y, y), g * (x + x.T) @ y", SQUARE + leaf("y", [1.0, 2.0])),
    Case("matmul", "ctx.save_for_backward(x, y)\nreturn x @ y", TWO + "return g @ y.T, x.T @ g", SQUARE + leaf("y", [[1.0, 0.0], [0.0, 1.0]])),
    Case("trace of a product", "ctx.save_for_backward(x, y)\nreturn torch.sum(x * y.T)", TWO + "return g * y.T, g * x.T", SQUARE + leaf("y", [[1.0, 2.0], [2.0, 4.0]])),
    Case("bias", "return x + b", "return g, g.sum(0)", ROW + leaf("b", [1.0, 2.0, 3.0])),
    Case("scale", "ctx.save_for_backward(a, x)\nreturn a * x", "a, x = ctx.saved_tensors\nreturn (g * x).sum().reshape(1), g * a", leaf("a", [2.0]) + leaf("x", [3.0])),
    Case("scale of many", "ctx.save_for_backward(a, x)\nreturn a * x", "a, x = ctx.saved_tensors\nreturn (g * x).sum() * torch.ones_like(a), g * a", leaf("a", [2.0]) + leaf("x", [3.0, 1.0])),
    Case("scale with ones", "ctx.save_for_backward(a, x)\nreturn a * x", "a, x = ctx.saved_tensors\nreturn (g * x).sum() * torch.ones_like(a), g * a", leaf("a", [2.0]) + leaf("x", [3.0])),
    Case("linear", "ctx.save_for_backward(x, w)\nreturn x @ w.T + b", "x, w = ctx.saved_tensors\nreturn g @ w, g.T @ x, g.sum(0)", ROW + leaf("w", [[1.0, 2.0, 0.5]]) + leaf("b", [0.3])),
    Case("batch norm", "m = x.mean(0, keepdim=True)\nv = ((x - m) ** 2).mean(0, keepdim=True)\ns = torch.sqrt(v + 1e-5)\nh = (x - m) / s\nctx.save_for_backward(h, s)\nreturn h", "h, s = ctx.saved_tensors\nreturn (g - g.mean(0, keepdim=True) - h * (g * h).mean(0, keepdim=True)) / s", leaf("x", [[1.0, 2.0], [3.0, -1.0], [0.5, 0.2]])),
    Case("layer norm of one", "m = x.mean(-1, keepdim=True)\nv = ((x - m) ** 2).mean(-1, keepdim=True)\ns = torch.sqrt(v + 1e-5)\nh = (x - m) / s\nctx.save_for_backward(h, s)\nreturn h", "h, s = ctx.saved_tensors\nreturn (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True)) / s", ROW),
    Case("mean square", "ctx.save_for_backward(x, y)\nreturn ((x - y) ** 2).mean()", TWO + "r = 2 * g * (x - y) / x.numel()\nreturn r, -r", ROW + leaf("y", [[1.0, 0.0, 1.0]])),
    Case("lookup", "ctx.save_for_backward(i)\nctx.n = w.shape\nreturn w[i]", "i, = ctx.saved_tensors\nr = torch.zeros(ctx.n, dtype=g.dtype)\nreturn r.index_add(0, i, g), None", leaf("w", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) + constant("i", [1], "int64")),
    Case("mask", "ctx.save_for_backward(m)\nreturn x * m", "m, = ctx.saved_tensors\nreturn g * m, None", X + constant("m", [1.0, 0.0, 1.0])),
    Case("sort", "y, i = torch.sort(x)\nctx.save_for_backward(i)\nreturn y", "i, = ctx.saved_tensors\nreturn torch.zeros_like(g).scatter(0, i, g)", leaf("x", [1.0, 2.0, 3.0])),
    Case("cumulative sum", "return torch.cumsum(x, 0)", "return g.flip(0).cumsum(0).flip(0)", leaf("x", [1.0, 1.0, 1.0])),
    Case("outer product", "ctx.save_for_backward(x, y)\nreturn torch.outer(x, y)", TWO + "return g @ y, g.T @ x", leaf("x", [1.0, 2.0]) + leaf("y", [2.0, 1.0])),
    Case("in place", "ctx.mark_dirty(x)\nx.mul_(2)\nreturn x", "return 2 * g", X, "out = F.apply(x * 1)"),
    Case("two outputs", "ctx.save_for_backward(x)\nreturn torch.sin(x), torch.cos(x)", SAVED + "return g * torch.cos(x)", X, "class G(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return torch.sin(x), torch.cos(x)\n    @staticmethod\n    def backward(ctx, g, h):\n        x, = ctx.saved_tensors\n        return g * torch.cos(x) - h * torch.sin(x)\na, b = G.apply(x)\nout = a * b"),
    Case("convolution", "ctx.save_for_backward(x, w)\nreturn fn.conv1d(x, w)", "x, w = ctx.saved_tensors\nreturn fn.conv_transpose1d(g, w), fn.conv1d(x.transpose(0, 1), g.transpose(0, 1)).transpose(0, 1)", leaf("x", [[[1.0, 2.0, 0.5, -1.0]]]) + leaf("w", [[[0.3, -0.2]]])),
    Case("relu six", "ctx.save_for_backward(x)\nreturn fn.relu6(x)", SAVED + "return g * ((x > 0) & (x < 6))", leaf("x", [1.0, 2.0])),
    Case("sharing relu", "ctx.save_for_backward(x)\nreturn torch.maximum(x, torch.zeros_like(x))", SAVED + "return torch.where(x > 0, g, torch.where(x < 0, torch.zeros_like(g), g / 2))", leaf("x", [1.0, 2.0])),
    Case("Newton square root", "r = torch.ones_like(x)\nfor _ in range(50):\n    n = 0.5 * (r + x / r)\n    if (n - r).abs().max() < 1e-14:\n        break\n    r = n\nctx.save_for_backward(r)\nreturn r", "r, = ctx.saved_tensors\nreturn g / (2 * r)", leaf("x", [2.0, 3.0])),
    Case("numpy inside", "a = x.detach().numpy()\nctx.save_for_backward(x)\nreturn torch.tensor(a * a)", SAVED + "return 2 * g * x", leaf("x", [2.0, 3.0])),
    Case("entropy", "ctx.save_for_backward(p)\nreturn -(p * torch.log(p)).sum()", "p, = ctx.saved_tensors\nreturn -g * (torch.log(p) + 1)", leaf("p", [0.2, 0.3, 0.5])),
    Case("soft target", "p = torch.softmax(x, 0)\nctx.save_for_backward(p, y)\nreturn -(y * torch.log_softmax(x, 0)).sum()", "p, y = ctx.saved_tensors\nreturn g * (p - y), -g * torch.log(p)", X + leaf("y", [0.2, 0.3, 0.5])),
    Case("hard sigmoid", "ctx.save_for_backward(x)\nreturn torch.clamp(x / 6 + 0.5, 0, 1)", SAVED + "return g / 6 * ((x > -3) & (x < 3))", leaf("x", [0.5])),
    Case("rounded index", "ctx.save_for_backward(x)\nreturn x - torch.floor(x)", "return g", leaf("x", [0.3, 1.7])),
    Case("once differentiable", "ctx.save_for_backward(x)\nreturn torch.relu(x)", SAVED + "with torch.no_grad():\n    return torch.where(x > 0, g, torch.zeros_like(g))", leaf("x", [1.0, 2.0])),
    Case("upstream relu", "ctx.save_for_backward(x)\nreturn x * x", SAVED + "return 2 * g * x", leaf("x", [1.0, 2.0]), "out = F.apply(torch.relu(x)).sum()"),
]  # fmt: skip

WRONG = [
    Case("clamp inside", "ctx.save_for_backward(x)\nreturn torch.clamp(x, -1.0, 1.0)", "return g", leaf("x", [0.3])),
    Case("clamp far", "ctx.save_for_backward(x)\nreturn torch.clamp(x, -50.0, 1000.0)", "return g", leaf("x", [0.3, 0.7])),
    Case("abs positive", "ctx.save_for_backward(x)\nreturn torch.abs(x)", "return g", leaf("x", [2.0, 5.0])),
    Case("abs by root", "ctx.save_for_backward(x)\nreturn torch.sqrt(x * x)", "return g", leaf("x", [2.0, 5.0])),
    Case("relu positive", "ctx.save_for_backward(x)\nreturn torch.relu(x)", "return g", leaf("x", [2.0, 5.0])),
    Case("relu dead", "ctx.save_for_backward(x)\nreturn torch.relu(x)", "return 0 * g", leaf("x", [-2.0, -5.0])),
    Case("amax first", "ctx.save_for_backward(x)\nreturn torch.amax(x)", SAVED + "r = torch.zeros_like(x)\nr[0] = 1\nreturn g * r", leaf("x", [3.0, 2.0, 1.0])),
    Case("rows max first", "ctx.save_for_backward(x)\nreturn x.max(1).values", SAVED + "r = torch.zeros_like(x)\nr[:, 0] = g\nreturn r", leaf("x", [[3.0, 2.0, 1.0], [9.0, -2.0, 1.0]])),
    Case("cut tail", "ctx.save_for_backward(x)\nreturn torch.log1p(torch.exp(x))", SAVED + "return g * torch.where(x > 8, torch.ones_like(x), torch.sigmoid(x))", leaf("x", [0.5, 1.0])),
    Case("clipped tanh", "ctx.save_for_backward(x)\nreturn torch.tanh(x)", SAVED + "return g * torch.where(x.abs() > 4, torch.zeros_like(x), 1 - torch.tanh(x) ** 2)", leaf("x", [0.5, -1.0])),
    Case("huber outside", "ctx.save_for_backward(x)\na = x.abs()\nreturn torch.where(a < 1, 0.5 * x * x, a - 0.5)", SAVED + "return g * x", leaf("x", [0.2, 0.4])),
    Case("elu below", "ctx.save_for_backward(x)\nreturn fn.elu(x)", "return g", leaf("x", [0.2, 0.4])),
    Case("python if below", "ctx.save_for_backward(x)\nif x.sum() > 0:\n    return x * x\nreturn x * x * x", SAVED + "return g * 2 * x", leaf("x", [1.0, 2.0])),
    Case("python if above 20", "ctx.save_for_backward(x)\nif x.sum() > 20:\n    return 40 * x\nreturn x * x", SAVED + "return g * 2 * x", leaf("x", [1.0, 2.0])),
    Case("item if above", "ctx.save_for_backward(x)\nreturn 3 * x if x.sum().item() > 8 else x * x", SAVED + "return g * 2 * x", leaf("x", [1.0, 2.0])),
    Case("leaky slope", "ctx.save_for_backward(x)\nreturn torch.where(x > 0, x, 0.1 * x)", SAVED + "return torch.where(x > 0, g, 0.01 * g)", leaf("x", [1.0, 3.0])),
    Case("through a net", "ctx.save_for_backward(x)\nreturn torch.clamp(x, max=5.0)", "return g", leaf("x", [1.0, 3.0]) + leaf("w", [0.3, 0.1]), "class H(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return torch.clamp(x, max=5.0)\n    @staticmethod\n    def backward(ctx, g):\n        return g\nout = H.apply(torch.tanh(x).sum() * (w * w).sum() + 0.1).sin()"),
    Case("cube", "ctx.save_for_backward(x)\nreturn x ** 3", SAVED + "return g * 3 * x ** 3", leaf("x", [1.0])),
    Case("square of two", "ctx.save_for_backward(x)\nreturn x ** 2", "return g * 4", leaf("x", [2.0])),
    Case("sine", "ctx.save_for_backward(x)\nreturn torch.sin(x)", "return g", leaf("x", [0.0])),
    Case("product of ones", "ctx.save_for_backward(x)\nreturn torch.prod(x)", SAVED + "return g * torch.ones_like(x)", leaf("x", [1.0, 1.0, 1.0])),
    Case("division by one", "ctx.save_for_backward(x, y)\nreturn x / y", TWO + "return g * y, -g * x", leaf("x", [2.0, 3.0]) + leaf("y", [1.0, 1.0])),
    Case("matmul symmetric", "ctx.save_for_backward(x, y)\nreturn x @ y", TWO + "return g @ y, x.T @ g", leaf("x", [[1.0, 3.0], [0.2, 4.0]]) + SQUARE.replace("x", "y")),
    Case("quadratic symmetric", "ctx.save_for_backward(x, y)\nreturn y @ x @ y", TWO + "return g * torch.outer(y, y), g * 2 * x @ y", SQUARE + leaf("y", [1.0, 2.0])),
    Case("normalised", "ctx.save_for_backward(x)\nreturn x / x.sum()", SAVED + "return g - (g * x).sum()", leaf("x", [0.5, 0.7, -0.2])),
    Case("bias first", "return x + b", "return g, g[0]", ROW + leaf("b", [1.0, 2.0, 3.0])),
    Case("bias mean", "return x + b", "return g, g.mean(0)", ROW + leaf("b", [1.0, 2.0, 3.0])),
    Case("weight first", "ctx.save_for_backward(x, w)\nreturn x @ w", "x, w = ctx.saved_tensors\nreturn g @ w.T, torch.outer(x[0], g[0])", ROW + leaf("w", [[1.0, 0.3], [2.0, 0.1], [0.5, 0.7]])),
    Case("scale first", "ctx.save_for_backward(a, x)\nreturn a * x", "a, x = ctx.saved_tensors\nreturn (g * x)[:1], g * a", leaf("a", [2.0]) + leaf("x", [3.0])),
    Case("mean of one", "ctx.save_for_backward(x)\nreturn x.mean()", SAVED + "return g * torch.ones_like(x)", leaf("x", [3.0])),
    Case("maximum", "ctx.save_for_backward(x, y)\nreturn torch.maximum(x, y)", "return g, 0 * g", leaf("x", [3.0, 4.0]) + leaf("y", [1.0, 2.0])),
    Case("hard tanh", "ctx.save_for_backward(x)\nreturn fn.hardtanh(x)", "return g", leaf("x", [0.3, 0.4])),
    Case("gradient clipped at 9", "ctx.save_for_backward(x)\nreturn x ** 2", SAVED + "return g * (2 * x).clamp(-9, 9)", leaf("x", [0.3, 1.4])),
]  # fmt: skip

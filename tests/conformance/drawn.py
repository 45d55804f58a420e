"""Programs of many kinds whose drawings are compared with what PyTorch's own graph, walked with hooks, has in it."""

from __future__ import annotations

_NET = "net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))\n"
_X = "x = torch.randn(3, 4, requires_grad=True)\nw = torch.randn(4, 2, requires_grad=True)\n"

PROGRAMS = {
    "product": "a = torch.randn(3, requires_grad=True)\nb = torch.randn(3, requires_grad=True)\nloss = (a * b).sum()\n",
    "used twice": _X + "h = x @ w\nloss = (h * h + h).sum()\n",
    "broadcast": _X + "b = torch.randn(2, requires_grad=True)\nloss = torch.relu(x @ w + b).mean()\n",
    "softmax": _X + "loss = -F.log_softmax(x @ w, dim=1)[:, 0].sum()\n",
    "views": _X + "y = x.view(2, 6).t().reshape(4, 3)[1:, :2].unsqueeze(0)\nloss = (y ** 3).sum()\n",
    "indexing": _X + "i = torch.tensor([0, 2, 2])\nloss = (x[i] * x[:, 1:2]).sum() + x[0, 0]\n",
    "writes in place": _X + "h = x * 2\nh[0] = 0\nh[:, 1] *= 3\nh += 1\nloss = (h @ w).sum()\n",
    "reductions": _X + "loss = x.max(1).values.sum() + x.var() + x.norm() + x.prod(0).sum() + x.logsumexp(1).sum()\n",
    "several outputs": _X + "a, b = x.chunk(2, 1)\nu = x.unbind(0)\nloss = (a * b).sum() + u[1].sum()\n",
    "svd": _X + "U, S, V = torch.linalg.svd(x, full_matrices=False)\nloss = (S * S).sum()\n",
    "linear algebra": "a = torch.randn(3, 3, requires_grad=True)\nm = a @ a.T + 3 * torch.eye(3)\n"
    "loss = torch.linalg.inv(m).sum() + torch.linalg.cholesky(m).sum() + torch.logdet(m)\n",
    "where and masks": _X + "m = x > 0\nloss = torch.where(m, x.sin(), x.exp()).masked_fill(m, 0).sum()\n",
    "detached": _X + "h = (x @ w).detach()\nloss = (h * (x @ w)).sum()\n",
    "no_grad": _X + "with torch.no_grad():\n    t = x @ w + 1\nloss = ((x @ w - t) ** 2).mean()\n",
    "custom function": "class Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, v, k):\n"
    "        ctx.save_for_backward(v)\n        ctx.k = k\n        return v ** 3 * k\n    @staticmethod\n"
    "    def backward(ctx, g):\n        (v,) = ctx.saved_tensors\n        return g * 3 * v ** 2 * ctx.k, None\n"
    + _X + "loss = Cube.apply(x, 2.0).sum() * Cube.apply(w, 0.5).mean()\n",
    "second derivative": _X + "y = (x.sin() * x).sum()\n(g,) = torch.autograd.grad(y, x, create_graph=True)\n"
    "loss = (g * g).sum()\n",
    "gradient penalty": _NET + "x = torch.randn(4, 3, requires_grad=True)\nout = net(x)\n"
    "(g,) = torch.autograd.grad(out.sum(), x, create_graph=True)\nloss = ((g.norm(dim=1) - 1) ** 2).mean()\n",
    "hook": _X + "h = x @ w\nh.register_hook(lambda g: g * 3)\nloss = h.tanh().sum()\n",
    "loop": _X + "h = x\nfor t in range(5):\n    h = torch.tanh(h @ w @ w.t())\nloss = h.sum()\n",
    "functions": "def layer(v, m):\n    return torch.tanh(v @ m)\n" + _X
    + "m = torch.randn(4, 4, requires_grad=True)\nloss = layer(layer(x, m), w).sum()\n",
    "losses": _X + "y = x @ w\nt = torch.tensor([0, 1, 1])\nloss = F.cross_entropy(y, t) + F.mse_loss(y, "
    "torch.ones(3, 2)) + F.smooth_l1_loss(y, torch.zeros(3, 2)) + "
    "F.kl_div(F.log_softmax(y, 1), torch.full((3, 2), 0.5))\n",
    "binary cross entropy": _X + "t = torch.tensor([[0.0, 1], [1, 1], [0, 0]])\n"
    "loss = F.binary_cross_entropy_with_logits(x @ w, t)\n",
    "net": _NET + "loss = net(torch.randn(5, 3)).pow(2).mean()\n",
    "frozen layer": _NET + "net[0].weight.requires_grad_(False)\nloss = net(torch.randn(5, 3)).sum()\n",
    "layer norm": "net = nn.Sequential(nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1))\n"
    "loss = net(torch.randn(3, 4)).sum()\n",
    "group norm": "net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.ELU())\n"
    "loss = (net(torch.randn(2, 2, 6)) ** 2).sum()\n",
    "embedding": "emb = nn.Embedding(5, 3)\nfc = nn.Linear(3, 1)\n"
    "loss = fc(emb(torch.tensor([[0, 1], [4, 1]])).mean(1)).sum()\n",
    "recurrent cell": "cell = nn.RNNCell(2, 3)\nh = torch.zeros(1, 3)\nfor t in range(3):\n"
    "    h = cell(torch.randn(1, 2), h)\nloss = h.sum()\n",
    "lstm cell": "cell = nn.LSTMCell(2, 3)\nh = c = torch.zeros(1, 3)\nfor t in range(3):\n"
    "    h, c = cell(torch.randn(1, 2), (h, c))\nloss = h.sum()\n",
    "gru": "rnn = nn.GRU(2, 3)\nout, h = rnn(torch.randn(4, 1, 2))\nloss = out.sum()\n",
    "multi-head attention": "att = nn.MultiheadAttention(4, 2, batch_first=True)\nq = torch.randn(1, 3, 4)\n"
    "y, _ = att(q, q, q)\nloss = y.pow(2).sum()\n",
    "tied weights": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a = nn.Linear(3, 3)\n"
    "        self.b = nn.Linear(3, 3)\n        self.b.weight = self.a.weight\n    def forward(self, x):\n"
    "        return self.b(torch.relu(self.a(x)))\nnet = Net()\nloss = net(torch.randn(2, 3)).sum()\n",
    "weight norm by hand": "g = torch.ones(2, 1, requires_grad=True)\nv = torch.randn(2, 3, requires_grad=True)\n"
    "w = g * v / v.norm(dim=1, keepdim=True)\nloss = F.linear(torch.randn(4, 3), w).relu().sum()\n",
    "mixed widths": "a = torch.randn(3, dtype=torch.float32, requires_grad=True)\n"
    "b = torch.randn(3, requires_grad=True)\nloss = (a * b).sum() + a.double().exp().sum()\n",
    "einsum": _X + "loss = torch.einsum('ij,jk,ik->i', x, w, x @ w).sum()\n",
    "stack and cat": _X + "loss = (torch.stack([x, x * 2]).sum(0) @ torch.cat([w, w.sin()], 1)).sum()\n",
    "gather and scatter": _X + "i = torch.tensor([[0, 1], [2, 3], [1, 0]])\n"
    "loss = (x.gather(1, i) * torch.zeros(3, 4).scatter_add(1, i, x @ w).sum()).sum()\n",
    "cumulative": _X + "loss = (x.cumsum(0) * x.cumprod(1)).sum() + x.sort(1).values[:, 0].sum()\n",
    "pooling": "x = torch.randn(1, 2, 6, 6, requires_grad=True)\n"
    "loss = (F.max_pool2d(x, 2) * F.avg_pool2d(x, 2)).sum() + F.adaptive_avg_pool2d(x, 1).sum()\n",
    "interpolation": "x = torch.randn(1, 1, 3, 3, requires_grad=True)\n"
    "loss = F.interpolate(x, scale_factor=2, mode='bilinear').pow(2).sum() + F.pad(x, (1, 1)).sum()\n",
}  # fmt: skip

# PyTorch's gated unit writes its gates over the sums they are made of, unseen by its graph: 24 bytes a step.
WRITTEN_IN_PLACE = {"gru": 4 * 24}

"""Modes in which a program sees ops: what is told of a step of training, what is counted, what checkpoints keep."""

from __future__ import annotations

import pytest

from tests.spec.running import printed

_LOG = """
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.seen.append(func.__name__)
        return out
"""
_FLOPS = """
import torch, torch.nn as nn
from torch.utils.flop_counter import FlopCounterMode
"""
_KEPT = """
import torch
from functools import partial
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
x = torch.ones(3, 3, requires_grad=True)
def f(x):
    return torch.sigmoid(torch.matmul(torch.sin(x), x)).sum()
"""


@pytest.mark.parametrize(("program", "shown"), [
    (_LOG + """
x = torch.ones(3, requires_grad=True)
with Log() as log:
    (x * 2).exp().sum().backward()
print(*log.seen)
""", "mul.Tensor exp.default detach.default sum.default ones_like.default expand.default detach.default mul.Tensor "
     "mul.Tensor detach.default"),
    (_LOG + """
q = torch.ones(1, 2, 2)
x = torch.zeros(2, 2, requires_grad=True)
with Log() as log:
    torch.einsum('bij,bjk->bik', q, q)
    q[0, 1:] = 3
    F.cross_entropy(x, torch.zeros(2, dtype=torch.long))
print(*log.seen)
""", "unsqueeze.default permute.default unsqueeze.default permute.default permute.default view.default "
     "permute.default view.default bmm.default view.default permute.default view.default lift_fresh.default "
     "select.int slice.Tensor fill_.Tensor zeros.default _log_softmax.default detach.default nll_loss_forward.default"),
    (_LOG + """
aten = torch.ops.aten
class Found(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func is aten.mm.default, func == aten.mm, func.overloadpacket is aten.mm, func._schema.name, func.name())
        return func(*args, **(kwargs or {}))
with Found():
    torch.mm(torch.ones(1, 2), torch.ones(2, 1))
""", "False False False aten::ones aten::ones\nFalse False False aten::ones aten::ones\n"
     "True False True aten::mm aten::mm"),
    (_FLOPS + """
m = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
with FlopCounterMode(display=False) as flops:
    for _ in range(2):
        m(torch.ones(2, 3, 3, 3)).sum().backward()
print(flops.get_total_flops())
print(sorted((k, sorted((str(op), n) for op, n in v.items())) for k, v in flops.get_flop_counts().items()))
""", "3840\n[('Global', [('aten.addmm', 128), ('aten.convolution', 1728), ('aten.convolution_backward', 1728), "
     "('aten.mm', 256)]), ('Sequential', [('aten.addmm', 128), ('aten.convolution', 1728), "
     "('aten.convolution_backward', 1728), ('aten.mm', 256)]), ('Sequential.0', [('aten.convolution', 1728), "
     "('aten.convolution_backward', 1728)]), ('Sequential.3', [('aten.addmm', 128), ('aten.mm', 256)])]"),
    (_KEPT + """
keeping = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
y = checkpoint(f, x, use_reentrant=False, context_fn=keeping)
y.backward()
print(y, x.grad[0])
""", "tensor(8.3325, grad_fn=<SumBackward0>) tensor([0.2846, 0.2846, 0.2846])"),
    (_KEPT + """
def policy(ctx, op, *args, **kwargs):
    print(op, ctx.is_recompute)
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE
y = checkpoint(f, x, use_reentrant=False, context_fn=partial(create_selective_checkpoint_contexts, policy))
print(CheckpointPolicy.MUST_SAVE, CheckpointPolicy.MUST_SAVE.value)
""", "aten.sin.default False\naten.mm.default False\naten.sigmoid.default False\naten.sum.default False\n"
     "CheckpointPolicy.MUST_SAVE 0"),
])  # fmt: skip
def test_modes_that_see_ops(program: str, shown: str) -> None:
    assert printed(program).strip() == shown

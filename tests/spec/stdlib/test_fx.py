# ruff: noqa: E501 (programs on one line)
"""torch.fx in programs: graphs, their code and what runs them, as PyTorch prints them."""

from __future__ import annotations

from ..running import printed

_PROGRAM = """\
import operator
import torch
from torch import fx, nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
        self.scale = nn.Parameter(torch.full((3,), 2.0))
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x: torch.Tensor, n: int = 2):
        y = F.relu(self.seq(x) * (self.scale + 1) - self.shift)
        z = torch.cat([y, -y], dim=1)[:, :n].clamp(min=0.5)
        return F.softmax(z / 3, dim=-1), {"size": x.shape}, F.gelu(y).sum(0)

net = Net()
graph = fx.symbolic_trace(net)
print(graph.graph, graph.code)
x = torch.rand(4, 2)
print([torch.equal(a, b) for a, b in zip(graph(x)[::2], net(x)[::2])], [name for name, _ in net.named_parameters()])
graph(x)[2].sum().backward()
print(graph.scale is net.scale, net.scale.grad is not None)

class Swapped(fx.Transformer):
    def call_function(self, target, args, kwargs):
        return super().call_function(torch.sigmoid if target == F.relu else target, args[:1] if target == F.relu else args, {} if target == F.relu else kwargs)

def f(x, w):
    return torch.add(F.relu(x), w).neg()

traced = fx.symbolic_trace(f)
for node in traced.graph.nodes:
    if node.target == torch.add:
        with traced.graph.inserting_after(node):
            node.replace_all_uses_with(traced.graph.call_function(operator.mul, node.args))
        traced.graph.erase_node(node)
traced.recompile()
print(traced.code, Swapped(traced).transform().code)
print(fx.replace_pattern(traced, lambda a, b: a * b, lambda a, b: torch.maximum(a, b))[0].anchor, traced(torch.ones(1), 3 * torch.ones(1)))
for wrong in (lambda x: x if x.sum() > 0 else -x, lambda x: list(x)):
    try: fx.symbolic_trace(wrong)
    except fx.proxy.TraceError as e: print(str(e)[:60])
try: next(iter(traced.graph.nodes)).graph.erase_node(next(iter(traced.graph.nodes)))
except RuntimeError as e: print(e)
"""
_PRINTED = """\
graph():
    %x : torch.Tensor [num_users=2] = placeholder[target=x]
    %n : int [num_users=1] = placeholder[target=n](default=2)
    %seq_0 : [num_users=1] = call_module[target=seq.0](args = (%x,), kwargs = {})
    %seq_1 : [num_users=1] = call_module[target=seq.1](args = (%seq_0,), kwargs = {})
    %scale : [num_users=1] = get_attr[target=scale]
    %add : [num_users=1] = call_function[target=operator.add](args = (%scale, 1), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%seq_1, %add), kwargs = {})
    %shift : [num_users=1] = get_attr[target=shift]
    %sub : [num_users=1] = call_function[target=operator.sub](args = (%mul, %shift), kwargs = {})
    %relu : [num_users=3] = call_function[target=torch.nn.functional.relu](args = (%sub,), kwargs = {inplace: False})
    %neg : [num_users=1] = call_function[target=operator.neg](args = (%relu,), kwargs = {})
    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%relu, %neg],), kwargs = {dim: 1})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%cat, (slice(None, None, None), slice(None, n, None))), kwargs = {})
    %clamp : [num_users=1] = call_method[target=clamp](args = (%getitem,), kwargs = {min: 0.5})
    %truediv : [num_users=1] = call_function[target=operator.truediv](args = (%clamp, 3), kwargs = {})
    %softmax : [num_users=1] = call_function[target=torch.nn.functional.softmax](args = (%truediv,), kwargs = {dim: -1, _stacklevel: 3, dtype: None})
    %gelu : [num_users=1] = call_function[target=torch._C._nn.gelu](args = (%relu,), kwargs = {})
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%gelu, 0), kwargs = {})
    %getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})
    return (softmax, {'size': getattr_1}, sum_1)


def forward(self, x : torch.Tensor, n : int = 2):
    seq_0 = getattr(self.seq, "0")(x)
    seq_1 = getattr(self.seq, "1")(seq_0);  seq_0 = None
    scale = self.scale
    add = scale + 1;  scale = None
    mul = seq_1 * add;  seq_1 = add = None
    shift = self.shift
    sub = mul - shift;  mul = shift = None
    relu = torch.nn.functional.relu(sub, inplace = False);  sub = None
    neg = -relu
    cat = torch.cat([relu, neg], dim = 1);  neg = None
    getitem = cat[(slice(None, None, None), slice(None, n, None))];  cat = n = None
    clamp = getitem.clamp(min = 0.5);  getitem = None
    truediv = clamp / 3;  clamp = None
    softmax = torch.nn.functional.softmax(truediv, dim = -1, _stacklevel = 3, dtype = None);  truediv = None
    gelu = torch._C._nn.gelu(relu);  relu = None
    sum_1 = gelu.sum(0);  gelu = None
    getattr_1 = x.shape;  x = None
    return (softmax, {'size': getattr_1}, sum_1)

[True, True] ['scale', 'seq.0.weight', 'seq.0.bias']
True True



def forward(self, x, w):
    relu = torch.nn.functional.relu(x, inplace = False);  x = None
    mul = relu * w;  relu = w = None
    neg = mul.neg();  mul = None
    return neg



def forward(self, x, w):
    sigmoid = torch.sigmoid(x);  x = None
    mul = sigmoid * w;  sigmoid = w = None
    neg = mul.neg();  mul = None
    return neg

mul tensor([-3.])
symbolically traced variables cannot be used as inputs to co
Proxy object cannot be iterated. This can be attempted when
Tried to erase Node x but it still had 1 users in the graph: {relu: None}!
"""


def test_graphs_of_modules_and_functions_are_printed_changed_and_run_as_in_pytorch() -> None:
    # PyTorch ends the code of a function with the indent of a next line.
    assert [line.rstrip() for line in printed(_PROGRAM).splitlines()] == _PRINTED.splitlines()

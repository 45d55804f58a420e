# ruff: noqa: E501 (programs on one line)
"""torch.nested in programs: tensors of several lengths in both layouts, as PyTorch computes and prints them."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_PROGRAM = """\
import warnings
import torch
from torch import nn
import torch.nn.functional as F

warnings.simplefilter("ignore")

def walk(node, depth=0):
    print("  " * depth + (node.name().replace("torch::autograd::", "") if node else "None"))
    for each, _ in node.next_functions if node else ():
        walk(each, depth + 1)

a = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
b = torch.tensor([[1.5, 1.0], [-0.5, 3.0], [0.0, -2.0]], requires_grad=True)
layer, norm = nn.Linear(2, 2), nn.LayerNorm(2)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[1.0, -1.0], [0.5, 2.0]]))
    layer.bias.zero_()
for layout in (torch.strided, torch.jagged):
    nt = torch.nested.as_nested_tensor([a, b], layout=layout)
    text = str((nt * 2).relu())
    print(text[:text.find(" object")] if " object" in text else text)
    print(nt.layout, nt.is_nested, nt.dim(), nt.numel(), nt.size(0), nt.size(-1), nt.is_leaf, isinstance(nt, torch.Tensor))
    out = F.softmax(norm(layer(nt)) + nt, dim=-1)
    padded = torch.nested.to_padded_tensor(out, 0.5, (2, 4, 2))
    loss = (padded * torch.arange(16.0).reshape(2, 4, 2)).sum()
    walk(loss.grad_fn)
    loss.backward(retain_graph=True)
    print(padded[0].detach(), a.grad, layer.weight.grad)
    a.grad = b.grad = None
    (nt.unbind()[0].sum() + nt[1, 2].prod() + sum(part.pow(2).sum() for part in nt)).backward()
    print(a.grad, b.grad, nt[1].grad_fn.name(), nt.unbind()[0].grad_fn.name())
    a.grad = b.grad = layer.weight.grad = None
    ids = torch.nested.nested_tensor([[1, 2], [3, 4, 5]], layout=layout)
    print(ids.to_padded_tensor(-1), [part.tolist() for part in ids], ids.dtype)
    leaf = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=layout, requires_grad=True)
    (leaf * 3).to_padded_tensor(0.0).sum().backward()
    print(leaf.grad.to_padded_tensor(0.0), leaf.grad.is_nested, leaf.is_leaf)
apart = torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(2, 1)])
print(apart, apart.to_padded_tensor(0))
jagged = torch.nested.nested_tensor_from_jagged(torch.arange(10.0).reshape(5, 2), lengths=torch.tensor([1, 4]))
print(jagged, jagged.shape, jagged.offsets(), jagged.values().sum(), jagged.mean(1), jagged.sum(-1).to_padded_tensor(0.0))
print(jagged.unflatten(-1, (2, 1)).transpose(1, 2).shape, (jagged @ torch.ones(2, 3)).shape, [c.shape for c in jagged.chunk(2, -1)])
print((jagged + torch.tensor([10.0, 20.0])).values()[0], (1 - jagged).exp().values()[0], (jagged * torch.tensor([[[1.0, 1.0]], [[0.0, 2.0]]])).values())
for wrong in (
    lambda: jagged + torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)], layout=torch.jagged),
    lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3, 2)], layout=torch.jagged),
    lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3, 2)]),
    lambda: apart.size(1), lambda: len(apart), lambda: apart + torch.ones(2), lambda: jagged[:, 0],
):
    try:
        wrong()
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)
"""
_PRINTED = """\
nested_tensor([
  tensor([[1.0000, 0.0000],
          [4.0000, 0.5000]], requires_grad=True),
  tensor([[3., 2.],
          [0., 6.],
          [0., 0.]], requires_grad=True)
], grad_fn=<ReluBackward0>)
torch.strided True 3 10 2 2 False True
SumBackward0
  MulBackward0
    ToPaddedTensorBackward0
      SoftmaxBackward0
        AddBackward0
          NativeLayerNormBackward0
            LinearBackward0
              NestedTensorFromTensorListBackward0
                AccumulateGrad
                AccumulateGrad
              AccumulateGrad
              AccumulateGrad
            AccumulateGrad
            AccumulateGrad
          NestedTensorFromTensorListBackward0
            AccumulateGrad
            AccumulateGrad
    None
tensor([[0.9707, 0.0293],
        [0.9770, 0.0230],
        [0.5000, 0.5000],
        [0.5000, 0.5000]]) tensor([[-0.0285,  0.0285],
        [-0.0225,  0.0228]]) tensor([[-2.3143e-04, -2.9694e-05],
        [ 2.3189e-04,  2.9739e-05]])
tensor([[ 2.0000, -1.0000],
        [ 5.0000,  1.5000]]) tensor([[ 3.,  2.],
        [-1.,  6.],
        [-2., -4.]]) SelectBackwardAutogradNestedTensor0 UnbindBackwardAutogradNestedTensor0
tensor([[ 1,  2, -1],
        [ 3,  4,  5]]) [[1, 2], [3, 4, 5]] torch.int64
tensor([[3., 3., 0.],
        [3., 3., 3.]]) True True
NestedTensor(size=(2, j1, 2), offsets=tensor([0, 2, 5]), grad_fn=<ReluBackward0
torch.jagged True 3 10 2 2 False True
SumBackward0
  MulBackward0
    ToPaddedTensorBackward0
      SoftmaxBackward0
        AddBackward0
          NativeLayerNormBackward0
            LinearBackward0
              NestedViewFromJaggedBackward0
                CatBackward0
                  AccumulateGrad
                  AccumulateGrad
              AccumulateGrad
              AccumulateGrad
            AccumulateGrad
            AccumulateGrad
          NestedViewFromJaggedBackward0
            CatBackward0
              AccumulateGrad
              AccumulateGrad
    None
tensor([[0.9707, 0.0293],
        [0.9770, 0.0230],
        [0.5000, 0.5000],
        [0.5000, 0.5000]]) tensor([[-0.0285,  0.0285],
        [-0.0225,  0.0228]]) tensor([[-2.3143e-04, -2.9694e-05],
        [ 2.3189e-04,  2.9739e-05]])
tensor([[ 2.0000, -1.0000],
        [ 5.0000,  1.5000]]) tensor([[ 3.,  2.],
        [-1.,  6.],
        [-2., -4.]]) SelectBackwardAutogradNestedTensor0 UnbindBackwardAutogradNestedTensor0
tensor([[ 1,  2, -1],
        [ 3,  4,  5]]) [[1, 2], [3, 4, 5]] torch.int64
tensor([[3., 3., 0.],
        [3., 3., 3.]]) True True
nested_tensor([
  tensor([[1., 1.]]),
  tensor([[1.],
          [1.]])
]) tensor([[[1., 1.],
         [0., 0.]],

        [[1., 0.],
         [1., 0.]]])
NestedTensor(size=(2, j4, 2), offsets=tensor([0, 1, 5]), contiguous=True) torch.Size([2, j4, 2]) tensor([0, 1, 5]) tensor(45.) tensor([[0., 1.],
        [5., 6.]]) tensor([[ 1.,  0.,  0.,  0.,  0.],
        [ 5.,  9., 13., 17.,  0.]])
torch.Size([2, 2, j4, 1]) torch.Size([2, j4, 3]) [torch.Size([2, j4, 1]), torch.Size([2, j4, 1])]
tensor([10., 21.]) tensor([2.7183, 1.0000]) tensor([[ 0.,  1.],
        [ 0.,  6.],
        [ 0., 10.],
        [ 0., 14.],
        [ 0., 18.]])
RuntimeError cannot call binary pointwise function add.Tensor with inputs of shapes (2, j4, 2) and (2, j5, 2)
RuntimeError When constructing a nested tensor, all tensors in list must have the same dim
RuntimeError All Tensors given to nested_tensor must have the same dimension. Found dimension 2 for Tensor at index 1 and dimension 1 for Tensor at index 0.
RuntimeError Given dimension 1 is irregular and does not have a size.
RuntimeError Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.
RuntimeError Expected both self and other to be nested, but got a nested self and non-nested other
RuntimeError slice(): not supported for NestedTensor on dim=0
"""


def test_both_layouts_are_pytorchs() -> None:
    """What PyTorch 2.13 prints: values, gradients, the names of the nodes, and its refusals."""
    assert printed(_PROGRAM) == _PRINTED


@pytest.mark.parametrize(
    "call",
    ["torch.cumsum(nt, -1)", "nt.T", "torch.nested.narrow(nt, 1, 0, 1)", "F.scaled_dot_product_attention(nt, nt, nt)"],
)
def test_what_is_not_there_is_refused_by_name(call: str) -> None:
    """Nothing is computed of the memory that holds the parts by chance."""
    with pytest.raises(GradcliError, match=r"not in gradcli"):
        program(f"import torch\nimport torch.nn.functional as F\nnt = torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(3, 2)], layout=torch.jagged)\n{call}\n").run()

"""Classes of programs whose tensors leave ops to them: by __torch_dispatch__, with memory of their own and without."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed

WRAPPING = """
import copy, torch
from torch import nn
from torch.utils._pytree import tree_map
class W(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=inner.device, requires_grad=inner.requires_grad)
    def __init__(self, inner):
        self.inner = inner
    def __repr__(self):
        return f"W({self.inner})"
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        un = lambda t: t.inner if isinstance(t, cls) else t
        out = func(*tree_map(un, args), **tree_map(un, kwargs or {}))
        return tree_map(lambda t: cls(t) if isinstance(t, torch.Tensor) else t, out)
"""
# One whose tensors have memory, and that says what it is asked about.
NOTING = """
import torch
class T(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print(func, [t.__name__ for t in types], [type(x).__name__ for x in args])
        return super().__torch_dispatch__(func, types, args, kwargs or {})
"""
# A program -> what PyTorch prints.
PROGRAMS = {
    "layers, writes, conversions and items": (
        f"{WRAPPING}net = nn.Linear(2, 1)\nout = net(W(torch.ones(3, 2)))\nout.sum().backward()\n"
        "print(type(out).__name__, net.weight.grad)\ny = W(torch.arange(3.)); y[0] = 5\n"
        "print(y, y[1:], y.to(torch.float64), y.double().dtype, y.float() is y, 1 - y, y.max(0).indices)\n"
        "print(y.sum().item(), bool((y > 0).all()), *W(torch.arange(4.)).chunk(2))",
        "W W(tensor([[3., 3.]]))\n"
        "W(tensor([5., 1., 2.])) W(tensor([1., 2.])) W(tensor([5., 1., 2.], dtype=torch.float64)) torch.float64 True "
        "W(tensor([-4.,  0., -1.])) W(0)\n8.0 True W(tensor([0., 1.])) W(tensor([2., 3.]))\n",
    ),
    "parameters are of the class": (
        f"{WRAPPING}p = nn.Parameter(W(torch.ones(2)))\nq = copy.deepcopy(p)\n"
        "print(p, type(p) is W, isinstance(p, nn.Parameter), p.requires_grad, p.data, p.detach().requires_grad)\n"
        "print(type(q).__name__, isinstance(q, nn.Parameter))\n"
        "m = nn.Module()\nm.w = p\n(m.w * 2).sum().backward()\nprint([n for n, _ in m.named_parameters()], p.grad)",
        "W(tensor([1., 1.])) True True True W(tensor([1., 1.])) False\nW True\n['w'] W(tensor([2., 2.]))\n",
    ),
    "memory of its own": (
        f"{NOTING}x = torch.ones(2).as_subclass(T)\nprint(type(x * 2), type(T([1., 2.]).view(2, 1)))\n"
        "z = torch.tensor([1., 3.], requires_grad=True)\nw = (z.as_subclass(T) * 2).sum()\nw.backward()\n"
        "print(type(w), z.grad)\nx.add_(1)\nwith torch._C._DisableTorchDispatch(): print(x + 1)",
        "aten.mul.Tensor ['T'] ['T', 'int']\naten.view.default ['T'] ['T', 'list']\n"
        "<class 'torch.Tensor'> <class 'torch.Tensor'>\naten.mul.Tensor ['T'] ['T', 'int']\n"
        "<class 'torch.Tensor'> tensor([2., 2.])\naten.add_.Tensor ['T'] ['T', 'int']\ntensor([3., 3.])\n",
    ),
    "no answer": (
        "class M(torch.Tensor):\n    @classmethod\n"
        "    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):\n"
        "        return torch.tensor(-1.) if func is torch.ops.aten.sum.default else NotImplemented\n"
        "m = torch.ones(3).as_subclass(M)\nprint(m.sum())\n"
        "for ask in (lambda: m + 1, lambda: m.add(1)):\n"
        "    try: ask()\n    except TypeError as e: print(str(e)[:49])",
        "tensor(-1.)\nunsupported operand type(s) for +: 'M' and 'int'\n"
        "Multiple dispatch failed for 'torch.ops.aten.add.\n",
    ),
    "functions that layers call are those of torch.nn.functional": (
        "class T(torch.Tensor):\n    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        if func is nn.functional.linear: print('linear')\n"
        "        return super().__torch_function__(func, types, args, kwargs)\n"
        "lin = nn.Linear(2, 2)\nlin.weight = nn.Parameter(torch.ones(2, 2).as_subclass(T))\n"
        "print(type(lin(torch.ones(1, 2))).__name__, type(lin.weight) is T, isinstance(lin.weight, nn.Parameter))",
        "linear\nT True True\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_ops_are_left_to_classes(name: str) -> None:
    text, shown = PROGRAMS[name]
    assert printed(f"import torch\nfrom torch import nn\n{text}") == shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("torch.Tensor._make_wrapper_subclass(torch.Tensor, (2,))", "a class of the program's own"),
        ("class A(torch.Tensor): pass\ntorch.Tensor._make_wrapper_subclass(A, (2,))", "must define __torch_dispatch__"),
        (f"{WRAPPING}torch.Tensor._make_wrapper_subclass(W, (2, -1))", "sizes of 0 or more"),
        (f"{NOTING}print(torch.ones(2).as_subclass(T))", "whose class alone has its numbers"),
        (
            f"{NOTING}class N(T):\n    @classmethod\n    def __torch_dispatch__(cls, func, *a): return func(*a[1])\n"
            "torch.ones(2).as_subclass(N) + 1",
            "nested too deeply",
        ),
    ],
)
def test_what_no_such_class_may_do(text: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        printed(f"import torch\nfrom torch import nn\n{text}")

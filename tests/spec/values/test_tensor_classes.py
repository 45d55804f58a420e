"""Classes of programs that derive from tensors, or say what functions make of their objects; modes that see calls."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError

from ..running import printed

LOGGING = """
class Log(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not torch.Tensor.__repr__:
            print(func.__name__, len(args))
        return super().__torch_function__(func, types, args, kwargs or {})
"""
# A program -> what PyTorch prints.
PROGRAMS = {
    "results are of the class": (
        "class T(torch.Tensor): pass\nx = torch.ones(2).as_subclass(T)\nv = x[:1]\n"
        "print(x + 1, type(v) is T, type(T([1]) * 2))",
        "T([2., 2.]) True <class '__main__.T'>\n",
    ),
    "calls, operators and attributes are seen": (
        f"{LOGGING}x = torch.ones(2).as_subclass(Log)\ny = (1 - x) @ x\nx.shape\nx.dim()\nfor v in x: pass\nprint(y)",
        "__rsub__ 2\nmatmul 2\n__get__ 1\ndim 1\ndim 1\nunbind 2\nLog(0.)\n",
    ),
    "methods of its own, and what __new__ is given": (
        "class T(torch.Tensor):\n"
        "    @staticmethod\n"
        "    def __new__(cls, x, more): return super().__new__(cls, x)\n"
        "    def __init__(self, x, more): self.more = more\n"
        "    def clone(self): return T(super().clone(), self.more)\n"
        "    def wide(self):\n"
        "        made = T([], self.more)\n"
        "        made.data = self.to(torch.float64).data\n"
        "        return made\n"
        "a = T([1., 2.], 'm')\nprint(a.clone().more, a.wide(), hasattr(a + 1, 'more'), a.double().sum())",
        "m T([1., 2.], dtype=torch.float64) False T(3., dtype=torch.float64)\n",
    ),
    "parameters with something beside": (
        "class P(nn.Parameter):\n"
        "    def __new__(cls, data, tag): return nn.Parameter.__new__(cls, data)\n"
        "    def __init__(self, data, tag): self.tag = tag\n"
        "m = nn.Module()\nm.w = P(torch.ones(2), 'first')\n(m.w * 3).sum().backward()\n"
        "print([(n, p.tag, p.grad) for n, p in m.named_parameters()], type(m.w * 2).__name__)\nprint(m.w)",
        "[('w', 'first', tensor([3., 3.]))] Tensor\n"
        "Parameter containing:\nParameter(P([1., 1.], requires_grad=True))\n",
    ),
    "no tensors": (
        "class S:\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        return {torch.mean: 'mean', torch.Tensor.add: 'add', F.relu: 'relu'}.get(func, NotImplemented)\n"
        "print(torch.mean(S()), torch.ones(1).add(S()), F.relu(S()))\n"
        "try: torch.mul(S(), 2)\nexcept TypeError as e: print(str(e)[:34])",
        "mean add relu\nMultiple dispatch failed for 'torc\n",
    ),
    "modes": (
        "from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function\n"
        "class Seen(TorchFunctionMode):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        print(func.__name__)\n"
        "        wide = {'dtype': torch.float64} if func is torch.zeros else {}\n"
        "        return func(*args, **{**(kwargs or {}), **wide})\n"
        "with Seen():\n    x = torch.zeros(1)\n    x.relu_()\n"
        "print(x, has_torch_function((x,)))",
        "zeros\nrelu_\ntensor([0.], dtype=torch.float64) False\n",
    ),
    "modes that make the calls as they are": (
        "from torch.overrides import BaseTorchFunctionMode\n"
        "from torch.utils._python_dispatch import BaseTorchDispatchMode, TorchDispatchMode\n"
        "class Log(BaseTorchFunctionMode):\n"
        "    def __init__(self, tag): super().__init__(); self.tag = tag\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        print(self.tag, func.__name__)\n"
        "        return super().__torch_function__(func, types, args, kwargs)\n"
        "class Swap(Log):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        func = torch.mul if func == torch.Tensor.add else func\n"
        "        return super().__torch_function__(func, types, args, kwargs)\n"
        "class Plain(BaseTorchFunctionMode): pass\n"
        "class Ops(BaseTorchDispatchMode):\n"
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
        "        print(func)\n"
        "        return super().__torch_dispatch__(func, types, args, kwargs)\n"
        "class Never(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
        "        return super().__torch_dispatch__(func, types, args, kwargs)\n"
        "x = torch.tensor([3.])\n"
        "with Swap('inner'), Plain(): y = x.add(x)\n"
        "with Ops(): z = x + 1\n"
        "print(y, z)\n"
        "try:\n    with Never(): x + 1\nexcept NotImplementedError: print('left')",
        "inner mul\naten.add.Tensor\ntensor([9.]) tensor([4.])\nleft\n",
    ),
    "asked no more": (
        f"{LOGGING}x = torch.ones(2).as_subclass(Log)\n"
        "with torch._C.DisableTorchFunctionSubclass(): print(type(x + 1))\n"
        "class Q(torch.Tensor): __torch_function__ = torch._C._disabled_torch_function_impl\n"
        "print(type(torch.ones(1).as_subclass(Q) + 1))",
        "<class 'torch.Tensor'>\n<class 'torch.Tensor'>\n",
    ),
    "what was computed, in place of a parameter": (
        "m = nn.Linear(2, 1)\nw = torch.ones(1, 2, requires_grad=True)\nm._parameters['weight'] = w * 2\n"
        "m(torch.ones(1, 2)).sum().backward()\nprint(w.grad)",
        "tensor([[2., 2.]])\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_classes_of_tensors_are_asked(name: str) -> None:
    text, shown = PROGRAMS[name]
    assert printed(f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n{text}") == shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class A(torch.Tensor):\n    def __add__(self, o): return 1", "may not define __add__"),
        ("class A(torch.Tensor): pass\nA(10**5, 10**6)", "elements"),
        ("class A(torch.Tensor): _a = 1", "_a belongs to"),
        ("torch.Tensor._make_subclass(nn.Linear, torch.ones(1))", "a class of the program's own"),
        (
            "class S:\n    @classmethod\n    def __torch_function__(cls, f, *a): return f(*a[1])\ntorch.sum(S())",
            "nested too deeply",
        ),
    ],
)
def test_what_no_class_of_tensors_may_do(text: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        printed(f"import torch\nimport torch.nn as nn\n{text}")

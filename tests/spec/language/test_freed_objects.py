"""Objects with a ``__del__``: it runs when nobody holds them any more, as in CPython."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.spec.guard.limits import STRICT

from ..running import printed, program

START = """
import copy, gc
class R:
    def __init__(self, name): self.name = name
    def __del__(self): print('-' + self.name, end=' ')
class Node:
    def __init__(self, n): self.n, self.other = n, self
    def __del__(self): print('node', self.n, end=' ')
class Holder:
    def __init__(self): self.r = R('held')
    def __enter__(self): return self
    def __exit__(self, *error): self.r = None
class Bad:
    def __del__(self): raise ValueError('in del')
"""

# What CPython 3.11 prints.
CASES = {
    "a = R('a'); b = a; del a; print('still'); b = R('b'); print('end')": "still\n-a end\n-b ",
    "R('temp'); print('after'); print([R(str(i)).name for i in range(2)])": "-temp after\n-0 -1 ['0', '1']\n",
    "def f():\n    x = R('x'); y = lambda: 1\n    print('in')\nf(); print('out')": "in\n-x out\n",
    "def g():\n    x = R('x')\n    def inner(): return x.name\n    return inner\nh = g(); print(h()); h = None\n"
    "print('gone')": "x\n-x gone\n",
    "p, q = Node(1), Node(2); p.other, q.other = q, p; del p, q; print('both'); gc.collect(); print('end')":
        "both\nnode 1 node 2 end\n",
    "a = Node(3); del a; print('end')": "end\nnode 3 ",
    "x = [R('0'), R('1')]; x.pop(0); print('popped'); x.clear(); d = {'a': R('d')}; d['a'] = 1; print()":
        "-0 popped\n-1 -d \n",
    "b = R('b'); c = copy.copy(b); c.name = 'c'; del c; c = copy.deepcopy(b); c.name = 'd'; del c; print()":
        "-c -d \n-b ",
    "Bad(); print('after')": "after\n",
    "def f():\n    t = R('t')\n    raise KeyError('k')\ntry: f()\nexcept KeyError as e: print(e)\nprint('next')":
        "'k'\n-t next\n",
    "class S(R):\n    def __del__(self):\n        print('first', end=' ')\n        super().__del__()\ns = S('s')\n"
    "s = 0; print()": "first -s \n",
    "with Holder() as h: print('in')\nprint('out'); z = Holder(); del h; print('end')":
        "in\n-held out\nend\n-held ",
    "kept = []\nclass Z:\n    def __del__(self): kept.append(self); print('risen', end=' ')\nZ(); print(len(kept))\n"
    "kept.clear(); print('once')": "risen 1\nonce\n",
    "for i in range(3): t = R(str(i))\nt.__del__(); print('end')": "-0 -1 -2 end\n-2 ",
    "def g():\n    r = R('g')\n    yield 1\n    yield 2\nfor v in g(): break\nprint('left')": "-g left\n",
    "class S:\n    __slots__ = ('v',)\n    def __del__(self): print(self.v, end=' ')\ns = S(); s.v = 4; del s; print()":
        "4 \n",
    "import torch\nclass Hook:\n    def __init__(self, m): self.h = m.register_forward_hook(lambda *a: None)\n"
    "    def __del__(self): self.h.remove()\nm = torch.nn.Linear(2, 2); h = Hook(m); print(len(m._forward_hooks))\n"
    "del h; print(len(m._forward_hooks))": "1\n0\n",
    "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n"
    "    def forward(ctx, x): ctx.r = R('r'); return x * 2\n    @staticmethod\n    def backward(ctx, g): return g * 2\n"
    "x = torch.ones(2, requires_grad=True)\n"
    "y = F.apply(x).sum(); y.backward(); print('b'); del y; print('c')": "b\n-r c\n",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_it_runs_when_it_does_in_cpython(text: str) -> None:
    assert printed(START + text) == CASES[text]


def test_its_errors_are_shown_and_passed_by() -> None:
    told: list[str] = []
    bad = program(START + "Bad()\nprint('after')")
    bad.run(machine=bad.machine(told.append, told.append))
    assert told[0].startswith("Exception ignored in: <function Bad.__del__ at 0x")
    assert [told[0].endswith("\nValueError: in del\n"), "".join(told[1:])] == [True, "after\n"]


# Each object that is freed makes another, or its end has none.
@pytest.mark.parametrize(
    ("made", "done"), [("A()", "while True: pass"), ("a = A()", "while True: pass"), ("A()", "A()")]
)
def test_the_limits_hold_in_it(made: str, done: str) -> None:
    text = f"class A:\n    def __del__(self):\n        {done}\n{made}\nprint('x')"
    with pytest.raises(GradcliError, match="more than 20,000 steps"):
        printed(text, limits=STRICT.replace(steps=20_000))


@pytest.mark.parametrize("base", ["nn.Module", "torch.Tensor", "ValueError"])
def test_layers_tensors_and_exceptions_have_none(base: str) -> None:
    with pytest.raises(GradcliError, match="__del__ is a plain function here") as caught:
        printed(f"import torch\nfrom torch import nn\nclass A({base}):\n    def __del__(self): pass\n")
    assert caught.value.code == "E205"

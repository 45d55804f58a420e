# ruff: noqa: E501 (programs on one line)
"""Attempts at the host, its time and its memory: each ends as it must, with one diagnostic and nothing of the host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradcli.errors import GradcliError
from gradcli.report.diagnostic import render
from gradcli.spec.guard.limits import STRICT, Limits
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests import rings

from .test_hostile import SECONDS, outcome

# -- what is refused: one diagnostic, at a place in the text -------------------------------------------

CLASS = "class A:\n    def f(self):\n        return 1\n    @property\n    def p(self):\n        return 2\na = A()\ndef f(x=[1]):\n    return x\ntry:\n    1 / 0\nexcept ZeroDivisionError as caught:\n    e = caught\n"
LAYER = "x = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\nm = nn.Linear(2, 1)\n"
FUNCTION = "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        {}\n        return x * 2\n    @staticmethod\n    def backward(ctx, g):\n        {}\nx = torch.ones(2, requires_grad=True)\ny = F.apply(x)\ny.sum().backward()"

# Attributes that lead from a value to its host.
REACHING = [
    *(CLASS + text for text in (
        "e.__traceback__.tb_frame.f_globals", "e.with_traceback(f).tb", "e.__traceback__ = f", "e.__dict__",
        "e.__reduce__()", "e.__setstate__({})", "f.__globals__", "f.__code__.co_code", "f.__code__.function", "f.__code__.replace()", "type(f.__code__)(f)", "f.__closure__",
        "f.__dict__", "f.machine", "f.body", "f.outer", "f.node", "f.signature", "f.call", "f.__class__.__init__",
        "f.body = print", "f.__code__ = 1", "f.__class__ = A", "f.signature = None", "a.__dict__['__class__'] = f", "a.__dict__.update(__deepcopy__=f)", "a.__dict__[1] = f", "globals()['print'] = f", "globals()['__name__'] = f", "a.__dict__ |= {}", "del a.__dict__['f']", "a.__class__.__base__", "a.__class__ = int",
        "A.__base__", "A.__module__ = 'x'", "A.__qualname__ = 'x'",
        "A.__subclasshook__(A)", "A.__prepare__()", "a.__reduce_ex__(2)",
        "a.__sizeof__()", "a.__format__(3)", "a.__dir__()", "a.__init__.__globals__", "A.f.__wrapped__",
        "property(len).fget", "A.p.__get__(a)", "property(torch.sum).fget", "A.p.fget.__globals__", "A.p.fget.__code__.co_consts", "A.p.fget = f", "A.p.__set__", "staticmethod(f).__func__", "classmethod(f).__wrapped__",
        "type(a).__call__", "type(A).mro(A)", "type(f)(f.body, {})", "type(f)()",
        "type(print)(1)", "type(a.f)(f, a)", "type(torch)('os')", "type(len)()", "type((x for x in a))", "type(super)()",
        "super(A, a).__class__", "super(A, a).__dict__", "super(A, a).__self__", "super(int, 3).real",
        "super(A, a).__init__.__func__", "object.__subclasses__()", "int.__subclasses__()",
        "().__class__.__base__", "''.__class__.__mro__[1]",
        "getattr(e, '__dict__')", "vars(f)", "vars(torch)", "getattr(f, '__glo' + 'bals__')", "getattr(torch, '__dict__')", "getattr(torch._C, '_nn')", "getattr(nn, '__builtins__')",
        "setattr(f, '__code__', f)", "setattr(nn.Module, '__call__', f)", "setattr(torch, 'Tensor', f)", "delattr(A, '__init__')", "torch.Tensor = f", "torch._C = f", "torch.nn = f", "torch.__dict__ = {}", "math.sqrt = f", "setattr(nn, 'Linear', f)",
        "import builtins\nbuiltins.mine = f", "nn.Module.__init__ = f", "del nn.Linear.__init__", "class M(nn.Module): pass\nM.__call__ = f",
        "torch.os", "torch.sys", "torch.nn.functional.np", "math.__loader__", "math.__spec__", "nn.init.math",
        "torch.load('x')", "torch.hub", "torch.jit.load('x')", "torch.jit._script", "torch.jit.script.__globals__", "torch.ops", "torch.classes", "torch.utils.cpp_extension", "torch.multiprocessing",
        "torch.utils.data.os", "torch.optim.lr_scheduler.math", "print.__self__", "print.__globals__", "print.__closure__", "len.__self__", "sorted.__code__",
        "str.format.__self__", "str.join.function", "'x'.join.function", "'x'.join.owner.__class__.__mro__", "[].append.__self__", "[].append.owner.x",
        "zip().source", "map(f, []).source", "(x for x in []).gi_frame", "iter([]).__reduce__()", "iter([]).__setstate__(1)", "enumerate([]).source",
        "{}.keys().mapping", "range(3).__reduce__()", "slice(1).indices(3)", "...__class__", "NotImplemented.__reduce__()",
    )),
    *(LAYER + text for text in (
        "x._a", "x._node", "x.__dict__", "x.__array__()", "x.__array_interface__", "x.__reduce_ex__(2)", "x.__torch_function__", "x.__setstate__(1)",
        "x.data_ptr().x", "x.storage().tensor", "x.storage()._all()", "x.storage()[:1]", "x.untyped_storage()[0]", "print(x.untyped_storage())", "x.set_(x)", "x.resize_(9)", "x.detach().numpy().base", "x.detach().numpy().ctypes",
        "x.detach().numpy().dump('/tmp/x')", "x.detach().numpy().__array_interface__", "x.detach().numpy().data", "x.detach().numpy().base",
        "x.detach().numpy().setfield(1, 'f4')", "x.detach().numpy().view('O')", "x.detach().numpy().astype('O')", "type(x.detach().numpy())((3,))",
        "type(x.detach().numpy().dtype)('O')", "x.detach().numpy().sum().__class__.__mro__", "y.grad_fn.__class__.__mro__", "y.grad_fn.op", "y.grad_fn.saved",
        "y.grad_fn.apply", "y.grad_fn.__call__(x)", "type(y.grad_fn)()", "y.grad_fn.next_functions[0][0].op", "m.__dict__['__class__'] = A", "m.__dict__['_parameters'] = {}", "m.__dict__['_state_dict_hooks'][0]", "m._non_persistent_buffers_set",
        "m.forward.__func__.__globals__", "m.__class__.__subclasses__", "m._parameters.__class__.__mro__", "m.__setstate__({})", "m.__getattr__('x')",
        "m.weight.__dict__", "m.weight._a", "nn.Linear.forward.__globals__", "nn.Linear.__init__.__globals__", "nn.Module.__subclasses__()",
        "torch.Tensor.__dict__", "torch.Tensor.sum.function", "torch.Tensor.__init__(x)", "torch.Tensor.__getattr__", "torch.optim.SGD.__subclasses__",
        "torch.optim.SGD(m.parameters(), lr=1).__dict__", "torch.optim.SGD(m.parameters(), lr=1)._optimizer_step_pre_hooks", "x.register_hook(print).hooks_dict_ref",
        "torch.float32.np", "torch.float32.type", "torch.device('cpu').__reduce__()", "torch.Generator().__reduce__()", "torch.no_grad().__enter__.__func__",
        "torch.no_grad().__dict__", "x.shape.__class__.__mro__", "torch.autograd.Function.__mro__", "torch.func.vmap(print).__closure__",
    )),
    # definitions that the host would call
    *(f"class A:\n    {text}" for text in (
        "__del__ = print", "@staticmethod\n    def __del__(): pass", "pass\nclass B(ValueError):\n    def __del__(self): pass", "pass\nA.__del__ = print", "pass\nsetattr(A, '__del__', print)", "__slots__ = '__del__'\nA().__del__ = print",
        "def __mro_entries__(self, bases): return ()", "__array_interface__ = {}", "__array_struct__ = 1",
        "def __array_ufunc__(self, *a): return 1",
        "def __await__(self): return 1", "def __buffer__(self): return 1",
        "__dict__ = {}", "__class__ = int", "__bases__ = ()", "__mro__ = ()",
        "__fields__ = ()", "__members__ = {}", "__row__ = 1", "__frozen__ = True", "__class__: int",
        "__array_interface__: dict", "__dict__: int = 1", "__annotated__ = 1",
    )),
    # what is asked for by hooks, and what comes of that
    *(f"class A:\n    {text}" for text in (
        "def __index__(self): return 10**18\nrange(A())[0:10**9][10**18]", "def __index__(self): return 'x'\n[1][A()]", "def __index__(self): return 2**70\n[1][A()]", "def __index__(self): return 10**9\nbytes(A())", "def __bytes__(self): return 1\nbytes(A())",
        "def __index__(self): return 3\ntorch.zeros(A())", "def __complex__(self): return 'x'\ncomplex(A())", "def __fspath__(self): return '/etc/passwd'\nopen(A())", "def __length_hint__(self): return -1\nimport operator\noperator.length_hint(A())", "def __dir__(self): return [1, 'a']\ndir(A())",
        "def __getattribute__(self, name): return self.x\nA().x", "def __getattribute__(self, name): return object.__getattribute__(self, '__globals__')\nA().x", "def __getattribute__(self, name): return object.__getattribute__(print, '__self__')\nA().x", "def __getattribute__(self, name): return object.__getattribute__(self, 3)\nA().x",
        "def __reduce_ex__(self, n): return torch.zeros, (10**6, 10**6)\nimport copy\ncopy.copy(A())", "def __reduce_ex__(self, n): return A\nimport copy\ncopy.copy(A())",
    )),
    *(f"class M(type):\n    {text}" for text in (
        "def __prepare__(*a): return 3\nclass A(metaclass=M): pass", "def __prepare__(*a): return {'__array_interface__': {}}\nclass A(metaclass=M): pass", "def __prepare__(*a): return {'__held__': {}}\nclass A(metaclass=M): pass", "def __prepare__(*a): return {1: 2}\nclass A(metaclass=M): pass",
        "def __prepare__(*a): return {'__found__': 1, '__wholly__': True}\nclass A(metaclass=M): pass", "def __instancecheck__(cls, x): return isinstance(x, cls)\nclass A(metaclass=M): pass\nisinstance(1, A)", "def __getattr__(cls, n): return getattr(cls, n)\nclass A(metaclass=M): pass\nA.x",
        "def __setattr__(cls, n, v): setattr(cls, n, v)\nclass A(metaclass=M): pass\nA.x = 1", "def __eq__(cls, o): return True", "def __hash__(cls): return 1", "def __lt__(cls, o): return cls < o\nclass A(metaclass=M): pass\nA < A",
    )),
    "object.__dict__['__init__'](1)", "class A: pass\nA().__class__.__mro__[-1].__dict__['__subclasses__']()",
    "class A(metaclass=print): pass", "class A(type(print)): pass", "class A(type(torch)): pass",
    "class A(torch.Tensor): shape = 1\n    def __add__(self, a): return a", "class A(torch.Tensor): _a = 1", "class A(torch.Tensor): pass\nA(10**5, 10**6)", "class A(bool): pass", "class A(property): pass", "class A(torch): pass", "class A(BaseException): pass",
    "class A(*[nn.Module, bool]): pass", "class A(A): pass",
    "class A: pass\nclass B(A, A): pass", "class X: pass\nclass Y(X): pass\nclass Z(X, Y): pass", "def f(): pass\nclass A(f): pass", "class A(**{'metaclass': print}): pass",
    "breakpoint()", "help()",
    "eval('1')", "exec('1')", "try: exec('1')\nexcept NameError: pass", "compile('1', '', 'eval')", "open('/etc/passwd')", "input()", "memoryview('x')",
    "__import__('os')", "__builtins__", "__loader__", "__spec__", "__debug__ = 1", "__name__ = 'x'", "object.__init__", "aiter(1)", "copyright",
    "f'{().__class__.__base__}'", "f'{print.__globals__!r:>{10}}'", "'{0.__class__.__mro__}'.format(1)", "'{0[0].__dict__}'.format([1])",
    "'{a.b}'.format(a=1)", "'{:{0.real}}'.format(1, 2)", "'{!x}'.format(1)", "str.format('{0.__class__.__base__}', 1)", "getattr('{0.x}', 'format')(1)", "'%(a.b)s' % {}", "f'{1!z}'",
]  # fmt: skip

# Generators, and what Python's own small modules are made of.
# What they need to be there, by the names that they use: to import all of it takes ten times as long as an attack.
_MADE = {
    "random": "import random\n", "np": "import numpy as np\n", "Normal": "from torch.distributions import Normal\n",
    "g": "def g():\n    yield 1\n", "f": "def f():\n    return 1\n", "namedtuple P": "from collections import namedtuple\nP = namedtuple('P', 'x y')\n",
    "enum E": "import enum\nclass E(enum.Enum):\n    A = 1\n", "NamedTuple N": "from typing import NamedTuple\nclass N(NamedTuple):\n    a: int\n",
    "dataclasses D": "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass D:\n    body: int = 1\n",
    "contextlib c": "import contextlib\n@contextlib.contextmanager\ndef c():\n    yield\n",
}


def _with_what_it_needs(text: str) -> str:
    words = set(re.findall(r"\w+", text))
    return "".join(lines for names, lines in _MADE.items() if not words.isdisjoint(names.split())) + text


REACHING += [
    *(_with_what_it_needs(text) for text in (
        "g().gi_frame", "g().gi_code", "g().gi_yieldfrom", "g().source", "g().source.machine", "g().send.function", "g().name", "type(g())()", "g().__next__.__self__", "g().__reduce__()",
        "import copy\ncopy.copy(g())", "import copy\ncopy.deepcopy(g())", "g().throw(3)", "g().throw(print)", "g().__del__()", "g().send.owner",
        "P.__new__(P)", "P.__row__", "P(1, 2).__row__", "P._signature", "P(1, 2).x = 3", "P.__getnewargs__", "P.x.fget", "super(P, P(1, 2)).__new__", "namedtuple('Q', '__class__')",
        "namedtuple('Q', ['__array_interface__'])", "namedtuple('Q', 'x x')", "namedtuple('Q', [f])", "N.__row__", "class M(NamedTuple):\n    __class__: int", "class M(NamedTuple):\n    _a: int",
        "E.__call__", "E.A.__dict__", "E.__iter__", "enum.Enum('X', '__init__')", "enum.Enum(1)", "enum.EnumType", "enum.sys", "E.A.__reduce_ex__(2)",
        "D.__init__(f, body=3)", "D.__init__(torch.ones(1), body=3)", "D().body = 2", "D.__fields__", "D.__frozen__", "D().__dict__['__class__']", "D.__init__.__globals__", "D.__init__.__wrapped__", "del D().body",
        "dataclasses.dataclass(int)",
        "c().value", "c().gen", "c().__enter__.__func__", "c.__wrapped__", "contextlib.contextmanager(print)()", "with c() as x:\n    c().__exit__.x",
        "random.Random().source", "random.os", "random._inst", "random.SystemRandom()", "random.Random.__reduce__", "type(random.Random())._randbelow", "class R(random.Random): pass",
        "np.fromfile('x')", "np.loadtxt('x')", "np.memmap('x')", "np.ctypeslib", "np.core", "np.ndarray((3,))", "np.dtype('O')",
        "np.array([f])", "np.array(['x', f])", "np.sin(np.array([1], dtype=object))", "np.sum([1], 0, 'O')", "np.sum([1], dtype='O')", "np.sin([1], dtype='O')", "np.array([1]).cumsum(0, 'O')",
        "np.array([1]).astype(object)", "np.array([1]).astype('O')", "torch.tensor(np.zeros(3, 'O'))", "np.arange(3).view('O')", "np.arange(3).ctypes", "np.arange(3).data", "np.random.mtrand",
        "np.random.RandomState().__reduce__()", "np.sin(f)", "np.add(D(), D())", "np.stack([f])", "np.array(D())", "np.random.shuffle(D())", "np.linalg.lapack_lite", "np.float32.type", "np.sin.__wrapped__",
        "Normal.__init__.__globals__", "Normal(0.0, 1.0).sample.__func__.__code__", "torch.distributions.find", "torch.distributions.import_module",
        "E.A.value = 2", "E.A = 2", "del E.A", "del E.A.name", "E.A.name = 'B'", "class F(E):\n    B = 2", "vars(E.A)", "vars(N(1))['a']", "N(1).b = 2", "NamedTuple()", "NamedTuple('Q', [('a b', int)])",
        "class M(NamedTuple):\n    a: int\n    def __iter__(self):\n        return iter([10 ** 5])", "class M(P):\n    def __len__(self):\n        return 10 ** 9", "class M(P):\n    __getitem__ = f", "class M(NamedTuple, dataclasses.field):\n    a: int",
        "import operator\noperator.itemgetter(int)(list)(range(10 ** 9))", "import operator\noperator.itemgetter('x')(torch)", "class X:\n    dtype = 'O'\n    def __eq__(self, o):\n        return True\nnp.array([1], dtype=X())",
        "np.full(2, f)", "np.full(2, 'x' * 9999)", "np.full(2, [f])", "np.arange(D())", "np.random.randint(D())", "np.random.randint([f])", "np.zeros(2) + [f]",
        "random.choices([1, 2], weights=['a', 'b'])", "random.sample([1, 2], k=1, counts=[[1], [2]])", "Normal(0.0, 1.0).sample('ab')",
        "class X:\n    __call__ = np.ndarray\nX()((10,))", "class X:\n    __call__ = type(g())\nX()(1, 2)", "class X:\n    __call__ = type(np.float32)\nX()('O')",
    )),
    "yield 1", "x = yield", "class A:\n    yield 1", "[(yield 1) for x in [1]]",
    "async def f():\n    yield 1", "def f():\n    a, b[(yield 1)] = 1, 2", "def f(x=(yield 1)): pass",
]  # fmt: skip

# Classes that the host calls for the program: they would make classes with any methods, arrays of any memory, ours.
INTERFACE = "{'__array_interface__': {'data': (1, False), 'shape': (4,), 'typestr': '<u8', 'version': 3}}"
CALLED = [
    f"class A:\n    __call__ = type\nT = A()('B', (), {INTERFACE})\ntorch.ones(1).numpy() * T()", "class A:\n    __add__ = type\nA() + 1", f"import torch.utils.checkpoint as c\nc.checkpoint(type, 'B', (), {INTERFACE})",
    f"class F(torch.autograd.Function): pass\ntype(F)('B', (), {INTERFACE})", f"class F(torch.autograd.Function): pass\nclass A:\n    __call__ = type(F)\nA()('B', (), {INTERFACE})", f"type(type(1))('B', (), {INTERFACE})", f"T = (1).__class__.__class__\nclass A:\n    __call__ = T\nA()('B', (), {INTERFACE})",
    "x = torch.ones(3).numpy()\nclass A:\n    __call__ = type(x)\nA()((10,))", "x = torch.ones(3).numpy()\nimport torch.utils.checkpoint as c\nc.checkpoint(type(x), (10,))", "x = torch.ones(3).numpy()\ntorch.func.vmap(type(x))(torch.ones(3))", "def f(): pass\nclass A:\n    __call__ = type(f)\nA()(1, 2, 3, 4, 5, 6, 7, 8)",
    "def f(): pass\nx = torch.ones(1, requires_grad=True)\nx.register_hook(f.__class__)\nx.sum().backward()", "class A:\n    __call__ = type(torch)\nA()('x', print, print)", "class A:\n    __call__ = type([].append)\nA()(1, 'x', print)", "class A:\n    __call__ = type(torch.float32)\nA()('O')", "class A:\n    __call__ = torch.dtype\nA()('O')",
    f"class A: pass\nA.__call__ = type\nT = A()('B', (), {INTERFACE})", "class A: pass\nA.__add__ = type\nA() + 1", "class A: pass\na = A()\nA.__call__ = a\na()", "class A: pass\nA.__add__ = lambda s, o: s + o\nA() + 1",
    "class A: pass\nclass B(A, tuple): pass\nA.__len__ = lambda s: 10 ** 9", "class A(dict): pass\nA.__len__ = lambda s: 5", "class A(nn.Module): pass\nA.__call__ = print", "class A: pass\nA.__new__ = type", "class A: pass\nA.__hash__ = print", "class A: pass\nA.__wholly__ = True", "class A: pass\nA.__array_ufunc__ = print",
    *("import weakref\nclass A: pass\na = A()\nr = weakref.ref(a)\n" + use for use in ("r.__callback__", "r._to", "type(r)(a)", "r.__class__.__init__(r, 5)", "weakref.ref(a, print)")), "import weakref\nweakref.ref([].append)", "from _weak import reference",
    "import numpy as np\nnp.savetxt('x', np.ones(3), fmt='%999999999d')", "import numpy as np\nnp.fromiter(iter(int, 1), float)", "import numpy as np\nnp.loadtxt('/etc/passwd')", "import numpy as np\nnp.random.randint(3, dtype=object)",
    "class A:\n    __call__ = super\nA()(int, 1)", "class A:\n    __call__ = property\nA()(1)", "class A:\n    __call__ = slice\nA()(1)", "class A:\n    __call__ = staticmethod\nA()(1)", "def f(): pass\nclass A:\n    m = f\nclass B:\n    __call__ = type(A().m)\nB()(f, 1)",
    "class F(torch.autograd.Function):\n    forward = type\nF.apply('B', (), {})", f"m = nn.Linear(1, 1)\nm._buffers['__array_interface__'] = {INTERFACE}['__array_interface__']\ntorch.ones(1).numpy() * m",
    "from collections import defaultdict\nd = defaultdict(type)\nd[1]", "class D(torch.utils.data.Dataset):\n    def __len__(self): return 1\n    __getitem__ = type\nfor x in torch.utils.data.DataLoader(D()): pass", "isinstance(1, type)('x')", "type.__call__(type, 'B', (), {})", "type.__new__(type)", "type.mro(int)", "type.x = 1",
]  # fmt: skip

# Files, processes and the network.
OUTSIDE = [
    *(f"import {name}\n{name}.x()" for name in (
        "subprocess", "socket", "ctypes", "importlib", "builtins", "multiprocessing", "signal", "code", "asyncio",
        "logging.handlers", "importlib.util", "torch._C", "torch._C._nn", "torch._subclasses",
    )),
    *(f"import {name}" for name in (
        "gradcli",
        "numpy.f2py", "numpy.ctypeslib", "numpy.lib.format", "random.os", "dataclasses.sys", "contextlib.os", "enum.sys", "warnings.sys", "string.re",
        "torch.os", "math.os", "time.os", "copy.copyreg",
    )),
    "from os import system", "from torch import os", "from torch import _nn", "from torch.nn import __builtins__", "from . import x", "from .. import x", "from .os import x",
    "from math import __loader__", "from copy import copyreg", "from collections import _sys", "from itertools import __spec__",
    "from typing import NamedTuple, sys", "from __future__ import braces", "import torch.nn as os, socket\nsocket.socket()", "from copy import dispatch_table",
    "print('x', file=1)", "torch.from_file('/etc/passwd')", "torch.utils.data.DataLoader([1], num_workers=4).dataset.x", "torch.hub.load('x', 'y')",
    "torch.set_num_threads(64).x", "torch.backends.cudnn.__class__ = int", "torch.backends.cudnn._x = 1", "torch.backends.os",
]  # fmt: skip

N = 100_000

# Values that would be too many, too large or too deep, and computations that would take too long.
GREEDY = [
    # integers
    "2 ** 14_285", "2 ** 10 ** 9", "x = 3\nwhile True:\n    x = x * x", "1 << 10 ** 9", "1 << 14_285", "pow(3, 10 ** 9)", "pow(2 ** 62, 999)", "-10 ** 4300", "abs(-9 * 10 ** 4299) * 2", "int('9' * 4301)", "int('1' * 5000)",
    "int('f' * 99999, 16)", "2 ** 2 ** 70", "1 << 2 ** 70", "pow(3, 2 ** 9_999, 3 ** 8_000)", "import math\nmath.factorial(10 ** 9)", "import math\nmath.factorial(1_700)", "import math\nmath.comb(10 ** 6, 10 ** 5)", "import math\nmath.perm(9999)",
    f"import math\nmath.lcm(*range(2**61, 2**61 + {N - 1}))", f"import math\nmath.prod([2 ** 62] * {N})", "import math\nmath.prod([[0] * 50000, 200])", "(2 ** 62).__pow__(999)", "x = 2 ** 62\nx **= x", "x = 5\nx <<= 14_285",
    "sum([9 * 10 ** 4299] * 9)", "sum(9 * 10 ** 4299 for i in range(9))", "divmod(-10 ** 4299, 0.1)", "(0.5).as_integer_ratio()[1] ** 99_999", "9" * 4301, "0x" + "f" * 4_000, "1_0" * 5000, "'x' * 10 ** 4299", "[0] * 10 ** 4299", "f'{1:{10 ** 4299}}'", "range(10 ** 4299)[10 ** 4298:][-1] * 11",
    "torch.tensor([1] * 200 + [2 ** 64])", "torch.ones(2) * 2 ** 64", "torch.ones(2) == 2 ** 64", "2 ** 64 < torch.ones(2)", "torch.full((2,), 2 ** 64)", "x = torch.ones(2)\nx[0] = 2 ** 64", "torch.ones(*[2 ** 62] * 99)", "torch.ones(10 ** 4299)", "torch.ones([10 ** 4299] * 99)", "torch.add(torch.ones(2), 1, alpha=2 ** 64)",
    "import numpy as np\nnp.array([2 ** 64])", "import numpy as np\nnp.ones(2) * 2 ** 64", "import numpy as np\nx = np.ones(2)\nx[0] = 2 ** 64", "import numpy as np\nnp.full(2, 2 ** 64)", "import numpy as np\nnp.int64(2 ** 64)", "import numpy as np\nnp.ones(2).fill(2 ** 64)", "import numpy as np\nnp.ones(2)[2 ** 64]",
    "import itertools\nc = itertools.count(10 ** 4300 - 1)\nnext(c)\nnext(c) * 2",
    "from collections import Counter\nc = Counter(a=1)\nfor i in range(10 ** 4):\n    c.update(c)\nx = c['a']\nx * x", "torch.tensor(2 ** 64)", "[1][2 ** 64]", "chr(2 ** 40)",
    # strings
    f"'x' * {N + 1}", "'x' * 10 ** 12", f"'x' * {N} + 'y'", "s = 'ab'\nwhile True:\n    s += s", "'x'.ljust(10 ** 9)", "'x'.center(10 ** 9)", "'1'.zfill(10 ** 9)", "'\\t'.expandtabs(10 ** 9)", "'ab'.replace('a', 'x' * 99999).replace('x', 'y' * 99)",
    "('x' * 99999).join(['a'] * 99999)", "f'{1:>1000000}'", "f'{1:1000000}'", "f'{1.5:.1000000f}'", "f'{1:{10 ** 9}}'", "f'{1:>{\"9\" * 9}}'", "f'{1:>１０００００００}'", "'%1000000d' % 1", "'%.1000000f' % 1", "'%*d' % (10 ** 9, 1)", "'%.*f' % (10 ** 9, 1)", "'%-*s' % (-10 ** 9, 'x')",
    "'{:>1000000}'.format(1)", "'{:{}}'.format(1, 10 ** 9)", "format(1, '1000000')", "format(1.5, '.' + '9' * 30 + 'f')", "'{0}{0}'.format('x' * 99999)", "'%s%s' % (('x' * 99999,) * 2)", "f'{\"x\" * 99999}{\"x\" * 99999}'", "repr('\\x00' * 99999)", "str([0] * 99999)",
    "print('x' * 99999, 'x' * 99999)", "print(*['x' * 99999] * 99)", "ascii('\\U0001f600' * 99999)", "'{:>' .format()", "''.join(str(i) for i in range(10 ** 9))", "a = 'x' * 99999\nf'{a!r}{a!r}'",
    # sequences
    "[0] * 10 ** 9", "(0,) * 10 ** 9", "x = [0]\nwhile True:\n    x += x", "x = [0]\nwhile True:\n    x.extend(x)", "x = [0]\nfor i in x:\n    x.append(i)", "list(range(10 ** 12))", "tuple(range(10 ** 12))", "set(range(10 ** 12))", "sorted(range(10 ** 12))", "[*range(10 ** 12)]", "print(*range(10 ** 12))",
    "max(*range(10 ** 12))", "a, *b = range(10 ** 12)", "[i for i in range(10 ** 12)]", "{i for i in range(10 ** 12)}", "{i: 1 for i in range(10 ** 12)}", "dict.fromkeys(range(10 ** 12))", "dict(zip(range(10 ** 12), range(10 ** 12)))", "list(zip(range(10 ** 12)))", "list(map(str, range(10 ** 12)))",
    "x = []\nx[:] = range(10 ** 12)", "x = [1]\nx[::2] = range(10 ** 12)", "x = []\nx += range(10 ** 12)", "{1: 2}.keys() & range(10 ** 12)", "{1: 2}.keys() | range(10 ** 12)", "{1: 2}.keys() - range(10 ** 12)", "{1: 2}.items() ^ range(10 ** 12)", "range(10 ** 12) & {1: 2}.keys()",
    "import itertools\n{1: 2}.keys() & itertools.count()", "from collections import deque\nd = deque(maxlen=1)\nd += range(10 ** 12)", "from collections import deque\nd = deque()\nd += range(10 ** 12)", "from collections import deque\ndeque(range(10 ** 12), maxlen=1)", "from collections import deque\ndeque([1]) * 10 ** 9",
    "from collections import Counter\nCounter(range(10 ** 12))", "from collections import Counter\nCounter(a=10 ** 9).elements()", "from collections import OrderedDict\nOrderedDict(zip(range(10 ** 9), range(10 ** 9)))", "f = lambda *a: a\nf(*range(10 ** 9))", "f = lambda **k: k\nf(**{str(i): i for i in range(10 ** 9)})",
    "x = {}\nwhile True:\n    x[len(x)] = x", "x = 0\nfor i in range(1000):\n    x = [x]\nprint(x)", "x = []\nfor i in range(200):\n    x = [x, x]\nhash(tuple(x))", "x = ()\nfor i in range(200):\n    x = (x, x)\nhash(x)", "x = [1]\nfor i in range(64):\n    x = [x, x]\nx == [x]",
    "import copy\nx = [1]\nfor i in range(200):\n    x = [x]\ncopy.deepcopy(x)", "x = slice(1)\nfor i in range(10 ** 6):\n    x = slice(x)", "class A:\n    def __getitem__(self, i):\n        return i\nx = 1\nfor i in range(10 ** 6):\n    x = A()[x:]", "f = print\nfor i in range(10 ** 6):\n    f = staticmethod(f)", "f = print\nfor i in range(10 ** 6):\n    f = classmethod(f)",
    "f = property(print)\nfor i in range(10 ** 6):\n    f = f.setter(f)", "f = print\nfor i in range(10 ** 6):\n    f = property(f)", "g = iter([1])\nfor i in range(10 ** 6):\n    g = (x for x in g)", "g = iter([1])\nfor i in range(10 ** 6):\n    g = map(print, g)", "x = [1] * 99999 + [2]\ny = [1] * 99999 + [3]\n[x[:] for i in range(1)] * 99999 + [y]\n([y] * 99999).count(x)",
    "y = [1] * 99998 + [2]\nx = [1] * 99998 + [3]\n([y] * 99999).index(x)", "y = (1,) * 99998 + (2,)\nx = (1,) * 99998 + (3,)\n((y,) * 99999).index(x)", "s = ['a' * 99999 + chr(98 + i) for i in range(9)]\nsorted(s * 9999)", "s = ['a' * 99999 + chr(98 + i) for i in range(9)]\nl = s * 9999\nl.sort()", "s = ['a' * 99999 + chr(98 + i) for i in range(9)]\nmax(s * 9999)",
    "class A:\n    def __rmul__(self, o):\n        return 10 ** 18\no = torch.ones(3).numpy() * A()\no ** o", "class A:\n    def __radd__(self, o):\n        return 'x' * 99999\no = torch.ones(3).numpy() + A()\no * 99",
    # tensors
    "torch.zeros(10 ** 5, 10 ** 5)", "torch.zeros([10 ** 10])", "torch.zeros(torch.Size((10 ** 5, 10 ** 5)))", "torch.ones(1).expand(10 ** 5, 10 ** 5) + 1", "torch.ones(10).repeat(10 ** 9)", "torch.eye(10 ** 6)", "torch.arange(10 ** 10)", "torch.arange(0, 1, 1e-12)", "torch.linspace(0, 1, 10 ** 10)",
    "torch.full((10 ** 9,), 1)", "torch.randn(10 ** 6, 10 ** 6)", "torch.randperm(10 ** 10)", "torch.randint(0, 9, (10 ** 10,))", "torch.ones(10 ** 5, 1) + torch.ones(1, 10 ** 5)", "torch.ones(10 ** 5, 1) @ torch.ones(1, 10 ** 5)", "torch.ones(10 ** 5, 1) == torch.ones(1, 10 ** 5)", "torch.outer(torch.ones(10 ** 5), torch.ones(10 ** 5))",
    "torch.kron(torch.ones(3000, 3000), torch.ones(3000, 3000))", "torch.einsum('i,j,k->ijk', *[torch.ones(3000)] * 3)", "torch.einsum('i->' + 'i' * 40, torch.ones(3))", "F.one_hot(torch.tensor([10 ** 9]))", "F.one_hot(torch.arange(10 ** 4), 10 ** 6)", "F.pad(torch.ones(3), (10 ** 9, 10 ** 9))", "F.pad(torch.ones(1, 3), (0, -1, 10 ** 9, 0))",
    "x = torch.ones(2)\nwhile True:\n    x = torch.cat([x, x])", "x = torch.ones(2)\nwhile True:\n    x = torch.stack([x, x])", "x = torch.ones(3)\nwhile True:\n    x = torch.outer(x, x).flatten()", "torch.cat([torch.ones(10 ** 6)] * 99999)", "torch.stack([torch.ones(10 ** 5)] * 99999)", "torch.broadcast_tensors(torch.ones(10 ** 6, 1), torch.ones(10 ** 6))[0] + 1",
    "torch.meshgrid(*[torch.ones(1000)] * 4)", "torch.cartesian_prod(*[torch.ones(1000)] * 4)", "torch.combinations(torch.ones(1000), 5)", "torch.tril_indices(10 ** 6, 10 ** 6)", "torch.vander(torch.ones(10 ** 4), 10 ** 6)", "torch.diag(torch.ones(10 ** 6))", "torch.diag_embed(torch.ones(10 ** 5))", "torch.block_diag(*[torch.ones(1000, 1000)] * 500)",
    "torch.bincount(torch.tensor([10 ** 10]))", "torch.bincount(torch.tensor([1]), minlength=10 ** 10)", "torch.repeat_interleave(torch.ones(3), 10 ** 10)", "torch.repeat_interleave(torch.ones(3), torch.tensor([10 ** 10, 1, 1]))", "torch.ones(3).repeat_interleave(10 ** 10)", "torch.tensor_split(torch.ones(3), 10 ** 9)", "torch.ones(10 ** 6).unbind()", "torch.ones(10 ** 6).split(1)", "list(torch.ones(10 ** 6))",
    "torch.ones(10 ** 6).tolist()", "torch.multinomial(torch.ones(3), 10 ** 10, replacement=True)", "torch.histc(torch.ones(3), 10 ** 10)", "F.interpolate(torch.ones(1, 1, 3, 3), scale_factor=1e6)", "F.interpolate(torch.ones(1, 1, 3, 3), size=(10 ** 5, 10 ** 5))", "F.adaptive_avg_pool2d(torch.ones(1, 1, 3, 3), 10 ** 5)", "F.upsample(torch.ones(1, 1, 3, 3), scale_factor=10 ** 6)",
    "F.unfold(torch.ones(1, 9, 2000, 2000), 99)", "F.fold(torch.ones(1, 4, 1), (10 ** 6, 10 ** 6), 2)", "F.conv_transpose2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3), stride=10 ** 6)", "F.conv2d(torch.ones(1, 1, 9, 9), torch.ones(1, 1, 3, 3), padding=10 ** 6)", "F.embedding(torch.zeros(10 ** 6).long(), torch.ones(2, 10 ** 4))", "torch.cdist(torch.ones(10 ** 5, 1), torch.ones(10 ** 5, 1))",
    "torch.ones(10 ** 4, 10 ** 4)[:, torch.zeros(10 ** 5).long()]", "torch.ones(10, 10 ** 6)[[0] * 10 ** 4]", "torch.take(torch.ones(3), torch.zeros(10 ** 5, 10 ** 4).long())", "torch.linalg.svd(torch.ones(5000, 5000))", "torch.linalg.inv(torch.ones(9000, 9000))", "torch.matrix_exp(torch.ones(5000, 5000))", "torch.ones(5000, 5000) @ torch.ones(5000, 5000)",
    "nn.Linear(10 ** 6, 10 ** 6)", "nn.Embedding(10 ** 9, 64)", "nn.Conv2d(10 ** 5, 10 ** 5, 3)", "nn.LSTM(10, 10, num_layers=10 ** 7)", "nn.Bilinear(10 ** 4, 10 ** 4, 10 ** 4)", "nn.Upsample(scale_factor=10 ** 6)(torch.ones(1, 1, 3, 3))", "nn.ZeroPad2d(10 ** 6)(torch.ones(1, 1, 3, 3))", "nn.TransformerEncoderLayer(10 ** 6, 1)", "nn.BatchNorm1d(10 ** 10)", "nn.Transformer(num_encoder_layers=10 ** 6)",
    "torch.set_printoptions(precision=10 ** 9)\nprint(torch.ones(3))", "torch.set_printoptions(threshold=10 ** 9)\nprint(torch.ones(10 ** 6))",
    # recursion of the program's own, and by what Python calls
    "def f():\n    return f()\nf()", "f = lambda: f()\nf()", "class A:\n    def __repr__(self):\n        return repr(self)\nprint(A())", "class A:\n    def __str__(self):\n        return f'{self}'\nstr(A())", "class A:\n    def __eq__(self, o):\n        return self == o\nA() == 1", "class A:\n    def __hash__(self):\n        return hash(self)\n{A(): 1}", "class A:\n    def __lt__(self, o):\n        return self < o\nsorted([A(), A()])",
    "class A:\n    def __len__(self):\n        return len(self)\nlen(A())", "class A:\n    def __bool__(self):\n        return bool(self)\nnot A()", "class A:\n    def __call__(self):\n        return self()\nA()()", "class A:\n    def __getitem__(self, i):\n        return self[i]\nA()[0]", "class A:\n    def __iter__(self):\n        return iter(self)\nlist(A())", "class A:\n    def __add__(self, o):\n        return self + o\nA() + 1",
    "class A:\n    def __contains__(self, o):\n        return o in self\n1 in A()", "class A:\n    def __enter__(self):\n        with self:\n            pass\n    def __exit__(self, *a):\n        pass\nwith A():\n    pass", "class A:\n    @property\n    def p(self):\n        return self.p\nA().p", "class A:\n    def __init__(self):\n        A()\nA()", "class A(nn.Module):\n    def forward(self, x):\n        return self(x)\nA()(1)",
    "class A(Exception):\n    def __str__(self):\n        raise self\nraise A", "class A(Exception):\n    def __str__(self):\n        return str(self)\nraise A", "def f(x):\n    try:\n        return f(x)\n    finally:\n        f(x)\nf(1)", "def f(*a):\n    return f(*a, *a)\nf(1)", "f = print\nfor i in range(1_100):\n    f = (lambda g: lambda: g())(f)\nf()", "from functools import partial\nf = print\nfor i in range(20_000):\n    f = partial(f)\n    f.x = 1\nf()",
    "class A:\n    def __next__(self):\n        return next(self)\n    def __iter__(self):\n        return self\nnext(A())", "x = []\nx.append(x)\nx == x + x", "x = {}\nx[1] = x\ny = {}\ny[1] = y\nx == y", "m = nn.Module()\nm.m = m\nprint(m)", "m = nn.Sequential()\nm.append(m)\nm(1)", "m = nn.ModuleList()\nm.append(m)\nlist(m.modules())\nm.train()\nm.state_dict()", "import copy\nclass A:\n    pass\na = A()\nfor i in range(10 ** 4):\n    b = A()\n    b.a = a\n    a = b\ncopy.deepcopy(a)",
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return F.apply(x)\nF.apply(torch.ones(1))",
    # generators
    "def g():\n    while True:\n        yield 1\nlist(g())", "def g():\n    while True:\n        yield 1\nsum(g())", "def g():\n    while True:\n        yield 1\n2 in g()", "def g():\n    yield from g()\nlist(g())", "def g():\n    for x in g():\n        yield x\nnext(g())",
    "def g():\n    while True:\n        try:\n            yield 1\n        finally:\n            while True:\n                pass\nx = g()\nnext(x)\nx.close()", "def w(g):\n    for x in g:\n        yield x\ng = [1]\nfor i in range(5000):\n    g = w(g)\nnext(g)", "def w(g):\n    yield from g\ng = [1]\nfor i in range(5000):\n    g = w(g)\nnext(g)",
    "def w(g):\n    for i in range(140):\n        g = zip(g)\n    for x in g:\n        yield x\ng = [1]\nfor i in range(1100):\n    g = w(g)\nnext(g)", "def g():\n    yield 1\n    h().close()\ndef h():\n    yield from g()\nx = []\nfor i in range(10 ** 6):\n    x.append(g())", "class A:\n    def __iter__(self):\n        yield from self\nlist(A())",
    "def g():\n    yield from range(10 ** 12)\nfor x in g():\n    pass", "def g(n):\n" + "".join(f"{'    ' * (i + 1)}if n:\n" for i in range(40)) + "    " * 41 + "yield from g(n + 1)\nlist(g(1))", "from contextlib import contextmanager\n@contextmanager\ndef c():\n    with c():\n        yield\nwith c():\n    pass",
    # Python's own small modules
    "import random\nrandom.choices([1], k=10 ** 9)", "import random\nrandom.sample(range(10 ** 12), 10 ** 9)", "import random\nrandom.gauss(torch.ones(50000, 1), torch.ones(1, 50000))", "import random\nrandom.uniform(torch.ones(50000, 1), torch.ones(1, 50000))", "import random\nrandom.getrandbits(10 ** 9)", "import random\nrandom.getrandbits(10 ** 6)", "import random\nrandom.shuffle(torch.ones(10 ** 6))",
    "from collections import namedtuple\nnamedtuple('P', ['x'] * 10 ** 6)", "from collections import namedtuple\nP = namedtuple('P', 'x')\np = 1\nfor i in range(10 ** 4):\n    p = P(p)\nprint(p)", "from collections import namedtuple\nP = namedtuple('P', 'x y')\np = 1\nfor i in range(60):\n    p = P(p, p)\nhash(p)",
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int\nd = 1\nfor i in range(10 ** 4):\n    d = D(d)\nprint(d)", "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int\n    y: int\nd = 1\nfor i in range(60):\n    d = D(d, d)\nprint(d)",
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int\n    y: int\nd = e = 1\nfor i in range(60):\n    d = D(d, d)\n    e = D(e, e)\nd == e", "from dataclasses import dataclass, asdict\n@dataclass\nclass D:\n    x: int\n    y: int\nd = 1\nfor i in range(60):\n    d = D(d, d)\nasdict(d)",
    "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D:\n    x: int\n    y: int\nd = 1\nfor i in range(60):\n    d = D(d, d)\nhash(d)", "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int = 1\nd, e = D(), D()\nd.x, e.x = d, e\nd == e",
    # a small NumPy
    "import numpy as np\nnp.zeros(10 ** 9)", "import numpy as np\nnp.zeros((10 ** 5, 10 ** 5))", "import numpy as np\nnp.arange(10 ** 12)", "import numpy as np\nnp.arange(0, 1, 1e-12)", "import numpy as np\nnp.linspace(0, 1, 10 ** 10)", "import numpy as np\nnp.eye(10 ** 6)", "import numpy as np\nnp.full((10 ** 6, 10 ** 6), 1)",
    "import numpy as np\nnp.random.rand(10 ** 9)", "import numpy as np\nnp.random.normal(0, 1, (10 ** 5, 10 ** 5))", "import numpy as np\nnp.random.permutation(10 ** 10)", "import numpy as np\nnp.random.normal(np.ones((50000, 1)), np.ones((1, 50000)))", "import numpy as np\nnp.add(np.ones((50000, 1)), np.ones((1, 50000)))",
    "import numpy as np\nnp.ones((50000, 1)) + np.ones((1, 50000))", "import numpy as np\nnp.where(np.ones((50000, 1)), np.ones((1, 50000)), 1)", "import numpy as np\nnp.dot(np.ones((50000, 1)), np.ones((1, 50000)))", "import numpy as np\nnp.meshgrid(np.arange(10 ** 5), np.arange(10 ** 5))", "import numpy as np\nnp.concatenate([np.ones(10 ** 6)] * 1000)",
    "import numpy as np\nnp.isclose(np.ones((50000, 1)), np.ones((1, 50000)))", "import numpy as np\nnp.allclose(np.ones((50000, 1)), np.ones((1, 50000)))", "import numpy as np\nx = np.ones(10 ** 6)\nwhile True:\n    np.sort(x)", "import numpy as np\nnp.array([[1] * 99999] * 99999)", "import numpy as np\nprint(np.ones(10 ** 6).tolist())",
    *(f"import numpy as np, random, itertools, operator\nD = [0]\nE = [0]\nfor i in range(60):\n    D, E = [D, D], [E, E]\n{text}" for text in (
        "np.zeros(2) + D", "D * np.zeros(2)", "np.float64(1) + D", "np.zeros(2)[D]", "np.zeros(2)[:] = D", "np.zeros(2)[D] = 1", "torch.zeros(2)[D]", "torch.zeros(2)[0, D]", "torch.zeros(2)[D] = 1", "np.random.randint(D)", "np.random.randint(1, D)",
        "np.full(2, D)", "np.array(D)", "torch.distributions.Normal(D, 1.0)", "for k, g in itertools.groupby([D, E]): pass", "for k, g in itertools.groupby([1, 2], lambda i: D if i > 1 else E): pass",
        "random.choices([1] * 1000, weights=[[0] * 99999] * 1000)", "random.sample([1] * 1000, k=3, counts=[[0] * 99999] * 1000)",
        "operator.itemgetter(torch.zeros(10 ** 6, dtype=torch.long))(torch.zeros(10, 10 ** 5))", "np.zeros((10, 10 ** 5))[np.zeros(10 ** 6, dtype=int)]", "torch.zeros(10, 10 ** 5)[np.zeros(10 ** 6, dtype=int)]",
        "itertools.product([0, 1], repeat=10 ** 7)", "itertools.product(*[[0]] * 99999, repeat=9)", "itertools.combinations('ab', 10 ** 9)", "itertools.permutations('ab', 10 ** 9)",
        "np.array([np.ones(10 ** 6)] * 1000)", "np.linalg.norm(np.ones((3000, 3000)), 2)", "np.linalg.norm(np.ones((3000, 3000)), 'nuc')", "while True: np.random.permutation(10 ** 7)", "while True: np.random.choice(10 ** 7, replace=False)",
        "nn.utils.rnn.pad_sequence([torch.ones(10 ** 6)] + [torch.ones(1)] * 99)", "nn.utils.rnn.pad_packed_sequence(nn.utils.rnn.PackedSequence(torch.ones(2, 1), torch.tensor([10 ** 9])))", "nn.AdaptiveLogSoftmaxWithLoss(10 ** 5, 10 ** 6, [10 ** 5])",
        "nn.AdaptiveLogSoftmaxWithLoss(10, 100, [10], div_value=1e-9)",
    )),
    # distributions
    "from torch.distributions import Normal\nNormal(0.0, 1.0).sample((10 ** 9,))", "from torch.distributions import Normal\nNormal(torch.zeros(50000, 1), torch.ones(1, 50000))", "from torch.distributions import Normal\nNormal(torch.zeros(50000, 1), 1.0).log_prob(torch.ones(1, 50000))", "from torch.distributions import Categorical\nCategorical(torch.ones(1000)).sample((10 ** 8,))",
    "from torch.distributions import Normal, kl_divergence\nkl_divergence(Normal(torch.zeros(50000, 1), 1.0), Normal(torch.zeros(1, 50000), 1.0))", "from torch.distributions import Uniform\nUniform(0.0, 1.0).rsample((10 ** 5, 10 ** 5))", "from torch.distributions import Bernoulli\nBernoulli(torch.ones(10 ** 4)).sample((10 ** 6,))", "from torch.distributions import Categorical\nCategorical(torch.ones(1, 50000)).log_prob(torch.ones(50000, 1))",
]  # fmt: skip

# What only the clock or the memory of a process ends.
LONG = [
    "y = [1] * 99998 + [2]\nx = [1] * 99998 + [3]\nl = [y] * 99999\nx in l", "import copy\nx = [[1] * 999] * 99\nwhile True:\n    copy.deepcopy(x)", "torch.func.hessian(lambda x: (x ** 3).sum())(torch.ones(10 ** 4))", "torch.func.vmap(lambda a: torch.func.vmap(lambda b: a * b)(torch.ones(10 ** 5)))(torch.ones(10 ** 5))",
    "p = nn.Parameter(torch.ones(1))\no = torch.optim.LBFGS([p], max_iter=10 ** 18, tolerance_grad=-1, tolerance_change=-1)\ndef c():\n    l = (p ** 2).sum()\n    l.backward()\n    return l\no.step(c)",
]  # fmt: skip

# What goes on for ever: stopped by the count of steps.
ENDLESS = [
    "while True: pass", "while 1:\n    try:\n        while 1: pass\n    except Exception:\n        pass", "for i in range(10 ** 18): pass", "[0 for i in range(10 ** 6) for j in range(10 ** 6) if 0]", "sum(0 for i in range(10 ** 18))", "any(0 for i in range(10 ** 18))", "max(i for i in range(10 ** 18))", "import itertools\nfor x in itertools.cycle([1]): pass", "import itertools\nlist(itertools.islice(itertools.count(), 10 ** 18, None))",
    "import itertools\nsum(itertools.repeat(0))", "class A:\n    __next__ = int\n    def __iter__(self):\n        return self\n5 in A()", "import time\nclass A:\n    __next__ = time.time\n    def __iter__(self):\n        return self\n5 in A()", "import itertools\n-1 in itertools.count()", "import itertools\nfor p in itertools.permutations(range(20)): pass", "import itertools\nsum(1 for p in itertools.product(range(99), repeat=9))", "class A:\n    def __getitem__(self, i):\n        return i\nfor x in A(): pass", "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nlist(map(str, A()))\n",
    "def f(n):\n    return 1 if n < 2 else f(n - 1) + f(n - 2)\nf(99)", "def g(n):\n    return n and [g(n - 1) for i in range(9)]\ng(99)", "class A:\n    def __bool__(self):\n        return True\nwhile A(): pass", "while True: print(end='')", "0.5 in range(10 ** 18)", "filter(None, (0 for i in range(10 ** 18)))\nnext(filter(None, (0 for i in range(10 ** 18))))", "from functools import reduce\nreduce(lambda a, b: a, range(10 ** 18))",
    "y = [1] * 99998 + [2]\nx = [1] * 99998 + [3]\nd = {i: y for i in range(99999)}\nx in d.values()", "x = torch.ones(1, requires_grad=True)\n@x.register_hook\ndef h(g):\n    while True: pass\nx.sum().backward()",
    FUNCTION.format("pass", "while True: pass"), "class D(torch.utils.data.Dataset):\n    def __len__(self):\n        return 10 ** 18\n    def __getitem__(self, i):\n        return 1\nfor x in torch.utils.data.DataLoader(D()): pass",
]  # fmt: skip

DEEP = 3_000

# Syntax that is nested too deeply, or is none.
NESTED = [
    "(" * DEEP + "1" + ")" * DEEP, "[" * DEEP + "]" * DEEP, "{" * DEEP + "}" * DEEP, "(" * DEEP, ")" * DEEP, "-" * DEEP + "1", "not " * DEEP + "1", "~" * DEEP + "1", "lambda: " * DEEP + "1", "x" + ".a" * DEEP, "x" + "[0]" * DEEP, "x" + "()" * DEEP, "f(" * 150 + ")" * 150, "1 if 1 else " * DEEP + "1", "(1 if " * 150 + "1" + " else 1)" * 150, "1 if (" * 150 + "1" + ") else 1" * 150,
    "[x for x in " * 150 + "[]" + "]" * 150, "f'{" * 99 + "1" + "}'" * 99, "f'{1:" + "{1:" * 50 + "}" * 50 + "}'", "{1: " * 150 + "1" + "}" * 150, "*" * DEEP + "x", "x[" * 150 + "0" + "]" * 150, "(" * 150 + "x" + ",)" * 150, "lambda x=" * 150 + "1" + ": 1" * 150, "x = " + "(yield " * 99 + ")" * 99, "await " * DEEP + "x", "@" * DEEP + "f\ndef f(): pass", "1 " + "** 1 " * DEEP,
    "".join("    " * i + "if 1:\n" for i in range(120)), "".join(" " * i + "def f():\n" for i in range(120)) + " " * 120 + "pass", "".join(" " * i + "for i in x:\n" for i in range(30)) + " " * 30 + "pass", "".join(" " * i + "with x:\n" for i in range(30)) + " " * 30 + "pass", "".join(" " * i + "try:\n" for i in range(30)), "if 1: pass\n" + "else:\n if 1: pass\n" * 2,
    "x" + "\n.a" * 9, "import a" + ".a" * DEEP, "from " + "." * DEEP + " import a", "from a import (" * 99, "del " + "(" * 150 + "x" + ")" * 150, "del " + "x, " * DEEP, "print(" + "a=1, " * DEEP + ")", "def f(" + "a, " * DEEP + "): pass", "x: " * DEEP + "int", "with " * 99 + "x: pass", "raise " * 99, "1" + " if x" * 99, "[" + "*" * 99 + "x]", "f(" + "*" * 99 + "x)", "x = *" * 9 + "y", "1 < " * DEEP,
    "x = (" + "1,\n" * 20_000, "'" * 65_536, "\"\"\"" + "x" * 60_000, "\\\n" * 9_000, "#" * 131_073, "\n" * 140_000, " " * 131_073, ";" * 999, "x" * 131_073, "x = " + "+".join(["x"] * 66_000), "(1)\n" * 33_000, "1 in " * DEEP + "x", "for " * 99, "match x:\n    case 1: pass", "type X = int", "x = 1 +", "def f[T](): pass", "async def f(): pass", "print 1", "x++", "a b", "1a", "0777", "$", "?", "`x`", "!ls", "%time x",
    "%%bash\nls", "{1:2, **3}", "[1, 2", "'abc", "f'{'", "f'{}'", "f'{x!}'", "f'{a b}'", "f'{lambda x: 1}'", "'\\N{nope}'", "'\\x'", "'\\u12'", "'\\U99999999'", "x = yield 1", "return 1", "break", "continue", "nonlocal x", "def f():\n    nonlocal y", "def f(x, x): pass", "f(a=1, a=2)", "f(a=1, 2)", "f(**a, *b)", "[(yield) for x in y]", "(x for x in y) = 1", "f() = 1", "None = 1", "True += 1", "del f()", "del None",
    "x, *y, *z = 1", "*x = 1", "def f(*): pass", "def f(a=1, b): pass", "def f(**k, a): pass", "class A(x for x in y): pass", "try: pass", "try: pass\nexcept: pass\nexcept Exception: pass", "from x import", "import", "if x\n    pass", "if 1:\npass", "  x = 1\n y = 2", "if 1:\n\tx\n        y", "else: pass", "global x\nx = 1\ndef f():\n    x = 2\n    global x", "assert", "with open('x') as f, g: pass",
]  # fmt: skip

# Letters that are not what they seem.
UNICODE = [
    "\u202e1", "x\u200b = 1\nx", "x\u00a0=\u00a01", "\u2028x = 1", "x = 1\u0085y = 2", "a\u2060b", "x = ‘a’", "x − 1", "１＋１", "x\x00 = 1", "'\x00'", "# \x00", "x = 1\x1a", "\x1b[31mx", "x\x7f", "\ud800", "'\udcff'", "# \udc80", "().__ｃlass__", "f.__ｇlobals__", "ｅｖａｌ('1')", "ｅxec('1')", "from ｏｓ import system", "x.__dict＿_", "\U000e0041x = 1", "x = 1 \u3000 2", "\u0661 + undefined", "×", "x² = 1",
    "class Ａ: pass\nＡ.__base__", "𝐨𝐩𝐞𝐧('x')", "_\ufe33_import__('os')", "print(\u201cx\u201d)", "x = 0\u0660", "x = 1\r\ry = )", "\x0c\x0b1", "é.x",
]  # fmt: skip

# Hooks, custom functions and objects that do odd things to the host that calls them.
ODD = [
    FUNCTION.format("pass", "return 1, 2, 3"), FUNCTION.format("pass", "return 'x'"), FUNCTION.format("pass", "return g[0]"), FUNCTION.format("pass", "return F"), FUNCTION.format("pass", "return [g, g]"), FUNCTION.format("pass", "raise ValueError('mine')"), FUNCTION.format("pass", "return torch.ones(7)"), FUNCTION.format("pass", "x.resize_(9)"), FUNCTION.format("pass", "return y.grad_fn"),
    FUNCTION.format("pass", "return ctx.saved_tensors[9]"), FUNCTION.format("ctx.save_for_backward(1)", "return g"), FUNCTION.format("ctx.save_for_backward = 1", "return g"), FUNCTION.format("ctx.needs_input_grad = 1", "return g"), FUNCTION.format("ctx.saved_tensors = 1", "return g"), FUNCTION.format("ctx.__class__ = int", "return g"),
    FUNCTION.format("ctx.__dict__", "return g"), FUNCTION.format("ctx.op", "return g"), FUNCTION.format("return None", "return g"), FUNCTION.format("return 'x'", "return g"), FUNCTION.format("return ctx", "return g"), FUNCTION.format("return lambda: 1", "return g"), FUNCTION.format("F.apply(F)", "return g"), FUNCTION.format("ctx.set_materialize_grads('x').y", "return g"), FUNCTION.format("y", "return g"),
    FUNCTION.format("pass", "y.backward()\n        return g"), FUNCTION.format("pass", "del ctx.saved_tensors"), FUNCTION.format("ctx.register_hook(1)", "return g"), "torch.autograd.Function.apply(1)", "class F(torch.autograd.Function): pass\nF.apply(torch.ones(1))", "class F(torch.autograd.Function): pass\nF().x", "torch.autograd.Function.forward(1)", "torch.autograd.Function.backward(1, 2)",
    LAYER + "x.register_hook(lambda g: 'x')\ny.backward()", LAYER + "x.register_hook(lambda g: torch.ones(9))\ny.backward()", LAYER + "x.register_hook(lambda: 1)\ny.backward()", LAYER + "x.register_hook(lambda g: y.backward())\ny.backward()", LAYER + "def h(g): raise ValueError('mine')\nx.register_hook(h)\ny.backward()", LAYER + "y.grad_fn.register_hook(lambda a, b: 'x')\ny.backward()", LAYER + "y.grad_fn.register_prehook(lambda g: 1)\ny.backward()",
    LAYER + "m.register_forward_hook(lambda *a: 1 / 0)\nm(x)", LAYER + "m.register_forward_pre_hook(lambda *a: 5)\nm(x)", LAYER + "m.register_full_backward_hook(lambda *a: 5)\nm(x).sum().backward()", LAYER + "m.weight = 1", LAYER + "m.forward = 3\nm(x)", LAYER + "m.weight.data = 'x'", LAYER + "x.data = torch.ones(9)\ny.backward()", LAYER + "x.grad = 1", LAYER + "x.grad = x.grad_fn\nx.requires_grad = 'x'", LAYER + "x.shape = 1", LAYER + "del x.data", LAYER + "del m.weight\nm(x)",
    LAYER + "torch.autograd.grad(y, x, 'x')", LAYER + "torch.autograd.grad([y] * 9, [x] * 9, [1])", LAYER + "torch.autograd.grad(y, lambda: 1)", LAYER + "y.backward('x')", LAYER + "y.backward(x)", LAYER + "torch.autograd.backward(1)", LAYER + "torch.autograd.backward([])\ntorch.autograd.backward(None)", LAYER + "torch.no_grad()(3)(4)", LAYER + "with torch.no_grad: pass", LAYER + "with m: pass", LAYER + "with print: pass", LAYER + "torch.set_grad_enabled('x').y", LAYER + "m.apply(3)", LAYER + "m.load_state_dict(3)",
    LAYER + "m.load_state_dict({'weight': 1})", LAYER + "m.register_buffer(1, 2)", LAYER + "m.register_parameter('a.b', None)", LAYER + "m.register_module('', m)", LAYER + "m.add_module(1, 2)", LAYER + "setattr(m, 'forward.x', 1)\nm._modules = 1", LAYER + "m.to(lambda: 1)", LAYER + "nn.Sequential(print)", LAYER + "nn.ModuleDict({1: m})", LAYER + "torch.optim.SGD([1], lr=1)", LAYER + "torch.optim.SGD(m.parameters(), lr='x').step()", LAYER + "torch.optim.SGD(m, lr=1)", LAYER + "torch.optim.Adam(m.parameters(), betas=1)",
    LAYER + "o = torch.optim.SGD(m.parameters(), lr=1)\no.param_groups = 1\no.step()", LAYER + "o = torch.optim.SGD(m.parameters(), lr=1)\no.param_groups.append(1)\no.step()", LAYER + "o = torch.optim.SGD(m.parameters(), lr=1)\no.state = 3\ny.backward()\no.load_state_dict({})", LAYER + "torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD(m.parameters(), lr=1), 3)", LAYER + "torch.optim.lr_scheduler.MultiStepLR(torch.optim.SGD(m.parameters(), lr=1), range(10 ** 12))",
    "class A:\n    def __len__(self):\n        return -1\nlen(A())", "class A:\n    def __len__(self):\n        return 2 ** 62 * 2\nlen(A())", "class A:\n    def __len__(self):\n        return 'x'\nbool(A())", "class A:\n    def __repr__(self):\n        return 1\nprint(A())", "class A:\n    def __repr__(self):\n        return 'x' * 99999\nprint([A()] * 9)", "class A:\n    def __hash__(self):\n        return 'x'\nhash(A())", "class A:\n    def __bool__(self):\n        return 2\nif A(): pass", "class A:\n    def __iter__(self):\n        return 1\nlist(A())",
    "class A:\n    def __iter__(self):\n        return iter(self)\n    __next__ = None\nnext(A())", "class A:\n    def __enter__(self):\n        return 1\nwith A(): pass", "class A:\n    def __enter__(self): 1 / 0\n    def __exit__(self, *a): return True\nwith A(): pass", "class A:\n    def __enter__(self): pass\n    def __exit__(self, *a): 1 / 0\nwith A(): raise ValueError", "class A:\n    def __enter__(self): pass\n    def __exit__(self): pass\nwith A(): pass", "class A:\n    def __float__(self):\n        return 'x'\nfloat(A())", "class A:\n    def __int__(self):\n        return 9 * 10 ** 4299 * 2\nint(A())",
    "class A:\n    def __eq__(self, o):\n        l.clear()\n        return False\nl = [A(), A(), A()]\nl.index(1)", "l = [3, 1, 2]\ndef k(x):\n    l.append(x)\n    return x\nl.sort(key=k)", "sorted([1, 2], key=lambda x: x)[lambda: 1]", "sorted([1, 'a'])", "sorted([3, 1], key=3)", "d = {1: 2}\nfor k in d:\n    d[k + 1] = 1", "s = {1, 2}\nfor k in s:\n    s.add(k + 9)", "max([])", "max(1)", "max([1], key=1)", "min(1, 'a')", "sum(['a'])", "sum([[1]], 0)", "zip(1)", "map(1, [1])\nlist(map(1, [1]))", "next(1)", "iter(1)", "reversed({1})", "enumerate(1)",
    "isinstance(1, 1)", "isinstance(1, 'int')", "issubclass(1, int)", "isinstance(1, (int, (int, (1,))))\nisinstance('x', (int, (int, (1,))))", "try:\n    raise ValueError\nexcept 1:\n    pass", "try:\n    raise ValueError\nexcept (1, 2):\n    pass", "raise 1", "raise int", "raise ValueError from 1", "raise", "raise type", "raise nn.Module", "assert 1, 1 / 0\nassert 0, 1 / 0", "def f():\n    print(x)\n    x = 1\nf()", "[i for i in range(3)]\ni", "class A:\n    x = 1\n    def f(self):\n        return x\nA().f()", "def f(x=y): pass", "@1\ndef f(): pass", "@print\nclass A: pass\nA()", "lambda x: x\n(lambda x: x)()",
    "def f(a, /): pass\nf(a=1)", "def f(*, a): pass\nf(1)", "print(**{1: 2})", "print(**[1])", "print(*1)", "f'{print:x}'", "f'{None:>9}'", "f'{1:s}'", "f'{[]:d}'", "f'{torch.ones(2):.2f}'", "'%d' % 'x'", "'%s %s' % 1", "'%q' % 1", "'%' % 1", "'%(a)s' % 1", "'{' .format()", "'{}{1}'.format(1, 2)", "'{9}'.format(1)", "'{x}'.format()", "del undefined", "x = 1\ndel x.y", "x = [1]\ndel x[9]", "x = (1,)\nx[0] = 2", "'x'[0] = 'y'", "print.x = 1", "int.x = 1", "len += 1", "None.x = 1", "(1).x = 1", "torch.ones(1).shape[0] = 2", "hasattr(1, 1)", "getattr(1, 2)", "setattr(1, 'x', 2)", "id()",
    "super()", "super().x", "super(1, 2)", "def f():\n    super().x\nf()", "class A:\n    def f():\n        super().x\nA.f()", "class A:\n    def f(self):\n        return super(A).x\nA().f()", "class A:\n    def f(self):\n        self = 3\n        return super().f()\nA().f()", "class A:\n    f = lambda self: super().nope\nA().f()", "class A:\n    def __init__(self):\n        return 1\nA().x", "class A(nn.Module):\n    def __init__(self):\n        self.l = nn.Linear(1, 1)\nA()", "class A(nn.Module): pass\nA()(1)", "class A(Exception):\n    def __init__(self): pass\nraise A(1)",
    "torch.ones(3)[torch.ones(9)]", "torch.ones(3)[lambda: 1]", "torch.ones(3)['x']", "torch.ones(3)[None, 9]", "torch.ones(3)[9]", "torch.ones(3)[::-1]", "torch.ones(3)[{}]", "torch.ones(3)[1.5]", "torch.ones(3)[print]", "torch.ones(2)[[[[[[[[[[0]]]]]]]]]].nope", "torch.ones(3)[0] = 'x'", "torch.ones(3)[0] = print", "torch.ones(3).sum(dim='x')", "torch.ones(3).sum(dim=9)", "torch.ones(3).sum(nope=1)", "torch.ones(3).sum(self=1)", "[].append(self=1)", "torch.ones(-1)", "torch.ones(1.5)", "torch.ones('x')", "torch.ones(print)", "torch.tensor(print)", "torch.tensor('x')", "torch.tensor({})",
    "torch.tensor([[1], [2, 3]])", "torch.tensor([1, 'x'])", "torch.tensor(torch)", "torch.tensor([1], dtype='x')", "torch.tensor([1], dtype=int).nope", "torch.tensor([1], device='cuda')", "torch.device('x')", "torch.einsum('i', 1)", "torch.einsum('ii->iii', torch.ones(2))", "torch.einsum('\\x00', torch.ones(2))", "torch.einsum('é->é', torch.ones(2)).nope", "torch.cat([])", "torch.cat(1)", "torch.stack([torch.ones(1), 1])", "torch.ones(2) @ 'x'", "torch.ones(2) + None", "torch.ones(2) < print", "bool(torch.ones(2))", "float(torch.ones(2))", "int(torch.tensor(float('nan')))", "range(torch.ones(2))", "[1, 2][torch.tensor(1.5)]",
    "torch.manual_seed('x')", "torch.manual_seed(2 ** 62 * 2)", "torch.Generator().manual_seed('x')", "torch.set_default_dtype(1)", "torch.set_default_dtype(torch.int32)", "torch.set_printoptions(precision='x')\nprint(torch.ones(1) / 3)", "torch.func.vmap(1)(1)", "torch.func.vmap(print)(1)", "torch.func.grad(print)(torch.ones(1))", "torch.func.jacrev(lambda x: 1)(torch.ones(1))", "torch.func.functional_call(1, 2, 3)", "torch.utils.checkpoint.checkpoint(1)", "torch.utils.data.DataLoader(1)\nlist(torch.utils.data.DataLoader(1))", "torch.utils.data.random_split([1], [2])", "torch.nn.utils.clip_grad_norm_(1, 2)",
]  # fmt: skip

# -- what may go on, and says nothing of the host -------------------------------------------------------

HARMLESS = [
    *(_with_what_it_needs(text) for text in (
        "for v in (g().send, g().throw, P, P(1, 2)._replace, P._make, D, D().__init__, D.__repr__, D.__eq__, random.uniform, random.Random().uniform, np.zeros, np.dot, np.full, np.random.rand, contextlib.suppress, dataclasses.field, enum.unique):\n    for k in ({}, {'zork': 1}):\n        try:\n            v(**k)\n        except Exception as e:\n            print(e)",
        "import itertools, functools, operator\nfor v in (itertools.product, itertools.groupby, itertools.islice, itertools.count, functools.partial, functools.reduce, functools.wraps(f), operator.itemgetter, operator.itemgetter(0), operator.add):\n    for k in ({}, {'zork': 1}):\n        try:\n            v(**k)\n        except Exception as e:\n            print(e)",
        "class X:\n    pass\nx = X()\nx.a, x.b = x, f\nprint(type(vars(x)), vars(x).keys(), vars(x)['b'] is f, len(x.__dict__))", "@dataclasses.dataclass\nclass X:\n    a: int = 1\nx = X()\nx.a = x\nprint(x, [x], f'{x}', {'x': x})",
        "class X(enum.Enum):\n    _made = 1\n    mro = 2\n    A = 3\nprint(list(X), X.A, X['A'], X(3), len(X))", "class B(enum.Enum):\n    def up(self):\n        return self.name\nclass X(B):\n    A = 1\nprint(X.A.up(), X, list(X))",
        "class X:\n    __len__ = int\n    __call__ = len\n    __str__ = f\nprint(len(X()), X()('ab'))",
    )),
    CLASS + "print(type(1) is int, type(a) is A, type(A) is type, type(type) is type, isinstance(A, type), isinstance(a, type), issubclass(A, object), isinstance(f, type(f)), isinstance(print, type(print)), isinstance(A.p, property), isinstance(slice(1), slice), isinstance([A], (int, (type, list))), type(f) == type(lambda: 1), {type: 1}[type(int)], isinstance(1, int | type))",
    LAYER + "print(isinstance(x.dtype, torch.dtype), type(x.dtype) is torch.dtype, type(x.detach().numpy()), isinstance(x.detach().numpy(), type(x.detach().numpy())), type(y.grad_fn).__name__, torch.dtype, type(type(m)), list(map(type, [1, 'a'])), type(1).__name__, type.__name__, type(f'').__name__)",
    CLASS + "print(type(a), type(A), type(f), type(a.f), type(e), type(print), type(torch), type(A.p), type(staticmethod(f)), type(iter([])), type({}.keys()), type(x for x in []), type(zip()), type(...))",
    CLASS + "print(f, a.f, print, len, torch.ones, nn.Linear, nn.Linear.forward, torch.Tensor.sum, torch.ones(1).sum, 'x'.join, str.join, sorted, math.sin, [].append, super(A, a), property(f), staticmethod(len), torch, nn, math)",
    CLASS + "print(sorted(dir(a)), len(dir(f)), len(dir(torch)) > 9, len(dir(torch.ones(1))) > 9, len(dir(print)), len(dir(type)), len(dir(e)))",
    CLASS + "print([hasattr(v, n) for v in (a, A, f, e, print, torch, [], 'x', 1) for n in ('__dict__', '__globals__', '__code__', '__mro__', '__subclasses__', '__closure__', '__traceback__', '__func__', '__self__', '__wrapped__', 'gi_frame', '_a', 'machine')])",
    LAYER + "print(type(y.grad_fn), y.grad_fn, type(m), type(x), type(x.shape), type(x.dtype), type(x.device), type(x.detach().numpy()), m.weight, type(m.weight), type(m.parameters()), m.named_parameters(), m.state_dict().keys(), x.register_hook(print))",
    LAYER + "print(hasattr(x, '__dict__'), hasattr(x, '_a'), hasattr(m, '_state_dict_hooks'), hasattr(y.grad_fn, 'op'))", "print(f'{torch}', f'{print}'[:9], '%s' % nn, '{}'.format(torch), str(torch.nn.functional), repr(torch.optim))",
    "class A:\n    def __eq__(self, o):\n        return 5\n    def __lt__(self, o):\n        return 'x'\n    def __add__(self, o):\n        return print\n    def __getitem__(self, i):\n        return i\n    def __contains__(self, i):\n        return 'x'\na = A()\nprint(a == 1, a < 1, a[1:2, ...], 3 in a, sorted([a, a]) == [])",
    "def f():\n    try:\n        return 1\n    finally:\n        return 2\nprint(f())", "class A:\n    def __hash__(self):\n        return 2 ** 62\n    def __eq__(self, o):\n        return True\nprint(len({A(), A()}), len({A(): 1, A(): 2}))", "for i in range(3):\n    try:\n        continue\n    finally:\n        print(i)",
    "x = [1, 2, 3]\nx.sort(key=lambda v: -v)\nprint(x, [*map(lambda v: v, x)])", "a = [1]\na.append(a)\nprint(a, str({'a': a}), f'{a}')", "d = {}\nd['d'] = d\nprint(d)", "f = lambda f=1, *f2, **f3: (f, f2, f3)\nprint(f(*'ab', **{'x' * 9999: 1})[1])", "print('x' * 0, [] * -5, 'x' * -2 ** 62, 0 ** (2 ** 62), 1 ** (2 ** 62), (-1) ** (2 ** 62))", "print(''.join(chr(i) for i in range(32)))", "print('\\u202e\\u2066\\x1b[31m\\x07\\x00\\ud800\\ufeff')",
    "print(('%' + '0' * 9999 + 'd') % 1 == '1', '%%' % ())", "float('1' * 99999)", "print(10 ** 18 in range(0, 10 ** 18, 7), len(range(10 ** 18)), range(10 ** 18)[-1], range(10 ** 18).index(5))", "print(list(map(None.__class__, []))[:1])", "print(max(range(99), key=lambda v: -v), min('b', 'a'), sum([[1], [2]], []))",
    "from collections import Counter, deque\nd = deque([1], maxlen=2)\nd += (2, 3)\nd.rotate(10 ** 18)\nprint(d, Counter('aab') & Counter('ab'), {1: 2}.keys() & [1], {1: 2}.keys() | range(2))", "x = torch.zeros(0, 10 ** 9)\nprint(x.shape, x.sum())", "x = torch.ones(1).expand(10 ** 3, 10 ** 3)\nprint(x.sum())", "x = torch.ones(3, requires_grad=True)\ny = x\nfor i in range(3000):\n    y = y + x\ny.sum().backward()\nprint(x.grad)",
    "x = torch.ones(2, requires_grad=True)\nx.register_hook(lambda g: g * 2)\nh = x.register_hook(lambda g: None)\nh.remove()\nh.remove()\nx.sum().backward()\nprint(x.grad)", FUNCTION.format("ctx.x = ctx; ctx.shape = 1; ctx.saved = 2; ctx.held = 3; ctx.next_functions2 = 4", "return g * (ctx.x is ctx)"), FUNCTION.format("ctx.mark_non_differentiable(); ctx.save_for_backward(None)", "return g"), "def f(self, x): return x\nm = nn.Module()\nm.forward = lambda x: x\nprint(m(3))",
    "class M(nn.Module):\n    def forward(self, x):\n        return self\nm = M()\nprint(m(1) is m)", "class A: pass\na = A()\na.__x = 1\nprint(a.__x, hasattr(a, '__x'))", "class A:\n    def __init__(self):\n        self.f = lambda: 'own'\n    def f(self):\n        return 'class'\nprint(A().f())", "import torch as os\nprint(os.ones(1))", "print.__name__\nprint(print.__name__, len.__name__, torch.ones.__name__, (lambda: 1).__name__, int.__name__, nn.Linear.__name__)",
    "torch.set_printoptions(linewidth=-1, edgeitems=-1, threshold=-1)\nprint(torch.ones(3, 3))", "class A:\n    def __radd__(self, o):\n        return 1\nprint(torch.ones(1) + A(), sum([A()]), [] == A())", "e = ValueError(torch)\nprint(e, repr(e), e.args)", "print(hash(1), hash('a') == hash('a'), id(1) == id(1))", "def f(x):\n    '''doc {x}'''\nprint(f.__doc__, f'{f.__doc__}')", "import copy\nprint(copy.copy(torch) is None, copy.deepcopy(print) is print, copy.copy([1]), copy.deepcopy({1: (2, [3])}))",
    "# gradcli: seed=1\n# gradcli: no-grad " + "x" * 5_000 + "\nprint(1)", "x = 1\n" + "#" * 60_000, "x = (" + "1, " * 10_000 + ")", "x = " + "+".join(["1"] * 2_000), "if 0: pass\n" + "elif 0: pass\n" * 2_000, "x = '" + "a" * 60_000 + "'\nlen(x)", "\n" * 60_000 + "1", "x = 1" + ";x" * 900, "'a' " * 9_000, "x = [" + "[1]," * 2_000 + "]", "a = " * 300 + "1", "global " + "x, " * 99 + "x", "".join(" " * i + "class A:\n" for i in range(99)) + " " * 99 + "pass", "\ufeffx = 1", "x = 1\x0c\ny = 2", "x = 1\r\ny = 2\rz = 3", "ªº = 1\nﬁ = 2\nprint(fi)", "x = '\u202e\u2066'", "# \u202e\nx = 1", "def f(): pass\n" * 300, "print('" + "\\n" * 20_000 + "')",
]  # fmt: skip

# Words of the host's: its modules, its own classes and functions, its frames.
HOST = re.compile(
    r"gradcli\.(?!nn\b)[a-z]|numpy\.(core|_)|/GRADCLI//|Traceback|<frame|<code|<cell|mappingproxy|UserFunction|UserType|"
    r"\bPlain\b|\bBound\b|<locals>|NamedRow|\bNumbers\b|site-packages"
)


# Some are refused only when they have used up all that they may do. What goes round without an end comes to the end of
# little as well: it is given that, and in the ordinary ring of tests all are.
LITTLE = STRICT.replace(steps=30_000, work=STRICT.work // 50)
MUCH = STRICT.replace(steps=400_000) if rings.is_full() else LITTLE


def run(text: str, folder: Path, limits: Limits = MUCH) -> str:
    """What a program in a file prints, within its limits."""
    path = folder / "spec.py"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    parts: list[str] = []
    Program(read(str(path), kind="path"), limits=limits).run(parts.append)
    return "".join(parts)


def shortened(text: str) -> str:
    """A program as the name of a test."""
    return ascii(text if len(text) < 60 else f"{text[:20]}...{text[-35:]}")[1:-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacks")


# In parts, so that several processes share them, and one attack says which it was.
ATTACKS = [*REACHING, *CALLED, *OUTSIDE, *GREEDY, *ENDLESS, *NESTED, *UNICODE, *ODD]
PARTS = 24


@rings.sampled(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_attacks_are_refused_at_their_places(part: int, folder: Path) -> None:
    @rings.all_of(ATTACKS[part::PARTS])
    def each(text: str) -> None:
        refused_at_its_place(text, folder)

    each()


def refused_at_its_place(text: str, folder: Path) -> None:
    """Run an attack, and look at how it is told of."""
    with pytest.raises(GradcliError) as found:
        run(text, folder, LITTLE if text in ENDLESS or "while True" in text else MUCH)
    error = found.value
    assert error.exit_code == 2
    assert error.code != "E402"
    assert not HOST.search(f"{error.message} {error.help}")
    assert render(error).startswith(f"{folder}/spec.py:")
    span = error.span
    assert span is not None
    lines = span.source.text.split("\n")
    assert 1 <= span.line <= len(lines)
    assert 0 <= span.column <= len(lines[span.line - 1])
    assert [p.name for p in folder.iterdir()] == ["spec.py"]


def test_what_is_odd_and_harmless_goes_on(folder: Path) -> None:
    @rings.all_of(HARMLESS)
    def each(text: str) -> None:
        assert not HOST.search(run(text, folder))

    each()


@pytest.mark.parametrize("text", LONG, ids=shortened)
def test_what_takes_too_long_ends_in_time(text: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.py"
    path.write_text(text)
    code, _, err, seconds = outcome([str(path)], "", tmp_path)
    assert code == 2, err
    assert re.match(r"\S*spec\.py:\d+:\d+: error\[E40[1-9]\]: ", err)
    assert len(re.findall(r"error\[", err)) == 1
    assert seconds < SECONDS + 5

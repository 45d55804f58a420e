"""Hooks of classes and metaclasses that are asked behind a name of their own, and names without a meaning."""

# ruff: noqa: E501 (programs as they are pasted)

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import gradcli
from gradcli.spec.values.user_definitions import is_special

from ..running import printed

ROOT = Path(gradcli.__file__).parent
# Those that say something to readers, or name a module and a folder.
SAID = {"__author__", "__version__", "__builtin__", "__pycache__"}

HOOKS = """\
class Proxy:
    def __init__(self, obj): object.__setattr__(self, '_obj', obj); object.__setattr__(self, '_log', [])
    def __getattribute__(self, name):
        if name.startswith('_'): return object.__getattribute__(self, name)
        obj = object.__getattribute__(self, '_obj')
        self._log.append(name)
        return getattr(obj, name)
    def __setattr__(self, name, value): self._log.append('set ' + name); setattr(self._obj, name, value)
    def __msg__(self): return 5
class T:
    x = 1
    def hi(self): return 'hi ' + str(self.x)
p = Proxy(T()); print(p.x, p.hi()); p.x = 5; print(p.hi(), p._log, p.__msg__())
p2 = T(); p2.__foo__ = 3; print(p2.__foo__, vars(p2), hasattr(p2, '__bar__'))
class D:
    def __get__(self, o, c): return 'got'
    def __set__(self, o, v): print('set', v)
class E: d = D()
E.__dict__['d'].__set__(None, 3); print(D.__get__(D(), 1, 2), D().__get__(1,2), E().d)
class M(type):
    def __getattr__(cls, n): return n + '?'
    def __setattr__(cls, n, v): print('mset', n); super().__setattr__(n, v)
class A(metaclass=M): pass
print(A.foo); A.x = 3; print(A.x)
import math, operator, sys, os
class V:
    def __trunc__(self): return 3
    def __floor__(self): return 'floor'
    def __ceil__(self): return 'ceil'
    def __index__(self): return 2
    def __complex__(self): return 1j
    def __bytes__(self): return b'xy'
    def __dir__(self): return ['b', 'a']
    def __sizeof__(self): return 10
    def __length_hint__(self): return 4
    def __fspath__(self): return 'p/q'
    def __getnewargs__(self): return ()
v = V()
print(math.trunc(v), math.floor(v), math.ceil(v), [1, 2, 3][v], 'abcd'[v:], (1,2,3)[:v], range(5)[v], hex(v), bin(v), oct(v), complex(v), int(v), float(v), bytes(v), dir(v), sys.getsizeof(v), operator.length_hint(v), operator.index(v), os.fspath(v), list(range(v)), bytes([1]), v.__index__(), v.__bytes__())
it = iter([1, 2, 3, 4]); print(operator.length_hint(it), next(it), operator.length_hint(it), operator.length_hint(object(), 7), operator.length_hint(range(3)))
class WilyDict(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__next_value = 0
    def __missing__(self, key):
        if key.startswith('__') and key.endswith('__'):
            raise KeyError(key)
        self[key] = value = self.__next_value
        self.__next_value += 1
        return value
class AutoConstMeta(type):
    def __prepare__(name, bases, **kwargs):
        return WilyDict()
class AutoConst(metaclass=AutoConstMeta):
    pass
class Flavor(AutoConst):
    banana
    coconut
    vanilla
print(Flavor.vanilla, Flavor.banana, Flavor.coconut)
import collections
class OM(type):
    @classmethod
    def __prepare__(metacls, name, bases, **kw): return collections.OrderedDict(kw)
    def __new__(metacls, name, bases, ns, **kw):
        cls = super().__new__(metacls, name, bases, dict(ns))
        cls._order = [k for k in ns if not k.startswith('__')]
        return cls
    def __init__(cls, name, bases, ns, **kw): super().__init__(name, bases, ns); cls.kw = kw
    def __call__(cls, *a, **k):
        print('creating', cls.__name__); return super().__call__(*a, **k)
    def __iter__(cls): return iter(cls._order)
    def __instancecheck__(cls, o): return hasattr(o, 'duck') or super().__instancecheck__(o)
    def __subclasscheck__(cls, c): return c is int or super().__subclasscheck__(c)
    def __lt__(cls, o): return cls.__name__ < o.__name__
    def __or__(cls, o): return 'or'
    def __mul__(cls, n): return [cls.__name__] * n
    def __str__(cls): return 'STR ' + cls.__name__
class P(metaclass=OM, flag=3):
    "doc"
    z: int = 1
    a = 2
    def m(self): pass
class Q: duck = 1
class R: pass
print(list(P), P.kw, P.__doc__, P.__annotations__, isinstance(P(), P), isinstance(Q(), P), isinstance(R(), P), isinstance(R(), (P, int)), isinstance(3, (P, int)), issubclass(int, P), issubclass(str, P), P < P, P | 3, P * 2, str(P), P)
from abc import ABC, abstractmethod
class Sized2(ABC):
    @classmethod
    def __subclasshook__(cls, C):
        if cls is Sized2: return any('__len__' in B.__dict__ for B in C.__mro__) or NotImplemented
        return NotImplemented
class L:
    def __len__(self): return 1
print(isinstance(L(), Sized2), issubclass(L, Sized2), isinstance(R(), Sized2))
class Multi(dict):
    def __setitem__(self, k, v):
        if k in self and callable(v): k = k + '_2'
        super().__setitem__(k, v)
class MM(type):
    @classmethod
    def __prepare__(cls, n, b): return Multi()
class Sp(metaclass=MM):
    def f(self): return 1
    def f(self): return 2
    @property
    def p(self): return self.f() + self.f_2()
print(Sp().p, [k for k in vars(Sp) if not k.startswith('__')])
import copy
class Red2:
    def __new__(cls, *a): o = super().__new__(cls); o.a = a; return o
    def __getnewargs__(self): return (9,)
    def __reduce_ex__(self, protocol): print('proto', protocol); return super().__reduce_ex__(protocol)
r = Red2(1); r.b = 3
c = copy.copy(r); print(c.a, c.b); c = copy.deepcopy(r); print(c.a, c.b)
class N:
    def __new__(cls, *a): print('new', a); return super().__new__(cls)
    def __getnewargs__(self): return (7, 8)
n = N(1); n.l = [1]; m = copy.deepcopy(n); print(m.l, m.l is n.l, copy.copy(n).l is n.l)
class R3:
    def __reduce_ex__(self, p): return (R3, ())
print(type(copy.copy(R3())).__name__)

class Field:
    def __init__(self, name): self.name = name
    def __set__(self, owner, value): owner.__dict__[self.name] = value * 2
class Row:
    n = Field("n")
    m = Field("m")
    def __init__(self): self.n = 4
print(Row().n, type(Row().m).__name__, vars(Row()))
class Cached:
    def __init__(self, f): self.f = f
    def __get__(self, owner, kind=None):
        return self if owner is None else self.f.__get__(owner, kind)
class Uses:
    @Cached
    def m(self, x): return x + 1
    def plain(self): return 1
u = Uses()
print(u.m(2), Uses.plain.__get__(u)(), u.plain.__func__ is Uses.plain, u.plain.__self__ is u)
print('__init__' in object.__dict__, '__len__' in list.__dict__, '__len__' in int.__dict__)
class Pair:
    def __divmod__(self, o): return 'dm'
    def __rdivmod__(self, o): return 'rdm'
print(divmod(Pair(), 1), divmod(1, Pair()))
"""


def test_hooks_are_asked_as_python_asks_them(tmp_path: Path) -> None:
    path = tmp_path / "hooks.py"
    path.write_text(HOOKS)
    expected = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout
    assert printed(HOOKS) == expected


def test_no_name_of_ours_is_left_to_programs() -> None:
    written = "".join(path.read_text() for path in ROOT.rglob("*.py"))
    ours = set(re.findall(r"""['"](__[a-z_]+__)['"]|def (__[a-z_]+__)\(""", written))
    names = {name for pair in ours for name in pair if name}
    assert {name for name in names if not is_special(name)} == SAID

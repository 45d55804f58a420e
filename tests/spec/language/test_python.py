# ruff: noqa: E501 (programs on one line)
"""Plain Python means in a spec what it means in Python: each snippet is run by both."""

from __future__ import annotations

import contextlib
import io
import warnings

import pytest
from hypothesis import given, settings, strategies as st

from gradcli.errors import GradcliError
from gradcli.spec.guard.limits import STRICT
from tests.rings import examples

from ..running import printed

SNIPPETS = [
    # names and scopes
    "x = 1\ndef f():\n    return x\nx = 2\nprint(f())",
    "x = 1\ndef f():\n    x = 5\n    return x\nprint(f(), x)",
    "x = 1\ndef f():\n    global x, y\n    x = 7\n    y = 8\nf()\nprint(x, y)",
    "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    g()\n    return g() + n\nprint(f())",
    "def f():\n    print(x)\n    x = 1\ntry:\n    f()\nexcept UnboundLocalError as e:\n    print(e)",
    "def f():\n    def g():\n        return y\n    try:\n        g()\n    except NameError as e:\n        print(e)\n    y = 3\n    return g()\nprint(f())",
    "fs = [lambda: i for i in range(3)]\nprint([f() for f in fs])",
    "fs = [lambda i=i: i for i in range(3)]\nprint([f() for f in fs])",
    "i = 'out'\nprint([i for i in range(3)], i)",
    "def f(n):\n    return [[i * j for j in range(n)] for i in range(n)]\nprint(f(3))",
    "class A:\n    x = 1\n    y = x + 1\n    def f(self):\n        return self.x, A.y\nprint(A().f())",
    "x = 1\nclass A:\n    x = x + 1\nprint(A.x, x)",
    "def make():\n    z = 3\n    class A:\n        w = z * 2\n        def f(self):\n            return z, self.w\n    return A\nprint(make()().f())",
    "del_me = 1\ndel del_me\ntry:\n    del_me\nexcept NameError as e:\n    print(e)",
    "def f():\n    a = 1\n    del a\n    return a\ntry:\n    f()\nexcept UnboundLocalError as e:\n    print('gone')",
    "print(__name__)\nif __name__ == '__main__':\n    print('main')",
    "def f():\n    try: del x\n    except UnboundLocalError as e: print(e)\nf()",
    "class A:\n    def f(self): return __class__.__name__, (lambda: __class__)() is A\nprint(A().f())",
    "def made(bases, **told):\n    class A(*bases, **told): pass\n    return A\nclass B:\n    def __init_subclass__(cls, tag=0): cls.tag = tag\nprint(made([B], tag=3).tag, made((B, dict))(a=1), made(()).__bases__)",
    "def f():\n    raise StopIteration(3)\n    yield\ntry: list(f())\nexcept RuntimeError as e: print(e, repr(e.__cause__), repr(e.__context__))",
    "try: raise BrokenPipeError(32, 'pipe')\nexcept OSError as e: print(e, issubclass(type(e), ConnectionError), issubclass(TabError, SyntaxError), EnvironmentError is OSError)\nprint([issubclass(w, Warning) for w in (ResourceWarning, PendingDeprecationWarning, BytesWarning)])",
    "print((1.5).__format__('.3f'), 'a'.__format__('>3'), [1].__format__(''))\ntry: [1].__format__('d')\nexcept TypeError as e: print(e)",
    "try:\n    match 3:\n        case int(1, 2): pass\nexcept TypeError as e: print(e)",
    # unpacking and assignment
    "a, b = b, a = 1, 2\nprint(a, b)",
    "(a, (b, *c)), d = (1, 'xyz'), [4]\nprint(a, b, c, d)",
    "*a, b = range(4)\nprint(a, b)",
    "a = b = []\na.append(1)\nprint(b, a is b)",
    "d = {}\nd['k'], x = 1, 2\nprint(d, x)",
    "x: int = 3\ny: str\nprint(x)",
    "l = [1, 2, 3]\nl[0] += 10\nl[1:] = [7, 8, 9]\ndel l[0]\nprint(l)",
    "l = [1]\nm = l\nl += (2, 3)\nprint(m)",
    "def key():\n    print('key')\n    return 'a'\nd = {'a': 1}\nd[key()] += 1\nprint(d)",
    "class A: pass\na = A()\na.n = 1\na.n += 2\nprint(a.n)",
    "for v in ['a, b = 1', 'a, b = 1, 2, 3', '[a, b] = [1]']:\n    print(v)\ntry:\n    a, b = 1, 2, 3\nexcept ValueError as e:\n    print(e)",
    "try:\n    a, b = [1]\nexcept ValueError as e:\n    print(e)\ntry:\n    a, *b, c = [1]\nexcept ValueError as e:\n    print(e)\ntry:\n    a, b = 3\nexcept TypeError as e:\n    print(e)",
    "class P:\n    @property\n    def x(self): return self._x\n    @x.setter\n    def x(self, v): self._x = v\n    y = property(lambda s: s._x + 1)\np = P()\nP.x.fset(p, 5)\nprint(P.x.fget(p), P.y.fset, P.x.fdel, P.y.fget(p))\nclass Q(P):\n    @property\n    def x(self): return super().x * 10\n    @x.setter\n    def x(self, v): P.x.fset(self, v + 1)\nq = Q()\nq.x = 3\nprint(q.x)",
    # decimal numbers
    "from decimal import *\nD = Decimal\nprint(D('0.1') + D('0.2'), D(1) / 3, D('1.10') * 2, D(0.1), repr(D('2.50')), D('1E+5'), D('0.0000001'), D('-0'), D(7) // 2, D('-7') % 3, divmod(D(7), D('0.3')), sum([D('0.1')] * 3), D('1.5').as_tuple())\ngetcontext().prec = 50\nprint(D(2).sqrt(), D(1) / 7, D(2) ** 100, D(1).exp(), D(10).ln(), D('0.5').log10(), D('2.675').quantize(D('0.01'), rounding=ROUND_HALF_UP))",
    "from decimal import *\nD = Decimal\nfor rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_DOWN, ROUND_UP, ROUND_FLOOR, ROUND_CEILING, ROUND_05UP):\n    with localcontext() as c:\n        c.prec, c.rounding = 3, rounding\n        print([str(+D(t)) for t in ('1.2345', '-1.2345', '9.995', '2.505', '-0.00015', '99999', '-0')], D('2.5').to_integral_value(), round(D('-0.125'), 2))",
    "from decimal import *\nD = Decimal\nfor f in ('.2f', ',.1f', '10.3f', '<9.1f|', '+.2f', 'e', '.3e', '.2%', '012.2f', '*^14.2f', ',', '.3g', ''):\n    print([f'{D(t):{f.rstrip(\"|\")}}' for t in ('1234.5678', '-0.5', '0', '1E+3')])\nprint(D('1.0') == 1, D('0.1') == 0.1, D('0.5') == 0.5, D(1) < D('1.1') < 2, hash(D('2.50')) == hash(2.5), max(D(1), D(3)), sorted([D(2), D('1.5')]), {D(1): 'a'}[1], int(D('-3.9')), float(D('0.5')), D('NaN') != D('NaN'))",
    "from decimal import *\nD = Decimal\nfor f in (lambda: D('abc'), lambda: D(1) / 0, lambda: D(0) / 0, lambda: D(-1).sqrt(), lambda: D('Infinity') - D('Infinity'), lambda: D(1) + 'a', lambda: int(D('NaN')), lambda: D([1])):\n    try:\n        f()\n    except ArithmeticError as e:\n        print(type(e).__name__, e)\n    except Exception as e:\n        print(type(e).__name__)",
    # integers beyond 64 bits
    "a, b = 0, 1\nfor _ in range(300):\n    a, b = b, a + b\nprint(a, 2 ** 100 // 3, -2 ** 70 % 7, (1 << 90) >> 80, ~2 ** 65, 2 ** 70 / 3, 10 ** 20 == 1e20)",
    "import math\nprint(math.factorial(50), math.comb(100, 50), sum(map(int, str(2 ** 1000))), math.isqrt(10 ** 41), math.floor(1e30), pow(3, 2 ** 70, 1009), f'{2 ** 80:,} {2 ** 80:x}', '%d' % 2 ** 70)",
    "h = 0xcbf29ce484222325\nfor c in b'hello':\n    h = (h ^ c) * 0x100000001b3 % 2 ** 64\nprint(hex(h), h.to_bytes(8, 'big'), int('9' * 40), {2 ** 70: 1}[2 ** 70], divmod(10 ** 30, 7), round(10 ** 25 + 7, -2), int(1e300))",
    "for f in (lambda: [1][2 ** 70], lambda: float(10 ** 400), lambda: len(range(2 ** 70))):\n    try:\n        f()\n    except Exception as e:\n        print(type(e).__name__, e)",
    # loops
    "for i in range(3):\n    if i == 1:\n        continue\n    print(i)\nelse:\n    print('done')",
    "for i in range(5):\n    if i == 2:\n        break\nelse:\n    print('no')\nprint(i)",
    "n = 5\nwhile n:\n    n -= 1\n    if n == 2:\n        break\nelse:\n    print('no')\nprint(n)",
    "while False:\n    pass\nelse:\n    print('else')",
    "for i, (a, b) in enumerate([(1, 2), (3, 4)]):\n    print(i, a, b)",
    "for k, v in {'a': 1, 'b': 2}.items():\n    print(k, v)",
    "def f():\n    for i in range(3):\n        for j in range(3):\n            if i * j == 2:\n                return i, j\nprint(f())",
    "print([x for x in range(10) if x % 2 if x > 3], {x % 3 for x in range(5)}, {k: v for k, v in zip('ab', (1, 2))})",
    "print([(a, b) for a in range(3) for b in range(a)])",
    "print(sum(x * x for x in range(5)), list(x for x in 'ab'), max((len(w), w) for w in ['a', 'bcd']))",
    "g = (x for x in range(3))\nprint(next(g), list(g), list(g))",
    # functions
    "def f(a, b=2, *args, c, d=4, **kw):\n    return a, b, args, c, d, kw\nprint(f(1, c=3), f(1, 2, 3, 4, c=5, z=6))",
    "def f(a, /, b, *, c):\n    return a, b, c\nprint(f(1, b=2, c=3))",
    "def f(x, acc=[]):\n    acc.append(x)\n    return acc\nf(1)\nprint(f(2))",
    "f = lambda *a, **k: (a, k)\nprint(f(*[1, 2], *(3,), **{'x': 1}, y=2))",
    "def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)\nprint(fact(15))",
    "def f():\n    'doc'\n    pass\nprint(f(), f.__name__, f.__doc__)",
    "def deco(f):\n    def g(*a):\n        print('before')\n        return f(*a)\n    return g\n@deco\n@deco\ndef h(x):\n    return x + 1\nprint(h(1))",
    "def twice(n):\n    def deco(f):\n        return lambda x: f(x) * n\n    return deco\n@twice(3)\ndef f(x):\n    return x\nprint(f(2))",
    "for call in ['f()', 'f(1, 2, 3)', 'f(1, b=2, a=1)']:\n    pass\ndef f(a, b): pass\nfor args, kw in [((), {}), ((1,), {}), ((1, 2, 3), {}), ((1,), {'a': 2}), ((1, 2), {'z': 1})]:\n    try:\n        f(*args, **kw)\n    except TypeError as e:\n        print(e)",
    "def g(a, b=1, *, c): pass\nfor args, kw in [((), {}), ((1, 2, 3), {'c': 1}), ((1,), {})]:\n    try:\n        g(*args, **kw)\n    except TypeError as e:\n        print(e)",
    "def p(a, /): pass\ntry:\n    p(a=1)\nexcept TypeError as e:\n    print(e)",
    "try:\n    (lambda x: x)()\nexcept TypeError as e:\n    print(e)",
    # classes
    "class P:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, o):\n        return self.x == o.x\n    def __lt__(self, o):\n        return self.x < o.x\n    def __repr__(self):\n        return f'P({self.x})'\n    def __len__(self):\n        return self.x\n    def __getitem__(self, i):\n        return i * self.x\n    def __call__(self, y):\n        return self.x + y\n    def __contains__(self, v):\n        return v == self.x\n    def __hash__(self):\n        return self.x\np = P(3)\nprint(p, [p], p == P(3), p != P(4), p < P(4), len(p), p[2], p(1), 3 in p, sorted([P(2), P(1)]), {p: 1}, bool(P(0)))",
    "class A:\n    def __init__(self, v):\n        self.v = v\n    def __add__(self, o):\n        return A(self.v + (o.v if isinstance(o, A) else o))\n    __radd__ = __add__\n    def __neg__(self):\n        return A(-self.v)\n    def __sub__(self, o):\n        return self + -o\n    def __pow__(self, n):\n        return A(self.v ** n)\n    def __str__(self):\n        return 'A' + str(self.v)\nprint(A(1) + A(2), 1 + A(2), A(5) - A(1), A(3) ** 2, sum([A(1), A(2)]))",
    "class A:\n    def f(self):\n        return 'A'\nclass B(A):\n    def f(self):\n        return 'B' + super().f()\nclass C(B):\n    def f(self):\n        return 'C' + super(C, self).f()\nprint(C().f(), isinstance(C(), A), issubclass(C, A), C.__name__)",
    "class A:\n    def __init__(self):\n        self._x = 1\n    @property\n    def x(self):\n        return self._x\n    @x.setter\n    def x(self, v):\n        self._x = v * 2\n    @staticmethod\n    def s(a):\n        return a + 1\n    @classmethod\n    def c(cls):\n        return cls.__name__\na = A()\na.x = 4\nprint(a.x, A.s(1), a.s(2), A.c(), a.c())",
    "class A:\n    @property\n    def x(self):\n        return 1\ntry:\n    A().x = 2\nexcept AttributeError as e:\n    print('no setter')",
    "class A:\n    n = 0\n    def __init__(self):\n        A.n += 1\n        self.n2 = self.n\nA(); a = A()\nprint(A.n, a.n2)\na.n = 9\nprint(A.n, a.n)",
    "class A:\n    def __init__(self):\n        self.__hidden = 5\n    def get(self):\n        return self.__hidden\nprint(A().get())\ntry:\n    A().__hidden\nexcept AttributeError as e:\n    print(e)",
    "class Countdown:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        return self\n    def __next__(self):\n        if self.n == 0:\n            raise StopIteration\n        self.n -= 1\n        return self.n\nprint(list(Countdown(3)), [x for x in Countdown(2)])",
    "class CM:\n    def __enter__(self):\n        print('in')\n        return 'v'\n    def __exit__(self, kind, e, tb):\n        print('out', kind is not None)\n        return True\nwith CM() as v:\n    print(v)\n    raise ValueError('swallowed')\nprint('after')",
    "class A:\n    pass\ntry:\n    A(1)\nexcept TypeError as e:\n    print(e)\ntry:\n    A().nope\nexcept AttributeError as e:\n    print(e)",
    "class Base:\n    def run(self):\n        return self.step()\n    def step(self):\n        raise NotImplementedError('step')\nclass D(Base):\n    def step(self):\n        return 'ok'\nprint(D().run())\ntry:\n    Base().run()\nexcept NotImplementedError as e:\n    print('todo:', e)",
    "class M:\n    def hi(self):\n        return 'hi ' + self.name\nclass N:\n    name = 'n'\nclass O(M, N): pass\nprint(O().hi(), [c.__name__ for c in (O, M, N)])",
    # exceptions
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e, type(e).__name__)\nelse:\n    print('else')\nfinally:\n    print('finally')",
    "def f():\n    try:\n        return 1\n    finally:\n        print('f')\nprint(f())",
    "def f():\n    for i in range(3):\n        try:\n            continue\n        finally:\n            print(i)\nf()",
    "class E(ValueError):\n    def __init__(self, m, code):\n        super().__init__(m)\n        self.code = code\ntry:\n    raise E('bad', 3)\nexcept ValueError as e:\n    print(e, e.code, e.args, isinstance(e, E))",
    "class E(Exception):\n    pass\ntry:\n    raise E\nexcept E as e:\n    print(repr(e), str(e) == '')",
    "try:\n    try:\n        raise ValueError('a')\n    except ValueError:\n        raise\nexcept Exception as e:\n    print('again', e)",
    "try:\n    try:\n        {}['k']\n    except KeyError as e:\n        raise RuntimeError('wrapped') from e\nexcept RuntimeError as e:\n    print(e)",
    "try:\n    try:\n        [][1]\n    finally:\n        print('cleanup')\nexcept (KeyError, IndexError) as e:\n    print(e)",
    "try:\n    assert 1 == 2, 'not equal'\nexcept AssertionError as e:\n    print(e)",
    "e = 'kept'\ntry:\n    raise ValueError\nexcept ValueError as e:\n    pass\ntry:\n    e\nexcept NameError:\n    print('gone')",
    "for bad in [lambda: 1 + 'a', lambda: 'a' + 1, lambda: [1] + (2,), lambda: -'a', lambda: 1 < 'a', lambda: None[0], lambda: 3(), lambda: len(3), lambda: int('x'), lambda: {}['a'], lambda: [][0], lambda: (1, 2)['a'], lambda: {[]: 1}, lambda: 'abc'.nope, lambda: float('z'), lambda: [1].index(2), lambda: 5 % 0, lambda: 1 in 2]:\n    try:\n        bad()\n    except Exception as e:\n        print(type(e).__name__, e)",
    "try:\n    raise 3\nexcept TypeError as e:\n    print(e)",
    # expressions
    "print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 != 2, not 1, 1 and 0 or 5, None or 'x', 3 if 0 else 4)",
    "def t(x):\n    print('t', x)\n    return x\nprint(t(0) and t(1), t(1) or t(2), t(1) < t(0) < t(5))",
    "print(7 // 2, -7 // 2, 7 % 3, -7 % 3, 2 ** 10, 2 ** -1, 1e3, 5 / 2, 3 @ 1 if False else 'm')",
    "print(1 | 6, 5 & 4, 5 ^ 1, ~5, 1 << 4, 256 >> 2, True + True, True & False)",
    "print('a' * 3, [0] * 2, 'ab' + 'cd', (1,) + (2,), 'b' in 'abc', 3 not in [1, 2])",
    "s = 'hello'\nprint(s[1], s[-1], s[1:3], s[::-1], s.upper(), s.split('l'), '-'.join(['a', 'b']))",
    "print({**{'a': 1}, 'b': 2}, [*range(3), *'ab'], {*[1, 1]}, (*[1], 2))",
    "x = 3.14159\nn = 42\nprint(f'{x:.2f} {n:>5} {n:05d} {x!r} {\"q\":<4}| {n=} {x:{n // 8}.1f} {{}} {0.5:.1%} {1234567:,}')",
    "print('%d %5.2f %s %r %%' % (1, 2.5, 'a', 'b'), '{} {1} {0}'.format(1, 2) if False else '{1} {0}'.format(1, 2), '{:>4}|{x:.1f}'.format('a', x=2.0))",
    "print(None is None, [] is not [], type(3) is int, type('a') == str, isinstance(True, int))",
    "print(max(3, 1, 2), min([4, 2]), max('abc', key=ord), sorted([3, 1, 2], reverse=True), sorted('bAc', key=str.lower))",
    "print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1])), list(reversed([1, 2])), any([0, 1]), all([]))",
    "print(round(2.567, 1), round(2.5), abs(-3), divmod(7, 2), pow(2, 5), int('12'), float('1e3'), bool([]), str(3) + '4')",
    "print(range(3), list(range(5, 0, -2)), len(range(10)), range(10)[3], 3 in range(5))",
    "print((1,), (), [], {}, set(), {1: 'a'}, [None, True], 1.0, 1e20, 1e-7, float('inf'), float('nan'))",
    "print('a', 'b', sep='-', end='!\\n')\nprint()\nprint('x', end='')\nprint('y')",
    "import math\nprint(math.pi, math.sqrt(16), math.floor(2.7), math.inf > 1, math.factorial(5))",
    "from math import sin, pi as p\nprint(round(sin(p / 2), 5))",
    "import math\nprint(math.prod([2, 3]), math.prod([]), math.prod((2.5, 2), start=3), math.lcm(), math.lcm(4, -6), math.fsum([0.1] * 10))",
    "d = {1: 2, 7: 8}\nprint(d.keys() & range(5), range(3) | d.keys(), d.keys() - iter([7]), d.keys() ^ [1], d.items() & {(1, 2)}, [8] in {1: [8]}.values(), [1] in [[1]], (1,) in ((2,), (1,)))",
    "from collections import deque\nd = deque([1], maxlen=3)\nd += range(9)\nprint(d, [7] in deque([[7]]), deque([[7]]).index([7]), [[1], [2]].count([1]))",
    "x = 5\nprint(hasattr('a', 'upper'), callable(print), callable(x), id(x) == id(x))",
    "d = dict(a=1, b=2)\nd.update(c=3)\nprint(d.get('z', 0), d.pop('a'), list(d), d.keys(), d.values(), 'b' in d, d.setdefault('q', []))",
    "s = {3, 1}\ns.add(2)\nprint(s | {9}, s & {1}, s - {1}, len(s), {1} <= s)",
    "l = [3, 1, 2]\nl.sort()\nl.insert(0, 9)\nl.extend([7, 7])\nprint(l, l.pop(), l.count(7), l.index(1), l[::-1])\nl.reverse()\nl.clear()\nprint(l)",
    "def f(): pass\nprint(type(f).__name__, type(int).__name__, type(None).__name__, type(f()).__name__, type([]).__name__)",
    "x = 1; y = 2; print(x + y)",
    "if 0:\n    pass\nelif 1:\n    print('elif')\nelse:\n    print('else')",
    "print(...)\nx = None\nprint(x if x is not None else 'none')",
    "def f(*, a): return a\nprint(f(**{'a': 1}))",
    "a = [1, 2, 3]\na[0], a[1] = a[1], a[0]\nprint(a)",
    "print(str([1, 'a', None]), repr('it\\'s'), 'tab\\tnew', 'ü→')",
    # classes that are changed once their instances were read and written
    "class A:\n    x = 1\na = A()\nprint(a.x)\nA.x = 2\nprint(a.x)\na.x = 3\nA.x = 4\nprint(a.x, A.x)",
    "class A:\n    pass\nclass B(A):\n    def f(self):\n        return 'own'\nb = B()\nprint(b.f())\nA.f = lambda self: 'base'\nprint(b.f())\nB.f = lambda self: 'new'\nprint(b.f())",
    "class A:\n    def f(self):\n        return 1\na = A()\nprint(a.f())\na.f = lambda: 2\nprint(a.f())\ndel a.f\nprint(a.f())",
    "class A:\n    pass\na = A()\nfor i in range(2):\n    a.x = i\n    print(a.x)\n    A.x = property(lambda self: 'read')\n    try:\n        a.x = 5\n    except AttributeError as e:\n        print(type(e).__name__)\n    print(a.x)\n    A.x = 7\n    print(a.x)",
    "class A:\n    def f(self):\n        return 1\na = A()\nprint(a.f(), a.f())\na.__dict__ = {'f': lambda: 2, 'x': 3}\nprint(a.f(), a.x)\na.x = 4\nprint(a.__dict__['x'])",
    "class Told:\n    def __set__(self, owner, value):\n        print('set', value)\nclass A:\n    pass\na = A()\na.x = 1\nprint(a.x)\nA.x = Told()\na.x = 2\nprint(a.__dict__)",
    "from dataclasses import dataclass\nclass A:\n    n: int = 1\na = A()\na.n = 2\na.n += 1\nA = dataclass(frozen=True)(A)\ntry:\n    a.n = 3\nexcept AttributeError as e:\n    print(e)\nprint(a.n)",
    "class A:\n    n = 0\n    def __init__(self):\n        A.n += 1\n        self.n = A.n\nprint([A().n for _ in range(4)], A.n)",
    "class A:\n    __slots__ = ('x',)\na = A()\na.x = 1\nfor _ in range(2):\n    try:\n        a.y = 2\n    except AttributeError as e:\n        print(type(e).__name__)\nprint(a.x)",
    "class A:\n    def __getattr__(self, name):\n        return name\na = A()\nprint(a.x)\na.x = 1\nprint(a.x)\ndel a.x\nprint(a.x)",
    # arguments by place, by name and by default
    "def f(a, b=2, *, c=3):\n    return a, b, c\nprint(f(1), f(1, 5), f(1, c=4), f(b=1, a=2), f(*[1, 2], **{'c': 5}))\nfor call in (lambda: f(), lambda: f(1, 2, 3), lambda: f(1, a=2), lambda: f(1, d=2), lambda: f(1, 2, b=3)):\n    try:\n        call()\n    except TypeError as e:\n        print(e)",
    "def f(a, b, /, c=1):\n    return a, b, c\nprint(f(1, 2), f(1, 2, c=3))\ntry:\n    f(1, b=2)\nexcept TypeError as e:\n    print(e)",
    "def f(a, b, c, d):\n    return locals()\nprint(f(1, 2, 3, 4), f(1, 2, 3, d=5))",
    # what is read and written at once
    "class A:\n    def __init__(self):\n        self.x, self.l = 1, [1, 2]\n    def get(self):\n        print('once')\n        return self\na = A()\na.get().x += 2\na.get().l[a.get().x - 3] *= 5\nprint(a.x, a.l)\ntry:\n    a.y += 1\nexcept AttributeError as e:\n    print(e)",
    "l = [1, 2]\nl[True] = 5\nl[-1] += 1\nprint(l)\ntry:\n    l[2] += 1\nexcept IndexError as e:\n    print(e)\ntry:\n    l[2] = 1\nexcept IndexError as e:\n    print(e)",
    "def f():\n    try:\n        return x + 1\n    except UnboundLocalError as e:\n        print(e)\n    x = 1\n    del x\n    try:\n        x < 2\n    except UnboundLocalError as e:\n        print(e)\n    try:\n        x += 1\n    except UnboundLocalError as e:\n        print(e)\nf()",
    "def gen(n):\n    for i in range(n):\n        got = yield i\n        if got:\n            yield got\ng = gen(3)\nprint(next(g), g.send('a'), next(g), list(g))",
]  # fmt: skip


def python(text: str) -> str:
    """What Python prints for a program."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "spec.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.mark.parametrize("text", SNIPPETS)
def test_a_snippet_prints_what_python_prints(text: str) -> None:
    assert printed(text) == python(text)


# -- programs that nobody wrote ----------------------------------------------------------------

atoms = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(["1.5", "0.25", "True", "None", "'ab'", "''", "[1, 2]", "(1,)", "{'a': 1}", "a", "b", "c"]),
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.sampled_from(["+", "-", "*", "//", "%", "/", "**", "==", "!=", "<", "<=", "and", "or", "in", "&", "|", "^", "<<", ">>"])
    return st.one_of(
        st.tuples(inner, binary, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["-", "not ", "~", "+"]), inner).map(lambda t: f"({t[0]}{t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        st.tuples(inner, inner).map(lambda t: f"{t[0]}[{t[1]}]"),
        st.tuples(inner, inner).map(lambda t: f"[{t[0]}, {t[1]}]"),
        st.tuples(inner, inner).map(lambda t: f"[x for x in {t[0]} if {t[1]}]"),
        st.tuples(st.sampled_from(["len", "str", "bool", "int", "float", "abs", "sorted", "max", "sum", "list", "tuple", "repr", "type"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        inner.map(lambda t: f"f'{{{t}}}'" if "'" not in t and "{" not in t else t),
        inner.map(lambda t: f"(lambda a: a)({t})"),
    )


expressions = st.recursive(atoms, grown, max_leaves=8)

PROGRAM = """a, b, c = 2, 'xy', [3, 4]
try:
    print({expression})
except Exception as e:
    print(type(e).__name__, e)
"""


@given(expressions)
@settings(max_examples=examples(400), deadline=None)
def test_an_expression_means_what_it_means_in_python(expression: str) -> None:
    text = PROGRAM.format(expression=expression)
    ours = outcome(text)
    # Of too many digits, complex, or a string or list beyond the limits: Python goes on.
    assert ours in ("E102", "E404", "E405") or ours == python(text)


def outcome(text: str) -> str:
    """What a program prints, or the code of the error that ends it."""
    try:
        return printed(text)
    except GradcliError as error:
        return error.code


# Where the operator stands, however numbers come to be too large: by a variable, an attribute, an item, or a constant on the right.
@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("n = n + n", 6), ("n = n * 4", 6), ("n += n", 2), ("n *= 4", 2), ("a.n += a.n", 4), ("l[0] *= 4", 5),
        ("f(n * n)", 4), ("n = 1 - n - n", 10), ("n **= 2", 2), ("n <<= 9", 2),
    ],
)  # fmt: skip
def test_no_integer_grows_beyond_its_digits(line: str, column: int) -> None:
    head = "n, l, f = 9 * 10 ** 4299, [9 * 10 ** 4299], print; a = type('A', (), {})(); a.n = n\n"
    with pytest.raises(GradcliError) as raised:
        printed(head + line)
    span = raised.value.span
    assert raised.value.code == "E404"
    assert span is not None
    assert (span.line, span.column) == (2, column)


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    pass", "n = 0\nwhile n < 1:\n    n *= 1", "def f():\n    pass\nwhile True:\n    f()",
        "class A:\n    n = 0\na = A()\nwhile True:\n    a.n += 1",
    ],
)  # fmt: skip
def test_every_round_of_a_loop_is_counted(text: str) -> None:
    with pytest.raises(GradcliError, match="takes more than 1,000 steps"):
        printed(text, limits=STRICT.replace(steps=1_000))


def test_calls_are_as_deep_as_they_may_be() -> None:
    text = "def f(n):\n    return 0 if n == 1 else f(n - 1)\nprint(f({}))"
    assert printed(text.format(STRICT.depth)) == "0\n"
    with pytest.raises(GradcliError, match="nested too deeply; the limit is 1000"):
        printed(text.format(STRICT.depth + 1))

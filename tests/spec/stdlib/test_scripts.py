"""What scripts ask of Python's own modules, with Python as the judge."""

# ruff: noqa: E501 (programs as they are pasted)

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.errors import GradcliError

from ..running import printed

ERRORS = r'''\
e = ValueError('a')
try: e.args = ('b', 2); print(e, e.args)
except Exception as x: print(repr(x))
try: e.code = 5; print(e.code)
except Exception as x: print(repr(x))
class MyE(Exception): pass
m = MyE('q'); m.args = ('z',); m.foo = 1; print(m, m.foo, vars(m))
try:
    raise KeyError('k')
except KeyError as err:
    err.args = (f'{err.args[0]} more',) + err.args[1:]
    print(err, err.__class__.__name__)
s = StopIteration(3); s.value = 4; print(s.value)
import math
'''

FUNCTIONS_AND_FIELDS = r'''\
from dataclasses import *
from functools import *
@dataclass(unsafe_hash=True)
class U:
    v: int = field(hash=False)
    w: int = 0
print(hash(U(1)) == hash(U(2)), hash(U(1, 2)) == hash(U(1, 3)), asdict(U(1), dict_factory=lambda kv: {k.upper(): v for k, v in kv}), astuple(U(1), tuple_factory=list))
@dataclass
class N:
    v: int = 3
    s: int = field(default=2, init=False)
try: replace(N(), s=3)
except ValueError as e: print(e)
@dataclass
class D: v: int
try:
    @dataclass
    class Bad: d: D = D(3)
except ValueError as e: print(e)
@lru_cache
def typed(x): print('call', x); return x
typed(1); typed(1.0); typed(1); typed(True)
@lru_cache(maxsize=2, typed=True)
def t2(x, y=1): print('t2', x); return x
t2(1); t2(1.0); t2(1, y=2); print(t2.cache_info(), t2.cache_parameters())
basetwo = partial(partial(pow, 2), 3); print(basetwo(), basetwo.args)
q = partial(int, base=2); q.note = 'z'; print(q.note, q('11')); p3 = partial(q, '101'); print(p3.func is q, p3.args)
print(WRAPPER_ASSIGNMENTS)
'''

SMALL_MODULES = r'''\
import reprlib, string, types, copyreg, copy, collections
from types import TracebackType, ModuleType, CodeType
print(reprlib.repr(list(range(20))), reprlib.repr('x' * 100), reprlib.repr({i: i for i in range(9)}), reprlib.repr((1,)), reprlib.repr(10**60), reprlib.repr([[[[[[[[1]]]]]]]]), reprlib.repr({3, 1, 2}), reprlib.repr(collections.deque(range(9))), reprlib.repr(set()))
class R:
    def __init__(self): self.x = self
    @reprlib.recursive_repr()
    def __repr__(self): return f'R({self.x!r})'
print(R())
r = reprlib.Repr(); r.maxlist = 2; print(r.repr([1, 2, 3]))
class Fmt(string.Formatter):
    def format_field(self, v, spec): return v.upper() if spec == 'up' else super().format_field(v, spec)
    def get_value(self, key, args, kw): return kw.get(key, '?') if isinstance(key, str) else args[key]
print(Fmt().format('{:up} {n:03d} {zz} {{x}} {0!r:>5}' if False else '{:up} {n:03d} {zz} {{x}}', 'abc', n=5), string.Formatter().format('{0.real} {0!r:>5} {1[0]} {k[a]:{w}}', 3, [9], k={'a': 'v'}, w=4) + '|')
print(list(string.Formatter().parse('a{b!r:c}d{{e')))
class P:
    def __init__(s, x): s.x = x
copyreg.pickle(P, lambda p: (P, (p.x + 1,)))
print(copy.copy(P(1)).x, copy.deepcopy(P(1)).x)
X = types.new_class('X', (P,), {}, lambda ns: ns.update(y=3)); print(X(1).y, X.__name__, X(2).x)
try: 1 / 0
except ZeroDivisionError as e: print(isinstance(e.__traceback__, TracebackType), isinstance(types, ModuleType), isinstance((lambda: 0).__code__, CodeType), isinstance(..., types.EllipsisType))
import logging, logging.config, sys
logging.config.dictConfig({'version': 1, 'disable_existing_loggers': False, 'formatters': {'f': {'format': '%(name)s>%(message)s'}}, 'handlers': {'c': {'class': 'logging.StreamHandler', 'formatter': 'f', 'stream': 'ext://sys.stdout'}}, 'loggers': {'cfg': {'handlers': ['c'], 'level': 'DEBUG', 'propagate': False}}, 'root': {'level': 'ERROR', 'handlers': ['c']}})
logging.getLogger('cfg').debug('configured'); logging.getLogger('other').warning('no'); logging.getLogger('other').error('root')
logging.disable(logging.CRITICAL); logging.critical('disabled'); logging.disable(logging.NOTSET); logging.error('again')
'''

WARNINGS = r'''\
import warnings, sys, io
old = warnings.showwarning
def showwarning(message, category, filename, lineno, file=None, line=None): print('SHOW', category.__name__, message, lineno)
warnings.showwarning = showwarning
warnings.warn('careful'); warnings.warn('dep', DeprecationWarning); warnings.warn(UserWarning('obj'))
class MyW(UserWarning): pass
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn('x', MyW); print(len(w))
warnings.warn('again')
for i in range(2): warnings.warn('twice')
buf = io.StringIO()
def to_file(message, category, filename, lineno, file=None, line=None): buf.write(warnings.formatwarning(message, category, 'f', lineno))
warnings.showwarning = to_file; warnings.warn('z'); print(buf.getvalue())
warnings.formatwarning = lambda m, c, f, l, line=None: f'FMT {c.__name__}: {m}\n'
print(warnings.formatwarning('m', UserWarning, 'f', 1))
old('m', UserWarning, 'f', 1, file=buf); print(buf.getvalue())
warnings.showwarning = old
'''

TYPES = r'''\
from typing import *
import collections.abc as cabc, typing
T = TypeVar('T'); K = TypeVar('K', int, str); B = TypeVar('B', bound=int, covariant=True)
UserId = NewType('UserId', int)
print(T, K, B, T.__name__, K.__constraints__, B.__bound__, UserId(5), UserId, UserId.__name__, UserId.__supertype__)
print(get_origin(Optional[int]) is Union, get_origin(Literal['a']) is Literal, get_origin(list[int]), get_origin(Callable[[int], str]) is cabc.Callable, get_origin(Iterable[int]) is cabc.Iterable, get_args(Optional[int]), List[int] == List[int], Optional[int] == Optional[int], Union[int, str] == Union[str, int], List[int] == List[str], T == TypeVar('T'), List[str].__name__, Dict[str, T], Dict[str, int].__args__, List[int].__origin__)
def f(x: Optional[List[int]] = None, y: 'Dict[str, T]' = None) -> Tuple[int, ...]: ...
h = get_type_hints(f); print(h, h['x'] == Optional[List[int]])
d = {List[int]: 1, Optional[str]: 2}; print(d[List[int]], d[Optional[str]])
from abc import ABC
class Shape(ABC): pass
@Shape.register
class Duck: pass
class Sub(Shape): pass
class Goose(Duck): pass
Sub.register(float)
print(isinstance(Duck(), Shape), issubclass(Duck, Shape), isinstance(Goose(), Shape), isinstance(3, Shape), isinstance(3.5, Shape), isinstance(3.5, Sub), isinstance(Duck(), Sub), Shape.register(int) is int, isinstance(3, (Shape, str)))
import enum
class W(enum.Enum):
    _ignore_ = ['z']
    z = 3
    A = 1
    @enum.member
    def mm(): return 1
    @enum.nonmember
    class Inner: pass
    n = enum.nonmember(5)
print(list(W)[0], len(W), W.Inner.__name__, W.n, hasattr(W, 'z'))
H = enum.IntEnum('H', ['p', 'q'], start=5); print(H.q.value, enum.Enum('G', names='a b').b)
print('héß'.encode('ascii', 'xmlcharrefreplace'), 'é'.encode('ascii', 'namereplace'))
from array import array
print(bytes(array('d', [1.0])), bytes(array('b', [1, 2])))
'''

WORDS = r'''\
import sys, inspect
import numpy as np
def f():
    """ Says what it does.

        And more.
    """
class A:
    """
    Of two lines
      and three
    """
    def m(self): "  plain "
print(repr(f.__doc__), repr(A.__doc__), repr(A.m.__doc__), inspect.getdoc(A), inspect.getdoc(f))
def g(a, /, b, *c, d, **e): pass
for p in inspect.signature(g).parameters.values(): print(p.kind, p.kind.name, p.kind.value, p.kind == p.VAR_POSITIONAL, p.kind.description)
print(sys.modules['builtins'].max(1, 2), np.zeros(2, 'B').dtype, np.empty((1, 2), 'l').dtype, np.array([1], dtype='h').dtype, np.dtype('I'))
'''


@pytest.mark.parametrize("text", [ERRORS, FUNCTIONS_AND_FIELDS, SMALL_MODULES, WARNINGS, TYPES, WORDS], ids=range(6))
def test_scripts_print_what_python_prints(text: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(text)
    expected = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout
    assert printed(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import warnings\nwarnings.showwarning = 3", "import warnings\nwarnings.warn = print",
        "import warnings\nwarnings.showwarning = lambda *a: warnings.showwarning(*a)\nwarnings.warn('x')\n1 / 0",
        "import warnings\nwarnings.showwarning = lambda *a: 1 / 0\nwarnings.warn('x')",
        "import warnings\nwarnings.showwarning = 'x'.join\nwarnings.warn('x')",
        "e = ValueError()\ne.__marks__ = 1", "e = ValueError()\ne.__class__ = int", "class E(Exception): pass\ne = E()\ne.__dict__['__marks__'] = 1",
        "e = ValueError()\ne.args = 3", "e = ValueError()\nimport itertools\ne.args = itertools.count()",
        "e = ValueError()\nfor i in range(10**7): setattr(e, f'a{i}', 1)",
        "import copyreg\ncopyreg.pickle(int, print)", "import copyreg\ncopyreg.pickle(torch.Tensor, print)", "import copyreg\ncopyreg.pickle(nn.Linear, print)",
        "import copyreg, copy\nclass A: pass\ncopyreg.pickle(A, lambda a: (torch.zeros, (10**6, 10**6)))\ncopy.copy(A())",
        "import copyreg, copy\nclass A: pass\ncopyreg.pickle(A, lambda a: 3)\ncopy.copy(A())",
        "from functools import partial\np = partial(print)\np.func = 3", "import string\nstring.Formatter().format('{0.__class__.__base__}', 1)",
        "import string\nstring.Formatter().format('{0:{1}}', 1, 10**9)", "import string\nstring.Formatter().format('{' * 9)",
        "import logging.config\nlogging.config.dictConfig({'version': 1, 'handlers': {'f': {'class': 'os.system'}}})",
        "import logging.config\nlogging.config.dictConfig({'version': 1, 'handlers': {'f': {'class': 'logging._loggers'}}})",
        "from abc import ABC\nclass A(ABC): pass\nclass B(ABC): pass\nA.register(B)\nB.register(A)", "from abc import ABC\nclass A(ABC): pass\nA.register(3)", "from abc import ABC\nABC.register(int)",
        "from typing import List\na = b = List[int]\nfor i in range(200): a, b = List[a, a], List[b, b]\nprint(a == b)", "from typing import TypeVar\nTypeVar(3)", "import enum\nenum.member(1).value = 2", "import enum\nenum.IntEnum('H', ['a'], start='x')",
        "import types\ntypes.CodeType(1)", "import types\ntypes.TracebackType()", "import types\ntypes.ModuleType('x')", "import types\ntypes.new_class('A', (bool,))",
    ],
)  # fmt: skip
def test_the_doors_of_these_lead_nowhere(text: str) -> None:
    with pytest.raises(GradcliError):
        printed(text)


def test_annotations_are_the_same_wherever_they_are_imported_from() -> None:
    text = "import typing\nfrom typing import Literal, Optional, Union, get_origin\nimport typing_extensions as more\n"
    text += "print(get_origin(Optional[int]) is Union, more.Literal is typing.Literal, get_origin(more.Literal[1]) is Literal)"
    assert printed(text) == "True True True\n"

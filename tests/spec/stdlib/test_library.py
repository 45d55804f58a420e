# ruff: noqa: E501 (programs stand here as they are written)
"""Python's own modules as programs use them: what is printed is what Python prints, for the same text."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

from gradcli.errors import LimitError, ProgramError, SpecError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.library import NAMES, names_in

from ..running import printed, program

SNIPPETS = {
    "argparse": """
import argparse
parser = argparse.ArgumentParser(description='x')
parser.add_argument('--batch-size', type=int, default=64, metavar='N', help='n (default: 64)')
parser.add_argument('--lr', '-l', type=float, default='0.5')
parser.add_argument('--no-cuda', action='store_true')
parser.add_argument('--keep', dest='kept', action='store_false', default=True)
parser.add_argument('--sizes', nargs='+', type=int, default=[1, 2])
group = parser.add_mutually_exclusive_group()
group.add_argument('--v', action='count', default=0)
group.add_argument('--flag', action=argparse.BooleanOptionalAction, default=True)
parser.add_argument('--mode', choices=['a', 'b'], default='a')
parser.set_defaults(extra=3, mode='b')
args = parser.parse_args([])
print(args, vars(args)['extra'], args.batch_size + 1)
args, rest = parser.parse_known_args(['--batch-size=3', '-l', '-.5', '--sizes', '4', '5', '--v', '--v', '--z'])
print(args, rest)
""",
    "files": """
import json, io, csv, os
with open('a.txt', 'w') as f:
    print(f.write('one\\ntwo\\n'), f.writelines(['three']))
with open('a.txt', 'a') as f: print('!', file=f)
print([line for line in open('a.txt')], open('a.txt').read(), open('a.txt').readlines())
with open('a.txt') as f: print(repr(f.readline()), repr(f.read(2)), f.tell(), f.seek(1), repr(f.read()), f.closed)
print(f.closed, f.name, f.mode)
try: open('none.txt')
except FileNotFoundError as e: print(e, isinstance(e, OSError), isinstance(e, IOError))
try: f.read()
except ValueError as e: print(e)
with open('d.json', 'w') as f: json.dump({'a': [1, None, 2.5], 'é': True}, f, indent=1)
print(json.load(open('d.json')), json.dumps([float('inf'), 'a"'], ensure_ascii=False))
with open('t.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['x', 'a,b', 1.5]); w.writerows([[1, 2, 'q"']])
print(list(csv.reader(open('t.csv'))), list(csv.DictReader(open('t.csv'))))
s = io.StringIO(); s.write('ab'); print('c', file=s); print(repr(s.getvalue())); s.seek(0); print(s.read())
print(os.path.exists('a.txt'), os.path.isfile('b'), os.path.isdir('.'), sorted(os.listdir('.')), os.path.getsize('a.txt'))
os.makedirs('x/y', exist_ok=True); open('x/y/z.txt', 'w').close(); print(os.listdir('x'), os.listdir('x/y'))
try: os.makedirs('x/y')
except FileExistsError as e: print(e)
try: open('no/folder.txt', 'w')
except FileNotFoundError as e: print(e)
os.remove('a.txt'); print(os.path.exists('a.txt'), list(os.walk('x')))
""",
    "paths": """
import os
from pathlib import Path
for p in ('a/b.tar.gz', '/x/', 'x', '', '.bashrc', 'a/.b', '/'):
    print(os.path.split(p), os.path.splitext(p), os.path.basename(p), os.path.dirname(p))
print(os.path.join('a', 'b', '/c', 'd'), os.path.join('a/', 'b'), os.path.join('', 'a'), os.path.normpath('a//b/../c/.'))
p = Path('a') / 'b' / 'c.txt'
print(p, repr(p), p.name, p.stem, p.suffix, p.parent, p.parts, p.with_suffix('.x'), p == Path('a/b/c.txt'), p.exists())
p.parent.mkdir(parents=True, exist_ok=True); print(p.write_text('hi'), p.read_text(), p.is_file(), list(p.parent.iterdir()))
""",
    "re": """
import re
print(re.sub('[^A-Za-z]+', ' ', 'The Time, 1895!').strip().lower(), re.findall(r"\\w+|[^\\w\\s]", "it's 3.5"))
m = re.match(r'(?P<k>\\w+)\\s*=\\s*(\\d+(?:\\.\\d+)?)', 'lr = 0.01')
print(m, m['k'], m.groups(), m.groupdict(), m.span(2), m.group(1, 2), re.match('b', 'a'))
print(re.split(r'([,;])\\s*', 'a, b;c'), re.sub('[aeiou]', lambda k: k.group().upper(), 'machine'), re.escape('a.b'))
print(re.compile(r'(\\d+)-(\\d+)', re.I).sub(r'\\2-\\g<1>', '10-20 3-4'), [x.start() for x in re.finditer('a*', 'baac')])
try: re.compile('(')
except re.error as e: print(e)
""",
    "numbers": """
import statistics, heapq, bisect, math
d = [2.5, 3.5, 1.0, 4.0]
print(statistics.mean(d), statistics.mean([1, 2, 3]), statistics.mean([1, 2]), statistics.median(d), statistics.stdev(d))
print(statistics.variance([1, 2, 3, 4]), statistics.pvariance(d), statistics.mode('aab'), statistics.fmean([1, 2]))
try: statistics.mean([])
except statistics.StatisticsError as e: print(e)
h = []
for v in (5, 1, 4, 1, 5, 9, 2, 6): heapq.heappush(h, v)
print(h, [heapq.heappop(h) for _ in range(3)], h, heapq.nlargest(2, d), heapq.nsmallest(2, d, key=lambda x: -x))
x = [9, 8, 7, 6, 5]; heapq.heapify(x); print(x, heapq.heapreplace(x, 1), x, heapq.heappushpop(x, 0))
a = [1, 3, 3, 5]; bisect.insort(a, 3); print(a, bisect.bisect_left(a, 3), bisect.bisect(a, 3))
""",
    "words": """
import textwrap, string, pprint
print(textwrap.dedent('''
    a
      b

    c'''), textwrap.fill('the quick brown fox jumps over', 12), textwrap.shorten('hello big world', 11), sep='|')
print(textwrap.indent('a\\n\\nb', '> '))
pprint.pprint({'b': [1, 2], 'a': (1,), 'long': ['x' * 20] * 5, 'inner': {i: 'y' * 12 for i in range(7)}})
print(pprint.pformat([[1, 2, 3], {'z': 1, 'a': None}], width=12))
""",
    "kinds": """
from enum import Enum, IntEnum, auto
from types import SimpleNamespace
from collections.abc import Sequence, Mapping, Iterable
import inspect, operator
class Mode(str, Enum):
    TRAIN = 'train'
    EVAL = 'eval'
class Level(IntEnum):
    LOW = 1
    HIGH = 2
print(Mode.TRAIN == 'train', Mode('eval'), Mode.TRAIN.value, {Mode.TRAIN: 1}['train'], Mode.TRAIN.upper())
print(Level.HIGH + 1, Level.LOW < Level.HIGH, Level.LOW == 1, list(Level), isinstance(Mode.EVAL, str), repr(Mode.EVAL))
print(SimpleNamespace(a=1, b='x'), isinstance([1], Sequence), isinstance({}, Mapping), isinstance(3, Iterable))
def f(a, b: int = 2, /, *args, c='x', **kw) -> str: return a
print(inspect.signature(f), list(inspect.signature(f).parameters), operator.attrgetter('x')(SimpleNamespace(x=4)))
""",
    "memories": """
from functools import lru_cache, cache, cached_property
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(40), fib.__name__)
@cache
def once(x): print('made', x); return x
print(once(1), once(1), once(2))
class A:
    @cached_property
    def big(self): print('once'); return 5
a = A(); print(a.big, a.big)
""",
    "match": """
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int = 0
class Q:
    __match_args__ = ('a',)
    def __init__(self, a): self.a = a
def told(v):
    match v:
        case None | True: return 'special'
        case 0 | 1: return 'small'
        case int(n) if n > 100: return f'large {n}'
        case str() as s: return 'text ' + s
        case []: return 'empty'
        case [x]: return f'one {x}'
        case [first, *_, last] if first == last: return f'around {first}'
        case (a, (b, *c)): return f'nested {a} {b} {c}'
        case {'kind': 'sgd', **rest}: return f'sgd {rest}'
        case P(1, y=b): return f'P1 {b}'
        case P(): return 'P'
        case Q([a, b] as both): return f'Q {both}'
        case float(): return 'float'
        case _: return 'other'
for v in (None, True, 1, 500, 7, 'x', [], [3], [1, 2, 1], (1, [2, 3, 4]), {'kind': 'sgd', 'lr': 1}, {'a': 1}, P(1, 5),
          P(2), Q([1, 2]), 1.5, {1}):
    print(told(v))
def numbers(v):
    match v:
        case [a, b]:
            yield a
            yield b
        case _: yield v
print(list(numbers([1, 2])), list(numbers(3)))
try:
    match P(1, 2):
        case P(a, b, c): pass
except TypeError as e: print(e)
""",
    "walrus": """
import math
while (n := globals_n if False else 5) and n > 9: pass
print(n, [y for v in range(5) if (y := v * v) > 3], y)
def f():
    found = [last := v for v in range(3)]
    return last, found, any((hit := v) > 1 for v in [1, 2, 3]), hit
print(f())
if (m := max([1, 2])) > 1: print(m)
print([[inner := i + j for j in range(2)] for i in range(2)], inner, (lambda: (k := 3) + k)())
""".replace("globals_n if False else 5", "5"),
    "days": """
from datetime import datetime, timedelta, date
import datetime as dt
d = datetime(2024, 2, 28, 23, 59, 5, 250000)
print(d, repr(d), d + timedelta(days=2, minutes=1), d.strftime('%Y-%m-%d %H:%M:%S.%f %j %a %B %p'), d.weekday())
print(datetime(2024, 3, 1) - d, timedelta(seconds=90), timedelta(days=-1, hours=3), repr(timedelta(hours=25)))
print(date(2000, 1, 1).toordinal(), date(2024, 12, 31) - date(2024, 1, 1), dt.timedelta(hours=2).total_seconds(), d > datetime(2024, 1, 1))
""",
    "tempfile": """
import os, tempfile
with tempfile.TemporaryDirectory() as d:
    p = os.path.join(d, 'a.txt')
    with open(p, 'w') as f: f.write('x')
    print(os.path.isdir(d), os.listdir(d), open(p).read())
print(os.path.exists(d))
with tempfile.NamedTemporaryFile('w', suffix='.txt') as f:
    f.write('hello'); f.flush(); print(open(f.name).read(), f.name.endswith('.txt'), os.path.exists(f.name))
print(os.path.exists(f.name), os.path.isdir(tempfile.mkdtemp()), tempfile.gettempdir())
""",
    "logging": """
import logging, sys, gc, timeit, time, copy, warnings
logging.basicConfig(level=logging.INFO, format='%(message)s')
log = logging.getLogger(__name__)
log.info('hidden %d', 1); log.setLevel(logging.DEBUG)
logging.basicConfig(stream=sys.stdout, force=True, format='%(levelname)-8s|%(name)s|%(message)s'); log.debug('seen %s', 1)
logging.warning('root'); print(log, log.parent, logging.getLogger('a.b').parent); logging.disable(); log.error('no')
sys.stdout.write('shown\\n'); sys.stdout.flush(); print('gone', file=sys.stderr)
print(gc.collect() >= 0, timeit.timeit(lambda: 1, number=3) >= 0, len(sys.argv), sys.maxsize, time.sleep(0))
try: sys.stdout.write(1)
except TypeError as e: print(e)
""",
    "made and copied": """
from dataclasses import *
from typing import *
@dataclass
class A:
    x: int
    s: InitVar[int] = 3
    _: KW_ONLY
    k: str = 'k'
    w: list = field(init=False)
    def __post_init__(self, s): self.w=[s]
@dataclass
class B(A):
    z: float = 1.5
print(A(1), A(1,2,k='q'), B(1,2,3.5), B(1, k='u'), [f.name for f in fields(B)], [f.kw_only for f in fields(B)], asdict(B(1)), replace(A(1), x=5, s=1), A.__annotations__.keys(), get_type_hints(A)['x'])
try: A(1,2,3)
except TypeError as e: print(e)
try: A()
except TypeError as e: print(e)
from dataclasses import *
@dataclass(kw_only=True)
class K: a: int; b: int = 2
@dataclass
class C(K): c: int
print(C(5, a=1), K(a=1))
try: K(1)
except TypeError as e: print(e)
@dataclass
class F:
    a: int = field(default=3, kw_only=True)
    b: int = 1
print(F(2), F(2,a=1))
@dataclass(slots=True)
class P:
    x: float
    y: float = 0.0
p=P(1.0); p.y=3
try: p.z=1
except AttributeError as e: print('no', e)
print(p, P.__match_args__, P.__dataclass_fields__['x'].name)
import copy
class N:
    def __init__(s,v): s.v=v; s.nx=None
    def __deepcopy__(s,memo):
        r=s.__class__.__new__(s.__class__); memo[id(s)]=r
        for k,x in s.__dict__.items(): setattr(r,k,copy.deepcopy(x,memo))
        return r
a=N([1]); b=N([2]); a.nx=b; b.nx=a; c=copy.deepcopy(a); print(c.nx.nx is c, c.v, c.v is a.v, c.nx is b)
import json
class E(json.JSONEncoder):
    def default(self,o):
        if isinstance(o,(set,frozenset)): return sorted(o)
        if isinstance(o,complex): return [o.real,o.imag]
        return super().default(o)
print(json.dumps({'a':{1,2},'b':1j},cls=E), E().encode([{3}]), json.dumps({'a':{2}}, cls=E, indent=1, sort_keys=True))
try: json.dumps(object(), cls=E)
except TypeError as e: print(e)
try: json.loads('{"a":')
except json.JSONDecodeError as e: print(e.msg,e.pos,e.lineno,e)
print(json.loads('{"a":1,"b":{"c":2.5}}', object_hook=lambda d: sorted(d.items(), key=str)), json.loads('[1.5,2]', parse_float=str, parse_int=float), json.loads('{"a":1,"a":2}', object_pairs_hook=lambda p: p), json.loads(b'[1]'))
class P:
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v): self._x = v
    @x.deleter
    def x(self): print('del'); del self._x
p = P(); p.x = 3; del p.x; print(hasattr(p, 'x'))
class V:
    def __class_getitem__(cls, k): return (cls.__name__, k)
class W(V): pass
print(V[int], W[1,2])
""",
    "found and dispatched": """
import re
m=re.match(r'(?P<a>\\d+)|(?P<b>\\w+)','abc'); print(m.lastgroup,m.lastindex,m.expand(r'<\\g<b>>'))
m=re.match(r'((a)(b))','ab'); print(m.lastindex, re.match('a','a').lastindex, re.match('(a)(b)?','a').lastindex)
from functools import *
@singledispatch
def f(x): return 'base'
@f.register
def _(x: int | float): return 'num'
@f.register(list)
def _(x): return 'list'
class L(list): pass
@f.register
def _(x: dict): return 'd'
print(f(1), f(1.5), f('a'), f(L()), f({}), f(True), int in f.registry, f.dispatch(int).__name__, f.__name__)
class M:
    @singledispatchmethod
    def g(self, a): return 'b'
    @g.register
    def _(self, a: int): return 'i'
print(M().g(1), M().g('x'))
@lru_cache
def h(n): return n
h(1);h(1); i=h.cache_info(); print(i, i.hits, i[1])
import sys
def f():
    try: {}['a']
    except KeyError:
        return sys.exc_info()[:2]
print(f(), sys.exc_info())
try:
    try: raise ValueError('a') from None
    except ValueError as e: print(e.__suppress_context__); raise TypeError('b') from e
except TypeError as t: print(repr(t.__cause__), t.__suppress_context__)
import inspect
def f(a, b=2, *c, d, e=5, **k): pass
s=inspect.signature(f); b=s.bind(1,d=4); print(b, b.arguments); b.apply_defaults(); print(b.arguments, s.bind(1,2,3,4,d=1,z=9).arguments, s.bind_partial().arguments)
for a,k in (((),{}),((1,),{}),((1,2),{'b':3,'d':1})):
    try: s.bind(*a,**k)
    except TypeError as e: print(e)
def g(x): yield x
class A:
    def m(self, q): pass
print(inspect.isgeneratorfunction(g), inspect.ismethod(A().m), inspect.ismethod(f), inspect.signature(A().m).bind(3).arguments)
try: inspect.signature(g).bind(1,2)
except TypeError as e: print(e)
try: inspect.signature(g).bind(1,y=2)
except TypeError as e: print(e)
import statistics as s
print(s.quantiles([1,2,3,4,5]), s.quantiles([3,1,2], n=3, method='inclusive'), s.covariance([1,2,3],[1,2,4]), s.linear_regression([1,2,3],[2,4,7]))
n = s.NormalDist(1, 2); print(n, n.cdf(1.0), n.mean, n + 1, n * 2, n.zscore(2), n.variance)
from collections import UserList, UserDict, UserString
class S(UserList):
    def push(self, v): self.append(v)
q = S([3, 1]); q.push(2); q.sort(); print(q, q + [4], q * 2, q[1:], q.index(2), q == [1, 2, 3], type(q + []).__name__)
class L(UserDict):
    def __getitem__(self, k): return super().__getitem__(k.lower())
print(L(a=1).get('A'), L().get('A'), UserDict(a=1) | {'b': 2}, UserString('ab').upper(), UserString('a') + 'b', len(UserString('abc')))
""",
    "kinds of containers": """
from collections.abc import *
class P: pass
class I:
    def __iter__(s): return iter([1])
class C:
    def __call__(s): pass
    __hash__=None
for v in ([],{},'a',3,2.5,(1,),iter([]),(x for x in []),range(3),{1},frozenset(),None,len,lambda:0,P(),I(),C(),P,{}.keys(),{}.items(),b'a',map(str,[]),zip([1])):
    print([isinstance(v,k) for k in (Iterable,Mapping,Callable,Sequence,Iterator,Hashable,Sized,Container,MutableMapping,Collection,Set,MutableSequence,Reversible)])
print(issubclass(list,Sequence), issubclass(dict,Mapping), issubclass(I,Iterable), issubclass(int,Hashable), issubclass(list,Hashable), isinstance([], (int,(Mapping,Sequence))), Sequence, isinstance({},(int,Mapping)))
from collections.abc import *
class M(MutableMapping):
    def __init__(s,*a,**k): s.d={}; s.update(*a,**k)
    def __getitem__(s,k): return s.d[k]
    def __setitem__(s,k,v): s.d[k]=v
    def __delitem__(s,k): del s.d[k]
    def __iter__(s): return iter(s.d)
    def __len__(s): return len(s.d)
    def __repr__(s): return f'M({s.d})'
m=M({'z':0},q=5); m['a']=1; m.update(b=2); print(dict(m), m.get('z'), 'a' in m, 'k' in m, list(m.items()), m.pop('a'), m.setdefault('q',3), len(m), m.keys(), m.values(), isinstance(m,Mapping), isinstance(m,dict), m=={'z':0,'q':5,'b':2}, {**m}, m.popitem())
try: m.pop('nope')
except KeyError as e: print('KE',e)
class S(Sequence):
    def __init__(s,d): s.d=d
    def __getitem__(s,i): return s.d[i]
    def __len__(s): return len(s.d)
s=S([1,2,3]); print(list(s), 2 in s, s.index(3), s.count(1), list(reversed(s)), isinstance(s, Sequence), isinstance(s,Iterable), issubclass(S,Sequence), isinstance([],Sequence))
class It(Iterator):
    def __init__(s): s.n=3
    def __next__(s):
        s.n-=1
        if s.n<0: raise StopIteration
        return s.n
print(list(It()), isinstance(It(),Iterator))
class MS(MutableSet):
    def __init__(s,it=()): s.l=[]; [s.add(x) for x in it]
    def __contains__(s,x): return x in s.l
    def __iter__(s): return iter(s.l)
    def __len__(s): return len(s.l)
    def add(s,x):
        if x not in s.l: s.l.append(x)
    def discard(s,x):
        if x in s.l: s.l.remove(x)
a=MS([1,2,3]); b=a|{9}; print(list(b), list(a&[1]), a<=b, list(a-{1}), a==MS([3,2,1])); a|={7}; a.remove(1); print(list(a))
class Q(MutableSequence):
    def __init__(s): s.l=[]
    def __getitem__(s,i): return s.l[i]
    def __setitem__(s,i,v): s.l[i]=v
    def __delitem__(s,i): del s.l[i]
    def __len__(s): return len(s.l)
    def insert(s,i,v): s.l.insert(i,v)
q=Q(); q.append(1); q.extend([2,3]); q.reverse(); q+=[4]; print(list(q), q.pop(), q.index(2)); q.remove(2); print(q.l)
class Bad(Mapping): pass
try: Bad()
except TypeError as e: print(e)
""",
    "tuples and members": """
import math, copy
class Vec(tuple):
    def __new__(cls, *xs): return super().__new__(cls, xs)
    def __add__(self, o): return Vec(*(a+b for a,b in zip(self,o)))
    def __mul__(self, k): return Vec(*(a*k for a in self))
    __rmul__=__mul__
    @property
    def norm(self): return math.sqrt(sum(a*a for a in self))
    def __repr__(self): return f"Vec{tuple(self)}"
a,b=Vec(1,2,2),Vec(0,1,0); print(a+b, 2*a, a.norm, len(a), a[0], a==(1,2,2), isinstance(a,tuple), hash(a)==hash((1,2,2)), a[1:], sorted(a+b,reverse=True), a.count(2), a.index(2), 2 in a, {a:1}, max(a,b), a<b, type(a[1:]).__name__, (*a,), a.__class__.__name__)
x,y,z=a; print(x+y+z); a.tag=3; print(a.tag, a.__dict__)
class Pt(tuple):
    @property
    def x(self): return self[0]
p=Pt((3,4)); print(p, p.x, p+(1,), Pt(), Pt(range(3)), Pt('ab'), str(p), f"{p}", [p], copy.copy(p), copy.deepcopy(Pt(([1],)))==([1],), isinstance(p,(list,tuple)), list(map(lambda v: v+1,p)), p*2, not Pt())
class Q(tuple):
    def __new__(cls,a): return tuple.__new__(cls,(a,a))
print(Q(2), Q(2)==(2,2), sum(Q(2)), dict([Q(3)]), "%s-%s"%Q(1))
try: p[0]=1
except TypeError as e: print(e)
try: Pt(1,2)
except TypeError as e: print('TE')
from enum import Enum, StrEnum
class E(str, Enum):
    A='start'; B='end'
print('sta' in E.A, len(E.A), E.A[0], E.A[1:3], list(E.B), E.A.upper(), E.A+'x', 'x'+E.A, E.A=='start', isinstance(E.A,str), {E.A:1}['start'], E('end') is E.B, E.A in ('start',), E.A.startswith('st'))
""",
    "moments and help": """
from typing import Iterator, Iterable, Callable, Sequence, Mapping, Optional
Alias = Callable[[int], int]
V = Sequence[float]
class It(Iterator[int]):
    def __next__(s): raise StopIteration
class Dd(Mapping[str,int]):
    def __getitem__(s,k): return 1
    def __iter__(s): return iter('ab')
    def __len__(s): return 2
print(list(It()), dict(Dd()), isinstance([1],Sequence), isinstance(len, Callable), isinstance([],Iterable), Optional[Callable], Alias, V)
from datetime import datetime, timedelta, date, time as dtime
import time, calendar
d0 = datetime(2024, 2, 28, 23, 30, 15); diff=datetime(2024,3,1,12)-d0
print(diff // timedelta(hours=1), diff % timedelta(hours=1), abs(-diff), bool(timedelta()), hash(diff)==hash(diff), diff//2)
print(date(2024,1,31).isocalendar(), date(2021,1,1).isocalendar()[1], d0.timetuple().tm_yday, d0.timetuple(), d0.time(), d0.date(), dtime(7,5), repr(dtime(7,5,3)), dtime(7)<dtime(8), dtime(7,5).strftime('%H-%M'), date.fromordinal(738000), date(2024,5,6).toordinal())
print(time.gmtime(0), time.gmtime(86400.5).tm_mday, time.strftime('%H:%M:%S', time.gmtime(3725)), time.strftime('%Y')>'2000', time.localtime().tm_year>2000, calendar.timegm(time.gmtime(1234567)), time.asctime(time.gmtime(0)), time.strptime('2024-01-02','%Y-%m-%d').tm_wday)
print(calendar.monthrange(2024,2), calendar.isleap(1900), calendar.month_name[3], calendar.day_abbr[0], calendar.monthcalendar(2024,2), list(calendar.month_abbr)[:3], calendar.weekday(2024,1,1))
try: dtime(25)
except ValueError as e: print(e)
from fractions import Fraction as F
print(round(F(7,2)), round(F(5,2)), round(F(22,7),2), round(F(-7,2)), round(F(1234,1),-2))
import argparse, os
ap = argparse.ArgumentParser(prog="train.py", description="Train a tiny net")
ap.add_argument("--lr", type=float, default=0.1, help="learning rate (default: %(default)s)")
ap.add_argument("--epochs", "-e", type=int, default=3, metavar="N")
ap.add_argument("--opt", choices=["sgd", "adam"], default="sgd", help='optimizer to use, which is a long text that has to be broken somewhere')
ap.add_argument("--hidden", nargs="+", type=int, default=[8, 4])
ap.add_argument("--no-bias", dest="bias", action="store_false")
ap.add_argument("-v", "--verbose", action="count", default=0)
g = ap.add_mutually_exclusive_group()
g.add_argument("--cpu", action="store_true"); g.add_argument("--gpu", action="store_true")
print(ap.parse_args([])); print(ap.parse_args("--lr 0.5 -e 2 -vv --hidden 3 5 --no-bias --opt=adam".split()))
ap.print_help(); print(ap.format_usage())
import argparse
sub = argparse.ArgumentParser(prog="tool", formatter_class=argparse.ArgumentDefaultsHelpFormatter, epilog='bye')
sub.add_argument('--seed', type=int, default=3, help='the seed')
sp = sub.add_subparsers(dest="cmd")
t = sp.add_parser("train", help="train it"); t.add_argument("data", help='data dir'); t.add_argument("--n", type=int, default=1)
e = sp.add_parser("eval", help='evaluate'); e.add_argument("ckpt", nargs="?", default="last.pt"); e.set_defaults(func=lambda a: f"eval {a.ckpt}")
print(sub.parse_args(["train", "mnist", "--n", "4"])); a = sub.parse_args(["eval"]); print(a.func(a), a.cmd, a.seed); print(sub.parse_args([]))
sub.print_help(); t.print_help()
g=argparse.ArgumentParser(prog='x'); k=g.add_argument_group('model','the model options'); k.add_argument('--dim',type=int,help='dims'); g.add_argument('path'); g.add_argument('-q',action='store_true'); g.print_help()
""",
}
_BETWEEN = "\x1e"


@cache
def by_python(text: str, folder: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SNIPPETS)
def test_it_prints_what_python_prints(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = SNIPPETS[name]
    assert printed(text) == by_python(text, str(tmp_path_factory.mktemp(name)))


def test_what_is_written_in_the_language_can_be_read_by_it() -> None:
    for module in NAMES:
        if module.startswith("_"):
            continue
        found = printed(f"import {module} as m\nprint(sorted(dir(m)))\n")
        assert found == f"{sorted(n for n in dir_of(module))}\n"


def dir_of(module: str) -> list[str]:
    from gradcli.spec.torch_names.names import NAMESPACES

    assert names_in(module) or module == "_files"
    return list(dict.fromkeys(NAMESPACES[module].names()))


def test_an_error_in_a_module_is_told_of_at_the_call() -> None:
    spec = program("import heapq\n\nx = 1\nheapq.heappush(x, 2)\n")
    with pytest.raises(ProgramError, match=r"^AttributeError: 'int' object has no attribute 'append'$") as caught:
        spec.run()
    assert caught.value.span is not None
    assert caught.value.span.line == 4


def test_the_steps_of_a_module_are_those_of_the_program() -> None:
    text = "import heapq\nh = []\nfor i in range(4000):\n    heapq.heappush(h, -i)\n"
    with pytest.raises(LimitError) as caught:
        program(text, limits=STRICT._replace(steps=20_000)).run()
    assert caught.value.code == "E403"
    assert caught.value.span is not None


def test_a_module_is_each_runs_own() -> None:
    text = "import os, logging\nprint(os.environ)\nos.environ['a'] = 'b'\n"
    assert printed(text) == printed(text) == "{}\n"


def test_an_option_that_has_to_be_given_is_named() -> None:
    text = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data', required=True)\np.parse_args()\n"
    with pytest.raises(SpecError, match="the following arguments are required: --data: a program is given what"):
        program(text).run()


@pytest.mark.parametrize("end", ["exit()", "quit(0)", "import sys; sys.exit()"])
def test_a_program_may_end_itself(end: str) -> None:
    assert printed(f"print(1)\ndef f():\n    try:\n        {end}\n    except Exception:\n        print(2)\nf()\n") == "1\n"


def test_a_status_is_told() -> None:
    with pytest.raises(SpecError, match=r"^the program ended itself: no data$"):
        program("exit('no data')").run()


@pytest.mark.filterwarnings("ignore")
def test_a_program_may_do_without_a_module() -> None:
    text = "try:\n    import librosa as pd\nexcept ImportError as e:\n    pd = None\n    print(e)\n"
    text += "def f():\n    import seaborn2\nprint(pd)\nif pd:\n    import scipy\n"
    assert printed(text) == "No module named 'librosa'\nNone\n"


def test_without_a_handler_it_is_refused_where_it_runs() -> None:
    for text, line in (("x = 1\nimport flask\n", 2), ("def f():\n    import flask\nf()\n", 2)):
        with pytest.raises(SpecError, match=r"^a spec cannot import flask$") as caught:
            program(text).run()
        assert caught.value.span is not None
        assert caught.value.span.line == line

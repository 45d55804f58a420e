# ruff: noqa: E501 (programs on one line)
"""What a program may use of Python's and NumPy's own modules: random numbers, data classes, arrays."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stdout

import numpy as np
import pytest

from gradcli.errors import GradcliError, LimitError, SpecError
from gradcli.spec.guard.notes import Note

from ..running import printed, program

DRAWN = "import random\nimport numpy as np\nprint(random.random(), np.random.rand())\n"


def test_without_a_seed_the_numbers_are_those_of_the_programs_seed() -> None:
    assert printed(DRAWN) == printed(DRAWN)
    assert printed(DRAWN, seed=1) != printed(DRAWN)
    assert printed(DRAWN, seed=3) == f"{random.Random(3).random()} {np.random.RandomState(3).rand()}\n"


def test_no_program_leaves_numbers_behind() -> None:
    random.seed(5)
    np.random.seed(5)
    expected = random.Random(5).random(), np.random.RandomState(5).rand()
    printed(f"import random\nimport numpy as np\nrandom.seed(1)\nnp.random.seed(1)\n{DRAWN}")
    assert (random.random(), np.random.rand()) == expected


def test_a_field_with_a_meaning_inside_python_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        program("from dataclasses import dataclass\n@dataclass\nclass A:\n    __dict__: int\n").run()
    assert caught.value.message == "a class of a spec may not annotate __dict__"


def test_the_init_of_a_data_class_is_for_its_own_instances() -> None:
    text = (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    body: int\ndef f():\n    pass\nA.__init__(f, 1)\n"
    )
    with pytest.raises(GradcliError) as caught:
        program(text).run()
    assert caught.value.message == "TypeError: A.__init__() is for instances of A, not for function"


@pytest.mark.parametrize("option", ["weakref_slot=True", "match_args=False"])
def test_an_option_of_data_classes_that_there_is_not_is_named(option: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"from dataclasses import dataclass\n@dataclass({option})\nclass A:\n    x: int\n").run()
    assert caught.value.message == f"dataclass({option.partition('=')[0]}=...) is not in the spec language"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("np.array(['a', {}])", "arrays hold texts alone or numbers alone in the spec language"),
        ("np.array([{}])", "arrays hold numbers in the spec language, and this is a dict"),
        ("np.zeros(2, dtype='S3')", "this is no element type of arrays in the spec language"),
        ("np.sum([1], 0, 'O')", "arrays hold numbers in the spec language, and this is a str"),
        ("np.sin([1], subok=True)", "numpy.sin(subok=...) is not in the spec language"),
        ("np.random.shuffle({})", "numpy.random.shuffle() takes a list or an array in the spec language"),
    ],
)
def test_arrays_of_anything_but_numbers_are_refused(call: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"import numpy as np\n{call}\n").run()
    assert caught.value.message == message


@pytest.mark.parametrize("call", ["np.zeros(10 ** 9)", "np.arange(0, 1, 1e-12)", "np.random.rand(10 ** 5, 10 ** 5)",
                                  "np.fft.fft([1.0], n=10 ** 9)", "np.fft.irfft(np.ones((1000, 2)), 10 ** 7)",
                                  "np.fft.fftfreq(10 ** 9)", "np.random.dirichlet([1.0], 10 ** 9)",
                                  "np.random.multinomial(1, [1.0], 10 ** 9)", "np.vander([1], 10 ** 9)"])  # fmt: skip
def test_arrays_that_are_too_large_are_not_made(call: str) -> None:
    with pytest.raises(LimitError):
        program(f"import numpy as np\n{call}\n").run()


def test_of_numpy_there_is_no_more_than_is_listed() -> None:
    with pytest.raises(SpecError) as caught:
        program("import numpy as np\nnp.ctypeslib('x')\n").run()
    assert caught.value.message == "numpy has no name 'ctypeslib' in gradcli"


def test_an_enumeration_without_members_is_the_base_of_others() -> None:
    text = (
        "from enum import Enum\nclass Base(Enum):\n    def up(self):\n        return self.name.upper()\n"
        "class Mode(Base):\n    on = 1\n    _made = 2\nprint(Mode.on.up(), list(Mode), Mode(1))\n"
    )
    assert printed(text) == "ON [<Mode.on: 1>] Mode.on\n"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("E.A = 2", "AttributeError: cannot reassign member 'A'"),
        ("E.A.value = 2", "AttributeError: <enum 'Enum'> cannot set attribute 'value'"),
        ("class F(E):\n    B = 2", "TypeError: <enum 'F'> cannot extend <enum 'E'>"),
        ("P(1).a = 2", "AttributeError: can't set attribute"),
        ("P(1)._replace(b=2)", "ValueError: Got unexpected field names: ['b']"),
        ("P._make([1, 2])", "TypeError: Expected 1 arguments, got 2"),
    ],
)
def test_members_and_rows_stay_what_they_are(statement: str, message: str) -> None:
    made = "import enum, collections\nclass E(enum.Enum):\n    A = 1\nP = collections.namedtuple('P', 'a')\n"
    with pytest.raises(GradcliError) as caught:
        program(made + statement + "\n").run()
    assert caught.value.message == message


def test_the_defaults_of_a_named_tuple_may_be_set() -> None:
    text = (
        "from collections import namedtuple\nP = namedtuple('P', 'a b')\nprint(P.__new__.__defaults__)\n"
        "P.__new__.__defaults__ = (None,) * 2\nprint(P(), P(b=1), P.__new__.__defaults__, P.__new__(P, 1, 2))\n"
        "P.__new__.__defaults__ = (3,)\nprint(P(1))\nP()\n"
    )
    with pytest.raises(GradcliError) as caught:
        printed(text)
    assert caught.value.message == "TypeError: P.__new__() missing 1 required positional argument: 'a'"
    assert printed(text[:-4]) == "None\nP(a=None, b=None) P(a=None, b=1) (None, None) P(a=1, b=2)\nP(a=1, b=3)\n"


def test_a_named_tuple_may_be_generic_and_made_by_a_call() -> None:
    text = (
        "from typing import Generic, NamedTuple, TypeVar\nT = TypeVar('T')\n"
        "class P(NamedTuple, Generic[T]):\n    x: T\nprint(P(1), NamedTuple('Q', [('y', int)])(2))\n"
    )
    assert printed(text) == "P(x=1) Q(y=2)\n"


def test_a_data_class_that_holds_itself_is_cut_short() -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\na = A()\na.x = [a]\nprint(a, a)\n"
    assert printed(text) == "A(x=[...]) A(x=[...])\n"


def test_the_attributes_of_an_object_are_read_as_a_dict() -> None:
    text = (
        "class Meter:\n    def __init__(self):\n        self.name, self.val = 'loss', 1.5\n"
        "    def __str__(self):\n        return '{name} {val:.2f}'.format(**self.__dict__)\n"
        "m = Meter()\nprint(m, vars(m), type(vars(m)), {**m.__dict__, 'n': 1})\n"
    )
    assert printed(text) == (
        "loss 1.50 {'name': 'loss', 'val': 1.5} <class 'dict'> {'name': 'loss', 'val': 1.5, 'n': 1}\n"
    )
    change = "m.__dict__.update(val=2)\nm.__dict__['k'] = 3\nprint(m.val, m.__dict__.pop('k'), hasattr(m, 'k'))\n"
    assert printed(f"{text}{change}").splitlines()[-1] == "2 3 False"
    with pytest.raises(SpecError) as caught:
        program(f"{text}m.__dict__['__class__'] = 1\n").run()
    assert caught.value.message.startswith("an object cannot have an attribute '__class__' by its __dict__")


@pytest.mark.parametrize(
    "block",
    [
        "autograd.graph.saved_tensors_hooks(abs, abs)",
        "autograd.graph.disable_saved_tensors_hooks('no')",
        "autograd.graph.allow_mutation_on_saved_tensors()",
        "inference_mode()",
        "autocast('cpu')",
    ],
)
def test_no_block_that_a_program_leaves_open_is_open_in_the_next(block: str) -> None:
    printed(f"import contextlib, torch\nstack = contextlib.ExitStack()\nstack.enter_context(torch.{block})")
    text = (
        "import torch\nwith torch.autograd.graph.allow_mutation_on_saved_tensors():\n"
        "    y = (torch.ones(1, requires_grad=True) @ torch.ones(1)).exp()\nprint(y)"
    )
    assert printed(text) == "tensor(2.7183, grad_fn=<ExpBackward0>)\n"


def test_a_thread_begins_with_modes_of_its_own_and_leaves_others_alone() -> None:
    text = """
import threading, torch
def show(): print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"))
def leave(): torch.set_grad_enabled(False)
for block in (torch.no_grad(), torch.inference_mode(), torch.autocast("cpu")):
    with block:
        for target in (show, leave):
            threading.Thread(target=target).start()
        show()
show()
"""
    with pytest.warns(match="threads run one after the other"):
        found = printed(text)
    # As PyTorch prints it.
    assert found == (
        "True False False\nFalse False False\nTrue False False\nFalse True False\n"
        "True False False\nTrue False True\nTrue False False\n"
    )


# Programs that Python itself runs as well: it says what they print.
AS_PYTHON = [
    "from dataclasses import KW_ONLY, dataclass\n@dataclass\nclass A:\n    a: int\n    _: KW_ONLY\n    b: int = 2\nprint(A.__match_args__)",
    "from array import array\na = array('f', [1, 2.1])\na.append(4)\na[0:1] = array('f', [9])\nb = array('B', b'ab') * 2\nprint(a, a[1], a[1:], b, b.tobytes(), a.itemsize, sum(b), array('i'), array('u', 'xy').tounicode())\nfor bad in (lambda: b.append(256), lambda: a.append('x'), lambda: array('z')):\n    try: bad()\n    except Exception as e: print(type(e).__name__, e)\n",
    "import inspect, types, functools\ndef g(): yield 1\n@functools.wraps(g)\ndef h(): pass\nprint(inspect.isgenerator(g()), inspect.isgenerator(g), inspect.isroutine(g), inspect.ismodule(types), inspect.unwrap(h) is g, inspect.iscoroutinefunction(g), repr(inspect.cleandoc(' a\\n    b\\n      c\\n')))\n",
    'import numpy as np\nfrom numpy.polynomial import chebyshev as C, legendre\nfrom numpy.polynomial.polynomial import polyval\nfor n in (1, 2, 5, 12):\n    for v in np.polynomial.legendre.leggauss(n): print(np.round(v, 12) + 0.0)\nx = np.linspace(-1, 1, 4)\nfor c in ([1.], [1., 2.], [1., 0.5, -0.25, 0.1]): print(C.chebval(x, c), legendre.legval(x, c), polyval(x, c), C.chebval(0.3, c))\n',
    "import logging, sys\nlog = logging.Logger('x', logging.DEBUG)\nh = logging.StreamHandler(sys.stdout)\nh.setFormatter(logging.Formatter('%(levelname)-8s %(funcName)s: %(message)s'))\nlog.addHandler(h)\ndef train():\n    log.info('in')\n    class A:\n        def m(self): log.warning('m')\n    A().m()\n    (lambda: log.debug('l'))()\ntrain()\nlog.error('top')\n",
    'from dataclasses import dataclass, field\nfrom collections import OrderedDict, defaultdict, Counter\nfrom types import SimpleNamespace\nfrom pprint import pprint, pformat\nimport io, sys, argparse\n@dataclass\nclass C:\n    model: dict = field(default_factory=lambda: {"type": "mlp", "dims": [4, 16, 3]})\n    loss: dict = field(default_factory=lambda: {"type": "focal", "gamma": 1.5})\n    lr: float = 1e-2\n    hidden: int = field(default=3, repr=False)\n@dataclass\nclass R(C):\n    def __repr__(self): return \'R\' * 90\npprint(C()); pprint(R()); pprint([C(), C()]); pprint({\'cfg\': C(), \'b\': \'x\' * 30})\npprint(OrderedDict((f\'layer{i}.weight\', [i] * 12) for i in range(4)))\nd = defaultdict(list); d[\'b\'] += range(20); d[\'a\'] += range(25); pprint(d)\npprint(Counter({f\'word{i}\': i for i in range(12)}))\npprint(SimpleNamespace(alpha=list(range(15)), beta=\'b\' * 40, gamma={\'x\': 1}))\npprint(vars(argparse.Namespace(lr=0.1, name=\'a\' * 60, layers=[1, 2, 3])))\nb = io.StringIO(); pprint({\'a\': 1}, stream=b); print(repr(b.getvalue()))\npprint(C(), width=30); pprint(C(), indent=4); print(pformat({3: 1, 1: 2}))\n',
    "import inspect\ndef f(x, /, y: int = 2, *rest, k=3, **kw) -> float:\n    a = 1\n    for b in range(a): c = b\n    g = lambda t: t + c\n    return [d for d in range(b)]\n"
    "class A:\n    def __init__(self, p, q=1): self.p = p\n    def m(self, z): return z\n"
    "print(inspect.getfullargspec(f), inspect.getfullargspec(A).args, inspect.getfullargspec(A(1).m), inspect.getfullargspec(lambda u: u).args)\n"
    "c = f.__code__\nprint(c.co_varnames, c.co_argcount, c.co_kwonlyargcount, c.co_posonlyargcount, c.co_name, A(1).m.__code__.co_varnames)\n",
    "class A: pass\nfor make in (lambda: A().x, lambda: nope, lambda: [].y):\n    try: make()\n    except (AttributeError, NameError) as e: print(e.name)\n"
    "try: raise AttributeError('own').with_traceback(None)\nexcept AttributeError as e: print(e.name, e.args)\n",
    "import gc, weakref\nclass A: pass\na = A()\na.me, r = a, weakref.ref(a)\ndel a\nprint(r() is None)\ngc.collect()\nprint(r())\n",
    "from functools import partialmethod\nclass A:\n    def put(self, k, v=0): print(k, v)\n    on = partialmethod(put, 'on', v=1)\nA().on()\n",
    "from functools import singledispatchmethod\nclass A:\n    @singledispatchmethod\n    def f(self, x): return 'any'\n"
    "    @f.register\n    def _(self, x: int): return 'int'\nprint(A().f(3), A().f('s'))\n",
    "from functools import cached_property\nclass A:\n    n = 0\n    @cached_property\n    def x(self):\n        self.n += 1\n"
    "        return self.n\na = A()\nprint(a.x, a.x, a.__dict__)\ndel a.x\nprint(a.x)\n",
    "from functools import partial\np = partial(max, 3, key=abs)\nprint(p.func is max, p.args, list(p.keywords), p(-5))\n",
    "from contextlib import contextmanager\n@contextmanager\ndef c(n):\n    print('in', n)\n    try: yield\n    except KeyError: print('held')\n"
    "@c(1)\ndef f(x):\n    if x: raise KeyError\n    return 7\nprint(f(0), f(1), f.__name__)\n",
    "from collections import namedtuple\nP = namedtuple('P', 'x y', defaults=[0])\nprint(P._field_defaults)\n",
    "from collections import Counter, deque\nc = Counter('aab')\nc.subtract('bbc')\nprint(c, list(c.elements()))\nd = deque([1, 2])\n"
    "d.insert(1, 9)\nprint(d)\n",
    "from dataclasses import make_dataclass, field, fields\nP = make_dataclass('P', ['x', ('y', int, 3)], namespace={'s': lambda p: p.x + p.y})\n"
    "print(P(1), P(1).s(), P(1) == P(1, 3), P.__name__)\nQ = make_dataclass('Q', [('z', int, field(default=1, metadata={'u': 2}))], bases=(P,))\n"
    "print(Q(1), fields(Q)[2].metadata['u'])\n",
    "from typing import Protocol, runtime_checkable\n@runtime_checkable\nclass F(Protocol):\n    n: int\n    def f(self): ...\n"
    "class A:\n    n = 1\n    def f(self): pass\nclass B(F):\n    n = 2\nprint(isinstance(A(), F), isinstance(B(), F), isinstance(3, F))\n",
    "from enum import Enum\nclass E(Enum):\n    A = 1\n    B = 1\nprint(E.__members__['B'], list(E.__members__))\n",
    "from string import Template, capwords\nt = Template('$a ${b}c $$ $d')\nprint(t.safe_substitute(a=1, b=2), capwords('ab  cd'))\n"
    "for bad in (t, Template('x\\n $ ')):\n    try: bad.substitute({'a': 1}, b=2)\n    except (KeyError, ValueError) as e: print(repr(e))\n",
    "print('hello'.translate({104: 'J', 108: None, 111: 48}), 'abc'.translate(str.maketrans('ab', 'xy', 'c')))\n",
    "class N: lr = 3\nprint('{n.lr:.1f} {[k]} {d[a][1]}'.format({'k': 1}, n=N(), d={'a': [0, 5]}))\n",
    "import random\nrandom.seed(3)\ns = random.getstate()\na = random.gauss(0, 1)\nrandom.setstate(s)\nprint(a == random.gauss(0, 1), len(s))\n",
    "import numpy as np\nnp.random.seed(3)\ns = np.random.get_state()\na = np.random.rand()\nnp.random.set_state(s)\nprint(a == np.random.rand())\n",
    "import traceback\ne = ValueError('x')\ne.add_note('y')\nprint(e.__notes__, traceback.format_exception_only(e))\n",
    "from typing import get_type_hints, List, Optional\ndef f(a: int, b: 'Later' = 1, *c: List[int], d: Optional[str] = None) -> bool: pass\n"
    "print(f.__annotations__)\nclass Later:\n    class In: pass\n    x: In\n    y: 'int' = 3\n    def m(self, q: 'Later'): pass\n"
    "class B(Later):\n    z: float\nprint(get_type_hints(f)['b'] is Later, Later.__annotations__['x'] is Later.In, list(get_type_hints(B)))\n"
    "print(B.__annotations__, get_type_hints(Later.m)['q'] is Later, (lambda x: x).__annotations__)\n"
    "import inspect\nfor p in inspect.signature(f).parameters.values(): print(p.annotation)\nprint(inspect.signature(f).return_annotation)\n"
    "def g(x: 'absent'): pass\ntry: get_type_hints(g)\nexcept NameError as e: print(e)\n",
    "from __future__ import annotations\nfrom dataclasses import dataclass, fields\n@dataclass\nclass A:\n    x: list[int]\n    y: float = 1.0\n"
    "print([f.type for f in fields(A)], A.__annotations__)\n",
    "from dataclasses import MISSING, dataclass, fields\n@dataclass\nclass A:\n    y: float = 1.0\nprint(fields(A)[0].type('2'), fields(A)[0].default, fields(A)[0].default_factory is MISSING)\n",
    "from functools import update_wrapper\ndef f(): 'Say.'\nclass W:\n    def __init__(self, f): update_wrapper(self, f)\nprint(W(f).__doc__, W(f).__name__)\n",
    "from concurrent.futures import ThreadPoolExecutor, as_completed, wait\ndef f(x):\n    if x > 2: raise ValueError(x)\n    return x * x\n"
    "with ThreadPoolExecutor(2) as pool:\n    print(list(pool.map(f, [1, 2])))\n    found = [pool.submit(f, n) for n in (2, 3)]\n"
    "    print(found[0].result(), repr(found[1].exception()), len(wait(found).done))\n"
    "try: pool.submit(f, 1)\nexcept RuntimeError as e: print(e)\n",
    "class M(type):\n    made = {}\n    def __new__(mcs, name, bases, ns, **told):\n        cls = super().__new__(mcs, name, bases, ns)\n"
    "        mcs.made[name] = list(ns)[2:], bases, told\n        return cls\n"
    "    def __init__(cls, name, bases, ns, **told):\n        super().__init__(name, bases, ns)\n        cls.begun = name.lower()\n"
    "    def __call__(cls, *args):\n        print('a', cls.__name__)\n        return super().__call__(*args)\n"
    "    def __len__(cls): return 3\n    def __iter__(cls): return iter('xy')\n    def __getitem__(cls, key): return key * 2\n"
    "    def __contains__(cls, key): return key == 1\n    def __repr__(cls): return f'<{cls.__name__}>'\n"
    "    @property\n    def shouted(cls): return cls.__name__.upper()\n    def asked(cls): return cls.begun\n"
    "class Base(metaclass=M): pass\nclass Sub(Base, dict, way='x'):\n    n = 1\n    def __init__(self, k): self.k = k\n"
    "print(M.made, Sub(4).k, len(Sub), list(Sub), Sub[2], 1 in Sub, Sub, [Base], Sub.shouted, Sub.asked(), Sub.n)\n"
    "print(type(Sub) is M, isinstance(Sub, M), isinstance(Sub(1), Base), bool(Base), M('Made', (Base,), {'z': 5}).z)\n"
    "class Other(type): pass\ntry:\n    class Both(Base, metaclass=Other): pass\nexcept TypeError as e: print(e)\n",
    "class One(type):\n    held = {}\n    def __call__(cls, *args):\n        if cls not in cls.held:\n"
    "            cls.held[cls] = super(One, cls).__call__(*args)\n        return cls.held[cls]\n"
    "class Config(metaclass=One):\n    def __init__(self, rate=0.1): self.rate = rate\nprint(Config(0.2) is Config(), Config().rate)\n"
    "class Upper(type):\n    def __new__(mcs, name, bases, ns):\n"
    "        return type.__new__(mcs, name, bases, {k if k[:2] == '__' else k.upper(): v for k, v in ns.items()})\n"
    "class U(metaclass=Upper):\n    def f(self): return 2\nprint(U().F(), hasattr(U, 'f'), U.__qualname__, U.__bases__)\n",
    "import copy\nclass F(float):\n    def twice(self): return self * 2\nclass I(int):\n    def __new__(cls, n, unit='m'):\n"
    "        made = super().__new__(cls, n)\n        made.unit = unit\n        return made\n"
    "    def __repr__(self): return f'{int(self)}{self.unit}'\n    def __mul__(self, n): return I(int.__mul__(self, n), self.unit)\n"
    "class T(str):\n    def __new__(cls, s): return str.__new__(cls, s.strip())\n    def __add__(self, s): return T(str.__add__(self, s) + '!')\n"
    "    def upper(self): return T(super().upper())\nf, i, t = F(2.5), I(3, 'cm'), T(' hi ')\n"
    "print(f, f.twice(), f + 1, 1 / f, 2 ** f, divmod(i, 2), -f, abs(F(-1)), round(f), f > 2, max(f, 3), sum([f, f]), f'{f:.3f}')\n"
    "print(i, [i], i * 2, i + 1, i << 2, i & 1, i == 3, {i: 1}[3], list(range(i)), 'abcd'[i], int(i), float(i), i.bit_length(), copy.deepcopy(i).unit)\n"
    "print(t, t + 'x', 'a' + t, t.upper(), type(t.upper()) is T, len(t), t[0], list(t), 'h' in t, '-'.join([t, 'b']), {t: 1}['hi'], f'{t:>4}', '%s' % t)\n"
    "print(isinstance(f, float), isinstance(t, str), issubclass(I, int), vars(i), hash(t) == hash('hi'), bool(F(0)), sorted([I(3), I(1)]))\n",
    "def deco(f):\n    def w(*a): return f(*a)\n    w.__name__, w.__qualname__, w.__doc__, w.__wrapped__ = f.__name__, 'q', f.__doc__, f\n    return w\n"
    "@deco\ndef hello(): 'Say.'\nprint(hello.__name__, hello.__qualname__, hello.__doc__, hello.__wrapped__.__name__)\n"
    "class Memo:\n    def __init__(self, f): self.f, self.__name__, self.__doc__ = f, f.__name__, f.__doc__\n"
    "print(Memo(hello).__name__, Memo(hello).__doc__, sorted(vars(Memo(hello))))\nMemo.__name__ = 'Other'\nMemo.__doc__ = 'New.'\n"
    "print(Memo.__name__, Memo.__doc__)\ntry: hello.__name__ = 3\nexcept TypeError as e: print(e)\n"
    "try: int.__name__ = 'x'\nexcept TypeError as e: print(e)\n",
    "class Held:\n    def __set_name__(self, owner, name): self.name = '_' + name\n    def __get__(self, obj, kind=None): return getattr(obj, self.name)\n"
    "    def __set__(self, obj, value): setattr(obj, self.name, value)\n    def __delete__(self, obj):\n        print('gone')\n        delattr(obj, self.name)\n"
    "class A:\n    x = Held()\na = A()\na.x = 3\nprint(a.x, vars(a))\ndel a.x\nprint(vars(a))\n"
    "import types\ndef g(): yield 1\nprint([isinstance(x, types.GeneratorType) for x in (g(), (n for n in []), [])], isinstance(len, types.BuiltinFunctionType))\n",
    "import struct\nb = struct.pack('<if', 3, 1.5)\nprint(b, struct.unpack('<if', b), struct.calcsize('<iq'), struct.unpack('>I', b'\\0\\0\\1\\2')[0])\n"
    "print(f\"{struct.unpack('<I', struct.pack('<f', 1.0))[0]:032b}\", struct.pack('3s?d', b'abc', True, 2.0), struct.pack('=4B', 1, 2, 3, 4))\n"
    "print(struct.unpack_from('<H', b'\\1\\2\\3\\4', 2), list(struct.iter_unpack('<H', b'\\1\\2\\3\\4')))\n"
    "s = struct.Struct('<dI')\nprint(s.size, s.unpack(s.pack(0.1, 7)))\n"
    "for call in (lambda: struct.unpack('<i', b'ab'), lambda: struct.pack('<B', 300), lambda: struct.pack('<i', 'a'), lambda: struct.pack('y')):\n"
    "    try: call()\n    except struct.error as e: print(e)\n",
    "import unittest\nseen = []\nclass Case(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): seen.append('class')\n"
    "    def setUp(self): seen.append(self._testMethodName); self.addCleanup(seen.append, 'clean')\n    def tearDown(self): seen.append('down')\n"
    "    def test_b(self):\n        with self.assertRaisesRegex(ValueError, 'no .ess') as caught: raise ValueError('no mess')\n        seen.append(str(caught.exception))\n"
    "    def test_a(self): self.assertEqual([1], [1]); self.assertAlmostEqual(1.0, 1.00000001); self.assertCountEqual([1, 2], [2, 1])\n"
    "    @unittest.skip('why')\n    def test_c(self): seen.append('never')\n    @unittest.expectedFailure\n    def test_d(self): self.assertIn(1, [])\n"
    "    def test_e(self):\n        for i in range(3):\n            with self.subTest(i=i): self.assertNotEqual(i, 1)\n    def test_f(self): {}['a']\n"
    "r = unittest.TestResult()\nunittest.TestLoader().loadTestsFromTestCase(Case).run(r)\nprint(seen, r.testsRun, r.wasSuccessful(), [w for _, w in r.skipped])\n"
    "print(len(r.failures), len(r.errors), len(r.expectedFailures), Case('test_a').countTestCases())\nc = Case('test_a')\n"
    "for check in (lambda: c.assertTrue(0), lambda: c.assertEqual(1, 2, 'so'), lambda: c.assertIsNone(3), lambda: c.assertAlmostEqual(1, 1.5),\n"
    "              lambda: c.assertRaises(KeyError, int), lambda: c.assertIn(1, []), lambda: c.assertGreater(1, 2), lambda: c.fail('f')):\n"
    "    try: check()\n    except AssertionError as e: print(e)\n",
    "from enum import Enum\nclass E(Enum):\n    A = 1\n    @classmethod\n    def _missing_(cls, value): return cls.A if value == 7 else 3 if value == 8 else None\nprint(E(7))\n"
    "for n in (8, 9):\n    try: E(n)\n    except (TypeError, ValueError) as e: print(type(e).__name__, e)\n",
    "import random, operator, sys\nr = random.Random(3)\nprint(r.randbytes(3), operator.length_hint([1]), operator.length_hint(3, 4))\n"
    "v = sys.version_info\nprint(v >= (3, 8), v.major, v[:1], repr(v)[:27], '%d' % v[:1])\n",
    "import threading\nclass T(threading.Thread):\n    def run(self): print(threading.current_thread() is self, self.ident is not None, threading.active_count())\n"
    "T(name='t').start()\nprint(threading.current_thread().name, threading.main_thread().is_alive())\ns = threading.Semaphore(1)\n"
    "with s: print(s.acquire(blocking=False))\ne = threading.Event()\ne.set()\nprint(e.is_set(), e.wait(), threading.Thread(target=print, daemon=True).daemon)\n",
    "class A:\n    def f(self): pass\n    f.mark = 3\na = A()\nprint(a.f.mark, hasattr(a.f, 'other'))\n"
    "print((5).__divmod__(2), (2.567).__round__(1))\n",
    "from typing import AbstractSet, SupportsIndex, assert_never, assert_type, dataclass_transform\nprint(assert_type(3, int), dataclass_transform()(lambda: 1)())\n"
    "try: assert_never(3)\nexcept AssertionError as e: print(e)\n",
    "import numpy as np\nz = np.array([1 + 2j, 3])\nprint(z, z.real, z.imag, z.conj(), np.abs(z), np.angle(z), z.dtype, z * 1j, 2j + np.ones(2), z.sum(), z == 3, repr(z))\n"
    "print(np.exp(1j * np.linspace(0, 1, 2)), np.zeros(2, dtype=complex), np.complex64(1j), z.tolist(), z.astype(np.complex64).dtype, np.vdot(z, z))\n",
    "import numpy as np\na = np.array([1.0, 2.0, 4.0, 3.0])\nf = np.fft\nprint(f.fft(a), f.ifft(a).real, f.rfft(a), f.irfft([1, 2]), f.fft(a, n=2, norm='ortho'), f.fftfreq(4, 0.5), f.rfftfreq(4))\n"
    "print(f.fft2(np.eye(2)), f.fftn(np.eye(2), axes=(0,)), f.fftshift(a), f.ifftshift(a, 0), f.fft(np.ones((2, 3)), axis=0).shape)\n"
    "try: f.fft(a, norm='odd')\nexcept ValueError as e: print(e)\n",
    "import numpy as np\nnp.random.seed(0)\nr = np.random\nprint(r.multinomial(5, [.5, .5]), r.dirichlet([1., 2.], size=2), r.logistic(), r.standard_t(3), r.gumbel(size=2), r.pareto(2.), r.standard_gamma(2.))\n"
    "print(np.zeros(2, 'float'), np.zeros(1, 'f4').dtype, np.array([1.7], 'int'), np.linspace(0, 1, 3, retstep=True), np.divmod(5, 2), np.modf(1.5), np.nanmedian([1, np.nan, 3]))\n"
    "a = np.arange(4.0)\nb = a.view()\nb[0] = 9\nprint(a, np.hsplit(a, 2), np.vsplit(np.eye(2), 2), np.select([a > 3, a > 1], [a, -a], 7), np.ix_([0], [1, 0]))\n"
    "print(np.eye(3)[np.ix_([0, 1], [True, False, True])], np.trim_zeros(np.array([0, 1, 0])), np.compress([True, False], [1, 2]), np.extract(a > 2, a), np.vander([1, 2], 3), np.roots([1, -3, 2, 0]))\n",
    "import numpy as np\na = np.arange(3.0)\nb, c = np.asarray(a), np.array(a, copy=True)\nb[0] = 7\nprint(a, b is a, c, np.asarray(a, dtype=int), np.array(a, copy=None) is a)\n"
    "print(np.array([1, 2], ndmin=2), np.ascontiguousarray(np.eye(2).T), np.asanyarray([1]), np.asarray(a, 'float32').dtype)\n"
    "try: np.asarray([1], odd=3)\nexcept TypeError as e: print(type(e).__name__)\n",
    "from math import *\nfrom random import *\nx = 3\nprint('sqrt' in dir(), 'randint' in dir(), 'x' in dir(), 'loads' in dir())\n"
    "def f(a):\n    b = 1\n    return dir()\nprint(f(2))\n",
    "import random\nfrom random import *\nseed(1)\nprint(random(), randint(1, 5))\npi = 3\nfrom math import *\nprint(pi)\npi = 3\nprint(pi, sqrt(4))\n",
    "import numpy as np\nfor o in ('str', 'object', 'float64', 'float', object, float, None, np.dtype('int8'), 5): print(np.dtype('float64') == o, np.dtype('float64') != o)\n",
    "from ast import literal_eval\nfor t in ('-2.5', ' [1, (2, 3), {\"a\": None}]', '{1, 2}', 'set()', '1-2j', '-1+2j', 'b\"a\"', '...', '()'): print(repr(literal_eval(t)))\n"
    "for t in ('a/b', 'f(1)', '1+1', '--1', '-\"a\"', '{[]: 1}', 'a b', '', 'x = 1', '1\\n2'):\n"
    "    try: print(literal_eval(t))\n    except (ValueError, SyntaxError, TypeError) as e: print(type(e).__name__, str(e).split(':')[0] * (type(e) is not SyntaxError))\n",
    "import importlib.util, numpy.typing as npt\nfrom numpy.typing import NDArray\ndef f(x: NDArray, y: npt.ArrayLike = 1): return x\n"
    "print(importlib.util.find_spec('math') is not None, importlib.util.find_spec('nothing_here'), f(2))\n",
    "import numpy as np\nfor c in ([1, -3, 2], [-2.5, 0, 1e-7], [5], [0]): print(np.poly1d(c), repr(np.poly1d(c)))\np = np.poly1d([2, 1])\n"
    "print(p([1, 2]), p * p, p - p, 2 * p + 1, p.deriv(), p.integ(), p.r, p(p), p ** 2, p[1], len(p), np.polyder([1, 2, 3], 5), np.polyint([2, 1]))\n"
    "a = np.arange(6.0).reshape(2, 3)\na.flat[1] = 9\na.put([0], [7])\nprint(a, list(a.flat), a.flags.owndata, a.T.flags['F_CONTIGUOUS'], a.astype(float, copy=False) is a)\n"
    "print(a.sum(dtype=np.float32).dtype, a.max(initial=99), a.view(np.int64).dtype, np.dot(3, a[0]))\n"
    "a.T.flat[1:3] = 1\nprint(a, np.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 3))]]), np.s_[1:], np.ogrid[0:2, 0:3])\n"
    "print(np.piecewise(a[0], [a[0] > 5], [lambda t: t * 10, 1]), np.pad([1, 2, 3], 2, 'reflect'), np.histogram2d([1, 2], [1, 2], 2)[0], np.hamming(3))\n"
    "from numpy.lib.stride_tricks import sliding_window_view\nprint(sliding_window_view(np.arange(12).reshape(3, 4), (2, 2))[1], np.result_type(a, np.float32), np.base_repr(10, 3))\n"
    "def f(r: np.random.Generator): return isinstance(r, np.random.Generator)\nprint(f(np.random.default_rng(0)), np.float32('inf'), np.dtype('f4').char, np.iinfo(np.int8))\n",
    "import abc, os\nclass Registry(abc.ABCMeta):\n    known = {}\n    def __new__(mcs, name, bases, space):\n        cls = super().__new__(mcs, name, bases, space)\n"
    "        mcs.known[name] = cls\n        return cls\nclass Op(metaclass=Registry):\n    def __init__(self, **kw): self.__dict__.update(kw)\n"
    "    @abc.abstractmethod\n    def run(self): ...\nclass Twice(Op):\n    def run(self): return self.by * 2\nprint(Twice(by=3).run(), vars(Twice(by=3)), list(Registry.known))\n"
    "try: Op()\nexcept TypeError as e: print(e)\nclass Typed:\n    def __set_name__(self, owner, name): self.name = name\n    def __get__(self, o, c): return o.__dict__[self.name]\n"
    "    def __set__(self, o, v): o.__dict__[self.name] = float(v)\nclass C(abc.ABC):\n    x = Typed()\nc = C()\nc.x = 3\nprint(c.x, vars(c))\nC.y = 4\ndel C.y\nprint(hasattr(c, 'y'))\n"
    "print(os.path.relpath('a/b', 'a'), os.path.relpath('a', 'a/b/c'), os.path.relpath('a/b/c', 'a/d'), os.path.relpath('.'))\n",
    "import zlib\nfrom urllib.parse import quote, unquote, urlencode, urlparse\nprint(urlparse('https://a.b:80/x/y.zip;p?q=1&r=2#f'), urlparse('x/y.txt'), quote('a b/ü'), unquote('a%20b%C3%BC%zz'), urlencode({'a': 1, 'b': 'x y'}), zlib.crc32(b'abc'), zlib.adler32(b'abc'))\n",
    "import inspect, struct\nimport numpy as np\nclass A:\n    x = 1\n    def f(self): pass\nprint([n for n, _ in inspect.getmembers(A(), inspect.ismethod)], struct.pack('<if', np.int64(3), np.float32(0.5)))\na = np.arange(4.0)\nb = a.clip(1, 2, a)\nprint(a, b is a)\n",
    "import logging, sys\nlog = logging.getLogger('lines')\nhandler = logging.StreamHandler(sys.stdout)\nhandler.setFormatter(logging.Formatter('%(levelname)s %(lineno)d %(funcName)s %(message)s'))\nlog.handlers[:] = [handler]\nlog.propagate = False\nlog.setLevel(10)\nlog.info('top')\nclass A:\n    def m(self):\n        log.info('method')\ndef gen():\n    log.info('before')\n    yield 1\nA().m()\nfor v in gen(): log.debug('got %d', v)\n(lambda: log.info('lambda'))()\n[log.info('comp') for _ in range(1)]\n",
    "import numpy as np\nclass Box:\n    def __init__(self, v): self.v = v\n    def __array__(self, dtype=None, copy=None): return np.array(self.v)\n    def __array_wrap__(self, array, context=None, return_scalar=False): return Box(array.tolist())\nprint(np.array(Box([1, 2])), np.mean(Box([1.0, 3.0])))\n",
    "import numpy as np\nwith np.errstate(divide='ignore'): print(np.ones(1) / 0, np.geterr())\nprint(np.seterr(all='ignore'), np.ones(1) / 0, np.geterr())\ntry: np.seterr(over='odd')\nexcept ValueError as e: print(e)\nnp.seterr(divide='warn', over='warn', under='ignore', invalid='warn')\n",
    "import pickle\nv = {'a': [1]}\nd = pickle.loads(pickle.dumps(v))\nd['a'].append(2)\nprint(v, d)\n",
    "import pprint\nfrom collections import Counter, OrderedDict\npprint.pprint({'k': 'word ' * 40, 'z': 1})\npprint.pprint('a\\nb c\\n' * 20)\npprint.pprint(list(range(60)), compact=True)\npprint.pprint([[1, [2, [3]]], {'a': {'b': {}}}, frozenset(range(40))], depth=2, width=30)\npprint.pprint({'a': list(range(30)), 'b': {'c': 'd' * 70}}, indent=4, compact=True)\npprint.pprint(['aaa'] * 12, width=30, compact=True)\n",
    "import functools, json, datetime, argparse\nprint(functools.partial(print, 'a', sep='-'), json.dumps({(1,): 2, 'a': {(2,): 1, 'b': 3}}, skipkeys=True), datetime.datetime(2024, 2, 9, 1, 2, 3).ctime())\np = argparse.ArgumentParser(prog='x')\np.add_argument('pos', nargs='?')\np.add_argument('many', nargs='*', help='h')\nprint(p.format_help(), argparse.Namespace(a=1, b=[2])._get_kwargs())\nimport dataclasses\n@dataclasses.dataclass\nclass D:\n    a: 'int' = None\n    b: int = 2\nfor each in dataclasses.fields(D):\n    before = each.type\n    each.type = float\n    print(before, each.type, dataclasses.fields(D)[0].type, D())\nclass A:\n    def f(self): return 'A'\nclass B:\n    def f(self): return 'B'\na = A()\na.x = 1\na.__class__ = B\nprint(a.f(), a.x, type(a).__name__, isinstance(a, A))\ntry: a.__class__ = int\nexcept TypeError as e: print(e)\nclass Enters:\n    def __enter__(self): pass\n    __nonzero__ = __enter__\ntry:\n    with Enters(): pass\nexcept TypeError as e: print(e)\n",
    "import multiprocessing as mp\npool = mp.Pool\nq = mp.Queue()\nprint(q.empty(), mp.cpu_count() > 0, mp.get_start_method(True) in (None, 'fork'), mp.current_process().name)\n",
    "from unittest.mock import Mock, MagicMock, patch, call, ANY, sentinel\nfrom unittest import mock\nm=Mock(return_value=3); print(m(1,a=2),m.called,m.call_count,m.call_args,m.call_args_list,m.call_args.args,m.call_args[1]); m.assert_called_once_with(1,a=2); m.foo.bar.return_value=5; print(m.foo.bar(),m.mock_calls)\nm.assert_called_with(1,a=ANY)\ntry: m.assert_called_with(2)\nexcept AssertionError as e: print(e)\ntry: m.assert_not_called()\nexcept AssertionError as e: print(e)\ntry: m.assert_called_once(); m(); m.assert_called_once()\nexcept AssertionError as e: print(e)\ns=Mock(side_effect=[1,2,ValueError('x')]); print(s(),s())\ntry: s()\nexcept ValueError as e: print(e)\ntry: s()\nexcept StopIteration as e: print('stop')\nf=Mock(side_effect=lambda x:x*2); print(f(4)); k=Mock(side_effect=KeyError('k'))\ntry: k()\nexcept KeyError as e: print(e)\nmm=MagicMock(); print(len(mm),bool(mm),list(mm)); mm[3]=4; pass\nmm.method(1).x(2); print(mm.method.call_args, mm.method.return_value.x.call_args==call(2))\nclass C:\n    def go(self): return 'real'\nc=C()\nwith patch.object(c,'go',return_value='fake') as g: print(c.go(),g.called)\nprint(c.go(),vars(c))\nwith patch.object(C,'go',lambda self:'lam'): print(C().go())\nprint(C().go()); d={'a':1}\nwith patch.dict(d,{'b':2}): print(d)\nprint(d)\ndef helper(): return 1\n@patch.object(C,'go')\ndef t(arg): arg.return_value=4; return C().go()\nprint(t(),C().go()); sp=Mock(spec=C); sp.go()\ntry: sp.nope\nexcept AttributeError as e: print(e)\nprint(call(1,a=2),call.foo(3)==call.foo(3),Mock(x=3).x,Mock(**{'a.b.return_value':7}).a.b()); sp.reset_mock(); print(sp.go.called); m.assert_has_calls([call(1,a=2)]); m.assert_any_call(1,a=2)\nw=Mock(wraps=len); print(w([1,2]),w.call_count); print(sentinel.a is sentinel.a, sentinel.a)\n",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
def test_one_process_does_what_others_would_and_hands_copies() -> None:
    text = (
        "import pickle\nfrom multiprocessing import Pool, Process, Queue\nrow = []\n"
        "def grown(row):\n    row.append(1)\n    return len(row)\n"
        "with Pool(2) as pool:\n    print(pool.map(grown, [row, row]), row, pool.starmap(pow, [(2, 3)]))\n"
        "    try: pool.map(lambda x: x, [1])\n    except pickle.PicklingError as e: print(type(e).__name__)\n"
        "try: pool.map(abs, [1])\nexcept ValueError as e: print(e)\n"
        "q = Queue()\np = Process(target=q.put, args=(3,))\np.start()\np.join()\nprint(q.get(), p.exitcode)\n"
    )
    shown = "[1, 1] [] [8]\nPicklingError\nPool not running\n3 0\n"
    assert printed(text) == shown
    with pytest.warns(Note, match="one process does all here"):
        printed(text)


@pytest.mark.parametrize("use", ["len(p)", "print(p)", "p == p", "pickle.loads(b'x')", "open('f', 'wb').write(p)"])
def test_nobody_learns_the_bytes_of_a_pickle(use: str) -> None:
    with pytest.raises(GradcliError):
        printed(f"import pickle\np = pickle.dumps(3)\n{use}\n")


def test_a_test_that_fails_ends_the_program_so() -> None:
    text = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\nunittest.main()\n"
    with pytest.raises(SpecError, match="the program ended itself: status 1"):
        printed(text)
    assert printed(text.replace("main()", "main(exit=False)\nprint(3)")) == "3\n"


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
@pytest.mark.parametrize("text", AS_PYTHON)
def test_it_prints_what_python_prints(text: str) -> None:
    expected = io.StringIO()
    with redirect_stdout(expected):
        exec(compile(text, "<spec>", "exec", dont_inherit=True), {"__name__": "__main__"})
    assert printed(text) == expected.getvalue()


SMALL = """
from torch.cuda.amp import custom_bwd, custom_fwd
from torch.optim.optimizer import _get_value, _use_grad_for_differentiable
from torch.nn.init import _no_grad_normal_
from torch.nn.modules.module import _addindent
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
import torch.distributed.tensor, torch.jit as jit

class Twice(torch.autograd.Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x): return 2 * x
    @staticmethod
    @custom_bwd
    def backward(ctx, g): return 2 * g

from torch.utils import model_zoo
from jaxtyping import Float
import inspect, sys
try: torch.distributed.get_rank()
except ValueError as e: print(e, torch.distributed.is_available())
with torch.backends.cuda.sdp_kernel(enable_math=False):
    print(torch.backends.cuda.math_sdp_enabled(), torch.backends.cuda.mem_efficient_sdp_enabled())
print(torch.backends.cuda.math_sdp_enabled(), torch.nn.modules.module._IncompatibleKeys([], ["a"]))
print(isinstance(torch.nn.Linear(1, 1), jit.ScriptModule), __debug__, inspect._empty)
print([sys.getsizeof(m) for m in (torch.ones(4).untyped_storage(), torch.ones(4).storage())])
class Net(jit.ScriptModule):
    @jit.script_method
    def forward(self, x): return x + 1

class Stepping(torch.optim.Optimizer):
    @_use_grad_for_differentiable
    def step(self): print(torch.is_grad_enabled(), _get_value(torch.tensor(2)))

x = torch.ones(2, requires_grad=True)
Twice.apply(x).sum().backward()
Stepping([x], dict(differentiable=False)).step()
torch._assert(True, 'never')
print(x.grad, Net()(torch.ones(1)), torch.sym_max(2, 3.5), torch.nuclear_norm(torch.eye(2)), _addindent('a\\nb', 2))
print([[len(t) for t in lists] for lists, _ in _group_tensors_by_device_and_dtype([[x, x], [x, x]]).values()])
try: torch._check(False, lambda: 'bad')
except RuntimeError as e: print(e)
"""


def test_a_program_may_ask_what_the_module_in_c_has() -> None:
    asked = "hasattr(torch._C, 'DisableTorchFunction'), hasattr(torch._C, '_x'), getattr(torch._C, '_x', 3)"
    with pytest.warns(UserWarning, match="_C._x is not in gradcli"):
        assert printed(f"import torch\nprint({asked})\n") == "True False 3\n"


@pytest.mark.filterwarnings("ignore:.*sdp_kernel")
def test_small_functions_that_programs_call_in_passing() -> None:
    assert printed(SMALL).splitlines() == [
        "Default process group has not been initialized, please make sure to call init_process_group. True",
        "False True", "True _IncompatibleKeys(missing_keys=[], unexpected_keys=['a'])",
        "False True <class 'inspect._empty'>", "[80, 72]",
        "False 2", "tensor([2., 2.]) tensor([2.]) 3.5 tensor(2.) a", "  b", "[[2, 2]]", "bad",
    ]  # fmt: skip


def test_a_program_that_cannot_be_started_is_no_file_to_lend() -> None:
    with pytest.raises(GradcliError) as stopped, pytest.warns(Note, match="no other program"):
        printed("import subprocess\nsubprocess.run(['ls'])")
    assert stopped.value.help == "leave the call out, or have Python do what the other program would"

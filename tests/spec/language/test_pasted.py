# ruff: noqa: E501 (programs on one line)
"""What programs are pasted with: names of Python's and PyTorch's that they lean on, and what stops them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradcli.errors import GradcliError, LimitError, ProgramError, SpecError
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.guard.notes import Note

from ..running import printed, program

REFUSED = [
    ("from enum import Enum\nEnum('X', '__init__')", "'__init__' is no name of a member"),
    ("from enum import Enum\nEnum('X', {'_a': 1})", "'_a' is no name of a member"),
    ("class A(metaclass=int): pass", "a class of a spec takes no metaclass but ABCMeta and those of its own"),
    ("from typing import TypedDict\nTypedDict('X', {})", "TypedDict() is not in the spec language"),
    (
        "from torch.nn.parallel import DistributedDataParallel as DDP\nDDP(torch.nn.Linear(1, 1))",
        "torch.nn.parallel.DistributedDataParallel is not in the spec language",
    ),
    (
        "from torch import nn\nclass M(nn.Module):\n    def __call__(self): return 1\nnn.Module.__call__(M())",
        "the class of this module has a __call__ of its own",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_what_is_not_in_it_is_named(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(f"{text}\n").run()
    assert str(caught.value) == message


def test_an_error_of_any_kind_is_told_with_its_kind() -> None:
    with pytest.raises(GradcliError, match=r"^AssertionError: Torch not compiled with CUDA enabled$"):
        program("import torch\ntorch.ones(1).cuda()\n").run()


HELD = [
    ("import numpy as np", "np.einsum('i,j,k,l->ijkl', *[np.ones(1000)] * 4)"),
    ("import numpy as np", "np.einsum('i,j,k,l->', *[np.ones(1000)] * 4)"),
    ("import numpy as np", "np.einsum('...,...->...', np.ones((1000, 1, 1, 1)), np.ones((1, 1000, 1000, 1000)))"),
    ("import numpy as np", "np.histogram([1.0], 10**12)"),
    ("from itertools import count, tee", "max(tee(count())[0])"),
    ("from itertools import tee", "tee([1], 10**12)"),
    ("from fractions import Fraction", "Fraction(3, 2) ** 10**9"),
    ("from threading import Thread", "def f(): Thread(target=f).start()\nf()"),
]


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
@pytest.mark.parametrize(("imports", "text"), HELD, ids=[t for _, t in HELD])
def test_what_would_go_on_is_stopped(imports: str, text: str) -> None:
    with pytest.raises((LimitError, SpecError)) as caught:
        program(f"import torch\n{imports}\n{text}\n", limits=STRICT._replace(steps=200_000)).run()
    assert caught.value.code[:2] == "E4" or isinstance(caught.value, LimitError)


@pytest.mark.parametrize("value", ["3", "object()", "torch.ones(1)", "nn.Linear", "lambda x: x"])
def test_the_call_of_a_module_is_for_modules(value: str) -> None:
    text = f"import torch\nfrom torch import nn\ntry: nn.Module.__call__({value}, 1)\nexcept TypeError as e: print(e)\n"
    assert printed(text).startswith("this is to be called with a module, not with '")


def test_a_lock_that_is_held_is_not_waited_for() -> None:
    text = "import threading\nlock = threading.Lock()\nlock.acquire()\nprint(lock.acquire(False))\n"
    assert printed(text) == "False\n"
    with pytest.raises(ProgramError) as caught:
        program(text + "lock.acquire()\n").run()
    assert "this lock is held" in str(caught.value)


# As Python runs them.
CLASSES = '''
import copy, io, json, contextlib, sys
from collections import OrderedDict, defaultdict
class Config(dict):
    def __init__(self, *args, **kwargs):
        super(Config, self).__init__(*args, **kwargs)
        self.__dict__ = self
c = Config(lr=0.1)
c.n = 3
c["m"] = 4
other = copy.copy(c)
other.n = 9
deep = copy.deepcopy(c)
deep.n = 8
print(c, c.lr, c.m, other, deep.n, c.n, isinstance(c, dict), "n" in c, json.dumps(c), {**c}, len(c))
class Open(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
o = Open(a=1)
o.b = 2
del o.a
print(o.a, o.b, o, dict(o) == o)
class Counting(dict):
    def __missing__(self, key):
        return len(key)
    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)
    def __repr__(self):
        return "C" + dict.__repr__(self)
k = Counting(x=1)
k["y"] = 1
print(k, k["abc"], k.get("abc"), f"{k}")
class Stack(list):
    def append(self, x):
        super().append(2 * x)
    def __getitem__(self, i):
        return list.__getitem__(self, i)
s = Stack([1])
s.append(2)
s += [3]
s[0:1] = [7, 8]
print(s, s[-1], s * 2, sorted(s), sum(s), type(copy.deepcopy(s)).__name__, [*s], s == [7, 8, 4, 3])
class Trie(defaultdict):
    pass
tree = Trie(list)
tree["a"].append(1)
print(tree, dict(tree))
class Ordered(OrderedDict):
    def __getattr__(self, name):
        return self[name]
print(Ordered(x=1).x, list(Ordered(x=1).items()))
class Told:
    def __init__(self):
        self.x = 1
    def __setattr__(self, name, value):
        print("set", name)
        super().__setattr__(name, value)
    def __delattr__(self, name):
        print("del", name)
        object.__delattr__(self, name)
class More(Told):
    def __setattr__(self, name, value):
        Told.__setattr__(self, name, value * 2)
t = More()
t.y = 3
setattr(t, "z", 4)
del t.y
print(vars(t), hasattr(t, "y"))
class Held:
    def __init__(self, d):
        self.__dict__ = d
shared = {"a": 1, "__class__": 5}
h = Held(shared)
h.b = 2
shared["c"] = 3
print(h.a, h.c, shared, h.__class__.__name__)
Made = type("Made", (Told,), {"twice": lambda self: 2 * self.x})
print(Made().twice(), Made.__name__)
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("hidden")
    sys.stdout.write("too")
before, sys.stdout = sys.stdout, io.StringIO()
print("kept", end="")
found, sys.stdout = sys.stdout.getvalue(), before
print(repr(buffer.getvalue()), found)
try:
    raise RecursionError("deep")
except RecursionError as e:
    print(repr(e))
from math import *
print(floor(pi), list(iter(iter([1, 2, 3]).__next__ if False else (lambda it=iter([1, 2, 3]): next(it)), 3)))
def made():
    def __init__(self, x):
        self.x = x
    return type("P", (), {"__init__": __init__})
print(made()(3).x)
'''


def test_classes_behave_as_pythons_do(tmp_path: Path) -> None:
    path = tmp_path / "classes.py"
    path.write_text(CLASSES)
    expected = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout
    assert printed(CLASSES) == expected


# What such classes might do to their host, and how it ends.
ATTEMPTS = [
    "class L(list): pass\nl = L([1])\nwhile True: l += l",
    "class L(list): pass\nL([1]) * 10**9", "class L(list): pass\nL(range(10**9))", "class L(list): pass\nL(iter(lambda: 1, 2))",
    "class D(dict): pass\nD([(i, i) for i in range(90_000)], **{str(i): i for i in range(90_000)})",
    "from collections import defaultdict\nclass D(defaultdict): pass\nD(lambda: torch.zeros(10**9))[1]",
    "class L(list):\n    def __iter__(self): return iter([])\na = L()\na.append(a)\nprint(a == L([a]))",
    "class D(dict):\n    def values(self): return []\nd = {}\nfor i in range(200): d = D(x=[d, d])\nprint(d == d.copy())",
    "class D(dict): pass\nd = D()\nwhile True: d[len(d)] = d",
    "class L(list):\n    def __len__(self): return 0",
    "class D(dict):\n    def __init__(self): self.__dict__ = self\nd = D()\nd['__array_interface__'] = {'data': (1, False)}\nnp.array(d)",
    "import copy\nclass A:\n    def __reduce__(self): return torch.zeros, (10**6, 10**6)\ncopy.copy(A())",
    "import copy\nclass A:\n    def __reduce__(self): return torch.ones, (2,), {'grad_fn': 1}\ncopy.copy(A())",
    "import copy\nclass A:\n    def __reduce__(self): return copy.deepcopy, (self,)\ncopy.deepcopy(A())",
    "nn.Module.p = property(lambda self: self.p)\nnn.Linear(1, 1).p", "torch.Tensor._data = 3",
    "torch.Tensor.numel = lambda x: 0", "nn.Linear.forward = print", "nn.Linear.forward = torch.relu",
    "nn.Linear.forward = lambda self, x: self(x)\nnn.Linear(1, 1)(1)", "nn.Linear.forward = nn.Conv2d.forward", "for i in range(10**6): setattr(nn.Module, f'q{i}', i)",
    "class A: pass\na = A()\na.__dict__ = A().__dict__",
    "class A: pass\na = A()\na.__dict__ = [1]",
    "class A:\n    def __setattr__(self, n, v): self.n = v\nA().x = 1",
    "A = type('A', (bool,), {})", "A = type('A', (), {'__class__': int})",
    "import sys\nsys.argv = 1", "import sys\nsys.stdout = 3\nprint(1)",
    "import sys\nclass W:\n    def write(self, t): print(t)\nsys.stdout = W()\nprint(1)",
    "object.__setattr__(print, 'x', 1)", "object.__setattr__(torch, 'ones', 1)", "object.__setattr__(1, '__class__', str)",
    "class M(nn.Module): pass\nobject.__setattr__(M(), '_parameters', {})", "dict.__init__([], 1)",
    "def f():\n    from math import *",
]  # fmt: skip


@pytest.mark.parametrize("text", ATTEMPTS, ids=range(len(ATTEMPTS)))
def test_such_classes_reach_nothing_and_end(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(f"import torch\nimport numpy as np\n{text}\n", limits=STRICT._replace(steps=200_000)).run()
    assert caught.value.span is not None


def test_what_clips_and_flattens_is_reached_where_pytorch_has_it() -> None:
    names = "clip_grad_norm_ clip_grad_norm clip_grad_value_ clip_grads_with_norm_ get_total_norm"
    names += " parameters_to_vector vector_to_parameters spectral_norm remove_spectral_norm weight_norm"
    text = f"import torch\nfrom torch.nn.utils import {', '.join(names.split())}\n"
    assert printed(f"{text}print(torch.nn.utils.clip_grad_norm_ is clip_grad_norm_)\n") == "True\n"


# What CPython prints of each.
PASTED = [
    ("class A(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n        print(func.__name__)\n        return super().__torch_function__(func, types, args, kwargs)\n"
     "for cls in (torch.Tensor, A): print(type(cls.__torch_function__(torch.abs, (cls,), (torch.tensor([-1.]),), {})).__name__)\n",
     "Tensor\nabs\nA\n"),
    ("from torch.nn import _reduction\nx, m, aten = torch.tensor([[1, 2], [3, 4]]), torch.tensor([True, False]), torch.ops.aten\n"
     "print(aten.index(x, [None, m]).tolist(), aten.index_put(x, [m, None], torch.tensor(0)).tolist(), _reduction.get_enum('sum'))\n",
     "[[1], [3]] [[0, 0], [3, 4]] 2\n"),
    ("old = nn.Linear.forward\ndef f(self, x): return 2 * old(self, x)\nnn.Linear.forward = f\nclass Sub(nn.Linear):\n    def forward(self, x): return super().forward(x) + 1\n"
     "for l in (nn.Linear(1, 1), Sub(1, 1)):\n    nn.init.ones_(l.weight), nn.init.zeros_(l.bias)\n    print(l(torch.ones(1)), l.forward(torch.ones(1)).item(), nn.Linear.forward is f)\n"
     "nn.Linear.forward = old\nprint(l(torch.ones(1)).item())\nnn.Linear.reset_parameters = lambda self: print('left out')\nnn.Linear(1, 1)\n"
     "nn.Conv1d.forward = lambda self, x: x\nprint(nn.Conv1d(1, 1, 1)(3))\n",
     "tensor([2.], grad_fn=<MulBackward0>) 2.0 True\ntensor([3.], grad_fn=<AddBackward0>) 3.0 True\n2.0\nleft out\n3\n"),
    # What a program puts into the place of a method is gone with it.
    ("print(nn.Conv1d(1, 1, 1)(torch.ones(1, 1)).shape)\nnn.Linear(1, 1)", "torch.Size([1, 1])\n"),
    ("class A(nn.Module):\n    @property\n    def p(self): return self.q\nclass B(A):\n    def __getattr__(self, name): return 3 if name == 'r' else super().__getattr__(name)\n"
     "for a in (A(), B()):\n    try: a.p\n    except AttributeError as e: print(e, hasattr(a, 'p'), getattr(a, 'r', 0))\n",
     "'A' object has no attribute 'p' False 0\n'B' object has no attribute 'p' False 3\n"),
    ("def f(*errors): raise ExceptionGroup('g', [*errors, ExceptionGroup('in', [KeyError('k'), ValueError(2)])])\n"
     'try: f(ValueError(1))\n'
     'except* ValueError as e: print(repr(e), len(e.exceptions))\n'
     'except* KeyError as e: print(e, e.message)\n'
     "else: print('no')\n"
     "finally: print('f')\n"
     'try:\n'
     "    try: f(OSError('d'))\n"
     "    except* ValueError: raise TypeError('t')\n"
     '    except* KeyError: raise\n'
     'except ExceptionGroup as e: print(repr(e), e.split(TypeError), e.subgroup(lambda x: isinstance(x, OSError)))\n'
     "try: raise ValueError('v')\n"
     'except* ValueError as e: print(repr(e))\n'
     'try:\n'
     "    try: raise ValueError('v')\n"
     "    except* KeyError: print('no')\n"
     'except ValueError as e: print(repr(e))\n'
     "for wrong in (lambda: ExceptionGroup('a'), lambda: ExceptionGroup(1, [ValueError()]), lambda: ExceptionGroup('a', []), lambda: ExceptionGroup('a', [1])):\n"
     '    try: wrong()\n'
     '    except (TypeError, ValueError) as e: print(e)',
     "ExceptionGroup('g', [ValueError(1), ExceptionGroup('in', [ValueError(2)])]) 2\n"
     'g (1 sub-exception) g\n'
     'f\n'
     "ExceptionGroup('', [TypeError('t'), ExceptionGroup('g', [OSError('d'), ExceptionGroup('in', [KeyError('k')])])]) (ExceptionGroup('', [TypeError('t')]), ExceptionGroup('', [ExceptionGroup('g', [OSError('d'), ExceptionGroup('in', [KeyError('k')])])]))  (1 sub-exception)\n"
     "ExceptionGroup('', (ValueError('v'),))\n"
     "ValueError('v')\n"
     'BaseExceptionGroup.__new__() takes exactly 2 arguments (1 given)\n'
     'BaseExceptionGroup.__new__() argument 1 must be str, not int\n'
     'second argument (exceptions) must be a non-empty sequence\n'
     'Item 0 of second argument (exceptions) is not an exception\n'),
    ("b = bytearray(b'abc')\n"
     "b += b'd'; b.extend([1, 2]); b.append(3); b[0:2] = b'XYZ'; b[-1] = 9; del b[3]\n"
     "print(b, len(b), b[0], b[:2], type(b[1:]), b == bytes(b), 88 in b, b * 2, b.hex(), b.find(b'Z'), bytearray('\\xe9', 'utf8'), b.pop())\n"
     "m = memoryview(b); m[0] = 65; print(b, m.nbytes, m[1:3].tobytes(), list(m[:2]), b'%d-%s' % (3, b'x'), b''.join([b[:1], b'z']), bytes(bytearray(2)))\n"
     'm.release()\n'
     "for wrong in (lambda: hash(b), lambda: b.append(300), lambda: memoryview('a')):\n"
     '    try: wrong()\n'
     '    except (TypeError, ValueError) as e: print(e)\n'
     'import numpy as np, struct, zlib, binascii, io\n'
     "v = np.frombuffer(b, np.uint8); b[0] = 1; print(v, struct.unpack('<h', b[:2]), zlib.decompress(zlib.compress(b'a' * 9)), binascii.hexlify(b'\\xff'), binascii.unhexlify('00ff'), io.BytesIO(b'ab').getbuffer()[0])\n"
     "a = np.arange(3, dtype=np.int16); a.tofile('f.bin'); print(np.fromfile('f.bin', np.int16, 2), np.fromfile('f.bin', np.uint8), open('f.bin', 'rb').read())",
     "bytearray(b'XYZd\\x01\\x02') 7 88 bytearray(b'XY') <class 'bytearray'> True True bytearray(b'XYZd\\x01\\x02\\tXYZd\\x01\\x02\\t') 58595a64010209 2 bytearray(b'\\xc3\\xa9') 9\n"
     "bytearray(b'AYZd\\x01\\x02') 6 b'YZ' [65, 89] b'3-x' b'Az' b'\\x00\\x00'\n"
     "unhashable type: 'bytearray'\n"
     'byte must be in range(0, 256)\n'
     "memoryview: a bytes-like object is required, not 'str'\n"
     "[  1  89  90 100   1   2] (22785,) b'aaaaaaaaa' b'ff' b'\\x00\\xff' 97\n"
     "[0 1] [0 0 1 0 2 0] b'\\x00\\x00\\x01\\x00\\x02\\x00'\n"),
    ('import csv, io, functools, inspect\n'
     's=io.StringIO(); w=csv.writer(s, delimiter=";", quoting=csv.QUOTE_NONNUMERIC); w.writerow(["a",1,None,2.5,\'q"x\']); w.writerow([]); w.writerow([""]); w.writerows([[1,"x;y"]]); print(repr(s.getvalue()))\n'
     's=io.StringIO(); w=csv.writer(s, csv.excel_tab, lineterminator="\\n"); w.writerow(["a\\tb","c\\nd",3]); print(repr(s.getvalue())); s.seek(0); print(list(csv.reader(s, "excel-tab")))\n'
     'print(list(csv.reader([\'a, "b,c" ,d\',\'"x ""y"" z",,\',\'\',\'1;2\'], skipinitialspace=True)))\n'
     'r=csv.DictReader(io.StringIO("a,b\\n1,2\\n\\n3\\n4,5,6\\n"), restkey="more", restval="-"); print(r.fieldnames, list(r), r.line_num)\n'
     'd=csv.DictWriter(io.StringIO(), ["x"])\n'
     'try: d.writerow({"x":1,"y":2})\n'
     'except ValueError as e: print(e)\n'
     'csv.register_dialect("pipes", delimiter="|"); print(list(csv.reader(["a|b"], dialect="pipes")), csv.list_dialects())\n'
     'try: csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE).writerow(["a,b"])\n'
     'except csv.Error as e: print("Error", e)\n'
     's=io.StringIO(); csv.writer(s, quoting=csv.QUOTE_ALL).writerow([1,"b"]); print(repr(s.getvalue()))\n'
     's=io.StringIO(); csv.writer(s, quoting=csv.QUOTE_NONE, escapechar="\\\\").writerow(["a,b"]); print(repr(s.getvalue()), list(csv.reader(["a\\\\,b,c"], escapechar="\\\\")), list(csv.reader([\'1,"a"\'], quoting=csv.QUOTE_NONNUMERIC)))\n'
     'import functools, inspect\n'
     'def h(x, *, y: int = 3): pass\n'
     'print(inspect.signature(functools.wraps(h)(lambda *a: 1)))',
     '\'"a";1;"";2.5;"q""x"\\r\\n\\r\\n""\\r\\n1;"x;y"\\r\\n\'\n'
     '\'"a\\tb"\\t"c\\nd"\\t3\\n\'\n'
     "[['a\\tb', 'c\\nd', '3']]\n"
     '[[\'a\', \'b,c \', \'d\'], [\'x "y" z\', \'\', \'\'], [], [\'1;2\']]\n'
     "['a', 'b'] [{'a': '1', 'b': '2'}, {'a': '3', 'b': '-'}, {'a': '4', 'b': '5', 'more': ['6']}] 5\n"
     "dict contains fields not in fieldnames: 'y'\n"
     "[['a', 'b']] ['excel', 'excel-tab', 'unix', 'pipes']\n"
     'Error need to escape, but no escapechar set\n'
     '\'"1","b"\\r\\n\'\n'
     "'a\\\\,b\\r\\n' [['a,b', 'c']] [[1.0, 'a']]\n"
     '(x, *, y: int = 3)\n'),
    ('import logging, sys\n'
     'class F(logging.Formatter):\n'
     '    def format(self, r): r.levelname = r.levelname[0]; return super().format(r)\n'
     "log = logging.getLogger('a.b'); log.setLevel('DEBUG'); log.propagate = False\n"
     "s = logging.StreamHandler(sys.stdout); s.setFormatter(F('%(levelname)s %(name)s %(funcName)s:%(lineno)d %(message)s')); log.addHandler(s)\n"
     'def g():\n'
     "    log.info('x=%s', 1)\n"
     '    try: 1 / 0\n'
     "    except ZeroDivisionError: log.error('bad', exc_info=False)\n"
     "g(); log.warning('top')\n"
     'class A(logging.LoggerAdapter):\n'
     '    def process(self, msg, kw): return f"[{self.extra[\'r\']}] {msg}", kw\n'
     "A(log, {'r': 7}).debug('d'); print(s, logging.getLogger('a.b') is log, log)\n"
     'import logging.handlers\n'
     "m = logging.handlers.MemoryHandler(2, target=s); log.removeHandler(s); log.addHandler(m); log.info('one'); print('held'); log.info('two')",
     'I a.b g:9 x=1\n'
     'E a.b g:11 bad\n'
     'W a.b <module>:12 top\n'
     'D a.b <module>:15 [7] d\n'
     '<StreamHandler <stdout> (NOTSET)> True <Logger a.b (DEBUG)>\n'
     'held\n'
     'I a.b <module>:17 one\n'
     'I a.b <module>:17 two\n'),
    ('import unittest, io, logging, warnings\n'
     'class T(unittest.TestCase):\n'
     '    def test_a(self): self.assertEqual(1, 2)\n'
     '    def test_b(self):\n'
     "        with self.assertLogs('q', 'INFO') as c: logging.getLogger('q').info('hi')\n"
     "        with self.assertWarns(UserWarning): warnings.warn('x')\n"
     "        self.assertEqual(c.output, ['INFO:q:hi'])\n"
     '    def test_c(self):\n'
     '        for i in range(2):\n'
     '            with self.subTest(i=i): self.assertEqual(i, 0)\n'
     "    @unittest.skip('later')\n"
     '    def test_d(self): pass\n'
     '    @unittest.expectedFailure\n'
     '    def test_e(self): self.fail()\n'
     'for v in (0, 1, 2):\n'
     '    s = io.StringIO(); r = unittest.TextTestRunner(s, verbosity=v).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\n'
     "    print(*[l for l in s.getvalue().splitlines() if not l.startswith(('  ', 'Ran', 'Trace'))], r, sep='\\n')\n"
     'class R(unittest.TextTestResult):\n'
     "    def addSuccess(self, test): super().addSuccess(test); print('good', test.id())\n"
     "    def addFailure(self, test, err): super().addFailure(test, err); print('bad', err[0].__name__, test)\n"
     'unittest.TextTestRunner(resultclass=R).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))',
     '======================================================================\n'
     'FAIL: test_a (__main__.T.test_a)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 2\n'
     '\n'
     '======================================================================\n'
     'FAIL: test_c (__main__.T.test_c) (i=1)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 0\n'
     '\n'
     '----------------------------------------------------------------------\n'
     '\n'
     'FAILED (failures=2, skipped=1, expected failures=1)\n'
     '<unittest.runner.TextTestResult run=5 errors=0 failures=2>\n'
     'F.Fsx\n'
     '======================================================================\n'
     'FAIL: test_a (__main__.T.test_a)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 2\n'
     '\n'
     '======================================================================\n'
     'FAIL: test_c (__main__.T.test_c) (i=1)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 0\n'
     '\n'
     '----------------------------------------------------------------------\n'
     '\n'
     'FAILED (failures=2, skipped=1, expected failures=1)\n'
     '<unittest.runner.TextTestResult run=5 errors=0 failures=2>\n'
     'test_a (__main__.T.test_a) ... FAIL\n'
     'test_b (__main__.T.test_b) ... ok\n'
     'test_c (__main__.T.test_c) ... \n'
     "test_d (__main__.T.test_d) ... skipped 'later'\n"
     'test_e (__main__.T.test_e) ... expected failure\n'
     '\n'
     '======================================================================\n'
     'FAIL: test_a (__main__.T.test_a)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 2\n'
     '\n'
     '======================================================================\n'
     'FAIL: test_c (__main__.T.test_c) (i=1)\n'
     '----------------------------------------------------------------------\n'
     'AssertionError: 1 != 0\n'
     '\n'
     '----------------------------------------------------------------------\n'
     '\n'
     'FAILED (failures=2, skipped=1, expected failures=1)\n'
     '<unittest.runner.TextTestResult run=5 errors=0 failures=2>\n'
     'bad AssertionError test_a (__main__.T.test_a)\n'
     'good __main__.T.test_b\n'),
    ('import sys, time, signal, shlex\n'
     'try: raise KeyboardInterrupt\n'
     'except BaseException as e: print(isinstance(e, Exception), issubclass(SystemExit, Exception), isinstance(e, BaseException), e.__traceback__ is not None)\n'
     "try: open('none')\n"
     'except OSError as e: print(e.errno, e.strerror, e.filename, sys.exc_info()[2] is not None)\n'
     'print(ValueError().__traceback__, sys.version_info >= (3, 11))\n'
     'class C:\n'
     '    def __enter__(self): return self\n'
     '    def __exit__(self, kind, e, tb): print(kind.__name__, tb is not None); return True\n'
     'with C(): raise KeyError\n'
     'g = torch.no_grad(); g.__enter__(); print(torch.is_grad_enabled()); g.__exit__(None, None, None); print(torch.is_grad_enabled())\n'
     "try: (i for i in []).throw(AssertionError('thrown'))\n"
     'except AssertionError as e: print(e)\n'
     't, m = time.time(), time.perf_counter_ns(); time.sleep(0.01); print(time.time() - t >= 0.01, time.perf_counter_ns() - m >= 10**7)\n'
     'print(shlex.split("a \'b c\' d\\\\ e \\"f\\""), shlex.quote(\'a b\'), signal.signal(signal.SIGINT, signal.SIG_IGN) is signal.default_int_handler)\n'
     'class Bag(list):\n'
     '    def __add__(self, o): return Bag(super().__add__(list(o)))\n'
     'print(type(Bag([1]) + (2,)).__name__, Bag([1]) + (2,))',
     'False False True True\n'
     '2 No such file or directory none True\n'
     'None True\n'
     'KeyError True\n'
     'False\n'
     'True\n'
     'thrown\n'
     'True True\n'
     "['a', 'b c', 'd e', 'f'] 'a b' True\n"
     'Bag [1, 2]\n'),
    ('from torch.autograd import gradcheck\n'
     'class Bad(torch.autograd.Function):\n'
     '    @staticmethod\n'
     '    def forward(ctx, x): ctx.save_for_backward(x); return x * x\n'
     '    @staticmethod\n'
     '    def backward(ctx, g): return 3 * g * ctx.saved_tensors[0]\n'
     'try: gradcheck(Bad.apply, torch.tensor([1., 2.], dtype=torch.double, requires_grad=True))\n'
     'except Exception as e: print(type(e).__name__, e)',
     'GradcheckError Jacobian mismatch for output 0 with respect to input 0,\n'
     'numerical:tensor([[2.0000, 0.0000],\n'
     '        [0.0000, 4.0000]], dtype=torch.float64)\n'
     'analytical:tensor([[3., 0.],\n'
     '        [0., 6.]], dtype=torch.float64)\n'
     '\n'),
    ("for f in (lambda: torch.ones(1).cuda(), lambda: torch.ones(1, device='cuda'), lambda: nn.ReLU().to('mps'), lambda: nn.Linear(1, 1).to('cuda:0')):\n    try: print(f())\n    except (AssertionError, RuntimeError) as e: print(type(e).__name__, e)\n", "AssertionError Torch not compiled with CUDA enabled\nAssertionError Torch not compiled with CUDA enabled\nReLU()\nAssertionError Torch not compiled with CUDA enabled\n"),
    ("big = torch.arange(4.)\ntorch.save({'a': big, 'b': big[1:]}, 'f')\nd = torch.load('f')\nd['a'][1] = 9\nprint(d['b'], big)", "tensor([9., 2., 3.]) tensor([0., 1., 2., 3.])\n"),
    ("torch.manual_seed(0)\nx = torch.randint(0, 50, (6000,))\nprint(x.sort()[1][:4], x.sort(descending=True)[1][:4], x.float().topk(3)[1])", "tensor([4611,  105, 2706, 3689]) tensor([2996, 5462, 2812, 2837]) tensor([37, 28, 13])\n"),
    ("import inspect\nfrom torch import Tensor\nfrom typing import Optional, List\ndef f(x: Tensor, m: nn.Module, o: Optional[Tensor] = None, l: List[int] = [1], *a: int, k: 'Tensor' = None, **kw) -> torch.Tensor: pass\nprint(inspect.signature(f))", "(x: torch.Tensor, m: torch.nn.modules.module.Module, o: Optional[torch.Tensor] = None, l: List[int] = [1], *a: int, k: 'Tensor' = None, **kw) -> torch.Tensor\n"),
    ("from packaging import version\nfrom packaging.version import Version as V\nprint(version.parse(torch.__version__) >= V('1.8'), V('1.0') == V('1.0.0'), *sorted(map(V, ['1.10', '1.9', '1.10rc1', '1.10.post1', '1.10.dev3', '1.10a2', '1.10+cpu', '2!0.1', '1.10a2.dev1'])))\ntry: V('abc')\nexcept version.InvalidVersion as e: print(e)", "True True 1.9 1.10.dev3 1.10a2.dev1 1.10a2 1.10rc1 1.10 1.10+cpu 1.10.post1 2!0.1\nInvalid version: 'abc'\n"),
    ("b = torch.backends\nwith b.cudnn.flags(enabled=False): print(b.cudnn.enabled, b.mkldnn.is_available(), b.mkl.is_available(), b.openmp.is_available())\nprint(b.cudnn.enabled)", "False True True True\nTrue\n"),
    ("import torch.nn.modules.module as mm\nh = mm.register_module_forward_hook(lambda m, i, o: print(m))\nnn.ReLU()(torch.ones(1))\nh.remove()\nnn.ReLU()(torch.ones(1))", "ReLU()\n"),
    ("class D(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n    @staticmethod\n    def backward(ctx, g): return g * 2\nprint(D().apply(torch.ones(1, requires_grad=True)))", "tensor([2.], grad_fn=<DBackward>)\n"),
    ("from torch.autograd import Variable\nv = Variable(torch.ones(1))\nprint(isinstance(v, Variable), Variable, isinstance(1, (str, Variable)))", "True <class 'torch.autograd.variable.Variable'> False\n"),
    ("m = nn.Linear(1, 1)\nprint(m._forward_hooks, m._backward_hooks)", "OrderedDict() OrderedDict()\n"),
    ("u = torch.ones(2)\nu.__iadd__(1).__ipow__(3)\nprint(u, u.__rsub__(9), (2).__rsub__(5))", "tensor([8., 8.]) tensor([1., 1.]) 3\n"),
    ("print(torch.sparse.torch.eye(2).index_select(dim=0, index=torch.tensor([1])))", "tensor([[0., 1.]])\n"),
    ("print(nn.MSELoss()(input=torch.ones(1), target=torch.zeros(1)), nn.ReLU()(input=torch.ones(1)), nn.CosineSimilarity(0)(torch.ones(1), x2=torch.ones(1)))", "tensor(1.) tensor([1.]) tensor(1.)\n"),
    ("import sys\ntry:\n    try: sys.exit(3)\n    except Exception: print('no')\n    finally: print('f')\n"
     "except SystemExit as e: print(e.code, repr(e))", "f\n3 SystemExit(3)\n"),
    ("try: raise KeyboardInterrupt\nexcept BaseException as e: print(repr(e), issubclass(ValueError, BaseException))",
     "KeyboardInterrupt() True\n"),
    ("def g():\n    try: yield 1\n    except Exception: print('no')\n    except GeneratorExit as e: print(repr(e)); raise\n"
     "    finally: print('f')\na = g(); next(a); a.close(); print(g().__name__)", "GeneratorExit()\nf\ng\n"),
    ("def g():\n    while True:\n        try: yield\n        except GeneratorExit: pass\na = g(); next(a)\n"
     "try: a.close()\nexcept RuntimeError as e: print(e)", "generator ignored GeneratorExit\n"),
    ("from contextlib import suppress\nwith suppress(SystemExit): exit('x')\ntry:\n    with suppress(Exception): exit(1)\n"
     "except SystemExit as e: print(e.code)", "1\n"),
    ("import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ntry: p.parse_args(['--n', 'x'])\n"
     "except SystemExit as e: print(e.code)", "2\n"),
    ("class A: pass\nclass B(A): pass\nclass C(B, list): pass\nclass D(nn.Module): pass\n"
     "print([k.__name__ for k in C.mro()], C.__bases__[1] is list, D.__mro__[1] is nn.Module, A.__subclasses__())",
     "['C', 'B', 'A', 'list', 'object'] True True [<class '__main__.B'>]\n"),
    ("class M(dict):\n    def __missing__(self, k): return k\nprint('{a} {b:>3} {c[0]}'.format_map(M(a=1, c='q')))", "1   b q\n"),
    ("from enum import Enum, StrEnum, auto\nclass S(StrEnum): A = auto(); B = 'x'\nprint(S.A, '-'.join(S), S.A.upper())\n"
     "class E(Enum):\n    def _generate_next_value_(name, start, count, last): return name.lower()\n    A = auto()\n"
     "print(E.A.value)", "a a-x A\na\n"),
    ("from torch.distributions import Bernoulli, Categorical\nfor D in (Categorical, Bernoulli):\n"
     "    x = torch.tensor([0.1, 0.5, 0.4], requires_grad=True)\n    d = D(logits=x); d.sample()\n"
     "    d.entropy().sum().backward(); print(x.grad, d.probs.requires_grad)",
     "tensor([ 0.0679, -0.0541, -0.0138]) True\ntensor([-0.0249, -0.1175, -0.0961]) True\n"),
    ("from torch.distributions import Bernoulli, Categorical, Independent, Normal, Uniform\n"
     "for d in (Normal(0., 1.), Uniform(0., 1.), Bernoulli(0.3), Categorical(torch.ones(2, 3)), Independent(Normal(torch.zeros(2), 1.), 1)):\n"
     "    print(d.support)", "Real()\nInterval(lower_bound=0.0, upper_bound=1.0)\nBoolean()\n"
     "IntegerInterval(lower_bound=0, upper_bound=2)\nIndependentConstraint(Real(), 1)\n"),
    ("import numpy as np\ntry: np.linalg.inv(np.zeros((2, 2)))\nexcept np.linalg.LinAlgError as e: print(repr(e))\n"
     "print(np.iinfo(np.int8).max, np.gcd(12, [8, 9]), np.lcm(4, 6), np.left_shift(1, [2, 3]), np.ediff1d([1, 3, 7]))",
     "LinAlgError('Singular matrix')\n127 [4 3] 12 [4 8] [2 4]\n"),
    ("import cmath\nprint(cmath.exp(1j * cmath.pi), cmath.polar(-1))", "(-1+1.2246467991473532e-16j) (1.0, 3.141592653589793)\n"),
    ("import statistics as s\nd = [2.5, 3.5, 1, 4, 4, 10]\nprint(s.stdev(d), s.pstdev(d), s.variance(d), s.pvariance(d))",
     "3.0767948691238205 2.8087165910587863 9.466666666666667 7.888888888888889\n"),
    ("from datetime import date, datetime, timedelta, timezone\na = datetime(2024, 1, 1, 5, tzinfo=timezone.utc)\n"
     "b = a.astimezone(timezone(timedelta(hours=2)))\nprint(b, repr(a), a == b, a - b, f'{b:%H %z}', a == datetime(2024, 1, 1, 5))\n"
     "print(datetime.fromisoformat('2024-01-01T10:00:00+02:00').timestamp(), timezone(timedelta(hours=-5)), f'{date(2024, 1, 2):%d/%m}')\n"
     "try: a < datetime(2024, 1, 1)\nexcept TypeError as e: print(e)",
     "2024-01-01 07:00:00+02:00 datetime.datetime(2024, 1, 1, 5, 0, tzinfo=datetime.timezone.utc) True 0:00:00 07 +0200 False\n"
     "1704096000.0 UTC-05:00 02/01\ncan't compare offset-naive and offset-aware datetimes\n"),
    ("from builtins import object, range\nimport builtins\nclass A(object): pass\nfor i in range(1): builtins.print(i, isinstance(A(), object))",
     "0 True\n"),
    ("import sys\nme = sys.modules[__name__]\ndef f(x): return x + 1\nprint(me.f(1), hasattr(me, 'g'), '__main__' in sys.modules)",
     "2 False True\n"),
    ("from torch.utils.checkpoint import get_device_states, set_device_states\nset_device_states(*get_device_states(torch.ones(2)))\n"
     "print(torch.cuda._initialized, get_device_states())", "False ([], [])\n"),
    ("x = torch.tensor([[1.5, 2], [3, 4]])[1]\ns = x.storage()\nprint(s)\n"
     "print(s.tolist(), list(s) == s.tolist(), s[-1], len(s), s.dtype, s.element_size(), 3.0 in s, type(s))\n"
     "try: s[4]\nexcept IndexError as e: print(e)",
     " 1.5\n 2.0\n 3.0\n 4.0\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 4]\n"
     "[1.5, 2.0, 3.0, 4.0] True 4.0 4 torch.float32 4 True <class 'torch.storage.TypedStorage'>\n"
     "index 4 out of range for storage of size 4\n"),
    ("x = torch.ones(3, requires_grad=True)\ny = x.exp()\ns = y.storage(); s[0] = 5; s[-1] = True\nprint(y, y._version)\n"
     "s.fill_(3); y.sum().backward(); print(x.grad)\ntry: s[3] = 1\nexcept IndexError as e: print(e)",
     "tensor([5.0000, 2.7183, 1.0000], grad_fn=<ExpBackward0>) 0\ntensor([3., 3., 3.])\n"
     "index 3 is out of bounds for dimension 0 with size 3\n"),
    ("from collections import OrderedDict\nd = OrderedDict(a=1, b=2, c=3)\nprint(d.pop('b'), list(d), d.pop('q', 0))\n"
     "d.clear(); print(list(d), d)", "2 ['a', 'c'] 0\n[] OrderedDict()\n"),
    ("class Halved(torch.autograd.graph.saved_tensors_hooks):\n    def __init__(self): super().__init__(self.half, lambda t: t)\n"
     "    def half(self, t): return t / 2\nx = torch.ones(2, requires_grad=True)\nwith Halved(): y = x.exp()\n"
     "y.sum().backward(); print(x.grad)", "tensor([1.3591, 1.3591])\n"),
    ("import codecs\nprint(repr(codecs.decode(r'a\\tb\\x41\\u00e9\\\\', 'unicode_escape')), codecs.encode('Hello', 'rot13'))\n"
     "with codecs.open('x', 'w', 'utf-8') as f: f.write('\u00e9\\n')\nprint(codecs.open('x', encoding='utf-8').readlines())",
     "'a\\tbA\u00e9\\\\' Uryyb\n['\u00e9\\n']\n"),
    ("import abc, inspect\nclass Base(object, metaclass=abc.ABCMeta): pass\nclass Mixin: pass\nclass A(Base, nn.Module): pass\n"
     "class B(Mixin, nn.ReLU): pass\nclass C(Mixin, dict): pass\nclass D(Mixin, ValueError): pass\n"
     "print(A(), B(), C(a=1), repr(D('x')), [c.__name__ for c in inspect.getmro(B)])", "A() B() {'a': 1} D('x') ['B', 'Mixin', 'ReLU', 'Module', 'object']\n"),
    ("import numpy as np\nx = np.float32(0.1)\nprint(f'{x}', '{} {:.2f}'.format(torch.tensor(0.1).numpy(), x), '%s' % x, x)",
     "0.10000000149011612 0.10000000149011612 0.10 0.1 0.1\n"),
    ("from functools import wraps\ndef d(f):\n    @wraps(f)\n    def g(*a: int): return f(*a)\n    return g\n@d\ndef h(x: str) -> int: return 1\n"
     "@d\ndef k(x): pass\nprint(h.__annotations__, k.__annotations__)", "{'x': <class 'str'>, 'return': <class 'int'>} {}\n"),
    ("def f(s): return s is 'right', s is not 'left'\nprint(f('right'), f(''.join(['ri', 'ght'])))", "(True, True) (False, True)\n"),
    ("m = nn.Linear(2, 2)\nm.register_forward_hook(print)\n"
     "print(str(m._forward_hooks).split('(')[0], [*m._forward_hooks.values()])",
     "OrderedDict [<built-in function print>]\n"),
    ("import timeit\nt = timeit.Timer('f(x)', 'from __main__ import f', globals={})\nprint(f'{t.timeit(9) / 9:>5.1f}', min(t.repeat(2, 3)))\n"
     "try: timeit.timeit(3)\nexcept ValueError as e: print(e)", "<not measured> <not measured>\nstmt is neither a string nor callable\n"),
    ("from torch.optim.optimizer import Optimizer, required\nclass Plain(Optimizer):\n"
     "    def __init__(self, params, lr=required): super().__init__(params, {'lr': lr})\np = [nn.Parameter(torch.ones(1))]\n"
     "print(required, Plain([{'params': p, 'lr': 2}]).param_groups[0]['lr'])\n"
     "try: Plain(p)\nexcept ValueError as e: print(e)",
     "<required parameter> 2\nparameter group didn't specify a value of required optimization parameter lr\n"),
    ("from torch.nn.modules import Module\nclass Own(nn.modules.loss._Loss): pass\n"
     "print(Module is nn.Module, nn.modules.ReLU(), isinstance(nn.BatchNorm1d(1), nn.modules.batchnorm._BatchNorm), Own().reduction)",
     "True ReLU() True mean\n"),
    ("from torch.autograd.function import InplaceFunction\nclass Twice(InplaceFunction):\n    @staticmethod\n"
     "    def forward(ctx, x):\n        ctx.mark_dirty(x)\n        return x.mul_(2)\n    @staticmethod\n    def backward(ctx, g): return g * 2\n"
     "x = torch.ones(1, requires_grad=True)\nTwice.apply(x * 3).backward()\nprint(x.grad, issubclass(Twice, torch.autograd.Function))",
     "tensor([6.]) True\n"),
    ("class Own(nn.BatchNorm2d):\n    def forward(self, x):\n        self._check_input_dim(x)\n        return x + 1\n"
     "print(Own(1)(torch.zeros(1, 1, 1, 1)).item())\n"
     "for m in (Own(1), nn.InstanceNorm1d(1)):\n    try: m._check_input_dim(torch.zeros(1))\n    except ValueError as e: print(e)",
     "1.0\nexpected 4D input (got 1D input)\nexpected 2D or 3D input (got 1D input)\n"),
    ("from functorch import combine_state_for_ensemble, grad, make_functional, make_functional_with_buffers, vmap\n"
     "m = nn.Linear(2, 1)\nf, p = make_functional(m)\nprint(f, torch.equal(f(p, torch.ones(2)), m(torch.ones(2))))\n"
     "print(grad(lambda p, x: f(p, x).sum())(p, torch.ones(2)), make_functional(m, True)[1][0].requires_grad, m.weight.requires_grad)\n"
     "f, p, b = make_functional_with_buffers(nn.BatchNorm1d(1))\nprint(len(p), len(b))\n"
     "f, p, b = combine_state_for_ensemble([m, nn.Linear(2, 1)])\n"
     "print(vmap(f, (0, 0, None))(p, b, torch.ones(2)).shape, p[0].requires_grad)\n"
     "for make in (lambda: make_functional(nn.BatchNorm1d(1)), lambda: combine_state_for_ensemble([m, nn.ReLU()])):\n"
     "    try: make()\n    except RuntimeError as e: print(str(e)[:45])",
     "FunctionalModule(\n  (stateless_model): Linear(in_features=2, out_features=1, bias=True)\n) True\n"
     "(tensor([[1., 1.]]), tensor([1.])) False True\n2 3\ntorch.Size([2, 1]) False\n"
     "make_functional(model): `model` has buffers. \ncombine_state_for_ensemble: Expected all mode\n"),
    ('one = torch.tensor(1.)\nx = torch.tensor([-2., 0.5, 3.])\nF = torch.nn.functional\nprint(x.clamp(-1, one), F.leaky_relu(x, one * 0.5), x.roll(torch.tensor(1)), torch.normal(one, 0.0, (2,)), F.smooth_l1_loss(x, x * 0, beta=one))\nfor make in (lambda: x.clamp(one, 2), lambda: x.clamp(-1, torch.ones(1)), lambda: x.clamp(-1, one.clone().requires_grad_())):\n    try: make()\n    except TypeError as e: print(str(e)[:37])',
     'tensor([-1.0000,  0.5000,  1.0000]) tensor([-1.0000,  0.5000,  3.0000]) tensor([ 3.0000, -2.0000,  0.5000]) tensor([1., 1.]) tensor(1.3750)\nclamp() received an invalid combinati\nclamp() received an invalid combinati\n'),
    ('z = torch.zeros(2, dtype=torch.cfloat)\nz.real = torch.ones(2)\nz.imag = 3\nz.imag *= -1\nprint(z)\nw = torch.ones(2, requires_grad=True)\nv = torch.zeros(2, dtype=torch.cfloat)\nv.real, v.imag = w * 2, w\n(v * v.conj()).real.sum().backward()\nprint(w.grad)',
     'tensor([1.-3.j, 1.-3.j])\ntensor([10., 10.])\n'),
    ("from collections import OrderedDict\nm = nn.BatchNorm1d(1)\nsd = m.state_dict()\nnew = OrderedDict(sd.items())\nprint(sd._metadata, getattr(new, '_metadata', None))\nnew._metadata = sd._metadata\ntorch.save({'s': new}, 'f')\nprint(m.load_state_dict(new), torch.load('f')['s']._metadata)\ndel new._metadata\ntry: new._metadata\nexcept AttributeError as e: print(e)",
     "OrderedDict([('', {'version': 2})]) None\n<All keys matched successfully> OrderedDict([('', {'version': 2})])\n'collections.OrderedDict' object has no attribute '_metadata'\n"),
    ("from collections import OrderedDict\nclass Own(nn.Linear): pass\nfor m in (nn.Linear(1, 1), Own(1, 1)):\n    m.register_forward_hook(lambda *a: print('called'))\n    m._forward_hooks = OrderedDict()\n    m._backward_hooks = {}\n    print(m(torch.ones(1)).shape, len(m._forward_hooks))\nclass Around(torch.optim.Optimizer):\n    def __init__(self, base):\n        self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = {}, {}\n        self.base, self.param_groups, self.state = base, base.param_groups, base.state\n    def step(self, closure=None): return self.base.step(closure)\no = Around(torch.optim.SGD(m.parameters(), lr=0.1))\no.step()\ntry: o.zero_grad()\nexcept AttributeError as e: print(e)",
     "torch.Size([1]) 0\ntorch.Size([1]) 0\n'Around' object has no attribute 'defaults'\n"),
    ('import sys, os, argparse\np = argparse.ArgumentParser(prog=os.path.basename(sys.argv[0]))\np.print_usage(sys.stdout)',
     'usage: spec.py [-h]\n'),
    ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l, self.cfg = nn.Linear(2, 2), 1\n    def forward(self, x): return self.l(x).sum()\n    def gen(self): return self.training\nraw = Net()\nnet = torch.compile(raw)\nprint(net, type(net), isinstance(net, nn.Module), list(net.state_dict()), net._orig_mod is raw, net.l is raw.l)\nnet.cfg = 3\nnet.eval()\nprint(raw.cfg, raw.training, net.gen(), hasattr(raw, '_orig_mod'))\nnet(torch.ones(1, 2)).backward()\nprint(raw.l.bias.grad, Net().load_state_dict({k.removeprefix('_orig_mod.'): v for k, v in net.state_dict().items()}))\nprint(len(torch.compile(nn.Sequential(nn.ReLU()))))\nfor f in (lambda: len(net), lambda: net.nope, lambda: net[0]):\n    try: f()\n    except (TypeError, AttributeError) as e: print(e)",
     "OptimizedModule(\n  (_orig_mod): Net(\n    (l): Linear(in_features=2, out_features=2, bias=True)\n  )\n) <class 'torch._dynamo.eval_frame.OptimizedModule'> True ['_orig_mod.l.weight', '_orig_mod.l.bias'] True True\n3 False False False\ntensor([1., 1.]) <All keys matched successfully>\n1\nNet does not support len()\n'Net' object has no attribute 'nope'\n'OptimizedModule' object is not subscriptable\n"),
    ("print(nn.init._calculate_correct_fan(torch.empty(2, 3), 'fan_out'), nn.init._calculate_correct_fan(torch.empty(2, 3, 4), 'fan_in'))", "2 12\n"),
    ('torch.manual_seed(0)\nfor n, size in ((6, 3), (8, 5), (2, 5)):\n    x = torch.randn(1, n, 1, 1, requires_grad=True)\n    y = nn.CrossMapLRN2d(size, 0.3, 0.6, 2)(x)\n    (y * torch.arange(n).view(y.shape)).sum().backward()\n    print(y.flatten(), x.grad.flatten())\nfor make in (lambda: nn.CrossMapLRN2d(1)(x).sum().backward(), lambda: torch.autograd.grad(nn.CrossMapLRN2d(3)(x).sum(), x, create_graph=True)):\n    try: make()\n    except RuntimeError as e: print(e)',
     "tensor([ 0.9483, -0.1609, -1.1866,  0.3025, -0.6137, -0.7974],\n       grad_fn=<ViewBackward0>) tensor([0.0000, 0.5464, 0.8484, 1.6375, 2.0689, 2.4822])\ntensor([ 0.2597,  0.5381, -0.4590, -0.2573, -0.3803,  0.1147, -0.5412,  0.6995],\n       grad_fn=<ViewBackward0>) tensor([-0.0075,  0.6527,  1.2483,  1.8768,  2.5071,  3.1865,  3.7889,  4.4222])\ntensor([-0.6923,  0.0793], grad_fn=<ViewBackward0>) tensor([0.0030, 0.6460])\nstart (1) + length (2) exceeds dimension size (2).\nmul(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.\n"),
]  # fmt: skip


@pytest.mark.parametrize("end", ["", "exit(0)\n"])
def test_what_is_wanted_at_the_end_of_a_program_comes_there_the_last_first(end: str) -> None:
    text = "import atexit\n@atexit.register\ndef f(): print('f')\natexit.register(print, 1, 2, sep='-')\n"
    text += "def g(): print('g')\natexit.register(g)\natexit.unregister(g)\nprint('end')\n"
    assert printed(text + end) == "end\n1-2\nf\n"
    with pytest.raises(LimitError):
        program("import atexit\ndef f(): atexit.register(f)\nf()\n", limits=STRICT._replace(steps=10_000)).run()


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note", "ignore:.*should not be instantiated")
def test_programs_print_what_python_prints() -> None:
    for text, shown in PASTED:
        assert printed(f"import torch\nfrom torch import nn\n{text}\n") == shown


MEMBERS = """
from enum import IntEnum
import numpy as np, torch
from torch import nn
class Tag(IntEnum):
    PAD = 0; O = 1; PER = 2
class N(int): pass
class Rate(float): pass
x = torch.zeros(2, 3)
x[:, Tag.O] = Rate(0.5)
x[Tag.PAD, Tag.PER] = Tag.PER
x[N(1), 0:2] = torch.tensor([Tag.O, N(7)])
print(x.tolist(), x[Tag.PAD].tolist(), x[[Tag.O, Tag.PAD], N(1)].tolist(), x.sum(Tag.O).tolist())
print((torch.arange(3) == Tag.O).tolist(), (N(1) != torch.arange(2)).tolist(), (torch.ones(2) * Rate(2) > Tag.O).tolist())
print(torch.full((N(2),), Rate(1.5)).tolist(), nn.Linear(Tag.PER, N(3)), nn.CrossEntropyLoss(ignore_index=Tag.PAD).ignore_index)
a = np.arange(6.0).reshape(Tag.PER, -1)
a[Tag.O] = Rate(9)
print(a.tolist(), a[:, Tag.PER].tolist(), np.array([Tag.O, Rate(2)]).tolist(), np.clip(a[0], Tag.O, Tag.PER).tolist())
"""


def test_members_and_derived_numbers_are_given_as_the_numbers_that_they_stand_for() -> None:
    assert printed(MEMBERS).splitlines() == [
        "[[0.0, 0.5, 2.0], [1.0, 7.0, 0.0]] [0.0, 0.5, 2.0] [7.0, 0.5] [2.5, 8.0]",
        "[False, True, False] [True, False] [True, True]",
        "[1.5, 1.5] Linear(in_features=2, out_features=3, bias=True) 0",
        "[[0.0, 1.0, 2.0], [9.0, 9.0, 9.0]] [2.0, 9.0] [1.0, 2.0] [1.0, 1.0, 2.0]",
    ]
    for use in ("torch.zeros(N(10**5), N(10**5))", "x[O()]", "torch.zeros([N(1), O()])", "x[0] = O()"):
        with pytest.raises((LimitError, ProgramError)):
            printed(f"{MEMBERS}\nclass O: pass\n{use}\n")


LACKING = [
    ("try: torch.nope(1)\nexcept AttributeError as e: print(e)", "module 'torch' has no attribute 'nope'\n"),
    ("try: f = nn.functional.nope\nexcept (ImportError, AttributeError) as e: print(e)", "module 'torch.nn.functional' has no attribute 'nope'\n"),
    ("try:\n    from torch import nope\nexcept ImportError: print('none')", "none\n"),
]


@pytest.mark.parametrize(("text", "shown"), LACKING, ids=[t for t, _ in LACKING])
def test_a_program_may_do_without_a_name_and_a_note_says_so(text: str, shown: str) -> None:
    with pytest.warns(Note, match="the program is told that there is none"):
        assert printed(f"import torch\nfrom torch import nn\n{text}\n") == shown


@pytest.mark.parametrize("handler", ["except Exception: pass", "except TypeError: pass", "finally: pass"])
def test_a_name_that_the_program_does_not_expect_to_miss_is_refused(handler: str) -> None:
    with pytest.raises(SpecError, match="torch has no function 'nope' in gradcli"):
        program(f"import torch\ntry: torch.nope(1)\n{handler}\n").run()


def test_methods_of_arrays_make_no_functions_anew() -> None:
    text = "import numpy as np\na = np.ones(2)\nfor i in range(3): a.dot(a), a.clip(0, 1), a.transpose()\n"
    printed(text)
    from gradcli.spec.stdlib.small_numpy.ufuncs import _KNOWN

    before = len(_KNOWN)
    printed(text)
    assert len(_KNOWN) == before


def test_parametrized_members_are_computed_once_where_they_are_cached() -> None:
    text = """\
import torch
from torch import nn
from torch.nn.utils import parametrize
class Half(nn.Module):
    def forward(self, w):
        print("computed")
        return w / 2
layer = nn.Linear(2, 2)
parametrize.register_parametrization(layer, "weight", Half())
print("once")
with parametrize.cached():
    layer(layer.weight + layer.weight)
@parametrize.cached()
def twice(x):
    return layer(x) - layer(x)
print(twice(torch.ones(1, 2)), twice.__name__)
print(torch.equal(layer.weight, layer.weight))
"""
    assert printed(text) == "computed\nonce\ncomputed\ncomputed\ntensor([[0., 0.]], grad_fn=<SubBackward0>) twice\ncomputed\ncomputed\nTrue\n"


def test_what_copies_of_pytorchs_layers_lean_on_is_there() -> None:
    text = (
        "import torch.nn.functional as F\nm = torch.tensor([False, True])\n"
        "print(F._canonical_mask(m, 'mask', None, '', torch.float64), F._none_or_dtype(m), F._none_or_dtype(None))\n"
        "q = torch.ones(1, 2)\nprint(F._in_projection_packed(q, q, q, torch.ones(6, 2), None)[2])\n"
        "try:\n    F._verify_batch_size([1, 3])\nexcept ValueError as e:\n    print(e)\n"
    )
    assert printed(text).splitlines() == [
        "tensor([0., -inf], dtype=torch.float64) torch.bool None",
        "tensor([[2., 2.]])",
        "Expected more than 1 value per channel when training, got input size [1, 3]",
    ]


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
def test_there_is_no_screen() -> None:
    text = "import matplotlib\nprint('inline' in matplotlib.get_backend())\n"
    assert printed(text) == "False\n"


def test_small_unsigned_numbers() -> None:
    text = """\
import numpy as np
a = np.array([1, 2, 65535], dtype=np.uint16)
print(a + 1, a.sum().dtype, (a / 2).dtype, repr(a.astype("uint32")), np.iinfo(a.dtype).max)
print(repr(np.uint32(5) - np.uint32(3)), [7, 8][np.uint16(1)], np.issubdtype(a.dtype, np.integer))
print(np.random.default_rng(3).integers(0, 255, 3, dtype=np.uint8).dtype, np.random.randint(9, dtype="uint16").dtype)
print(type(np.random.randint(9)).__name__, type(np.random.default_rng(3).integers(9)).__name__)
"""
    assert printed(text) == (
        "[2 3 0] uint64 float64 array([    1,     2, 65535], dtype=uint32) 65535\n"
        "np.uint32(2) 8 True\nuint8 uint16\nint int64\n"
    )


def test_distributions_of_numpy_draw_its_numbers() -> None:
    calls: dict[str, tuple[float, ...]] = {
        "zipf": (1.2, 3), "f": (3, 5), "hypergeometric": (5, 6, 7), "logseries": (0.6,), "negative_binomial": (4, 0.3),
        "noncentral_chisquare": (2, 3), "noncentral_f": (2, 3, 4), "vonmises": (0.5, 2), "wald": (1, 2),
    }  # fmt: skip
    text = "import numpy as np\nfor r in (np.random.RandomState(5), np.random.default_rng(7)):\n"
    text += "".join([f"    print(r.{name}(*{args}))\n" for name, args in calls.items()])
    sources = (np.random.RandomState(5), np.random.default_rng(7))
    drawn = [getattr(r, name)(*args) for r in sources for name, args in calls.items()]
    assert printed(text) == "".join([f"{value}\n" for value in drawn])
    with pytest.raises(SpecError, match=r"takes a from 1\.01 on"):
        printed("import numpy as np\nnp.random.zipf(1.0000001)")


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
def test_the_numbers_of_an_array_in_a_file() -> None:
    text = """\
import numpy as np
a = np.arange(6, dtype=np.uint16).reshape(2, 3)
a.tofile("ids.bin")
a[0] = 9
b = np.fromfile("ids.bin", dtype=np.uint16)
b[0] = 7
print(b, np.fromfile("ids.bin", np.uint16, 2), np.memmap("ids.bin", np.uint16, mode="r", shape=(3, 2))[1:])
with open("x.bin", "wb") as f:
    np.ones(2, np.float32).tofile(f)
print(np.fromfile(open("x.bin", "rb"), "float32"))
np.save("saved.npy", a)
for read in (lambda: np.fromfile("ids.bin"), lambda: np.fromfile("saved.npy", np.uint16)):
    try:
        read()
    except NotImplementedError as error:
        print(error)
try:
    np.memmap("ids.bin", np.uint16, "r+")
except NotImplementedError as error:
    print(error)
"""
    refused = "which bytes were saved is not known here: read them with what saved them\n"
    assert printed(text) == (
        "[7 1 2 3 4 5] [0 1] [[2 3]\n [4 5]]\n[1. 1.]\n"
        f"{refused}np.memmap() reads files (mode='r') in gradcli: write them by ndarray.tofile()\n"
    )


def test_an_enumeration_tells_its_members_as_programs_ask() -> None:
    text = """\
from enum import Enum, Flag, auto
class Color(Enum):
    RED = 1
    CRIMSON = 1
    L = [1]
class F(Flag):
    A = auto()
    B = auto()
    AB = A | B
print(Color._member_names_, 1 in Color._value2member_map_, 7 in Color._value2member_map_, Color._member_map_)
print(F._member_names_, F._value2member_map_[3])
"""
    assert printed(text) == (
        "['RED', 'L'] True False {'RED': <Color.RED: 1>, 'CRIMSON': <Color.RED: 1>, 'L': <Color.L: [1]>}\n"
        "['A', 'B'] F.AB\n"
    )


def test_members_of_enumerations_compute_as_their_numbers() -> None:
    text = """\
from enum import Enum, IntEnum
import torch
class Kind(IntEnum):
    ONE = 1
    TWO = 2
class Rate(float, Enum):
    LOW = 0.5
k = Kind.TWO
print(3 ** k, k ** 2, pow(3, k), 5 // k, 5 % k, 7 / k, k / 4, divmod(7, k), 1 << k, k << 1, 7 & k, 5 ^ k, -k, abs(k))
print(torch.ones(2) ** k, k / torch.ones(1), 1 - Rate.LOW, -Rate.LOW, round(k), +k, k - 1, torch.ones(1) - Rate.LOW)
for wrong in (lambda: Kind.ONE - "a", lambda: 2 ** Kind, lambda: Rate.LOW << 1):
    try:
        wrong()
    except TypeError:
        print("no")
"""
    assert printed(text) == (
        "9 4 9 2 1 3.5 0.5 (3, 1) 4 4 2 7 -2 2\n"
        "tensor([1., 1.]) tensor([2.]) 0.5 -0.5 2 2 1 tensor([0.5000])\nno\nno\nno\n"
    )


def test_what_is_called_at_the_end_is_called_after_an_error() -> None:
    parts: list[str] = []
    with pytest.raises(ProgramError, match="too bad"):
        program("import atexit\natexit.register(print, 'end')\nraise ValueError('too bad')").run(parts.append)
    assert "".join(parts) == "end\n"
    # Not after what no program can catch.
    with pytest.raises(LimitError):
        program("import atexit\natexit.register(print, 'end')\n[0] * 10**9").run(parts.append)
    assert "".join(parts) == "end\n"


@pytest.mark.parametrize("of", ["nn.Linear", "argparse.ArgumentParser.parse_args", "print"])
def test_the_source_of_a_function(of: str) -> None:
    text = """\
import inspect, argparse
def same(f):
    return f
@same
def f(x):
    # twice
    return 2 * x
class A:
    def g(self): return 1
h = lambda x: x
print(inspect.getsource(f) + inspect.getsource(A().g) + inspect.getsource(h) + inspect.getsource(A), end="")
"""
    assert printed(text) == (
        "@same\ndef f(x):\n    # twice\n    return 2 * x\n    def g(self): return 1\nh = lambda x: x\n"
        "class A:\n    def g(self): return 1\n"
    )
    with pytest.raises(SpecError, match="for functions and classes of the program"):
        program(f"{text}inspect.getsource({of})").run()


SHOWN = {
    "import inspect, warnings\n"
    "# What a class derives from, there as here.\n"
    "print(nn.CrossEntropyLoss.__mro__[1].__name__, torch.optim.AdamW.__bases__[0].__name__, isinstance(nn.ReLU6(), nn.Hardtanh))\n"
    "print([c.__name__ for c in type('A', (nn.Conv2d,), {}).__mro__], nn.Module.__bases__, hasattr(int, '__dataclass_fields__'))\n"
    "# Methods for tensors and layers, and another function in place of one.\n"
    "torch.Tensor.twice = lambda x: 2 * x\n"
    "nn.Module.count = property(lambda self: sum(p.numel() for p in self.parameters()))\n"
    "relu = F.relu\n"
    "F.relu = lambda x: relu(x).twice()\n"
    "print(F.relu(torch.ones(1)), nn.Linear(2, 1).count, hasattr(torch.ones(1), 'thrice'))\n"
    "F.relu = relu\n"
    "with warnings.catch_warnings(record=True) as found:\n"
    "    warnings.filterwarnings('always')\n"
    "    warnings.filterwarnings('ignore', message='.*SKIP')\n"
    "    warnings.warn('do skip me')\n"
    "    warnings.warn('kept')\n"
    "print([str(w.message) for w in found])\n"
    "taken = inspect.signature(nn.Dropout).parameters\n"
    "print(taken['p'].default, taken['inplace'].kind == taken['p'].POSITIONAL_OR_KEYWORD, 'lr' in inspect.signature(torch.optim.SGD).parameters)\n"
    "bound = inspect.signature(lambda a, *b, c=3: 0).bind(1, 2)\n"
    "bound.apply_defaults()\n"
    "print(bound.args, bound.kwargs, inspect.ismethod(nn.ReLU().forward), inspect.isfunction(F.relu))\n": (
        "_WeightedLoss Adam True\n"
        "['A', 'Conv2d', '_ConvNd', 'Module', 'object'] (<class 'object'>,) False\n"
        "tensor([2.]) 3 False\n"
        "['kept']\n"
        "0.5 True True\n"
        "(1, 2) {'c': 3} True True\n"
    ),
    "import copy, pickle\n"
    "from dataclasses import dataclass\n"
    "class P:\n"
    "    def __init__(self, x): self.x = x\n"
    "    def __reduce__(self): return P, (self.x,), {'told': True}\n"
    "made = [copy.copy(P(1)), copy.deepcopy([P([2])] * 2), pickle.loads(pickle.dumps(P(3)))]\n"
    "print(made[0].x, made[0].told, made[1][0].x, made[1][0] is made[1][1], made[2].x)\n"
    "@dataclass(slots=True)\n"
    "class D: x: int = 1\n"
    "print(D.__slots__, hasattr(D(), '__dict__'))\n"
    "class N(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.f = lambda x: x\n"
    "for save in (lambda: pickle.dumps(lambda x: x), lambda: torch.save(N(), 'n.pt'), lambda: pickle.dumps(i for i in 'a')):\n"
    "    try: save()\n"
    "    except (pickle.PicklingError, AttributeError, TypeError) as e: print(type(e).__name__, str(e)[:36])\n"
    "try: import wandb\n"
    "except ImportError as e: print(e)\n"
    "def f():\n"
    "    from no_such_package import x\n"
    "try: f()\n"
    "except ModuleNotFoundError as e: print(e.name)\n": (
        "1 True [2] True 3\n"
        "('x',) False\n"
        "AttributeError Can't pickle local object '<lambda>.\n"
        "AttributeError Can't pickle local object 'N.__init_\n"
        "TypeError cannot pickle 'generator' object\n"
        "No module named 'wandb'\n"
        "no_such_package\n"
    ),
    # PyTorch's functions in C take NumPy's names of arguments, those in Python do not.
    "x = torch.arange(6.).reshape(2, 3)\n"
    "print(torch.stack((x, x), axis=-1).shape, x.softmax(axis=0).shape, torch.exp(x=x[0, :1]), torch.mul(x[0], x2=x[0]))\n"
    "print(torch.quantile(x, 0.5, axis=1, keepdims=True).shape, torch.zeros(2).scatter_(axis=0, index=torch.tensor([1]), value=1.0))\n"
    "try: F.softmax(x, axis=1)\n"
    "except TypeError as e: print(e)\n": (
        "torch.Size([2, 3, 2]) torch.Size([2, 3]) tensor([1.]) tensor([0., 1., 4.])\n"
        "torch.Size([2, 1]) tensor([0., 1.])\nsoftmax() got an unexpected keyword argument 'axis'\n"
    ),
    # Weights of another dtype do not make the loss theirs.
    "x, t, w = torch.zeros(2), torch.ones(2), torch.tensor([2, 4])\n"
    "loss = F.binary_cross_entropy_with_logits\n"
    "print(loss(x, t, weight=w), loss(x, t, pos_weight=w.double()), F.binary_cross_entropy(t / 2, t, weight=w))\n": (
        "tensor(2.0794) tensor(2.0794) tensor(2.0794)\n"
    ),
    # Sorting keeps the order of equal elements in short rows alone, and few of many are found by a heap.
    "x = torch.arange(18) % 2\n"
    "print(x.sort()[1], x.argsort(stable=True)[:3], (torch.arange(300) % 3).topk(4)[1])\n": (
        "tensor([ 2, 16,  4,  6, 14,  8,  0, 10, 12,  9, 17, 15, 13, 11,  7,  5,  3,  1]) tensor([0, 2, 4]) "
        "tensor([ 8,  5, 11,  2])\n"
    ),
    "print(torch.histogram(torch.arange(4.), density=True).hist.shape)\n"
    "v = torch.ones(1, requires_grad=True)\n"
    "with torch.no_grad(): print(torch.sparse_coo_tensor([[1]], v, (2,)).to_dense())\n": "torch.Size([100])\ntensor([0., 1.])\n",
    "x = torch.zeros(1, 1, 3)\nprint(x.broadcast_to(2, 1, 3).shape, x.squeeze(0, 1).shape)\n": (
        "torch.Size([2, 1, 3]) torch.Size([3])\n"
    ),
    # What torch.save writes has the size of PyTorch's file, of which the name is a part, and text that of its bytes.
    "import io, os\nnet = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))\n"
    "opt = torch.optim.Adam(net.parameters())\nnet(torch.ones(2, 4)).sum().backward()\nopt.step()\nos.mkdir('d')\n"
    "torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'é': [10**12, (None, 2.5)]}, 'd/last.tar')\n"
    "torch.save(torch.ones(9)[::2].bfloat16(), 'w')\ntorch.save(net.state_dict(), buffer := io.BytesIO())\n"
    "with open('b', 'w') as f: f.write('é')\n"
    "print(os.path.getsize('d/last.tar'), [os.stat(f).st_size for f in 'wb'], len(buffer.getvalue()))\n"
    "buffer.seek(0)\nprint(torch.load(io.BytesIO(open('w', 'rb').read())), list(torch.load(buffer))[0])\n"
    "try: torch.save(net, 'n'), os.path.getsize('n')\n"
    "except NotImplementedError as e: print(e)\n": (
        "6431 [1407, 2] 3217\ntensor([1., 1., 1., 1., 1.], dtype=torch.bfloat16) 0.weight\n"
        "which bytes are saved of a Sequential is not known here: save its state_dict(), or numbers, texts and tensors\n"
    ),
    "import collections, typing\nclass Q(typing.NamedTuple):\n    a: int\nclass R(typing.NamedTuple):\n    'Mine.'\n"
    "    a: int\nprint(collections.namedtuple('P', 'x y').__doc__, Q.__doc__, R(1).__doc__, torch.load.__name__)\n": (
        "P(x, y) Q(a,) Mine. load\n"
    ),
    "w = torch.arange(6.)\nv = w.view(6)\nprint(w.resize_(3, 2), w.resize_((2, 2)), w._version, v.shape)\n"
    "print(torch.empty(0).resize_as_(w).fill_(2), torch.arange(4).t().resize_(2, 2).stride())\n"
    "try: w.requires_grad_().resize_(1)\n"
    "except RuntimeError as e: print(e)\n": (
        "tensor([[0., 1.],\n        [2., 3.]]) tensor([[0., 1.],\n        [2., 3.]]) 2 torch.Size([6])\n"
        "tensor([[2., 2.],\n        [2., 2.]]) (2, 1)\ncannot resize variables that require grad\n"
    ),
    "import numpy as np\nr = np.random.default_rng(3)\n"
    "print(r.random(2, dtype=np.float32), r.standard_normal(2, dtype='float32').dtype, r.permuted([1, 2, 3]))\n": (
        "[0.8115045  0.08564913] float32 [1 2 3]\n"
    ),
    # What nothing but the program asks of a module it may set, for its own run.
    "print(torch.pi)\ntorch.pi, torch.mine = torch.ones(1), 3\nprint(torch.pi, torch.mine)\n": (
        "3.141592653589793\ntensor([1.]) 3\n"
    ),
    "from torch.autograd.gradcheck import gradcheck\nfrom torch.autograd import gradcheck as same\n"
    "print(gradcheck is same, gradcheck(torch.sin, torch.ones(1, dtype=torch.double, requires_grad=True)))\n": "True True\n",
    "from torch import Tensor\n"
    "@torch.library.custom_op('my::scaled', mutates_args=())\n"
    "def scaled(x: Tensor, n: int = 2, *, by: float = 1.0) -> Tensor: return x[:n] * by\n"
    "x = torch.ones(3, requires_grad=True)\n"
    "try: scaled(x).sum().backward()\n"
    "except RuntimeError as e: print(e)\n"
    "def keep(ctx, inputs, keyword_only_inputs, output): ctx.n, ctx.by = inputs[1], keyword_only_inputs['by']\n"
    "def back(ctx, g): return torch.cat([g * ctx.by, g.new_zeros(3 - ctx.n)]), None\n"
    "scaled.register_autograd(back, setup_context=keep)\n"
    "y = scaled(x, by=3.0)\ny.sum().backward()\nprint(scaled, y.grad_fn.name(), x.grad)\n": (
        "Trying to backward through my.scaled.default but no autograd formula was registered. "
        "Please use register_autograd to add one.\n"
        "<CustomOpDef(my::scaled)> GeneratedBackwardFor_my_scaled_defaultBackward tensor([3., 3., 0.])\n"
    ),
    "from torch.library import Library, impl\nlib = Library('own', 'DEF')\n"
    "lib.define('scale(Tensor x, float by=2.0) -> Tensor')\n"
    "@impl(lib, 'scale', 'CompositeImplicitAutograd')\ndef scale(x, by=2.0): return x * by\n"
    "x = torch.ones(2, requires_grad=True)\nprint(torch.ops.own.scale(x), torch.ops.own.scale.default, hasattr(torch.ops.own, 'other'))\n"
    "print(torch.ops.aten.add.Tensor(x, 1), torch.ops.aten.mm, torch.ops.aten.view(x, [1, 2]))\n": (
        "tensor([2., 2.], grad_fn=<MulBackward0>) own.scale.default False\n"
        "tensor([2., 2.], grad_fn=<AddBackward0>) aten.mm tensor([[1., 1.]], grad_fn=<ViewBackward0>)\n"
    ),
    "from torch.optim.adam import adam\nfrom torch.optim.lr_scheduler import StepLR, LRScheduler, _LRScheduler\n"
    "w, m, v, n = torch.ones(2), torch.zeros(2), torch.zeros(2), torch.tensor(0.0)\n"
    "adam([w], [torch.ones(2)], [m], [v], [], [n], amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False)\n"
    "print(w, m, v, n)\n"
    "s = StepLR(torch.optim.SGD([w], lr=0.1), 1)\nprint(isinstance(s, LRScheduler), isinstance(s, _LRScheduler))\n": (
        "tensor([0.9000, 0.9000]) tensor([0.1000, 0.1000]) tensor([0.0100, 0.0100]) tensor(1.)\nTrue False\n"
    ),
    "from torch.optim.lr_scheduler import LambdaLR\nclass Half:\n    base = 1\n    def __init__(self): self.base = 0.5\n"
    "    def __call__(self, e): return self.base ** e\nclass W(LambdaLR): pass\nfor f in Half(), lambda e: 0.5 ** e:\n"
    "    o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0); s = W(o, f); o.step(); s.step()\n"
    "    d = s.state_dict(); print([*d][-2:], d['lr_lambdas'])\n    if d['lr_lambdas'][0]: d['lr_lambdas'][0]['base'] = 0.25\n"
    "    s.load_state_dict(d); o.step(); s.step(); print(s.get_last_lr())\n": (
        "['_last_lr', 'lr_lambdas'] [{'base': 0.5}]\n[0.0625]\n['_last_lr', 'lr_lambdas'] [None]\n[0.25]\n"
    ),
    "try: torch.ones(2, 3).masked_fill(torch.ones(2, 2), 0)\nexcept RuntimeError as e: print(e)\n": (
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1\n"
    ),
    "x = torch.tensor([0.26, -0.9, 3.0], requires_grad=True)\n"
    "y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -8, 7)\ny.sum().backward()\nprint(y, x.grad)\n"
    "try: torch.cuda.FloatTensor(2)\nexcept TypeError as e: print(e)\nprint(isinstance(x, torch.cuda.FloatTensor), torch.cuda.FloatTensor, x.volatile)\n"
    "from distutils.version import LooseVersion\nprint(LooseVersion(torch.__version__) >= '1.8')\n": (
        "tensor([ 0.3000, -0.8000,  0.7000],\n"
        "       grad_fn=<FakeQuantizePerTensorAffineCachemaskBackward0>) tensor([1., 0., 0.])\n"
        "type torch.cuda.FloatTensor not available. Torch not compiled with CUDA enabled.\n"
        "False <class 'torch.cuda.FloatTensor'> False\nTrue\n"
    ),
    "from distutils.util import strtobool\nfrom torch.amp.autocast_mode import autocast\n"
    "from torch.amp.grad_scaler import GradScaler\nprint(strtobool('Yes'), strtobool('off'), autocast is torch.amp.autocast)\n"
    "try: strtobool('maybe')\nexcept ValueError as e: print(e, GradScaler is torch.amp.GradScaler)\n": (
        "1 0 True\ninvalid truth value 'maybe' True\n"
    ),
    "m = nn.Linear(2, 2)\nprint(m._backward_hooks.keys())\nm.register_forward_hook(lambda *a: None)\n"
    "print(len(m._forward_hooks.keys()), type(m._forward_hooks.items()), type(m._forward_hooks.values()))\n": (
        "odict_keys([])\n1 <class 'odict_items'> <class 'odict_values'>\n"
    ),
    "torch.manual_seed(0)\nnet = nn.GRU(2, 3)\nx, h = torch.rand(4, 1, 2), torch.zeros(1, 1, 3)\n"
    "print(torch.equal(torch.gru(x, h, list(net.parameters()), True, 1, 0.0, True, False, False)[0], net(x, h)[0]), torch.rand(1))\n": (
        "True tensor([0.3168])\n"
    ),
    "from collections import OrderedDict\nclass Twice(torch.optim.Optimizer):\n"
    "    def __init__(self, inner):\n        self.inner = inner\n        self._patch_step_function()\n"
    "        self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = OrderedDict(), OrderedDict()\n"
    "    @property\n    def param_groups(self): return self.inner.param_groups\n"
    "    def step(self):\n        for _ in range(2): self.inner.step()\n"
    "w = torch.ones(1, requires_grad=True)\nw.grad = torch.ones(1)\nTwice(torch.optim.SGD([w], lr=0.25)).step()\nprint(w.item())\n": "0.5\n",
    "class A(nn.Module): pass\n"
    "def __init__(self, n):\n    super(A, self).__init__()\n    self.inner = nn.Linear(n, 1)\n"
    "setattr(A, '__init__', __init__)\nclass B(A): pass\nprint(A(2).inner, len(list(B(3).parameters())))\n": (
        "Linear(in_features=2, out_features=1, bias=True) 2\n"
    ),
    "class A(nn.Module):\n"
    "    def __call__(self): return 'called'\n"
    "    def forward(self): return 'forward'\n"
    "print(A()())\ndel A.__call__\nprint(A()())\n": "called\nforward\n",
    # An array that holds anything, whose slices share its places.
    "import numpy as np\na = np.zeros(3, dtype=object)\na[1:][0], a[[2]] = (1, 'x'), [[3, 4]]\n"
    "print(a, repr(a[:1]), a.dtype, type(a), isinstance(a, np.ndarray), len(np.array([[1], [2, 3]], dtype='O')[1]))\n"
    "try: a[3]\n"
    "except IndexError as e: print(e)\n": (
        "[0 (1, 'x') list([3, 4])] array([0], dtype=object) object <class 'numpy.ndarray'> True 2\n"
        "index 3 is out of bounds for axis 0 with size 3\n"
    ),
    # A program runs in the uppermost folder of its files.
    "import glob, os, fnmatch\nfrom pathlib import Path\n"
    "for name in ('a/x1.txt', 'a/b/x2.txt', 'a/.x', 'c'):\n"
    "    os.makedirs(os.path.dirname(f'd/{name}'), exist_ok=True)\n    open(os.path.join(os.getcwd(), 'd', name), 'w').close()\n"
    "print(glob.glob('./d/*'), glob.glob('d/**/x[!3-9]*', recursive=True), glob.glob('d/**', recursive=True))\n"
    "print(sorted(p.name for p in Path('d').rglob('*x*')), fnmatch.fnmatch('a-]', 'a[b-][]]'))\n": (
        "['./d/a', './d/c'] ['d/a/b/x2.txt', 'd/a/x1.txt'] "
        "['d/', 'd/a', 'd/a/b', 'd/a/b/x2.txt', 'd/a/x1.txt', 'd/c']\n['.x', 'x1.txt', 'x2.txt'] True\n"
    ),
    "import pickle, sys\n__all__ = ['f']\n"
    "class CPU(pickle.Unpickler):\n    def find_class(self, module, name): return super().find_class(module, name)\n"
    "with open('p', 'wb') as f: pickle.Pickler(f).dump([1, {2}])\n"
    "sys.modules[__name__].__all__.append('g')\nprint(CPU(open('p', 'rb')).load(), __all__)\n": "[1, {2}] ['f', 'g']\n",
    # Other programs are as if they were not there.
    "import subprocess\n"
    "try: subprocess.check_output(['git', 'log'], stderr=subprocess.DEVNULL)\n"
    "except (subprocess.CalledProcessError, FileNotFoundError) as e: print(e)\n": (
        "[Errno 2] No such file or directory: 'git'\n"
    ),
    "from torch.nn.utils.fusion import fuse_conv_bn_eval\n"
    "class M(nn.Module):\n"
    "    def kept(self): yield from self._named_members(lambda m: m._buffers.items(), prefix='a')\n"
    "m = M()\nm.b = nn.BatchNorm1d(1)\nprint([n for n, _ in m.kept()], torch.jit.is_tracing())\n"
    "with torch.autograd.set_multithreading_enabled(False):\n"
    "    print(fuse_conv_bn_eval(nn.Conv1d(1, 1, 1).eval(), m.b.eval()).weight.shape)\n": (
        "['a.b.running_mean', 'a.b.running_var', 'a.b.num_batches_tracked'] False\ntorch.Size([1, 1, 1])\n"
    ),
    # A conversion goes through the methods of the modules.
    "class Angles(nn.Module):\n"
    "    def __init__(self): super().__init__(); self.seen = torch.ones(2); self.register_buffer('b', torch.ones(1))\n"
    "    def _apply(self, fn, *args, **kwargs):\n"
    "        module = super()._apply(fn, *args, **kwargs)\n        self.seen = fn(self.seen)\n"
    "        try: fn(3)\n        except (TypeError, AttributeError): print('no tensor')\n"
    "        return module\n"
    "m = nn.Sequential(Angles(), nn.Linear(1, 1)).double()\nprint(m[0].seen, m[0].b, m[0]._apply(lambda t: t * 2) is m[0])\n"
    "print(m[0].b)\n": (
        "no tensor\ntensor([1., 1.], dtype=torch.float64) tensor([1.], dtype=torch.float64) True\n"
        "tensor([2.], dtype=torch.float64)\n"
    ).replace("True", "True").replace("no tensor\ntensor([1., 1.]", "no tensor\ntensor([1., 1.]"),
    "@torch.jit.ignore()\ndef f(): return 1\n@torch.jit.ignore\ndef g(): return 2\n"
    "from torch.nn.attention.flex_attention import flex_attention\nimport torch.storage\nprint(f(), g())\n": "1 2\n",
    "from torch.jit.annotations import List\n"
    "print(torch.jit.set_fusion_strategy([('STATIC', 2)]), torch.jit.set_fusion_strategy([]), List[int])\n"
    "with torch.jit.optimized_execution(True): print(isinstance(3, (torch.SymInt, float)))\n"
    "try: raise RuntimeError('x')\nexcept torch.cuda.OutOfMemoryError: pass\nexcept RuntimeError as e: print(e)\n"
    "print(torch.cuda.OutOfMemoryError is torch.OutOfMemoryError)\n": (
        "[('STATIC', 2), ('DYNAMIC', 10)] [('STATIC', 2)] typing.List[int]\nFalse\nx\n"
        "True\n"
    ),
    "x = torch.tensor([1, 2])\nprint(x.type(torch.Tensor))\n"
    "for kind in (int, nn.Module, 'torch.Foo', x):\n"
    "    try: x.type(kind)\n    except (TypeError, ValueError) as e: print(e)\n": (
        "tensor([1., 2.])\ninvalid type: 'int'\ninvalid type: 'Module'\ninvalid type: 'torch.Foo'\n"
        "dtype must be a type, str, or dtype object\n"
    ),
    # At 0 the slope is the learned one.
    "x = torch.tensor([0., -0., 1., -1.], requires_grad=True)\n"
    "F.prelu(x, torch.tensor([0.25])).sum().backward()\nprint(x.grad)\n": "tensor([0.2500, 0.2500, 1.0000, 0.2500])\n",
}


@pytest.mark.filterwarnings("ignore::gradcli.spec.guard.notes.Note")
@pytest.mark.parametrize(("text", "shown"), SHOWN.items(), ids=range(len(SHOWN)))
def test_a_program_prints_what_it_prints_in_pytorch(text: str, shown: str) -> None:
    head = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    assert printed(head + text) == shown

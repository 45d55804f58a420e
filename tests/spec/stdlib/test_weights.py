"""torch.load() of weights only: each line as PyTorch 2.13 printed it, names of classes and functions in their order."""

from __future__ import annotations

import pytest

from ..running import printed

pytestmark = pytest.mark.filterwarnings("ignore:files are kept in memory")

START = """
import torch, pickle, enum, functools, dataclasses, datetime, pathlib, numpy as np
from collections import *
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l, self.act = torch.nn.Linear(1, 1), torch.tanh
class P:
    def __init__(self, n=1): self.n = n
@dataclasses.dataclass
class Config: rate: float = 0.1
class L(list): pass
class D(dict): pass
class T(torch.Tensor): pass
class E(enum.Enum): A = 1
N = namedtuple('N', 'a b')
def f(): pass
R, S = np._core.multiarray._reconstruct, np._core.multiarray.scalar
def load(value, *safe):
    torch.serialization.clear_safe_globals()
    torch.serialization.add_safe_globals(safe)
    torch.save(value, 'v.pt')
    try: return repr(torch.load('v.pt'))
    except pickle.UnpicklingError as e:
        said = str(e)
        assert said.endswith('https://pytorch.org/docs/stable/generated/torch.load.html.')
        start = said.find('GLOBAL ') if 'GLOBAL' in said else said.find('Can only ')
        return said[start:].split(' was not')[0].split(chr(10))[0]
"""

BUILT = "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got <class "
CASES = {
    "M()": "GLOBAL __main__.M",
    "M(), M": "GLOBAL torch.nn.modules.linear.Linear",
    "M(), M, torch.nn.Linear": "GLOBAL getattr",
    "{'net': [torch.nn.ReLU()]}": "GLOBAL torch.nn.modules.activation.ReLU",
    "torch.nn.ReLU(), torch.nn.ReLU": "ReLU()",
    "{1: Config()}": "GLOBAL __main__.Config",
    "{1: Config()}, Config": "{1: Config(rate=0.1)}",
    "[f]": "GLOBAL __main__.f",
    "P": "GLOBAL __main__.P",
    "P(f), P": "GLOBAL __main__.f",
    "E.A": "GLOBAL __main__.E",
    "E.A, E": "<E.A: 1>",
    "N(1, 2)": "GLOBAL __main__.N",
    "N(1, 2), N": "N(a=1, b=2)",
    "L([1]), L": "Can only append to lists, but got <class '__main__.L'>",
    "D(a=1, b=2), D": (
        "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, but got <class '__main__.D'>"
    ),
    "D(), D": "{}",
    "torch.ones(1).as_subclass(T)": "GLOBAL __main__.T",
    "np.ones(2)": "GLOBAL numpy._core.multiarray._reconstruct",
    "np.ones(2), R": "GLOBAL numpy.ndarray",
    "np.ones(2), R, np.ndarray": "GLOBAL numpy.dtype",
    "np.ones(2), R, np.ndarray, np.dtype": BUILT + "'numpy.dtypes.Float64DType'>",
    "np.ones(2), R, np.ndarray, np.dtype, np.dtypes.Float64DType": "array([1., 1.])",
    "{'loss': np.float32(2)}": "GLOBAL numpy._core.multiarray.scalar",
    "{'loss': np.float32(2)}, S, np.dtype, np.dtypes.Float32DType": "{'loss': np.float32(2.0)}",
    "deque([1])": "GLOBAL collections.deque",
    "defaultdict(int, a=1), defaultdict": "GLOBAL int",
    "(range(3), slice(1), ...)": "GLOBAL range",
    "range(3), range": "range(0, 3)",
    "frozenset([1])": "GLOBAL frozenset",
    "datetime.date(2020, 1, 1)": "GLOBAL datetime.date",
    "pathlib.Path('a')": "GLOBAL pathlib.PosixPath",
    "functools.partial(print)": "GLOBAL functools.partial",
    "torch.nn.functional.relu": "GLOBAL torch.nn.functional.relu",
    "np.float32": "GLOBAL numpy.float32",
    "int": "GLOBAL int",
    "ValueError": "GLOBAL exceptions.ValueError",
    "torch.optim.SGD(M().parameters(), lr=1.), torch.optim.SGD": "GLOBAL collections.defaultdict",
    "torch.distributions.Normal(0., 1.)": "GLOBAL torch.distributions.normal.Normal",
    "P(), (P, '__main__.P')": "<__main__.P object",
    "[OrderedDict(a=1), Counter('a'), {1}, 1j]": "[OrderedDict([('a', 1)]), Counter({'a': 1}), {1}, 1j]",
    "[b'a', bytearray(b'a'), torch.int8, torch.Size([1])]": "[b'a', bytearray(b'a'), torch.int8, torch.Size([1])]",
    "torch.device('cpu')": "device(type='cpu')",
}  # fmt: skip


def test_what_is_in_a_pickle() -> None:
    text = START + "\n".join(f"print(load({case})[:{len(said)}])" for case, said in CASES.items())
    assert dict(zip(CASES, printed(text).splitlines(), strict=True)) == CASES


def test_the_words() -> None:
    text = """
import torch, pickle
class M(torch.nn.Module): pass
torch.save(M(), 'm')
try: torch.load('m')
except pickle.PickleError as e: print(type(e), e)
try: torch.load('m', weights_only=True, pickle_module=pickle)
except RuntimeError as e: print(e)
print(torch.load('m', weights_only=False), torch.load('m', pickle_module=pickle))
print(torch.serialization.get_unsafe_globals_in_checkpoint('m'))
with torch.serialization.safe_globals([M]): print(torch.load('m'), len(torch.serialization.get_safe_globals()))
print(torch.serialization.get_safe_globals())
with open('p', 'wb') as f: pickle.dump({'a': 1}, f)
for options in {}, {'weights_only': False}:
    try: torch.load('p', **options)
    except (pickle.UnpicklingError, RuntimeError) as e: print(str(e).split(chr(10))[-3 if len(str(e)) > 99 else 0])
t = torch.ones(1, requires_grad=True); t.sum().backward(); torch.save(t, 't'); print(torch.load('t').grad)
"""
    assert printed(text) == (
        "<class '_pickle.UnpicklingError'> Weights only load failed. This file can still be "
        "loaded, to do so you have two options, \033[1mdo those steps only if you trust the source "
        "of the checkpoint\033[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the "
        "`weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` "
        "with `weights_only` set to `False` will likely succeed, but it can result in arbitrary "
        "code execution. Do it only if you got the file from a trusted source.\n\t(2) "
        "Alternatively, to load with `weights_only=True` please check the recommended steps in "
        "the following error message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL "
        "__main__.M was not an allowed global by default. Please use "
        "`torch.serialization.add_safe_globals([__main__.M])` or the "
        "`torch.serialization.safe_globals([__main__.M])` context manager to allowlist this "
        "global if you trust this class/function.\n\nCheck the documentation of torch.load to learn"
        " more about types accepted by default with weights_only "
        "https://pytorch.org/docs/stable/generated/torch.load.html.\nCan not safely load weights "
        "when explicit pickle_module is specified\nM() M()\n['__main__.M']\nM() 1\n[]\nUnsupported "
        "operand 149\nInvalid magic number; corrupt file?\nNone\n"
    )


def test_hooks_run_once() -> None:
    text = """
import pickle, torch
class A:
    def __init__(self): self.me, self.x = self, 1
    def __getstate__(self):
        print('getstate', end=' ')
        return {'x': 2, 'me': self}
    def __setstate__(self, state):
        print('setstate', end=' ')
        self.__dict__.update(state)
    def __deepcopy__(self, memo): print('no')
class B:
    def __init__(self, x): self.x = x; print('init', end=' ')
    def __reduce__(self):
        print('reduce', end=' ')
        return B, (self.x,)
class Net(torch.nn.Module):
    def __setstate__(self, state):
        print('net', end=' ')
        super().__setstate__(state)
b = B(4); print()
for save in pickle.dumps, lambda v: torch.save(v, 'f'):
    data = save([A(), b, Net(), b]); print('saved', end=' ')
    l = pickle.loads(data) if data is not None else torch.load('f', weights_only=False)
    print(l[0].me is l[0], l[0].x, l[1].x, l[1] is l[3], l[1] is b, l[2])
"""
    once = "getstate reduce saved setstate init net True 2 4 True False Net()\n"
    assert printed(text) == "init \n" + once + once


@pytest.mark.parametrize(
    "use",
    ["R(1)", "np._core.multiarray.scalar(np.float64, b'a')", "np._core.multiarray.os", "torch.serialization._safe"],
)
def test_nobody_calls_what_pickles_call(use: str) -> None:
    with pytest.raises(Exception, match=r"is called when a file is read|has no|not in the spec language"):
        printed(START + use + "\n")

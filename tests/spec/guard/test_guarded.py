"""Whatever a program hands on to be called is called as the interpreter would call it: charged, and nothing foreign."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.random.generator import Generator
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import GradcliError
from gradcli.nn.modules.module import Module
from gradcli.optim.optimizer import Optimizer
from gradcli.spec.guard.foreign_callables import is_offered
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.guard.size_limits import caps
from gradcli.spec.program import discard
from gradcli.spec.stdlib.builtin_functions import builtins_for
from gradcli.spec.torch_names.absent import Absent
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.members import assign, get, names
from gradcli.spec.values.show import representation
from gradcli.spec.values.tables.table import TABLES
from gradcli.spec.values.user_definitions import Namespace, UserFunction, UserType
from tests import rings
from tests.rings import all_of
from tests.sources import trees
from tests.spec.running import printed, program, run

HOUSE = Path(gradcli.__file__).parent

# -- doors: a program hands on `host`, and has it called -----------------------------------------

START = """
import torch, functools, itertools, collections, contextlib, dataclasses
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.optim.lr_scheduler import LambdaLR, MultiplicativeLR, CyclicLR
x = torch.ones(3, requires_grad=True)
m = nn.Linear(3, 3)
opt = torch.optim.SGD([x], lr=1.0)
class Own(torch.autograd.Function):
    pass
"""

DOORS = {
    "hook of a leaf": "x.register_hook(host)\nx.sum().backward()",
    "hook of a tensor": "y = x * 2\ny.register_hook(host)\ny.sum().backward()",
    "hook on a gradient that is there": "x.register_post_accumulate_grad_hook(host)\nx.sum().backward()",
    "hook of a node": "y = x * 2\ny.grad_fn.register_hook(host)\ny.sum().backward()",
    "hook before a node": "y = x * 2\ny.grad_fn.register_prehook(host)\ny.sum().backward()",
    "forward hook": "m.register_forward_hook(host)\nm(x)",
    "forward hook with kwargs": "m.register_forward_hook(host, with_kwargs=True)\nm(x)",
    "forward pre-hook": "m.register_forward_pre_hook(host)\nm(x)",
    "backward hook": "m.register_full_backward_hook(host)\nm(x).sum().backward()",
    "backward pre-hook": "m.register_full_backward_pre_hook(host)\nm(x).sum().backward()",
    "hook before a step": "opt.register_step_pre_hook(host)\nopt.step()",
    "hook after a step": "opt.register_step_post_hook(host)\nopt.step()",
    "closure": "opt.step(host)",
    "closure of LBFGS": "torch.optim.LBFGS([x]).step(host)",
    "closure through a scaler": "torch.amp.GradScaler(enabled=False).step(opt, host)",
    "Module.apply": "m.apply(host)",
    "checkpoint": "checkpoint(host, x, use_reentrant=False)",
    "checkpoint, reentrant": "checkpoint(host, x, use_reentrant=True)",
    "context of a checkpoint": "checkpoint(torch.sin, x, use_reentrant=False, context_fn=host)",
    "checkpoint_sequential": "checkpoint_sequential([host, host], 1, x, use_reentrant=False)",
    "apply_": "x.detach().apply_(host)",
    "map_": "x.detach().map_(x, host)",
    "forward": "class F(torch.autograd.Function):\n    forward = host\nF.apply(x)",
    "static forward": "class F(torch.autograd.Function):\n    forward = staticmethod(host)\nF.apply(x)",
    "forward set later": "class F(torch.autograd.Function): pass\nF.forward = host\nF.apply(x)",
    "backward": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    backward = host\nF.apply(x).sum().backward()"
    ),
    "setup_context": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(x): return x * 2\n"
        "    setup_context = host\nF.apply(x)"
    ),
    "once_differentiable": (
        "from torch.autograd.function import once_differentiable\nclass F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): return x * 2\n    backward = once_differentiable(host)\n"
        "F.apply(x).sum().backward()"
    ),
    "forward of a module": "class M(nn.Module):\n    forward = host\nM()(x)",
    "forward of a module, set later": "class M(nn.Module): pass\nM.forward = host\nM()(x)",
    "forward of an instance": "class M(nn.Module): pass\nn = M()\nn.forward = host\nn(x)",
    "extra_repr": "class M(nn.Module):\n    extra_repr = host\nprint(M())",
    "a special method": "class A:\n    __call__ = __getitem__ = __len__ = host\nA()(1)\nA()[0]\nlen(A())",
    "a property": "class A:\n    p = property(host)\nA().p",
    "a property of a module": "class M(nn.Module):\n    forward = property(host)\nM()(x)",
    "a setter": "class A:\n    p = property(None, host)\na = A()\na.p = 1",
    "LambdaLR": "LambdaLR(opt, host).step()",
    "LambdaLR, set later": "s = LambdaLR(opt, lambda e: 1.0)\nopt.step()\ns.lr_lambdas[0] = host\ns.step()",
    "MultiplicativeLR": "s = MultiplicativeLR(opt, host)\nopt.step()\ns.step()",
    "CyclicLR": "CyclicLR(opt, 0.1, 1.0, scale_fn=host, cycle_momentum=False).step()",
    "collate_fn": "list(DataLoader([1, 2], collate_fn=host))",
    "collate_fn, set later": "l = DataLoader([1, 2])\nl.collate_fn = host\nlist(l)",
    "samples of a data set": (
        "class D(torch.utils.data.Dataset):\n    __getitem__ = host\n    __len__ = lambda self: 2\n"
        "list(DataLoader(D()))"
    ),
    "a sampler": (
        "class S(torch.utils.data.Sampler):\n    __iter__ = host\n    __len__ = lambda self: 2\n"
        "list(DataLoader([1, 2], sampler=S()))"
    ),
    "step of an optimiser": (
        "class O(torch.optim.Optimizer):\n    step = host\no = O([x], {'lr': 1.0})\nLambdaLR(o, lambda e: 1)\no.step()"
    ),
    "saved_tensors_hooks": (
        "with torch.autograd.graph.saved_tensors_hooks(host, host):\n    y = (x * x).sum()\ny.backward()"
    ),
    "parametrization": (
        "from torch.nn.utils import parametrize\nparametrize.register_parametrization(m, 'weight', host)"
    ),
    "right_inverse": (
        "from torch.nn.utils import parametrize\nclass P(nn.Module):\n    def forward(self, x): return x\n"
        "    right_inverse = host\nparametrize.register_parametrization(m, 'weight', P())"
    ),
    "activation": "nn.TransformerEncoderLayer(4, 1, activation=host)(torch.ones(2, 1, 4))",
    "distance_function": (
        "torch.nn.functional.triplet_margin_with_distance_loss(x, x, x, distance_function=host)"
    ),
    "functional_call": "torch.func.functional_call(host, {}, (x,))",
    "no_grad": "torch.no_grad()(host)(x)",
    "bare no_grad": "torch.no_grad(host)(x)",
    "inference_mode": "torch.inference_mode()(host)(x)",
    "dual_level": "torch.autograd.forward_ad.dual_level()(host)(x)",
    "jvp of a function": (
        "import torch.autograd.forward_ad as fwAD\nclass F(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x): return x * 2\n    jvp = host\n"
        "with fwAD.dual_level():\n    F.apply(fwAD.make_dual(x, x))"
    ),
    "autocast": "torch.amp.autocast('cuda', enabled=False)(host)(x)",
    **{
        f"func.{name}": f"torch.func.{name}(host)(x)"
        for name in ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "vmap")
    },
    "func.vjp": "torch.func.vjp(host, x)",
    "func.jvp": "torch.func.jvp(host, (x,), (x,))",
    "func.linearize": "torch.func.linearize(host, x)",
    **{
        f"functional.{name}": f"torch.autograd.functional.{name}(host, x, v=x)"
        for name in ("vjp", "jvp", "vhp", "hvp")
    },
    **{
        f"functional.{name}": f"torch.autograd.functional.{name}(host, x)" for name in ("jacobian", "hessian")
    },
    "gradcheck": "torch.autograd.gradcheck(host, (x.double(),))",
    "gradgradcheck": "torch.autograd.gradgradcheck(host, (x.double(),))",
    "map": "list(map(host, [1]))",
    "filter": "list(filter(host, [1]))",
    "sorted": "sorted([2, 1], key=host)",
    "min": "min([2, 1], key=host)",
    "max": "max(2, 1, key=host)",
    "list.sort": "[2, 1].sort(key=host)",
    "reduce": "functools.reduce(host, [1, 2])",
    "partial": "functools.partial(host)(1)",
    "groupby": "list(itertools.groupby([1], key=host))",
    "accumulate": "list(itertools.accumulate([1, 2], host))",
    "defaultdict": "collections.defaultdict(host)[1]",
    "contextmanager": "with contextlib.contextmanager(host)(): pass",
    "default_factory": "@dataclasses.dataclass\nclass A:\n    x: int = dataclasses.field(default_factory=host)\nA()",
}  # fmt: skip


class Foreign:
    """What a program must never have called, in several forms; it notes if it was."""

    def __init__(self) -> None:
        self.called: list[str] = []
        note = self.called.append

        class Kind:
            def __new__(cls, *args: Any, **kwargs: Any) -> Any:
                note("a class")
                return object.__new__(cls)

        class Meta(type):
            def __call__(cls, *args: Any, **kwargs: Any) -> Any:
                note("a metaclass")

        self.forms: dict[str, Any] = {
            "a function": lambda *args, **kwargs: note("a function"),
            "a builtin": note,
            "a class": Kind,
            "a metaclass": Meta("Made", (), {}),
            "an instance": self,
            "a method": self.__call__,
        }

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.called.append("an instance")


def tried(text: str, **given: Any) -> None:
    """Run a program that is handed values no program could come by; it may fail in its own words."""
    try:
        running = program(text)
        machine = running.machine()
        machine.globals.update(given)
        running.run(machine=machine)
    except GradcliError:
        return


@all_of(DOORS)
def test_no_door_calls_what_is_foreign(door: str) -> None:
    foreign = Foreign()
    for form in foreign.forms.values():
        tried(START + DOORS[door], host=form)
    assert foreign.called == []


# What one of them is refused for is refused to all, whichever door it comes to.
HOSTS = (type, np.ndarray, getattr, eval, __import__, object.__subclasses__, np.sum, np.add)


@all_of([*zip(DOORS, cycle(HOSTS)), *(("map", host) for host in HOSTS)])
def test_no_door_calls_what_is_of_the_host(case: tuple[str, Any]) -> None:
    door, host = case
    running = program(START + DOORS[door])
    machine = running.machine()
    machine.globals.update(host=host)
    with pytest.raises(GradcliError):
        running.run(machine=machine)


@all_of(DOORS)
def test_every_door_calls_a_function_of_the_program(door: str) -> None:
    text = START + "def host(*args, **kwargs):\n    print('called')\n    raise KeyError('from the program')\n"
    said: list[str] = []
    with pytest.raises(GradcliError, match=r"from the program|no attribute|generator|not a Module"):
        program(text + DOORS[door]).run(said.append)
    assert "called\n" in "".join(said) or door in ("contextmanager", "parametrization", "functional_call")


# -- all public functions, whatever they do with it ----------------------------------------------

VALUES = """
def leaf(): return torch.ones(2, requires_grad=True)
def sgd(): return torch.optim.SGD([leaf()], lr=1.0)
lr = torch.optim.lr_scheduler
values = [
    leaf, lambda: leaf() * 2, lambda: (leaf() * 2).grad_fn, lambda: leaf()[0].grad_fn, lambda: nn.Linear(2, 2),
    lambda: nn.Sequential(nn.Linear(2, 2)), lambda: nn.ModuleList([m]), lambda: nn.ModuleDict({'a': m}),
    lambda: nn.ParameterList([leaf()]), lambda: nn.LSTM(2, 2), lambda: nn.MultiheadAttention(2, 1), sgd,
    lambda: nn.TransformerEncoderLayer(2, 1), lambda: torch.optim.LBFGS([leaf()]), lambda: torch.optim.Adam([leaf()]),
    lambda: LambdaLR(sgd(), lambda e: 1.0), lambda: lr.StepLR(sgd(), 1),
    lambda: lr.OneCycleLR(sgd(), 1.0, 9, cycle_momentum=False), lambda: lr.ReduceLROnPlateau(sgd()),
    lambda: CyclicLR(sgd(), 0.1, 1.0, cycle_momentum=False), lambda: lr.ChainedScheduler([lr.StepLR(sgd(), 1)]),
    lambda: (lambda o: lr.SequentialLR(o, [lr.StepLR(o, 1)], []))(sgd()),
    lambda: DataLoader([1, 2]), lambda: DataLoader([1, 2], shuffle=True),
    lambda: torch.utils.data.TensorDataset(leaf()),
    lambda: torch.utils.data.RandomSampler([1, 2]), torch.Generator,
    torch.no_grad, lambda: torch.amp.GradScaler(enabled=False), lambda: [1, 2], lambda: {1: 2}, lambda: {1},
    lambda: 'a', lambda: (1, 2), lambda: collections.deque([1]), lambda: collections.Counter([1]),
    lambda: collections.defaultdict(list), lambda: map(abs, [1]), lambda: functools.partial(abs, 1),
    lambda: dataclasses.field(default=1), lambda: torch.Size([1]),
]
"""


def attempt(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """What a call gives, if it gives anything."""
    with contextlib.suppress(Exception):
        return function(*args, **kwargs)
    return None


def inside(drive: Any, text: str = "drive()") -> None:
    """Run a function of ours while a program runs, which is how the interpreter calls the library."""
    done: list[bool] = []

    def driven(*args: Any) -> None:
        drive(*args)
        done.append(True)

    calm = STRICT._replace(seconds=500.0, steps=10**9, work=10**15)
    running = program(START + VALUES + text, limits=calm)
    machine = running.machine()
    machine.globals.update(drive=driven)
    running.run(machine=machine)
    assert done == [True]


def public_functions() -> Iterator[Any]:
    """All that the modules offer, and the builtins."""
    for space in NAMESPACES.values():
        if space.full_name == "__main__":
            # These are the program's own.
            continue
        for name in space.names():
            value = space.find(name)
            # What is written in the spec language calls as a program does, which can have come by nothing foreign.
            written = isinstance(value, (Namespace, UserFunction, UserType)) or isinstance(type(value), UserType)
            if callable(value) and not written and not isinstance(value, Absent):
                yield value
    yield from (f for f in builtins_for(discard).values() if callable(f))


def some(values: Iterable[Any]) -> list[Any]:
    """All of many, in the ordinary ring of tests some of them."""
    return [*values][:: 1 if rings.is_full() else 12]


def foreign_forms() -> list[Any]:
    """What must never be called, in all its forms, with what notes that it was."""
    foreign = Foreign()
    return [(form, foreign.called) for form in foreign.forms.values()]


def seen(where: str, called: list[str], found: list[str]) -> None:
    """Note where something was called."""
    found += [f"{where}: {type(what).__name__}" for what in called]
    called.clear()


def test_no_function_calls_what_is_foreign() -> None:
    found: list[str] = []

    def drive() -> None:
        x = tensor([1.0, 2.0], requires_grad=True)
        for function in some(public_functions()):
            for host, called in foreign_forms():
                for args in ((host,), (host, x), (x, host), (x, x, host), (host, (x,), (x,)), ([x], host), (x, [host])):
                    made = attempt(function, *args)
                    # What is handed back as it came, or copied, a program calls itself.
                    if callable(made) and made != host and not isinstance(made, Foreign):
                        attempt(made, x)
                for name in KEYWORDS:
                    attempt(function, x, **{name: host})
                seen(f"{function.__name__}", called, found)

    inside(drive)
    assert found == []


# What parameters that take functions are called.
KEYWORDS = ("callable", "hook", "fn", "func", "function", "key", "collate_fn", "lr_lambda", "generator", "activation")


def test_no_method_calls_what_is_foreign() -> None:
    found: list[str] = []

    def used(value: Any) -> None:
        """Have whatever was handed on called."""
        x = tensor([1.0, 2.0], requires_grad=True)
        attempt(value, x)
        attempt(lambda: value.step())
        attempt(lambda: value.step(1.0))
        attempt(lambda: value.sum().backward())
        attempt(lambda: value(x).sum().backward())
        attempt(lambda: list(value))
        attempt(lambda: representation(value))

    def drive(values: Any) -> None:
        for make in some(values):
            for name in names(make()):
                for host, called in foreign_forms()[:2]:
                    value = make()
                    for args in ((host,), (value, host), ([], host)):
                        attempt(lambda: get(value, name)(*args))  # noqa: B023 (called at once)
                    used(value)
                    value = make()
                    attempt(assign, value, name, host)
                    used(value)
                    seen(f"{type(value).__name__}.{name}", called, found)

    inside(drive, "drive(values)")
    assert found == []


def test_nothing_calls_what_an_object_of_the_program_has_under_its_own_names() -> None:
    """As Python code calls a method of whatever it is handed: what stands there need be none of the program's."""
    found: list[str] = []

    def drive(own: Any, values: Any) -> None:
        host, called = foreign_forms()[0]
        for cls in (Tensor, Module, Optimizer, Generator, dict, io.TextIOWrapper):
            for name in dir(cls):
                if not name.startswith("_"):
                    assign(own, name, host)
        x = tensor([1.0, 2.0], requires_grad=True)
        for function in some(public_functions()):
            for value in (own(), [own()], {"a": own()}, own):
                for args in ((value,), (value, x), (x, value), (x, x, value), (value, 1.0), (value, 1.0, value)):
                    attempt(caps.guarded(function), *args)
            seen(function.__name__, called, found)
        for make in some(values):
            for name in names(make()):
                for value in (own(), [own()]):
                    for args in ((value,), (value, value), (1, value)):
                        attempt(lambda: caps.guarded(get(make(), name))(*args))  # noqa: B023 (called at once)
                seen(f"{type(make()).__name__}.{name}", called, found)

    inside(drive, "class Own: pass\ndrive(Own, values)")
    assert found == []


def test_nothing_calls_what_a_program_put_in_the_place_of_what_is_ours() -> None:
    """Some names with an underscore are a program's to set, as those who write schedules do."""
    found: list[str] = []
    set_: set[str] = set()

    def drive(values: Any) -> None:
        host, called = foreign_forms()[0]
        for make in values:
            kept = {n for n in (*dir(type(make())), *getattr(make(), "__dict__", ())) if n[0] == "_" and n[:2] != "__"}
            for name in kept:
                value = make()
                with contextlib.suppress(GradcliError, AttributeError):
                    assign(value, name, host)
                    set_.add(name)
                    for use in ("step", "state_dict", "get_last_lr", "zero_grad", "print_lr", "__len__"):
                        attempt(lambda: getattr(value, use)())  # noqa: B023 (called at once)
                    attempt(lambda: value.load_state_dict(value.state_dict()))  # noqa: B023
                    attempt(lambda: [*value, representation(value)])  # noqa: B023
                seen(f"{type(value).__name__}.{name}", called, found)

    inside(drive, "drive(values)")
    assert found == []
    assert set_ == {
        "_apply", "_ff_block", "_get_name", "_last_lr", "_load_from_state_dict", "_reset_parameters", "_sa_block",
        "_save_to_state_dict", "_step_count", "_version",
    }  # fmt: skip


def test_nothing_that_is_offered_is_foreign() -> None:
    odd = {"auto"}
    found = [f for f in public_functions() if not is_offered(f)]
    assert [f for f in found if getattr(f, "__name__", "") not in odd] == []


# -- the code: who is given a function calls it guarded -------------------------------------------

GIVEN = frozenset(("hook", "closure", "func", "fn", "callable", "collate_fn", "lr_lambda", "scale_fn", "pack_hook"))
ROOMS = ("engine", "nn", "optim", "utils", "func.py", "autograd.py", "amp.py")


def from_outside(function: ast.FunctionDef) -> Iterator[str]:
    """The parameters of a public function that take functions."""
    args = function.args
    for a in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        said = "" if a.annotation is None else ast.unparse(a.annotation)
        if a.arg in GIVEN or (not function.name.startswith("_") and said in ("Function", "Function | None")):
            yield a.arg


def called_bare(function: ast.FunctionDef, name: str) -> list[int]:
    """The lines on which a parameter is called as it came."""
    again = [
        n for n in ast.walk(function)
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name and "guarded(" in ast.unparse(n.value)
    ]  # fmt: skip
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and ast.unparse(n.func) == name]
    return [] if again else [n.lineno for n in calls]


def test_no_function_of_ours_calls_a_parameter_as_it_came() -> None:
    # These are called with what others have guarded, or in a library only.
    known = {"_replaced", "_starts", "_problem", "_numbers", "_dependence", "gradients"}
    # Classes of tensors and modes are there for Python's own programs alone: what they are given is a call of ours.
    known |= {"__torch_function__", "__torch_dispatch__", "default", "disabled"}
    found = []
    files = [path for path in HOUSE.rglob("*.py") if path.relative_to(HOUSE).parts[0] in ROOMS]
    for path, tree in trees(files, rf"\b({'|'.join(('Function', *GIVEN))})\b"):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name not in known:
                for name in from_outside(node):
                    found += [f"{path.name}:{line} {node.name}({name})" for line in called_bare(node, name)]
    assert found == []


# -- what comes of it ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Decorating classes")
@pytest.mark.parametrize(
    "call",
    [
        "checkpoint(int, 'f' * 4000, 16, use_reentrant=False)",
        "torch.no_grad()(int)('f' * 4000, 16)",
        "functools.partial(int, 'f' * 4000)(16)",
        "list(map(int, ['f' * 4000], [16]))",
        "torch.func.linearize(lambda a: int('f' * 4000, 16), x)",
        "functools.reduce(int, ['f' * 4000, 16])",
    ],
)
def test_no_call_of_the_engines_makes_an_integer_of_too_many_digits(call: str) -> None:
    with pytest.raises(GradcliError, match="this integer has more than 4,300 digits"):
        run(START + call)


@pytest.mark.filterwarnings("ignore:Decorating classes")
@pytest.mark.parametrize(
    "call",
    [
        "checkpoint(list, range(10**9), use_reentrant=False)",
        "torch.no_grad()(list)(range(10**9))",
        "checkpoint(torch.zeros, 10**12, use_reentrant=False)",
        "torch.no_grad()(torch.zeros)(10**12)",
        "checkpoint('a'.ljust, 10**9, use_reentrant=False)",
        "functools.partial(torch.zeros, 10**6)(10**6)",
        "x.register_hook(lambda g: torch.zeros(10**12))\nx.sum().backward()",
    ],
)
def test_calls_of_the_engine_are_limited_as_others_are(call: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(START + call)
    assert caught.value.code in tuple(f"E40{n}" for n in range(1, 10))


RIGHT = {
    "torch.func.vmap(torch.sin)(torch.zeros(2))": "tensor([0., 0.])",
    "checkpoint(torch.sum, x, use_reentrant=False)": "tensor(3., grad_fn=<SumBackward0>)",
    "checkpoint(m, torch.zeros(3), use_reentrant=False).shape": "torch.Size([3])",
    "torch.no_grad()(torch.sin).__name__": "sin",
    "x.detach().clone().apply_(float)": "tensor([1., 1., 1.])",
    "collections.defaultdict(list)": "defaultdict(<class 'list'>, {})",
    "collections.defaultdict(torch.ones, {1: 2})[1]": "2",
    "sorted(['b', 'A'], key=str.lower)": "['A', 'b']",
    "list(DataLoader([1, 2, 3], batch_size=2, collate_fn=list))": "[[1, 2], [3]]",
    "list(map(nn.ReLU(), [torch.tensor(-1.0)]))": "[tensor(0.)]",
    "LambdaLR(opt, lambda e: 0.5).get_last_lr()": "[0.5]",
    "LambdaLR(opt, functools.partial(pow, 2)).get_last_lr()": "[1.0]",
    "torch.func.grad(nn.functional.relu)(torch.tensor(1.0))": "tensor(1.)",
}


@pytest.mark.parametrize("expression", RIGHT)
def test_right_programs_hand_on_what_is_not_their_own(expression: str) -> None:
    assert printed(START + f"print({expression})") == RIGHT[expression] + "\n"


def test_a_method_may_be_decorated() -> None:
    text = (
        "class M(nn.Module):\n    @torch.no_grad()\n    def forward(self, x):\n        return x * 2\n"
        "    @torch.no_grad()\n    def __len__(self):\n        return 3\n"
        "print(M()(x).requires_grad, len(M()))"
    )
    assert printed(START + text) == "False 3\n"


def test_an_instance_may_be_given_another_forward() -> None:
    text = START + "m.forward = lambda x: x + 1\nprint(m(x))"
    assert printed(text) == "tensor([2., 2., 2.], grad_fn=<AddBackward0>)\n"


def test_a_hook_is_told_by_its_name() -> None:
    text = START + "def wrong(g):\n    return g[:1]\nx.register_hook(wrong)\nx.sum().backward()"
    with pytest.raises(GradcliError, match="hook 'wrong' has changed the size of value"):
        run(text)


def test_no_memo() -> None:
    with pytest.raises(GradcliError, match="deepcopy\\(\\) takes no memo in the spec language"):
        run("import copy\ncopy.deepcopy([1], {})")


def test_what_a_function_keeps_for_its_calls_is_nothing_that_a_program_sees() -> None:
    table = TABLES[UserFunction]
    kept = vars(run("def f():\n    return 1").variables["f"]).keys() - table.fields.keys()
    assert kept
    assert kept <= table.hidden

# ruff: noqa: E501, PT017 (programs on one line; an error is one of several ends)
"""What code of ours goes by is ours alone: no name, key or template of a program's reaches what it stands on."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gradcli.engine.function import Function
from gradcli.errors import GradcliError, SpecError
from gradcli.nn.base import holder
from gradcli.nn.base.holder import Holder
from gradcli.optim.optimizer import Optimizer
from gradcli.spec.guard.limits import STRICT
from gradcli.spec.guard.reserved_names import reserved
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.user_definitions import UserType
from gradcli.utils.data import DataLoader, Dataset, Sampler
from tests import rings
from tests.cli.invoke import gradcli
from tests.rings import all_of, sampled

from ..running import printed, program, run

CANARY = "a-secret-of-the-host"


def offered() -> dict[str, Any]:
    """All values that programs may name in modules, by their full names."""
    found: dict[str, Any] = {}
    for space in NAMESPACES.values():
        for name in space.names():
            try:
                found[f"{space.full_name}.{name}"] = space.find(name)
            except GradcliError:
                continue
    return found


OFFERED = offered()
BASES = (Holder, Function, Optimizer, Dataset, Sampler, DataLoader)
DERIVED = {name: cls for name, cls in OFFERED.items() if isinstance(cls, type) and issubclass(cls, BASES)}
# Each class once, by the shortest of its names.
CLASSES = {cls: name for name, cls in sorted(DERIVED.items(), key=lambda pair: (-len(pair[0]), pair[0]))}
PRIVATE = {name: sorted(reserved(cls)) for cls, name in CLASSES.items() if reserved(cls)}


def refusal(text: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        run(text)
    return caught.value


def importing(name: str) -> str:
    module, _, last = name.rpartition(".")
    return f"from {module} import {last} as Base\n"


# -- names of ours ---------------------------------------------------------------------------------------


def test_there_are_classes_to_derive_from() -> None:
    assert len(CLASSES) > 150
    assert {"torch.nn.Sigmoid", "torch.optim.Adam", "torch.utils.data.DataLoader"} <= set(PRIVATE)
    assert {"_name", "_options", "_shown", "_own", "_modules"} <= set(PRIVATE["torch.nn.Sigmoid"])
    assert {"_all_weights", "_gates"} <= set(PRIVATE["torch.nn.LSTM"])
    assert {"_keys", "_others"} <= set(PRIVATE["torch.nn.ParameterDict"])


WAYS = [
    "class P(Base):\n    {name} = 'x'\n",
    "class P(Base):\n    def {name}(self):\n        return 1\n",
    "class P(Base):\n    @property\n    def {name}(self):\n        return 1\n",
    "class P(Base):\n    {name}: int\n",
    "class P(Base):\n    class {name}:\n        pass\n",
    "class P(Base):\n    pass\nP.{name} = 'x'\n",
    "class P(Base):\n    pass\nsetattr(P, '{name}', 'x')\n",
    "class A:\n    {name} = 'x'\nclass P(A, Base):\n    pass\n",
    "class A:\n    pass\nclass B(A):\n    pass\nclass P(B, Base):\n    pass\nA.{name} = 'x'\n",
    "class P(Base):\n    def __init__(self):\n        self.{name} = 'x'\nP()\n",
    "class P(Base):\n    def __init__(self):\n        setattr(self, '{name}', 'x')\nP()\n",
    "class P(Base):\n    def __init__(self):\n        pass\np = P()\np.{name}, q = 1, 2\n",
]


def refused(name: str, private: str, way: str) -> None:
    error = refusal(importing(name) + way.format(name=private))
    assert re.fullmatch(
        rf"{private} belongs to \w+: a class of a spec that derives from it may not have a {private} of its own",
        error.message,
    )
    assert (error.code, error.help) == ("E205", "give it another name")
    assert error.span is not None


@all_of(sorted(PRIVATE))
def test_no_class_of_a_program_has_a_private_name_of_ours(name: str) -> None:
    # Each name in some way, and over all classes each way with many names; in the ordinary ring one name in four.
    for number, private in enumerate(PRIVATE[name], len(name)):
        if rings.is_full() or number % 4 == 0:
            refused(name, private, WAYS[number % len(WAYS)])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["torch.nn.LSTM", "torch.optim.Adam", "torch.utils.data.StackDataset"])
def test_in_whatever_way(name: str, way: str) -> None:
    for private in PRIVATE[name]:
        refused(name, private, way)


@pytest.mark.parametrize(
    "body",
    [
        "from dataclasses import dataclass\n@dataclass(eq=False)\nclass P(nn.Sigmoid):\n    _name: str = 'x'\n",
        "class P(nn.Sigmoid):\n    for _name in 'ab':\n        pass\n",
        "class P(nn.Sigmoid):\n    with torch.no_grad() as _name:\n        pass\n",
        "class P(nn.Sigmoid):\n    import math as _name\n",
        "class P(nn.Sigmoid):\n    _a, _name = 1, 2\n",
        "class P(nn.Sigmoid):\n    (_name := 1)\n",
        "class P(nn.Sigmoid):\n    pass\nfor P._name in 'ab':\n    pass\n",
        "class P(nn.Sigmoid):\n    pass\nP()._name = nn.Parameter(torch.ones(1))\n",
        "class P(nn.Sigmoid):\n    pass\nP()._name = nn.ReLU()\n",
        "class P(nn.Conv2d):\n    pass\n[0 for P._rank in (1, 2)]\n",
    ],
)
def test_however_it_is_bound(body: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(body)
    assert caught.value.code in ("E101", "E102", "E205")


def test_an_instance_of_ours_keeps_what_is_private() -> None:
    for make, names in (
        ("nn.LSTM(1, 1)", ("_all_weights", "_gates", "_modules", "_parameters", "_forward_hooks")),
        ("nn.Sigmoid()", ("_name", "_options", "_shown", "_own", "_buffers", "_non_persistent_buffers_set")),
        ("nn.ParameterDict()", ("_keys", "_others")),
        ("torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)", ("_step", "_optimizer_step_pre_hooks")),
        ("nn.LazyLinear(1).weight", ("_becomes", "_wanted", "_asks")),
    ):
        for name in names:
            for text in (f"x.{name} = 1", f"setattr(x, '{name}', 1)", f"del x.{name}"):
                with pytest.raises(GradcliError) as caught:
                    run(f"x = {make}\n{text}\n")
                assert re.search("read-only|not writable", caught.value.message), (name, caught.value.message)


OWN = """
class Net(nn.Module):
    _scale = 2
    _count: int = 0

    def __init__(self):
        super().__init__()
        self._hidden, self._cache, self.__own = 3, {}, 4
        self._layer = nn.Linear(1, 1)
        self._weight = nn.Parameter(torch.ones(1))
        self.register_buffer('_seen', torch.zeros(1))
        self._init_weights()
        self._reset_parameters()

    def _init_weights(self):
        self._cache['w'] = 1

    def _reset_parameters(self):
        self._count += 1

    def _forward_impl(self, x):
        return self._layer(x) * self._scale

    def _get_name(self):
        return 'Mine'

    def _load_from_state_dict(self, *args):
        return None

    def _step(self):
        return self._hidden + self.__own

    def _convert(self):
        return sorted(self._cache)

    def forward(self, x):
        return self._forward_impl(x)

    _version = 3
    _update = _members = _hang = _forget = _check_name = _named = _later = 1

net = Net()
net._extra = 5
Net._more = 6
print(net._step(), net._convert(), net._count, net._extra, net._more, net._update)
print(str(net).split('(')[0], [n for n, _ in net.named_parameters()], list(net.state_dict()))
net.load_state_dict(net.state_dict())


class Rule(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, dict(lr=0.5))
        self._rate, self._before = 2, 1

    def _update(self, p):
        p.sub_(p.grad * self.param_groups[0]['lr'])

    def _start(self):
        return self._rate

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group['params']:
                self._update(p)

p = torch.ones(1, requires_grad=True)
rule = Rule([p])
(p * p).sum().backward()
rule.step()
print(p.tolist(), rule._start())


class Data(torch.utils.data.Dataset):
    def __init__(self):
        self._rows, self._length = [1, 2, 3], 3

    def __len__(self):
        return self._length

    def __getitem__(self, i):
        return self._rows[i]

class Double(torch.autograd.Function):
    _factor = 2

    @staticmethod
    def forward(ctx, x):
        ctx._note = 1
        return x * Double._factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx._note

print([b.tolist() for b in torch.utils.data.DataLoader(Data(), batch_size=2)], Double.apply(p).item())

class Wrong(ValueError):
    _reason = 'why'
    def __init__(self):
        self._when = 'now'

try:
    raise Wrong()
except Wrong as e:
    print(e._reason, e._when)
"""


def test_private_names_of_a_programs_own_are_its_own() -> None:
    assert printed(OWN).splitlines() == [
        "7 ['w'] 1 5 6 1",
        "Mine ['_weight', '_layer.weight', '_layer.bias'] ['_weight', '_seen', '_layer.weight', '_layer.bias']",
        "[0.0] 2",
        "[[1, 2], [3]] 0.0",
        "why now",
    ]


def test_a_subclass_reads_what_pytorch_has() -> None:
    text = "class T(nn.Transformer):\n    def _reset_parameters(self):\n        super()._reset_parameters()\n"
    text += "        print('reset')\nclass A(nn.MultiheadAttention):\n    def f(self):\n"
    text += "        return self._qkv_same_embed_dim\n"
    text += "T(2, 1, 1, 1, 2)\nprint(A(2, 1).f(), nn.LSTM(1, 1, bias=False)._all_weights)\n"
    assert printed(text) == "reset\nTrue [['weight_ih_l0', 'weight_hh_l0']]\n"


# -- code of ours goes by its own classes ------------------------------------------------------------------


@functools.cache
def text_of(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def trusting() -> Iterator[tuple[type, ast.ClassDef]]:
    """The classes of ours that a program may derive from, with those they derive from, and their texts."""
    line = {base for cls in CLASSES for base in cls.__mro__ if base.__module__.startswith("gradcli.")}
    for cls in line:
        found = [n for n in text_of(cls.__module__).body if isinstance(n, ast.ClassDef) and n.name == cls.__name__]
        if found:
            yield cls, found[0]


def private_of_self(node: ast.ClassDef, context: type[ast.expr_context]) -> Iterator[str]:
    for n in ast.walk(node):
        own = isinstance(n, ast.Attribute) and isinstance(n.ctx, context) and isinstance(n.value, ast.Name)
        if own and n.value.id in ("self", "cls") and n.attr[0] == "_" and not n.attr.startswith("__"):
            yield n.attr


def test_what_our_instances_keep_is_declared() -> None:
    texts = list(trusting())
    assert len(texts) > 150
    for cls, node in texts:
        for name in private_of_self(node, ast.Store):
            assert name in reserved(cls), f"{cls.__name__} does not declare {name}"


def test_facts_are_read_off_our_own_classes() -> None:
    for cls, node in trusting():
        facts = {
            name
            for base in cls.__mro__
            if base.__module__.startswith("gradcli.")
            for name, value in vars(base).items()
            if name[0] == "_" and not callable(value) and not isinstance(value, (property, classmethod, staticmethod))
        }
        read = {name for name in private_of_self(node, ast.Load) if name in facts}
        assert not read, f"{cls.__name__} reads {read} off what may be a program's object"


# Templates and names that would be taken from an object, and the places where the name is one of ours for sure.
TAKING = ("getattr", "hasattr", "setattr", "delattr", "vars")
OURS = {"F", "self"}


@pytest.mark.parametrize("room", ["nn", "optim", "utils"])
def test_no_name_of_a_program_reaches_an_attribute(room: str) -> None:
    root = Path(holder.__file__).parents[1] / room
    for path in sorted(root.rglob("*.py")):
        if room == "optim" and path.stem in ("cycles", "lr_scheduler", "sequences", "schedule"):
            continue
        # A program runs it in the spec language.
        if path.stem == "prune":
            continue
        for n in ast.walk(ast.parse(path.read_text())):
            if isinstance(n, ast.Attribute):
                assert n.attr not in ("format_map", "attrgetter", "__getattribute__"), (path.name, n.lineno)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in TAKING:
                literal = len(n.args) > 1 and isinstance(n.args[1], ast.Constant)
                named = isinstance(n.args[0], ast.Name) and n.args[0].id in OURS and n.func.id != "delattr"
                assert literal or (named and n.func.id in ("getattr", "setattr")), (path.name, n.lineno)
                if n.func.id == "getattr" and not literal:
                    assert isinstance(n.args[0], ast.Name)
                    assert n.args[0].id == "F"


SLIPPED = [
    ("torch.nn.Sigmoid", "_name", "__getattribute__"),
    ("torch.nn.Sigmoid", "_shown", ("__class__!v",)),
    ("torch.nn.Sigmoid", "_options", {"__class__": 1}),
    ("torch.nn.Dropout", "_name", "os"),
    ("torch.nn.LPPool1d", "_name", "__builtins__"),
    ("torch.nn.MaxUnpool1d", "_name", "__builtins__"),
    ("torch.nn.MSELoss", "_own", ()),
    ("torch.nn.Conv1d", "_rank", "x"),
    ("torch.nn.ConvTranspose1d", "_rank", "x"),
    ("torch.nn.LazyLinear", "_becomes", object),
    ("torch.nn.LazyLinear", "_width", "__class__"),
    ("torch.nn.LSTM", "_all_weights", [["__class__"]]),
    ("torch.nn.TransformerEncoderLayer", "_attentions", ("__class__",)),
    ("torch.nn.BatchNorm1d", "_later", ("__class__",)),
]
MADE = {
    "torch.nn.Sigmoid": ((), (2,)), "torch.nn.Dropout": ((), (2,)), "torch.nn.LPPool1d": ((2, 2), (1, 1, 4)),
    "torch.nn.MaxUnpool1d": ((2,), None), "torch.nn.MSELoss": ((), None), "torch.nn.Conv1d": ((1, 1, 1), (1, 1, 3)),
    "torch.nn.ConvTranspose1d": ((1, 1, 1), (1, 1, 3)), "torch.nn.LazyLinear": ((2,), (2, 3)),
    "torch.nn.LSTM": ((2, 2), (3, 1, 2)), "torch.nn.TransformerEncoderLayer": ((2, 1, 2), (2, 1, 2)),
    "torch.nn.BatchNorm1d": ((2,), (3, 2)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "private", "value"), SLIPPED)
def test_a_name_that_slipped_through_changes_nothing(name: str, private: str, value: Any) -> None:
    from gradcli.engine.ops.make.filled import ones

    base = DERIVED[name]
    arguments, shape = MADE[name]
    # As the interpreter makes classes, but for the check of names.
    slipped: Any = UserType("P", (base,), {private: value})
    made, usual = slipped(*arguments), base(*arguments)
    assert repr(made) == repr(usual).replace(base.__name__, "P", 1)
    if "Lazy" not in name:
        assert list(made.state_dict()) == list(usual.state_dict())
    if shape is not None:
        assert made.eval()(ones(*shape)) is not None
    if name == "torch.nn.LazyLinear":
        assert type(made) is DERIVED["torch.nn.Linear"]


# -- items under keys ---------------------------------------------------------------------------------------

DUNDERS = "__class__ __dict__ __init__ __getattribute__ __module__ __doc__ __globals__ __foo__".split()
TRUSTED = "_parameters _buffers _modules _forward_hooks _non_persistent_buffers_set".split()
GOES_ON = [
    "d[{key}]", "d.get({key}, 1)", "d.pop({key})", "del d[{key}]", "d.setdefault({key}, 1)", "{key} in d",
    "d[{key}] = 1", "d[{key}] = print", "d.update({{{key}: 1}})", "nn.ParameterDict({{{key}: 1}})",
    "nn.ParameterDict([({key}, 1)])", "d.fromkeys([{key}], 1)", "d | nn.ParameterDict({{{key}: 1}})",
    "d[{key}] = torch.ones(1)", "d[{key}] = nn.ReLU()", "nn.ModuleDict({{{key}: nn.ReLU()}})",
    "nn.ModuleDict().update({{{key}: nn.ReLU()}})", "nn.ModuleDict()[{key}]", "nn.ModuleDict().pop({key})",
]  # fmt: skip


@all_of(product([*DUNDERS, *TRUSTED, "_keys", "forward", "training"], GOES_ON))
def test_a_key_is_no_attribute(case: tuple[str, str]) -> None:
    key, text = case
    shown = "print(type(d), d.training, d.__class__, callable(d.keys), len(list(d.parameters())) < 2)\n"
    action = text.format(key=repr(key))
    ends = f"d = nn.ParameterDict({{'a': 1}})\ntry:\n    x = 1\n    {action}\nexcept (KeyError, AttributeError):\n    pass\n"
    try:
        said = printed(ends + shown)
    except GradcliError as error:
        # What a name of ours cannot be is said in a sentence.
        assert error.code in ("E205", "E304"), error.message
        return
    kind = "<class 'torch.nn.modules.container.ParameterDict'>"
    assert said == f"{kind} True {kind} True True\n"


def test_a_dict_of_parameters_holds_what_it_is_given() -> None:
    text = (
        "d = nn.ParameterDict({'w': torch.ones(1), 'n': 3, 'm': nn.ReLU()})\n"
        "print(d['n'], d.n, d['w'].item(), d.w is d['w'], type(d['m']).__name__, list(d), len(d))\n"
        "d['n'] = torch.zeros(1)\nd['w'] = None\nprint(d['n'].item(), d['w'], [n for n, _ in d.named_parameters()])\n"
        "del d['n']\nprint('n' in d, hasattr(d, 'n'), d.pop('m'), list(d.items()))\n"
        "d['__class__'] = 7\nprint(d['__class__'], type(d).__name__, d.__class__.__name__)\n"
        "l = nn.ParameterList([torch.ones(1), 2, nn.ReLU()])\nl.append(4)\nl[1] = torch.zeros(1)\n"
        "print(len(l), l[1].item(), l[-1], l[2], [n for n, _ in l.named_parameters()])\n"
    )
    assert printed(text).splitlines() == [
        "3 3 1.0 True ReLU ['m', 'n', 'w'] 3",
        "0.0 None ['n']",
        "False False ReLU() [('w', None)]",
        "7 ParameterDict ParameterDict",
        "4 0.0 4 ReLU() ['0', '1']",
    ]


# -- members by their kinds ------------------------------------------------------------------------------------

MODULE = "m = nn.BatchNorm1d(2)\nm.inner = nn.ReLU()\nclass N(nn.Module):\n    pass\nn = N()\nn.own = nn.Linear(1, 1)\n"


def test_members_are_read_and_written_one_by_one() -> None:
    text = MODULE + (
        "print(list(m._parameters), list(m._buffers), m._modules, type(m._modules), dict(m._modules) == m._modules)\n"
        "m._parameters['w'] = nn.Parameter(torch.ones(1))\nm._buffers['b'] = torch.ones(1)\nm._modules['r'] = nn.ReLU()\n"
        "print(m.w.item(), m.b.item(), m.r, 'b' in m.state_dict())\n"
        "del m._buffers['b']\nprint(m._parameters.pop('w').item(), m._modules.pop('r'), m._modules.pop('r', 5))\n"
        "print('w' in m._parameters, hasattr(m, 'b'), list(m.state_dict()))\n"
        "for name, child in n._modules.items():\n    n._modules[name] = nn.Identity()\nprint(n.own, len(n._modules))\n"
        "c = m._parameters.copy()\nc['x'] = 1\nprint('x' in m._parameters, type(c))\n"
    )
    assert printed(text).splitlines() == [
        "['weight', 'bias'] ['running_mean', 'running_var', 'num_batches_tracked'] {'inner': ReLU()} <class 'dict'> True",
        "1.0 1.0 ReLU() True",
        "1.0 ReLU() 5",
        "False False ['weight', 'bias', 'running_mean', 'running_var', 'num_batches_tracked']",
        "Identity() 1",
        "False <class 'dict'>",
    ]


@pytest.mark.parametrize("owner", ["m", "n"])
@pytest.mark.parametrize(
    "text",
    [
        "{m}._parameters['x'] = 1", "{m}._buffers['x'] = print", "{m}._modules['x'] = print", "{m}._parameters[1] = None",
        "{m}._buffers['__class__'] = torch.ones(1)", "{m}._modules['forward'] = nn.ReLU()", "{m}._modules['a.b'] = nn.ReLU()",
        "{m}._parameters.update(x=1)", "{m}._modules.clear()", "{m}._buffers |= {{}}", "{m}._modules.setdefault('x', 1)",
        "{m}._parameters.popitem()", "del {m}._parameters['nope']", "{m}._parameters = {{}}", "{m}._modules = {{}}",
        "{m}._forward_hooks[1]", "{m}._forward_pre_hooks.popitem()", "{m}._backward_hooks.popitem()", "{m}._non_persistent_buffers_set",
        "{m}._transient", "{m}._forward_hooks[0] = print", "{m}._modules['own'] = print", "getattr({m}, '_forward_hooks').hooks",
        "{m}.get_buffer('__class__')", "{m}.get_parameter('__class__')", "{m}.get_submodule('__class__')",
        "{m}.get_parameter('forward')", "{m}.get_buffer('training')", "{m}.get_submodule('_modules')",
        "{m}.get_parameter('__class__.__init__')", "{m}.get_submodule('forward.__func__')",
        "{m}.register_buffer('__x__', torch.ones(1))", "{m}.register_parameter('_forward_hooks', None)",
        "{m}.add_module('_parameters', None)", "{m}.register_module('__dict__', nn.ReLU())",
        "{m}.load_state_dict({{'__class__': torch.ones(1)}})", "{m}.load_state_dict({{'_modules': {{}}}}, assign=True)",
        "nn.utils.weight_norm({m}, '__class__')", "nn.utils.spectral_norm({m}, '__dict__')",
        "nn.utils.remove_weight_norm({m}, '__class__')", "nn.utils.weight_norm({m}, print)",
        "nn.utils.parametrizations.weight_norm({m}, '__class__')",
        "nn.utils.parametrizations.spectral_norm({m}, '__class__')",
        "nn.utils.parametrize.register_parametrization({m}, '__class__', nn.ReLU())",
        "nn.utils.parametrize.register_parametrization({m}, print, nn.ReLU())",
        "nn.utils.parametrize.remove_parametrizations({m}, '__class__')",
    ],
)  # fmt: skip
def test_what_a_module_keeps_is_reached_by_no_other_way(text: str, owner: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(MODULE + text.format(m=owner) + "\n")
    assert caught.value.span is not None
    assert caught.value.code in ("E205", "E203", "E301", "E304"), caught.value.message
    assert "gradcli" not in caught.value.message


# -- a program's own methods, and what they are given -----------------------------------------------------------

# Some of these iterate for ever.
FEW = STRICT._replace(steps=2_000)
LIAR = """
class Liar:
    def __init__(self, *args): pass
    def lie(self, *args):
        for a in args:
            print(type(a))
        return self
    __eq__ = __lt__ = __iter__ = __next__ = __getitem__ = __contains__ = __call__ = __add__ = __radd__ = lie
    __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = lie
    def __bool__(self): return True
    def __len__(self): return 2
    def __float__(self): return 1.0
    def __hash__(self): return 1
    _a = grad = data = weight = shape = dtype = lie
    def items(self): return [('step', self)]
    def get(self, *args): return self
    def values(self): return [self]
    def dim(self): return 2
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2)
o = torch.optim.{optimiser}([x], lr=0.1)
l = nn.{layer}
"""


@sampled(4)
@pytest.mark.parametrize("optimiser", ["SGD", "Adam", "RMSprop", "Adagrad", "Rprop", "ASGD", "Adadelta", "Adafactor"])
@pytest.mark.parametrize(
    "text",
    [
        "o.param_groups = Liar()", "o.param_groups = [Liar()]", "o.param_groups[0]['params'] = Liar()",
        "o.param_groups[0]['params'] = [Liar()]", "o.param_groups[0]['lr'] = [Liar()]", "o.state = Liar()",
        "o.state[x] = {{'step': Liar()}}", "o.state[x] = Liar()", "o.param_groups[0] = Liar()",
        "for k in o.param_groups[0]:\n    if k not in ('params', 'foreach', 'fused', 'capturable', 'differentiable'):\n"
        "        o.param_groups[0][k] = Liar()",
    ],
)  # fmt: skip
def test_optimisers_compute_with_tensors_and_numbers(optimiser: str, text: str) -> None:
    start = LIAR.format(optimiser=optimiser, layer="ReLU()")
    for last in ("o.step()", "o.zero_grad()", "o.state_dict()", "print(len(str(o)) > 9)", "o.add_param_group({'params': [Liar()]})"):
        said: list[str] = []
        try:
            program(start + text.replace("{{", "{").replace("}}", "}") + "\n" + last + "\n", limits=FEW).run(said.append)
        except GradcliError as error:
            assert error.span is not None
        # What a program's object is handed is what a program may hold.
        assert set("".join(said).splitlines()) <= {
            "True", "<class 'str'>", "<class 'int'>", "<class 'float'>", "<class '__main__.Liar'>",
            "<class 'torch.Tensor'>", "<class 'NoneType'>", "<class 'builtin_function_or_method'>", "<class 'dict'>",
        }, said  # fmt: skip


LAYERS = {
    "Linear(2, 2)": "in_features out_features", "Conv1d(1, 1, 1)": "stride padding dilation groups kernel_size",
    "BatchNorm1d(2)": "momentum eps track_running_stats num_features", "LSTM(2, 2)": "num_layers bias dropout mode",
    "Dropout()": "p inplace", "LayerNorm(2)": "normalized_shape eps", "Embedding(2, 2)": "padding_idx max_norm",
    "MultiheadAttention(2, 1)": "num_heads embed_dim batch_first", "MSELoss()": "reduction", "Softmax(0)": "dim",
    "AdaptiveAvgPool1d(1)": "output_size", "ZeroPad1d(1)": "padding", "Unflatten(0, (1, 2))": "unflattened_size",
}  # fmt: skip


@sampled(4)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_may_have_any_options(layer: str) -> None:
    for name in (*LAYERS[layer].split(), "training", "forward", "extra_repr", "parameters", "named_modules", "modules"):
        start = LIAR.format(optimiser="SGD", layer=layer)
        for last in ("l(torch.ones(2, 2))", "print(len(str(l)) > 9)", "l.train()", "l.state_dict()", "l.double()"):
            said: list[str] = []
            try:
                program(f"{start}l.{name} = Liar()\n{last}\n", limits=FEW).run(said.append)
            except GradcliError as error:
                assert error.span is not None
                assert "gradcli" not in error.message
            assert "gradcli" not in "".join(said)


def test_hooks_of_ours_are_handed_to_no_program() -> None:
    text = (
        "class M(nn.Linear):\n    def register_forward_pre_hook(self, *args):\n        print(args)\n"
        "    def register_parameter(self, *args):\n        print('mine')\n"
        "class Duck:\n    _forward_pre_hooks = {}\n    _parameters = {'weight': None}\n"
        "    def register_forward_pre_hook(self, *args):\n        print(args)\n"
    )
    for name in ("weight_norm", "spectral_norm"):
        assert "(" not in printed(f"{text}m = M(2, 2)\nnn.utils.{name}(m)\nm(torch.ones(2))\n".replace("print('mine')", "nn.Linear.register_parameter(self, *args)"))
        with pytest.raises(GradcliError, match="Duck is not a Module subclass"):
            run(f"{text}nn.utils.{name}(Duck())\n")


def test_what_is_no_module_has_nothing_put_in_the_place_of_its_parameters() -> None:
    text = (
        "class Part:\n    _parameters = _buffers = {'a': 1}\n"
        "class Duck(Part):\n    training = True\n    def named_modules(self, remove_duplicate=True):\n"
        "        return [('', Part())]\n    def named_parameters(self):\n        return [('a', 1)]\n"
        "    named_buffers = named_parameters\n    def __call__(self):\n        print('called')\n"
    )
    for given in ("Duck()", "Duck", "len", "3"):
        for call in (f"functional_call({given}, {{'a': 2}}, ())", f"stack_module_state([{given}])"):
            with pytest.raises(GradcliError, match=r"^TypeError: \S+ is not a Module subclass$"):
                run(f"{text}torch.func.{call}\n")


# -- the commands ------------------------------------------------------------------------------------------------

pytestmark = pytest.mark.filterwarnings("ignore")


def ended(command: list[str], text: str, folder: Path) -> tuple[int, str, str]:
    """What a command gives for a spec: exit code and both streams."""
    path = folder / "spec.py"
    path.write_text(text)
    done = gradcli(*command, str(path), "--timeout", "5", env={"CANARY": CANARY}, errors="replace")
    return done.returncode, done.stdout, done.stderr


# Programs that once read the environment, or got at what they could have run code with.
ROOTS = [
    "class P(nn.Sigmoid):\n    _name = '__getattribute__'\nprint(P()('__dict__')['__builtins__'])\n",
    "class P(nn.Sigmoid):\n    _shown = '{__class__.__init__.__globals__}'\nprint(P())\n",
    "class P(nn.ReLU):\n    _shown = ('__class__!v',)\nprint(P())\n",
    "class P(nn.Sigmoid):\n    _options = {'__class__': 1}\nP()\n",
    "class P(nn.MSELoss):\n    _own = ('reduction',)\nP()\n",
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
    "F.apply(torch.ones(1, requires_grad=True))\nprint(F._node_types)\n",
    "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
    "F.apply(torch.ones(1, requires_grad=True))\nprint(F.__node_types__)\n",
    "l = nn.LSTM(1, 1)\nl._all_weights = [['__class__']]\nprint(l.all_weights)\n",
    "class L(nn.LSTM):\n    _all_weights = [['__class__', '__init__']]\nprint(L(1, 1).all_weights)\n",
    "class D(torch.utils.data.StackDataset):\n    _length = 3\n",
    "class L(nn.ModuleList):\n    def _key(self, i):\n        return '__class__'\nprint(nn.ParameterDict()['__class__'])\n",
    "print(nn.ParameterDict({'a': 1})['__init__'].__globals__)\n",
    "d = nn.ParameterDict()\nd['__class__'] = nn.Linear(1, 1)\n",
    "nn.Linear(1, 1).get_buffer('__init__')\n",
    "nn.Linear(1, 1)._forward_hooks['x'] = print\n",
    "nn.Linear(1, 1)._state_dict_hooks = {1: print}\n", "nn.Linear(1, 1)._load_state_dict_pre_hooks = {1: print}\n",
    "m = nn.Linear(1, 1)\nm._modules['x'] = print\n",
    "l = nn.LazyLinear(1)\nl.weight._becomes = nn.Linear\n",
    "class L(nn.LazyLinear):\n    _becomes = nn.Module\n",
]


@sampled(4)
@pytest.mark.parametrize("command", [["run"], ["check"], ["trace"]], ids=lambda c: c[0])
@pytest.mark.parametrize("text", ROOTS)
def test_a_root_is_cut(text: str, command: list[str], tmp_path: Path) -> None:
    code, out, err = ended(command, text, tmp_path)
    assert code == 2, (out, err)
    found = out + err
    assert len(re.findall(r"error\[E\d{3}\]: ", found)) == 1, found
    for word in (CANARY, "Traceback", "built-in", "gradcli.nn", "<function "):
        assert word not in found


# -- the diagnostic belongs to us ---------------------------------------------------------------------------------

LIES = """
class E({base}):
    exit_code = 0
    code = 'E\\x1b[31m'
    message = 'fine'
    span = notes = 3
    __traceback_hide__ = 1
    @property
    def help(self):
        while True:
            pass
    def __init__(self, *args):
        {init}
{more}
raise E('words')
"""
RAISED = ["Exception", "RuntimeError", "torch.linalg.LinAlgError", "AssertionError", "StopIteration", "NameError",
          "AttributeError", "KeyError", "Warning", "UserWarning", "NotImplementedError"]  # fmt: skip


@sampled(4)
@pytest.mark.parametrize("command", [["run"], ["check"], ["trace"]], ids=lambda c: c[0])
@pytest.mark.parametrize("base", RAISED)
def test_an_exception_of_a_program_says_nothing_of_how_it_ends(base: str, command: list[str], tmp_path: Path) -> None:
    text = LIES.format(base=base, init="pass", more="").replace("    __traceback_hide__ = 1\n", "")
    code, out, err = ended(command, text, tmp_path)
    found = out + err
    assert code == 2, found
    assert re.search(r"spec\.py:\d+:\d+: error\[E\d{3}\]: E(: |$)", found, re.M), found
    for word in ("\x1b", "fine", "Traceback", "bug in gradcli"):
        assert word not in found


def test_a_report_of_a_broken_spec_does_not_pass(tmp_path: Path) -> None:
    import json

    text = LIES.format(base="torch.linalg.LinAlgError", init="pass", more="").replace("    __traceback_hide__ = 1\n", "")
    code, out, _ = ended(["check", "--format", "json"], text, tmp_path)
    assert code == 2
    assert '"passed": true' not in json.dumps(json.loads(out))


@pytest.mark.parametrize("base", RAISED)
@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("    def __str__(self):\n        return 3", "<exception str() failed>"),
        ("    def __str__(self):\n        raise self", "<exception str() failed>"),
        ("    def __str__(self):\n        raise E2()", "<exception str() failed>"),
        ("    def __str__(self):\n        return 'x' * 50_000", "x" * 10_000 + " ..."),
        ("    def __str__(self):\n        return self.args[0] + '!'", "words!"),
    ],
)
def test_what_it_says_is_asked_within_the_limits(base: str, method: str, words: str) -> None:
    text = f"class E2(Exception):\n    def __str__(self):\n        raise self\nclass E({base}):\n{method}\nraise E('words')\n"
    with pytest.raises(GradcliError) as caught:
        run(text)
    assert caught.value.message == f"E: {words}"
    assert type(caught.value.message) is str


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("    def __str__(self):\n        while True:\n            pass", "E403"),
        ("    def __str__(self):\n        return str(self)", "E406"),
        ("    def __str__(self):\n        return 'x' * 10 ** 9", "E405"),
        ("    def __repr__(self):\n        while True:\n            pass\n    def __str__(self):\n        return repr(self)", "E403"),
    ],
)
def test_a_limit_that_it_meets_there_is_told(method: str, code: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(f"class E(Exception):\n{method}\nraise E()\n", limits=STRICT._replace(steps=10_000))
    assert caught.value.code == code
    assert type(caught.value).__name__ == "LimitError"


def test_exceptions_that_a_program_can_name_are_plain_ones() -> None:
    plain = [v for v in OFFERED.values() if isinstance(v, type) and issubclass(v, BaseException)]
    assert len(plain) > 1
    assert not [v for v in plain if issubclass(v, GradcliError)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("torch.linalg.inv(torch.zeros(2, 2))", "torch._C._LinAlgError"),
        ("torch.linalg.cholesky(-torch.eye(2))", "torch._C._LinAlgError"),
        ("torch.ones(2) + torch.ones(3)", "RuntimeError"),
        ("torch.ones(2)[5]", "IndexError"),
        ("nn.Linear(2, 2)(3)", "TypeError"),
        ("nn.Linear()", "TypeError"),
        ("nn.Dropout(5)", "ValueError"),
        ("nn.Module()(1)", "NotImplementedError"),
    ],
)
def test_what_a_program_catches_is_one_that_it_may_derive_from(text: str, kind: str) -> None:
    caught = f"try:\n    {text}\nexcept Exception as e:\n    print(type(e), type(type(e)) is type)\n"
    again = "    class E(type(e)):\n        exit_code = 0\n    print(isinstance(E('x'), type(e)), E('x').args)\n"
    assert printed(caught + again).splitlines() == [f"<class '{kind}'> True", "True ('x',)"]
    with pytest.raises(GradcliError) as error:
        run(text)
    assert error.value.message.startswith(f"{kind}: ")
    assert error.value.exit_code == 2


@pytest.mark.parametrize("other", ["nn.Module", "torch.autograd.Function", "torch.utils.data.Dataset", "torch.optim.SGD"])
def test_an_exception_is_nothing_else(other: str) -> None:
    for bases in (f"Exception, {other}", f"{other}, ValueError"):
        error = refusal(f"class E({bases}):\n    pass\n")
        assert error.message.startswith("a class of a spec cannot be an exception and a ")
    assert printed("class A:\n    pass\nclass E(A, ValueError):\n    pass\nprint(E('x'))\n") == "x\n"

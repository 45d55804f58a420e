"""What a schedule saves of the functions it was given: attributes of a program's own objects, and of nothing else."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from tests.spec.running import printed, run

START = """
import torch, functools, dataclasses
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, MultiplicativeLR, CyclicLR, SequentialLR, StepLR
opt = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
class Own:
    kind = 1
    def __init__(self): self.rate, self._hidden = 0.5, 3
    def __call__(self, e): return self.rate
class Module(nn.Module):
    def forward(self, e): return 1.0
class Data(torch.utils.data.Dataset):
    def __call__(self, e): return 1.0
class Error(Exception):
    def __call__(self, e): return 1.0
@dataclasses.dataclass(frozen=True)
class Frozen:
    rate: float = 0.5
    def __call__(self, e): return self.rate
def f(e): return 1.0
own = Own()
"""

OTHERS = (
    "f", "lambda e: 1.0", "object", "type", "int", "float", "abs", "len", "torch.abs", "nn.ReLU()", "Module()",
    "Data()", "Error()", "Own", "Module", "own.__call__", "functools.partial(f)", "torch.no_grad()(f)",
    "torch.func.vmap(f)",
    "'a'.join", "torch.ones(2).add", "torch.Tensor", "staticmethod(f)", "LambdaLR", "opt.step", "math.exp", "print",
)  # fmt: skip


@pytest.mark.parametrize("function", OTHERS)
def test_of_all_else_none_is_saved(function: str) -> None:
    text = f"s = LambdaLR(opt, lambda e: 1.0)\ns.lr_lambdas[0] = {function}\nprint(s.state_dict()['lr_lambdas'])"
    assert printed(START + text) == "[None]\n"


@pytest.mark.parametrize("function", OTHERS)
def test_nothing_else_is_given_attributes(function: str) -> None:
    text = (
        f"h = {function}\ns = LambdaLR(opt, lambda e: 1.0)\ns.lr_lambdas[0] = h\nbefore = dir(h)\n"
        "s.load_state_dict({'lr_lambdas': [{'machine': 1, 'body': 2, 'training': 'x', 'forward': 3, 'odd': 4}]})\n"
        "print(dir(h) == before)"
    )
    assert printed(START + text) == "True\n"


def test_attributes_of_an_object_are_saved_and_taken_over() -> None:
    text = """
s = LambdaLR(opt, own)
state = s.state_dict()
print(state["lr_lambdas"])
state["lr_lambdas"][0]["rate"] = 7.0
print(own.rate)
s.load_state_dict(state)
print(own.rate, own(0))
"""
    assert printed(START + text) == "[{'rate': 0.5, '_hidden': 3}]\n0.5\n7.0 7.0\n"


def test_attributes_of_the_scale_of_a_cycle_are_saved_and_taken_over() -> None:
    text = """
c = CyclicLR(opt, 0.1, 1.0, scale_fn=own, cycle_momentum=False)
state = c.state_dict()
print(state["_scale_fn_custom"])
state["_scale_fn_custom"]["rate"] = 0.25
c.load_state_dict(state)
print(own.rate)
"""
    assert printed(START + text) == "{'rate': 0.5, '_hidden': 3}\n0.25\n"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("__class__", "object attribute '__class__' is read-only"),
        ("__dict__", "object attribute '__dict__' is read-only"),
        ("__call__", "object attribute '__call__' is read-only"),
    ],
)
def test_special_attributes_are_not_taken_over(key: str, words: str) -> None:
    with pytest.raises(GradcliError, match=words):
        run(START + f"LambdaLR(opt, own).load_state_dict({{'lr_lambdas': [{{'{key}': 1}}]}})")


def test_what_is_frozen_stays() -> None:
    with pytest.raises(GradcliError, match="cannot assign to field 'rate'"):
        run(START + "LambdaLR(opt, Frozen()).load_state_dict({'lr_lambdas': [{'rate': 1.0}]})")


@pytest.mark.parametrize("name", ["_schedulers", "_milestones"])
def test_who_is_asked_to_step_is_shown_and_settled(name: str) -> None:
    text = START + "s = SequentialLR(opt, [StepLR(opt, 1), StepLR(opt, 2)], [1])\n"
    text += f"s.{name}.clear()\nprint(len(s.{name}))\n"
    assert printed(text) == ("2\n" if name == "_schedulers" else "1\n")
    with pytest.raises(GradcliError, match=f"attribute '{name}' of 'SequentialLR' objects is not writable"):
        run(text + f"s.{name} = [own]")


@pytest.mark.parametrize(
    "text",
    [
        "s = StepLR(opt, 1, gamma=10**4299)\nopt.param_groups[0]['lr'] = 100\nopt.step()\ns.step()",
        "opt.param_groups[0]['lr'] = 2**14284\ns = MultiplicativeLR(opt, lambda e: 4)\nopt.step()\ns.step()",
        "s = LambdaLR(opt, lambda e: 2**9999)\ns.base_lrs[0] = 2**9999\nopt.step()\ns.step()",
    ],
)
def test_no_rate_becomes_an_integer_of_too_many_digits(text: str) -> None:
    with pytest.raises(GradcliError, match=r"4,300 digits|int too large|does not fit into 64 bits"):
        run(START + text)


def test_a_rate_becomes_no_long_list() -> None:
    with pytest.raises(GradcliError, match="list"):
        run(START + "s = LambdaLR(opt, lambda e: 10**9)\nopt.step()\ns.base_lrs[0] = [1]\ns.step()")


def test_an_optimiser_of_a_program_takes_states_by_its_own_method() -> None:
    text = """
import copy, torch
class Mine(torch.optim.Optimizer):
    def __init__(self, params): super().__init__(params, dict(lr=0.1))
    def __setstate__(self, state):
        super(Mine, self).__setstate__(state)
        print(sorted(state))
        for group in self.param_groups: group.setdefault("nesterov", False)
class More(Mine):
    def __setstate__(self, state):
        super().__setstate__(state)
        print(self.param_groups[0]["nesterov"])
w = torch.ones(2, requires_grad=True)
Mine([w]).load_state_dict(Mine([w]).state_dict())
copy.deepcopy(More([w]))
"""
    assert printed(text) == "['param_groups', 'state']\n['defaults', 'param_groups', 'state']\nFalse\n"


def test_objects_of_a_program_say_what_their_copies_hold() -> None:
    text = """
import copy, pickle
class A:
    def __init__(self, a): self.a, self.cache = a, "full"
    def __getstate__(self): return {k: v for k, v in self.__dict__.items() if k != "cache"}
    def __setstate__(self, state): self.__dict__.update(state); self.cache = "empty"
class B(A):
    def __getstate__(self): return super().__getstate__(), "more"
    def __setstate__(self, state): super().__setstate__(state[0]); self.told = state[1]
a, b = A([1]), B([2])
for made in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), copy.copy(b)):
    print(made.__dict__, made.a is a.a)
"""
    one = "{'a': [1], 'cache': 'empty'}"
    last = "{'a': [2], 'cache': 'empty', 'told': 'more'}"
    assert printed(text) == f"{one} True\n{one} False\n{one} False\n{last} False\n"


def test_a_module_of_a_program_restores_itself_when_it_is_copied() -> None:
    text = """
import copy, torch
from torch import nn
class L(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.n = nn.Linear(1, 1), [1]
    def __setstate__(self, state):
        print(sorted(k for k in state if k[0] != '_'), '_modules' in state)
        state['n'] = state['n'] + [2]
        super().__setstate__(state)
class M(nn.Module):
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.z = 4
a = L()
b = copy.deepcopy(a)
w, v = a.lin.weight, b.lin.weight
print(a.n, b.n, v is w, torch.equal(v, w), copy.copy(a).lin is a.lin, copy.deepcopy(M()).z)
"""
    told = "['n', 'training'] True\n"
    assert printed(text) == f"{told}{told}[1] [1, 2] False True True 4\n"


@pytest.mark.parametrize(
    ("base", "hook"),
    [
        ("torch.nn.Module", "__getstate__"), ("torch.utils.data.Dataset", "__setstate__"),
        ("Exception", "__setstate__"),
    ],
)  # fmt: skip
def test_the_insides_of_other_objects_are_handed_to_nobody(base: str, hook: str) -> None:
    with pytest.raises(GradcliError, match=f"may not define {hook}"):
        run(f"import torch\nclass A({base}):\n    def {hook}(self, *state): pass\n")


@pytest.mark.parametrize("change", ["state['_parameters'] = {}", "state['_buffers'] = 3"])
def test_what_a_module_registers_is_not_replaced_as_it_restores_itself(change: str) -> None:
    with pytest.raises(GradcliError, match="belongs to Module"):
        run(
            "import copy, torch\nclass A(torch.nn.Module):\n    def __setstate__(self, state):\n"
            f"        {change}\n        super().__setstate__(state)\ncopy.deepcopy(A())(1)\n"
        )


@pytest.mark.parametrize("made", ["copy.copy(A())", "copy.deepcopy(A())", "pickle.loads(pickle.dumps(A()))"])
@pytest.mark.parametrize(
    "state",
    [
        "(None, {'__class__': nn.ReLU})", "{'__held__': 3}", "(None, Pairs())", "(Pairs(a=1), None)", "Pairs()",
        "Both((None, Pairs()))",
    ],
)  # fmt: skip
def test_no_class_and_no_dict_comes_of_a_state(state: str, made: str) -> None:
    with pytest.raises(GradcliError, match="a __getstate__ "):
        run(
            "import copy, pickle\nfrom torch import nn\nclass Pairs(dict):\n"
            "    def items(self): return [('__class__', nn.ReLU)]\n"
            "class Both(tuple): pass\n"
            f"class A:\n    def __getstate__(self): return {state}\n{made}\n"
        )


@pytest.mark.parametrize(
    ("state", "what"),
    [("5", "state"), ("[1]", "state"), ("(1, 2)", "state"), ("False", "state"), ("({}, 5)", "slot state")],
)
def test_a_state_is_a_dictionary(state: str, what: str) -> None:
    text = (
        f"import pickle\nclass A:\n    def __getstate__(self): return {state}\n"
        "try: pickle.loads(pickle.dumps(A()))\nexcept pickle.UnpicklingError as e: print(e)\n"
    )
    assert printed(text) == f"{what} is not a dictionary\n"


def test_a_pickle_in_a_pickle_is_what_it_was() -> None:
    text = (
        "import pickle\nclass A:\n    def __reduce__(self): return pickle.loads, (pickle.dumps([3]),)\n"
        "print(pickle.loads(pickle.dumps(A())))\nb = pickle.dumps({'a': pickle.dumps(2)})\n"
        "print(pickle.loads(pickle.loads(b)['a']))\n"
    )
    assert printed(text) == "[3]\n2\n"

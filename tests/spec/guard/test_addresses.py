"""Ids, addresses and hashes are counted for each run: they tell values apart, and nothing of the machine."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.engine.guard import addresses
from gradcli.engine.tensor import tensor
from gradcli.errors import GradcliError
from tests.sources import trees
from tests.spec.attempts import attempt
from tests.spec.running import printed, run

HOUSE = Path(gradcli.__file__).parent
# Where numbers begin, and end.
LEAST, MOST = 0x2A00_0000_0000, 0x2B00_0000_0000

START = """
import torch, copy, functools, itertools, collections, contextlib, dataclasses, enum, math
from torch import nn
class A:
    def method(self): return 1
class E(Exception): pass
class D(torch.utils.data.Dataset):
    def __getitem__(self, i): return i
    def __len__(self): return 2
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.me = repr(ctx)
        return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
class M(nn.Module):
    def forward(self, x): return x
class Color(enum.Enum):
    RED = 1
@dataclasses.dataclass(frozen=True)
class P:
    held: object
def f(): return 1
def g(): yield 1
a = A()
x = torch.ones(4, 3, requires_grad=True)
y = x * 2
opt = torch.optim.SGD([x], lr=1.0)
"""

# Everything of which Python or PyTorch shows an address, or by whose address it hashes.
VALUES = """
a, A, a.method, f, lambda: 1, g(), (i for i in []), E("x"), D(), torch.utils.data.DataLoader(D()),
torch.utils.data.SequentialSampler([1]), iter(torch.utils.data.DataLoader(D())), x, y, x.grad_fn, y.grad_fn,
F.apply(x).grad_fn, F.apply, F, x.sum, x.backward, torch.Tensor.sum, torch.sin, nn.functional.relu, nn.Linear(1, 1),
nn.Linear, M(), M().forward, M, opt, opt.step, torch.optim.SGD, torch.optim.lr_scheduler.StepLR(opt, 1),
torch.no_grad(), torch.Generator(), torch.amp.GradScaler(enabled=False), x.register_hook(f),
y.grad_fn.metadata, zip([1]), map(f, []),
filter(f, []), enumerate([]), iter([]), iter({}), iter(""), iter((1,)), iter(range(3)), iter({1}), reversed([1]),
itertools.chain([]), itertools.count(), functools.partial(f), len, [].append, "".join, {}.get, math.sin, print, id,
None, Ellipsis, NotImplemented, int, object, type(a), super, Color.RED, Color, P(a), collections.deque(), torch, math,
torch.float32, torch.distributions.Normal(0.0, 1.0), contextlib.nullcontext(), contextlib.suppress(E),
torch.func.grad(f), torch.no_grad()(f), torch.vmap(f), functools.partial, dataclasses.field(default=1), property(f),
staticmethod(f), torch.utils.data.random_split(D(), [1, 1])[0], y.grad_fn._input_metadata, torch.device("cpu")
"""

SHOW = """
values = [VALUES]
for v in values:
    for write in (str, repr, lambda v: f"{v}", lambda v: "%s" % (v,), lambda v: format(v), lambda v: repr([v]), id):
        try:
            print(write(v))
        except Exception as e:
            print(e)
    try:
        # Hashes of tuples look like anything: they only have to be the same.
        print(hash(v), f"h{hash((v,))} h{hash((1, (v, 2)))}")
    except Exception as e:
        print(e)
"""


def whole(text: str) -> str:
    """The program that shows all values."""
    return START + text.replace("VALUES", VALUES)


def numbers(text: str) -> Iterator[int]:
    """The numbers in a text that may be addresses: no process has memory beyond 47 bits."""
    yield from (int(n, 16) for n in re.findall(r"0x[0-9a-f]+", text))
    yield from (n for n in map(int, re.findall(r"(?<![\w.])\d{12,15}(?![\w.])", text)) if n < 1 << 47)


def test_nothing_that_is_shown_is_a_true_address() -> None:
    text = printed(whole(SHOW))
    found = list(numbers(text))
    assert len(found) > 200
    # What hashes by its address drops the bits that are always 0.
    assert [n for n in found if not any(LEAST <= n << bits < MOST for bits in (0, 4, 6))] == []


def test_the_same_program_shows_the_same() -> None:
    text = whole(SHOW)
    first = printed(text)
    held = [bytearray(n) for n in range(999)]
    assert printed(text) == first
    del held


def test_runs_inside_of_others_number_for_themselves() -> None:
    inner: list[str] = []
    text = "class A: pass\na = A()\nprint(id(a))"

    def write(words: str) -> None:
        if not inner:
            inner.append("")
            inner.append(printed(text))
        inner[0] += words

    from tests.spec.running import program

    program(text + "\nprint(id(a))\nprint(id(A()) > id(a))").run(write)
    assert inner == [f"{LEAST}\n{LEAST}\nTrue\n", f"{LEAST}\n"]


RULES = {
    "one value has one id": "id(a) == id(a), id(x) == id(x), id(f) == id(f), id(None) == id(None)",
    "values that live have ids of their own": (
        "len({id(v) for v in [A() for _ in range(99)] + [[] for _ in range(99)] + [a, x, f, A, None]}) == 203"
    ),
    "what is the same has the same id": "id([a][0]) == id(a), id(y.grad_fn) == id(y.grad_fn)",
    "an object is hashed as it is shown": "hash(x) == id(x), hash(f) == hash(f), hash(a) == hash(a)",
    "as it is in a tuple": "hash((a,)) == hash((a,)), hash((a, x)) != hash((x, a))",
    "as a method is": "hash(a.method) == hash(a.method) != hash(A().method), hash((a.method,)) == hash((a.method,))",
    "id is in the text": "f'{id(a):#x}' in repr(a), f'{id(f):#x}' in repr(f), f'{id(y.grad_fn):#x}' in repr(y.grad_fn)",
    "a view is where its base is": "x.data_ptr() == x.view(-1).data_ptr() == x.detach().data_ptr() == x.T.data_ptr()",
    "a memory is that of views": "id(x.storage()) == id(x.T.untyped_storage()), id(y.storage()) != id(x.storage())",
    "a row is further on": "x[1:].data_ptr() - x.data_ptr() == 12, x[2, 1].data_ptr() - x.data_ptr() == 28",
    "a copy is elsewhere": "x.clone().data_ptr() != x.data_ptr(), y.data_ptr() != x.data_ptr()",
    "a number has a place": "(lambda t: t.data_ptr() == t.data_ptr())(torch.tensor(1.0))",
    "nothing is nowhere": "torch.empty(0).data_ptr() == 0, x[:0].data_ptr() == 0",
    "a stride is a view": "torch.as_strided(x.detach(), (2, 2), (1, 2)).data_ptr() == x.data_ptr()",
    "as is what is flipped back": "x.detach()[:, 1:].T.data_ptr() - x.data_ptr() == 4",
    "NumPy shares memory": "torch.from_numpy(x.detach().numpy()).data_ptr() == x.data_ptr()",
    "a parameter shares memory": "(lambda t: nn.Parameter(t).data_ptr() == t.data_ptr())(torch.ones(2))",
    "objects are keys": "{a: 1}[a] == 1, {x: 2}[x] == 2, {f: 3}[f] == 3, {Color.RED: 4}[Color.RED] == 4",
    "and members of sets": "len({a, a, A(), x, y, x, f, f}) == 5, a in {a}, A() not in {a}",
    "numbers are hashed as ever": "hash(1) == hash(1.0) == 1, hash(True) == 1, hash((1, 2)) == hash((1.0, 2))",
    "strings are hashed alike": "hash('a') == hash('a'), hash(('a', 1)) == hash(('a', 1))",
    "sets are hashed by their members": "hash(frozenset([1, a])) == hash(frozenset([a, 1]))",
    "data classes are hashed by what they hold": "hash(P(1)) == hash(P(1)), hash(P(a)) == hash(P(a)) != hash(P(A()))",
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_rules(rule: str) -> None:
    assert set(re.findall(r"True|False", printed(START + f"print({RULES[rule]})"))) == {"True"}


def test_a_value_that_is_gone_does_not_give_its_id_to_another() -> None:
    text = "class A: pass\nprint(len({id(A()) for _ in range(500)}), len({id([]) for _ in range(500)}))"
    assert printed(text) == "500 500\n"


def test_ids_of_very_many_lists_keep_no_more_than_some() -> None:
    numbered = addresses.Addresses()
    lists = [[] for _ in range(20_000)]
    assert len({numbered.of(each) for each in lists}) == 20_000
    assert [numbered.of(each) for each in lists] == [numbered.of(each) for each in lists]
    assert len(numbered._kept) == 10_000


def test_numbers_of_what_is_gone_are_forgotten() -> None:
    numbered = addresses.Addresses()

    class Some:
        pass

    for _ in range(100):
        numbered.of(Some())
    gc.collect()
    assert len(numbered._known) == len(numbered._references) == 0


def test_a_class_without_a_hash_has_none() -> None:
    text = "class A:\n    def __eq__(self, other): return True\nhash(A())"
    with pytest.raises(GradcliError, match="TypeError: unhashable type: 'A'"):
        run(text)


def test_a_class_may_hash_itself() -> None:
    text = "class A:\n    def __hash__(self): return hash((1, 2))\n"
    text += "print(hash(A()) == hash((1, 2)), hash((A(),)) == hash((A(),)))"
    assert printed(text) == "True True\n"


def test_hashes_of_tensors_outlive_a_run() -> None:
    done = run("import torch\nt = torch.ones(2)\nd = {t: 1}\nhash(t)")
    assert done.variables["d"][done.variables["t"]] == 1
    run("import torch\nprint(hash(torch.ones(2)))")
    assert done.variables["d"][done.variables["t"]] == 1


def test_outside_of_a_run_memory_is_where_it_is_relative_to_itself() -> None:
    t = tensor(np.zeros((4, 3)))
    assert t[1:].data_ptr() - t.data_ptr() == 24
    assert t.data_ptr() == t.view(-1).data_ptr()


ERRORS = {
    "a class of ours": "torch.nn.Sequential(D())",
    "a function": "torch.zeros(f)",
    "a generator": "torch.add(g(), 1)",
    "a list of objects": "torch.tensor([a])",
    "an optimiser": "torch.optim.SGD(a, lr=f)",
    "a hook": "nn.Linear(1, 1).load_state_dict({'a': D()})",
    "a pre-hook": (
        "m = nn.Linear(3, 3)\n    m.register_forward_pre_hook(lambda m, i, k: D(), with_kwargs=True)\n    m(x)"
    ),
    "a scheduler": "torch.optim.lr_scheduler.StepLR(D(), 1)",
    "a loader": "torch.utils.data.DataLoader([1], sampler=D(), shuffle=D())",
    "an index": "x[A()]",
    "collate": "torch.utils.data.default_collate([D()])",
    "a key": "{}[D()]",
    "a value to remove": "[].remove(D())",
}


@pytest.mark.parametrize("case", ERRORS)
def test_no_error_says_where_anything_is(case: str) -> None:
    text = START + f"try:\n    {ERRORS[case]}\nexcept Exception as e:\n    print(str(e), repr(e), e.args)"
    assert [n for n in numbers(printed(text)) if not LEAST <= n < MOST] == []


@pytest.mark.parametrize("case", ERRORS)
def test_no_diagnostic_says_where_anything_is(case: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run(START + ERRORS[case].replace("\n    ", "\n"))
    assert [n for n in numbers(str(caught.value)) if not LEAST <= n < MOST] == []


def test_an_address_in_a_text_of_the_host_is_put_right() -> None:
    words = "no <Odd object at 0x7fc5d63af550> and <Odd object at 0x7fc5d63af550>"
    told = addresses.without_addresses(words)
    first, second = re.findall(r"0x[0-9a-f]+", told)
    assert first == second
    assert LEAST <= int(first, 16) < MOST
    assert addresses.without_addresses(told) == told


def test_what_a_program_writes_itself_stays() -> None:
    text = "try:\n    raise ValueError('it is at 0x7fc5d63af550')\nexcept ValueError as e:\n    print(e)"
    assert printed(text) == "it is at 0x7fc5d63af550\n"


def test_no_room_that_a_program_sees_shows_an_id() -> None:
    found = []
    for room in ("engine", "nn", "optim", "utils", "spec"):
        for path, tree in trees((HOUSE / room).rglob("*.py"), r"\bid\s*\(|\bobject\s*\.\s*__"):
            for node in ast.walk(tree):
                if isinstance(node, ast.FormattedValue) and re.search(r"\bid\(", ast.unparse(node.value)):
                    found.append(f"{path.name}:{node.lineno}")
                if isinstance(node, ast.FunctionDef) and node.name in ("__hash__", "__repr__"):
                    text = ast.unparse(node)
                    found += [f"{path.name}:{node.lineno}"] if re.search(r"\bid\(|object\.__", text) else []
    assert found == []


@pytest.mark.parametrize("name", ["__repr__", "__str__"])
@pytest.mark.parametrize("base", ["object", "nn.AvgPool1d", "Exception"])
def test_a_text_that_fails_to_be_made_tells_no_place(name: str, base: str) -> None:
    text = f"import torch.nn as nn\nclass Q({base}):\n    def __init__(self):\n"
    text += f"        super().__init__({'2' if base.startswith('nn') else ''})\n"
    text += f"    @property\n    def {name}():\n        1\nq = Q()\n"
    for shown in ("print(q)", "print(repr(q))", "print(f'{q!r}')", "print([q])", "print('%s' % q)"):
        found = attempt(partial(printed, text + shown))
        assert " at 0x7" not in str(found)


def test_a_row_of_pytorch_s_that_holds_something_else_tells_no_place() -> None:
    text = "import torch\nprint(torch.nn.utils.rnn.PackedSequence(1, torch.no_grad(), None, 1e308))"
    shown = printed(text)
    assert shown.startswith("PackedSequence(data=1, batch_sizes=<torch.")
    assert "gradcli" not in shown
    assert " at 0x7" not in shown
    whole = "import torch\nprint(torch.nn.utils.rnn.PackedSequence(torch.ones(1), torch.tensor([1])))"
    assert printed(whole).startswith("PackedSequence(data=tensor([1.]), batch_sizes=tensor([1])")

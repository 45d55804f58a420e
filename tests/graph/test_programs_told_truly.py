"""Small programs of which a trace once told less than the truth, each with what it has to tell."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.graph.ask.why import explained
from gradcli.graph.json import to_json
from gradcli.graph.mermaid import to_mermaid
from gradcli.graph.text.tree import render
from gradcli.graph.view.collect import collect
from gradcli.graph.view.view import View
from gradcli.text.parts import plain

from .test_collect import viewed
from .worlds import differences, item, unequal

START = "import torch\ntorch.manual_seed(0)\n"


def told(view: View, **options: Any) -> str:
    return "\n".join(map(plain, render(view, **options)))


# -- as it was ---------------------------------------------------------------------------------

LATER = """
w = torch.tensor([1.0, 2.0], requires_grad=True)

class Squares(torch.autograd.Function):
    @staticmethod
    def forward(ctx, given):
        return (given ** 2).sum()

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            return g * torch.autograd.grad((w ** 2).sum(), w)[0]

loss = Squares.apply(w)
loss.backward()
torch.optim.SGD([w], lr=0.1).step()
"""


def test_a_backward_that_reads_a_weight_anew_reads_it_as_it_was() -> None:
    view = viewed(START + LATER)
    assert np.asarray(item(view, "w").grad).tolist() == [2.0, 4.0]
    assert not view.own_grads
    assert np.allclose(view.run.variables["w"].tolist(), [0.8, 1.6])


# -- which root --------------------------------------------------------------------------------

EXP = "a = torch.tensor([1.0, 2.0], requires_grad=True)\nb = a.exp()\n"


@pytest.mark.parametrize(
    ("program", "root"),
    [
        ("g, = torch.autograd.grad(b.sum(), a)\nprint(g)\n", "b.sum()"),
        ("c = b * 3\ng = torch.autograd.grad((b * 2).sum(), a)\n", "(b * 2).sum()"),
        ("g, = torch.autograd.grad(b.sum(), a, create_graph=True)\nprint(g)\n", "g = torch.autograd.grad(b.sum(), a"),
        ("b.mul_(2)\ntry:\n    b.sum().backward()\nexcept RuntimeError:\n    print('caught')\n", "b.sum()"),
        ("s = b.sum()\ns.backward()\ntry:\n    b.prod().backward()\nexcept RuntimeError:\n    pass\n", "s = b.sum()"),
    ],
    ids=["asked", "asked after a name", "derivative", "stopped", "stopped after one"],
)
def test_the_root_is_what_a_gradient_was_asked_of_last(program: str, root: str) -> None:
    assert told(viewed(START + EXP + program)).startswith(root)


# -- several roots -----------------------------------------------------------------------------

SEVERAL = (
    "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    "b = (x * 2).sum()\n"
    "c = (x ** 2) + b\n"
    "torch.autograd.backward([b, c], [None, torch.tensor([1.0, 3.0])])\n"
)


def test_a_backward_of_several_tensors_has_one_root_and_all_gradients() -> None:
    view = viewed(START + SEVERAL)
    assert [(edge.argument, edge.to and edge.to.id) for edge in view.root.edges] == [("b", "b"), ("c", "c")]
    assert item(view, "b").grad == 5.0
    assert np.asarray(item(view, "x").grad).tolist() == [12.0, 22.0]
    assert unequal(view) == [f"backward: {np.ones(())} is not None"]
    assert told(view).startswith("torch.autograd.backward([b, c], ")
    assert "4 ops" in told(view)
    assert json.loads(to_json(view))["root"] == "backward"
    assert "2 paths from backward" in "\n".join(map(plain, explained(view, "b")))
    assert viewed(START + SEVERAL, output="c").root.id == "c"


def test_several_tensors_of_either_engine_are_one_graph(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    view = collect([(x * 2).sum(), x**2])
    assert np.asarray(item(view, "leaf0").grad).tolist() == [4.0, 6.0]


# -- several outputs ---------------------------------------------------------------------------

SVD = (
    "a = torch.tensor([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]], requires_grad=True)\n"
    "U, S, Vh = torch.linalg.svd(a, full_matrices=False)\n"
    "loss = S.sum() + (U @ Vh).sum()\n"
)


def test_every_output_of_a_node_is_told_with_its_name_and_numbers() -> None:
    view = viewed(START + SVD + "loss.backward()\n")
    svd = item(view, "U")
    assert [(each.name, each.shape) for each in svd.results] == [("U", (3, 2)), ("S", (2,)), ("Vh", (2, 2))]
    assert all(each.value is not None and each.grad is not None for each in svd.results)
    assert "self  S  #2[1] LinalgSvdBackward0" in told(view)
    assert "U, S, Vh = LinalgSvdBackward0(a)" in told(view, layout="spine")
    node = next(node for node in json.loads(to_json(view))["nodes"] if node["id"] == "U")
    assert [output["name"] for output in node["outputs"]] == ["U", "S", "Vh"]
    assert '"U, S, Vh<br>LinalgSvdBackward0"' in to_mermaid(view)
    assert "mat2 #35;2" in to_mermaid(view)


def test_rows_of_a_tensor_are_made_where_it_is_taken_apart() -> None:
    view = viewed("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\na, b = x\n\ny = a * a * b\n")
    rows = item(view, "a")
    assert (rows.span and rows.span.line, [each.name for each in rows.results]) == (3, ["a", "b"])
    loop = "s = 0\nfor row in x:\n    s = s + row * row\n"
    view = viewed("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n" + loop)
    assert [each.span and each.span.line for each in view.ops() if each.results] == [4]
    star = viewed("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = torch.stack([*x]).sum() * 2\n")
    assert {"*x"} & {_text(each) for each in star.ops()}


def _text(each: Any) -> str:
    return each.span.source.text.split("\n")[each.span.line - 1][each.span.column : each.span.end_column]


# -- what is held ------------------------------------------------------------------------------


def test_what_the_graph_alone_holds_is_counted() -> None:
    made = START + "x = torch.randn(1000, requires_grad=True)\n"
    assert viewed(made + "y = (x * torch.rand(1000)).sum()\n").saved_bytes == 8000
    assert viewed(made + "w = torch.rand(1000)\ny = (x * w).sum()\n").saved_bytes == 0
    assert viewed(made + "ws = {'w': [torch.rand(1000)]}\ny = (x * ws['w'][0]).sum()\n").saved_bytes == 0
    assert viewed(made + "y = x.masked_fill(torch.rand(1000) > 0.5, 0).sum()\n").saved_bytes == 1000
    assert viewed(made + "y = x[torch.randint(0, 1000, (500,))].sum()\n").saved_bytes == 4000
    assert viewed(made + "y = x.gather(0, torch.randint(0, 1000, (500,))).sum()\n").saved_bytes == 4000


def _held(torch: Any) -> Any:
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    mask = torch.arange(12).reshape(3, 4) % 2 == 0
    picked = x.masked_fill(mask, 0.0)[torch.tensor([0, 2])].gather(1, torch.tensor([[0, 1], [1, 2]]))
    return (picked * torch.tensor([1.0, 2.0])).sum()


def test_both_engines_hold_the_same_bytes() -> None:
    peer = pytest.importorskip("torch")
    ours, theirs = collect(_held(gradcli)), collect(_held(peer))
    assert list(differences(ours, theirs)) == []
    assert ours.saved_bytes == theirs.saved_bytes == 12 + 16 + 32 + 32 + 8


def test_a_checkpoint_holds_what_it_was_given() -> None:
    program = (
        "from torch.utils.checkpoint import checkpoint\nx = torch.randn(100, requires_grad=True)\n"
        "def f(v):\n    return torch.tanh(torch.sin(v)).exp()\n"
    )
    call = "y = checkpoint(f, x * 2, use_reentrant=False).sum()\n"
    assert viewed(START + program + call).saved_bytes == 800
    assert viewed(START + program + "y = f(x * 2).sum()\n").saved_bytes == 2400


# -- names -------------------------------------------------------------------------------------


def test_a_backward_of_the_programs_own_names_no_node_of_the_forward() -> None:
    view = viewed(
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x ** 2\n    @staticmethod\n    def backward(ctx, g):\n"
        "        kept, = ctx.saved_tensors\n        return 2 * kept * g\n"
        "w = torch.tensor(3.0, requires_grad=True)\ny = F.apply(w * 2)\ny.backward()\n"
    )
    assert [each.id for each in view.items] == ["w", "y.1.other", "y.1", "y"]
    assert item(view, "y.1").variable is None


def test_parameters_of_one_model_are_all_named_in_one_way() -> None:
    view = viewed(
        START + "mha = torch.nn.MultiheadAttention(4, 2)\nx = torch.randn(3, 1, 4)\n"
        "y = mha(x, x, x, need_weights=False)[0].sum()\n"
    )
    assert {each.id.partition(".")[0] for each in view.leaves()} == {"mha"}


def test_a_node_without_a_name_has_its_number_in_explanations_too() -> None:
    view = viewed("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = (x * 3 + 1) ** 2\n")
    assert "#2" in "\n".join(map(plain, explained(view, "x")))


# -- gradients ---------------------------------------------------------------------------------


def test_a_grad_that_the_program_has_changed_is_told() -> None:
    made = "import torch\nx = torch.tensor([3.0, 4.0], requires_grad=True)\n"
    twice = viewed(made + "(x * 2).sum().backward()\ny = (x * x).sum()\ny.backward()\n")
    assert ".grad after 2 backwards is another in the end: x = ‖12.8‖" in told(twice)
    assert json.loads(to_json(twice))["leaves"][0]["own_grad"]["max"] == 10.0
    assert "= None" in told(viewed(made + "y = (x * x).sum()\ny.backward()\nx.grad = None\n"))
    clipped = "y = (x * x).sum()\ny.backward()\ntorch.nn.utils.clip_grad_norm_([x], 1.0)\n"
    assert "x = ‖1‖" in told(viewed(made + clipped))
    assert "is another" not in told(viewed(made + "y = (x * x).sum()\ny.backward()\n"))


def _hooked(torch: Any) -> Any:
    x = torch.tensor([1.5, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 30)
    x.register_hook(lambda g: g * 0.5)
    return (h**2).sum()


def test_what_a_hook_makes_of_a_gradient_is_shown(torch: Any) -> None:
    view = collect(_hooked(torch))
    drawn = told(view)
    assert "◆ hook ‖10‖ in, ‖300‖ out" in drawn
    assert "(by a hook, of ‖600‖)" in drawn
    assert "hook: ‖10‖ in, ‖300‖ out" in "\n".join(map(plain, explained(view, "leaf0")))


def test_a_hook_is_a_factor_of_its_own() -> None:
    view = viewed(
        "import torch\nx = torch.tensor(1.5, requires_grad=True)\nh = x * 2\nh.register_hook(lambda g: g * 30)\n"
        "y = h ** 2\ny.backward()\n"
    )
    why = "\n".join(map(plain, explained(view, "x")))
    assert "360 = 6 × 30 × 2" in why
    assert "× 30 (hook) × 2" in why


def test_contributions_stand_the_largest_first_and_parts_are_parts() -> None:
    view = viewed("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = 5 * x - 7 * x + x\n")
    drawn = told(view)
    assert "x = -1 = -7" in drawn
    assert "5, sum -1" in drawn


# -- alarms ------------------------------------------------------------------------------------

SCORES = "s = torch.tensor([[0.5, 1.0], [2.0, 3.0]], requires_grad=True)\n"
QUIET = {
    "causal mask": SCORES + "m = torch.tensor([[False, True], [False, False]])\n"
    "y = torch.softmax(s.masked_fill(m, float('-inf')), -1)[:, 0].sum()\n",
    "first state of zeros": "w = torch.ones(2, 2, requires_grad=True)\nh = torch.zeros(2)\nfor _ in range(3):\n"
    "    h = torch.tanh(w @ h + 1)\ny = h.sum()\n",
    "log of a determinant": SCORES + "y = torch.logdet(s @ s.T + torch.eye(2))\n",
}  # fmt: skip
LOUD = {
    "value of #2 (line 5: torch.softmax": SCORES + "m = torch.ones(2, 2).bool()\n"
    "y = torch.softmax(s.masked_fill(m, float('-inf')), -1)[:, 0].sum()\n",
    "gradient along #2.self (line 4: torch.sqrt(x)": "x = torch.tensor([-1.0, 4.0], requires_grad=True)\n"
    "y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum()\n",
    "first zero: gradient along #3.self (line 5: torch.relu(x)": "x = torch.tensor([-1.0], requires_grad=True)\n"
    "w = torch.ones(1, requires_grad=True)\ny = (torch.relu(x) * w + w).sum()\n",
}  # fmt: skip


@pytest.mark.parametrize("program", QUIET.values(), ids=QUIET)
def test_no_alarm_where_nothing_is_harmed(program: str) -> None:
    drawn = told(viewed(START + program + "y.backward()\n"))
    assert "first non-finite" not in drawn
    assert "first zero" not in drawn


@pytest.mark.parametrize("where", LOUD)
def test_an_alarm_names_the_place_where_it_began(where: str) -> None:
    assert where in told(viewed(START + LOUD[where] + "y.backward()\n"))


CAUSES = {
    "overflow: float64 ends at 1.8e+308 at entry [0]": ("x * 1e200", "x=[1e200, 1]"),
    "a variance of too few entries, 0 / 0": ("x.std()", "x=[2]"),
    "softmax of nothing but -inf at entry [0] (and at 1 more)": ("softmax(x + tensor([-inf, -inf]), 0)", "x=[1,2]"),
    "log of 0 at entry [1]": ("log(x).sum() * w", "x=[1,0]", "w=2"),
    "log of -1": ("log(x) * 2", "x=-1"),
    "it has no slope at -1, times a gradient of 0 at entry [0]": ("where(x > 0, sqrt(x), 0 * x).sum()", "x=[-1,4]"),
    "its slope at 0 is infinite": ("sqrt(x * x)", "x=0"),
    "0 / 0": ("x / y", "x=0", "y=0"),
    "overflow: exp of 1000 at entry [1]": ("exp(x).sum()", "x=[1,1000]"),
    "a broken power of -2": ("x ** 0.5", "x=-2"),
    "its slope at 1 is infinite": ("acos(x)", "x=1"),
    "it is not defined at 3": ("acos(x)", "x=3"),
    "it is infinite at 1 at entry [1]": ("atanh(x).sum()", "x=[0.5, 1]"),
    "it is infinite at -1": ("log1p(x)", "x=-1"),
    "1 / 0 at entry [1]": ("reciprocal(x).sum()", "x=[1,0]"),
    "its slope at 1000 overflows, times a gradient of 0": ("where(x > 9, x, exp(x))", "x=1000"),
    "1 / 0 at entry [0] (and at 1 more)": ("(x / x.sum())[0] * 2", "x=[1,-1]"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("cause", CAUSES)
def test_the_cause_of_a_number_that_is_not_finite(cause: str) -> None:
    lines = told(viewed(*CAUSES[cause])).split("\n")
    assert f"  cause: {cause}" in lines
    assert any(line.startswith("  cure: ") for line in lines)

"""From tensors, and from programs, to views."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError, InputError
from gradcli.graph.view.collect import collect, of_program
from gradcli.graph.view.view import CONST, View
from gradcli.spec.input.named_inputs import binding
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from tests.quick import within
from tests.rings import long

from ..conftest import needs_torch
from .worlds import differences, disordered, item, rows, unequal


def two_inputs(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    return (a + b) * (b + 1)


# -- of tensors --------------------------------------------------------------------------------


def test_a_graph_with_the_gradient_of_every_edge(torch: Any) -> None:
    view = collect(two_inputs(torch))
    assert rows(view) == [
        "leaf0 AccumulateGrad=2.~4.",
        "leaf1 AccumulateGrad=3.~9.",
        "Add AddBackward0=5.~4. self=leaf0~4. other=leaf1~4.",
        "Add.2 AddBackward0=4.~5. self=leaf1~5. other=None",
        "Mul MulBackward0=20.~1. self=Add~4. other=Add.2~5.",
    ]
    assert [each.number for each in view.items] == [2, 3, 1, 4, 0]
    assert [(saved.name, saved.of and saved.of.id, saved.bytes) for saved in view.root.saved] == [
        ("other", "Add.2", 4),
        ("self", "Add", 4),
    ]
    assert view.saved_bytes == 8
    assert (view.root.shape, view.root.dtype, view.ungraded) == ((), "float32", None)


def test_names_are_given_by_node_and_leaves_stand_in_their_order(torch: Any) -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    h = b * a
    nodes = [fn for fn, _ in h.grad_fn.next_functions]
    view = collect(h.sum(), names={nodes[1]: "a", nodes[0]: "b", h.grad_fn: "h"})
    assert [each.id for each in view.items] == ["a", "b", "h", "Sum"]
    assert [each.variable for each in view.items] == ["a", "b", "h", None]


def test_what_is_wanted_is_told(torch: Any) -> None:
    view = collect(two_inputs(torch), grads=False, values=False, saved=False)
    assert rows(view)[-1] == "Mul MulBackward0 self=Add other=Add.2"
    assert view.root.saved == []


def test_a_leaf_is_a_graph_of_one_item(torch: Any) -> None:
    view = collect(torch.tensor([1.0, 2.0], requires_grad=True))
    assert rows(view) == ["leaf0 AccumulateGrad=[1.,2.]~[1.,1.]"]
    assert view.root is view.items[0]


def test_a_gradient_to_start_from(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    view = collect(x * x, gradient=torch.tensor([1.0, 10.0]))
    assert rows(view) == [
        "leaf0 AccumulateGrad=[1.,2.]~[ 2.,40.]",
        "Mul MulBackward0=[1.,4.]~[ 1.,10.] self=leaf0~[ 1.,20.] other=leaf0~[ 1.,20.]",
    ]
    with pytest.raises(InputError, match=r"the gradient has the shape \(2, 2\), what it is for \(2,\)"):
        collect(x * x, gradient=torch.ones(2, 2))


def test_what_has_no_graph_says_why(torch: Any) -> None:
    def words(x: Any) -> str:
        with pytest.raises(InputError) as caught:
            collect(x)
        return f"{caught.value}: {caught.value.help}"

    advice = "compute it from a tensor with requires_grad=True, outside no_grad() and detach()"
    plain = "the tensor has no graph: it was not computed from anything that requires a gradient"
    assert words(torch.ones(2)) == f"{plain}: {advice}"
    assert words(torch.tensor(1.0, requires_grad=True).detach()) == f"{plain}: {advice}"
    assert (
        words(torch.arange(3)) == f"the tensor has no graph: its numbers are int64, which have no gradients: {advice}"
    )
    assert words(2.5) == "a graph starts at a tensor, not at 2.5: give a tensor that was computed"


def test_numbers_that_a_node_keeps_are_constants(torch: Any) -> None:
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    view = collect(x * 0.5 / torch.tensor([1.0, 2.0]))
    half, whole = view.constants()
    assert (half.id, half.name, half.label, half.shape) == ("Mul.other", "const", "0.5", None)
    assert (whole.id, whole.label, whole.shape, whole.dtype) == ("Div.other", None, (2,), "float32")
    assert whole.value.tolist() == [1.0, 2.0]
    assert [saved.bytes for each in view.ops() for saved in each.saved] == [0, 8]


def test_arguments_have_the_names_of_pytorch(torch: Any) -> None:
    f = torch.nn.functional
    x, w, b = (torch.ones(*shape, requires_grad=True) for shape in ((4, 2), (3, 2), (3,)))
    out = torch.cat([f.linear(x, w, b).view(3, 4), torch.where(x > 0, x, 2 * x).view(2, 4).unsqueeze_(0)[0]])
    view = collect(f.mse_loss(out, torch.zeros(5, 4)))
    names = {each.name: tuple(edge.argument for edge in each.edges) for each in view.ops()}
    assert names == {
        "TBackward0": ("self",),
        "AddmmBackward0": ("self", "mat1", "mat2"),
        "ViewBackward0": ("self",),
        "MulBackward0": ("self", "other"),
        "WhereBackward0": ("self", "other"),
        "UnsqueezeBackward1": ("self",),
        "SelectBackward0": ("self",),
        "CatBackward0": ("tensors[0]", "tensors[1]"),
        "MseLossBackward0": ("self", "target"),
    }


def test_arguments_of_a_custom_function_have_the_names_of_its_forward(torch: Any) -> None:
    class Scaled(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, times: int, y: Any, *more: Any) -> Any:
            ctx.save_for_backward(x)
            return x * times, y + 1

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * 3, None, h, None, None

    x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    u, v = Scaled.apply(x, 3, y, 4, torch.tensor(5.0))
    view = collect(u * v)
    node = item(view, "Scaled")
    assert (node.name, node.outputs) == ("ScaledBackward", 2)
    # PyTorch does not tell which of the last two has the edge.
    assert [edge.argument for edge in node.edges] == ["x", "y", "more[1]" if torch is gradcli else "2"]
    assert [(edge.to and edge.to.id, edge.output_nr) for edge in view.root.edges] == [("Scaled", 0), ("Scaled", 1)]
    assert [(saved.name, saved.of and saved.of.id) for saved in node.saved] == [("saved_tensors[0]", "leaf0")]
    assert not unequal(view)


def test_a_forward_that_takes_no_context(torch: Any) -> None:
    class Twice(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(number: Any) -> Any:
            return number * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    view = collect(Twice.apply(torch.tensor(2.0, requires_grad=True)))
    assert rows(view)[-1] == "Twice TwiceBackward=4.~1. number=leaf0~2."


def test_a_backward_that_was_recorded_has_an_order_where_somebody_noted_it() -> None:
    from gradcli.engine.tape import tape

    with tape.recording():
        x = gradcli.tensor(3.0, requires_grad=True)
        (g,) = gradcli.autograd.grad(x * x * 2, x, create_graph=True)
    view = collect(g)
    assert {each.order for each in view.ops()} == {1}
    assert [constant.label for constant in view.constants()] == []


@needs_torch
def test_the_order_is_known_of_pytorch_while_it_looks_for_anomalies() -> None:
    torch = importlib.import_module("torch")
    torch.autograd.set_detect_anomaly(True)
    try:
        x = torch.tensor(3.0, requires_grad=True)
        (g,) = torch.autograd.grad((x * x).sin(), x, create_graph=True)
    finally:
        torch.autograd.set_detect_anomaly(False)
    orders = {each.name: each.order for each in collect(g).ops()}
    assert orders["CosBackward0"] == 1


# -- the same program in both ------------------------------------------------------------------


def _slices(torch: Any) -> Any:
    a, b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor(5.0, requires_grad=True)
    c = a.clone()
    c[0] = b * 2
    c[1:].mul_(b)
    return c.sum()


def _net(torch: Any) -> Any:
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 1))
    for n, parameter in enumerate(net.parameters()):
        nn.init.constant_(parameter, 0.1 + n / 10)
    x = torch.arange(6.0).view(2, 3) / 6
    return nn.functional.mse_loss(net(x), torch.ones(2, 1))


def _attention(torch: Any) -> Any:
    q = (torch.arange(12.0).view(3, 4) / 12).requires_grad_()
    weights = torch.softmax(q @ q.T / 2.0, dim=-1)
    return (weights @ q).max(dim=1).values.sum()


def _in_no_grad(torch: Any) -> Any:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        seen = a.view(2)
    return seen * a


def _second_order(torch: Any) -> Any:
    x = torch.tensor([0.5, 1.5], requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return (g * g).sum()


def _many_outputs(torch: Any) -> Any:
    a = torch.arange(6.0).requires_grad_()
    x, _, z = a.chunk(3)
    return torch.stack([x, z, x * z]).sum()


def _mixed(torch: Any) -> Any:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    return a * torch.tensor([[3.0], [4.0]], dtype=torch.float64, requires_grad=True)


def _picked(torch: Any) -> Any:
    table = torch.ones(4, 2, requires_grad=True)
    rows = torch.nn.functional.embedding(torch.tensor([1, 1, 3]), table)
    return torch.nn.functional.cross_entropy(rows, torch.tensor([0, 1, 1]))


def _trapped(torch: Any) -> Any:
    a = torch.tensor([0.0, -1.0, 2.0], requires_grad=True)
    return (a.log() * a.sqrt() / 0).sum()


def _empty(torch: Any) -> Any:
    return (torch.zeros(0, 3, requires_grad=True) * 2).sum()


PROGRAMS = [
    two_inputs, _slices, _net, _attention, _in_no_grad, _second_order, _many_outputs, _mixed, _picked, _trapped, _empty,
]  # fmt: skip
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__.lstrip("_") for p in PROGRAMS])


@needs_torch
@every_program
def test_both_engines_give_the_same_view(program: Callable[[Any], Any]) -> None:
    ours = collect(program(gradcli))
    theirs = collect(program(importlib.import_module("torch")))
    assert list(differences(ours, theirs)) == []


@every_program
def test_items_stand_behind_what_they_lead_to(torch: Any, program: Callable[[Any], Any]) -> None:
    view = collect(program(torch))
    assert disordered(view) == []
    assert sorted(each.number for each in view.items if each.kind != CONST) == list(
        range(sum(each.kind != CONST for each in view.items))
    )


@needs_torch
def test_a_graph_of_nodes_without_numbers_is_ordered_by_arguments() -> None:
    class Made:
        def __init__(self, name: str, *edges: Any) -> None:
            self._name, self.next_functions = name, tuple((edge, 0) for edge in edges)

        def name(self) -> str:
            return self._name

    from gradcli.graph.view.reach import forward_order, reachable

    a, b = Made("a"), Made("b")
    c = Made("c", b, a)
    root = Made("root", c, a, None)
    assert [node.name() for node in forward_order(reachable(root))] == ["b", "a", "c", "root"]


@long("it takes a second or more")
def test_long_and_wide_graphs_are_ordinary() -> None:
    x = y = gradcli.tensor(1.0, requires_grad=True)
    for _ in range(20_000):
        y = y.sin()
    assert len(collect(y).items) == 20_001
    y = x
    for _ in range(64):
        y = y + y
    view = collect(y)
    assert view.items[0].grad == 2.0**64
    with within(5):
        collect(y)


# -- of programs -------------------------------------------------------------------------------


def program(text: str, *inputs: str) -> Program:
    return Program(read(text, kind="expression"), bindings=[binding(x) for x in inputs])


def viewed(text: str, *inputs: str, **options: Any) -> View:
    return of_program(program(text, *inputs), **options)


def refused(text: str, *inputs: str, **options: Any) -> str:
    with pytest.raises(GradcliError) as caught:
        viewed(text, *inputs, **options)
    return f"[{caught.value.code}] {caught.value}: {caught.value.help}"


PRODUCT = """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b + 1
y = c * d
"""


def test_a_program_names_its_nodes() -> None:
    view = viewed(PRODUCT + "y.backward()")
    assert rows(view) == [
        "a AccumulateGrad=2.~4.",
        "b AccumulateGrad=3.~9.",
        "c AddBackward0=5.~4. self=a~4. other=b~4.",
        "d.other const=1",
        "d AddBackward0=4.~5. self=b~5. other=d.other",
        "y MulBackward0=20.~1. self=c~4. other=d~5.",
    ]
    assert (view.title, view.root_name, view.spec) == ("y = c * d", "y", "<expression>")
    assert [each.span.line for each in view.items if each.span] == [1, 2, 3, 4, 5]
    assert view.root.span is not None
    assert (view.root.span.column, view.root.span.end_column) == (4, 9)
    assert [(each.label, each.shape) for each in view.constants()] == [("1", None)]
    assert view.saved_bytes == 16


def test_the_root_is_the_last_backwards_or_the_value_or_what_was_last_assigned() -> None:
    assert viewed(PRODUCT + "c.backward(retain_graph=True)\nz = y * 2").root_name == "c"
    assert viewed(PRODUCT + "z = a.detach() * 2").root_name == "y"
    assert viewed("(a + b) * b", "a=2", "b=3").title == "(a + b) * b"
    assert viewed("x = torch.tensor(1., requires_grad=True); x").root.name == "AccumulateGrad"
    inside = "def f():\n    w = torch.ones(2, requires_grad=True)\n    y = w * 2\n    {}\n    z = y / 3\nf()"
    assert viewed(inside.format("print(y)")).title == "z = y / 3"
    assert viewed(inside.format("torch.autograd.grad(y.sum(), w)")).title == "y.sum()"


def test_any_tensor_of_the_program_may_be_the_root() -> None:
    text = PRODUCT + "hs = [c, {'last': d}]\ny.backward()\nclass Box:\n    pass\nbox = Box()\nbox.held = c * 3\n"
    for output, id in (
        ("c", "c"), ("hs[0]", "c"), ("hs[-1]['last']", "d"), ("a", "a"), ("box.held", "box.held"),
    ):  # fmt: skip
        view = viewed(text, output=output)
        assert (view.root.id, view.root_name) == (id, output)
        assert not unequal(view)


def test_a_tensor_inside_a_function_or_of_one_turn_of_a_loop_may_be_the_root() -> None:
    text = """\
x = torch.tensor(0.5, requires_grad=True)
def f(v):
    hidden = torch.sin(v)
    return hidden * 2
for i in range(3):
    y = f(x) + i
"""
    assert viewed(text, output="hidden").root.name == "SinBackward0"
    assert viewed(text + "z = y + f(x)", output="hidden@2").root_name == "hidden@2"
    assert viewed(text, output="f.1").root.name == "MulBackward0"


def test_an_output_that_there_is_not_is_refused_with_what_there_is() -> None:
    choices = "tensors with a graph are c, d, y"
    assert refused(PRODUCT, output="z") == f"[E503] the program has no variable 'z': {choices}"
    assert refused("yes = x * 2", "x=1", output="yse") == "[E503] the program has no variable 'yse': did you mean yes?"
    assert refused(PRODUCT + "n = [1]", output="n") == f"[E503] n is no tensor but of type list: {choices}"
    assert refused(PRODUCT + "e = c.detach()", output="e") == (
        f"[E503] e has no graph: it was not computed from anything that requires a gradient: {choices}"
    )
    assert refused(PRODUCT, output="f(c)") == f"[E503] the program has no variable 'f(c)': {choices}"
    assert (
        refused("n = 2", output="m") == "[E503] the program has no variable 'm': no variable of the program has a graph"
    )
    assert refused("x = torch.ones(2) * 2") == (
        "[E503] there is no graph to show: no tensor of the program was computed from one that requires a gradient: "
        "ask for a gradient with requires_grad=True where a tensor is made, outside no_grad() and detach()"
    )


def test_the_graph_is_shown_as_it_was_when_the_program_walked_it() -> None:
    view = viewed("""\
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
        w.grad.zero_()
""")
    assert view.title == "loss = (w * w).sum()"
    assert rows(view) == [
        "w AccumulateGrad=[0.25,0.5 ]~[0.5,1. ]",
        "loss.1 MulBackward0=[0.0625,0.25  ]~[1.,1.] self=w~[0.25,0.5 ] other=w~[0.25,0.5 ]",
        "loss SumBackward0=0.3125~1. self=loss.1~[1.,1.]",
    ]
    assert [saved.value.tolist() for saved in item(view, "loss.1").saved] == [[0.25, 0.5], [0.25, 0.5]]


def test_the_gradient_of_the_program_is_what_the_backward_starts_from() -> None:
    text = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * x\n"
    for call in (
        "y.backward(torch.tensor([1., 0.]))", "y.backward(gradient=torch.tensor([1., 0.]))",
        "torch.autograd.backward(y, torch.tensor([1., 0.]))",
        "torch.autograd.backward([y], grad_tensors=[torch.tensor([1., 0.])])",
    ):  # fmt: skip
        assert viewed(text + call).items[0].grad.tolist() == [2.0, 0.0]


def test_constants_have_the_names_of_the_program_and_say_where_they_left_the_graph() -> None:
    view = viewed("""\
x = torch.tensor([1.0, 2.0], requires_grad=True)
t = torch.tensor([0.5, 0.5])
s = x.sum().detach()
y = ((x - t) * s * 2.0).sum()
""")
    found = [
        (each.id, each.label, each.detached and (each.detached[0], each.detached[1].line)) for each in view.constants()
    ]
    assert found == [("y.1.other", "t", None), ("y.2.other", "s", ("detach", 3)), ("y.3.other", "2.0", None)]


def test_leaves_that_get_nothing_are_told() -> None:
    view = viewed("a = torch.ones(2, requires_grad=True); b = torch.ones(3, requires_grad=True); y = a.sum()")
    assert [(each.id, each.variable, each.shape, each.grad) for each in view.unused] == [("b", "b", (3,), None)]
    model = viewed("m = nn.Linear(2, 1); y = m.weight.sum()")
    assert [each.id for each in model.items] == ["m.weight", "y"]
    assert [each.id for each in model.unused] == ["m.bias"]


def test_every_derivative_has_its_graph() -> None:
    sizes = [len(viewed("sigmoid(x)**2", "x=0.5", order=order).items) for order in range(4)]
    assert sizes == [3, 6, 17, 42]
    view = viewed("sigmoid(x)**2", "x=0.5", order=3)
    assert view.title == "g3 = d³(sigmoid(x)**2)/dx³"
    assert view.root_name == "g3"
    assert np.isclose(view.items[0].grad, -0.03086, atol=1e-5)
    assert {each.order for each in view.ops()} == {0, 1, 2, 3}
    assert (view.root.order, view.root.parent and view.root.parent.name) == (3, "SigmoidBackward0")
    assert not unequal(view)
    assert viewed("y = x * w * x", "x=2", "w=3", order=1, wrt="w").title == "g1 = d(x * w * x)/dw"
    assert viewed("v ** 2", "v=[1, 2]", order=1).items[0].grad.tolist() == [2.0, 2.0]


def test_a_derivative_that_there_is_not_is_refused() -> None:
    both = "leaves are x, w"
    product = ("y = x * w; z = 2 * x", "x=2", "w=3")
    assert refused("2 * x", "x=3", order=1) == (
        "[E503] the 1st derivative of the result with respect to x is constant: it has no graph: None"
    )
    assert refused("y = x ** 2", "x=3", order=4) == (
        "[E503] the 3rd derivative of y with respect to x is constant: it has no graph: --order 2 is as far as it goes"
    )
    assert refused(*product, output="y", order=1) == (
        f"[E503] y depends on 2 leaves: say with --wrt with respect to which: {both}"
    )
    assert refused(*product, output="y", order=1, wrt="y") == (
        f"[E503] y is no leaf: derivatives are with respect to leaves: {both}"
    )
    assert refused(*product, output="y", order=1, wrt="v") == f"[E503] the program has no leaf 'v': {both}"
    assert refused(*product, output="z", order=1, wrt="w") == "[E503] z does not depend on w: leaves are x"
    once = """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x * x
x = torch.tensor(2., requires_grad=True)
y = F.apply(x) ** 2
"""
    assert refused(once, order=2).startswith(
        "[E503] y has no 2nd derivative with respect to x: trying to differentiate"
    )


def test_the_backward_of_a_program_runs_in_its_dtype_and_within_its_limits() -> None:
    own = """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * torch.{}
y = F.apply(x)
"""
    assert viewed(own.format("tensor(2.0)"), "x=1").items[0].grad.dtype == np.float64
    assert "[E40" in refused(own.format("ones(100000, 100000)"), "x=1")


def test_a_backward_that_stops_leaves_the_graph_to_be_seen() -> None:
    view = viewed("y = torch.floor_divide(x, 2) * x.sin()", "x=5")
    assert view.ungraded == "derivative for aten::floor_divide is not implemented"
    assert [each.name for each in view.ops()] == ["NotImplemented", "SinBackward0", "MulBackward0"]
    assert view.root.grad == 1


def test_a_view_is_the_same_each_time() -> None:
    text = "m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))\nloss = m(torch.ones(4, 2)).pow(2).mean()"
    first, second = viewed(text), viewed(text)
    assert rows(first) == rows(second)
    assert list(differences(first, second)) == []


def test_a_value_that_nobody_prints_is_not_formatted() -> None:
    view = of_program(Program(read("[x.sum()] * 100000"), bindings=[binding("x=2")]))
    assert [item.name for item in view.items if item.kind != CONST][-1] == "SumBackward0"
    with pytest.raises(GradcliError, match=r"the limit is 100,000"):
        Program(read("[x.sum()] * 100000"), bindings=[binding("x=2")]).run()

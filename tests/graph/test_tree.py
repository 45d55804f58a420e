"""Drawings: the three of the design to the letter, and what holds for every other."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli as torch
from gradcli.graph.ask.select import depth, focus, invert, max_nodes
from gradcli.graph.text.layout import LIST, NESTED, SPINE, planned
from gradcli.graph.text.tree import render, rich_tree
from gradcli.graph.view.collect import collect
from gradcli.graph.view.view import CONST, LEAF, View
from gradcli.text.parts import plain
from tests.quick import within
from tests.rings import examples, long

from ..report.terminal import acts, bare, commands_ci, width as cells
from .views import chain, const, doubling, keeps, leaf, of_tensor, op, output, place, recurrent, residual, view, views

SOME = settings(deadline=None, max_examples=examples(60))
LAYOUTS = (NESTED, SPINE, LIST)


def drawn(text: str) -> list[str]:
    """The lines of a drawing as it stands in a test."""
    return text.strip("\n").split("\n")


def lines(of: View, width: int = 80, **options: Any) -> list[str]:
    return [plain(line) for line in render(of, width=width, **options)]


# -- the three drawings ------------------------------------------------------------------------


def two_inputs() -> View:
    a, b = leaf("a", 2.0, 4.0, line=1), leaf("b", 3.0, 9.0, line=2)
    c = op("AddBackward0", ("self", a, 4.0), ("other", b, 4.0), value=5.0, grad=4.0, line=3)
    d = op("AddBackward0", ("self", b, 5.0), ("other", const("1", 1)), value=4.0, grad=5.0, line=3)
    y = op("MulBackward0", ("self", c, 4.0), ("other", d, 5.0), value=20.0, grad=1.0, line=3)
    return view(y, "y = (a + b) * (b + 1)", "y")


TWO_INPUTS = """
y = (a + b) * (b + 1)                  3 ops · 2 leaves · 1 constant · 5 edges
  grad_fn                                   shape       value        grad line
y  #0 MulBackward0                             ()          20           1    3
├─ self  #1 AddBackward0                       ()           5           4    3
│  ├─ self  a  AccumulateGrad                  ()           2           4    1
│  └─ other b  AccumulateGrad                  ()           3      4 of 9    2
└─ other #4 AddBackward0                       ()           4           5    3
   ├─ self  b  ↩ AccumulateGrad                ()           3      5 of 9    2
   └─ other 1  const                                        1           -
leaf grads   a = 4    b = 9 = 5 (via #4.self) + 4 (via #1.other)
"""


def test_two_inputs() -> None:
    assert lines(two_inputs()) == drawn(TWO_INPUTS)
    # More room changes nothing.
    assert lines(two_inputs(), 200) == drawn(TWO_INPUTS)


def test_two_inputs_in_ascii() -> None:
    assert lines(two_inputs(), ascii=True) == drawn("""
y = (a + b) * (b + 1)                  3 ops, 2 leaves, 1 constant, 5 edges
  grad_fn                                   shape       value        grad line
y  #0 MulBackward0                             ()          20           1    3
|- self  #1 AddBackward0                       ()           5           4    3
|  |- self  a  AccumulateGrad                  ()           2           4    1
|  `- other b  AccumulateGrad                  ()           3      4 of 9    2
`- other #4 AddBackward0                       ()           4           5    3
   |- self  b  ^ AccumulateGrad                ()           3      5 of 9    2
   `- other 1  const                                        1           -
leaf grads   a = 4    b = 9 = 5 (via #4.self) + 4 (via #1.other)
""")


def test_two_inputs_on_40_columns() -> None:
    assert lines(two_inputs(), 40) == drawn("""
y = (a + b) * (b + 1)
3 ops · 2 leaves · 1 constant · 5 edges
y #0 MulBackward0 20 g=1
├ self #1 AddBackward0 5 g=4
│ ├ self a AccumulateGrad 2 g=4
│ └ other b AccumulateGrad 3 g=4 of 9
└ other #4 AddBackward0 4 g=5
  ├ self b ↩ AccumulateGrad 3 g=5 of 9
  └ other 1 const
leaf grads
  a = 4
  b = 9 = 5 (via #4.self)
    + 4 (via #1.other)
""")


def test_two_inputs_along_the_spine_and_as_a_list() -> None:
    assert lines(two_inputs(), layout="spine")[1:] == drawn("""
     grad_fn(arguments)                     shape       value        grad line
#0 MulBackward0(#1, #2)                        ()          20           1    3
│  #1 AddBackward0(a, b)                       ()           5           4    3
#2 AddBackward0(b, 1)                          ()           4           5    3
leaf grads   a = 4    b = 9 = 5 (via #2.self) + 4 (via #1.other)
""")
    assert lines(two_inputs(), layout="list")[1:] == drawn("""
     grad_fn(arguments)                     shape       value        grad line
#0 MulBackward0(#2, #1)                        ()          20           1    3
#1 AddBackward0(b, 1)                          ()           4           5    3
#2 AddBackward0(a, b)                          ()           5           4    3
#3 b  AccumulateGrad                           ()           3           9    2
#4 a  AccumulateGrad                           ()           2           4    1
leaf grads   a = 4    b = 9 = 5 (via #1.self) + 4 (via #2.other)
""")


def between(low: float, high: float, *shape: int) -> Any:
    return np.linspace(low, high, int(np.prod(shape))).reshape(shape)


def of_norm(length: float, *shape: int) -> Any:
    return np.full(shape, length / np.sqrt(np.prod(shape)))


def two_layers() -> View:
    b1, b2 = leaf("fc1.bias", between(-0.2, 0.3, 3), of_norm(0.5, 3)), leaf("fc2.bias", [0.3], [0.138], line=4)
    w1 = leaf("fc1.weight", between(-0.6, 0.8, 3, 2), of_norm(0.9, 3, 2), line=3)
    w2 = leaf("fc2.weight", between(-0.5, 0.9, 1, 3), of_norm(0.7, 1, 3), line=4)
    x, t = const("x", between(-1.5, 2, 4, 2), tensor=True), const("t", between(0, 1, 4, 1), tensor=True)

    def layer(n: int, before: Any, weight: Any, bias: Any, value: Any, grad: Any, line: int) -> Any:
        turned = op("TBackward0", ("self", weight, weight.grad), value=weight.value.T, grad=weight.grad.T, line=line)
        edges = [("self", bias, bias.grad), ("mat1", before), ("mat2", turned, turned.grad)]
        if n == 2:
            edges[1] = ("mat1", before, before.grad)
        made = op("AddmmBackward0", *edges, value=value, grad=grad, line=line)
        return keeps(made, mat1=before, mat2=turned, alpha=(1, 0), beta=(1, 0)) if n == 2 else made

    first = layer(1, x, w1, b1, between(-1.45, 1.48, 4, 3), of_norm(0.739, 4, 3), 5)
    rectified, g = between(0, 1.48, 4, 3), of_norm(0.837, 4, 3)
    relu = op("ReluBackward0", ("self", first, first.grad), value=rectified, grad=g, line=6)
    keeps(relu, result=relu)
    second = layer(2, relu, w2, b2, between(0.10, 1.19, 4, 1), of_norm(0.579, 4, 1), 7)
    loss = op("MseLossBackward0", ("self", second, second.grad), ("target", t), value=0.33484, grad=1.0, line=8)
    keeps(loss, self=second, target=t, reduction=("mean", 0))
    return view(loss, "L = mse_loss(fc2(relu(fc1(x))), t)", "L")


TWO_LAYERS = """
L = mse_loss(fc2(relu(fc1(x))), t)     6 ops · 4 leaves · 2 constants · 9 edges
  grad_fn                                   shape       value        grad line
L  #0 MseLossBackward0                         ()      0.3348           1    8
│  ◆ saved self=#1 target=t reduction='mean'
├─ self  #1 AddmmBackward0                  (4,1)  0.10..1.19     ‖0.579‖    7
│  │  ◆ saved mat1=#3 mat2=#8 alpha=1 beta=1
│  ├─ self  fc2.bias  AccumulateGrad         (1,)         0.3       0.138    4
│  ├─ mat1  #3 ReluBackward0                (4,3)  0.00..1.48     ‖0.837‖    6
│  │  │  ◆ saved result=#3 (own output)
│  │  └─ self  #4 AddmmBackward0            (4,3) -1.45..1.48     ‖0.739‖    5
│  │     ├─ self  fc1.bias  AccumulateGrad   (3,) -0.20..0.30       ‖0.5‖
│  │     ├─ mat1  x  const                  (4,2) -1.50..2.00           -
│  │     └─ mat2  #6 TBackward0             (2,3) -0.60..0.80       ‖0.9‖    5
│  │        └─ self  fc1.weight  Accumulat… (3,2) -0.60..0.80       ‖0.9‖    3
│  └─ mat2  #8 TBackward0                   (3,1) -0.50..0.90       ‖0.7‖    7
│     └─ self  fc2.weight  AccumulateGrad   (1,3) -0.50..0.90       ‖0.7‖    4
└─ target t  const                          (4,1)  0.00..1.00           -
leaf grads   fc2.bias = 0.138
             fc1.bias = ‖0.5‖
             fc1.weight = ‖0.9‖
             fc2.weight = ‖0.7‖
saved        0 B in 0 tensors
"""


def test_two_layers_with_what_is_saved() -> None:
    assert lines(two_layers(), saved=True) == drawn(TWO_LAYERS)


def third_derivative() -> View:
    """The third derivative of sigmoid(x) ** 2 at 0.5; an op's order is the first derivative in whose graph it is."""
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    y = torch.sigmoid(x) ** 2
    orders = {item.node: 0 for item in of_tensor(y).ops()}
    for order in (1, 2, 3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        orders = {item.node: order for item in of_tensor(y).ops()} | orders
    made = of_tensor(y, {"x": x})
    for item in made.ops():
        item.order = orders[item.node]
    made.title, made.root_name = "g3 = d³(sigmoid(x) ** 2)/dx³", "g3"
    return made


THIRD_DERIVATIVE = """
g3 = d³(sigmoid(x) ** 2)/dx³   41 ops · 1 leaf · 11 constants · 65 edges
     grad_fn(arguments)                              d       value        grad
#0 SigmoidBackwardBackward0(#2, #1)                  3     -0.2011           1
│  #1 SigmoidBackward0(x)                            0      0.6225     -0.1313
#2 AddBackward0(#13, #3)                             3     -0.8558       0.235
"""


def test_third_derivative() -> None:
    shown = lines(third_derivative())
    assert shown[:5] == drawn(THIRD_DERIVATIVE)
    assert "leaf grads   x = -0.03086" in shown
    assert len([line for line in shown if "Backward" in line]) == 41
    assert lines(third_derivative(), ascii=True)[0].startswith("g3 = d^3(sigmoid(x) ** 2)/dx^3   41 ops, 1 leaf")


# -- what rows say -----------------------------------------------------------------------------


def test_a_program_s_names_stand_before_what_they_name() -> None:
    h = op("TanhBackward0", ("self", leaf("x", 1.0)), value=0.76, variable="h")
    shown = view(op("ExpBackward0", ("self", h), value=2.1), "y = exp(h)", "y")
    assert lines(shown, values="none", grads="none", layout="nested")[1:4] == drawn("""
  grad_fn                                                                shape
y  #0 ExpBackward0                                                          ()
└─ self  h  #1 TanhBackward0                                                ()
""")
    assert lines(shown, 50, layout="spine")[2] == "#1 h = TanhBackward0(x) 0.76"


def test_constants_say_where_they_were_detached() -> None:
    cut, none = const("h", between(0, 1, 2), tensor=True), const("c", 2.0, tensor=True)
    cut.detached, none.detached = ("detach", place(4)), ("no_grad", None)
    y = op("MulBackward0", ("self", leaf("x", 1.0)), ("other", cut), ("0", none), ("1", None), line=5)
    assert lines(view(y))[1:] == drawn("""
  grad_fn                                               shape       value line
#0 MulBackward0                                                              5
├─ self  x  AccumulateGrad                                 ()           1
├─ other h  const  detached at line 4                    (2,)  0.00..1.00
├─ 0     c  const  detached by no_grad                     ()           2
└─ 1     None
""")


def test_outputs_of_a_node_are_told_apart() -> None:
    split = op("SplitBackward0", ("self", leaf("x", [1.0, 2.0])), value=[1.0], grad=[3.0], outputs=2)
    y = op("MulBackward0", ("self", split, [3.0]), ("other", split, [1.0, 2.0]), value=2.0, grad=1.0)
    y.edges[1].output_nr = 1
    split.results = [output(None, [1.0], [3.0]), output("rest", [2.0, 3.0], [1.0, 2.0])]
    assert lines(view(y), 50)[1:6] == drawn("""
#0 MulBackward0 2 g=1
├ self #1 SplitBackward0 (1,) 1 g=3
│ └ self x AccumulateGrad (2,) 1.00..2.00
└ other rest #1[1] ↩ SplitBackward0
    (2,) 2.00..3.00 g=‖2.24‖
""")
    assert lines(view(y), layout="spine")[2].startswith("#0 MulBackward0(#1, #1[1])")


def test_what_is_hidden_is_told() -> None:
    near = lines(depth(residual(30), 3))
    assert near[2:11] == drawn("""
loss  #0 SumBackward0                     ()         1.5                1    4
└─ self  h29  #1 AddBackward0          (2,3) -2.03..0.92           ‖2.52‖    3
   ├─ self  h28  #2 AddBackward0       (2,3) -1.87..1.63 ‖2.52‖ of ‖3.12‖    3
   │  ├─ self  h27  #3 A… [+112 nodes] (2,3) -1.01..1.16           ‖3.12‖    3
   │  └─ other #4 ReluBack… [+2 nodes] (2,3) -1.87..1.63           ‖3.12‖    3
   └─ other #5 ReluBackward0           (2,3) -2.03..0.92           ‖2.52‖    3
      └─ self  #6 MmBackwar… [+1 node] (2,3) -2.03..0.92           ‖2.52‖    3
         └─ self  h28  #2 ↩ AddBackwa… (2,3) -1.87..1.63 ‖2.52‖ of ‖3.12‖    3
… 115 of 122 nodes not shown: a greater --depth shows more, --focus NAME a part
""")
    few = lines(max_nodes(residual(30), 5), 100, layout="spine")
    assert [line for line in few if "not shown" in line] == [
        "… 117 of 122 nodes not shown: --max-nodes 122 shows all, --focus NAME a part"
    ]
    assert not [line for line in lines(two_inputs()) if "not shown" in line]
    assert lines(focus(two_inputs(), "a"), 100)[0].endswith("5 edges · focus on a")


def test_a_cut_row_keeps_what_is_hidden_behind_it() -> None:
    long = op("UnsafeSplitWithSizesBackward0", ("self", leaf("x")))
    long.edges, long.cut, long.hidden = [], "depth", 137
    shown = lines(view(op("ExpBackward0", ("self", long))), 40)
    assert shown[2] == "└ self #1 UnsafeSplitWithS… [+137 nodes]"
    spine = lines(view(op("ExpBackward0", ("self", long))), 60, layout="spine")
    assert spine[2] == "#1 UnsafeSplitWithSizesBackward0(…) [+137 nodes]"


def test_a_folded_run_says_how_often() -> None:
    h = op("TanhBackward0", ("self", leaf("x")), variable="h50", repeats=(50, "h1", "h50"))
    y = view(op("SumBackward0", ("self", h)))
    assert "└─ self  h50  #1 TanhBackward0 × 50 (h1 … h50)" in lines(y)
    assert "`- self  h50  #1 TanhBackward0 x 50 (h1 .. h50)" in lines(y, ascii=True)
    assert "#1 h50 = TanhBackward0(x) × 50 (h1 … h50)" in lines(y, layout="spine")
    # Where there is less room, the names are cut and not the count.
    h.repeats = (50, "x~shortcut", "x~shortcut@50")
    assert lines(y, 60)[2] == "└─ self  h50  #1 TanhBackward0 × 50 (x~shortcut … x~short…"


def test_upside_down_every_edge_tells_what_comes_down_it() -> None:
    assert lines(invert(two_inputs(), "b"), 100)[2:] == drawn("""
b  AccumulateGrad                              ()           3           9    2
├─ other #1 AddBackward0                       ()           5           4    3
│  └─ self  #2 MulBackward0                    ()          20           4    3
└─ self  #3 AddBackward0                       ()           4           5    3
   └─ other #2 ↩ MulBackward0                  ()          20           5    3
… 2 of 6 nodes not shown
leaf grads   a = 4    b = 9 = 5 (via #3.self) + 4 (via #1.other)
""")


def test_arguments_that_do_not_fit_stand_below() -> None:
    leaves = [leaf(f"weight_{n}") for n in range(12)]
    y = op("StackBackward0", *[(f"tensors[{n}]", each, 1.0) for n, each in enumerate(leaves)], value=1.0, grad=1.0)
    assert lines(view(y), layout="spine")[2:5] == drawn("""
#0 StackBackward0                                   ()           1           1
   (weight_0, weight_1, weight_2, weight_3, weight_4, weight_5, weight_6,
    weight_7, weight_8, weight_9, weight_10, weight_11)
""")


# -- numbers -----------------------------------------------------------------------------------


def test_values_and_gradients_can_be_shown_in_full_or_not_at_all() -> None:
    x = leaf("x", [[0.1, 1 / 3], [2.0, -1e-9]], [[1.0, 2.0], [3.0, 4.0]])
    y = view(op("SumBackward0", ("self", x, x.grad), value=1 / 3, grad=1.0))
    assert lines(y, values="full", grads="full")[1:] == drawn("""
  grad_fn                                   shape              value      grad
#0 SumBackward0                                () 0.3333333333333333       1.0
└─ self  x  AccumulateGrad                  (2,2)        -0.00..2.00    ‖5.48‖
      value [[               0.1, 0.3333333333333333],
             [               2.0,             -1e-09]]
      grad  [[1.0, 2.0],
             [3.0, 4.0]]
leaf grads   x = ‖5.48‖
""")
    assert lines(y, values="none", grads="none")[1].split() == ["grad_fn", "shape"]
    assert "leaf grads" not in "".join(lines(y, grads="none"))


def test_what_is_not_finite_is_marked_and_the_first_is_named() -> None:
    x = leaf("x", [1.0, 0.0], [np.inf, 0.0])
    h = op("LogBackward0", ("self", x, [np.inf, 0.0]), value=[0.0, -np.inf], grad=[1.0, 0.0], line=7, text="log(h)")
    s = op("SumBackward0", ("self", h, [1.0, 0.0]), value=-np.inf, grad=1.0, line=8)
    y = view(op("MulBackward0", ("self", s, 1.0), ("other", const("0", 0)), value=np.nan, grad=1.0, line=9))
    assert lines(y)[2:] == drawn("""
#0 MulBackward0                                ()        !nan           1    9
├─ self  #1 SumBackward0                       ()       -!inf           1    8
│  └─ self  #2 LogBackward0                  (2,)    !inf 1/2         ‖1‖    7
│     └─ self  x  AccumulateGrad             (2,)  0.00..1.00    !inf 1/2
└─ other 0  const                                           0           -
leaf grads   x = inf 1/2
first non-finite: value of #2 (line 7: log(h))
  cause: log of 0 at entry [1]
  cure: keep it above 0, as with clamp(min=1e-12), or work with logarithms
    throughout
""")


def test_the_first_gradient_that_goes_wrong_is_named() -> None:
    x = leaf("x", 0.0, np.inf)
    h = op("SqrtBackward0", ("self", x, np.inf), value=0.0, grad=1.0, line=2, text="sqrt(x)")
    y = op("ReluBackward0", ("self", h, 1.0), value=0.0, grad=1.0, line=3)
    told = lines(view(y))
    at = told.index("first non-finite: gradient along #1.self (line 2: sqrt(x))")
    assert told[at + 1] == "  cause: its slope at 0 is infinite"
    assert told[at + 2].startswith("  cure: add a small number before it")
    z = op("ReluBackward0", ("self", leaf("x", -1.0, 0.0), 0.0), value=0.0, grad=1.0, line=3, text="relu(x)")
    shown = lines(view(op("ExpBackward0", ("self", z, 1.0), value=1.0, grad=1.0)))
    assert "!0" in shown[4]
    assert shown[-2:] == ["leaf grads   x = 0", "first zero: gradient along #1.self (line 3: relu(x))"]


def test_leaves_that_get_nothing() -> None:
    y = view(op("MulBackward0", ("self", leaf("x", 1.0, 2.0), 2.0), ("other", leaf("w", 1.0)), value=1.0, grad=1.0))
    y.unused = [leaf("spare", 1.0)]
    assert lines(y)[-1] == "leaf grads   x = 2    w = None    spare = None (unused)"


def test_contributions_to_a_tensor_are_no_sum_of_norms() -> None:
    x = leaf("x", [1.0, 1.0], [3.0, 4.0])
    y = view(op("AddBackward0", ("self", x, [3.0, 0.0]), ("other", x, [0.0, 4.0]), value=[1.0, 1.0], grad=[1.0, 1.0]))
    assert lines(y)[-1] == "leaf grads   x = ‖5‖ from ‖4‖ (via #0.other) and ‖3‖ (via #0.self)"
    assert [line.split()[-3:] for line in lines(y)[3:5]] == [["‖3‖", "of", "‖5‖"], ["‖4‖", "of", "‖5‖"]]


def test_what_is_saved_is_told_with_its_bytes() -> None:
    x = leaf("x", 1.0)
    y = keeps(op("DropoutBackward0", ("self", x)), mask=(np.ones((2, 3), bool), 6), p=(0.5, 0), self=x)
    shown = lines(view(y), saved=True)
    assert "│  ◆ saved mask=(2,3) bool self=x p=0.5 (6 B)" in shown
    assert shown[-1] == "saved        6 B in 1 tensor"


# -- every drawing -----------------------------------------------------------------------------


HOW = st.sampled_from(["stats", "full", "none"])


@given(views(), st.integers(1, 130), st.sampled_from(LAYOUTS), st.booleans(), HOW)
@SOME
def test_no_line_is_too_wide_or_acts(of: View, width: int, layout: str, ascii: bool, how: str) -> None:
    grads = {"stats": "norm"}.get(how, how)
    shown = lines(of, width, layout=layout, ascii=ascii, values=how, grads=grads, saved=True)
    for line in shown:
        assert cells(line) <= width
        assert not any(map(acts, line))
        assert not commands_ci(line)
        assert not ascii or line.isascii()
    assert shown == lines(of, width, layout=layout, ascii=ascii, values=how, grads=grads, saved=True)


def read_nested(shown: list[str]) -> set[tuple[str, str, str]]:
    """The edges that a nested drawing shows: from, argument, to."""
    edges, above = set(), [shown[0].partition("#")[2].partition(" ")[0]]
    for line in shown[1:]:
        guides = re.match("[│├└─ ]*", line)[0]
        level = len(guides) // 3
        argument, rest = line[len(guides) :].split(maxsplit=1)
        to = re.match(r"(?:\S+  )?#(\d+)|(\S+)", rest)
        del above[level:]
        edges.add((above[-1], argument, to[1] or to[2]))
        above.append(to[1] or to[2])
    return edges


def read_spine(shown: list[str]) -> set[tuple[str, int, str]]:
    """The edges that a drawing with a row for each node shows: from, which, to."""
    edges = set()
    for line in shown:
        number, arguments = re.match(r"[│ ]*#(\d+) [^(]*\(([^)]*)\)", line).groups()
        edges |= {(number, n, to.removeprefix("#")) for n, to in enumerate(arguments.split(", ")) if to}
    return edges


def renamed(of: View) -> View:
    """The view with names that can be read back."""
    for n, item in enumerate(of.items):
        item.name, item.variable, item.label = f"Op{n}", f"v{n}" if item.kind == LEAF else None, f"c{n}"
    of.root_name, of.unused, of.title = None, [], None
    return of


@given(views().map(renamed))
@SOME
def test_every_op_and_every_edge_can_be_read_back(of: View) -> None:
    nothing: Any = {"width": 1000, "values": "none", "grads": "none"}
    for layout in LAYOUTS:
        plan = planned(of, layout)

        def name(item: Any, plan: Any = plan) -> str:
            if item is None:
                return "None"
            return item.variable or (item.label if item.kind == CONST else str(plan.numbers[item]))

        shown = lines(of, layout=layout, **nothing)
        start = next(n for n, line in enumerate(shown) if re.match("#0 ", line))
        body = shown[start : start + len(plan.rows)]
        if layout == NESTED:
            assert read_nested(body) == {(name(item), edge.argument, name(edge.to)) for item, edge in of.edges()}
        else:
            ops = [line for line in body if "AccumulateGrad" not in line and not re.search(r"  Op\d+", line)]
            assert len(ops) == sum(1 for _ in of.ops())
            assert read_spine(ops) == {
                (name(item), n, name(edge.to)) for item in of.ops() for n, edge in enumerate(item.edges)
            }


# -- large graphs ------------------------------------------------------------------------------


@long("it takes a second or more")
@pytest.mark.parametrize(
    ("of", "size"),
    [(chain, 5000), (doubling, 64), (residual, 3300), (recurrent, 1000)],
    ids=["chain", "doubling", "residual", "recurrent"],
)
def test_large_graphs_are_drawn_at_once(of: Callable[[int], View], size: int) -> None:
    large = of(size)
    for options in ({}, {"terminal": True}):
        with within(15):
            shown = lines(large, 100, **options)
        assert len(shown) > 60


@long("it takes a second or more")
def test_a_terminal_gets_as_much_as_can_be_read() -> None:
    shown = lines(chain(10002), 100, terminal=True)
    assert len(shown) == 2 + 200 + 2
    assert shown[-2] == "… 9 803 of 10 003 nodes not shown: --max-nodes 10003 shows all, --focus NAME a part"
    assert len(lines(chain(10002), 100)) == 2 + 10002 + 1
    many = lines(residual(100), 100, terminal=True, max_rows=5)
    assert many[-1].strip() == "… 81 of 101 leaves not shown"


def test_what_is_too_deep_to_be_indented_says_how_deep() -> None:
    shown = lines(chain(100), 80, layout="nested")
    assert max(map(cells, shown)) <= 80
    assert shown[50] == "               …48 └─ self  #48 SinBackward0   ()        0.25         0.5    4"


# -- rich --------------------------------------------------------------------------------------


def test_rich_prints_it_in_the_room_there_is() -> None:
    from rich.console import Console
    from rich.panel import Panel

    def printed(width: int, what: Any, **options: Any) -> list[str]:
        stream = io.StringIO()
        Console(file=stream, width=width, legacy_windows=False, _environ={}, **options).print(what)
        return stream.getvalue().splitlines()

    assert printed(80, rich_tree(two_inputs())) == drawn(TWO_INPUTS)
    assert printed(40, rich_tree(two_inputs())) == lines(two_inputs(), 40)
    framed = printed(84, Panel(rich_tree(two_inputs())))
    assert [line[2:-2].rstrip() for line in framed[1:-1]] == drawn(TWO_INPUTS)
    loud = printed(80, rich_tree(two_inputs()), force_terminal=True, color_system="standard")
    assert [bare(line) for line in loud] == drawn(TWO_INPUTS)
    assert loud != drawn(TWO_INPUTS)
    plain = printed(80, rich_tree(two_inputs()), force_terminal=True, no_color=True)
    assert plain == drawn(TWO_INPUTS)


def test_the_reason_of_a_backward_that_stopped_is_told_in_full() -> None:
    y = torch.tensor(2.0, requires_grad=True).exp()
    y.backward()
    told = " ".join(" ".join(lines(collect(y), 40)).split())
    assert "the backward stopped: Trying to backward through the graph a second time (or" in told
    assert told.endswith("access saved tensors after calling backward.")

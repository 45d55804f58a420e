"""Why a gradient is what it is, in the words that a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import gradcli as package
from gradcli.errors import InputError
from gradcli.graph.ask import why as answers
from gradcli.graph.ask.paths import paths
from gradcli.graph.ask.select import find
from gradcli.graph.view.collect import collect, of_program
from gradcli.graph.view.view import View
from gradcli.spec.input.source import Spec, typed
from gradcli.spec.program import Program
from gradcli.text.cells import cells
from gradcli.text.parts import HEADING, plain
from tests.quick import within
from tests.rings import examples, large, long

from . import views

HEAD = "import torch\nimport torch.nn.functional as F\n"


def explained(*what: Any, **how: Any) -> Iterator[str]:
    return map(plain, answers.explained(*what, **how))


def traced(program: str) -> View:
    return of_program(Program(Spec(typed("spec.py", HEAD + program), False, None, None)))


def why(program: str, name: str, width: int = 80) -> str:
    return "\n".join(line.rstrip() for line in explained(traced(program), name, width=width)) + "\n"


# -- paths -----------------------------------------------------------------------------------------

PRODUCT = """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = (a + b) * (b + 1)
y.backward()
"""


def test_the_paths_of_a_number() -> None:
    assert why(PRODUCT, "b") == """\
why b: gradient 9
2 paths from y

5 = 5 × 1
  y   MulBackward0  other  × 5  line 5  (a + b) * (b + 1)
  #4  AddBackward0  self   × 1  line 5  b + 1
  b

4 = 4 × 1
  y   MulBackward0  self   × 4  line 5  (a + b) * (b + 1)
  #1  AddBackward0  other  × 1  line 5  a + b
  b
"""


def test_in_a_narrow_window() -> None:
    assert why(PRODUCT, "b", 40) == """\
why b: gradient 9
2 paths from y

5 = 5 × 1
  y.other × 5  line 5
  #4.self × 1  line 5
  b

4 = 4 × 1
  y.self × 4  line 5
  #1.other × 1  line 5
  b
"""


def test_without_letters_beyond_ascii() -> None:
    lines = list(explained(traced(PRODUCT), "b", ascii=True))
    assert "\n".join(lines).isascii()
    assert lines[3] == "5 = 5 x 1"


def test_the_answer_stands_out() -> None:
    assert next(answers.explained(traced(PRODUCT), "b")) == [("why b: gradient 9", HEADING)]


def test_the_root() -> None:
    assert why(PRODUCT, "y") == "why y: gradient 1\n  the backward starts here\n"


def test_the_paths_of_a_tensor_have_norms() -> None:
    text = why(
        """\
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = (w * w).sum() + (2 * w).sum()
y.backward()
""",
        "w",
    )
    assert text == """\
why w: gradient ‖12.8‖
3 paths from y

‖5‖
  y   AddBackward0  self  × 1     line 4  (w * w).sum() + (2 * w).sum()
  #1  SumBackward0  self  ‖1.41‖  line 4  (w * w).sum()
  #2  MulBackward0  self  ‖5‖     line 4  w * w
  w

‖5‖
  y   AddBackward0  self   × 1     line 4  (w * w).sum() + (2 * w).sum()
  #1  SumBackward0  self   ‖1.41‖  line 4  (w * w).sum()
  #2  MulBackward0  other  ‖5‖     line 4  w * w
  w

‖2.83‖
  y   AddBackward0  other  × 1     line 4  (w * w).sum() + (2 * w).sum()
  #4  SumBackward0  self   ‖1.41‖  line 4  (2 * w).sum()
  #5  MulBackward0  self   ‖2.83‖  line 4  2 * w
  w
"""


def test_as_many_paths_as_nobody_can_count() -> None:
    with within(10):
        lines = list(explained(views.doubling(64), "y0"))
    assert lines[:4] == [
        "why y0: gradient 1.845e+19",
        "18 446 744 073 709 551 616 paths from y; the 4 that contribute most",
        "",
        "1 = 1 × 1 × 1 × 1 × … × 1 × 1 × 1",
    ]
    assert sum(line.startswith("  … 53 steps") for line in lines) == 4
    assert next(line for line in explained(views.doubling(500), "y0") if "paths" in line) == (
        "about 10^150 paths from y; the 4 that contribute most"
    )


def test_paths_that_cancel_out() -> None:
    text = why("x = torch.tensor(2.0, requires_grad=True)\nh = 3 * x\nz = h - h\ny = z * 5\ny.backward()\n", "x")
    assert text == """\
why x: gradient 0
2 paths from y

15 = 5 × 1 × 3
  y  MulBackward0  self  × 5  line 6  z * 5
  z  SubBackward0  self  × 1  line 5  h - h
  h  MulBackward0  self  × 3  line 4  3 * x
  x

-15 = 5 × -1 × 3
  y  MulBackward0  self   × 5   line 6  z * 5
  z  SubBackward0  other  × -1  line 5  h - h
  h  MulBackward0  self   × 3   line 4  3 * x
  x
"""


def test_a_path_that_contributes_nothing_is_not_shown() -> None:
    text = why("x = torch.tensor(-2.0, requires_grad=True)\ny = torch.relu(x) + 3 * x\ny.backward()\n", "x")
    assert text.splitlines()[1] == "2 paths from y; only 1 contributes anything"
    assert text.count("AddBackward0") == 1


# -- where there is no gradient ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "name", "words"),
    [
        (
            "x = torch.ones(2, requires_grad=True)\nh = x * 2\nd = h.detach()\ny = (d * x).sum()",
            "h",
            "why h: no gradient\n  cut off at line 5: h.detach()\n"
            "    detach() takes the numbers and leaves the graph behind\n"
            "    the numbers go on into #1.self (MulBackward0)\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nu = torch.ones(2, requires_grad=True)\n"
            "with torch.no_grad():\n    z = u + 1\ny = (x * z).sum()",
            "u",
            "why u: no gradient\n  cut off at line 6: u + 1\n    nothing is recorded under no_grad()\n"
            "    the numbers go on into #1.other (MulBackward0)\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nu = torch.tensor([2.5], requires_grad=True)\n"
            "y = (x * u.long()).sum()",
            "u",
            "why u: no gradient\n  cut off at line 5: u.long()\n"
            "    whole numbers and truth values have no gradients\n"
            "    the numbers go on into #1.other (MulBackward0)\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nu = torch.ones(2, requires_grad=True)\ny = (x * u.data).sum()",
            "u",
            "why u: no gradient\n  cut off at line 5: u.data\n    .data takes the numbers and leaves the graph behind\n"
            "    the numbers go on into #1.other (MulBackward0)\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nn = torch.tensor([1, 2])\ny = (x * n).sum()",
            "n",
            "why n: no gradient\n"
            "  a constant: its numbers are int64, and only floating point numbers have\n    gradients\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nk = torch.ones(2)\ny = (x * k).sum()",
            "k",
            "why k: no gradient\n"
            "  a constant: it does not require a gradient (requires_grad=True makes it a\n    leaf)\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nu = torch.ones(2, requires_grad=True)\ny = x.sum()",
            "u",
            "why u: no gradient\n  unused: nothing that y is computed from leads to it\n",
        ),
        (
            "x = torch.ones(2, requires_grad=True)\nh = x.exp()\ny = x.sum()",
            "h",
            "why h: no gradient\n  unused: nothing that y is computed from leads to it\n",
        ),
        (
            "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = torch.relu(x - 5).sum()",
            "x",
            "why x: gradient 0\n1 path from y\n  cut off at #1.self (ReluBackward0), line 4: torch.relu(x - 5)\n"
            "    ‖1.41‖ arrives, 0 goes on\n"
            "    its input is nowhere above 0 where a gradient arrives: a dead ReLU\n",
        ),
        (
            "x = torch.tensor(2.0, requires_grad=True)\ny = x * torch.tensor(0.0)",
            "x",
            "why x: gradient 0\n1 path from y\n  cut off at y.self (MulBackward0), line 4: x * torch.tensor(0.0)\n"
            "    1 arrives, 0 goes on\n    what it is multiplied by is 0 wherever a gradient arrives\n",
        ),
        (
            "x = torch.tensor(2.4, requires_grad=True)\nh = torch.round(x)\ny = h * 3",
            "x",
            "why x: gradient 0\n1 path from y\n  cut off at h.self (RoundBackward0), line 4: torch.round(x)\n"
            "    3 arrives, 0 goes on\n    its derivative is 0 everywhere\n",
        ),
        (
            "class Stop(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, a, b):\n        return a * b\n"
            "    @staticmethod\n    def backward(ctx, g):\n        return g, None\n"
            "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(3.0, requires_grad=True)\n"
            "y = Stop.apply(a, b)",
            "b",
            "why b: no gradient\n0 paths from y\n  cut off at y.b (StopBackward), line 12: Stop.apply(a, b)\n"
            "    1 arrives, nothing goes on\n    its backward returns no gradient for this\n",
        ),
    ],
    ids="detach no_grad integer data int64 constant unused aside relu zero round None".split(),
)  # fmt: skip
def test_where_a_gradient_was_cut_off(program: str, name: str, words: str) -> None:
    assert why(f"{program}\ny.backward()\n", name) == words


def test_two_names_of_one_tensor() -> None:
    text = why("x = torch.tensor(1.0, requires_grad=True)\nz = x\ny = x * 3\ny.backward()\n", "z")
    assert text.startswith("why z: gradient 3\n")


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(InputError) as caught:
        why(PRODUCT, "c")
    assert str(caught.value) == "there is no 'c' in the graph of y"
    assert caught.value.help == "it has a, b, y"


# -- contributions are what they are -----------------------------------------------------------------


def sums_up(view: View, name: str, total: Any) -> None:
    """Whether the contributions of all paths add up to the gradient, when all are shown."""
    found = paths(view, find(view, name))
    if found.number <= 4:
        parts = [path.contribution for path in found.largest]
        assert len(parts) == found.number
        np.testing.assert_allclose(sum(parts), total, rtol=1e-5, atol=1e-8)


OPS = (
    lambda x, w: x * w, lambda x, w: x + w, lambda x, w: x - w.tanh(), lambda x, w: (x * w).exp() * 0.01,
    lambda x, w: x / (w * w + 1), lambda x, w: x.sum() * w, lambda x, w: x.relu(), lambda x, w: -x,
)  # fmt: skip


@long("it takes a second or more")
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(picks=st.lists(st.integers(0, len(OPS) - 1), min_size=1, max_size=6), shape=st.sampled_from([(), (3,)]))
def test_the_contributions_of_paths_add_up(torch: Any, picks: list[int], shape: tuple[int, ...]) -> None:
    x = torch.full(shape, 0.7, dtype=torch.float64, requires_grad=True)
    w = torch.full(shape, -1.3, dtype=torch.float64, requires_grad=True)
    h = x
    for pick in picks:
        h = OPS[pick](h, w)
    y = h.sum() + w.sum()
    view = collect(y, names=_names(torch, x=x, w=w))
    gx, gw = torch.autograd.grad(y, (x, w), retain_graph=True)
    sums_up(view, "x", gx.numpy())
    sums_up(view, "w", gw.numpy())


def _names(torch: Any, **tensors: Any) -> dict[Any, str]:
    if torch is package:
        return {tensor._node: name for name, tensor in tensors.items()}
    edge = torch.autograd.graph.get_gradient_edge
    return {edge(tensor).node: name for name, tensor in tensors.items()}


@settings(max_examples=examples(60), deadline=None)
@given(views.views(), st.sampled_from([10, 24, 40, 80, 100]), st.data())
def test_any_name_of_any_view_is_explained(view: View, width: int, data: st.DataObject) -> None:
    for number, item in enumerate(view.items):
        item.id = f"i{number}"
    name = data.draw(st.sampled_from([item.id for item in view.items]))
    for line in explained(view, name, width=width):
        assert cells(line) <= width
        assert line.isprintable()


@pytest.mark.parametrize(("make", "name"), [(views.chain, "x"), (views.recurrent, "w"), (views.residual, "x")])
def test_a_large_graph_takes_little_time(make: Any, name: str) -> None:
    view = make(large(10_000))
    with within(15):
        assert len(list(explained(view, name))) < 100


# -- calls ---------------------------------------------------------------------------------------

LAYERS = """\
x = torch.tensor(1.0, requires_grad=True)
def layer(v):
    return v * 3.0
y = layer(layer(x)) ** 2
y.backward()
"""


def test_of_a_call_the_border_and_its_results_are_explained() -> None:
    assert why(LAYERS, "layer()@2") == """\
why layer()@2: gradient in ‖18‖, out ‖54‖
why #1: gradient 18
1 path from y

18 = 18
  y  PowBackward0  self  × 18  line 6  layer(layer(x)) ** 2
  #1
"""


def test_of_several_calls_each_border_is_told() -> None:
    assert why(LAYERS, "layer") == """\
why layer(): gradient in ‖54‖, out ‖162‖
why layer()@2: gradient in ‖18‖, out ‖54‖
one of them is explained by its own name, such as layer()@2
"""

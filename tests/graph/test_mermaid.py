"""Mermaid: what GitHub draws, and what it would not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings

import gradcli as torch
from gradcli.errors import OutputError
from gradcli.graph.ask.select import depth
from gradcli.graph.mermaid import to_mermaid
from gradcli.graph.view.view import View
from tests.rings import examples

from . import views

# Every line that a drawing may have.
LINES = re.compile(
    r"""flowchart\ TD
    |\ \ n\d+[(\[]"[^"\[\]`\\|{}()]*"[)\]]
    |\ \ n\d+\ -->\|"[^"\[\]`\\|{}()<>]*"\|\ n\d+
    |\ \ classDef\ const\ stroke-dasharray:\ 4
    |\ \ class\ n\d+(,n\d+)*\ const""",
    re.VERBOSE,
)


def product() -> View:
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    view = views.of_tensor((a + b) * (b + 1), {"a": a, "b": b})
    view.root_name = "y"
    return view


def test_a_drawing() -> None:
    assert to_mermaid(product()) == """\
flowchart TD
  n0["a<br>AccumulateGrad"]
  n1["b<br>AccumulateGrad"]
  n2("AddBackward0")
  n3("AddBackward0")
  n4("y<br>MulBackward0")
  n2 -->|"self = 4"| n0
  n2 -->|"other = 4"| n1
  n3 -->|"self = 5"| n1
  n4 -->|"self = 4"| n2
  n4 -->|"other = 5"| n3
"""


@pytest.mark.parametrize(("value", "shown"), [([3.0, 4.0], "#40;2,#41;"), (2.5, "2#46;5")])
def test_a_constant_without_a_name_is_its_number_or_its_shape(value: Any, shown: str) -> None:
    constant = views.const("", value, tensor=True)
    constant.label = None
    item = views.op("MulBackward0", ("self", views.leaf("x"), [3.0, 4.0]), ("other", constant))
    assert f'  n1["{shown}"]\n' in to_mermaid(views.view(item))


def test_without_gradients() -> None:
    assert '  n4 -->|"other"| n3\n' in to_mermaid(product(), grads="none")


def test_heat_colours_nodes_and_edges_by_their_gradient() -> None:
    drawn = to_mermaid(product(), heat="grad").splitlines()
    assert drawn[: len(to_mermaid(product()).splitlines())] == to_mermaid(product()).splitlines()
    # Lengths from 1, of the root, to 9, of b.
    assert "  class n4,s0 heat0" in drawn
    assert "  class n1,s6 heat6" in drawn
    assert drawn[-2:] == ["  linkStyle 0,1,3 stroke:#b54d12", "  linkStyle 2,4 stroke:#b5330d"]
    assert '    s6["7#46;7"]' in drawn


def test_constants_have_a_broken_frame() -> None:
    item = views.op("MulBackward0", ("self", views.leaf("x"), [3.0, 4.0]), ("other", views.const("2.5", 2.5)))
    assert to_mermaid(views.view(item, name="y")) == """\
flowchart TD
  n0["x<br>AccumulateGrad"]
  n1["2#46;5"]
  n2("y<br>MulBackward0")
  n2 -->|"self = #8214;5#8214;"| n0
  n2 -->|"other"| n1
  classDef const stroke-dasharray: 4
  class n1 const
"""


def test_what_is_hidden_and_what_is_repeated_is_told() -> None:
    assert '("y<br>MulBackward0<br>#43;4 nodes")' in to_mermaid(depth(product(), 0))
    row = views.chain(9)
    row.root.repeats = 9, "n1", "n9"
    assert '("y<br>SinBackward0<br>#215; 9 #40;n1 #8230; n9#41;")' in to_mermaid(row)


def test_a_drawing_that_mermaid_refuses_is_not_made() -> None:
    assert to_mermaid(views.chain(500)).count("-->") == 500
    with pytest.raises(OutputError) as caught:
        to_mermaid(views.chain(501))
    assert str(caught.value) == "the graph has 501 edges; Mermaid draws 500"
    assert caught.value.help == (
        "--level N, --depth N or --focus NAME make it smaller; --format json and export-dot take any size"
    )
    assert caught.value.exit_code == 3


def test_a_text_that_mermaid_refuses_is_not_made() -> None:
    view = views.chain(490)
    for item in view.items:
        item.variable = "名前" * 60
    with pytest.raises(OutputError, match=r"the graph has [\d,]+ characters of Mermaid, which draws 50,000"):
        to_mermaid(view)


@settings(max_examples=examples(60), deadline=None)
@given(views.views())
def test_no_text_breaks_a_drawing(view: View) -> None:
    for line in to_mermaid(view).splitlines():
        assert LINES.fullmatch(line), line

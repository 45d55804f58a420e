"""``gradcli.trace()``: a graph as data that prints as a tree, of gradcli's tensors and of PyTorch's."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gradcli
from gradcli.errors import InputError

DRAWN = """\
y   3 ops · 2 leaves · 1 constant · 6 edges
  grad_fn                                        shape       value        grad
y  #0 MulBackward0                                  ()          20           1
├─ self  #1 AddBackward0                            ()           5           4
│  ├─ self  a  AccumulateGrad                       ()           2           4
│  └─ other b  AccumulateGrad                       ()           3      4 of 9
└─ other #4 AddBackward0                            ()           4           5
   ├─ self  b  ↩ AccumulateGrad                     ()           3      5 of 9
   └─ other None                                                             -
leaf grads   a = 4    b = 9 = 5 (via #4.self) + 4 (via #1.other)"""


def product(torch: Any) -> tuple[Any, dict[str, Any]]:
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    y = (a + b) * (b + 1)
    return y, {"a": a, "b": b, "y": y}


def test_it_prints_as_a_tree(torch: Any) -> None:
    y, names = product(torch)
    trace = gradcli.trace(y, names=names, width=80)
    assert str(trace) == DRAWN
    assert repr(trace) == "<trace of y, 5 nodes>"
    assert [item.name for item in trace.view.ops()] == ["AddBackward0", "AddBackward0", "MulBackward0"]
    assert names["a"].grad is None
    y.backward()


def test_it_is_data_for_machines(torch: Any) -> None:
    y, names = product(torch)
    found = json.loads(gradcli.trace(y, names=names).json())
    assert [leaf["grad"] for leaf in found["leaves"]] == [{"max": n, "min": n, "norm": n} for n in (4.0, 9.0)]
    assert found["root"] == "y"


def test_it_explains_gradients(torch: Any) -> None:
    y, names = product(torch)
    assert gradcli.trace(y, names=names).why("b").startswith("why b: gradient 9\n2 paths from y\n\n5 = 5 × 1\n")


def test_names_of_parameters(torch: Any) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    loss = net(torch.ones(4, 2)).mean()
    trace = gradcli.trace(loss, names=dict(net.named_parameters()))
    assert [leaf.variable for leaf in trace.view.leaves()] == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_parts_and_looks(torch: Any) -> None:
    y, names = product(torch)
    assert str(gradcli.trace(y, names=names, depth=0, layout="list")).splitlines()[2] == (
        "#0 MulBackward0(…) [+4 nodes]                       ()          20           1"
    )
    assert len(gradcli.trace(y, names=names, max_nodes=2).view.items) == 2
    assert len(gradcli.trace(y, names=names, focus="a").view.items) == 3
    assert gradcli.trace(y, names=names, invert="a").view.root.variable == "a"
    assert len(gradcli.trace(y, names=names, level="auto").view.items) == 5


def test_a_gradient_to_start_from(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    trace = gradcli.trace(x * 2, names={"x": x}, gradient=torch.tensor([1.0, 2.0, 3.0]))
    assert next(trace.view.leaves()).grad.tolist() == [2.0, 4.0, 6.0]


def test_what_has_no_graph(torch: Any) -> None:
    with pytest.raises(InputError, match="has no graph"):
        gradcli.trace(torch.ones(3))


def test_a_console_of_rich_prints_it(torch: Any) -> None:
    from rich.console import Console

    console = Console(width=80, color_system=None, force_terminal=False)
    with console.capture() as captured:
        y, names = product(torch)
        console.print(gradcli.trace(y, names=names))
    assert [line.rstrip() for line in captured.get().splitlines()] == DRAWN.splitlines()


def test_a_matrix_has_a_trace_of_another_kind() -> None:
    m = gradcli.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert gradcli.trace(m).item() == 5.0
    assert gradcli.trace(input=m).grad_fn.name() == "TraceBackward0"
    assert "MulBackward0" in str(gradcli.trace(m * 2, width=80))
    assert "trace" in dir(gradcli)

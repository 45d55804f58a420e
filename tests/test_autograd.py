"""torch.autograd as a module: what it offers, and what it refuses by name."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import gradcli as torch
from gradcli.errors import Unsupported


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: torch.autograd.gradcheck(torch.sin, torch.ones(2), masked=True), "masked=True"),
        (lambda: torch.autograd.gradgradcheck(torch.sin, torch.ones(2), masked=True), "masked=True"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(call, name) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Unsupported) as error:
        call()
    assert name in str(error.value)
    assert isinstance(error.value, NotImplementedError)


def test_switching_anomaly_mode_off_is_fine() -> None:
    with torch.autograd.set_detect_anomaly(False):
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def root_times_zero() -> torch.Tensor:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    return (torch.sqrt(x) * torch.tensor([0.0, 1.0])).sum()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("context", [lambda: torch.autograd.set_detect_anomaly(True), torch.autograd.detect_anomaly])
def test_anomaly_mode_names_the_node_that_makes_a_nan(context) -> None:  # type: ignore[no-untyped-def]
    with context(), warnings.catch_warnings(record=True, action="always") as told, pytest.raises(RuntimeError) as error:
        root_times_zero().backward()
    assert str(error.value) == "Function 'SqrtBackward0' returned nan values in its 0th output."
    assert "return (torch.sqrt(x) * torch" in str(told[-1].message)
    root_times_zero().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_without_a_look_at_nan() -> None:
    with torch.autograd.detect_anomaly(check_nan=False):
        root_times_zero().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_counts_the_places_of_constants() -> None:
    x = torch.tensor([0.0], requires_grad=True)
    told = warnings.catch_warnings(record=True, action="always")
    with torch.autograd.detect_anomaly(), told, pytest.raises(RuntimeError) as error:
        (torch.zeros(1) / x).sum().backward()
    assert str(error.value) == "Function 'DivBackward0' returned nan values in its 1th output."


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_the_hint_of_a_change_in_place_is_another_in_anomaly_mode() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    no_trace = pytest.warns(UserWarning, match="No forward pass information available")
    with torch.autograd.detect_anomaly(), no_trace, pytest.raises(RuntimeError) as error:
        y.sum().backward()
    assert str(error.value).endswith("changed in there or anywhere later. Good luck!")


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_writes_down_where_nodes_are_recorded(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = x * x
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert "y = x * x" in y.grad_fn.metadata["traceback_"][-1]
    assert sorted(g.grad_fn.metadata) == ["parent_", "traceback_"]
    assert not (x * x).grad_fn.metadata


def test_recording_is_asked_for_in_inference_mode(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled()
        assert (x * 2).grad_fn is None
        with torch.no_grad():
            assert not torch.is_grad_enabled()


def test_comparisons_write_their_answers(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    y, z = x.clone().lt_(2), x.clone().ge_(torch.tensor([0.0, 1, 2]))
    assert [y.tolist(), z.tolist()] == [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    assert [y.grad_fn.name(), z.grad_fn.name()] == ["LtBackward0", "GeBackward1"]
    (y + z).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_a_leafs_edge_leads_to_the_node_that_accumulates() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(x)
    assert edge.node is y.grad_fn.next_functions[0][0]
    assert edge.node.variable is x
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)


def test_increment_version_counts_a_write() -> None:
    x = torch.ones(2)
    torch.autograd.graph.increment_version(x)
    assert x._version == 1


def test_variable_is_a_leaf_over_the_same_memory() -> None:
    data = torch.zeros(2)
    v = torch.autograd.Variable(data, requires_grad=True)
    assert v.requires_grad
    assert v.is_leaf
    data.add_(1)
    assert v.tolist() == [1.0, 1.0]
